# SPDX-License-Identifier: MIT
ali3_test(articulated limbs SOURCES fuzz/linkage.c fuzz/linkage_kinds.c LINK test_core ali3_articulated)
