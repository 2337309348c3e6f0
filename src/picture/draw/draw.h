/* SPDX-License-Identifier: MIT
 * The drawing of a mechanism at its start, as SVG: bodies as boxes of their mass and inertia and as rods between their joints,
 * or in the shapes that the file gives them; joints with names and axes, force elements, and the legs of the motion platform with
 * their numbers. Set-up only. */
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include "scene/scene.h"
#include "scene/visual.h"

#include <stdio.h>

/* Writes the drawing; visual: shapes of the file. Equal scenes give equal bytes. False: the reason in error[size]; the caller
 * checks `out` for its own errors. */
bool draw_scene(const struct scene *s, const struct scene_visual *visual, int visuals, FILE *out, char *error,
                size_t size);

#endif
