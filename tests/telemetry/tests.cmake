# SPDX-License-Identifier: MIT
ali3_test(telemetry shm LINK ali3_telemetry)
ali3_test(telemetry race LINK ali3_telemetry)
ali3_test(telemetry hostile LINK ali3_telemetry)
ali3_test(telemetry book LINK ali3_telemetry m)
ali3_test(telemetry telemetry LINK ali3_telemetry)
ali3_test(telemetry miss LINK ali3_telemetry)
ali3_test(telemetry miss_log LINK ali3_telemetry)
ali3_test(telemetry miss_text LINK ali3_telemetry)
