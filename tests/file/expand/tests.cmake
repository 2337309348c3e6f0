# SPDX-License-Identifier: MIT
ali3_test(expand expression LINK ali3_expand)
ali3_test(expand pairs LINK ali3_config)
add_test(NAME expand/runs COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_runs.py $<TARGET_FILE:ali3d>
         $<TARGET_FILE:ali3-sim>)
ali3_tier(system expand/runs)
