/* SPDX-License-Identifier: MIT
 * A difference that goes away: six polynomials of order five that begin with a given value, rate and
 * acceleration and end with none of the three. Added to a pose at rest, it is the move to that pose of least
 * jerk. And the passage to a target that moves. RT. */
#ifndef PLATFORM_GLIDE_H
#define PLATFORM_GLIDE_H

#include "platform/types.h"

struct glide {
  double c[PLATFORM_DOF][6]; /* of powers of the part of the time gone by */
  double time, duration;     /* s; over when time >= duration */
};

/* From the motion `from` less `to` (both now) to nothing within duration. */
void glide_begin(struct glide *g, const struct platform_motion *from, const struct platform_motion *to,
                 double duration);
/* Goes on by dt. */
void glide_advance(struct glide *g, double dt);
bool glide_over(const struct glide *g);
/* Adds what is left of it. */
void glide_add(const struct glide *g, struct platform_motion *m);

/* From a motion to a target that moves: that motion comes to rest by itself and is given up for the target
 * little by little. What is between the two is never left, however fast the target moves as it begins: as a
 * difference from it, that would have to go on for the whole duration. */
struct fade {
  struct platform_motion rest; /* where the motion ends */
  struct glide coast;          /* what it is away from there */
  double time, duration;       /* s */
};

/* From now on. */
void fade_begin(struct fade *f, const struct platform_motion *now, double duration);
void fade_advance(struct fade *f, double dt);
bool fade_over(const struct fade *f);
/* Takes the target, gives what is to be followed instead. */
void fade_mix(const struct fade *f, struct platform_motion *m);

/* The largest values a difference d that begins and ends at rest has within a duration of 1: rate,
 * acceleration and jerk are these times d / T, d / T^2, d / T^3. */
#define GLIDE_RATE         1.875
#define GLIDE_ACCELERATION 5.773502691896258 /* 10 / sqrt 3 */
#define GLIDE_JERK         60.0

#endif
