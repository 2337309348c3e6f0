# SPDX-License-Identifier: MIT
ali3_test(devices plan LINK ali3_devices)
ali3_test(devices devices LINK ali3_devices SOURCES io/devices/poll_bench.c io/devices/fake_device.c)
ali3_test(devices faults LINK ali3_devices SOURCES io/devices/poll_bench.c io/devices/fake_device.c)
ali3_test(devices bus LINK ali3_devices SOURCES io/devices/poll_bench.c io/devices/fake_device.c)
