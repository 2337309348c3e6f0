/* SPDX-License-Identifier: MIT */
#include "draw/outlines.h"

#include "math/euler.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUND = 24, RINGS = 6 };

/* One shape: where its points go, and the outermost ones so far. */
struct outline_search {
  const struct scene *scene;
  const struct camera *camera;
  const struct scene_visual *visual;
  struct outline *to;
  double R[9]; /* shape to body */
  double reach[OUTLINE_POINTS];
};

/* A point of the shape, in its own frame. */
static void try_outline_point(struct outline_search *f, double x, double y, double z)
{
  double at[3], world[3];
  m3_mul(at, f->R, (const double[]){x, y, z});
  v3_axpy(at, 1, f->visual->position);
  scene_place(f->scene, f->visual->body, at, world);
  /* The outermost point in each direction of the page. */
  const double right = v3_dot(f->camera->right, world), up = v3_dot(f->camera->up, world);
  for (int k = 0; k < OUTLINE_POINTS; k++) {
    const double angle = 2 * M_PI * k / OUTLINE_POINTS, far = cos(angle) * right + sin(angle) * up;
    if (far <= f->reach[k]) continue;
    f->reach[k] = far;
    v3_copy(f->to->point[k], world);
  }
}

static void try_box_points(struct outline_search *f, const double size[3])
{
  for (int corner = 0; corner < 8; corner++)
    try_outline_point(f, (corner & 1 ? 0.5 : -0.5) * size[0], (corner & 2 ? 0.5 : -0.5) * size[1],
                      (corner & 4 ? 0.5 : -0.5) * size[2]);
}

/* A cylinder with caps of this height: 0 for a cylinder, half its length for a sphere. */
static void try_round_points(struct outline_search *f, const double size[3], double cap)
{
  const double straight = 0.5 * size[2] - cap;
  for (int ring = 0; ring <= RINGS; ring++) {
    const double up = 0.5 * M_PI * ring / RINGS, wide = cap > 0 ? cos(up) : 1,
                 high = straight + cap * sin(up);
    for (int i = 0; i < ROUND; i++) {
      const double angle = 2 * M_PI * i / ROUND;
      const double x = 0.5 * size[0] * wide * cos(angle), y = 0.5 * size[1] * wide * sin(angle);
      try_outline_point(f, x, y, high);
      try_outline_point(f, x, y, -high);
    }
  }
}

static bool try_mesh_points(struct outline_search *f, char *error, size_t size)
{
  struct mesh m;
  const bool good = mesh_file_read(&m, f->visual->folder, f->visual->file, error, size);
  const double k = f->visual->scale;
  for (size_t i = 0; good && i < 3 * (size_t)m.triangles; i++) {
    const float *at = m.corner + 3 * i;
    try_outline_point(f, k * (double)at[0], k * (double)at[1], k * (double)at[2]);
  }
  mesh_free(&m);
  return good;
}

static bool find_outline(struct outline_search *f, char *error, size_t size)
{
  const double *edge = f->visual->size;
  /* Nothing is reached yet. */
  p_rotation(f->R, f->visual->orientation);
  for (int k = 0; k < OUTLINE_POINTS; k++) f->reach[k] = -INFINITY;
  switch (f->visual->shape) {
  case SCENE_BOX:
    try_box_points(f, edge);
    return true;
  case SCENE_SPHERE:
    try_round_points(f, edge, 0.5 * edge[2]);
    return true;
  case SCENE_CYLINDER:
    try_round_points(f, edge, 0);
    return true;
  case SCENE_CAPSULE:
    try_round_points(f, edge, 0.5 * fmin(edge[2], fmin(edge[0], edge[1])));
    return true;
  case SCENE_MESH:
    return try_mesh_points(f, error, size);
  }
  return true;
}

bool outlines_find(struct outlines *o, const struct scene *s, const struct camera *c,
                   const struct scene_visual *visual, int count, char *error, size_t size)
{
  *o = (struct outlines){.item = calloc((size_t)count + 1, sizeof *o->item)};
  if (!o->item) {
    snprintf(error, size, "out of memory");
    return false;
  }
  for (int i = 0; i < count; i++) {
    struct outline_search f = {.scene = s, .camera = c, .visual = &visual[i], .to = &o->item[o->count++]};
    f.to->body = visual[i].body;
    f.to->color = visual[i].color[0] ? visual[i].color : SCENE_BLUE;
    if (!find_outline(&f, error, size)) return false;
  }
  return true;
}

void outlines_free(struct outlines *o)
{
  free(o->item);
  *o = (struct outlines){0};
}

bool outlines_have(const struct outlines *o, int body)
{
  for (int i = 0; i < o->count; i++)
    if (o->item[i].body == body) return true;
  return false;
}
