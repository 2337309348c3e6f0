# SPDX-License-Identifier: MIT
foreach(name condense order pack store sweep tree)
  ali3_test(dca ${name} SOURCES dca/graphs.c dca/stored.c dca/view.c LINK ali3_dca m)
endforeach()
