/* SPDX-License-Identifier: MIT
 * The lists "inputs", "injections" and "stimulus": the structs that their tables of keys fill. */
#ifndef SETTINGS_INPUT_VALUES_H
#define SETTINGS_INPUT_VALUES_H

#include "settings/values.h"

struct input_values {
  struct input_spec spec; /* without name, kind, body, force, policy, sources and ranges */
  const char *name, *body, *force;
  int policy, on_timeout, axes, from, platform;
  double point[3];
  struct { /* on a body */
    double limit, rate, safe[3];
  } f, t;
  double limit, lower, upper, rate, safe; /* on a force element */
};

struct injection_values {
  struct injection spec; /* without name, input, kind and window */
  const char *name, *input;
  int kind;
};

struct stimulus_values {
  const char *name, *file;
  int interpolate, start; /* words of the schema: linear, hold; command, motion */
  bool loop;
};

#endif
