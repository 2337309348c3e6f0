/* SPDX-License-Identifier: MIT
 * False cues: what the driver feels and the linear filters of the washout do not ask for. Loop code, pure.
 *
 *   asked force  of the high-pass of the travel, with gravity at the rotation and at the present angle of the tilt
 *   asked rate   of the high-pass of the rotation: the tilt should not be felt
 *
 * The filters get the scaled and limited inputs of the washout, and no limit of the platform acts on them. People notice a false
 * cue by its change, so the figure is its largest change within 50 ms. */
#ifndef CUEING_CUE_H
#define CUEING_CUE_H

#include "cueing/washout.h"

enum { CUE_SAMPLES = 64 };

struct cue {
  double force[3], rate[3];     /* m/s^2, rad/s: felt minus asked, in platform axes */
  double force_jump, rate_jump; /* largest change of a component within the last 50 ms */
  double force_most, rate_most; /* largest of these jumps since cue_init() */

  /* private */
  double travel[3][3], turn[3][2]; /* states of the filters, as in struct washout */
  double attitude[3];              /* rad, of the rotation and the tilt */
  int samples, stride;             /* size of the window, and cycles from one of its samples to the next */
  int cycle, next, filled;         /* samples so far, up to `samples` */
  double sample[CUE_SAMPLES][6];
};

/* Set-up. */
void cue_init(struct cue *c, double period);
/* RT. The filters are at rest, and the window is empty. */
void cue_reset(struct cue *c);
/* RT. Nothing is false, and the window is empty. The filters keep their states. */
void cue_pause(struct cue *c);
/* RT. One cycle, after the step of the washout. force, rate: felt at the head at the end of the cycle. counts: false in a
 * transition, when the platform does not follow the washout alone; nothing is false then. */
void cue_step(struct cue *c, const struct washout *w, const double force[3], const double rate[3],
              bool counts);

#endif
