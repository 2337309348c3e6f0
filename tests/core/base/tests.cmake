# SPDX-License-Identifier: MIT
ali3_test(base arena LINK ali3_base)
ali3_test(base crc LINK ali3_base)
ali3_test(base ring LINK ali3_base Threads::Threads)
ali3_test(base sha256 LINK ali3_base)
ali3_test(base snapshot LINK ali3_base Threads::Threads)
ali3_test(base status LINK ali3_base)
