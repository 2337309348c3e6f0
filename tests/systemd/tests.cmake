# SPDX-License-Identifier: MIT
set(check ${CMAKE_CURRENT_SOURCE_DIR}/systemd/check_unit)
# The rights of real time and the watchdog, which hardening must not remove.
add_test(NAME systemd/unit
         COMMAND ${check} ${CMAKE_BINARY_DIR}/systemd/ali3d@.service $<TARGET_FILE:ali3d>
                 Type=notify WatchdogSec=2 "ExecReload=sh -c 'kill -HUP $MAINPID'" Restart=on-failure RestrictRealtime=no LimitMEMLOCK=infinity LimitRTPRIO=95
                 MemoryMax=2G
                 SystemCallFilter=@system-service)
# The settings that keep the exporter behind the loop, and its port on this machine.
add_test(NAME systemd/exporter
         COMMAND ${check} ${CMAKE_BINARY_DIR}/systemd/ali3-exporter.service $<TARGET_FILE:ali3-exporter>
                 Nice=5 RestrictRealtime=yes DynamicUser=yes ProtectProc=default IPAddressDeny=any IPAddressAllow=localhost)
# The settings that keep the recorder behind the loop, and let it see the daemon.
add_test(NAME systemd/record
         COMMAND ${check} ${CMAKE_BINARY_DIR}/systemd/ali3-record@.service $<TARGET_FILE:ali3-record>
                 Nice=5 RestrictRealtime=yes DynamicUser=yes ProtectProc=default StateDirectory=ali3-record/%i)
# The settings that keep the page behind the loop, without rights to command.
add_test(NAME systemd/view
         COMMAND ${check} ${CMAKE_BINARY_DIR}/systemd/ali3-view.service $<TARGET_FILE:ali3-view>
                 Nice=5 RestrictRealtime=yes DynamicUser=yes ProtectProc=default IPAddressDeny=any IPAddressAllow=localhost MemoryMax=128M)
set_tests_properties(systemd/unit systemd/exporter systemd/view systemd/record PROPERTIES SKIP_RETURN_CODE 77 LABELS lint)
ali3_tier(quick systemd/unit systemd/exporter systemd/view systemd/record)
