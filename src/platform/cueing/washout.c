/* SPDX-License-Identifier: MIT
 * Loop code, except washout_init().
 *
 *   travel   p'' = f - z - 2 zeta wn p' - wn^2 p,   z' = wb (f - z)        f: along the axes of the base
 *   slow     y'' = wn^2 (f - y) - 2 zeta wn y'                             f: along the axes of the platform
 *   turn     a'  = rate - 2 zeta wn a - c,   c' = wn^2 a                   a: roll, pitch, yaw
 *
 * The meaning of the states does not depend on the parameters, so parameters may change at any time, and position and velocity do
 * not jump. */
#include "cueing/washout.h"

#include "cueing/params.h"
#include "hexapod/pose.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* 1/s: smallest decay of the mean force, for a smaller wb. Otherwise the mean force would stay as an offset for ever. */
#define FORGET 0.05
/* 1/s: rate at which a position returns to the reachable one, and decay of a velocity that leads out of reach. The velocity has
 * to turn before the position does, so it decays faster. */
#define DRAW  10.0
#define BLEED 40.0
/* m: below this excess the decay of velocity fades out, so that it does not switch on and off. */
#define ABRUPT 0.005

#define GRAVITY  9.81
#define STEEPEST 0.999 /* sine of a tilt */

static double clamp_to_limit(double x, double most)
{
  return fmax(-most, fmin(most, x));
}

static bool is_finite(const double *x, int n)
{
  double sum = 0.0; /* a sum of zeros, or NaN */
  for (int i = 0; i < n; i++) sum += 0.0 * x[i];
  return sum == 0.0;
}

void washout_travel_law(const struct washout *w, int axis, struct filter_law *law)
{
  const double wn = w->now.hp_wn[axis], wb = w->now.hp_wb[axis];
  *law = (struct filter_law){
      .states = 3,
      .A = {{0.0, 1.0, 0.0}, {-wn * wn, -2.0 * w->now.hp_zeta[0] * wn, -1.0}, {0.0, 0.0, -fmax(wb, FORGET)}},
      .B = {0.0, 1.0, wb}};
}

static void make_filters(struct washout *w)
{
  const struct platform_params *p = &w->now;
  /* One high pass for the travel along each axis. */
  for (int i = 0; i < 3; i++) {
    struct filter_law travel;
    washout_travel_law(w, i, &travel);
    filter_make(&w->travel_filter[i], &travel, w->period);
  }
  /* One low pass for the tilt and one high pass for the rotation. */
  const double low = p->lp_wn[0], turn = p->rot_wn[0];
  const struct filter_law slow = {
      .states = 2, .A = {{0.0, 1.0}, {-low * low, -2.0 * p->lp_zeta[0] * low}}, .B = {0.0, low * low}};
  const struct filter_law turning = {
      .states = 2, .A = {{-2.0 * p->rot_zeta[0] * turn, -1.0}, {turn * turn, 0.0}}, .B = {1.0, 0.0}};
  filter_make(&w->tilt_filter, &slow, w->period);
  filter_make(&w->turn_filter, &turning, w->period);
}

void washout_reset(struct washout *w)
{
  memset(w->travel, 0, sizeof w->travel);
  memset(w->slow, 0, sizeof w->slow);
  memset(w->turn, 0, sizeof w->turn);
  memset(w->turn_rate, 0, sizeof w->turn_rate);
  memset(w->tilt, 0, sizeof w->tilt);
  memset(w->yield, 0, sizeof w->yield);
  memset(w->tilt_aim, 0, sizeof w->tilt_aim);
  memset(w->turn_speed, 0, sizeof w->turn_speed);
  memset(w->travel_force, 0, sizeof w->travel_force);
  memset(w->spin, 0, sizeof w->spin);
  memset(w->attitude, 0, sizeof w->attitude);
  w->force[0] = w->force[1] = 0.0;
  w->force[2] = w->rest;
}

void washout_init(struct washout *w, const struct platform_params *params, double period,
                  const double head[3])
{
  *w = (struct washout){.gravity = GRAVITY,
                        .rest = GRAVITY,
                        .period = period,
                        .draw = 1.0 - exp(-DRAW * period),
                        .bleed = 1.0 - exp(-BLEED * period),
                        .blended = 1.0};
  v3_copy(w->head, head);
  params_si(params, &w->to);
  w->from = w->now = w->to;
  make_filters(w);
  washout_reset(w);
}

