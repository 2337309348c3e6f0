# SPDX-License-Identifier: MIT
ali3_test(workers workers_choose SOURCES common/toys.c LINK ali3_workers m)
ali3_test(workers step_times SOURCES common/toys.c LINK ali3_workers m)
