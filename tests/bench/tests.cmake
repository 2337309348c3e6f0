# SPDX-License-Identifier: MIT
add_test(NAME bench/bench COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/bench/test_bench.py $<TARGET_FILE:ali3-bench>
  ${PROJECT_SOURCE_DIR}/config/models)
set(bench ${PROJECT_SOURCE_DIR}/tools/ali3-bench)
ali3_test(bench cases TIER system SOURCES ${bench}/cases.c ${bench}/cases_built.c ${bench}/parts.c LINK ali3_rt ali3_state PkgConfig::JANSSON m)
target_include_directories(test_bench_cases PRIVATE ${bench})
# 8 random mechanisms; bench/all_bands has 40, and soak/bands 1000.
ali3_test(bench bands SOURCES ${bench}/parts.c LINK ali3_rt ali3_state m)
target_include_directories(test_bench_bands PRIVATE ${bench})
add_test(NAME bench/all_bands COMMAND test_bench_bands 40)
ali3_tier(system bench/all_bands)
add_test(NAME soak/bands CONFIGURATIONS soak COMMAND test_bench_bands 1000)
ali3_tier(soak soak/bands)
ali3_tier(system bench/bench)
set_property(TEST bench/bench APPEND PROPERTY ENVIRONMENT ALI3_SANITIZE=${ALI3_SANITIZE})
ali3_spins(bench/bands bench/all_bands)
