/* SPDX-License-Identifier: MIT */
#include "cueing/live.h"

#include "envelope/axis.h"
#include "hexapod/pose.h"
#include "math/euler.h"

#include <math.h>
#include <string.h>

#define FARTHEST 1.2 /* limit of the wind-up of the washout, relative to the limits of position */
static const double SHORTEST = 1e-6, LONGEST = 1e6; /* squares of the length of an orientation */

/* Critically damped, so that it does not overshoot. */
static void make_smooth(struct live *l, double hz, double period)
{
  const double w = 2.0 * M_PI * hz;
  const struct filter_law law = {.states = 2, .A = {{0.0, 1.0}, {-w * w, -2.0 * w}}, .B = {0.0, w * w}};
  filter_make(&l->smooth, &law, period);
  l->w = w;
}

void live_init(struct live *l, const struct platform_params *params, double period, const double head[3],
               double gravity)
{
  memset(l, 0, sizeof *l);
  washout_init(&l->washout, params, period, head);
  l->washout.rest = gravity;
  washout_reset(&l->washout);
  room_make(&l->room, &l->washout);
  make_smooth(l, params->smooth_hz[0], period);
  l->period = period;
  l->ride_ramp = params->ride_ramp[0];
  l->rot_wn = params->rot_wn[0];
}

void live_tune(struct live *l, const struct platform_params *params, double period)
{
  washout_tune(&l->washout, params);
  make_smooth(l, params->smooth_hz[0], period);
  l->ride_ramp = params->ride_ramp[0];
  l->rot_wn = params->rot_wn[0];
}

static bool is_all_finite(const double *x, int n)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* True if all numbers are finite and the orientation has a norm. */
static bool is_pose(const double *x)
{
  if (!is_all_finite(x, SENSOR_NUMBERS)) return false;
  const double length = p_dot(x + SENSOR_ORIENTATION, x + SENSOR_ORIENTATION);
  return length > SHORTEST && length < LONGEST;
}

bool live_zero(struct live *l, const struct platform_input *in)
{
  l->zeroed = !in->sensor || is_pose(in->sensor);
  if (!in->sensor || !l->zeroed) return false;
  memcpy(l->zero_position, in->sensor + SENSOR_POSITION, sizeof l->zero_position);
  memcpy(l->zero_orientation, in->sensor + SENSOR_ORIENTATION, sizeof l->zero_orientation);
  return true;
}

void live_reset(struct live *l, const struct platform_input *in)
{
  struct attitude_target to;
  double R[9];
  washout_reset(&l->washout);
  room_reset(&l->room);
  l->ramped = 0.0;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    l->beyond[k] = 0.0;
    l->held[k] = isfinite(in->external[k]) ? in->external[k] : 0.0;
    l->state[k][0] = l->held[k];
    l->state[k][1] = 0.0;
  }
  /* The angles of an input as an orientation, with the heading of now as neutral if it is washed out. */
  pose_rotation(R, l->held + 3);
  l->attitude.known = false;
  attitude_step(&l->attitude, R, l->period, &to);
  l->attitude.known = false;
  l->heading = 0.0;
  for (int i = 0; i < 3; i++) l->state[3 + i][0] = i == 2 && l->washes_heading ? 0.0 : to.angle[i];
}

/* With heading: washout the yaw returns to 0: a high-pass of first order. */
static void wash_heading(struct live *l, double angle[3], double *rate, double *acceleration)
{
  if (!l->washes_heading) return;
  l->heading = (l->heading + angle[2] - l->heading_from) / (1.0 + l->rot_wn * l->period);
  l->heading_from = angle[2];
  angle[2] = l->heading;
  if (!rate) return;
  *rate -= l->rot_wn * l->heading;
  *acceleration -= l->rot_wn * *rate;
}

/* The target angles for an orientation. */
static void follow_attitude(struct live *l, const double R[9], struct attitude_target *o)
{
  const bool first = !l->attitude.known;
  attitude_step(&l->attitude, R, l->period, o);
  if (first) l->heading_from = l->washes_heading ? o->angle[2] : 0.0;
}

/* Motion of the sensor relative to its pose at the start. */
static void from_sensor(struct live *l, const double *x, struct platform_motion *m)
{
  struct attitude_target to;
  double r[9], d[3];
  p_rotation(r, l->zero_orientation);
  v3_sub(d, x + SENSOR_POSITION, l->zero_position);
  m3_tmul(m->p, r, d);
  m3_tmul(m->v, r, x + SENSOR_VELOCITY);
  m3_tmul(m->a, r, x + SENSOR_ACCELERATION);
  pose_relative(r, x + SENSOR_ORIENTATION, l->zero_orientation);
  follow_attitude(l, r, &to);
  pose_angle_rates(m->v + 3, to.principal, x + SENSOR_SPIN);
  pose_angle_accelerations(m->a + 3, to.principal, m->v + 3, x + SENSOR_SPIN_RATE);
  memcpy(m->p + 3, to.angle, sizeof to.angle);
  m->v[3] *= to.way;
  m->a[3] *= to.way;
  for (int i = 0; to.lags && i < 3; i += 2) { /* roll and yaw */
    m->v[3 + i] = to.lag[i];
    m->a[3 + i] = 0.0;
  }
  wash_heading(l, m->p + 3, &m->v[5], &m->a[5]);
}

