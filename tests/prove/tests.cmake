# SPDX-License-Identifier: MIT
# Proofs. tests/run --prove runs all of them; a proof that takes seconds is an ordinary test, too.
add_executable(prove_states prove/states.c prove/world.c)
target_link_libraries(prove_states PRIVATE ali3_daemon)
foreach(function aligned_zalloc clock_now_ns clock_boot_ns usage_now ali3_step)
  target_link_options(prove_states PRIVATE -Wl,--wrap=${function})
endforeach()
set_target_properties(prove_states PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME prove/states COMMAND prove_states --quick)
ali3_tier(quick prove/states)
