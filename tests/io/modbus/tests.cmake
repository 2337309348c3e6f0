# SPDX-License-Identifier: MIT
ali3_test(modbus mbap LINK ali3_modbus)
ali3_test(modbus map LINK ali3_modbus)
ali3_test(modbus table LINK ali3_modbus)
ali3_test(modbus control LINK ali3_modbus)
ali3_test(modbus rtu LINK ali3_modbus)
ali3_test(modbus places LINK ali3_modbus)
ali3_test(modbus server LINK ali3_modbus SOURCES io/modbus/modbus_bench.c)
ali3_test(modbus line LINK ali3_modbus SOURCES io/modbus/modbus_bench.c)
ali3_test(modbus clients LINK ali3_modbus SOURCES io/modbus/modbus_bench.c)

# The limits of time of modbus/clients, judged.
add_test(NAME modbus/clients_in_time COMMAND test_modbus_clients)
ali3_tier(timing modbus/clients_in_time)
ali3_waits(modbus/clients_in_time)
