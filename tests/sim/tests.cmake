# SPDX-License-Identifier: MIT
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME sim/sim COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_sim.py $<TARGET_FILE:ali3-sim>)
set_tests_properties(sim/sim PROPERTIES TIMEOUT 120)
# The same bits with and without workers, for every model that is shipped.
add_test(NAME sim/workers COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/digests --steps 60 --workers 0,2
         $<TARGET_FILE:ali3-sim>)
set_tests_properties(sim/workers PROPERTIES TIMEOUT 300)
