# SPDX-License-Identifier: MIT
foreach(name axis envelope glide)
  ali3_test(envelope ${name} LINK ali3_platform m)
endforeach()
