/* SPDX-License-Identifier: MIT
 * Transitions. A glide is six polynomials of order five that begin with a given value, rate and acceleration and end with zero.
 * Added to a pose at rest, it is the move to that pose with least jerk. A fade is the transition to a target that moves. RT. */
#ifndef ENVELOPE_GLIDE_H
#define ENVELOPE_GLIDE_H

#include "hexapod/types.h"

struct glide {
  double c[PLATFORM_DOF][6]; /* coefficients of the powers of time / duration */
  double time, duration;     /* s; over when time >= duration */
};

/* Starts a glide from the difference `from` - `to` (both now) to zero within duration. */
void glide_begin(struct glide *g, const struct platform_motion *from, const struct platform_motion *to,
                 double duration);
/* Starts a glide that brings a motion to rest within duration: its velocity goes to zero as a cubic. Returns the pose of rest. */
void glide_coast(struct glide *g, const struct platform_motion *now, double duration,
                 struct platform_motion *rest);
/* Advances by dt. */
void glide_advance(struct glide *g, double dt);
bool glide_over(const struct glide *g);
/* Adds the remaining difference. */
void glide_add(const struct glide *g, struct platform_motion *m);

/* Transition from a motion to a target that moves. The motion comes to rest by itself while its weight moves to the target, so
 * the result always lies between the two, however fast the target moves. A glide of the difference would carry that speed for
 * the whole duration. */
struct fade {
  struct platform_motion rest; /* pose at which the motion comes to rest */
  struct glide coast;          /* its difference from that pose */
  double time, duration;       /* s */
};

/* Starts a fade. */
void fade_begin(struct fade *f, const struct platform_motion *now, double duration);
void fade_advance(struct fade *f, double dt);
bool fade_over(const struct fade *f);
/* Replaces the target in m by the mix. */
void fade_mix(const struct fade *f, struct platform_motion *m);

/* Largest rate, acceleration and jerk of a glide of the difference d from rest to rest, within a duration of T: these times d /
 * T, d / T^2, d / T^3. */
#define GLIDE_RATE         1.875
#define GLIDE_ACCELERATION 5.773502691896258 /* 10 / sqrt 3 */
#define GLIDE_JERK         60.0

#endif
