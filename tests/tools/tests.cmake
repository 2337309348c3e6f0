# SPDX-License-Identifier: MIT
foreach(name top top_figures top_verdict)
  ali3_test(tools ${name} LINK ali3_telemetry PkgConfig::JANSSON)
  target_compile_definitions(test_tools_${name} PRIVATE ALI3_TOP="$<TARGET_FILE:ali3-top>")
  add_dependencies(test_tools_${name} ali3-top)
endforeach()
foreach(name canvas bins panes view reset plot)
  ali3_test(tools top_${name} LINK ali3_top)
endforeach()
ali3_test(tools top_values SOURCES common/toys.c LINK ali3_top)

ali3_test(tools doctor_checks LINK ali3_doctor)
ali3_test(tools doctor_host LINK ali3_doctor)
ali3_test(tools doctor_verdict LINK ali3_doctor)
foreach(name prometheus pages census oscquery host connections)
  ali3_test(tools ${name} LINK ali3_exporter)
endforeach()
ali3_test(tools view_control LINK ali3_view)

add_test(NAME tools/omct COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tools/test_omct.py $<TARGET_FILE:ali3-omct>)
ali3_tier(system tools/omct)
ali3_computes(tools/omct)

add_test(NAME tools/full_disk COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tools/test_full_disk.py ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
set_tests_properties(tools/full_disk PROPERTIES SKIP_RETURN_CODE 77)
ali3_tier(quick tools/full_disk)

add_test(NAME tools/output_files COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tools/test_output_files.py ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
ali3_tier(quick tools/output_files)

# The Python package, with the library and the programs of this build.
add_test(NAME python/layout COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/python/layout.py ${PROJECT_SOURCE_DIR})
ali3_tier(quick python/layout)
if(NOT ALI3_SANITIZE AND NOT CMAKE_CROSSCOMPILING) # the library of a sanitizer's build needs its run-time library
  foreach(name model bench)
    add_test(NAME python/${name} COMMAND ${CMAKE_COMMAND} -E env ALI3_LIBRARY=$<TARGET_FILE:ali3_shared> ALI3D=$<TARGET_FILE:ali3d>
             ALI3_SIM=$<TARGET_FILE:ali3-sim> ALI3_RECORD=$<TARGET_FILE:ali3-record>
             ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/python/tests/test_${name}.py)
  endforeach()
  ali3_tier(system python/model python/bench)
endif()
