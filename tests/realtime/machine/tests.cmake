# SPDX-License-Identifier: MIT
ali3_test(machine machine LINK ali3_machine)
ali3_test(machine courses TIER system LINK ali3_config ali3_machine m)
ali3_computes(machine/courses)
