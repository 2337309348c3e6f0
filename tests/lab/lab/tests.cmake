# SPDX-License-Identifier: MIT
foreach(name absolute em forces index1 links natural product reactions)
  ali3_test(lab ${name} SOURCES lab/lab/mechanism.c LINK ali3_lab m)
endforeach()
foreach(name lab methods paper2 tables)
  add_test(NAME lab/${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py $<TARGET_FILE:ali3-lab>)
  ali3_tier(system lab/${name})
endforeach()
set_tests_properties(lab/methods PROPERTIES COST 700) # half a minute of computing, not at the end of the tier
