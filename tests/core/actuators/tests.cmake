# SPDX-License-Identifier: MIT
foreach(name cylinder tyre winding)
  ali3_test(actuators ${name} LINK test_core)
endforeach()
