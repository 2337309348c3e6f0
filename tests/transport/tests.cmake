# SPDX-License-Identifier: MIT
ali3_test(transport stream_arrival LINK ali3_transport)
