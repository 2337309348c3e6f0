# SPDX-License-Identifier: MIT
# End-to-end tests of the real programs.

# ali3_e2e_part(TIER NAME FILE CLASS...): these classes of test_FILE.py as the test NAME; no class: all of them. The folder of the
# programs is the argument of the file.
function(ali3_e2e_part tier name file)
  add_test(NAME e2e/${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_${file}.py ${CMAKE_BINARY_DIR}/bin
           ${ARGN})
  set_tests_properties(e2e/${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS e2e
                                              ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;ALI3_SANITIZE=${ALI3_SANITIZE}")
  ali3_tier(${tier} e2e/${name})
endfunction()

# ali3_e2e(TIER NAME...): test_NAME.py as the test NAME.
function(ali3_e2e tier)
  foreach(name IN LISTS ARGN)
    ali3_e2e_part(${tier} ${name} ${name})
  endforeach()
endfunction()

# Values, states, texts and exit statuses: every wait is for an event, and time only bounds a failure. The longest tests come
# first, because they decide when the tier ends.
ali3_e2e(system link readme platform rig jog rig_wires service kill_peers exporter view freshness restart modbus_peers lifecycle clocking screen limits unasked refusals
                vehicle record replay stimulus live osc commands devices packets withheld manners modbus doctor monitor latency motion network strangers hexapod rig_model)
ali3_e2e(system triggers record_orders recorder_trouble hostile link_fmu)

# Each guide by itself: they wait for seconds that a person would watch.
ali3_e2e_part(system guides guides TestReader TestGuides.test_form TestGuides.test_every_guide_is_followed)
file(GLOB guides CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/config/guides/*.md)
foreach(guide IN LISTS guides)
  get_filename_component(guide ${guide} NAME_WE)
  string(REPLACE - _ guide ${guide})
  ali3_e2e_part(system guide_${guide} guides TestGuides.test_${guide})
  set_tests_properties(e2e/guide_${guide} PROPERTIES COST 900)
endforeach()

# Files with a class for each tier.
ali3_e2e_part(system threads threads Threads)
ali3_e2e_part(system link_frames link_frames Frames)
ali3_e2e(system demo)
ali3_e2e_part(system side_by_side_usage side_by_side Usage Percentile)

set_tests_properties(e2e/record PROPERTIES COST 960) # it waits for more than a minute, so it starts first
ali3_computes(e2e/hostile)

# The false blocks of strangers would show in the pages of an exporter of all instances.
set_tests_properties(e2e/exporter e2e/strangers PROPERTIES RESOURCE_LOCK shared_memory)

ali3_e2e(timing causes)        # the cause that the daemon gives for a missed deadline
ali3_e2e(timing culprits)      # the thread or interrupt that the kernel names for a miss
ali3_e2e(timing faults)        # misses with faulty clients, beside a calm phase
ali3_e2e(timing exporter_load) # misses under 1000 requests a second, beside a calm phase
ali3_e2e(timing view_load)    # misses beside eight streams of ali3-view and a flood of requests
ali3_e2e(timing wallclock)     # misses while the wall clock jumps, beside a calm phase
ali3_e2e(timing fuzz_live)     # misses while every input is malformed
ali3_e2e(timing subscribers)   # misses and time for each of eight subscribers
ali3_e2e_part(timing system_calls threads SystemCalls) # strace slows the loop down, which must not look like a stuck loop
ali3_e2e(timing flood_ages)    # ages of inputs, and times from e-stop to SAFE, in milliseconds
ali3_e2e(timing modbus_storm)  # latency of a client beside a storm of connections
ali3_e2e(timing swaps)         # misses while parameters change, beside a calm phase
ali3_e2e_part(timing link_misses link_frames Misses) # misses beside an FMU that works, hangs and dies

# Limits of time of tests of the tier system, judged.
ali3_e2e_part(timing plc_in_time guides TestGuides.test_plc_cylinder)
ali3_e2e_part(timing modbus_in_time modbus Answers.test_illegal_requests_are_answered Answers.test_a_stalled_half_frame_stalls_nobody)
ali3_e2e_part(timing modbus_peers_in_time modbus_peers Peers.test_values_age_while_the_process_is_stopped)
ali3_e2e_part(timing platform_in_time platform Platform.test_it_follows_the_states_of_the_daemon Platform.test_it_is_parked_before_the_end)
ali3_waits(e2e/platform_in_time e2e/plc_in_time e2e/link_misses e2e/modbus_peers_in_time)

# Long runs, by tests/run --tier soak.
add_test(NAME soak/kill_peers CONFIGURATIONS soak
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/kill_peers --bin ${CMAKE_BINARY_DIR}/bin)
add_test(NAME soak/estop CONFIGURATIONS soak
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/soak_estop.py ${CMAKE_BINARY_DIR}/bin)
add_test(NAME soak/rig CONFIGURATIONS soak
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_rig.py ${CMAKE_BINARY_DIR}/bin 200)
add_test(NAME soak/view CONFIGURATIONS soak
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/soak_view.py ${CMAKE_BINARY_DIR}/bin)
add_test(NAME soak/page CONFIGURATIONS soak # with a browser, which draws for minutes without a graphics card
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_page.py ${CMAKE_BINARY_DIR}/bin)
add_test(NAME soak/record CONFIGURATIONS soak # 200 kills, and 500 power cuts
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_record.py ${CMAKE_BINARY_DIR}/bin Losses)
add_test(NAME soak/recorder_trouble CONFIGURATIONS soak # a disk that hangs for 15 s or is full for a minute, a stop of 30 s, floods
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_recorder_trouble.py ${CMAKE_BINARY_DIR}/bin)
add_test(NAME soak/replay CONFIGURATIONS soak # the demo with everything that can happen, under each overrun policy
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/soak_replay.py ${CMAKE_BINARY_DIR}/bin)
add_test(NAME soak/demo CONFIGURATIONS soak # lag of a platform behind a car that a script drives in real time
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_demo.py ${CMAKE_BINARY_DIR}/bin Demo)
add_test(NAME soak/link CONFIGURATIONS soak # 10 000 steps with 10 and 30 % of datagrams lost, and a pause of a minute
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/soak_link.py ${CMAKE_BINARY_DIR}/bin)
add_test(NAME soak/side_by_side CONFIGURATIONS soak # with stress-ng on every processor
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/e2e/test_side_by_side.py ${CMAKE_BINARY_DIR}/bin Script)
set_tests_properties(soak/rig soak/demo PROPERTIES ENVIRONMENT ALI3_JUDGE_TIMES=1)
set_tests_properties(soak/record PROPERTIES ENVIRONMENT "ALI3_RECORD_KILLS=200;ALI3_RECORD_CUTS=500;ALI3_JUDGE_TIMES=1")
set_tests_properties(soak/recorder_trouble PROPERTIES ENVIRONMENT "ALI3_RECORDER_SOAK=1;ALI3_JUDGE_TIMES=1")
set(soaks soak/kill_peers soak/estop soak/rig soak/view soak/page soak/record soak/recorder_trouble soak/replay soak/demo soak/side_by_side soak/link)
set_tests_properties(${soaks} PROPERTIES TIMEOUT 3600 SKIP_RETURN_CODE 77)
set_tests_properties(soak/link PROPERTIES TIMEOUT 14400)
ali3_tier(soak ${soaks})

# The daemon with a loop that gets stuck.
add_executable(ali3d_stuck e2e/stuck.c ${PROJECT_SOURCE_DIR}/src/daemon/daemon/main.c)
target_link_libraries(ali3d_stuck PRIVATE ali3_daemon)
target_link_options(ali3d_stuck PRIVATE -Wl,--wrap=signals_observe)
set_target_properties(ali3d_stuck PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_library(test_e2e_wallclock MODULE e2e/wallclock.c)
target_link_libraries(test_e2e_wallclock PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(test_e2e_wallclock PROPERTIES
  PREFIX "" OUTPUT_NAME wallclock LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_library(test_e2e_writes MODULE e2e/writes.c)
target_link_libraries(test_e2e_writes PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(test_e2e_writes PROPERTIES
  PREFIX "" OUTPUT_NAME writes LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_library(test_e2e_slow_disk MODULE e2e/slow_disk.c)
target_link_libraries(test_e2e_slow_disk PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(test_e2e_slow_disk PROPERTIES
  PREFIX "" OUTPUT_NAME slow_disk LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_library(test_e2e_slow_watch MODULE e2e/slow_watch.c)
target_link_libraries(test_e2e_slow_watch PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(test_e2e_slow_watch PROPERTIES
  PREFIX "" OUTPUT_NAME slow_watch LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_library(test_e2e_taken_lock MODULE e2e/taken_lock.c)
set_target_properties(test_e2e_taken_lock PROPERTIES
  PREFIX "" OUTPUT_NAME taken_lock LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_library(test_e2e_no_copy MODULE e2e/no_copy.c)
target_link_libraries(test_e2e_no_copy PRIVATE PkgConfig::HDF5)
set_target_properties(test_e2e_no_copy PROPERTIES
  PREFIX "" OUTPUT_NAME no_copy LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_executable(test_held_up e2e/held_up.c)
target_link_libraries(test_held_up PRIVATE Threads::Threads)
set_target_properties(test_held_up PROPERTIES OUTPUT_NAME held_up RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# The daemon with faults in it, for test_causes.py.
add_executable(ali3d-broken e2e/broken.c ${PROJECT_SOURCE_DIR}/src/daemon/daemon/main.c)
target_link_libraries(ali3d-broken PRIVATE ali3_daemon)
foreach(function main clock_sleep_until_ns inputs_latch ali3_step ali3_prepare signals_observe tree_condense_groups)
  target_link_options(ali3d-broken PRIVATE -Wl,--wrap=${function})
endforeach()
set_target_properties(ali3d-broken PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