/* Keeps the pose, at rest. */
static void hold_pose(struct platform_motion *m)
{
  memset(m->v, 0, sizeof m->v);
  memset(m->a, 0, sizeof m->a);
}

static void smooth_external(struct live *l, const double external[PLATFORM_DOF], struct platform_motion *m)
{
  double wanted[PLATFORM_DOF], R[9];
  struct attitude_target to;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    if (isfinite(external[k]))
      l->held[k] = external[k];
    else
      l->bad = true;
    wanted[k] = l->held[k];
  }
  /* A client may send any of the angles that an orientation has. */
  pose_rotation(R, wanted + 3);
  follow_attitude(l, R, &to);
  wash_heading(l, to.angle, NULL, NULL);
  memcpy(wanted + 3, to.angle, sizeof to.angle);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    double *x = l->state[k];
    filter_step(&l->smooth, x, wanted[k]);
    m->p[k] = x[0];
    m->v[k] = x[1];
    m->a[k] = l->w * (l->w * (wanted[k] - x[0]) - 2.0 * x[1]);
  }
}

/* The size of the motion at the start of a ride, and its derivatives: a curve from 0 to 1 that begins and ends at rest. */
static void ramp_size(struct live *l, double size[3])
{
  const double T = l->ride_ramp, s = l->ramped, rest = 1.0 - s;
  size[0] = 1.0;
  size[1] = size[2] = 0.0;
  if (T <= 0.0 || s >= 1.0) {
    l->ramped = 1.0;
    return;
  }
  size[0] = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
  size[1] = 30.0 * s * s * rest * rest / T;
  size[2] = 60.0 * s * rest * (1.0 - 2.0 * s) / (T * T);
  l->ramped += l->period / T;
}

static void scale_target(const double size[3], struct platform_motion *m)
{
  for (int k = 0; k < PLATFORM_DOF; k++) {
    m->a[k] = size[0] * m->a[k] + 2.0 * size[1] * m->v[k] + size[2] * m->p[k];
    m->v[k] = size[0] * m->v[k] + size[1] * m->p[k];
    m->p[k] *= size[0];
  }
}

/* The input of the washout as if the gains were smaller: gravity stays. */
static void scale_input(const struct live *l, double size, const struct platform_input *in,
                        struct platform_input *o)
{
  *o = *in;
  for (int i = 0; i < 3; i++) {
    const double rest = i == 2 ? l->washout.rest : 0.0;
    o->specific_force[i] = rest + size * (in->specific_force[i] - rest);
    o->angular_velocity[i] = size * in->angular_velocity[i];
  }
}

/* The filters may exceed the limits of the platform a little, but not without bound: they have to return before the platform
 * can. */
static void wash_out(struct live *l, const struct platform_input *in, const struct hexapod *h,
                     const double limit[PLATFORM_DOF], const double excess[PLATFORM_DOF],
                     struct platform_motion *target)
{
  double back[PLATFORM_DOF];
  for (int k = 0; k < PLATFORM_DOF; k++) back[k] = excess[k] + l->beyond[k];
  memcpy(l->washout.yield, l->room.yield, sizeof l->washout.yield);
  washout_step(&l->washout, in->specific_force, in->angular_velocity, back, target);
  /* Look ahead for the next cycle. */
  if (l->washout.retuned) room_make(&l->room, &l->washout);
  if (l->washout.reset) room_reset(&l->room);
  room_step(&l->room, &l->washout, h, limit);
  l->bad = l->washout.bad_input || l->washout.reset;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double most = FARTHEST * limit[k];
    l->beyond[k] = fmax(-most, fmin(most, target->p[k])) - target->p[k];
    axis_bend(limit[k], l->washout.now.knee[0], &target->p[k], &target->v[k], &target->a[k]);
  }
}

void live_step(struct live *l, enum platform_mode mode, const struct platform_input *in,
               const struct hexapod *h, const double limit[PLATFORM_DOF], const double excess[PLATFORM_DOF],
               struct platform_motion *target)
{
  double size[3];
  struct platform_input ramped;
  ramp_size(l, size);
  l->bad = false;
  switch (mode) {
  /* Filter specific force and angular velocity. */
  case PLATFORM_WASHOUT:
    scale_input(l, size[0], in, &ramped);
    wash_out(l, size[0] < 1.0 ? &ramped : in, h, limit, excess, target);
    break;
  /* Follow the sensor. A bad sample holds the last good pose. */
  case PLATFORM_POSE:
    l->bad = !in->sensor || !l->zeroed || !is_pose(in->sensor);
    if (l->bad)
      hold_pose(&l->last);
    else
      from_sensor(l, in->sensor, &l->last);
    *target = l->last;
    scale_target(size, target);
    break;
  /* Smooth the targets of a client. */
  case PLATFORM_EXTERNAL:
    smooth_external(l, in->external, target);
    scale_target(size, target);
    break;
  }
}
