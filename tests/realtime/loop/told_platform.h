/* SPDX-License-Identifier: MIT
 * The loop of pendulum.h with a motion platform that only records its inputs. */
#ifndef TESTS_LOOP_TOLD_PLATFORM_H
#define TESTS_LOOP_TOLD_PLATFORM_H

#include "loop/pendulum.h"

#include <stddef.h>

struct told {
  struct platform_input in; /* of the last step */
  double sensor[SIGNALS_BODY];
  int steps, tunes, restarts;
  enum platform_mode mode;
  struct platform_params params;
  bool parks;      /* parks at once when it is asked to; false: never */
  double velocity; /* its velocity on the way */
};
extern struct told told_it;
extern struct platform_setup setup;

/* The signals and input of a platform beside those of the pendulum. */
int set_up_platform(void **state);
#define ROW(name) cmocka_unit_test_setup_teardown(name, set_up_platform, tear_down)

/* A number of struct platform_output in a frame. */
double published(const struct bench *b, const struct frame *f, size_t offset);

#define PARAMETER(field) ((uint32_t)(offsetof(struct platform_params, field) / sizeof(double)))
/* Sends a command of client 7 and runs one cycle; returns the result in the answer. */
uint32_t set_parameter(struct bench *b, uint32_t parameter, double value);
/* Three rows from `first` on, in one command. */
uint32_t set_parameters(struct bench *b, uint32_t first, const double value[3]);

#endif
