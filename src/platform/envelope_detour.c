/* SPDX-License-Identifier: MIT
 * The way around what legs cannot do: RT code. */
#include "platform/envelope_parts.h"

#include <math.h>

enum { DOF = PLATFORM_DOF };

static const double PATIENCE = 0.2; /* s */
static const double PACE = 0.25;    /* of the limits of velocity */
static const double ANOTHER = 0.02; /* of the limits of position: by which a target moves to be another one */

void envelope_blocked(struct envelope *e, bool blocked)
{
  e->blocked = blocked && envelope_at_rest(e) ? e->blocked + e->period : 0.0;
  if (e->blocked < PATIENCE) return;
  e->blocked = 0.0;
  e->way = ENVELOPE_INWARDS;
  for (int k = 0; k < DOF; k++) {
    e->lead[k] = e->now.p[k];
    e->blocked_from[k] = e->reachable[k];
  }
}

static bool same_target(const struct envelope *e)
{
  for (int k = 0; k < DOF; k++)
    if (!(fabs(e->reachable[k] - e->blocked_from[k]) <= ANOTHER * e->aim.limits.pos[k])) return false;
  return true;
}

/* Straight on; whether it has arrived. */
static bool walk(const struct envelope *e, double at[DOF], const double to[DOF])
{
  double part = 1.0;
  for (int k = 0; k < DOF; k++) {
    const double most = PACE * e->aim.axis[k].velocity * e->period, distance = fabs(to[k] - at[k]);
    if (part * distance > most) part = most / distance;
  }
  for (int k = 0; k < DOF; k++) at[k] += part * (to[k] - at[k]);
  return part == 1.0;
}

void envelope_detour(struct envelope *e, struct platform_motion *aim)
{
  static const double neutral[DOF];
  if (!same_target(e)) e->way = ENVELOPE_DIRECT;
  if (e->way == ENVELOPE_DIRECT) return;
  const bool arrived = walk(e, e->lead, e->way == ENVELOPE_INWARDS ? neutral : aim->p);
  if (arrived) e->way = e->way == ENVELOPE_INWARDS ? ENVELOPE_OUTWARDS : ENVELOPE_DIRECT;
  if (e->way == ENVELOPE_DIRECT) return;
  for (int k = 0; k < DOF; k++) {
    aim->p[k] = e->lead[k];
    aim->v[k] = aim->a[k] = 0.0;
  }
}
