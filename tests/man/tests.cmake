# SPDX-License-Identifier: MIT
# Man pages: their form, their tables, which come from the tables in the code, and the options of the programs.
set(man ${CMAKE_CURRENT_SOURCE_DIR}/man)
add_test(NAME man/form COMMAND ${man}/form ${PROJECT_SOURCE_DIR})
add_test(NAME man/options COMMAND ${when_built} ${programs} -- ${Python3_EXECUTABLE} -B ${man}/options.py ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
add_test(NAME man/tables COMMAND ${when_built} $<TARGET_FILE:ali3d> -- ${Python3_EXECUTABLE} -B ${man}/tables.py $<TARGET_FILE:ali3d> ${PROJECT_SOURCE_DIR})
set_tests_properties(man/form man/options man/tables PROPERTIES SKIP_RETURN_CODE 77 LABELS lint)
ali3_tier(quick man/form man/options man/tables)

# Addresses in the pages, and libali3(3) with its example.
set(example ${CMAKE_CURRENT_BINARY_DIR}/libali3_example.c)
add_custom_command(OUTPUT ${example} VERBATIM
  COMMAND ${Python3_EXECUTABLE} -B ${man}/library.py --example ${PROJECT_SOURCE_DIR} > ${example}
  DEPENDS ${man}/library.py ${PROJECT_SOURCE_DIR}/tools/man/libali3.3)
add_executable(test_man_library ${example})
target_link_libraries(test_man_library PRIVATE ali3)
set_target_properties(test_man_library PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME man/addresses COMMAND ${when_built} $<TARGET_FILE:ali3d> -- ${Python3_EXECUTABLE} -B ${man}/addresses.py $<TARGET_FILE:ali3d> ${PROJECT_SOURCE_DIR})
add_test(NAME man/library COMMAND ${when_built} $<TARGET_FILE:test_man_library> -- ${Python3_EXECUTABLE} -B ${man}/library.py ${PROJECT_SOURCE_DIR}
         ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:test_man_library>)
set_tests_properties(man/addresses man/library PROPERTIES SKIP_RETURN_CODE 77 LABELS lint)
ali3_tier(quick man/addresses man/library)
