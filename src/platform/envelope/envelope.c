/* SPDX-License-Identifier: MIT
 * One cycle of the envelope. RT, except envelope_init(). */
#include "envelope/envelope.h"
#include "envelope/envelope_parts.h"

#include <math.h>
#include <stdio.h>

enum { DOF = PLATFORM_DOF, BLEND_TRIES = 3 };

/* A coordinate farther from its target than this fraction of its range counts as rate limited. */
static const double BEHIND = 1e-3;
/* Fraction of a new limit of position that is aimed at, because a motion from beyond it never quite reaches the limit itself. */
static const double INSIDE = 0.999;

/* Reduces acceleration and velocity so that releasing the acceleration and stopping both take at most ENVELOPE_STOP_CYCLES. */
static void make_laws(struct envelope_laws *laws, const struct platform_limits *limits, double period)
{
  const double longest = ENVELOPE_STOP_CYCLES * period;
  laws->limits = *limits;
  for (int k = 0; k < DOF; k++) {
    const double acceleration = fmin(limits->acc[k], limits->jerk[k] * longest / 8.0);
    const double velocity = fmin(limits->vel[k], 0.7 * acceleration * longest);
    axis_set(&laws->axis[k], velocity, acceleration, limits->jerk[k], period);
    laws->acceleration[k] = laws->axis[k].acceleration;
    laws->step[k] = laws->axis[k].step;
  }
}

bool envelope_init(struct envelope *e, const struct hexapod *hexapod, const struct platform_limits *limits,
                   double period, const double pose[PLATFORM_DOF], char *error, size_t size)
{
  *e = (struct envelope){.hexapod = hexapod, .period = period};
  make_laws(&e->hold, limits, period);
  e->want = e->aim = e->hold;
  /* Check that the pose is within its limits and in reach of the legs. */
  for (int k = 0; k < DOF; k++) {
    e->now.p[k] = e->reachable[k] = pose[k];
    if (fabs(pose[k]) <= limits->pos[k]) continue;
    snprintf(error, size, "%s of %g is beyond its limit of %g", platform_coordinate_name[k], pose[k],
             limits->pos[k]);
    return false;
  }
  if (!hexapod_solve(hexapod, pose, e->now.v, &e->legs)) {
    snprintf(error, size, "a rod does not reach");
    return false;
  }
  return envelope_reaches(e, pose) || hexapod_explain(hexapod, &e->legs, error, size);
}

static void adopt_limits(struct envelope *e)
{
  struct stop_budget budget = stop_budget();
  unsigned failed;
  if (!e->pending ||
      envelope_stop(e->hexapod, &e->want, &e->known, &e->now, &budget, &failed) != STOP_POSSIBLE)
    return;
  e->hold = e->aim = e->want;
  e->pending = false;
}

void envelope_limits(struct envelope *e, const struct platform_limits *limits)
{
  const struct platform_limits *hold = &e->hold.limits;
  struct platform_limits smaller;
  for (int k = 0; k < DOF; k++) {
    smaller.pos[k] = fmin(hold->pos[k], INSIDE * limits->pos[k]);
    smaller.vel[k] = fmin(hold->vel[k], limits->vel[k]);
    smaller.acc[k] = fmin(hold->acc[k], limits->acc[k]);
    smaller.jerk[k] = fmin(hold->jerk[k], limits->jerk[k]);
  }
  make_laws(&e->want, limits, e->period);
  make_laws(&e->aim, &smaller, e->period);
  e->pending = true;
  e->way = ENVELOPE_DIRECT;
  adopt_limits(e);
}

/* A possible cycle: its jerk and its end state. */
struct candidate {
  double jerk[DOF];
  struct platform_motion next;
};

static void take_candidate(struct envelope *e, const struct candidate *c)
{
  for (int k = 0; k < DOF; k++) e->jerk[k] = c->jerk[k];
  e->now = c->next;
  hexapod_solve(e->hexapod, e->now.p, e->now.v, &e->legs);
  hexapod_know(e->hexapod, e->now.p, &e->legs, 0.0, &e->known);
}

static enum stop try_candidate(const struct envelope *e, struct candidate *c, struct stop_budget *budget,
                               unsigned *failed)
{
  c->next = e->now;
  envelope_advance(&e->hold, c->jerk, &c->next);
  return envelope_stop(e->hexapod, &e->hold, &e->known, &c->next, budget, failed);
}

