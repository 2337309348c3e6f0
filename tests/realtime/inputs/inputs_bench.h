/* SPDX-License-Identifier: MIT
 * The inputs between two ports, at artificial times. The table of signals is made by hand: only its inputs matter here. */
#ifndef TESTS_RT_INPUTS_BENCH_H
#define TESTS_RT_INPUTS_BENCH_H

#include "inputs/inputs.h"

/* Three wrenches with the policies hold, ramp and safe, then a value with the policy ramp. Hold 50 ms, ramp 500 ms;
 * limits 100 for forces, 10 for torques, 2 for the value. A stale input counts again with the first sample, at once. */
enum {
  WRENCHES = 3,
  INPUTS = 4,
  RAMPED = INPUT_WRENCH_CHANNELS, /* first channel with the policy ramp */
  VALUE = WRENCHES * INPUT_WRENCH_CHANNELS,
  CHANNELS = VALUE + 1
};
#define MS UINT64_C(1000000) /* ns */
#define T0 UINT64_C(5000000000)

struct bench {
  struct input_spec spec[INPUTS];
  struct signals signals;
  struct counters counters;
  struct port osc, modbus;
  struct port *port[2]; /* both of them */
  struct input_sample sent[2][CHANNELS];
  struct injection injection[1];
  int injections;
  struct inputs in;
};

int set_up(void **state);
int tear_down(void **state);
/* Restarts them with the injection that the test has filled in. */
void inject(struct bench *b);

/* Senders repeat all their values with every sample. */
void send(struct bench *b, int port, int channel, double value, uint64_t t_ns);
void send_numbered(struct bench *b, int port, int channel, double value, uint64_t t_ns, uint32_t number);
void send_by(struct bench *b, int port, int channel, double value, uint64_t t_ns, uint32_t client);
/* A heartbeat of the sender of the channel, without a new value. */
void send_heartbeat(struct bench *b, int port, int channel, uint64_t t_ns);
/* One cycle of the loop as far as inputs are concerned; numbers have 16 bits. */
void latch(struct bench *b, uint64_t now_ns);

/* The count of a counter, which is then reset to 0. */
uint64_t counted(_Atomic uint64_t *counter);

#endif
