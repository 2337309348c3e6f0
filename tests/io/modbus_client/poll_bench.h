/* SPDX-License-Identifier: MIT
 * Shared by the tests of the Modbus client: at most two devices, each with a map and a port. The test plays the loop's
 * side of the ports. */
#ifndef TESTS_IO_POLL_BENCH_H
#define TESTS_IO_POLL_BENCH_H

#include "check.h"
#include "modbus_client/devices.h"
#include "modbus_client/fake_device.h"
#include "telemetry/device_view.h"

enum {
  POLLED = 2,
  OUTPUTS = 200,
  CHANNELS = 20,
  INPUT_FIRST = OUTPUTS,
  VALUES = OUTPUTS + CHANNELS,
  PATIENCE_MS = 300000
};

extern struct fake_device fake;
extern struct modbus_device
    device[POLLED]; /* the first one is the fake device, every 5 ms, 10 s for an answer */
extern struct device_view view[POLLED];
extern struct port port[POLLED];
extern struct endpoint client;

/* Starts with empty maps, without a fake device and a client. */
int poll_setup(void **state);
int poll_teardown(void **state);
#define POLL_TEST(f) cmocka_unit_test_setup_teardown(f, poll_setup, poll_teardown)

void reads(int d, int channel, enum wire_table table, int address, enum wire_type type);
struct wired *writes(int d, int signal, enum wire_table table, int address, enum wire_type type);
/* over TCP; on the line `path`, where the fake device is if d is the first */
void at_tcp(int d);
void at_line(int d, char *path);
void start_client(int devices);
/* For the next clients: the signals from `first` on belong to a motion platform. poll_setup() resets it. */
void has_platform(int first);

/* A frame of the loop: value i is i + `offset`. */
void cycle(enum run_state state, double offset);
void cycle_flagged(enum run_state state, uint32_t flags, double offset);
/* The newest sample of a channel from device d. */
struct input_sample sample(int d, int channel);
uint64_t errors(int d, enum device_error kind);
enum device_state device_state(int d);
double ms_since(uint64_t start_ns);

/* Waits for the condition. The time limit only bounds a failure. */
#define EVENTUALLY(condition)                                                                                \
  do {                                                                                                       \
    const uint64_t start_ns_ = clock_now_ns();                                                               \
    while (!(condition) && ms_since(start_ns_) < PATIENCE_MS) usleep(1000);                                  \
    assert_true(condition);                                                                                  \
  } while (0)

#endif
