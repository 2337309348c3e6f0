/* SPDX-License-Identifier: MIT
 * A small electric hexapod for tests, with its own formulas for the legs, and a rough driver. */
#ifndef PLATFORM_RIG_H
#define PLATFORM_RIG_H

#include "common/platform_defaults.h"
#include "common/random.h"
#include "platform/platform.h"

#include <math.h>
#include <string.h>

#define RIG_DEGREE  (M_PI / 180.0)
#define RIG_GRAVITY 9.81

/* Legs of 0.85 m at neutral, between 0.70 and 1.00 m. */
static inline void rig_geometry(struct platform_geometry *g)
{
  const double base = 0.60, top = 0.45, leg = 0.85, apart = 10.0 * RIG_DEGREE;
  memset(g, 0, sizeof *g);
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    /* Pairs at 0, 120, 240 degrees on the base and at 60, 180, 300 on the platform: the legs of a pair part. */
    const double side = i % 2 == 0 ? -1.0 : 1.0, pair = (i / 2) * 120.0 * RIG_DEGREE;
    const double b = pair + side * apart, t = pair + side * (60.0 * RIG_DEGREE - apart);
    const double p[2][3] = {{base * cos(b), base * sin(b), 0.0}, {top * cos(t), top * sin(t), 0.0}};
    memcpy(g->base[i], p[0], sizeof p[0]);
    memcpy(g->top[i], p[1], sizeof p[1]);
  }
  const double dx = g->top[0][0] - g->base[0][0], dy = g->top[0][1] - g->base[0][1];
  g->height = sqrt(leg * leg - dx * dx - dy * dy);
  g->leg_min = 0.70;
  g->leg_max = 1.00;
  g->leg_rate = 0.5;
  g->joint_max = 45.0 * RIG_DEGREE;
  g->margin = 0.2;
}

static inline void rig_spec(struct platform_spec *s)
{
  *s = (struct platform_spec){
      .mode = PLATFORM_WASHOUT, .head = {0.0, 0.0, 0.9}, .period = 0.01, .gravity = RIG_GRAVITY};
  params_default(&s->params);
  rig_geometry(&s->geometry);
}

/* Platform axes to base axes, written out. */
static inline void rig_rotation(double r[3][3], const double angle[3])
{
  const double cr = cos(angle[0]), sr = sin(angle[0]), cp = cos(angle[1]), sp = sin(angle[1]),
               cy = cos(angle[2]), sy = sin(angle[2]);
  const double m[3][3] = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                          {-sp, cp * sr, cp * cr}};
  memcpy(r, m, sizeof m);
}

static inline double rig_leg(const struct platform_geometry *g, const double pose[PLATFORM_DOF], int leg)
{
  double r[3][3], square = 0.0;
  rig_rotation(r, pose + 3);
  for (int i = 0; i < 3; i++) {
    double d = pose[i] + (i == 2 ? g->height : 0.0) - g->base[leg][i];
    for (int k = 0; k < 3; k++) d += r[i][k] * g->top[leg][k];
    square += d * d;
  }
  return sqrt(square);
}

/* Driving as a random walk with shocks: specific force (m/s^2) and angular velocity (rad/s). */
struct rig_driver {
  struct random random;
  double force[3], rate[3], blow[3];
};

static inline void rig_drive(struct rig_driver *d, double dt, double strength, struct platform_input *in)
{
  static const double force[3] = {4.0, 5.0, 3.0}, rate[3] = {0.3, 0.3, 0.4};
  const double keep = exp(-dt / 0.7), push = sqrt(1.0 - keep * keep) * sqrt(3.0);
  for (int i = 0; i < 3; i++) {
    d->force[i] = keep * d->force[i] + push * random_between(&d->random, -1.0, 1.0);
    d->rate[i] = keep * d->rate[i] + push * random_between(&d->random, -1.0, 1.0);
    d->blow[i] *= exp(-dt / 0.05);
    if (random_below(&d->random, (int)(5.0 / dt)) == 0) d->blow[i] = random_between(&d->random, -8.0, 8.0);
    in->specific_force[i] = strength * (force[i] * d->force[i] + d->blow[i]) + (i == 2 ? RIG_GRAVITY : 0.0);
    in->angular_velocity[i] = strength * (rate[i] * d->rate[i] + 0.1 * d->blow[i]);
  }
}

#endif
