/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

#include "hexapod/hexapod.h"
#include "math/eigen.h"
#include "math/euler.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ROD_THICKNESS = 0.006; /* radius of a rod, as a part of the size */
static const double ROD_THICKEST = 0.5;    /* radius of a rod, as a part of the mean length of the rods */
static const double ROD_INSIDE = 0.999;    /* a rod that ends this deep in a solid ends inside */
static const double ROD_NEAR =
    0.2; /* a rod is short, as a part of the longest: its end may be inside a solid */
static const double BROADEST = 0.8;      /* breadth of a solid, as a part of the longest rod of its body */
static const double ROD_SHORTEST = 1e-6; /* m: a point nearer to the centre of mass needs no rod */

#define COPY3(to, from) memcpy(to, from, 3 * sizeof(double))

void scene_direction(const struct scene *s, int body, const double axis[3], double world[3])
{
  double R[9], out[3];
  COPY3(out, axis);
  if (body != ALI3_GROUND) {
    p_rotation(R, s->body[body].orientation);
    m3_mul(out, R, axis);
  }
  COPY3(world, out);
}

void scene_place(const struct scene *s, int body, const double point[3], double world[3])
{
  scene_direction(s, body, point, world);
  for (int i = 0; body != ALI3_GROUND && i < 3; i++) world[i] += s->body[body].position[i];
}

void scene_crank_tip(const struct platform_geometry *g, int leg, double angle, double tip[3])
{
  const double flat = g->crank_length * cos(angle);
  tip[0] = g->base[leg][0] + flat * cos(g->crank_heading[leg]);
  tip[1] = g->base[leg][1] + flat * sin(g->crank_heading[leg]);
  tip[2] = g->base[leg][2] + g->crank_length * sin(angle);
}

const char *scene_color(int body)
{
  static const char *const color[SCENE_COLORS] = {"#4a86c5", "#d98b3a", "#5aa469", "#b5668f",
                                                  "#7c77b9", "#c0a32e", "#3fa7a0", "#a3685a"};
  return body < 0 ? "#8a94a3" : color[body % SCENE_COLORS];
}

/* --- bodies --- */

/* Edges of the box: the moments about its axes are m/12 times the sum of the squares of the other two edges. */
static void fit_inertia_box(const struct body *b, struct scene_body *to)
{
  double X[9], J[3];
  symmetric_eigen(b->spec.inertia, 3, X, J);
  const double trace = J[0] + J[1] + J[2];
  for (int i = 0; i < 3; i++) to->edge[i] = sqrt(fmax(0, 6 / b->spec.mass * (trace - 2 * J[i])));
  /* Eigenvectors may form a left-handed system. */
  const double u[3] = {X[0], X[3], X[6]}, v[3] = {X[1], X[4], X[7]}, w[3] = {X[2], X[5], X[8]};
  double n[3];
  v3_cross(n, u, v);
  const double hand = v3_dot(n, w) < 0 ? -1 : 1;
  for (int r = 0; r < 3; r++) X[3 * r + 2] *= hand;
  memcpy(to->axes, X, sizeof to->axes);
}

static void list_scene_bodies(const ali3_model *m, struct scene *s)
{
  for (int i = 0; i < m->bodies; i++) {
    const struct body *from = &m->body[i];
    struct scene_body *to = &s->body[s->bodies++];
    *to = (struct scene_body){.name = from->name, .mass = from->spec.mass, .has_box = from->spec.mass > 0};
    COPY3(to->position, from->spec.position);
    memcpy(to->orientation, from->spec.orientation, sizeof to->orientation);
    if (to->has_box) fit_inertia_box(from, to);
  }
}

/* --- joints and forces --- */

static void list_scene_joints(const ali3_model *m, struct scene *s)
{
  for (int i = 0; i < m->joints; i++) {
    const struct joint *from = &m->joint[i];
    struct scene_joint *to = &s->joint[s->joints++];
    *to = (struct scene_joint){.name = from->name,
                               .type = from->spec.type,
                               .body = {from->body[0], from->body[1]},
                               .has_axis = {ali3_joint_type_has_axis_a(from->spec.type),
                                            ali3_joint_type_has_axis_b(from->spec.type)}};
    memcpy(to->point, from->point, sizeof to->point);
    for (int side = 0; side < 2; side++)
      if (to->has_axis[side]) COPY3(to->axis[side], from->axis[side]);
  }
}

/* Point a is in a plane of contact. */
static bool is_plane(const struct scene_force *f)
{
  return f->type == ALI3_FORCE_SPHERE_PLANE || f->type == ALI3_FORCE_TYRE;
}

