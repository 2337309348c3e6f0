/* SPDX-License-Identifier: MIT
 * Simulates a stop, to check whether it is possible. RT.
 *
 * Limits of acceleration and velocity need no simulation: the law of braking keeps them if |v| and |v + S(a)| are within them at
 * the start. The legs need a new solution only if a joint of the platform has moved farther than the clearance of the last
 * solution, or moves faster than a leg may. */
#include "envelope/envelope_parts.h"

#include <math.h>

enum { DOF = PLATFORM_DOF };

static const double ROUNDING = 1e-12; /* relative to a limit */

struct stop_budget stop_budget(void)
{
  return (struct stop_budget){.states = 2 * ENVELOPE_STOP_CYCLES, .solutions = ENVELOPE_STOP_CYCLES};
}

static bool is_beyond(double x, double limit)
{
  return !(fabs(x) <= limit * (1.0 + ROUNDING));
}

static unsigned beyond_rates(const struct envelope_laws *laws, const struct platform_motion *m)
{
  unsigned failed = 0;
  for (int k = 0; k < DOF; k++) {
    const struct axis *x = &laws->axis[k];
    const bool fails = is_beyond(m->a[k], x->acceleration) || is_beyond(m->v[k], x->velocity) ||
                       is_beyond(m->v[k] + axis_release(x, m->a[k]), x->velocity);
    failed |= (unsigned)fails << k;
  }
  return failed;
}

static unsigned beyond_box(const struct envelope_laws *laws, const struct platform_motion *m)
{
  unsigned failed = 0;
  for (int k = 0; k < DOF; k++) failed |= (unsigned)is_beyond(m->p[k], laws->limits.pos[k]) << k;
  return failed;
}

static bool is_motion_at_rest(const struct platform_motion *m)
{
  double sum = 0.0;
  for (int k = 0; k < DOF; k++) sum += fabs(m->v[k]) + fabs(m->a[k]);
  return sum == 0.0;
}

/* The last solution of the legs during the stop. */
struct solution {
  double p[DOF], clearance;
};

static bool is_known_free(const struct hexapod *h, const struct solution *last,
                          const struct platform_motion *m)
{
  double change[DOF];
  for (int k = 0; k < DOF; k++) change[k] = m->p[k] - last->p[k];
  return hexapod_travel(h, change) < last->clearance && hexapod_travel(h, m->v) < h->geometry.leg_rate;
}

static bool solve_reach(const struct hexapod *h, const struct hexapod_known *known_here,
                        const struct platform_motion *m, struct solution *last)
{
  if (!hexapod_reach(h, m->p, m->v, 0.0, known_here, &last->clearance)) return false;
  for (int k = 0; k < DOF; k++) last->p[k] = m->p[k];
  return true;
}

void envelope_advance(const struct envelope_laws *laws, const double jerk[PLATFORM_DOF],
                      struct platform_motion *m)
{
  const double period = laws->axis[0].period;
  for (int k = 0; k < DOF; k++) axis_move(jerk[k], laws->step[k], period, &m->p[k], &m->v[k], &m->a[k]);
}

/* A simulated stop consists of these cycles, about ten thousand per second. The loop is written so that compilers vectorise
 * it. */
void envelope_braking(const struct envelope_laws *restrict laws, struct platform_motion *restrict m,
                      double jerk[restrict PLATFORM_DOF])
{
  const double period = laws->axis[0].period;
  for (int k = 0; k < DOF; k++) {
    jerk[k] = axis_braking(m->v[k], m->a[k], laws->acceleration[k], laws->step[k], period);
    axis_move(jerk[k], laws->step[k], period, &m->p[k], &m->v[k], &m->a[k]);
  }
}

enum stop envelope_stop(const struct hexapod *h, const struct envelope_laws *laws,
                        const struct hexapod_known *known_here, const struct platform_motion *m,
                        struct stop_budget *budget, unsigned *failed)
{
  struct platform_motion at = *m;
  struct solution last = {.clearance = -1.0};
  double jerk[DOF];
  /* Check the rates once: braking keeps them. */
  *failed = beyond_rates(laws, m);
  if (*failed) return STOP_COORDINATE;
  /* Simulate the stop, and check each position. */
  for (int n = 0; n < ENVELOPE_STOP_CYCLES && budget->states-- > 0; n++) {
    *failed = beyond_box(laws, &at);
    if (*failed) return STOP_COORDINATE;
    if (!is_known_free(h, &last, &at))
      if (budget->solutions-- <= 0 || !solve_reach(h, known_here, &at, &last)) return STOP_LEGS;
    if (is_motion_at_rest(&at)) return STOP_POSSIBLE;
    envelope_braking(laws, &at, jerk);
  }
  return STOP_LEGS;
}
