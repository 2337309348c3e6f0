# SPDX-License-Identifier: MIT
ali3_test(rt book LINK ali3_rt m)
ali3_test(rt clock LINK ali3_rt)
ali3_test(rt pool LINK ali3_rt)
ali3_test(rt realtime LINK ali3_rt)
ali3_test(rt telemetry LINK ali3_rt)
ali3_test(rt cycle LINK ali3_rt m)
ali3_test(rt inputs LINK ali3_rt m)
ali3_test(rt machine LINK ali3_rt)
