/* SPDX-License-Identifier: MIT
 * From a target to one that can be reached: RT code. */
#include "platform/envelope_parts.h"

#include <math.h>

enum { DOF = PLATFORM_DOF, TRIES = 18 };

static const double DRIFT_TIME = 0.03; /* s */
static const double STILL = 1e-6;      /* of the limit of velocity */
static const double SPARE =
    1e-3; /* of the ranges of legs and joints, and of the margin: see hexapod_within */

bool envelope_reaches(const struct envelope *e, const double pose[PLATFORM_DOF])
{
  double clearance;
  for (int k = 0; k < DOF; k++)
    if (!(pose[k] >= -e->aim.limits.pos[k] && pose[k] <= e->aim.limits.pos[k])) return false;
  return hexapod_reach(e->hexapod, pose, NULL, SPARE, &e->well_known, &clearance);
}

/* x within plus and minus most; what is not a number is `otherwise`. */
static double clamp_number(double x, double most, double otherwise)
{
  return x > most ? most : x < -most ? -most : x == x ? x : otherwise;
}

/* Within the box and with rates that can be had: a coordinate that is cut off stands still, what is not a
 * number stays as it was. Whether one was cut off. */
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

/* What is wanted, each coordinate cut off at `part` of its limit. */
static void cut_to_box(const struct envelope *e, const double wanted[DOF], double part, double pose[DOF])
{
  for (int k = 0; k < DOF; k++) {
    const double most = part * e->aim.limits.pos[k];
    pose[k] = wanted[k] > most ? most : wanted[k] < -most ? -most : wanted[k];
  }
}

/* The box made smaller until the legs reach: a coordinate that is asked for much gives way first and holds up
 * none that is asked for little. A function of what is wanted alone, so what is wanted at rest gives a target
 * at rest. */
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

/* What is cut off moves as the others make it: its rate is taken from what it did, smoothed. */
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
