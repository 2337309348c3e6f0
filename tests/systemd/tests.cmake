# SPDX-License-Identifier: MIT
add_test(NAME systemd/unit
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/systemd/check_unit ${CMAKE_BINARY_DIR}/systemd/ali3d@.service $<TARGET_FILE:ali3d>)
set_tests_properties(systemd/unit PROPERTIES TIMEOUT 60 SKIP_RETURN_CODE 77 LABELS lint)
