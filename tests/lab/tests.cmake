# SPDX-License-Identifier: MIT
find_package(Python3 REQUIRED COMPONENTS Interpreter)
ali3_test(lab natural SOURCES lab/mechanism.c LINK ali3_lab m)
add_test(NAME lab/lab COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/lab/test_lab.py $<TARGET_FILE:ali3-lab>)
set_tests_properties(lab/lab PROPERTIES TIMEOUT 300)
