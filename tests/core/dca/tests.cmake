# SPDX-License-Identifier: MIT
foreach(name condense_pivots dissect order sweep tree)
  ali3_test(dca ${name} SOURCES core/dca/graphs.c core/dca/stored.c LINK test_core)
endforeach()
foreach(name condense condense_fronts)
  ali3_test(dca ${name} SOURCES core/dca/graphs.c core/dca/stored.c core/dca/plain.c core/dca/solved.c LINK test_core)
endforeach()
