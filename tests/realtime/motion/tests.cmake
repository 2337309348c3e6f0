# SPDX-License-Identifier: MIT
ali3_test(motion machine LINK ali3_motion)
ali3_test(motion courses TIER system LINK ali3_setup ali3_motion m)
set_tests_properties(motion/courses PROPERTIES COST 800) # half a minute of computing, not at the end of the tier
