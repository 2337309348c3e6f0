# SPDX-License-Identifier: MIT
add_test(NAME draw/draw COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_draw.py $<TARGET_FILE:ali3d>)
ali3_tier(quick draw/draw)
