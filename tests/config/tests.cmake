# SPDX-License-Identifier: MIT
foreach(name settings mistakes mechanism forces schema yaml nearest inputs changes osc_map platform)
  ali3_test(config ${name} LINK ali3_config)
endforeach()
ali3_test(config packets LINK ali3_config ali3_packets)
target_link_options(test_config_settings PRIVATE -Wl,--wrap=isa_supported)
target_link_options(test_config_inputs PRIVATE -Wl,--wrap=ali3_force_type_takes_value)
