# SPDX-License-Identifier: MIT
ali3_test(mechanics mechanics SOURCES common/toys.c LINK ali3_mechanics m)
