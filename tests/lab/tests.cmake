# SPDX-License-Identifier: MIT
foreach(name absolute em index1 natural product)
  ali3_test(lab ${name} SOURCES lab/mechanism.c LINK ali3_lab m)
endforeach()
add_test(NAME lab/lab COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/lab/test_lab.py $<TARGET_FILE:ali3-lab>)
set_tests_properties(lab/lab PROPERTIES TIMEOUT 300)
ali3_tier(system lab/lab)
