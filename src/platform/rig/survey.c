/* SPDX-License-Identifier: MIT */
#include "rig/survey.h"

#include "cueing/params.h"
#include "hexapod/hexapod_parts.h"

#include <math.h>
#include <string.h>

enum { STEPS_OUT = 400, BISECTIONS = 30 };
static const double FARTHEST_OUT[2] = {2.0, 1.4}; /* m, rad */

static bool is_allowed(const struct platform *p, const double pose[PLATFORM_DOF])
{
  struct hexapod_state s;
  return hexapod_solve(&p->hexapod, pose, NULL, &s) && hexapod_within(&p->hexapod, &s, 0.0);
}

/* Cosine of the angle between two columns of directions. */
static double cosine_between(double a[3][PLATFORM_LEGS], const double b[3][PLATFORM_LEGS], int i)
{
  const double cosine = a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i];
  return fmax(-1.0, fmin(1.0, cosine));
}

static void measure_pose(const struct platform *p, const double pose[PLATFORM_DOF], struct survey_pose *o)
{
  const struct hexapod *h = &p->hexapod;
  struct hexapod_parts parts;
  struct hexapod_state s;
  memset(o, 0, sizeof *o);
  memcpy(o->pose, pose, sizeof o->pose);
  o->reached = is_allowed(p, pose);
  if (!hexapod_solve(h, pose, NULL, &s) || !hexapod_parts(h, pose, NULL, &parts, &s)) return;
  memcpy(o->leg, s.leg, sizeof o->leg);
  hexapod_solve(h, pose, NULL, &s);
  o->margin = s.margin;
  for (int i = 0; i < PLATFORM_LEGS; i++)
    o->joint[i] =
        acos(fmin(cosine_between(parts.base, h->base_axis, i), cosine_between(parts.top, h->top_axis, i)));
}

/* The distance along a direction from neutral at which a limit is reached, at most `most` times the direction. */
static double reach_along(const struct platform *p, const double direction[PLATFORM_DOF], double most)
{
  double pose[PLATFORM_DOF], good = 0.0, bad = most;
  bool blocked = false;
  for (int i = 1; i <= STEPS_OUT && !blocked; i++) {
    const double t = most * i / STEPS_OUT;
    for (int k = 0; k < PLATFORM_DOF; k++) pose[k] = t * direction[k];
    blocked = !is_allowed(p, pose);
    *(blocked ? &bad : &good) = t;
  }
  for (int i = 0; i < BISECTIONS && blocked; i++) {
    const double t = 0.5 * (good + bad);
    for (int k = 0; k < PLATFORM_DOF; k++) pose[k] = t * direction[k];
    *(is_allowed(p, pose) ? &good : &bad) = t;
  }
  return good;
}

static void measure_axis(const struct platform *p, const struct platform_limits *l, int k,
                         struct survey_axis *o)
{
  double direction[PLATFORM_DOF] = {0}, most = 0.0;
  struct hexapod_state s;
  static const double neutral[PLATFORM_DOF];
  /* The travel in both directions. */
  direction[k] = 1.0;
  o->high = reach_along(p, direction, FARTHEST_OUT[k / 3]);
  direction[k] = -1.0;
  o->low = -reach_along(p, direction, FARTHEST_OUT[k / 3]);
  o->limit = l->pos[k];
  /* The rates of the legs per rate of the coordinate. */
  direction[k] = 1.0;
  hexapod_solve(&p->hexapod, neutral, direction, &s);
  for (int i = 0; i < PLATFORM_LEGS; i++) most = fmax(most, fabs(s.rate[i]));
  o->rate = p->spec.geometry.leg_rate / most;
  o->rate_limit = l->vel[k];
  o->leg_acceleration = most * l->acc[k];
}

static void measure_pair(const struct platform *p, const struct survey *s, struct survey_pair *o)
{
  o->part = 1.0;
  for (int corner = 0; corner < 4; corner++) {
    double direction[PLATFORM_DOF] = {0};
    const int both[2] = {o->a, o->b};
    for (int i = 0; i < 2; i++) {
      const struct survey_axis *x = &s->axis[both[i]];
      const bool down = corner >> i & 1;
      direction[both[i]] = down ? fmax(x->low, -x->limit) : fmin(x->high, x->limit);
    }
    o->part = fmin(o->part, reach_along(p, direction, 1.0));
  }
}

void survey_make(struct survey *s, const struct platform *p)
{
  static const double neutral[PLATFORM_DOF];
  struct platform_limits l;
  double heave[PLATFORM_DOF] = {0};
  params_limits(&p->spec.params, &l);
  for (int k = 0; k < PLATFORM_DOF; k++) measure_axis(p, &l, k, &s->axis[k]);
  /* The legs at notable poses. */
  measure_pose(p, neutral, &s->neutral);
  measure_pose(p, p->spec.park, &s->park);
  heave[2] = s->axis[2].low;
  measure_pose(p, heave, &s->low);
  heave[2] = s->axis[2].high;
  measure_pose(p, heave, &s->high);
  int n = 0;
  for (int a = 0; a < PLATFORM_DOF; a++)
    for (int b = a + 1; b < PLATFORM_DOF; b++, n++) {
      s->pair[n] = (struct survey_pair){.a = a, .b = b};
      measure_pair(p, s, &s->pair[n]);
    }
}