static void list_scene_forces(const ali3_model *m, struct scene *s)
{
  for (int i = 0; i < m->forces; i++) {
    const ali3_force_spec *from = &m->force[i].spec;
    if (ali3_force_type_on_joint(from->type)) continue;
    struct scene_force *to = &s->force[s->forces++];
    *to = (struct scene_force){
        .name = m->force[i].name, .type = from->type, .body = {from->body_a, from->body_b}};
    COPY3(to->point[0], from->point_a);
    COPY3(to->point[1], from->point_b);
    if (from->type == ALI3_FORCE_SPHERE_SPHERE) to->radius[0] = from->radius_a;
    if (ali3_force_type_is_contact(from->type)) to->radius[1] = from->radius_b;
    const double n = sqrt(v3_dot(from->normal, from->normal)), axle = sqrt(v3_dot(from->axle, from->axle));
    for (int c = 0; from->type == ALI3_FORCE_TYRE && c < 3; c++) to->axle[c] = from->axle[c] / axle;
    for (int c = 0; is_plane(to) && c < 3; c++) to->normal[c] = from->normal[c] / n;
  }
}

/* --- rods --- */

/* Equal rods are taken out at the end. */
static void add_rod(struct scene *s, int body, const double point[3])
{
  if (body == ALI3_GROUND || sqrt(v3_dot(point, point)) < ROD_SHORTEST) return;
  struct scene_rod *to = &s->rod[s->rods++];
  *to = (struct scene_rod){.body = body};
  COPY3(to->to, point);
}

static int compare_rods(const void *a, const void *b)
{
  const struct scene_rod *p = a, *q = b;
  if (p->body != q->body) return p->body < q->body ? -1 : 1;
  /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): any order of all bits */
  return memcmp(p->to, q->to, sizeof p->to);
}

static void list_rods(struct scene *s)
{
  for (int i = 0; i < s->joints; i++)
    for (int side = 0; side < 2; side++) add_rod(s, s->joint[i].body[side], s->joint[i].point[side]);
  for (int i = 0; i < s->forces; i++)
    for (int side = 0; side < 2 && !ali3_force_type_is_contact(s->force[i].type); side++)
      add_rod(s, s->force[i].body[side], s->force[i].point[side]);
  /* Sort them by body, and keep one of equal rods. */
  qsort(s->rod, (size_t)s->rods, sizeof *s->rod, compare_rods);
  int distinct = 0;
  for (int i = 0; i < s->rods; i++)
    if (distinct == 0 || compare_rods(&s->rod[distinct - 1], &s->rod[i]) != 0) s->rod[distinct++] = s->rod[i];
  s->rods = distinct;
}

/* --- extent --- */

static void widen_extent(struct scene *s, int body, const double point[3], double radius)
{
  double at[3];
  scene_place(s, body, point, at);
  for (int i = 0; i < 3; i++) {
    s->low[i] = fmin(s->low[i], at[i] - radius);
    s->high[i] = fmax(s->high[i], at[i] + radius);
  }
}

static void find_extent(struct scene *s)
{
  const double centre[3] = {0};
  for (int i = 0; i < 3; i++) {
    s->low[i] = INFINITY;
    s->high[i] = -INFINITY;
  }
  for (int i = 0; i < s->bodies; i++) widen_extent(s, i, centre, 0);
  for (int i = 0; i < s->joints; i++)
    for (int side = 0; side < 2; side++) widen_extent(s, s->joint[i].body[side], s->joint[i].point[side], 0);
  for (int i = 0; i < s->forces; i++)
    for (int side = 0; side < 2; side++)
      if (side == 1 || !is_plane(&s->force[i])) /* a plane has no end */
        widen_extent(s, s->force[i].body[side], s->force[i].point[side], s->force[i].radius[side]);
  double square = 0;
  for (int i = 0; i < 3; i++) {
    if (s->low[i] > s->high[i]) s->low[i] = s->high[i] = 0; /* a model without bodies */
    square += (s->high[i] - s->low[i]) * (s->high[i] - s->low[i]);
  }
  s->size = sqrt(square);
  /* A single body in its centre of mass: its box gives the size. */
  for (int i = 0; i < s->bodies && s->size < SCENE_SMALLEST; i++)
    for (int c = 0; c < 3; c++) s->size = fmax(s->size, s->body[i].edge[c]);
  s->size = fmax(s->size, SCENE_SMALLEST);
}

static void find_up(struct scene *s)
{
  const double g = sqrt(v3_dot(s->gravity, s->gravity)), z[3] = {0, 0, 1};
  for (int i = 0; i < 3; i++) s->up[i] = g > 0 ? -s->gravity[i] / g : z[i];
}

/* The moments of a cube are equal. In many models this means that nobody knew them. */
static bool is_cube(const double edge[3])
{
  const double least = fmin(edge[0], fmin(edge[1], edge[2])), most = fmax(edge[0], fmax(edge[1], edge[2]));
  return most - least < 0.02 * most;
}

static bool is_pair(const double edge[3], int i, int k)
{
  return fabs(edge[i] - edge[k]) < 0.02 * fmax(edge[i], edge[k]);
}

/* The second largest edge. */
static double second_edge(const double edge[3])
{
  return fmax(fmin(edge[0], edge[1]), fmin(fmax(edge[0], edge[1]), edge[2]));
}

