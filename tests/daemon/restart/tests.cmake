# SPDX-License-Identifier: MIT
ali3_test(restart state_record LINK ali3_restart)
ali3_test(restart state_file LINK ali3_restart)
ali3_test(restart restart LINK ali3_restart)
