# SPDX-License-Identifier: MIT
foreach(name check flat model names)
  ali3_test(model ${name} LINK test_core)
endforeach()

add_test(NAME model/coordinates COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/model/test_coordinates.py $<TARGET_FILE:ali3-sim>)
set_tests_properties(model/coordinates PROPERTIES TIMEOUT 60)
ali3_tier(quick model/coordinates)
