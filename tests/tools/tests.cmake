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
foreach(name prometheus pages census oscquery host places)
  ali3_test(tools ${name} LINK ali3_exporter)
endforeach()

add_test(NAME tools/omct COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tools/test_omct.py $<TARGET_FILE:ali3-omct>)
ali3_tier(system tools/omct)

add_test(NAME tools/full_disk COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tools/test_full_disk.py ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
set_tests_properties(tools/full_disk PROPERTIES SKIP_RETURN_CODE 77)
ali3_tier(quick tools/full_disk)
