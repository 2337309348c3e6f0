/* SPDX-License-Identifier: MIT */
#include "draw/outlines.h"

#include "math/euler.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUND = 24, RINGS = 6 };
static const double EDGE_ON = 0.02; /* cosine below which the end of a cylinder is not seen */

/* One shape: where its points go, and the outermost ones so far. */
struct outline_search {
  const struct scene *scene;
  const struct camera *camera;
  struct outline *to;
  const double *size, *position;
  double R[9]; /* shape to body */
  double reach[OUTLINE_POINTS];
};

/* A point of the shape in the world. */
static void place_outline_point(const struct outline_search *f, double x, double y, double z, double world[3])
{
  double at[3];
  m3_mul(at, f->R, (const double[]){x, y, z});
  v3_axpy(at, 1, f->position);
  scene_place(f->scene, f->to->body, at, world);
}

/* Keeps the point where it is the outermost one in a direction of the page. */
static void try_outline_point(struct outline_search *f, double x, double y, double z)
{
  double world[3];
  place_outline_point(f, x, y, z, world);
  const double right = v3_dot(f->camera->right, world), up = v3_dot(f->camera->up, world);
  for (int k = 0; k < OUTLINE_POINTS; k++) {
    const double angle = 2 * M_PI * k / OUTLINE_POINTS, far = cos(angle) * right + sin(angle) * up;
    if (far <= f->reach[k]) continue;
    f->reach[k] = far;
    v3_copy(f->to->point[k], world);
  }
}

static void try_box_points(struct outline_search *f)
{
  for (int corner = 0; corner < 8; corner++)
    try_outline_point(f, (corner & 1 ? 0.5 : -0.5) * f->size[0], (corner & 2 ? 0.5 : -0.5) * f->size[1],
                      (corner & 4 ? 0.5 : -0.5) * f->size[2]);
}

/* A cylinder with caps of this height: 0 for a cylinder, half its length for a sphere. */
static void try_round_points(struct outline_search *f, double cap)
{
  const double straight = 0.5 * f->size[2] - cap;
  for (int ring = 0; ring <= RINGS; ring++) {
    const double up = 0.5 * M_PI * ring / RINGS, wide = cap > 0 ? cos(up) : 1,
                 high = straight + cap * sin(up);
    for (int i = 0; i < ROUND; i++) {
      const double angle = 2 * M_PI * i / ROUND;
      const double x = 0.5 * f->size[0] * wide * cos(angle), y = 0.5 * f->size[1] * wide * sin(angle);
      try_outline_point(f, x, y, high);
      try_outline_point(f, x, y, -high);
    }
  }
}

static bool try_mesh_points(struct outline_search *f, const struct scene_visual *v, char *error, size_t size)
{
  struct mesh m;
  const bool good = mesh_file_read(&m, v->folder, v->file, error, size);
  for (size_t i = 0; good && i < 3 * (size_t)m.triangles; i++) {
    double at[3];
    for (int k = 0; k < 3; k++)
      at[k] = (k == v->mirror ? -v->scale : v->scale) * (double)m.corner[3 * i + (size_t)k];
    try_outline_point(f, at[0], at[1], at[2]);
  }
  mesh_free(&m);
  return good;
}

/* Begins the next outline, with the place and the size of a shape. */
static struct outline_search begin_outline(struct outlines *o, const struct scene *s, const struct camera *c,
                                           int body, const double size[3], const double position[3])
{
  struct outline_search f = {
      .scene = s, .camera = c, .to = &o->item[o->count++], .size = size, .position = position};
  f.to->body = body;
  for (int k = 0; k < OUTLINE_POINTS; k++) f.reach[k] = -INFINITY;
  return f;
}

/* The end of a cylinder that the eye sees is an outline of its own, in front of the first. */
static void add_cylinder_end(struct outlines *o, const struct outline_search *f)
{
  double axis[3];
  scene_direction(f->scene, f->to->body, (const double[]){f->R[2], f->R[5], f->R[8]}, axis);
  const double toward = v3_dot(axis, f->camera->toward);
  if (fabs(toward) < EDGE_ON) return;
  struct outline *to = &o->item[o->count++];
  to->body = f->to->body;
  to->color = f->to->color;
  for (int k = 0; k < OUTLINE_POINTS; k++) {
    const double angle = 2 * M_PI * k / OUTLINE_POINTS;
    place_outline_point(f, 0.5 * f->size[0] * cos(angle), 0.5 * f->size[1] * sin(angle),
                        copysign(0.5 * f->size[2], toward), to->point[k]);
  }
}

static void find_plain_outline(struct outlines *o, struct outline_search *f, enum scene_shape shape)
{
  const double *e = f->size;
  if (shape == SCENE_BOX)
    try_box_points(f);
  else
    try_round_points(f, shape == SCENE_SPHERE    ? 0.5 * e[2]
                        : shape == SCENE_CAPSULE ? 0.5 * fmin(e[2], fmin(e[0], e[1]))
                                                 : 0);
  if (shape == SCENE_CYLINDER) add_cylinder_end(o, f);
}

bool outlines_find(struct outlines *o, const struct scene *s, const struct camera *c,
                   const struct scene_visual *visual, int count, char *error, size_t size)
{
  static const double centre[3] = {0};
  *o = (struct outlines){.item = calloc(2 * ((size_t)count + (size_t)s->bodies) + 1, sizeof *o->item)};
  if (!o->item) {
    snprintf(error, size, "out of memory");
    return false;
  }
  /* Shapes of the file. */
  for (int i = 0; i < count; i++) {
    const struct scene_visual *v = &visual[i];
    struct outline_search f = begin_outline(o, s, c, v->body, v->size, v->position);
    f.to->color = v->color[0] ? v->color : SCENE_BLUE;
    p_rotation(f.R, v->orientation);
    if (v->shape != SCENE_MESH)
      find_plain_outline(o, &f, v->shape);
    else if (!try_mesh_points(&f, v, error, size))
      return false;
  }
  /* Round solids of the other bodies. */
  for (int i = 0; i < s->bodies; i++) {
    const struct scene_body *b = &s->body[i];
    if (!b->has_box || b->solid == SCENE_BOX || outlines_have(o, i)) continue;
    struct outline_search f = begin_outline(o, s, c, i, b->edge, centre);
    for (int k = 0; k < 9; k++) f.R[k] = b->axes[k];
    find_plain_outline(o, &f, b->solid);
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
    if (o->item[i].body == body && o->item[i].color) return true;
  return false;
}
