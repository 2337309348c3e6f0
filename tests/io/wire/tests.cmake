# SPDX-License-Identifier: MIT
ali3_test(wire wire LINK ali3_wire ali3_signals m)
ali3_test(wire io_map LINK ali3_wire ali3_signals PkgConfig::JANSSON)
ali3_test(wire peers LINK ali3_wire ali3_signals)
