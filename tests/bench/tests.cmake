# SPDX-License-Identifier: MIT
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME bench/bench COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/bench/test_bench.py $<TARGET_FILE:ali3-bench>)
set_tests_properties(bench/bench PROPERTIES TIMEOUT 120)
