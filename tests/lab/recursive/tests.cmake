# SPDX-License-Identifier: MIT
foreach(name radau recursion wrong_points)
  ali3_test(recursive ${name} LINK ali3_recursive m)
endforeach()
