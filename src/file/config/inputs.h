/* SPDX-License-Identifier: MIT
 * The lists "inputs", "injections" and "stimulus": the structs that their tables of keys fill, and their readers. */
#ifndef CONFIG_INPUTS_H
#define CONFIG_INPUTS_H

#include "config/values.h"

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

/* Reads the "inputs" list (NULL: there is none) into s->input, and gives the model, not yet frozen, the loads
 * of inputs on bodies. m NULL: the model has mistakes, and its bodies are known. False when out of
 * memory; mistakes are reported. */
bool inputs_read(const struct node *list, ali3_model *m, const struct names *bodies, struct settings *s,
                 struct report *r);

/* Reads the "injections" list (NULL: there is none). False when out of memory; mistakes are reported. */
bool injections_read(const struct node *list, struct settings *s, struct report *r);

/* Reads the list "stimulus" and its files (NULL: there is none), after the table of signals. False when out of memory;
 * mistakes are in the report. */
bool stimuli_read(const struct node *list, struct settings *s, struct report *r);

#endif
