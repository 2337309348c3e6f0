/* SPDX-License-Identifier: MIT
 * Masses from shapes: primitives, and closed surfaces of STL files. */
#include "import.h"
#include "mesh/mesh.h"
#include "meshes.h"

#include <math.h>
#include <string.h>

/* Volume, centre and second moments of a closed surface, as sums over the tetrahedra from the origin to its triangles. */
struct solid {
  double volume, first[3], second[9], area[3], size;
};

static void add_triangle(struct solid *s, const double c[3][3])
{
  const double u[3] = {c[1][0] - c[0][0], c[1][1] - c[0][1], c[1][2] - c[0][2]};
  const double v[3] = {c[2][0] - c[0][0], c[2][1] - c[0][1], c[2][2] - c[0][2]};
  const double area[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  const double six = c[0][0] * area[0] + c[0][1] * area[1] + c[0][2] * area[2];
  double sum[3];
  for (int i = 0; i < 3; i++) {
    sum[i] = c[0][i] + c[1][i] + c[2][i];
    s->area[i] += 0.5 * area[i];
    s->first[i] += six * sum[i] / 24.0;
  }
  /* The integral of x x' over the tetrahedron is 6 V/120 (sum of corners times itself + sum of corner times itself). */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s->second[3 * i + j] +=
          six * (sum[i] * sum[j] + c[0][i] * c[0][j] + c[1][i] * c[1][j] + c[2][i] * c[2][j]) / 120.0;
  s->volume += six / 6.0;
  s->size += 0.5 * hypot(hypot(area[0], area[1]), area[2]);
}

/* Unit density, in the frame of the shape. False: the surface is not closed, or not a file that can be read. */
static bool weigh_mesh(struct inertia *out, const struct shape *shape, const struct import *o,
                       struct notes *n)
{
  struct mesh m;
  char error[400];
  if (!mesh_of_shape(&m, shape, o, error, sizeof error)) {
    note_often(n, shape->line, "%s", error);
    mesh_free(&m);
    return false;
  }
  struct solid s = {0};
  /* Sum over the triangles, in the size that the robot has. */
  double mirror = 1.0;
  for (int i = 0; i < 3; i++) mirror *= shape->scale[i] < 0.0 ? -1.0 : 1.0;
  for (uint32_t t = 0; t < m.triangles; t++) {
    double c[3][3];
    for (int i = 0; i < 9; i++)
      c[i / 3][i % 3] = shape->scale[i % 3] * (double)m.corner[9 * (size_t)t + (size_t)i];
    add_triangle(&s, c);
  }
  mesh_free(&m);
  const double open = hypot(hypot(s.area[0], s.area[1]), s.area[2]);
  if (!(open < 1e-3 * s.size) || !(mirror * s.volume > 0.0)) {
    note(n, shape->line, "'%.200s' has no closed surface, so it gives no mass", shape->file);
    return false;
  }
  /* Moments about the centre. */
  *out = (struct inertia){.mass = mirror * s.volume};
  for (int i = 0; i < 3; i++) out->centre[i] = s.first[i] / s.volume;
  double trace = 0.0, about[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      about[3 * i + j] = mirror * (s.second[3 * i + j] - s.volume * out->centre[i] * out->centre[j]);
  for (int i = 0; i < 3; i++) trace += about[4 * i];
  for (int i = 0; i < 9; i++) out->moment[i] = (i % 4 == 0 ? trace : 0.0) - about[i];
  return true;
}

static void set_moments(struct inertia *i, double x, double y, double z)
{
  i->moment[0] = x * i->mass;
  i->moment[4] = y * i->mass;
  i->moment[8] = z * i->mass;
}

static bool weigh_shape(struct inertia *out, const struct shape *s, const struct import *o, struct notes *n)
{
  const double a = s->size[0], b = s->size[1], c = s->size[2];
  *out = (struct inertia){0};
  switch (s->kind) {
  case SHAPE_BOX:
    out->mass = a * b * c;
    set_moments(out, (b * b + c * c) / 12.0, (a * a + c * c) / 12.0, (a * a + b * b) / 12.0);
    break;
  case SHAPE_CYLINDER:
    out->mass = M_PI * a * a * b;
    set_moments(out, (3.0 * a * a + b * b) / 12.0, (3.0 * a * a + b * b) / 12.0, a * a / 2.0);
    break;
  case SHAPE_SPHERE:
    out->mass = 4.0 / 3.0 * M_PI * a * a * a;
    set_moments(out, 0.4 * a * a, 0.4 * a * a, 0.4 * a * a);
    break;
  case SHAPE_CAPSULE: {
    /* A cylinder of length b, and two half spheres, whose centres lie 3/8 a beyond its ends. */
    const double middle = M_PI * a * a * b, ends = 4.0 / 3.0 * M_PI * a * a * a;
    const double across =
        middle * (3.0 * a * a + b * b) / 12.0 + ends * (0.4 * a * a + b * b / 4.0 + 0.375 * a * b);
    out->mass = middle + ends;
    out->moment[0] = out->moment[4] = across;
    out->moment[8] = middle * a * a / 2.0 + ends * 0.4 * a * a;
    break;
  }
  case SHAPE_MESH:
    return !s->corner && weigh_mesh(out, s, o, n); /* bodies in MJCF have their masses */
  default:
    break;
  }
  return out->mass > 0.0;
}

static int weigh_list(struct inertia *sum, const struct shape *list, const struct import *o, struct notes *n)
{
  int count = 0;
  for (const struct shape *s = list; s; s = s->next) {
    struct inertia one;
    if (!weigh_shape(&one, s, o, n)) continue;
    one.mass *= o->density;
    for (int i = 0; i < 9; i++) one.moment[i] *= o->density;
    inertia_add(sum, &one, &s->at);
    count++;
  }
  return count;
}

bool density_apply(struct robot *r, const struct import *o, struct notes *n)
{
  if (o->density == 0.0) return true;
  for (int i = 0; i < r->links; i++) {
    struct link *l = &r->link[i];
    if (!inertia_is_none(&l->inertia) || r->group[l->group].ground) continue;
    /* Collision shapes are usually simpler and closed, so they count first. */
    struct inertia sum = {0};
    const char *from = "collision";
    int count = weigh_list(&sum, l->hit, o, n);
    if (!count) {
      from = "visual";
      count = weigh_list(&sum, l->visual, o, n);
    }
    if (!count) continue;
    l->inertia = sum;
    if (!l->inertial_line) l->inertial_line = l->line;
    note(n, l->line, "link '%.100s': %g kg from %d shape%s of <%s>", l->name, sum.mass, count,
         count > 1 ? "s" : "", from);
  }
  return true;
}
