# SPDX-License-Identifier: MIT
# Rules of the source tree and of the built programs.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(lint ${CMAKE_CURRENT_SOURCE_DIR}/lint)
add_test(NAME lint/tree COMMAND ${Python3_EXECUTABLE} ${lint}/tree.py ${PROJECT_SOURCE_DIR})
add_test(NAME lint/format COMMAND ${lint}/format ${PROJECT_SOURCE_DIR})
add_test(NAME lint/clang COMMAND ${Python3_EXECUTABLE} ${lint}/clang.py ${CMAKE_BINARY_DIR})
add_test(NAME lint/calls COMMAND ${Python3_EXECUTABLE} ${lint}/calls.py $<TARGET_FILE:ali3d> ${lint}/calls.txt)
set(names lint/tree lint/format lint/clang lint/calls)
if(ALI3_TIDY)
  add_test(NAME lint/tidy COMMAND ${Python3_EXECUTABLE} ${lint}/clang.py ${CMAKE_BINARY_DIR} --tidy)
  list(APPEND names lint/tidy)
endif()
set_tests_properties(${names} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 LABELS lint)
