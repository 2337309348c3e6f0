# SPDX-License-Identifier: MIT
foreach(name hexapod pose)
  ali3_test(hexapod ${name} LINK ali3_platform m)
endforeach()
