# SPDX-License-Identifier: MIT
ali3_test(modbus_client plan LINK ali3_modbus_client)
ali3_test(modbus_client devices LINK ali3_modbus_client SOURCES io/modbus_client/poll_bench.c io/modbus_client/fake_device.c)
ali3_test(modbus_client faults LINK ali3_modbus_client SOURCES io/modbus_client/poll_bench.c io/modbus_client/fake_device.c)
ali3_test(modbus_client bus LINK ali3_modbus_client SOURCES io/modbus_client/poll_bench.c io/modbus_client/fake_device.c)
