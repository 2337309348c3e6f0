# SPDX-License-Identifier: MIT
# Fuzz targets: programs that give any bytes to what reads input from outside. In the ordinary build each runs the files of its
# corpus and inputs made from them by seeded edits (known_inputs.c), with sanitizers where the build has them. tests/fuzz/run builds
# them with libFuzzer and looks for new inputs; a long run of all of them is a soak.
set(tools ${PROJECT_SOURCE_DIR}/tools)
set(view ${tools}/ali3-view)
set(exporter ${tools}/ali3-exporter)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/fuzz_leaks "leak:libfyaml.so\n") # libfyaml 0.7 loses a buffer on some texts that are no YAML
if(ALI3_FUZZ)
  add_custom_target(fuzz)
endif()

# ali3_fuzz_program(PROGRAM): builds it where its build has its programs. A build for libFuzzer makes those that are asked for.
function(ali3_fuzz_program program)
  target_include_directories(${program} PRIVATE ${ali3_test_headers})
  if(ALI3_FUZZ)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz EXCLUDE_FROM_ALL ON)
    add_dependencies(fuzz ${program})
  else()
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  endif()
endfunction()

# ali3_fuzz(TARGET INPUTS LINK ... [SOURCES ...] [HEADERS ...]): builds fuzz_TARGET.c, which links no more than it calls. INPUTS:
# number of edited inputs that the test makes.
function(ali3_fuzz target inputs)
  cmake_parse_arguments(ARG "" "" "LINK;SOURCES;HEADERS" ${ARGN})
  set(program fuzz_${target})
  add_executable(${program} fuzz/fuzz_${target}.c ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE ${ARG_LINK})
  target_include_directories(${program} PRIVATE ${ARG_HEADERS})
  target_compile_options(${program} PRIVATE ${ali3_flags_tests})
  target_compile_definitions(${program} PRIVATE FUZZ_CONFIG="${CMAKE_CURRENT_SOURCE_DIR}/fuzz/bench.yaml")
  ali3_fuzz_program(${program})
  if(ALI3_FUZZ)
    target_compile_options(${program} PRIVATE ${ali3_flags_fuzz})
    target_link_options(${program} PRIVATE ${ali3_flags_fuzz})
  else()
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:fuzz_known_inputs>)
    add_test(NAME fuzz/${target} COMMAND ${program} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target} ${inputs})
    set_tests_properties(fuzz/${target} PROPERTIES LABELS fuzz
                                                   ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_BINARY_DIR}/fuzz_leaks:print_suppressions=0")
    ali3_tier(system fuzz/${target})
  endif()
endfunction()
if(NOT ALI3_FUZZ)
  add_library(fuzz_known_inputs OBJECT fuzz/known_inputs.c)
endif()

ali3_fuzz(osc 40000 LINK ali3_config ali3_osc SOURCES fuzz/bench.c)
ali3_fuzz(modbus 60000 LINK ali3_config ali3_modbus_server SOURCES fuzz/bench.c)
ali3_fuzz(config 8000 LINK ali3_config SOURCES fuzz/bench.c)
ali3_fuzz(osc_parse 300000 LINK ali3_osc)
ali3_fuzz(mbap 300000 LINK ali3_modbus_server)
ali3_fuzz(rtu 300000 LINK ali3_modbus_server)
ali3_fuzz(flat 50000 LINK ali3_state)
ali3_fuzz(state 20000 LINK ali3_state)
ali3_fuzz(view 200000 LINK ali3_telemetry ali3_transport PkgConfig::LO
  SOURCES ${view}/control.c ${view}/query.c ${view}/rights.c ${tools}/http/host.c
  HEADERS ${view} ${exporter} ${tools})
ali3_fuzz(expand 8000 LINK ali3_config)
ali3_fuzz(mesh 200000 LINK ali3_mesh)
ali3_fuzz(stimulus 40000 LINK ali3_inputs)
ali3_fuzz(packet 300000 LINK ali3_packets m)
ali3_fuzz(line 30000 LINK ali3_packets)
ali3_fuzz(device 3000 LINK ali3_modbus_client m)
ali3_fuzz(block 3000 LINK ali3_telemetry)
ali3_fuzz(ring 40000 LINK ali3_frames)
ali3_fuzz(description 15000 LINK ali3_telemetry ali3_transport PkgConfig::LO
  SOURCES ${view}/control.c ${exporter}/oscquery.c
  HEADERS ${view} ${exporter})
ali3_fuzz(scene 60000 LINK ali3_scene ali3_mesh ali3_state
  SOURCES ${tools}/page/meshes.c
  HEADERS ${tools})
ali3_fuzz(restart 60000 LINK ali3_restart)
ali3_fuzz(params 40000 LINK ali3_parameters m)
ali3_fuzz(sweep 20000 LINK ali3_command ali3_yaml m
  SOURCES ${tools}/ali3-sim/sweep.c
  HEADERS ${tools}/ali3-sim ${tools})
ali3_fuzz(merge 20000 LINK ali3_command ali3_outfile ali3_config ali3_loop PkgConfig::HDF5
  SOURCES ${tools}/common/shards.c ${tools}/ali3-sim/results.c
  HEADERS ${tools}/ali3-sim ${tools})
ali3_fuzz(import 20000 LINK ali3_import)
ali3_fuzz(mjcf 1000 LINK ali3_import)
ali3_fuzz(link 6000 LINK ali3_fmus ali3_config PkgConfig::JANSSON m
  SOURCES ${tools}/ali3-link/file.c ${tools}/ali3-link/wires.c ${tools}/ali3-link/fmu_names.c
  HEADERS ${tools}/ali3-link ${tools})

# Random mechanisms of which all is known: a program of its own.
add_executable(fuzz_mechanisms fuzz/mechanisms.c fuzz/linkage.c fuzz/linkage_kinds.c)
target_include_directories(fuzz_mechanisms PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
target_link_libraries(fuzz_mechanisms PRIVATE ali3_mechanics ali3_state ali3_together m)
ali3_fuzz_program(fuzz_mechanisms)
if(NOT ALI3_FUZZ)
  add_test(NAME fuzz/mechanisms COMMAND fuzz_mechanisms 1 300)
  add_test(NAME fuzz/explicit COMMAND fuzz_mechanisms 150 30 --explicit)
  add_test(NAME fuzz/lanes COMMAND fuzz_mechanisms 1 100 --lanes)
  set_tests_properties(fuzz/mechanisms fuzz/explicit fuzz/lanes PROPERTIES LABELS fuzz)
  ali3_tier(system fuzz/mechanisms fuzz/explicit fuzz/lanes)
  add_test(NAME soak/fuzz CONFIGURATIONS soak COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/run --soak 1e8)
  set_tests_properties(soak/fuzz PROPERTIES LABELS fuzz SKIP_RETURN_CODE 77 TIMEOUT 28800
                                            ENVIRONMENT "ALI3_FUZZ_BUILD=${CMAKE_BINARY_DIR}/fuzz")
  ali3_tier(soak soak/fuzz)
endif()
