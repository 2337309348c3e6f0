# SPDX-License-Identifier: MIT
set(graphs dca/graphs.c dca/stored.c dca/view.c)
foreach(name condense_pivots order pack store sweep)
  ali3_test(dca ${name} SOURCES ${graphs} LINK ali3_dca m)
endforeach()
foreach(name condense condense_fronts)
  ali3_test(dca ${name} SOURCES ${graphs} dca/solved.c LINK ali3_dca m)
endforeach()
ali3_test(dca tree SOURCES ${graphs} dca/taken.c LINK ali3_dca m)
