# SPDX-License-Identifier: MIT
# Unit tests of the core that need more than the core: model files, worker threads, the kernel.
ali3_test(system flat_models LINK ali3_config m)
# Tests of the whole core; some also need model files, worker threads or the kernel.
ali3_test(system force_fields SOURCES common/toys.c LINK test_core)
ali3_test(system analysis LINK ali3_linear ali3_config m)
ali3_test(system known_mechanisms LINK ali3_mechanics ali3_config m)
ali3_test(system no_calls SOURCES common/toys.c LINK ali3_state ali3_rt m)
ali3_test(system orders SOURCES common/toys.c LINK ali3_config m)
ali3_test(system outside_values SOURCES common/toys.c LINK test_core)
ali3_test(system reference SOURCES common/table.c LINK ali3_config m)
ali3_test(system state TIER system SOURCES common/toys.c LINK ali3_config m)
ali3_test(system stages SOURCES common/toys.c common/heap.c LINK ali3_config ali3_rt m)
ali3_spins(system/stages system/no_calls)
