# SPDX-License-Identifier: MIT
ali3_test(journal device_log LINK ali3_journal)
ali3_test(journal events LINK ali3_journal)
ali3_test(journal report_file LINK ali3_journal)
ali3_test(journal report LINK ali3_journal)
ali3_test(journal misses LINK ali3_journal)
ali3_test(journal host_history LINK ali3_journal)
