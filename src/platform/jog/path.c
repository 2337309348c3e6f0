/* SPDX-License-Identifier: MIT
 * RT: constant memory and bounded time. */
#include "jog/jog_parts.h"

#include "cueing/params.h"
#include "rig/forward.h"

#include <math.h>
#include <string.h>

enum {
  RAMP_CYCLES = 400, /* longest ramp; a stop of the envelope may take ENVELOPE_STOP_CYCLES */
  RAMP_LEAST = 8,    /* shortest ramp */
  CLOSING_STEPS = 3, /* Newton steps from a pose of the jog to the place of its stop */
};

static const double SHARE = 0.5;    /* largest part of the platform's limits that a jog uses */
static const double SLOWEST = 0.1;  /* fraction of the leg's speed that must be left near a singular pose */
static const double ASTRAY = 1e-3;  /* m or rad: the platform is farther than this from the target */
static const double REACHED = 1e-7; /* m or rad: it has come to its place */
static const double OFF = 2e-6;     /* m or rad: another leg has moved more than this */

static bool is_leg(unsigned part)
{
  return part >= PLATFORM_DOF;
}

static double full_speed(const struct jog *j, unsigned part)
{
  if (is_leg(part)) return j->spec.leg_speed;
  return part < 3 ? j->spec.speed : j->spec.turn_speed;
}

/* The rates of the coordinates per unit of the part's own rate. */
static bool unit_rates(const struct hexapod *h, unsigned part, const double pose[PLATFORM_DOF],
                       double v[PLATFORM_DOF])
{
  double rate[PLATFORM_LEGS] = {0};
  if (is_leg(part)) {
    rate[part - PLATFORM_DOF] = 1.0;
    return forward_rates(h, pose, rate, v);
  }
  memset(v, 0, PLATFORM_DOF * sizeof *v);
  v[part] = 1.0;
  return true;
}

/* The law of the distance: from rest to the speed in one ramp, with a third of it for each change of the acceleration, and within
 * a share of what the platform and its legs may do. */
static bool set_law(struct jog *j, const struct platform *p, unsigned part)
{
  struct platform_limits l;
  double unit[PLATFORM_DOF];
  const double wanted = full_speed(j, part);
  const double ramp = fmax(fmin(j->spec.ramp, RAMP_CYCLES * j->period), RAMP_LEAST * j->period);
  if (!unit_rates(&p->hexapod, part, j->origin, unit)) return false;
  /* The speed of the slowest coordinate or leg. */
  params_limits(&p->spec.params, &l);
  double speed = wanted, acceleration = 1.5 * wanted / ramp, jerk = 4.5 * wanted / (ramp * ramp);
  if (is_leg(part)) speed = fmin(speed, SHARE * p->spec.geometry.leg_rate);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double by = fabs(unit[k]);
    if (by == 0.0) continue;
    speed = fmin(speed, SHARE * l.vel[k] / by);
    acceleration = fmin(acceleration, SHARE * l.acc[k] / by);
    jerk = fmin(jerk, SHARE * l.jerk[k] / by);
  }
  /* A stop within the longest ramp. */
  const double longest = RAMP_CYCLES * j->period;
  acceleration = fmin(acceleration, jerk * longest / 3.0);
  speed = fmin(speed, acceleration * (longest - acceleration / jerk));
  axis_set(&j->law, speed, acceleration, jerk, j->period);
  return speed >= SLOWEST * wanted || !is_leg(part);
}

void path_stand(struct jog *j, const struct platform *p)
{
  memset(&j->target, 0, sizeof j->target);
  memcpy(j->origin, p->envelope.now.p, sizeof j->origin);
  memcpy(j->target.p, j->origin, sizeof j->origin);
  memcpy(j->leg, p->envelope.legs.leg, sizeof j->leg);
  j->at = (struct axis_state){0};
}

bool path_begin(struct jog *j, const struct platform *p, unsigned part)
{
  struct hexapod_state legs;
  if (!j->on || j->held || p->state != PLATFORM_JOG) path_stand(j, p);
  memcpy(j->origin, j->target.p, sizeof j->origin);
  if (!hexapod_solve(&p->hexapod, j->origin, NULL, &legs)) return false;
  memcpy(j->leg, legs.leg, sizeof j->leg);
  j->at = (struct axis_state){0};
  j->blocked = 0.0;
  j->off_path = j->held = j->reported = false;
  return set_law(j, p, part);
}

