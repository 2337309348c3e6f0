# SPDX-License-Identifier: MIT
foreach(name attitude hour modes requests platform states)
  ali3_test(platform ${name} LINK ali3_platform m)
endforeach()
