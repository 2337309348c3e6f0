# SPDX-License-Identifier: MIT
set(check ${CMAKE_CURRENT_SOURCE_DIR}/systemd/check_unit)
# What real time and the watchdog need, and hardening must not take away.
add_test(NAME systemd/unit
         COMMAND ${check} ${CMAKE_BINARY_DIR}/systemd/ali3d@.service $<TARGET_FILE:ali3d>
                 Type=notify WatchdogSec=2 "ExecReload=sh -c 'kill -HUP $MAINPID'" Restart=on-failure RestrictRealtime=no LimitMEMLOCK=infinity LimitRTPRIO=95
                 MemoryMax=2G
                 SystemCallFilter=@system-service)
# What keeps the exporter behind the loop, and this machine to itself.
add_test(NAME systemd/exporter
         COMMAND ${check} ${CMAKE_BINARY_DIR}/systemd/ali3-exporter.service $<TARGET_FILE:ali3-exporter>
                 Nice=5 RestrictRealtime=yes DynamicUser=yes ProtectProc=default IPAddressDeny=any IPAddressAllow=localhost)
set_tests_properties(systemd/unit systemd/exporter PROPERTIES TIMEOUT 60 SKIP_RETURN_CODE 77 LABELS lint)
ali3_tier(quick systemd/unit systemd/exporter)
