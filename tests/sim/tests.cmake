# SPDX-License-Identifier: MIT
add_test(NAME sim/sim COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_sim.py $<TARGET_FILE:ali3-sim>)
add_test(NAME sim/batch COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_batch.py $<TARGET_FILE:ali3-sim>)
add_test(NAME sim/linear COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_linear.py $<TARGET_FILE:ali3-sim> $<TARGET_FILE:ali3d>)
add_test(NAME sim/hydraulics COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_hydraulics.py $<TARGET_FILE:ali3-sim> $<TARGET_FILE:ali3d>)
add_test(NAME sim/tyre COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_tyre.py $<TARGET_FILE:ali3-sim> $<TARGET_FILE:ali3d>)
add_test(NAME sim/motor COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_motor.py $<TARGET_FILE:ali3-sim> $<TARGET_FILE:ali3d>)
# Every shipped model and reference has the same bits with 0 and 7 workers; system/stages has the numbers between.
add_test(NAME sim/workers COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/digests --steps 20 --workers 0,7
         $<TARGET_FILE:ali3-sim>)
ali3_tier(quick sim/linear)
ali3_tier(system sim/hydraulics sim/motor sim/tyre sim/sim sim/batch sim/workers)
set_property(TEST sim/batch APPEND PROPERTY ENVIRONMENT ALI3_SANITIZE=${ALI3_SANITIZE})
ali3_computes(sim/tyre sim/sim sim/batch sim/workers)

# A Slurm of one node, by tests/run --tier soak.
add_test(NAME soak/slurm CONFIGURATIONS soak
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/sim/test_slurm.py $<TARGET_FILE:ali3-sim>)
set_tests_properties(soak/slurm PROPERTIES SKIP_RETURN_CODE 77)
ali3_tier(soak soak/slurm)
