# SPDX-License-Identifier: MIT
foreach(name freedoms equilibrium linearise modes)
  ali3_test(linear ${name} SOURCES common/toys.c LINK test_core)
endforeach()
