# SPDX-License-Identifier: MIT
foreach(name filter tilt params washout room cue cueing tuning)
  ali3_test(cueing ${name} LINK ali3_platform m)
endforeach()
