/* SPDX-License-Identifier: MIT
 * From a target to a reachable one. RT. */
#include "envelope/envelope_parts.h"

#include <math.h>

enum { DOF = PLATFORM_DOF, TRIES = 18 };

static const double DRIFT_TIME = 0.03; /* s, time constant of the estimated rate of a clamped target */
static const double STILL = 1e-6;      /* a rate below this fraction of its limit counts as 0 */
static const double SPARE = 1e-3;      /* see hexapod_within() */

bool envelope_reaches(const struct envelope *e, const double pose[PLATFORM_DOF])
{
  double clearance;
  for (int k = 0; k < DOF; k++)
    if (!(pose[k] >= -e->aim.limits.pos[k] && pose[k] <= e->aim.limits.pos[k])) return false;
  return hexapod_reach(e->hexapod, pose, NULL, SPARE, &e->well_known, &clearance);
}

/* x clamped to plus and minus most; `otherwise` if x is NaN. */
static double clamp_number(double x, double most, double otherwise)
{
  return x > most ? most : x < -most ? -most : x == x ? x : otherwise;
}

/* Clamps the target to the box and to possible rates: a clamped coordinate has rate 0, and NaN keeps the value of the last cycle.
 * True if a coordinate was clamped. */
static bool clamp_to_box(const struct envelope *e, const struct platform_motion *target,
                         struct platform_motion *m)
{
  bool clamped = false;
  for (int k = 0; k < DOF; k++) {
    m->p[k] = clamp_number(target->p[k], e->aim.limits.pos[k], e->reachable[k]);
    const bool cut = m->p[k] != target->p[k];
    m->v[k] = cut ? 0.0 : clamp_number(target->v[k], e->aim.axis[k].velocity, 0.0);
    m->a[k] = cut ? 0.0 : clamp_number(target->a[k], e->aim.axis[k].acceleration, 0.0);
    clamped |= cut;
  }
  return clamped;
}

/* The wanted pose, with each coordinate clamped to `part` of its limit. */
static void cut_to_box(const struct envelope *e, const double wanted[DOF], double part, double pose[DOF])
{
  for (int k = 0; k < DOF; k++) {
    const double most = part * e->aim.limits.pos[k];
    pose[k] = wanted[k] > most ? most : wanted[k] < -most ? -most : wanted[k];
  }
}

/* Shrinks the box until the legs reach the pose: coordinates with large values are clamped first and do not affect the small
 * ones. The result depends on the wanted pose alone, so a constant wanted pose gives a constant target. */
static void shrink_box(const struct envelope *e, const double wanted[DOF], double pose[DOF])
{
  double part = 0.0;
  for (int n = 1; n <= TRIES; n++) {
    const double step = 1.0 / (double)(1 << n);
    cut_to_box(e, wanted, part + step, pose);
    if (envelope_reaches(e, pose)) part += step;
  }
  cut_to_box(e, wanted, part, pose);
}

/* A clamped coordinate moves because others do. Its rate is estimated from its smoothed changes. */
static void update_drift(struct envelope *e, const double pose[DOF], bool known)
{
  const double part = e->period / (e->period + DRIFT_TIME);
  for (int k = 0; k < DOF; k++) {
    const double v = (pose[k] - e->reachable[k]) / e->period, most = e->aim.axis[k].velocity;
    if (known && fabs(v) <= most)
      e->drift[k] += part * (v - e->drift[k]);
    else
      e->drift[k] = 0.0;
    if (fabs(e->drift[k]) < STILL * most) e->drift[k] = 0.0;
  }
}

void envelope_aim(struct envelope *e, const struct platform_motion *target, struct platform_motion *aim)
{
  /* Clamp the target to the box. */
  const bool before = e->unreachable;
  hexapod_know(e->hexapod, e->now.p, &e->legs, SPARE, &e->well_known);
  e->limited = clamp_to_box(e, target, aim);
  e->unreachable = !envelope_reaches(e, aim->p);
  /* Shrink the box to the reach of the legs; clamped coordinates get the rate at which they drift. */
  if (e->unreachable) {
    const struct platform_motion wanted = *aim;
    shrink_box(e, wanted.p, aim->p);
    update_drift(e, aim->p, before);
    for (int k = 0; k < DOF; k++)
      if (aim->p[k] != wanted.p[k]) {
        aim->v[k] = e->drift[k];
        aim->a[k] = 0.0;
      }
    e->limited = true;
  }
  for (int k = 0; k < DOF; k++) e->reachable[k] = aim->p[k];
}
