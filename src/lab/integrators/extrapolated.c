/* SPDX-License-Identifier: MIT
 * The Newton step, extrapolated from branches that begin at one state and divide the step into n parts:
 *
 *   nrx    (4 T2 - T1)/3                    cancels an error in h^2
 *   nrx3   T1/12 - 4/3 T2 + 9/4 T3          cancels one in h^3 as well, as the product's extrapolated step does
 *
 * A symmetric rule has even powers of h only. With projected velocities, or constraints at all, the step from one
 * consistent state to the next is not symmetric: nrx is of order three then, and nrx3 of order four. The formulation
 * brings the sum back onto the constraints. */
#include "integrators/integrators.h"

#include <stdlib.h>
#include <string.h>

enum { BRANCHES = 3 };

struct branches {
  int count;
  const double *weight;
  double *start, *sum; /* (3 n + m) q, w, wd, lambda before the step; (2 n) weighted ends, q and w */
};

static void *make_branches(const struct lab_state *s, int count, const double *weight)
{
  const size_t n = (size_t)s->n;
  struct branches *o = calloc(1, sizeof *o + (5 * n + (size_t)s->m) * sizeof(double));
  if (!o) return NULL;
  *o = (struct branches){.count = count, .weight = weight, .sum = (double *)(o + 1)};
  o->start = o->sum + 2 * n;
  return o;
}

static void *make_two_branches(const struct lab_state *s)
{
  static const double weight[] = {-1.0 / 3, 4.0 / 3};
  return make_branches(s, BRANCHES - 1, weight);
}

static void *make_three_branches(const struct lab_state *s)
{
  static const double weight[] = {1.0 / 12, -4.0 / 3, 9.0 / 4};
  return make_branches(s, BRANCHES, weight);
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

/* Multipliers and accelerations go on from the finest branch, which is the last. */
static enum lab_status extrapolated_step(struct lab_state *s)
{
  struct branches *o = s->integrator_own;
  const double h = s->h, start = s->now.time;
  enum lab_status status = LAB_OK;
  save_branch(s, o->start);
  memset(o->sum, 0, 2 * sizeof *o->sum * (size_t)s->n);
  /* Branch k divides the step into k + 1 parts. */
  for (int k = 0; k < o->count && status == LAB_OK; k++) {
    restore_branch(s, o->start);
    s->now.time = start;
    s->h = h / (k + 1);
    for (int part = 0; part <= k && status == LAB_OK; part++) status = newton_step(s);
    for (int i = 0; i < s->n; i++) {
      o->sum[i] += o->weight[k] * s->q[i];
      o->sum[s->n + i] += o->weight[k] * s->w[i];
    }
  }
  s->h = h;
  s->now.time = start + h;
  if (status != LAB_OK) return status;
  memcpy(s->q, o->sum, sizeof *s->q * (size_t)s->n);
  memcpy(s->w, o->sum + s->n, sizeof *s->w * (size_t)s->n);
  return s->run->formulation->newton->settle(s);
}

const struct integrator integrator_nrx = {.name = "nrx",
                                          .title = "nr, extrapolated from a whole step and two halves",
                                          .needs = NEEDS_SETTLING,
                                          .make = make_two_branches,
                                          .start = newton_start,
                                          .step = extrapolated_step};
const struct integrator integrator_nrx3 = {
    .name = "nrx3",
    .title = "nr, extrapolated from a whole step, two halves and three thirds",
    .needs = NEEDS_SETTLING,
    .make = make_three_branches,
    .start = newton_start,
    .step = extrapolated_step};