void washout_tune(struct washout *w, const struct platform_params *params)
{
  w->from = w->now;
  params_si(params, &w->to);
  w->blended = 0.0;
  w->blending = true;
}

static void blend_params(struct washout *w)
{
  w->retuned = w->blending;
  if (!w->blending) return;
  w->blended = fmin(1.0, w->blended + w->period / w->to.blend[0]);
  w->blending = w->blended < 1.0;
  params_mix(&w->from, &w->to, w->blended, &w->now);
  make_filters(w);
}

/* Keeps the last good values if the new ones are NaN or infinite. */
static void hold_last_good(struct washout *w, double last_good[3], const double in[3])
{
  if (is_finite(in, 3))
    v3_copy(last_good, in);
  else
    w->bad_input = true;
}

/* If the target was out of reach, the filters return to the reachable pose. They then turn back with the input, instead of after
 * the whole way back. */
static void follow_excess(struct washout *w, const double excess[PLATFORM_DOF])
{
  if (!is_finite(excess, PLATFORM_DOF)) {
    w->bad_input = true;
    return;
  }
  for (int i = 0; i < 3; i++) {
    double *x = w->travel[i];
    x[0] += w->draw * excess[i];
    if (x[1] * excess[i] < 0.0) x[1] -= w->bleed * fmin(1.0, fabs(excess[i]) / ABRUPT) * x[1];
    w->turn[i][0] += w->draw * excess[3 + i];
    w->attitude[i] += excess[3 + i];
  }
}

/* Travel of the head, in base axes turned by the yaw of the platform, so that forward is forward for the driver. Roll and pitch
 * do not turn these axes: tilt replaces a lasting force, and in tilted axes that force would push the platform up its own
 * slope. */
static void step_travel(struct washout *w, const double f[3], struct platform_motion *head)
{
  const double c = cos(w->attitude[2]), s = sin(w->attitude[2]);
  double along[3] = {c * f[0] - s * f[1], s * f[0] + c * f[1], f[2]};
  for (int i = 0; i < 3; i++) {
    double *x = w->travel[i];
    w->travel_force[i] = along[i];
    along[i] -= w->yield[i];
    filter_step(&w->travel_filter[i], x, along[i]);
    head->p[i] = x[0];
    head->v[i] = x[1];
    head->a[i] = washout_travel_acceleration(w, i, x, along[i]);
  }
}

/* Angle at which gravity has the component y along the plane, with its derivatives: sin(angle) = y/g. The sine is clamped to
 * STEEPEST, far beyond every tilt. */
static void tilt_for_force(double o[3], double sine, double rate, double acceleration)
{
  const bool steep = fabs(sine) > STEEPEST;
  const double x = clamp_to_limit(sine, STEEPEST), cosine = sqrt(1.0 - x * x);
  o[0] = atan2(x, cosine);
  o[1] = steep ? 0.0 : rate / cosine;
  o[2] = steep ? 0.0 : (acceleration + x * o[1] * o[1]) / cosine;
}

/* A force forward tilts the nose up, a negative pitch; a force to the left lifts the left side, a positive roll. */
static void step_tilt(struct washout *w, const double f[3])
{
  const struct tilt_limits limits = {w->now.tilt_rate[0], w->now.tilt_acc[0], w->now.tilt_jerk[0],
                                     w->now.tilt_max[0]};
  const double wn = w->now.lp_wn[0], zeta = w->now.lp_zeta[0];
  w->tilt_limited = false;
  for (int i = 0; i < 2; i++) {
    double *y = w->slow[i], wanted[3];
    struct tilt *t = &w->tilt[1 - i];
    const double unit = (i == 0 ? -1.0 : 1.0) / w->gravity;
    filter_step(&w->tilt_filter, y, f[i]);
    tilt_for_force(wanted, unit * y[0], unit * y[1],
                   unit * (wn * wn * (f[i] - y[0]) - 2.0 * zeta * wn * y[1]));
    w->tilt_aim[1 - i] = clamp_to_limit(wanted[0], limits.most);
    tilt_step(t, &limits, wanted, w->period);
    w->tilt_limited = w->tilt_limited || t->rate_limited || t->angle_limited;
  }
}

