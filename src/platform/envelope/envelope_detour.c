/* SPDX-License-Identifier: MIT
 * The detour around poses that the legs cannot reach. RT.
 *
 * Coordinates that follow a target on their own do not move on a straight line, and near the end of a leg there is no room for
 * the difference. On a line they move in step. A slow motion also stops on the line, so that only poses on the line can block
 * it. */
#include "envelope/envelope_parts.h"

#include <math.h>

enum { DOF = PLATFORM_DOF };

static const double PATIENCE = 0.2;         /* s, time at rest before a detour begins */
static const double PACE = 0.25;            /* first speed, relative to the limits */
static const double LEAST_PACE = 1.0 / 300; /* at this speed, only poses on the line itself can block it */
static const double AWAY = 0.02;            /* fraction of a line after which a higher speed is tried */
static const double THERE =
    1e-3; /* distance from the end of a line that counts as arrived, relative to the line */
static const double ANOTHER =
    0.02; /* change of the target that ends a detour, relative to the limits of position */

/* If the straight line to neutral is blocked, some coordinates move first: a bit for each coordinate, tried in this order. */
static const unsigned char inwards[] = {0x3f, 0x04, 0x18, 0x20, 0x03, 0x3b,
                                        0x07, 0x38, 0x01, 0x02, 0x08, 0x10};
enum { WAYS = sizeof inwards / sizeof *inwards };

static void begin_line(struct envelope *e)
{
  struct envelope_line *l = &e->line;
  double rate = HUGE_VAL, acceleration = HUGE_VAL, jerk = HUGE_VAL;
  for (int k = 0; k < DOF; k++) {
    const struct axis *x = &e->aim.axis[k];
    const double to = e->way == ENVELOPE_INWARDS ? 0.0 : e->reachable[k];
    l->span[k] = inwards[l->only] >> k & 1 ? to - e->now.p[k] : 0.0;
    rate = fmin(rate, x->velocity / fabs(l->span[k]));
    acceleration = fmin(acceleration, x->acceleration / fabs(l->span[k]));
    jerk = fmin(jerk, x->jerk / fabs(l->span[k]));
  }
  l->at = (struct axis_state){0};
  l->over = l->arrived = !isfinite(rate); /* nothing to move */
  if (!l->over) axis_set(&l->axis, l->pace * rate, l->pace * acceleration, l->pace * jerk, e->period);
}

static void begin_way(struct envelope *e, enum envelope_way way, int only)
{
  e->way = way;
  e->line.only = only;
  e->line.pace = PACE;
  begin_line(e);
}

/* Call at rest, at the end of a line or where it was interrupted: chooses the next line. */
static void next_line(struct envelope *e)
{
  struct envelope_line *l = &e->line;
  const bool inward = e->way == ENVELOPE_INWARDS;
  if (l->arrived && inward && l->only == 0) {
    begin_way(e, ENVELOPE_OUTWARDS, 0);
  } else if (l->arrived && inward) {
    begin_way(e, ENVELOPE_INWARDS, 0);
  } else if (l->arrived) {
    e->way = ENVELOPE_DIRECT;
  } else if (l->at.p >= AWAY) {
    l->pace = fmin(PACE, 4.0 * l->pace);
    begin_line(e);
  } else if (l->pace > LEAST_PACE) {
    l->pace *= 0.25;
    begin_line(e);
  } else if (inward) {
    begin_way(e, ENVELOPE_INWARDS, (l->only + 1) % WAYS);
  } else {
    e->way = ENVELOPE_STAY; /* no line leads closer to the target */
  }
}

static bool same_target(const struct envelope *e)
{
  for (int k = 0; k < DOF; k++)
    if (!(fabs(e->reachable[k] - e->blocked_from[k]) <= ANOTHER * e->aim.limits.pos[k])) return false;
  return true;
}

bool envelope_detour(struct envelope *e)
{
  if (!same_target(e)) e->way = ENVELOPE_DIRECT;
  const bool on_a_line = e->way == ENVELOPE_INWARDS || e->way == ENVELOPE_OUTWARDS;
  if (on_a_line && e->line.over && envelope_at_rest(e)) next_line(e);
  return e->way != ENVELOPE_DIRECT;
}

bool envelope_detour_jerk(const struct envelope *e, double jerk[PLATFORM_DOF])
{
  static const struct axis_state end = {1.0, 0.0, 0.0};
  if (e->way == ENVELOPE_STAY || e->line.over) return false;
  const double j = axis_follow(&e->line.axis, &e->line.at, &end);
  for (int k = 0; k < DOF; k++) jerk[k] = e->line.span[k] * j;
  return true;
}

void envelope_detour_went(struct envelope *e, bool possible)
{
  static const struct axis_state end = {1.0, 0.0, 0.0};
  struct envelope_line *l = &e->line;
  if (l->over) return;
  if (possible) axis_advance(&l->axis, axis_follow(&l->axis, &l->at, &end), &l->at);
  l->arrived = possible && l->at.p >= 1.0 - THERE;
  l->over = !possible || l->arrived || (l->pace < PACE && l->at.p >= AWAY);
}

void envelope_direct_went(struct envelope *e, bool possible)
{
  e->blocked = !possible && envelope_at_rest(e) ? e->blocked + e->period : 0.0;
  if (e->blocked < PATIENCE) return;
  e->blocked = 0.0;
  for (int k = 0; k < DOF; k++) e->blocked_from[k] = e->reachable[k];
  begin_way(e, ENVELOPE_INWARDS, 0);
}
