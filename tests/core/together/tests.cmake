# SPDX-License-Identifier: MIT
ali3_test(together copies SOURCES common/toys.c LINK ali3_together test_core)
