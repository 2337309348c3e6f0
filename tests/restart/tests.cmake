# SPDX-License-Identifier: MIT
ali3_test(restart kept LINK ali3_restart)
ali3_test(restart kept_file LINK ali3_restart)
ali3_test(restart restart LINK ali3_restart)
