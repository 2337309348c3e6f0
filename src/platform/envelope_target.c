/* SPDX-License-Identifier: MIT
 * From a target to one that can be reached: RT code. */
#include "platform/envelope_parts.h"

enum { DOF = PLATFORM_DOF, BACK_TRIES = 7, SLIDE_TRIES = 3 };

static const double SPARE =
    1e-3; /* of the ranges of legs and joints, and of the margin: see hexapod_within */

bool envelope_reaches(const struct envelope *e, const double pose[PLATFORM_DOF])
{
  struct hexapod_state s;
  for (int k = 0; k < DOF; k++)
    if (!(pose[k] >= -e->aim.limits.pos[k] && pose[k] <= e->aim.limits.pos[k])) return false;
  return hexapod_reach(e->hexapod, pose, NULL, SPARE, &s);
}

/* A clamped coordinate stands still. */
static bool clamp_to_box(const struct platform_limits *limits, struct platform_motion *m)
{
  bool clamped = false;
  for (int k = 0; k < DOF; k++) {
    const double side = m->p[k] > limits->pos[k] ? 1.0 : m->p[k] < -limits->pos[k] ? -1.0 : 0.0;
    if (side == 0.0) continue;
    clamped = true;
    m->p[k] = side * limits->pos[k];
    m->v[k] = m->a[k] = 0.0;
  }
  return clamped;
}

/* Where to walk back to: the last target that was reached, or neutral, if it is beyond limits that have changed. */
static void start_walk(const struct envelope *e, double from[DOF])
{
  const bool reaches = envelope_reaches(e, e->reachable);
  for (int k = 0; k < DOF; k++) from[k] = reaches ? e->reachable[k] : 0.0;
}

/* As far from `from` towards `to` as can be reached, all coordinates alike. */
static void walk_back(const struct envelope *e, double from[DOF], const double to[DOF])
{
  double part = 0.0, step = 0.5, try[DOF];
  for (int n = 0; n < BACK_TRIES; n++, step *= 0.5) {
    for (int k = 0; k < DOF; k++) try[k] = from[k] + (part + step) * (to[k] - from[k]);
    if (envelope_reaches(e, try)) part += step;
  }
  for (int k = 0; k < DOF; k++) from[k] += part * (to[k] - from[k]);
}

/* Each coordinate by itself on to what is wanted: all the way, or else half, or a quarter. */
static void slide(const struct envelope *e, double at[DOF], const double to[DOF])
{
  for (int k = 0; k < DOF; k++) {
    const double from = at[k];
    double part = 1.0;
    for (int n = 0; n < SLIDE_TRIES && at[k] == from && to[k] != from; n++, part *= 0.5) {
      at[k] = n == 0 ? to[k] : from + part * (to[k] - from);
      if (!envelope_reaches(e, at)) at[k] = from;
    }
  }
}

/* How far it is from what is wanted, each coordinate as a part of its limit. */
static double missing(const struct envelope *e, const double at[DOF], const double to[DOF])
{
  double sum = 0.0;
  for (int k = 0; k < DOF; k++) {
    const double part = (to[k] - at[k]) / e->aim.limits.pos[k];
    sum += part * part;
  }
  return sum;
}

/* From where it was on, or, if that comes nearer, from neutral: a coordinate at its end gives way to the others there. */
static void walk(const struct envelope *e, double at[DOF], const double to[DOF])
{
  double afresh[DOF] = {0};
  start_walk(e, at);
  walk_back(e, at, to);
  slide(e, at, to);
  walk_back(e, afresh, to);
  if (missing(e, afresh, to) >= missing(e, at, to)) return;
  for (int k = 0; k < DOF; k++) at[k] = afresh[k];
}

void envelope_aim(struct envelope *e, const struct platform_motion *target, struct platform_motion *aim)
{
  *aim = *target;
  e->limited = clamp_to_box(&e->aim.limits, aim);
  e->unreachable = !envelope_reaches(e, aim->p);
  if (e->unreachable) {
    double from[DOF];
    walk(e, from, aim->p);
    for (int k = 0; k < DOF; k++)
      if (from[k] != aim->p[k]) {
        aim->p[k] = from[k];
        aim->v[k] = aim->a[k] = 0.0;
      }
    e->limited = true;
  }
  for (int k = 0; k < DOF; k++) e->reachable[k] = aim->p[k];
}
