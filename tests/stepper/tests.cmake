# SPDX-License-Identifier: MIT
ali3_test(stepper reference SOURCES common/table.c LINK ali3_config m)
ali3_test(stepper small_mass SOURCES common/table.c common/toys.c LINK ali3_stepper m)
ali3_test(stepper body_kernels SOURCES stepper/scene.c LINK ali3_stepper m)
ali3_test(stepper link_kernels SOURCES stepper/scene.c LINK ali3_stepper m)
ali3_test(stepper norms LINK ali3_stepper m)
foreach(name carried carried_ratio carried_rods carried_shares carried_start data drives forces contacts friction stops freeze layout
             inner loads assemble coordinate found pulled reset rotors sensor step tips violation)
  ali3_test(stepper ${name} SOURCES common/toys.c LINK ali3_stepper m)
endforeach()
ali3_test(stepper redundant SOURCES common/toys.c LINK ali3_mechanics m)
ali3_test(stepper quiet SOURCES common/toys.c LINK ali3_rt m)
ali3_test(stepper extrapolate SOURCES common/toys.c LINK ali3_stepper ali3_rt m)
ali3_test(stepper stage SOURCES common/toys.c common/heap.c LINK ali3_config ali3_rt m)

# libali3 as another program sees it: the public headers and one library.
add_executable(test_stepper_example stepper/example.c)
target_link_libraries(test_stepper_example PRIVATE ali3)
set_target_properties(test_stepper_example PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME stepper/example COMMAND test_stepper_example)
set_tests_properties(stepper/example PROPERTIES
  TIMEOUT 60 PASS_REGULAR_EXPRESSION "^ok at 10.00 s: lower at -?[01].[0-9]* -?[01].[0-9]* -?[01].[0-9]* m, energy [0-9].[0-9]e-0[2-9] J off")
ali3_tier(quick stepper/example)

# Getters and setters with their asserts, whatever the build type: these objects take the place of those in the library.
ali3_test(stepper contracts SOURCES common/toys.c ../src/stepper/data.c ../src/stepper/sensor.c LINK ali3_stepper m)
target_compile_options(test_stepper_contracts PRIVATE -UNDEBUG)
