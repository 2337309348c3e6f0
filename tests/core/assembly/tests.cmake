# SPDX-License-Identifier: MIT
foreach(name assemble carried_start rates reset)
  ali3_test(assembly ${name} SOURCES common/toys.c LINK test_core)
endforeach()
