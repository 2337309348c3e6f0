/* SPDX-License-Identifier: MIT
 * The inputs between two ports, at times the test makes up. The table of signals is made by hand: only its inputs matter
 * here. */
#ifndef TESTS_RT_INPUTS_BENCH_H
#define TESTS_RT_INPUTS_BENCH_H

#include "inputs/inputs.h"

/* Three wrenches, of the policies hold, ramp, safe, and behind them a value of the policy ramp. Hold 50 ms, ramp 500 ms; forces
 * to 100, torques to 10, the value to 2. What was stale counts again with the first sample, at once. */
enum {
  WRENCHES = 3,
  INPUTS = 4,
  RAMPED = INPUT_WRENCH_CHANNELS, /* first channel of the policy ramp */
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
/* As they were set up, but with the injection; the test has filled it in. */
void inject(struct bench *b);

/* Senders repeat all they ever got with every sample. */
void send(struct bench *b, int port, int channel, double value, uint64_t t_ns);
void send_numbered(struct bench *b, int port, int channel, double value, uint64_t t_ns, uint32_t number);
void send_by(struct bench *b, int port, int channel, double value, uint64_t t_ns, uint32_t client);
/* One cycle of the loop, as far as inputs go; numbers are of 16 bits. */
void latch(struct bench *b, uint64_t now_ns);

/* The count of a counter, which is set to 0. */
uint64_t counted(_Atomic uint64_t *counter);

#endif
