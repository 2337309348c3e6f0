# SPDX-License-Identifier: MIT
foreach(name settings mechanism forces schema yaml nearest)
  ali3_test(config ${name} LINK ali3_config)
endforeach()
