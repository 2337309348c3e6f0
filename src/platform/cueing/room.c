/* SPDX-License-Identifier: MIT
 * Loop code.
 *
 * With the present force f and without a yield, the head will be at p + G f. The nearest place with room is d away from there,
 * so a yield of d/G for that long leads to it. */
#include "cueing/room.h"

#include "cueing/washout.h"
#include "envelope/axis.h"
#include "hexapod/pose.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 4 }; /* over the legs, each of which moves the place a little */

/* These constants were found by a search: see "the motion platform" in tests/README.md. */
#define TURN_AHEAD 0.49 /* s: the rotation of the vehicle turns back sooner than its forces do */
/* A constant force f ends in a travel of f/wn^2. With F = HELD limit wn^2, it bends from HELD_KNEE F on and stays below F. */
#define HELD      1.1
#define HELD_KNEE 0.275

static const struct forecast_plan {
  double ahead;  /* s */
  double soften; /* rad/s, of the low-pass */
  double edge;  /* fraction of the way from the knee to the limit of position that the forecast leaves free */
  double spare; /* see make_room_for_legs() */
} PLANS[ROOM_FORECASTS] = {{0.87, 5.2, 0.07, 0.38}, {0.33, 105.0, 0.72, 0.046}};

static void make_forecast(struct room_forecast *l, const struct forecast_plan *plan, const struct washout *w)
{
  const double corner = plan->soften;
  const struct filter_law soften = {
      .states = 2, .A = {{0.0, 1.0}, {-corner * corner, -2.0 * corner}}, .B = {0.0, corner * corner}};
  for (int i = 0; i < 3; i++) {
    struct filter_law travel;
    washout_travel_law(w, i, &travel);
    filter_make(&l->ahead[i], &travel, plan->ahead);
  }
  filter_make(&l->soften, &soften, w->period);
}

void room_make(struct room *r, const struct washout *w)
{
  for (int k = 0; k < ROOM_FORECASTS; k++) make_forecast(&r->forecast[k], &PLANS[k], w);
}

void room_reset(struct room *r)
{
  memset(r->yield, 0, sizeof r->yield);
  for (int k = 0; k < ROOM_FORECASTS; k++) memset(r->forecast[k].state, 0, sizeof r->forecast[k].state);
}

static double part_beyond(double x, double low, double high)
{
  return x > high ? x - high : x < low ? x - low : 0.0;
}

/* Pose at the end of a forecast, if these forces last. The tilt moves on towards its wanted angle. */
static void foresee_pose(const struct room_forecast *l, double ahead, const struct washout *w,
                         const double force[3], double pose[PLATFORM_DOF])
{
  const double tilt = ahead * w->now.tilt_rate[0], turn = fmin(ahead, TURN_AHEAD);
  double R[9], arm[3];
  for (int i = 0; i < 3; i++) pose[3 + i] = w->turn[i][0] + turn * w->turn_speed[i];
  for (int i = 0; i < 2; i++)
    pose[3 + i] += w->tilt[i].p + axis_clamp(w->tilt_aim[i] - w->tilt[i].p, -tilt, tilt);
  pose_rotation(R, pose + 3);
  m3_mul(arm, R, w->head);
  for (int i = 0; i < 3; i++) {
    double x[3] = {w->travel[i][0], w->travel[i][1], w->travel[i][2]};
    filter_step(&l->ahead[i], x, force[i]);
    pose[i] = x[0] + w->head[i] - arm[i];
  }
}

/* Moves a pose, without turning it, to where its legs have room: each leg in turn, along the way on which it changes most. The
 * slopes of the legs are those at the pose. part: distance from the ends of a leg, relative to half its way. */
static void make_room_for_legs(const struct hexapod *h, double part, double pose[PLATFORM_DOF])
{
  const struct platform_geometry *g = &h->geometry;
  const double spare = 0.5 * part * (g->leg_max - g->leg_min);
  double slope[3][PLATFORM_LEGS], leg[PLATFORM_LEGS], way[3] = {0};
  if (!hexapod_slopes(h, pose, leg, slope)) return;
  for (int n = 0; n < SWEEPS * PLATFORM_LEGS; n++) {
    const int k = n % PLATFORM_LEGS;
    const double s[3] = {slope[0][k], slope[1][k], slope[2][k]};
    const double beyond = part_beyond(leg[k] + v3_dot(s, way), g->leg_min + spare, g->leg_max - spare);
    if (beyond != 0.0) v3_axpy(way, -beyond / v3_dot(s, s), s);
  }
  v3_axpy(pose, 1.0, way);
}

/* Adds the yield of a forecast to r->yield. */
static void yield_to_forecast(struct room *r, int which, const struct washout *w, const struct hexapod *h,
                              const double limit[PLATFORM_DOF], const double force[3])
{
  struct room_forecast *l = &r->forecast[which];
  const struct forecast_plan *plan = &PLANS[which];
  const double knee = w->now.knee[0] + plan->edge * (1.0 - w->now.knee[0]);
  double then[PLATFORM_DOF], pose[PLATFORM_DOF];
  /* Find the nearest place with room for the coordinates and legs. */
  foresee_pose(l, plan->ahead, w, force, then);
  memcpy(pose, then, sizeof pose);
  for (int i = 0; i < 3; i++) pose[i] = axis_clamp(pose[i], -knee * limit[i], knee * limit[i]);
  make_room_for_legs(h, plan->spare, pose);
  /* Yield softly. In the first forecast the yield comes on top of what the bent force leaves out. */
  for (int i = 0; i < 3; i++) {
    const double bent = which == 0 ? w->travel_force[i] - force[i] : 0.0;
    filter_step(&l->soften, l->state[i], bent + (then[i] - pose[i]) / l->ahead[i].F[0]);
    r->yield[i] += l->state[i][0];
  }
}

void room_step(struct room *r, const struct washout *w, const struct hexapod *h,
               const double limit[PLATFORM_DOF])
{
  double force[3];
  /* Bend forces that would need too much travel if they lasted, and forecast the far pose. */
  for (int i = 0; i < 3; i++) {
    const double wn = w->now.hp_wn[i];
    double rate = 0.0, acceleration = 0.0;
    force[i] = w->travel_force[i];
    axis_bend(HELD * limit[i] * wn * wn, HELD_KNEE, &force[i], &rate, &acceleration);
  }
  memset(r->yield, 0, sizeof r->yield);
  yield_to_forecast(r, 0, w, h, limit, force);
  /* Forecast the near pose, with the yield so far. */
  v3_sub(force, w->travel_force, r->yield);
  yield_to_forecast(r, 1, w, h, limit, force);
}
