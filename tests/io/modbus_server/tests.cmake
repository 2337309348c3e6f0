# SPDX-License-Identifier: MIT
ali3_test(modbus_server mbap LINK ali3_modbus_server)
ali3_test(modbus_server map LINK ali3_modbus_server)
ali3_test(modbus_server table LINK ali3_modbus_server)
ali3_test(modbus_server control LINK ali3_modbus_server)
ali3_test(modbus_server rtu LINK ali3_modbus_server)
ali3_test(modbus_server admission LINK ali3_modbus_server)
ali3_test(modbus_server server LINK ali3_modbus_server SOURCES io/modbus_server/modbus_bench.c)
ali3_test(modbus_server line LINK ali3_modbus_server SOURCES io/modbus_server/modbus_bench.c)
ali3_test(modbus_server clients LINK ali3_modbus_server SOURCES io/modbus_server/modbus_bench.c)

# The limits of time of modbus_server/clients, judged.
add_test(NAME modbus_server/clients_in_time COMMAND test_modbus_server_clients)
ali3_tier(timing modbus_server/clients_in_time)
ali3_waits(modbus_server/clients_in_time)
