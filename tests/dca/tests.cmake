# SPDX-License-Identifier: MIT
foreach(name condense_pivots order sweep tree)
  ali3_test(dca ${name} SOURCES dca/graphs.c dca/stored.c LINK test_core)
endforeach()
foreach(name condense condense_fronts)
  ali3_test(dca ${name} SOURCES dca/graphs.c dca/stored.c dca/plain.c dca/solved.c LINK test_core)
endforeach()