/* Attitude: rotation plus tilt. The rate jumps with its input. The acceleration spreads a jump over the cycle, so that it matches
 * the change of the velocity. */
static void step_rotation(struct washout *w, const double spin[3], struct platform_motion *head)
{
  const double wn = w->now.rot_wn[0], damping = 2.0 * w->now.rot_zeta[0] * wn;
  double rate[3];
  pose_angle_rates(rate, w->attitude, spin);
  /* High-pass the rate. */
  for (int i = 0; i < 3; i++) {
    double *x = w->turn[i];
    filter_step(&w->turn_filter, x, rate[i]);
    const double v = washout_turn_rate(w, x, rate[i]), jump = rate[i] - w->turn_rate[i];
    head->p[3 + i] = x[0];
    head->v[3 + i] = v;
    head->a[3 + i] = jump / w->period - damping * v - wn * wn * x[0];
    w->turn_rate[i] = rate[i];
    w->turn_speed[i] = v;
  }
  /* Add the tilt. */
  for (int i = 0; i < 2; i++) {
    head->p[3 + i] += w->tilt[i].p;
    head->v[3 + i] += w->tilt[i].v;
    head->a[3 + i] += w->tilt[i].a;
  }
}

/* From the motion of the head point to that of the reference point: p = s + h - R h. */
static void to_reference(struct platform_motion *m, const double h[3])
{
  double R[9], spin[3], spin_rate[3], arm[3], arm_v[3], arm_a[3], part[3], o[3];
  pose_rotation(R, m->p + 3);
  pose_spin(spin, m->p + 3, m->v + 3);
  pose_spin_rate(spin_rate, m->p + 3, m->v + 3, m->a + 3);
  v3_cross(arm_v, spin, h);
  v3_cross(arm_a, spin_rate, h);
  v3_cross(part, spin, arm_v);
  v3_axpy(arm_a, 1.0, part);
  m3_mul(arm, R, h);
  v3_sub(part, h, arm);
  v3_axpy(m->p, 1.0, part);
  m3_mul(o, R, arm_v);
  v3_axpy(m->v, -1.0, o);
  m3_mul(o, R, arm_a);
  v3_axpy(m->a, -1.0, o);
}

static bool is_state_finite(const struct washout *w, const struct platform_motion *m)
{
  bool finite =
      is_finite(m->p, PLATFORM_DOF) && is_finite(m->v, PLATFORM_DOF) && is_finite(m->a, PLATFORM_DOF);
  for (int i = 0; i < 3; i++) finite = finite && is_finite(w->travel[i], 3) && is_finite(w->turn[i], 2);
  for (int i = 0; i < 2; i++) finite = finite && is_finite(w->slow[i], 2);
  return finite;
}

void washout_step(struct washout *w, const double force[3], const double spin[3],
                  const double excess[PLATFORM_DOF], struct platform_motion *target)
{
  const double up[3] = {0.0, 0.0, w->rest};
  double *f = w->scaled_force, *rate = w->scaled_rate;
  /* Take the inputs and the parameters of this cycle. */
  w->bad_input = w->reset = false;
  hold_last_good(w, w->force, force);
  hold_last_good(w, w->spin, spin);
  blend_params(w);
  follow_excess(w, excess);
  /* Scale and limit the inputs. */
  for (int i = 0; i < 3; i++) {
    f[i] = clamp_to_limit(w->now.gain_lin[i] * (w->force[i] - up[i]), w->now.in_limit_lin[i]);
    rate[i] = clamp_to_limit(w->now.gain_rot[i] * w->spin[i], w->now.in_limit_rot[i]);
  }
  /* Run the three channels, then convert from the head point to the reference point. */
  step_travel(w, f, target);
  step_tilt(w, f);
  step_rotation(w, rate, target);
  to_reference(target, w->head);
  /* Restart filters that overflowed. */
  if (!is_state_finite(w, target)) {
    washout_reset(w);
    memset(target, 0, sizeof *target);
    w->reset = true;
  }
  v3_copy(w->attitude, target->p + 3);
}
