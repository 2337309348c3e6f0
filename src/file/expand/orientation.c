/* SPDX-License-Identifier: MIT
 * Orientations written as Euler angles, as axis and angle, or as directions of axes. */
#include "expand/expand_parts.h"

#include <math.h>
#include <string.h>

const char *const orientation_orders[ORIENTATION_ORDERS + 1] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                                                "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

void orientation_about(double p[4], const double axis[3], double angle)
{
  const double length = sqrt(v3_dot(axis, axis)), half = sin(0.5 * angle) / length;
  p[0] = cos(0.5 * angle);
  for (int i = 0; i < 3; i++) p[1 + i] = half * axis[i];
}

void orientation_turn(double o[3], const double p[4], const double v[3])
{
  double R[9];
  p_rotation(R, p);
  m3_mul(o, R, v);
}

void orientation_between(double p[4], const double a[3], const double b[3])
{
  double axis[3];
  const double k = sqrt(v3_dot(a, a) * v3_dot(b, b)), cosine = v3_dot(a, b) / k;
  v3_cross(axis, a, b);
  if (cosine < -0.999999) { /* half a turn about any axis across a */
    const int least = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0
                      : fabs(a[1]) <= fabs(a[2])                           ? 1
                                                                           : 2;
    double across[3] = {0};
    across[least] = 1;
    v3_cross(axis, a, across);
    orientation_about(p, axis, 3.14159265358979323846);
    return;
  }
  p[0] = 1 + cosine;
  for (int i = 0; i < 3; i++) p[1 + i] = axis[i] / k;
  p_normalise(p);
}

static void orientation_of_columns(double p[4], const double R[9])
{
  /* The largest parameter first, so that nothing is divided by a small number. */
  const double four[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                          1 - R[0] - R[4] + R[8]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (four[i] > four[k]) k = i;
  const double sums[4][4] = {{four[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
                             {R[7] - R[5], four[1], R[1] + R[3], R[2] + R[6]},
                             {R[2] - R[6], R[1] + R[3], four[2], R[5] + R[7]},
                             {R[3] - R[1], R[2] + R[6], R[5] + R[7], four[3]}};
  const double sign = sums[k][0] < 0 ? -1 : 1; /* p and -p are one orientation */
  for (int i = 0; i < 4; i++) p[i] = sign * sums[k][i];
  p_normalise(p);
}

static void of_euler_angles(double p[4], const struct orientation_values *v)
{
  double q[4] = {1, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    double axis[3] = {0}, turn[4];
    axis[orientation_orders[v->order][i] - 'x'] = 1;
    orientation_about(turn, axis, v->euler[i]);
    p_mul(p, q, turn);
    memcpy(q, p, sizeof q);
  }
}

/* R: columns a and b, given as directions, b only as far as it is across a. False: the directions are parallel. */
static bool columns_of_two(double R[9], int a, const double first[3], int b, const double second[3])
{
  double u[3], v[3], w[3];
  const double length = sqrt(v3_dot(first, first));
  for (int i = 0; i < 3; i++) u[i] = first[i] / length;
  v3_copy(v, second);
  v3_axpy(v, -v3_dot(u, second), u);
  const double across = sqrt(v3_dot(v, v));
  if (!(across > 1e-6 * sqrt(v3_dot(second, second)))) return false;
  for (int i = 0; i < 3; i++) v[i] /= across;
  v3_cross(w, u, v);
  const double sign = (b - a + 3) % 3 == 1 ? 1 : -1;
  for (int i = 0; i < 3; i++) {
    R[3 * i + a] = u[i];
    R[3 * i + b] = v[i];
    R[3 * i + 3 - a - b] = sign * w[i];
  }
  return true;
}

/* The axes of the mapping in the order in which the file has them. Returns their number. */
static int axes_given(const struct node *map, const struct orientation_values *v, int axis[3],
                      const double *direction[3])
{
  static const char *const name[3] = {"x", "y", "z"};
  const double *const value[3] = {v->x, v->y, v->z};
  int count = 0;
  for (const struct node *n = map->first; n; n = n->next)
    for (int i = 0; i < 3; i++)
      if (strcmp(n->key, name[i]) == 0 && count < 3) {
        axis[count] = i;
        direction[count++] = value[i];
      }
  return count;
}

static bool of_directions(struct expander *e, const struct node *map, const struct orientation_values *v,
                          double p[4])
{
  int axis[3];
  const double *direction[3];
  const int count = axes_given(map, v, axis, direction);
  for (int i = 0; i < count; i++)
    if (!(v3_dot(direction[i], direction[i]) > 0))
      return fail_expansion(e, map->at, "a direction has the length 0");
  /* One direction: the smallest turn. Two directions: a frame. */
  if (count == 1) {
    double own[3] = {0};
    own[axis[0]] = 1;
    orientation_between(p, own, direction[0]);
    return true;
  }
  double R[9];
  if (count != 2)
    return fail_expansion(
        e, map->at, "expected {euler}, {axis, angle}, or the directions of one or two of the axes x, y, z");
  if (!columns_of_two(R, axis[0], direction[0], axis[1], direction[1]))
    return fail_expansion(e, map->at, "the two directions are parallel; give two that differ");
  orientation_of_columns(p, R);
  return true;
}

bool orientation_read(struct expander *e, const struct node *map, double p[4])
{
  struct orientation_values v = {.euler = {NAN}, .axis = {NAN}, .angle = NAN};
  if (!e->rules->read(e->rules->orientation, map, &v, e->report)) return false;
  const bool euler = !isnan(v.euler[0]), axis = !isnan(v.axis[0]), angle = !isnan(v.angle);
  if (euler && !axis && !angle && map->count == 1 + (node_find(map, "order") != NULL)) {
    of_euler_angles(p, &v);
    return true;
  }
  if (axis && angle && map->count == 2) {
    if (!(v3_dot(v.axis, v.axis) > 0))
      return fail_expansion(e, map->at, "axis: expected a direction, found length 0");
    orientation_about(p, v.axis, v.angle);
    return true;
  }
  if (!euler && !axis && !angle && !node_find(map, "order")) return of_directions(e, map, &v, p);
  return fail_expansion(
      e, map->at,
      "expected {euler}, {euler, order}, {axis, angle}, or the directions of one or two of the axes "
      "x, y, z");
}
