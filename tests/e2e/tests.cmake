# SPDX-License-Identifier: MIT
# End to end: the real programs, from the outside. One at a time, since the daemons would take each other's processor.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(name motion commands faults lifecycle monitor screen doctor exporter exporter_load side_by_side)
  add_test(NAME e2e/${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_${name}.py ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(e2e/${name} PROPERTIES TIMEOUT 180 SKIP_RETURN_CODE 77 RUN_SERIAL ON LABELS e2e
                                              ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
