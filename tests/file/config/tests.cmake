# SPDX-License-Identifier: MIT
foreach(name elements settings mistakes mechanism forces schema yaml nearest inputs changes osc_map platform sets params)
  ali3_test(config ${name} LINK ali3_config ali3_manual)
endforeach()
ali3_test(config packets LINK ali3_config ali3_packets)
target_link_options(test_config_settings PRIVATE -Wl,--wrap=isa_supported)
target_link_options(test_config_inputs PRIVATE -Wl,--wrap=ali3_force_type_takes_command)

add_test(NAME config/json_schema COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_json_schema.py
         $<TARGET_FILE:ali3d> ${PROJECT_SOURCE_DIR})
ali3_tier(quick config/json_schema)
