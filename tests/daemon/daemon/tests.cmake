# SPDX-License-Identifier: MIT
# The daemon as a whole is tested end to end.
ali3_test(daemon reload LINK ali3_daemon)
target_link_options(test_daemon_reload PRIVATE -Wl,--wrap=setup_load)
ali3_test(daemon options LINK ali3_daemon)
ali3_test(daemon stall LINK ali3_daemon)
ali3_test(daemon service LINK ali3_daemon)
