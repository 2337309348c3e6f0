/* SPDX-License-Identifier: MIT
 * Loop code.
 *
 * With the present force and without a yield, the head is at p + G f after AHEAD. The nearest place with room is d away from
 * there, so a yield of d/G for that long leads to it. */
#include "platform/room.h"

#include "math/vec3.h"
#include "platform/axis.h"
#include "platform/pose.h"
#include "platform/washout.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 4 }; /* over the legs, each of which moves the place a little */

#define AHEAD      0.6 /* s */
#define TURN_AHEAD 0.2 /* s: the rotation of the vehicle turns back sooner than its forces do */
#define SOFTEN     8.5 /* rad/s */
#define LEG_SPARE  0.1 /* distance from the ends of a leg, relative to half its way */
/* A constant force f ends in a travel of f/wn^2. Beyond these parts of what the limit of position allows, the force bends. */
#define HELD      0.7
#define HELD_KNEE 0.6

void room_make(struct room *r, const struct washout *w)
{
  for (int i = 0; i < 3; i++) {
    struct filter_law travel;
    washout_travel_law(w, i, &travel);
    filter_make(&r->ahead[i], &travel, AHEAD);
  }
  const struct filter_law soften = {
      .states = 2, .A = {{0.0, 1.0}, {-SOFTEN * SOFTEN, -2.0 * SOFTEN}}, .B = {0.0, SOFTEN * SOFTEN}};
  filter_make(&r->soften, &soften, w->period);
}

void room_reset(struct room *r)
{
  memset(r->yield, 0, sizeof r->yield);
  memset(r->state, 0, sizeof r->state);
}

static double part_beyond(double x, double low, double high)
{
  return x > high ? x - high : x < low ? x - low : 0.0;
}

/* Pose after AHEAD. The tilt moves on towards its wanted angle. */
static void foresee_pose(const struct room *r, const struct washout *w, const double force[3],
                         double pose[PLATFORM_DOF])
{
  const double tilt = AHEAD * w->now.tilt_rate[0];
  double R[9], arm[3];
  for (int i = 0; i < 3; i++) pose[3 + i] = w->turn[i][0] + TURN_AHEAD * w->turn_speed[i];
  for (int i = 0; i < 2; i++)
    pose[3 + i] += w->tilt[i].p + axis_clamp(w->tilt_aim[i] - w->tilt[i].p, -tilt, tilt);
  pose_rotation(R, pose + 3);
  m3_mul(arm, R, w->head);
  for (int i = 0; i < 3; i++) {
    double x[3] = {w->travel[i][0], w->travel[i][1], w->travel[i][2]};
    filter_step(&r->ahead[i], x, force[i]);
    pose[i] = x[0] + w->head[i] - arm[i];
  }
}

/* Moves a pose, without turning it, to where its legs have room: each leg in turn, along the way on which it changes most. The
 * slopes of the legs are those at the pose. */
static void make_room_for_legs(const struct hexapod *h, double pose[PLATFORM_DOF])
{
  const struct platform_geometry *g = &h->geometry;
  const double spare = 0.5 * LEG_SPARE * (g->leg_max - g->leg_min);
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

void room_step(struct room *r, const struct washout *w, const struct hexapod *h,
               const double limit[PLATFORM_DOF])
{
  double force[3], then[PLATFORM_DOF], pose[PLATFORM_DOF];
  /* Bend forces that would need too much travel if they lasted. */
  for (int i = 0; i < 3; i++) {
    const double wn = w->now.hp_wn[i];
    double rate = 0.0, acceleration = 0.0;
    force[i] = w->travel_force[i];
    axis_bend(HELD * limit[i] * wn * wn, HELD_KNEE, &force[i], &rate, &acceleration);
  }
  /* Look ahead, and find the nearest place with room for the coordinates and legs. */
  foresee_pose(r, w, force, then);
  memcpy(pose, then, sizeof pose);
  for (int i = 0; i < 3; i++)
    pose[i] = axis_clamp(pose[i], -w->now.knee[0] * limit[i], w->now.knee[0] * limit[i]);
  make_room_for_legs(h, pose);
  /* Yield softly. */
  for (int i = 0; i < 3; i++) {
    const double needed = w->travel_force[i] - force[i] + (then[i] - pose[i]) / r->ahead[i].F[0];
    filter_step(&r->soften, r->state[i], needed);
    r->yield[i] = r->state[i][0];
  }
}
