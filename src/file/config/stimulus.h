/* SPDX-License-Identifier: MIT
 * The list "stimulus": the struct that its table of keys fills, and its reader. */
#ifndef CONFIG_STIMULUS_H
#define CONFIG_STIMULUS_H

#include "config/settings.h"
#include "yaml/yaml.h"

struct stimulus_values {
  const char *name, *file;
  int interpolate, start; /* words of the schema: linear, hold; command, motion */
  bool loop;
};

/* Reads the list and its files (NULL: there is none), after the table of signals. False when out of memory; mistakes are in the
 * report. */
bool stimuli_read(const struct node *list, struct settings *s, struct report *r);

#endif
