# SPDX-License-Identifier: MIT
foreach(name check flat model names spec_fields)
  ali3_test(model ${name} LINK test_core)
endforeach()

add_test(NAME model/coordinates COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_coordinates.py $<TARGET_FILE:ali3-sim>)
ali3_tier(quick model/coordinates)
