# SPDX-License-Identifier: MIT
foreach(name axis envelope hexapod pose filter tilt params washout tuning cueing soft glide states orders modes platform hour)
  ali3_test(platform ${name} LINK ali3_platform m)
endforeach()

# The table of the objective cueing test: tests/omct.
add_executable(omct platform/omct.c)
target_include_directories(omct PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(omct PRIVATE ali3_platform m)
set_target_properties(omct PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
