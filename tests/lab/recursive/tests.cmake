# SPDX-License-Identifier: MIT
foreach(name radau recursion)
  ali3_test(recursive ${name} LINK ali3_recursive m)
endforeach()
