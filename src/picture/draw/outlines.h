/* SPDX-License-Identifier: MIT
 * Outlines of round solids and of the shapes that a file gives its bodies: what encloses them in a parallel projection. */
#ifndef DRAW_OUTLINES_H
#define DRAW_OUTLINES_H

#include "draw/camera.h"
#include "scene/visual.h"

enum { OUTLINE_POINTS = 36 };
struct outline {
  int body;
  double point[OUTLINE_POINTS][3]; /* m, world, around the shape as the camera sees it */
  const char *color; /* a shape of the file has it; NULL: the solid of the inertia of the body */
};

struct outlines {
  struct outline *item; /* (count) */
  int count;
};

/* Finds the outlines of all shapes, reads their meshes, and finds the outlines of the round solids of bodies without a shape. The
 * camera is aimed. False: the reason in error[size]. The caller calls outlines_free() in both cases. */
bool outlines_find(struct outlines *o, const struct scene *s, const struct camera *c,
                   const struct scene_visual *visual, int count, char *error, size_t size);
void outlines_free(struct outlines *o);
/* The body has a shape of the file. */
bool outlines_have(const struct outlines *o, int body);

#endif
