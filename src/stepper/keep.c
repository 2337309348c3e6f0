/* SPDX-License-Identifier: MIT
 * Loop code: copies of the state and of what comes from outside; the worse of two statuses. */
#include "stepper/stepper.h"

#include <string.h>

int step_worse(int a, int b)
{
  return a < 0 || b < 0 ? (a < b ? a : b) : (a > b ? a : b);
}

void step_keep(const ali3_model *m, struct kept *to, const struct kept *from)
{
  size_t slots = (size_t)m->frozen->tree->slots, rows = (size_t)m->frozen->rows;
  memcpy(to->x, from->x, X_NUMBERS * slots * sizeof *to->x);
  memcpy(to->mu, from->mu, slots * sizeof *to->mu);
  memcpy(to->lambda, from->lambda, rows * sizeof *to->lambda);
  memcpy(to->reaction, from->reaction, rows * sizeof *to->reaction);
  if (m->frozen->jumps) memcpy(to->mean, from->mean, rows * sizeof *to->mean);
}

void step_keep_outside(const ali3_model *m, const ali3_data *d, struct outside *to)
{
  memcpy(to->external, d->external, LOAD_NUMBERS * (size_t)m->frozen->tree->slots * sizeof *d->external);
  memcpy(to->vector, d->vector, (size_t)m->loads * sizeof *d->vector);
  memcpy(to->value, d->value, (size_t)m->forces * sizeof *d->value);
}
