/* SPDX-License-Identifier: MIT
 * Loop code: copies of the state and of the values from outside. */
#include "stepper/data.h"

#include <string.h>

void state_copy(const ali3_model *m, struct state *to, const struct state *from)
{
  size_t slots = (size_t)m->frozen->tree->slots, rows = (size_t)m->frozen->rows;
  memcpy(to->x, from->x, X_NUMBERS * slots * sizeof *to->x);
  memcpy(to->mu, from->mu, slots * sizeof *to->mu);
  memcpy(to->lambda, from->lambda, rows * sizeof *to->lambda);
  memcpy(to->reaction, from->reaction, rows * sizeof *to->reaction);
  if (m->frozen->jumps) memcpy(to->mean, from->mean, rows * sizeof *to->mean);
}

void outside_values_copy(const ali3_model *m, struct outside_values *to, const struct outside_values *from)
{
  memcpy(to->wrench, from->wrench, WRENCH_NUMBERS * (size_t)m->frozen->tree->slots * sizeof *to->wrench);
  memcpy(to->vector, from->vector, (size_t)m->loads * sizeof *to->vector);
  memcpy(to->command, from->command, (size_t)m->forces * sizeof *to->command);
}
