# SPDX-License-Identifier: MIT
# libali3 as another program has it.
if(NOT CMAKE_CROSSCOMPILING)
  add_test(NAME consumer/abi COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/abi.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(consumer/abi PROPERTIES SKIP_RETURN_CODE 77)
  ali3_tier(quick consumer/abi)
endif()
if(NOT ALI3_SANITIZE AND NOT CMAKE_CROSSCOMPILING) # the library of a sanitizer's build needs its run-time library
  add_test(NAME consumer/consumer COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_consumer.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  ali3_tier(system consumer/consumer)
  ali3_computes(consumer/consumer)
endif()
