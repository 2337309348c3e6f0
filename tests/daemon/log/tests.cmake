# SPDX-License-Identifier: MIT
ali3_test(log log LINK ali3_log)
ali3_test(log log_limits LINK ali3_log)
