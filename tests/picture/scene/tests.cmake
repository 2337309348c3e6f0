# SPDX-License-Identifier: MIT
ali3_test(scene scene SOURCES common/toys.c LINK ali3_scene ali3_state m)
