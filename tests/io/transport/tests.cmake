# SPDX-License-Identifier: MIT
ali3_test(transport stream_arrival LINK ali3_transport)
ali3_test(transport datagram_arrival LINK ali3_transport)
ali3_test(transport kernel_stamp LINK ali3_transport)
