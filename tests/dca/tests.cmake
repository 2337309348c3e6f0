# SPDX-License-Identifier: MIT
foreach(name condense order sweep tree)
  ali3_test(dca ${name} SOURCES dca/graphs.c dca/stored.c LINK ali3_dca m)
endforeach()
