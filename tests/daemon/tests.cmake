# SPDX-License-Identifier: MIT
# The daemon as a whole is tested end to end.
ali3_test(daemon device_log LINK ali3_daemon)
ali3_test(daemon events LINK ali3_daemon)
ali3_test(daemon kept LINK ali3_daemon)
ali3_test(daemon kept_file LINK ali3_daemon)
ali3_test(daemon restart LINK ali3_daemon)
ali3_test(daemon report_file LINK ali3_daemon)
ali3_test(daemon log LINK ali3_daemon)
ali3_test(daemon options LINK ali3_daemon)
ali3_test(daemon report LINK ali3_daemon)
ali3_test(daemon misses LINK ali3_daemon)
ali3_test(daemon stall LINK ali3_daemon)
ali3_test(daemon surroundings LINK ali3_daemon)
