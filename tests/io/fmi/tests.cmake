# SPDX-License-Identifier: MIT
ali3_test(fmi table LINK ali3_fmi)
ali3_test(fmi instance TIER system LINK ali3_fmi Threads::Threads)
