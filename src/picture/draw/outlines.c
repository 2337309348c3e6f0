/* SPDX-License-Identifier: MIT */
#include "draw/outlines.h"

#include "math/euler.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUND = 24, RINGS = 6, PIECES = 4 /* outlines of one shape at most */ };
static const double EDGE_ON = 0.02; /* cosine below which a face is not seen */
static const double DARKEST = 0.62; /* where no light falls, as a part of the colour */
static const double HOLE = 0.45;    /* in the hole of a tube, as a part of the colour */
static const double NEARER = 1e-3;  /* distance between the pieces of one shape, as a part of its size */

/* One shape: where its points go, and the outermost ones so far. */
struct outline_search {
  const struct scene *scene;
  const struct camera *camera;
  struct outline *to;
  const char *color;
  const double *size, *position;
  double R[9]; /* shape to body */
  double reach[OUTLINE_POINTS];
};

/* A colour times `light`, which is at most 1. */
static void shade_color(char to[SCENE_COLOR], const char *color, double light)
{
  unsigned red = 0, green = 0, blue = 0;
  /* NOLINTNEXTLINE(cert-err34-c): two digits fit */
  if (sscanf(color, "#%2x%2x%2x", &red, &green, &blue) != 3) red = green = blue = 0;
  snprintf(to, SCENE_COLOR, "#%02x%02x%02x", (unsigned)(light * (red & 255) + 0.5),
           (unsigned)(light * (green & 255) + 0.5), (unsigned)(light * (blue & 255) + 0.5));
}

/* Light falls from above, from the side of the eye. */
static double light_on(const struct outline_search *f, const double normal[3])
{
  const double *up = f->scene->up;
  double from[3];
  v3_copy(from, f->camera->toward);
  v3_axpy(from, 1.3, up);
  v3_axpy(from, -0.5, f->camera->right);
  return DARKEST + (1 - DARKEST) * fmax(0, v3_dot(normal, from) / sqrt(v3_dot(from, from)));
}

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

/* The next piece of the shape, with the body and kind of the one before. */
static struct outline *add_piece(struct outlines *o, const struct outline_search *f, int points)
{
  struct outline *to = &o->item[o->count++];
  to->body = f->to->body;
  to->own = f->to->own;
  to->points = points;
  to->nearer = f->to->nearer + NEARER * sqrt(v3_dot(f->size, f->size)) * (double)(to - f->to);
  return to;
}

/* The direction of an axis of the shape in the world. */
static void place_axis(const struct outline_search *f, int axis, double world[3])
{
  scene_direction(f->scene, f->to->body, (const double[]){f->R[axis], f->R[3 + axis], f->R[6 + axis]}, world);
}

/* The faces of a box that the eye sees. */
static void add_box_faces(struct outlines *o, const struct outline_search *f)
{
  bool first = true;
  for (int axis = 0; axis < 3; axis++) {
    double normal[3];
    place_axis(f, axis, normal);
    const double toward = v3_dot(normal, f->camera->toward), side = copysign(0.5, toward);
    if (fabs(toward) < EDGE_ON) continue;
    for (int i = 0; i < 3; i++) normal[i] *= 2 * side;
    struct outline *to = first ? f->to : add_piece(o, f, 4);
    first = false;
    to->points = 4;
    shade_color(to->color, f->color, light_on(f, normal));
    /* Its corners, one after the other around the face. */
    for (int k = 0; k < 4; k++) {
      double at[3];
      at[axis] = side * f->size[axis];
      at[(axis + 1) % 3] = (k == 1 || k == 2 ? 0.5 : -0.5) * f->size[(axis + 1) % 3];
      at[(axis + 2) % 3] = (k >= 2 ? 0.5 : -0.5) * f->size[(axis + 2) % 3];
      place_outline_point(f, at[0], at[1], at[2], to->point[k]);
    }
  }
}

