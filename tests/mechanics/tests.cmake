# SPDX-License-Identifier: MIT
ali3_test(mechanics mechanics SOURCES common/toys.c LINK ali3_mechanics m)
ali3_test(mechanics known LINK ali3_mechanics ali3_setup m)
