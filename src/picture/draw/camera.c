/* SPDX-License-Identifier: MIT */
#include "draw/camera.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double FLAT = 0.03; /* thickness of a flat scene, as a part of its size */

static void scale_to_unit(double v[3])
{
  const double length = sqrt(v3_dot(v, v));
  for (int i = 0; i < 3; i++) v[i] /= length;
}

/* toward is set; up: about the direction that shall be up. */
static void complete_camera(struct camera *c, const double up[3])
{
  v3_cross(c->right, up, c->toward);
  scale_to_unit(c->right);
  v3_cross(c->up, c->toward, c->right);
  c->low[0] = c->low[1] = INFINITY;
  c->high[0] = c->high[1] = -INFINITY;
}

void camera_aim_oblique(struct camera *c, const double up[3])
{
  /* The axis that is least along up points to the front. */
  double front[3] = {0}, left[3];
  front[fabs(up[0]) <= fabs(up[1]) && fabs(up[0]) <= fabs(up[2]) ? 0
        : fabs(up[1]) <= fabs(up[2])                             ? 1
                                                                 : 2] = 1;
  v3_axpy(front, -v3_dot(front, up), up);
  scale_to_unit(front);
  v3_cross(left, up, front);
  for (int i = 0; i < 3; i++) c->toward[i] = 0.52 * front[i] - 0.74 * left[i] + 0.42 * up[i];
  scale_to_unit(c->toward);
  complete_camera(c, up);
}

void camera_aim(struct camera *c, const struct scene *s)
{
  /* A flat scene is seen along its thin side, from where the two other axes turn counter-clockwise. */
  int thin = -1;
  for (int i = 0; i < 3; i++)
    if (s->high[i] - s->low[i] <= FLAT * s->size && fabs(s->up[i]) < 0.5 && (thin < 0 || i == 2)) thin = i;
  if (thin < 0) {
    camera_aim_oblique(c, s->up);
    return;
  }
  /* With y thin and z up, x points to the right if the eye is at negative y. */
  const int side = thin == 1 && fabs(s->up[2]) > 0.5 ? -1 : 1;
  for (int i = 0; i < 3; i++) c->toward[i] = i == thin ? side : 0;
  complete_camera(c, s->up);
}

void camera_see(struct camera *c, const double world[3])
{
  const double place[2] = {v3_dot(c->right, world), v3_dot(c->up, world)};
  for (int i = 0; i < 2; i++) {
    c->low[i] = fmin(c->low[i], place[i]);
    c->high[i] = fmax(c->high[i], place[i]);
  }
}

void camera_fit(struct camera *c, const double page[4])
{
  const double width = fmax(c->high[0] - c->low[0], 1e-9), height = fmax(c->high[1] - c->low[1], 1e-9);
  c->scale = fmin(page[2] / width, page[3] / height);
  c->shift[0] = page[0] + 0.5 * page[2] - 0.5 * c->scale * (c->low[0] + c->high[0]);
  c->shift[1] = page[1] + 0.5 * page[3] + 0.5 * c->scale * (c->low[1] + c->high[1]);
}

double camera_project(const struct camera *c, const double world[3], double page[2])
{
  page[0] = c->shift[0] + c->scale * v3_dot(c->right, world);
  page[1] = c->shift[1] - c->scale * v3_dot(c->up, world);
  return v3_dot(c->toward, world);
}
