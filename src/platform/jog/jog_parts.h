/* SPDX-License-Identifier: MIT
 * The way of a jog: the line of a coordinate, or the curve of a leg alone. Part of the layer's own code. RT. */
#ifndef JOG_JOG_PARTS_H
#define JOG_JOG_PARTS_H

#include "jog/jog.h"

/* Begins a motion of `part` from the present pose, at rest. False near a singular pose. */
bool path_begin(struct jog *j, const struct platform *p, unsigned part);
/* Puts the origin and the target to the present pose: the platform does not follow yet. */
void path_stand(struct jog *j, const struct platform *p);
/* After the rest of a part: true from the cycle on in which the platform has come to its place, which it then holds. */
bool path_is_over(struct jog *j, const struct platform *p);
/* One cycle towards the wanted speed. False if the part has come to rest and nothing is wanted. */
bool path_advance(struct jog *j, const struct platform *p);

#endif
