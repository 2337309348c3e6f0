# SPDX-License-Identifier: MIT
ali3_test(stepper reference SOURCES common/table.c LINK ali3_config m)
