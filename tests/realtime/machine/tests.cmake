# SPDX-License-Identifier: MIT
ali3_test(machine machine LINK ali3_machine)
ali3_test(machine courses TIER system LINK ali3_config ali3_machine m)
set_tests_properties(machine/courses PROPERTIES COST 800) # half a minute of computing, not at the end of the tier
