# SPDX-License-Identifier: MIT
ali3_test(packets encode LINK ali3_packets)
ali3_test(packets decode LINK ali3_packets)
ali3_test(packets receiver LINK ali3_packets)
ali3_test(packets packets LINK ali3_packets)
