# SPDX-License-Identifier: MIT
if(NOT ALI3_SANITIZE AND NOT CMAKE_CROSSCOMPILING) # Python loads the object, which then needs the run-time library of a sanitizer
  add_test(NAME fmi/fmu COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/fmi/test_fmu.py $<TARGET_FILE:ali3-fmu> $<TARGET_FILE:ali3-sim>
           ${PROJECT_SOURCE_DIR})
  ali3_tier(system fmi/fmu)
endif()
