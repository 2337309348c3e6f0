/* SPDX-License-Identifier: MIT
 * Set-up of the platform block, and its checks. */
#include "cueing/params.h"
#include "platform/platform.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { DOWN_STEPS = 1000, WAY_STEPS = 100 };

/* Distance from the limits of legs and joints, relative to their ranges: on the way to the park pose, and in a park pose that
 * find_lowest() chooses. Both are at least the spare of envelope_reaches(). */
static const double WAY_SLACK = 1e-3, PARK_SLACK = 2e-3;
static const double SPARE_BOX = 1.001;

static bool is_pose_within(const struct hexapod *h, const double pose[PLATFORM_DOF], double slack)
{
  struct hexapod_state legs;
  return hexapod_solve(h, pose, NULL, &legs) && hexapod_within(h, &legs, slack);
}

/* Lowers the platform straight down from neutral, as far as the legs allow. */
static void find_lowest(const struct hexapod *h, double park[PLATFORM_DOF])
{
  const double step = h->geometry.height / DOWN_STEPS;
  double pose[PLATFORM_DOF] = {0};
  for (int i = 1; i <= DOWN_STEPS; i++) {
    pose[2] = -step * i;
    if (!is_pose_within(h, pose, PARK_SLACK)) break;
    park[2] = pose[2];
  }
}

static bool check_park(const struct platform *p, char *error, size_t size)
{
  const struct platform_spec *s = &p->spec;
  double pose[PLATFORM_DOF];
  for (int i = 0; i <= WAY_STEPS; i++) {
    for (int k = 0; k < PLATFORM_DOF; k++) pose[k] = s->park[k] * i / WAY_STEPS;
    if (is_pose_within(&p->hexapod, pose, WAY_SLACK)) continue;
    snprintf(
        error, size,
        "%sthe platform cannot go from neutral to its park pose (%.3f %.3f %.3f m, %.1f %.1f %.1f deg): a "
        "limit of the legs, the joints or the margin is in the way after %d %%",
        s->park_given ? "park_position: " : "", s->park[0], s->park[1], s->park[2], s->park[3] * 180.0 / M_PI,
        s->park[4] * 180.0 / M_PI, s->park[5] * 180.0 / M_PI, 100 * i / WAY_STEPS);
    return false;
  }
  return true;
}

static bool check_numbers(const struct platform_spec *s, char *error, size_t size)
{
  const double *value = (const double *)&s->params;
  struct platform_params ignored;
  if (!(s->period > 0.0 && isfinite(s->period))) {
    snprintf(error, size, "period: expected a number above 0, found %g", s->period);
    return false;
  }
  for (int i = 0; i < 3; i++)
    if (!isfinite(s->head[i])) {
      snprintf(error, size, "head point: expected numbers, found %g", s->head[i]);
      return false;
    }
  for (int i = 0; i < PARAMS; i++)
    if (!params_set(&ignored, params_table[i].name, value[i], error, size)) return false;
  return true;
}

/* Output before the first request up: the pose is unknown. */
static void output_unknown(struct platform *p)
{
  double *out = (double *)&p->out;
  for (int i = 0; i < PLATFORM_MOTION_SIGNALS; i++) out[i] = (double)NAN;
  p->state = PLATFORM_UNKNOWN;
  p->out.state[0] = p->state;
  p->out.mode[0] = p->spec.mode;
}

bool platform_init(struct platform *p, const struct platform_spec *spec, char *error, size_t size)
{
  struct platform_limits limits;
  memset(p, 0, sizeof *p);
  p->spec = *spec;
  /* Check the numbers and the geometry, and find the park pose. */
  if (!check_numbers(spec, error, size)) return false;
  if (!hexapod_init(&p->hexapod, &spec->geometry, error, size)) return false;
  if (!spec->park_given) {
    memset(p->spec.park, 0, sizeof p->spec.park);
    find_lowest(&p->hexapod, p->spec.park);
  }
  if (!check_park(p, error, size)) return false;
  /* Make room for the park pose, which may lie beyond the limits of a run. */
  params_limits(&spec->params, &limits);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    p->widest[k] = SPARE_BOX * fabs(p->spec.park[k]);
    p->room[k] = p->widest[k];
    if (limits.pos[k] < p->widest[k]) limits.pos[k] = p->widest[k];
  }
  /* Start at the park pose, with output NaN. */
  memcpy(p->goal, p->spec.park, sizeof p->goal);
  output_unknown(p);
  live_init(&p->live, &spec->params, spec->period, spec->head, spec->gravity);
  p->live.washes_heading = spec->washes_heading;
  cue_init(&p->cue, spec->period);
  return envelope_init(&p->envelope, &p->hexapod, &limits, spec->period, p->spec.park, error, size);
}

bool platform_bytes_are_sound(const void *bytes)
{
  /* Neither a bool other than 0 and 1 nor an enum without a name may be read. */
#define AT(field) offsetof(struct platform, field)
  static const size_t FLAGS[] = {AT(spec.park_given),
                                 AT(spec.geometry.crank),
                                 AT(hexapod.geometry.crank),
                                 AT(envelope.limited),
                                 AT(envelope.unreachable),
                                 AT(envelope.rate_limited),
                                 AT(envelope.pending),
                                 AT(envelope.line.over),
                                 AT(envelope.line.arrived),
                                 AT(live.zeroed),
                                 AT(live.bad),
                                 AT(live.washout.tilt_limited),
                                 AT(live.washout.bad_input),
                                 AT(live.washout.reset),
                                 AT(live.washout.blending),
                                 AT(live.washout.retuned),
                                 AT(live.washout.tilt[0].rate_limited),
                                 AT(live.washout.tilt[0].angle_limited),
                                 AT(live.washout.tilt[1].rate_limited),
                                 AT(live.washout.tilt[1].angle_limited),
                                 AT(engaged),
                                 AT(brakes),
                                 AT(via_neutral),
                                 AT(blend),
                                 AT(anew)};
  const unsigned char *at = bytes;
  for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
    if (at[FLAGS[i]] > 1) return false;
  unsigned state, mode, way;
  memcpy(&state, at + AT(state), sizeof state);
  memcpy(&mode, at + AT(spec.mode), sizeof mode);
  memcpy(&way, at + AT(envelope.way), sizeof way);
#undef AT
  return state <= PLATFORM_JOG && mode <= PLATFORM_EXTERNAL && way <= ENVELOPE_STAY;
}
