# SPDX-License-Identifier: MIT
ali3_test(state state SOURCES common/heap.c common/toys.c LINK test_core)
ali3_test(state carry SOURCES common/heap.c common/toys.c LINK test_core)
ali3_test(state convert SOURCES common/toys.c LINK test_core)
