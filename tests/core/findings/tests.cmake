# SPDX-License-Identifier: MIT
add_test(NAME findings/findings
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_findings.py $<TARGET_FILE:ali3d>
         $<TARGET_FILE:ali3-sim>)
ali3_tier(system findings/findings)
