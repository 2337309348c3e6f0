/* SPDX-License-Identifier: MIT
 * A difference that goes away: six polynomials of order five that begin with a given value, rate and acceleration and end with
 * none of the three. Added to a target, it lets the motion pass from one target to another without a jump; added to a pose
 * at rest, it is the move to that pose of least jerk. RT. */
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

/* The largest values a difference d that begins and ends at rest has within a duration of 1: rate, acceleration and jerk
 * are these times d / T, d / T^2, d / T^3. */
#define GLIDE_RATE         1.875
#define GLIDE_ACCELERATION 5.773502691896258 /* 10 / sqrt 3 */
#define GLIDE_JERK         60.0

#endif
