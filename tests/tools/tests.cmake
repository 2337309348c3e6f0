# SPDX-License-Identifier: MIT
ali3_test(tools top LINK ali3_io PkgConfig::JANSSON)
target_compile_definitions(test_tools_top PRIVATE ALI3_TOP="$<TARGET_FILE:ali3-top>")
add_dependencies(test_tools_top ali3-top)

ali3_test(tools doctor_checks LINK ali3_doctor)
ali3_test(tools doctor_host LINK ali3_doctor)
ali3_test(tools doctor_verdict LINK ali3_doctor)
set(exporter ${PROJECT_SOURCE_DIR}/tools/ali3-exporter)
set(sources ${exporter}/prometheus.c ${exporter}/pages.c ${exporter}/census.c ${exporter}/listener.c)
foreach(name prometheus pages census)
  ali3_test(tools ${name} LINK ali3_io PkgConfig::JANSSON SOURCES ${sources})
  target_include_directories(test_tools_${name} PRIVATE ${exporter})
endforeach()
