# SPDX-License-Identifier: MIT
if(NOT ALI3_SANITIZE AND NOT CMAKE_CROSSCOMPILING) # Python loads the object, which then needs the run-time library of a sanitizer
  add_test(NAME fmi/fmu COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/fmi/test_fmu.py $<TARGET_FILE:ali3-fmu> $<TARGET_FILE:ali3-sim>
           ${PROJECT_SOURCE_DIR} $<TARGET_FILE:test_fmi_brake>)
  ali3_tier(system fmi/fmu)
  ali3_computes(fmi/fmu)
endif()

# A small FMU, good and bad, for tests of importers.
add_library(test_fmi_brake MODULE fmi/brake.c)
target_include_directories(test_fmi_brake PRIVATE ${PROJECT_SOURCE_DIR}/src/io)
target_link_libraries(test_fmi_brake PRIVATE m)
set_target_properties(test_fmi_brake PROPERTIES PREFIX "" OUTPUT_NAME brake LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