/* The pose at a distance, by a number of Newton steps. `pose` comes with one nearby. */
static bool pose_at(const struct jog *j, const struct hexapod *h, double distance, int steps,
                    double pose[PLATFORM_DOF])
{
  if (!is_leg((unsigned)j->part)) {
    pose[j->part] = j->origin[j->part] + distance;
    return true;
  }
  double leg[PLATFORM_LEGS];
  memcpy(leg, j->leg, sizeof leg);
  leg[j->part - PLATFORM_DOF] += distance;
  for (int i = 0; i < steps; i++)
    if (!forward_step(h, leg, pose)) return false;
  return true;
}

/* True if the other legs have their lengths at this pose, or a coordinate moves. */
static bool is_on_path(const struct jog *j, const struct hexapod *h, double distance,
                       const double pose[PLATFORM_DOF])
{
  struct hexapod_state s;
  if (!is_leg((unsigned)j->part)) return true;
  if (!hexapod_solve(h, pose, NULL, &s)) return false;
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    const double wanted = j->leg[i] + (i == j->part - PLATFORM_DOF ? distance : 0.0);
    if (!(fabs(s.leg[i] - wanted) <= OFF)) return false;
  }
  return true;
}

/* The distance at which the jog comes to rest from `at`. The ramp bounds the number of cycles. */
static double stop_distance(const struct axis *law, struct axis_state at)
{
  for (int n = 0; n < ENVELOPE_STOP_CYCLES && (at.v != 0.0 || at.a != 0.0); n++)
    axis_advance(law, axis_brake(law, at.v, at.a), &at);
  return at.p;
}

/* True if the jog may go to `next`: the pose at which it would come to rest from there is within the reach of the platform. */
static bool may_go(const struct jog *j, const struct platform *p, const struct axis_state *next)
{
  double pose[PLATFORM_DOF];
  const double end = stop_distance(&j->law, *next);
  memcpy(pose, j->target.p, sizeof pose);
  return pose_at(j, &p->hexapod, end, CLOSING_STEPS, pose) && is_on_path(j, &p->hexapod, end, pose) &&
         envelope_reaches(&p->envelope, pose);
}

/* The platform may keep a limit that the jog does not know, such as one that was just narrowed. The jog then ends. */
static bool is_farther(const struct jog *j, const struct platform *p, double distance)
{
  for (int k = 0; k < PLATFORM_DOF; k++)
    if (!(fabs(p->envelope.now.p[k] - j->target.p[k]) <= distance)) return true;
  return false;
}

bool path_is_over(struct jog *j, const struct platform *p)
{
  j->held = j->held || !is_farther(j, p, REACHED);
  return j->held;
}

/* A jog of a leg changes its direction in the coordinates, so its acceleration comes from the change of its rates. */
static bool set_target(struct jog *j, const struct platform *p)
{
  double pose[PLATFORM_DOF], unit[PLATFORM_DOF];
  memcpy(pose, j->target.p, sizeof pose);
  if (!pose_at(j, &p->hexapod, j->at.p, 1, pose)) return false;
  if (!unit_rates(&p->hexapod, (unsigned)j->part, pose, unit)) return false;
  memcpy(j->target.p, pose, sizeof pose);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double v = unit[k] * j->at.v;
    j->target.a[k] = is_leg((unsigned)j->part) ? (v - j->target.v[k]) / j->period : unit[k] * j->at.a;
    j->target.v[k] = v;
  }
  return true;
}

/* Nothing solves the legs here: the target stays, and the platform brakes towards it. */
static void lose_path(struct jog *j)
{
  j->off_path = true;
  j->at.v = j->at.a = 0.0;
}

bool path_advance(struct jog *j, const struct platform *p)
{
  struct axis_state next = j->at;
  if (is_farther(j, p, ASTRAY)) j->off_path = true;
  /* Towards the wanted speed, if a stop after this cycle is possible; else brake, which the last cycle has checked. */
  const bool ends = j->off_path || j->blocked * j->wanted > 0.0;
  const double speed = ends ? 0.0 : j->wanted * j->law.velocity;
  axis_advance(&j->law, axis_brake(&j->law, next.v - speed, next.a), &next);
  if (speed != 0.0 && !may_go(j, p, &next)) {
    j->blocked = copysign(1.0, j->wanted);
    next = j->at;
    axis_advance(&j->law, axis_brake(&j->law, next.v, next.a), &next);
  }
  j->at = next;
  if (!set_target(j, p)) lose_path(j);
  if (j->at.v != 0.0 || j->at.a != 0.0) {
    j->reported = false;
    return true;
  }
  memset(j->target.v, 0, sizeof j->target.v);
  memset(j->target.a, 0, sizeof j->target.a);
  return j->wanted != 0.0 && !j->off_path && !(j->blocked * j->wanted > 0.0);
}
