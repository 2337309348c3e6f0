/* SPDX-License-Identifier: MIT
 * The section "rig": the structs that its tables of keys fill, and its reader. */
#ifndef CONFIG_RIG_H
#define CONFIG_RIG_H

#include "config/values.h"

enum { NEEDED_FOR_MOTION, NEEDED_FOR_RESET };

struct permissive_values {
  const char *name, *input;
  int bit, is, on_loss, needed_for; /* bit -1: none */
  double lower, upper, alive;
};

/* Reads the section "rig". The inputs and the platform were read before. False when out of memory; mistakes are
 * reported. */
bool rig_read(const struct node *root, struct file_values *v, struct report *r);
/* The table of signals exists: sets the channels of the inputs that the section names. */
void rig_connect(struct settings *s);

#endif
