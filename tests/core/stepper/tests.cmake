# SPDX-License-Identifier: MIT
foreach(name user_laws bushings carried carried_ratio carried_rods carried_shares contacts coordinate data drives dropped energy equations explicit extrapolate forces found
             freeze friction inner loads pulled ranges rotors sensor step stops turns violation)
  ali3_test(stepper ${name} SOURCES common/toys.c LINK test_core)
endforeach()
# Seconds of motion at many stiffnesses, rates and positions: they would be half of the quick tier.
foreach(name fast governor singular)
  ali3_test(stepper ${name} TIER system SOURCES common/toys.c LINK test_core)
endforeach()
ali3_test(stepper norms LINK test_core)
ali3_test(stepper redundant SOURCES common/toys.c LINK test_core)
ali3_test(stepper small_mass SOURCES common/table.c common/toys.c LINK test_core)
ali3_test(stepper retry SOURCES common/toys.c fuzz/linkage.c fuzz/linkage_kinds.c LINK test_core)
ali3_test(stepper jointed SOURCES common/toys.c fuzz/linkage.c fuzz/linkage_kinds.c LINK test_core)
ali3_test(stepper flat SOURCES common/toys.c fuzz/linkage.c fuzz/linkage_kinds.c LINK test_core)
ali3_test(stepper unfelt SOURCES common/toys.c fuzz/linkage.c fuzz/linkage_kinds.c LINK test_core)

# libali3 as another program sees it: the public headers and one library.
add_executable(test_stepper_example core/stepper/example.c)
target_link_libraries(test_stepper_example PRIVATE ali3)
set_target_properties(test_stepper_example PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME stepper/example COMMAND test_stepper_example)
set_tests_properties(stepper/example PROPERTIES
  PASS_REGULAR_EXPRESSION "^ok at 10.00 s: lower at -?[01].[0-9]* -?[01].[0-9]* -?[01].[0-9]* m, energy [0-9].[0-9]e-0[2-9] J off")
ali3_tier(quick stepper/example)

# Getters and setters with their asserts, whatever the build type: these objects take the place of those in the library.
ali3_test(stepper contracts SOURCES common/toys.c ../src/core/stepper/data.c ../src/core/stepper/sensor.c LINK test_core)
target_compile_options(test_stepper_contracts PRIVATE -UNDEBUG)
