# SPDX-License-Identifier: MIT
# Rules of the source tree and of the built programs.
set(lint ${CMAKE_CURRENT_SOURCE_DIR}/lint)
# Programs and libraries that a check reads stand before --: on a tree that is not built, the check is skipped.
set(when_built ${lint}/when_built)
foreach(program ali3d ali3-top ali3-exporter ali3-sim ali3-bench ali3-doctor ali3-latency ali3-record ali3-replay ali3-omct ali3-lab ali3-view ali3-fmu ali3-import ali3-link)
  list(APPEND programs $<TARGET_FILE:${program}>)
endforeach()
add_test(NAME lint/tree COMMAND ${Python3_EXECUTABLE} ${lint}/tree.py ${PROJECT_SOURCE_DIR})
add_test(NAME lint/names COMMAND ${Python3_EXECUTABLE} ${lint}/names.py ${PROJECT_SOURCE_DIR})
add_test(NAME lint/prose COMMAND ${Python3_EXECUTABLE} ${lint}/prose.py ${PROJECT_SOURCE_DIR})
add_test(NAME lint/format COMMAND ${lint}/format ${PROJECT_SOURCE_DIR})
add_test(NAME lint/clang COMMAND ${when_built} ${programs} $<TARGET_FILE:test_man_library> -- ${Python3_EXECUTABLE} ${lint}/clang.py ${CMAKE_BINARY_DIR})
add_test(NAME lint/calls COMMAND ${when_built} $<TARGET_FILE:ali3d> -- ${Python3_EXECUTABLE} ${lint}/calls.py $<TARGET_FILE:ali3d> ${lint}/calls.txt)
add_test(NAME lint/stack COMMAND ${when_built} $<TARGET_FILE:ali3d> -- ${Python3_EXECUTABLE} ${lint}/stack.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/src
         $<TARGET_FILE:ali3d> ${lint}/calls.txt)
set(loop_libraries base math hexapod envelope cueing platform rig jog model measure actuators dynamics articulated dca condensation layout kernels stepper assembly state mechanics linear together findings rt signals inputs telemetry frames machine workers loop)
list(TRANSFORM loop_libraries REPLACE "(.+)" "$<TARGET_FILE:ali3_\\1>")
add_test(NAME lint/symbols COMMAND ${when_built} ${loop_libraries} -- ${Python3_EXECUTABLE} ${lint}/symbols.py ${lint}/symbols.txt ${loop_libraries})
get_property(all_libraries GLOBAL PROPERTY ali3_layers)
get_property(tool_libraries DIRECTORY ${PROJECT_SOURCE_DIR}/tools PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER tool_libraries INCLUDE REGEX "^ali3_")
list(TRANSFORM tool_libraries REPLACE "^ali3_" "")
list(APPEND all_libraries ${tool_libraries})
list(TRANSFORM all_libraries REPLACE "(.+)" "$<TARGET_FILE:ali3_\\1>")
add_test(NAME lint/circles COMMAND ${when_built} ${all_libraries} -- ${Python3_EXECUTABLE} ${lint}/circles.py ${all_libraries})
add_test(NAME lint/commands COMMAND ${when_built} ${programs} -- ${Python3_EXECUTABLE} ${lint}/commands.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
add_test(NAME lint/sentences COMMAND ${Python3_EXECUTABLE} ${lint}/sentences.py ${PROJECT_SOURCE_DIR})
add_test(NAME lint/waits COMMAND ${Python3_EXECUTABLE} ${lint}/waits.py ${PROJECT_SOURCE_DIR})
set(names lint/commands lint/sentences lint/waits lint/circles lint/tree lint/names lint/prose lint/format lint/clang lint/calls lint/stack lint/symbols)
add_test(NAME lint/hardened COMMAND ${when_built} ${programs} -- ${Python3_EXECUTABLE} ${lint}/hardened.py ${CMAKE_BINARY_DIR}/src ${programs})
list(APPEND names lint/hardened)
if(ALI3_TIDY)
  add_test(NAME lint/tidy COMMAND ${when_built} ${programs} -- ${Python3_EXECUTABLE} ${lint}/clang.py ${CMAKE_BINARY_DIR} --tidy)
  list(APPEND names lint/tidy)
endif()

# A test of these checks, with a program that breaks all of their rules.
add_executable(test_lint_breaches lint/breaches.c)
set_target_properties(test_lint_breaches PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_compile_options(test_lint_breaches PRIVATE -Wno-vla)
add_test(NAME lint/lint COMMAND ${when_built} $<TARGET_FILE:test_lint_breaches> -- ${Python3_EXECUTABLE} ${lint}/test_lint.py $<TARGET_FILE:test_lint_breaches>
         ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/test_lint_breaches.dir)
list(APPEND names lint/lint)

set_tests_properties(${names} PROPERTIES SKIP_RETURN_CODE 77 LABELS lint
                                         ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
set(compiled lint/clang lint/tidy) # they compile all sources once more
list(REMOVE_ITEM names ${compiled})
ali3_tier(quick ${names})
ali3_tier(system lint/clang)
ali3_computes(lint/clang)
if(ALI3_TIDY)
  ali3_tier(system lint/tidy)
  set_tests_properties(lint/tidy PROPERTIES TIMEOUT 7200 COST 970) # an hour of processor time, so it starts first
endif()
