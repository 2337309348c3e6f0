# SPDX-License-Identifier: MIT
foreach(name forward follow rig survey)
  ali3_test(rig ${name} LINK ali3_rig)
endforeach()
