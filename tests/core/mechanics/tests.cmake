# SPDX-License-Identifier: MIT
ali3_test(mechanics mechanics SOURCES common/toys.c LINK test_core)
ali3_test(mechanics droppable SOURCES common/toys.c LINK test_core)
