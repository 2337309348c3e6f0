# SPDX-License-Identifier: MIT
ali3_test(rt clock LINK ali3_rt)
ali3_test(rt pool LINK ali3_rt)
ali3_test(rt realtime LINK ali3_rt)
ali3_test(rt usage LINK ali3_rt)
ali3_test(rt pool_run LINK ali3_rt)
ali3_spins(rt/pool rt/pool_run)
