# SPDX-License-Identifier: MIT
ali3_test(signals exchange LINK ali3_signals)
ali3_test(signals signals SOURCES common/toys.c LINK ali3_assembly ali3_signals m)
ali3_test(signals force_signals SOURCES common/toys.c LINK ali3_assembly ali3_signals m)
