/* SPDX-License-Identifier: MIT
 * The drawing of a mechanism at its start, as SVG: bodies as boxes of their mass and inertia and as rods between their joints,
 * joints with names and axes, force elements, and the legs of the motion platform with their numbers. Set-up only. */
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include "scene/scene.h"

#include <stdio.h>

/* Writes the drawing. Equal scenes give equal bytes. False: out of memory; the caller checks `out` for other errors. */
bool draw_scene(const struct scene *s, FILE *out);

#endif
