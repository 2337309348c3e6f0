# SPDX-License-Identifier: MIT
# End to end: the real programs, from the outside. One at a time, since the daemons would take each other's processor.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# The daemon with a loop that stands still.
add_executable(ali3d_stuck e2e/stuck.c ${PROJECT_SOURCE_DIR}/src/daemon/main.c)
target_link_libraries(ali3d_stuck PRIVATE ali3_daemon)
target_link_options(ali3d_stuck PRIVATE -Wl,--wrap=signals_observe)
set_target_properties(ali3d_stuck PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

foreach(name motion commands restart platform withheld osc modbus modbus_peers devices packets freshness kill_peers fuzz_live network latency subscribers
             clocking flood_ages faults causes limits lifecycle service monitor strangers screen doctor exporter exporter_load threads wallclock side_by_side
             vehicle hexapod demo)
  add_test(NAME e2e/${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_${name}.py ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(e2e/${name} PROPERTIES TIMEOUT 180 SKIP_RETURN_CODE 77 RUN_SERIAL ON LABELS e2e
                                              ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;ALI3_SANITIZE=${ALI3_SANITIZE}")
endforeach()
add_library(test_e2e_wallclock MODULE e2e/wallclock.c)
target_link_libraries(test_e2e_wallclock PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(test_e2e_wallclock PROPERTIES
  PREFIX "" OUTPUT_NAME wallclock LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_executable(test_held_up e2e/held_up.c)
target_link_libraries(test_held_up PRIVATE Threads::Threads)
set_target_properties(test_held_up PROPERTIES OUTPUT_NAME held_up RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# The daemon with faults in it, for test_causes.py.
add_executable(ali3d-broken e2e/broken.c ${PROJECT_SOURCE_DIR}/src/daemon/main.c)
target_link_libraries(ali3d-broken PRIVATE ali3_daemon)
foreach(function main clock_sleep_until_ns inputs_latch ali3_step ali3_prepare signals_observe tree_condense_groups)
  target_link_options(ali3d-broken PRIVATE -Wl,--wrap=${function})
endforeach()
set_target_properties(ali3d-broken PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
