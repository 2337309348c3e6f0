# SPDX-License-Identifier: MIT
# Proofs. tests/run --prove runs all of them; a proof that takes seconds is an ordinary test, too.
add_executable(prove_states prove/states.c prove/world.c prove/box.c)
add_executable(prove_motion prove/motion.c prove/box.c)
target_link_options(prove_states PRIVATE -Wl,--wrap=ali3_step -Wl,--wrap=ring_init -Wl,--wrap=book_clear)
foreach(program prove_states prove_motion)
  target_link_libraries(${program} PRIVATE ali3_daemon)
  foreach(function aligned_zalloc clock_now_ns clock_boot_ns usage_now)
    target_link_options(${program} PRIVATE -Wl,--wrap=${function})
  endforeach()
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endforeach()
add_test(NAME prove/states COMMAND prove_states --quick)
add_test(NAME prove/motion COMMAND prove_motion ${CMAKE_CURRENT_SOURCE_DIR}/prove/motion.yaml --quick)
ali3_tier(system prove/states) # seconds
ali3_tier(quick prove/motion)
add_test(NAME prove/eva_names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/prove/prove_eva --check)
ali3_tier(quick prove/eva_names)
