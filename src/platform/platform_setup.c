/* SPDX-License-Identifier: MIT
 * Setting the platform block up, and what there is to find wrong with it. */
#include "platform/params.h"
#include "platform/platform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DOWN_STEPS = 1000, WAY_STEPS = 100 };
#define PARK_SLACK                                                                                           \
  2e-3 /* of the range of a leg, by which it stays off its ends where nothing is said of the park pose */
#define SPARE_BOX 1.001

static bool stands(const struct hexapod *h, const double pose[PLATFORM_DOF], double slack)
{
  struct hexapod_state legs;
  return hexapod_solve(h, pose, NULL, &legs) && hexapod_within(h, &legs, slack);
}

/* Straight down from neutral, as far as the legs go: park has its angles. */
static void find_lowest(const struct hexapod *h, double park[PLATFORM_DOF])
{
  const struct platform_geometry *g = &h->geometry;
  const double slack = PARK_SLACK * (g->leg_max - g->leg_min), step = g->height / DOWN_STEPS;
  double pose[PLATFORM_DOF] = {0};
  for (int i = 1; i <= DOWN_STEPS; i++) {
    pose[2] = -step * i;
    if (!stands(h, pose, slack)) break;
    park[2] = pose[2];
  }
}

static bool check_park(const struct platform *p, char *error, size_t size)
{
  const struct platform_spec *s = &p->spec;
  const double slack = 0.5 * PARK_SLACK * (s->geometry.leg_max - s->geometry.leg_min);
  double pose[PLATFORM_DOF];
  for (int i = 0; i <= WAY_STEPS; i++) {
    for (int k = 0; k < PLATFORM_DOF; k++) pose[k] = s->park[k] * i / WAY_STEPS;
    if (stands(&p->hexapod, pose, slack)) continue;
    snprintf(error, size,
             "the platform cannot go from neutral to its park pose (%.3f %.3f %.3f m, %.1f %.1f %.1f deg): a "
             "limit "
             "of the legs, the joints or the margin is in the way after %d %%",
             s->park[0], s->park[1], s->park[2], s->park[3] * 180.0 / M_PI, s->park[4] * 180.0 / M_PI,
             s->park[5] * 180.0 / M_PI, 100 * i / WAY_STEPS);
    return false;
  }
  return true;
}

bool platform_init(struct platform *p, const struct platform_spec *spec, char *error, size_t size)
{
  struct platform_limits limits;
  memset(p, 0, sizeof *p);
  p->spec = *spec;
  if (!hexapod_init(&p->hexapod, &spec->geometry, error, size)) return false;
  if (!spec->park_given) {
    memset(p->spec.park, 0, sizeof p->spec.park);
    find_lowest(&p->hexapod, p->spec.park);
  }
  if (!check_park(p, error, size)) return false;
  params_limits(&spec->params, &limits);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    p->widest[k] = SPARE_BOX * fabs(p->spec.park[k]);
    if (limits.pos[k] < p->widest[k]) limits.pos[k] = p->widest[k];
  }
  memcpy(p->goal, p->spec.park, sizeof p->goal);
  p->state = PLATFORM_PARKED;
  live_init(&p->live, &spec->params, spec->period, spec->head);
  return envelope_init(&p->envelope, &p->hexapod, &limits, spec->period, p->spec.park, error, size);
}
