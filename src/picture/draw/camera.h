/* SPDX-License-Identifier: MIT
 * The parallel projection of a drawing, and the rectangle of the page that it fills. */
#ifndef DRAW_CAMERA_H
#define DRAW_CAMERA_H

#include "scene/scene.h"

struct camera {
  double right[3], up[3], toward[3]; /* unit, world: to the right and up on the page, and to the eye */
  double low[2], high[2];            /* m, the points seen so far, along right and up */
  double scale, shift[2];            /* page = shift + scale along right, and shift - scale along up */
};

/* Looks along the normal of a flat scene, and otherwise from the front, the left and above. */
void camera_aim(struct camera *c, const struct scene *s);
/* From the front, the left and above, with this direction up. */
void camera_aim_oblique(struct camera *c, const double up[3]);
/* Makes room for a point. */
void camera_see(struct camera *c, const double world[3]);
/* Fits all points into a rectangle of the page: left, top, width, height. */
void camera_fit(struct camera *c, const double page[4]);
/* The place of a point on the page. Returns how near it is to the eye. */
double camera_project(const struct camera *c, const double world[3], double page[2]);

#endif
