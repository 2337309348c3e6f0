/* SPDX-License-Identifier: MIT
 * Loop code. */
#include "actuators/tyre.h"

#include <math.h>
#include <string.h>

static const double SLIP_LEAST = 1e-8; /* linear up to here */
static const double SLIP_MOST = 1e9;   /* a wheel that slides without rolling */
static const double STANDSTILL = 1e-3; /* m/s: slower motion has no slip to show */

double tyre_stiffness(const ali3_force_spec *t, int i)
{
  return t->slip_stiffness[i] * t->load / t->relaxation[i];
}

/* The magic formula, and its derivative. */
static double magic_formula(const ali3_force_spec *t, double slip, double *slope)
{
  const double C = t->shape, E = t->curvature, x = slip / C, z = (1.0 - E) * x + E * atan(x);
  *slope = cos(C * atan(z)) / (1.0 + z * z) * ((1.0 - E) + E / (1.0 + x * x));
  return sin(C * atan(z));
}

/* How fast the deflections fade: r[i], 1/s. change[i]: derivative of r[i] by sliding[i]. load above 0. */
static void fade_rates(const ali3_force_spec *t, const struct tyre_motion *at, double load, double r[2],
                       double change[2])
{
  double k[2], w[2], slope, speed = fabs(at->rolling), steepness = 0.0;
  for (int i = 0; i < 2; i++) {
    k[i] = t->slip_stiffness[i] / t->grip[i];
    w[i] = k[i] * at->sliding[i];
  }
  const double W = sqrt(w[0] * w[0] + w[1] * w[1]), slip = W == 0.0                ? 0.0
                                                           : W < SLIP_MOST * speed ? W / speed
                                                                                   : SLIP_MOST;
  if (slip > SLIP_LEAST) {
    const double g = magic_formula(t, slip, &slope);
    steepness = slip < SLIP_MOST ? (g - slip * slope) / (g * g) : 1.0 / g;
    speed = W / g;
  }
  for (int i = 0; i < 2; i++) {
    const double scale = t->load / (t->relaxation[i] * load);
    r[i] = scale * speed;
    change[i] = steepness > 0.0 ? scale * steepness * k[i] * w[i] / W : 0.0;
  }
}

/* The part of a force that an ellipse of friction leaves: 1 within it. */
static double within_ellipse(const ali3_force_spec *t, const double force[2], double load)
{
  const double x = force[0] / (t->grip[0] * load), y = force[1] / (t->grip[1] * load),
               over = sqrt(x * x + y * y);
  return over > 1.0 ? 1.0 / over : 1.0;
}

static double damping_at(const ali3_force_spec *t, int i, double load)
{
  return t->slip_damping[i] * load / t->load;
}

/* One implicit stage of the length tau. */
struct stage {
  double u[2], force[2];
  double yields[2];   /* -du/d(sliding) at the same base */
  double gain[2];     /* -dF/d(sliding) at the same base */
  double remember[2]; /* dF/d(base) */
  double lost;        /* W */
};

static struct stage solve_tread(const ali3_force_spec *t, const struct tyre_motion *at, double load,
                                double tau, const double base[2])
{
  struct stage s = {.lost = 0.0};
  double r[2], change[2], spring[2];
  if (!(load > 0.0)) { /* a load that is not a number stays, so that the step fails */
    for (int i = 0; i < 2; i++) {
      const double k = tyre_stiffness(t, i);
      s.u[i] = s.force[i] = load < 0.0 ? 0.0 : load;
      s.lost += 0.5 * k * base[i] * base[i] / tau;
    }
    return s;
  }
  /* the deflections, within the friction */
  fade_rates(t, at, load, r, change);
  for (int i = 0; i < 2; i++) {
    const double divisor = 1.0 / (1.0 + tau * r[i]);
    s.u[i] = (base[i] - tau * at->sliding[i]) * divisor;
    s.yields[i] = tau * divisor * fmax(0.0, 1.0 + s.u[i] * change[i]);
    s.remember[i] = divisor;
    spring[i] = tyre_stiffness(t, i) * s.u[i];
  }
  const double inside = within_ellipse(t, spring, load);
  /* the forces, within the friction */
  for (int i = 0; i < 2; i++) {
    const double k = tyre_stiffness(t, i), d = damping_at(t, i, load);
    s.u[i] *= inside;
    s.yields[i] *= inside;
    s.force[i] = k * s.u[i] + d * (-at->sliding[i] - r[i] * s.u[i]);
    s.gain[i] = k * s.yields[i] + d * fmax(0.0, 1.0 + s.u[i] * change[i] - r[i] * s.yields[i]);
    s.remember[i] *= inside * (k - d * r[i]);
  }
  const double left = within_ellipse(t, s.force, load);
  for (int i = 0; i < 2; i++) {
    s.force[i] *= left;
    s.gain[i] *= left;
    s.remember[i] *= left;
    s.lost -= s.force[i] * at->sliding[i] + tyre_stiffness(t, i) * s.u[i] * (s.u[i] - base[i]) / tau;
  }
  return s;
}

