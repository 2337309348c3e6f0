# SPDX-License-Identifier: MIT
foreach(name cylinder winding)
  ali3_test(actuators ${name} LINK test_core)
endforeach()
