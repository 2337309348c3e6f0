# SPDX-License-Identifier: MIT
foreach(name assemble carried_start rates reset)
  ali3_test(start ${name} SOURCES common/toys.c LINK test_core)
endforeach()
ali3_test(start state SOURCES common/heap.c common/toys.c LINK test_core)
ali3_test(start carry SOURCES common/heap.c common/toys.c LINK test_core)
ali3_test(start convert SOURCES common/toys.c LINK test_core)
