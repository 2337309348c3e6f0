# SPDX-License-Identifier: MIT
ali3_test(signals exchange LINK ali3_signals)
ali3_test(signals signals SOURCES common/toys.c LINK ali3_signals m)
ali3_test(signals sequence LINK ali3_signals)
ali3_test(signals wire LINK ali3_signals m)
ali3_test(signals peers LINK ali3_signals)
