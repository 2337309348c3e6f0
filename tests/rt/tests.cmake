# SPDX-License-Identifier: MIT
ali3_test(rt book LINK ali3_rt m)
ali3_test(rt clock LINK ali3_rt)
ali3_test(rt pool LINK ali3_rt)
ali3_test(rt realtime LINK ali3_rt)
ali3_test(rt telemetry LINK ali3_rt)
ali3_test(rt cycle LINK ali3_rt m)
ali3_test(rt inputs LINK ali3_rt m)
ali3_test(rt machine LINK ali3_rt)
ali3_test(rt choose SOURCES common/toys.c LINK ali3_rt m)
target_link_options(test_rt_choose PRIVATE -Wl,--wrap=clock_now_ns -Wl,--wrap=clock_sleep_until_ns
                    -Wl,--wrap=ali3_data_set_exec -Wl,--wrap=ali3_reset -Wl,--wrap=ali3_step)
ali3_test(rt usage LINK ali3_rt)
ali3_test(rt schedule LINK ali3_rt)
