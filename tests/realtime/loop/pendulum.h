/* SPDX-License-Identifier: MIT
 * The loop with a double pendulum, for tests that run it cycle by cycle. Its schedule lies far in the future, so that
 * the speed of the machine does not matter. */
#ifndef TESTS_RT_PENDULUM_H
#define TESTS_RT_PENDULUM_H

#include "loop/cycle.h"
#include "rt/clock.h"

#include <pthread.h>

enum { WARMUP = 5, INPUTS = 3 };
#define PERIOD (NS_PER_S / 100)
#define AHEAD  (1000 * NS_PER_S)

struct bench {
  ali3_model *model;
  struct signals *signals;
  struct telemetry *telemetry;
  struct wakeup wakeup;
  struct port port[2]; /* "osc", "modbus" */
  struct port *ports[2];
  struct cycle_config config; /* for begin(); a test may change it before */
  struct cycle cycle;
};

/* Inputs push and pull on body 1, and guarded, with policy safe, on body 0. */
int set_up(void **state);
int tear_down(void **state);

/* Before the first cycle of the warm-up, and after the last. */
void begin(struct bench *b);
void begin_running(struct bench *b);

const struct frame *newest(struct bench *b, int port);
const struct frame *after(struct bench *b, int cycles);
/* Sends a command and runs one cycle; returns the result in the answer. */
uint32_t told(struct bench *b, uint32_t code);
/* As if the delay between a stop and its arm had passed since the last cycle. */
void let_rearm(struct bench *b);
void set_input(struct bench *b, int port, int channel, double value);
/* Makes the next cycle start `periods` late. */
void delay(struct bench *b, double periods);

/* Runs the loop from its set-up on in a thread; and ends it. */
pthread_t run(struct bench *b);
void stop(struct bench *b, pthread_t thread);

/* Separate data after `steps` plain steps. */
ali3_data *reference(struct bench *b, int steps);
/* Checks that the values of the frame, except the inputs, equal `steps` plain steps to the bit. */
void assert_same_as_steps(struct bench *b, const struct frame *f, int steps);

#endif
