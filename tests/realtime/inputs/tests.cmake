# SPDX-License-Identifier: MIT
ali3_test(inputs inputs SOURCES realtime/inputs/inputs_bench.c LINK ali3_assembly ali3_inputs m)
ali3_test(inputs inputs_take SOURCES realtime/inputs/inputs_bench.c LINK ali3_assembly ali3_inputs m)
ali3_test(inputs inputs_latch SOURCES realtime/inputs/inputs_bench.c LINK ali3_assembly ali3_inputs m)
ali3_test(inputs inputs_watchdog SOURCES realtime/inputs/inputs_bench.c LINK ali3_assembly ali3_inputs m)
ali3_test(inputs inject LINK ali3_inputs m)
ali3_test(inputs sequence LINK ali3_inputs)
