# SPDX-License-Identifier: MIT
foreach(name check flat model names)
  ali3_test(model ${name} LINK test_core)
endforeach()
