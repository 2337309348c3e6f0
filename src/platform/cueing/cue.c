/* SPDX-License-Identifier: MIT
 * Loop code, except cue_init(). */
#include "cueing/cue.h"

#include "hexapod/pose.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define WINDOW 0.05 /* s */

void cue_pause(struct cue *c)
{
  memset(c->force, 0, sizeof c->force);
  memset(c->rate, 0, sizeof c->rate);
  c->force_jump = c->rate_jump = 0.0;
  c->cycle = c->next = c->filled = 0;
}

void cue_reset(struct cue *c)
{
  memset(c->travel, 0, sizeof c->travel);
  memset(c->turn, 0, sizeof c->turn);
  memset(c->attitude, 0, sizeof c->attitude);
  cue_pause(c);
}

void cue_init(struct cue *c, double period)
{
  const double cycles = fmax(1.0, floor(WINDOW / period * (1.0 + 1e-9)));
  memset(c, 0, sizeof *c);
  c->stride = (int)ceil(cycles / CUE_SAMPLES);
  c->samples = (int)cycles / c->stride;
}

/* Acceleration of the head along the axes of the base. */
static void ask_travel(struct cue *c, const struct washout *w, double acceleration[3])
{
  const double cosine = cos(c->attitude[2]), sine = sin(c->attitude[2]), *f = w->scaled_force;
  const double along[3] = {cosine * f[0] - sine * f[1], sine * f[0] + cosine * f[1], f[2]};
  for (int i = 0; i < 3; i++) {
    filter_step(&w->travel_filter[i], c->travel[i], along[i]);
    acceleration[i] = washout_travel_acceleration(w, i, c->travel[i], along[i]);
  }
}

/* Fills the rates of roll, pitch and yaw, which leave out the tilt, and updates the attitude, which includes it: the washout
 * turns angular velocities with the whole attitude, and so does this figure. */
static void ask_rotation(struct cue *c, const struct washout *w, double rate[3])
{
  double in[3];
  pose_angle_rates(in, c->attitude, w->scaled_rate);
  for (int i = 0; i < 3; i++) {
    filter_step(&w->turn_filter, c->turn[i], in[i]);
    rate[i] = washout_turn_rate(w, c->turn[i], in[i]);
    c->attitude[i] = c->turn[i][0] + (i < 2 ? w->tilt[i].p : 0.0);
  }
}

static void compare_with_window(struct cue *c, const double now[6])
{
  c->force_jump = c->rate_jump = 0.0;
  for (int k = 0; k < c->filled; k++)
    for (int i = 0; i < 3; i++) {
      c->force_jump = fmax(c->force_jump, fabs(now[i] - c->sample[k][i]));
      c->rate_jump = fmax(c->rate_jump, fabs(now[3 + i] - c->sample[k][3 + i]));
    }
  c->force_most = fmax(c->force_most, c->force_jump);
  c->rate_most = fmax(c->rate_most, c->rate_jump);
  if (c->cycle++ % c->stride != 0) return;
  memcpy(c->sample[c->next], now, sizeof c->sample[0]);
  c->next = (c->next + 1) % c->samples;
  if (c->filled < c->samples) c->filled++;
}

void cue_step(struct cue *c, const struct washout *w, const double force[3], const double rate[3],
              bool counts)
{
  double up[3], turning[3], asked[3], spin[3], R[9], now[6];
  if (w->reset) cue_reset(c);
  ask_travel(c, w, up);
  ask_rotation(c, w, turning);
  if (!counts) {
    cue_pause(c);
    return;
  }
  /* Compute what a head at that attitude would feel. */
  up[2] += w->gravity;
  pose_rotation(R, c->attitude);
  m3_tmul(asked, R, up);
  pose_spin(spin, c->attitude, turning);
  v3_sub(c->force, force, asked);
  v3_sub(c->rate, rate, spin);
  /* Find its largest change within the window. */
  v3_copy(now, c->force);
  v3_copy(now + 3, c->rate);
  compare_with_window(c, now);
}
