# SPDX-License-Identifier: MIT
ali3_test(osc_messages encode LINK ali3_osc_messages)
ali3_test(osc_messages describe LINK ali3_osc_messages)
