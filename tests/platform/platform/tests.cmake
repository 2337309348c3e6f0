# SPDX-License-Identifier: MIT
foreach(name axis envelope hexapod pose filter tilt params washout tuning cueing room cue glide states orders modes attitude platform hour)
  ali3_test(platform ${name} LINK ali3_platform m)
endforeach()

