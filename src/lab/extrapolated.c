/* SPDX-License-Identifier: MIT
 * The Newton step, extrapolated: a symmetric rule has an error in even powers of h, and (4 b - a)/3 of a whole step
 * (a) and of two half steps (b) loses the first of them. The formulation then brings the state back onto the
 * constraints. */
#include "lab/integrators.h"

#include <stdlib.h>
#include <string.h>

struct branches {
  double *start, *whole; /* (3 n + m) q, w, wd, lambda: before the step, and after the whole step */
};

static void *make_branches(const struct lab_state *s)
{
  const size_t count = 3 * (size_t)s->n + (size_t)s->m;
  struct branches *o = calloc(1, sizeof *o + 2 * count * sizeof(double));
  if (!o) return NULL;
  o->start = (double *)(o + 1);
  o->whole = o->start + count;
  return o;
}

static void save_branch(const struct lab_state *s, double *o)
{
  const size_t n = (size_t)s->n;
  memcpy(o, s->q, sizeof *o * n);
  memcpy(o + n, s->w, sizeof *o * n);
  memcpy(o + 2 * n, s->wd, sizeof *o * n);
  memcpy(o + 3 * n, s->lambda, sizeof *o * (size_t)s->m);
}

static void restore_branch(struct lab_state *s, const double *o)
{
  const size_t n = (size_t)s->n;
  memcpy(s->q, o, sizeof *o * n);
  memcpy(s->w, o + n, sizeof *o * n);
  memcpy(s->wd, o + 2 * n, sizeof *o * n);
  memcpy(s->lambda, o + 3 * n, sizeof *o * (size_t)s->m);
}

static enum lab_status extrapolated_step(struct lab_state *s)
{
  struct branches *o = s->integrator_own;
  const double h = s->h;
  /* a: one step of h. */
  save_branch(s, o->start);
  enum lab_status status = newton_step(s);
  save_branch(s, o->whole);
  /* b: two steps of h/2. Multipliers and accelerations go on from here. */
  restore_branch(s, o->start);
  s->h = 0.5 * h;
  for (int half = 0; half < 2 && status == LAB_OK; half++) status = newton_step(s);
  s->h = h;
  if (status != LAB_OK) return status;
  for (int i = 0; i < s->n; i++) {
    s->q[i] = (4 * s->q[i] - o->whole[i]) / 3;
    s->w[i] = (4 * s->w[i] - o->whole[s->n + i]) / 3;
  }
  return s->run->formulation->newton->settle(s);
}

const struct integrator integrator_nrx = {.name = "nrx",
                                          .title = "nr, extrapolated from a whole step and two half steps",
                                          .needs = NEEDS_SETTLING,
                                          .make = make_branches,
                                          .start = newton_start,
                                          .step = extrapolated_step};
