# SPDX-License-Identifier: MIT
# ali3-import, and its models beside an oracle in Python. corpus.py, compare.py and mujoco.py also take the files of public collections.
# Where libmujoco is installed (Debian package libmujoco-dev), the oracle is compared with it.
find_path(ALI3_MUJOCO_HEADERS mujoco/mujoco.h)
find_library(ALI3_MUJOCO_LIBRARY mujoco)
mark_as_advanced(ALI3_MUJOCO_HEADERS ALI3_MUJOCO_LIBRARY)
set(with_mujoco "")
if(ALI3_MUJOCO_HEADERS AND ALI3_MUJOCO_LIBRARY AND NOT ALI3_SANITIZE) # a library is loaded before all others
  add_executable(with_mujoco ${CMAKE_CURRENT_SOURCE_DIR}/import/with_mujoco.c)
  target_include_directories(with_mujoco SYSTEM PRIVATE ${ALI3_MUJOCO_HEADERS})
  target_link_libraries(with_mujoco PRIVATE ${ALI3_MUJOCO_LIBRARY})
  set_target_properties(with_mujoco PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_library(no_mujoco MODULE ${CMAKE_CURRENT_SOURCE_DIR}/import/no_mujoco.c)
  set_target_properties(no_mujoco PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(no_mujoco PRIVATE ${CMAKE_DL_LIBS})
  set(with_mujoco WITH_MUJOCO=$<TARGET_FILE:with_mujoco> NO_MUJOCO=$<TARGET_FILE:no_mujoco>)
endif()
if(NOT ALI3_SANITIZE) # Python is built without it
  set(with_library ALI3_LIBRARY=$<TARGET_FILE:ali3_shared>)
endif()
add_test(NAME import/rules COMMAND ${CMAKE_COMMAND} -E env ${with_library} ALI3D=$<TARGET_FILE:ali3d> ${with_mujoco}
         ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/import/test_import.py ${CMAKE_BINARY_DIR}/bin)
ali3_tier(quick import/rules)
# A host without libmujoco, as tools/quickstart prepares it: the sources of ali3-import compile there, too.
add_test(NAME import/without_mujoco COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/import/without_mujoco ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/tests/without_mujoco)
ali3_tier(system import/without_mujoco)
