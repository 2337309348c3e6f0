# SPDX-License-Identifier: MIT
# ali3-import, and its models beside an oracle in Python. corpus.py and compare.py also take the files of public collections.
add_test(NAME import/rules COMMAND ${CMAKE_COMMAND} -E env ALI3_LIBRARY=$<TARGET_FILE:ali3_shared> ALI3D=$<TARGET_FILE:ali3d>
         ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/import/test_import.py ${CMAKE_BINARY_DIR}/bin)
ali3_tier(quick import/rules)
