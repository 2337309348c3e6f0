# SPDX-License-Identifier: MIT
foreach(name body compile connections laws motion rows)
  ali3_test(dynamics ${name} LINK ali3_dynamics m)
endforeach()