static void try_cone_points(struct outline_search *f)
{
  try_outline_point(f, 0, 0, 0.5 * f->size[2]);
  for (int i = 0; i < ROUND; i++) {
    const double angle = 2 * M_PI * i / ROUND;
    try_outline_point(f, 0.5 * f->size[0] * cos(angle), 0.5 * f->size[1] * sin(angle), -0.5 * f->size[2]);
  }
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
                                           int body, const char *color, const double size[3],
                                           const double position[3])
{
  struct outline_search f = {.scene = s,
                             .camera = c,
                             .to = &o->item[o->count++],
                             .color = color,
                             .size = size,
                             .position = position};
  f.to->body = body;
  f.to->points = OUTLINE_POINTS;
  shade_color(f.to->color, color, 0.5 * (1 + DARKEST));
  for (int k = 0; k < OUTLINE_POINTS; k++) f.reach[k] = -INFINITY;
  return f;
}

/* The end of a cylinder, cone or tube that the eye sees is an outline of its own, in front of the first, and the hole of a tube
 * another one. wide: its part of the diameters; light: 0 if the light falls on it as on any face. */
static void add_round_end(struct outlines *o, const struct outline_search *f, enum scene_shape shape,
                          double wide, double light)
{
  double axis[3];
  place_axis(f, 2, axis);
  const double toward = v3_dot(axis, f->camera->toward), side = copysign(1, toward);
  if (fabs(toward) < EDGE_ON || (shape == SCENE_CONE && side > 0)) return;
  for (int i = 0; i < 3; i++) axis[i] *= side;
  struct outline *to = add_piece(o, f, OUTLINE_POINTS);
  shade_color(to->color, f->color, light > 0 ? light : light_on(f, axis));
  for (int k = 0; k < OUTLINE_POINTS; k++) {
    const double angle = 2 * M_PI * k / OUTLINE_POINTS;
    place_outline_point(f, 0.5 * wide * f->size[0] * cos(angle), 0.5 * wide * f->size[1] * sin(angle),
                        side * 0.5 * f->size[2], to->point[k]);
  }
}

static void find_plain_outline(struct outlines *o, struct outline_search *f, enum scene_shape shape,
                               double inner)
{
  const double *e = f->size;
  if (shape == SCENE_BOX) {
    add_box_faces(o, f);
    return;
  }
  if (shape == SCENE_CONE)
    try_cone_points(f);
  else
    try_round_points(f, shape == SCENE_SPHERE    ? 0.5 * e[2]
                        : shape == SCENE_CAPSULE ? 0.5 * fmin(e[2], fmin(e[0], e[1]))
                                                 : 0);
  if (shape == SCENE_CYLINDER || shape == SCENE_TUBE || shape == SCENE_CONE) add_round_end(o, f, shape, 1, 0);
  if (shape == SCENE_TUBE) add_round_end(o, f, shape, inner, HOLE);
}

bool outlines_find(struct outlines *o, const struct scene *s, const struct camera *c,
                   const struct scene_visual *visual, int count, char *error, size_t size)
{
  static const double centre[3] = {0};
  *o = (struct outlines){.item = calloc(PIECES * ((size_t)count + (size_t)s->bodies) + 1, sizeof *o->item)};
  if (!o->item) {
    snprintf(error, size, "out of memory");
    return false;
  }
  /* Shapes of the file. */
  for (int i = 0; i < count; i++) {
    const struct scene_visual *v = &visual[i];
    struct outline_search f =
        begin_outline(o, s, c, v->body, v->color[0] ? v->color : scene_color(v->body), v->size, v->position);
    f.to->own = true;
    p_rotation(f.R, v->orientation);
    if (v->shape != SCENE_MESH)
      find_plain_outline(o, &f, v->shape, v->inner);
    else if (!try_mesh_points(&f, v, error, size))
      return false;
  }
  /* Solids of the other bodies. */
  for (int i = 0; i < s->bodies; i++) {
    const struct scene_body *b = &s->body[i];
    if (!b->has_box || outlines_have(o, i)) continue;
    struct outline_search f = begin_outline(o, s, c, i, scene_color(i), b->edge, centre);
    for (int k = 0; k < 9; k++) f.R[k] = b->axes[k];
    find_plain_outline(o, &f, b->solid, 0);
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
    if (o->item[i].body == body && o->item[i].own) return true;
  return false;
}
