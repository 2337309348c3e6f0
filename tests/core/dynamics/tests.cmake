# SPDX-License-Identifier: MIT
foreach(name body compile connections laws motion rows)
  ali3_test(dynamics ${name} LINK test_core)
endforeach()
