# SPDX-License-Identifier: MIT
foreach(name absolute em float forces index1 links natural product reactions)
  ali3_test(formulations ${name} SOURCES lab/formulations/mechanism.c LINK ali3_formulations m)
endforeach()
foreach(name lab methods paper2)
  add_test(NAME lab/${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py $<TARGET_FILE:ali3-lab>)
  ali3_tier(system lab/${name})
endforeach()
set_tests_properties(lab/methods PROPERTIES COST 700) # half a minute of computing, not at the end of the tier
# Every table holds, and two of them fail with a wrong mechanism; soak/tables changes the mechanisms of all of them, for minutes.
set(tables ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_tables.py $<TARGET_FILE:ali3-lab>)
add_test(NAME lab/tables COMMAND ${tables} Tables.test_every_table_at_once Tables.test_paper_1 Tables.test_paper_5)
add_test(NAME soak/tables CONFIGURATIONS soak COMMAND ${tables})
ali3_tier(system lab/tables)
ali3_tier(soak soak/tables)