/* Braking needs no check: the last cycle has checked it. */
static void brake_candidate(const struct envelope *e, struct candidate *c)
{
  c->next = e->now;
  envelope_braking(&e->hold, &c->next, c->jerk);
}

/* Replaces `wanted` by a mix with braking, as close to `wanted` as a few bisections find. False if only braking is possible. */
static bool blend_with_braking(const struct envelope *e, const struct candidate *braking,
                               struct candidate *wanted, struct stop_budget *budget)
{
  const struct candidate all = *wanted;
  double part = 0.0;
  for (int n = 1; n <= BLEND_TRIES; n++) {
    const double step = 1.0 / (double)(1 << n);
    struct candidate c;
    unsigned failed;
    for (int k = 0; k < DOF; k++)
      c.jerk[k] = braking->jerk[k] + (part + step) * (all.jerk[k] - braking->jerk[k]);
    if (try_candidate(e, &c, budget, &failed) != STOP_POSSIBLE) continue;
    part += step;
    *wanted = c;
  }
  return part > 0.0;
}

/* A coordinate that would exceed its own limits brakes without delaying the others. If a leg would exceed its limits, all
 * coordinates brake in part. False if only braking is possible. */
static bool go_direct(const struct envelope *e, const struct platform_motion *aim,
                      const struct candidate *braking, struct candidate *wanted)
{
  struct stop_budget budget = stop_budget();
  enum stop stop = STOP_COORDINATE;
  /* Compute the jerk of each coordinate on its own. */
  for (int k = 0; k < DOF; k++) {
    const struct axis_state now = {e->now.p[k], e->now.v[k], e->now.a[k]};
    const struct axis_state target = {aim->p[k], aim->v[k], aim->a[k]};
    wanted->jerk[k] = axis_follow(&e->aim.axis[k], &now, &target);
  }
  /* Try all together; a coordinate that fails brakes instead. */
  for (int n = 0; n <= DOF && stop == STOP_COORDINATE; n++) {
    unsigned failed;
    stop = try_candidate(e, wanted, &budget, &failed);
    for (int k = 0; k < DOF && stop == STOP_COORDINATE; k++)
      if (failed & 1U << k) wanted->jerk[k] = braking->jerk[k];
  }
  return stop == STOP_POSSIBLE || blend_with_braking(e, braking, wanted, &budget);
}

static bool go_on_detour(const struct envelope *e, struct candidate *wanted)
{
  struct stop_budget budget = stop_budget();
  unsigned failed;
  return envelope_detour_jerk(e, wanted->jerk) && try_candidate(e, wanted, &budget, &failed) == STOP_POSSIBLE;
}

static void follow_aim(struct envelope *e, const struct platform_motion *aim)
{
  struct candidate braking, wanted;
  const bool detour = envelope_detour(e);
  brake_candidate(e, &braking);
  const bool possible = detour ? go_on_detour(e, &wanted) : go_direct(e, aim, &braking, &wanted);
  take_candidate(e, possible ? &wanted : &braking);
  if (detour)
    envelope_detour_went(e, possible);
  else
    envelope_direct_went(e, possible);
}

void envelope_step(struct envelope *e, const struct platform_motion *target)
{
  struct platform_motion aim;
  adopt_limits(e);
  envelope_aim(e, target, &aim);
  follow_aim(e, &aim);
  e->rate_limited = false;
  for (int k = 0; k < DOF; k++)
    e->rate_limited |= !(fabs(e->reachable[k] - e->now.p[k]) <= BEHIND * e->aim.limits.pos[k]);
}

void envelope_step_directly(struct envelope *e, const struct platform_motion *target)
{
  e->way = ENVELOPE_DIRECT;
  e->blocked = 0.0;
  envelope_step(e, target);
}

void envelope_brake(struct envelope *e)
{
  struct candidate braking;
  adopt_limits(e);
  brake_candidate(e, &braking);
  take_candidate(e, &braking);
  e->way = ENVELOPE_DIRECT;
  e->blocked = 0.0;
  e->limited = e->unreachable = e->rate_limited = false;
}
