/* SPDX-License-Identifier: MIT
 * Outlines of the solids of bodies and of the shapes that a file gives them: the faces of boxes and the ends of round shapes that
 * the eye sees, and what encloses the rest in a parallel projection. */
#ifndef DRAW_OUTLINES_H
#define DRAW_OUTLINES_H

#include "draw/camera.h"
#include "scene/visual.h"

enum { OUTLINE_POINTS = 36 };
struct outline {
  int body;
  int points;
  double point[OUTLINE_POINTS][3]; /* (points) m, world, around the shape as the camera sees it */
  double nearer;                   /* m: how much nearer to the eye it is drawn than its points are */
  bool own;                        /* a shape of the file, no solid of the inertia of the body */
  char color[SCENE_COLOR];         /* darker where less light falls */
};

struct outlines {
  struct outline *item; /* (count) */
  int count;
};

/* Finds the outlines of all shapes, reads their meshes, and finds the outlines of the solids of bodies without a shape. The
 * camera is aimed. False: the reason in error[size]. The caller calls outlines_free() in both cases. */
bool outlines_find(struct outlines *o, const struct scene *s, const struct camera *c,
                   const struct scene_visual *visual, int count, char *error, size_t size);
void outlines_free(struct outlines *o);
/* The body has a shape of the file. */
bool outlines_have(const struct outlines *o, int body);

#endif