/* A box with equal edges becomes round, with the same moments. */
static void round_solid(struct scene_body *b)
{
  const double *e = b->edge, ball = 2 * sqrt(5.0 / 12), disc = 2 * sqrt(1.0 / 3);
  const int odd = is_pair(e, 0, 1) ? 2 : is_pair(e, 1, 2) ? 0 : is_pair(e, 0, 2) ? 1 : -1;
  b->solid = SCENE_BOX;
  if (odd < 0) return;
  if (is_cube(e)) {
    b->solid = SCENE_SPHERE;
    for (int i = 0; i < 3; i++) b->edge[i] *= ball;
    return;
  }
  /* The edges in turn, so that the axis of the cylinder is the last. */
  const struct scene_body box = *b;
  b->solid = SCENE_CYLINDER;
  for (int i = 0; i < 3; i++) {
    const int from = (odd + 1 + i) % 3;
    b->edge[i] = (i < 2 ? disc : 1) * box.edge[from];
    for (int r = 0; r < 3; r++) b->axes[3 * r + i] = box.axes[3 * r + from];
  }
}

/* How deep a point of a body is in its box: 1 at the faces, 0 in the middle. */
static double depth_in_box(const struct scene_body *b, const double point[3])
{
  double depth = 0;
  for (int axis = 0; axis < 3; axis++) {
    double along = 0;
    for (int i = 0; i < 3; i++) along += b->axes[3 * i + axis] * point[i];
    depth = fmax(depth, fabs(along) / fmax(0.5 * b->edge[axis], ROD_SHORTEST));
  }
  return depth;
}

/* Makes the box so small that no rod ends inside. Ends beside the centre of mass do not count: no box leaves them free. */
static void leave_rods_free(struct scene_body *b, const struct scene_rod *rod, int rods, double reach)
{
  double k = 1;
  for (int i = 0; i < rods; i++) {
    const double depth = depth_in_box(b, rod[i].to);
    if (depth < ROD_INSIDE && sqrt(v3_dot(rod[i].to, rod[i].to)) > ROD_NEAR * reach) k = fmin(k, depth);
  }
  for (int c = 0; c < 3; c++) b->edge[c] *= k;
}

/* Boxes that do not hide what is around them. */
static void fit_boxes(struct scene *s)
{
  for (int i = 0, at = 0; i < s->bodies; i++) {
    struct scene_body *b = &s->body[i];
    double reach = 0;
    int rods = 0;
    for (; at < s->rods && s->rod[at].body == i; at++, rods++)
      reach = fmax(reach, sqrt(v3_dot(s->rod[at].to, s->rod[at].to)));
    /* Without rods a third of the scene limits the box, unless the body is the scene. */
    const double part = is_cube(b->edge) ? 0.4 : 1;
    const double longest = rods ? 2 * part * reach : s->bodies > 1 ? part * s->size / 3 : INFINITY;
    const double diagonal = sqrt(v3_dot(b->edge, b->edge)), broad = second_edge(b->edge);
    double k = diagonal > longest ? longest / diagonal : 1;
    if (rods && broad > BROADEST * reach) k = fmin(k, BROADEST * reach / broad);
    b->has_box &= rods != 2;
    for (int c = 0; c < 3; c++) b->edge[c] *= k;
    leave_rods_free(b, &s->rod[at - rods], rods, reach);
    for (int c = 0; c < 3; c++) b->edge[c] = fmax(b->edge[c], SCENE_THINNEST * s->size);
    round_solid(b);
  }
}

static void find_sizes(struct scene *s)
{
  find_up(s);
  find_extent(s);
  /* Rods of many short bodies are thin. */
  double length = 0;
  for (int i = 0; i < s->rods; i++) length += sqrt(v3_dot(s->rod[i].to, s->rod[i].to)) / s->rods;
  s->thickness = ROD_THICKNESS * s->size;
  if (s->rods) s->thickness = fmin(s->thickness, ROD_THICKEST * length);
  fit_boxes(s);
}

static void place_platform(struct scene *s, const struct platform_geometry *g)
{
  char error[200];
  struct hexapod h;
  if (!g || !hexapod_init(&h, g, error, sizeof error)) return;
  s->has_platform = true;
  s->platform = *g;
  memcpy(s->neutral, h.neutral, sizeof s->neutral);
}

struct scene *scene_new(const ali3_model *m, const struct platform_geometry *platform)
{
  struct scene *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  /* Room for all elements. */
  const size_t points = 2 * ((size_t)m->joints + (size_t)m->forces);
  s->body = calloc((size_t)m->bodies + 1, sizeof *s->body);
  s->joint = calloc((size_t)m->joints + 1, sizeof *s->joint);
  s->force = calloc((size_t)m->forces + 1, sizeof *s->force);
  s->rod = calloc(points + 1, sizeof *s->rod);
  if (!s->body || !s->joint || !s->force || !s->rod) {
    scene_free(s);
    return NULL;
  }
  /* Elements first, then the sizes that depend on all of them. */
  s->name = m->name;
  COPY3(s->gravity, m->gravity);
  list_scene_bodies(m, s);
  list_scene_joints(m, s);
  list_scene_forces(m, s);
  list_rods(s);
  find_sizes(s);
  place_platform(s, platform);
  return s;
}

void scene_free(struct scene *s)
{
  if (!s) return;
  free(s->body);
  free(s->rod);
  free(s->joint);
  free(s->force);
  free(s);
}
