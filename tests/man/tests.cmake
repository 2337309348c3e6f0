# SPDX-License-Identifier: MIT
# Man pages: their form, that their tables come from the code, and that they have the options of the programs.
add_test(NAME man/form COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/man/form ${PROJECT_SOURCE_DIR})
add_test(NAME man/tables COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/man/tables.py $<TARGET_FILE:ali3d> ${PROJECT_SOURCE_DIR})
add_test(NAME man/options COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/man/options.py ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
set_tests_properties(man/form man/tables man/options PROPERTIES TIMEOUT 60 SKIP_RETURN_CODE 77 LABELS lint)
ali3_tier(quick man/form man/tables man/options)