void tyre_force(const ali3_force_spec *t, const double *own, const struct tyre_motion *motion, double load,
                double force[2])
{
  double r[2], change[2];
  force[0] = force[1] = 0.0;
  if (!(load > 0.0)) return;
  fade_rates(t, motion, load, r, change);
  for (int i = 0; i < 2; i++) {
    const double u = own[TYRE_DEFLECTION + i];
    force[i] = tyre_stiffness(t, i) * u + damping_at(t, i, load) * (-motion->sliding[i] - r[i] * u);
  }
  const double left = within_ellipse(t, force, load);
  for (int i = 0; i < 2; i++) force[i] *= left;
}

/* The motion at the first stage, between both ends. */
static struct tyre_motion motion_between(const struct tyre_way *way)
{
  struct tyre_motion o;
  for (int i = 0; i < 2; i++)
    o.sliding[i] = way->start.sliding[i] + ACTUATOR_STAGE * (way->end.sliding[i] - way->start.sliding[i]);
  o.rolling = way->start.rolling + ACTUATOR_STAGE * (way->end.rolling - way->start.rolling);
  return o;
}

void tyre_step(const ali3_force_spec *t, const struct tyre_way *way, const double *from, double *own,
               double mean[2], double slope[2])
{
  const double tau = ACTUATOR_STAGE * way->dt, later = (1.0 - ACTUATOR_STAGE) / ACTUATOR_STAGE,
               *u = from + TYRE_DEFLECTION;
  if (own != from) memcpy(own, from, TYRE_STATES * sizeof *own);
  slope[0] = slope[1] = 0.0;
  if (way->dt == 0.0) {
    tyre_force(t, own, &way->end, way->load, mean);
    return;
  }
  /* two stages; the second begins where the first leads */
  const struct tyre_motion middle = motion_between(way);
  const struct stage first = solve_tread(t, &middle, way->load, tau, u);
  double base[2];
  for (int i = 0; i < 2; i++) base[i] = u[i] + later * (first.u[i] - u[i]);
  const struct stage end = solve_tread(t, &way->end, way->load, tau, base);
  /* the end, the mean force and its slope */
  for (int i = 0; i < 2; i++) {
    own[TYRE_DEFLECTION + i] = end.u[i];
    mean[i] = (1.0 - ACTUATOR_STAGE) * first.force[i] + ACTUATOR_STAGE * end.force[i];
    slope[i] = ACTUATOR_STAGE *
               ((1.0 - ACTUATOR_STAGE) * (first.gain[i] + end.remember[i] * first.yields[i]) + end.gain[i]);
    slope[i] = fmax(0.0, slope[i]);
  }
  own[ACTUATOR_LOST] += (way->dt - tau) * first.lost + tau * end.lost;
}

double tyre_energy(const ali3_force_spec *t, const double *own, int i)
{
  const double u = own[TYRE_DEFLECTION + i];
  return 0.5 * tyre_stiffness(t, i) * u * u;
}

void tyre_slip(const struct tyre_motion *motion, double *slip, double *angle)
{
  const double rolling = fabs(motion->rolling), along = motion->sliding[0], across = motion->sliding[1];
  *slip = *angle = 0.0;
  if (!(rolling + fabs(along) + fabs(across) > STANDSTILL)) return;
  *slip = -fmax(-10.0, fmin(10.0, along / fmax(rolling, 1e-300)));
  *angle = atan2(-across, rolling);
}
