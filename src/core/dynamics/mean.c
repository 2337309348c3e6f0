/* SPDX-License-Identifier: MIT
 * Loop code: the loads of a link over a step, for links that are not in lanes. */
#include "dynamics/mean.h"

#include <string.h>

static struct mean_pair mean_pair_of(const struct joint_view *start, const struct joint_view *end, int a,
                                     int b)
{
  return (struct mean_pair){.start = {{start->x[a], start->x[b]}, {start->f[a], start->f[b]}},
                            .end = {{end->x[a], end->x[b]}, {end->f[a], end->f[b]}}};
}

/* One coordinate: the load of its two bodies. turn: expected angles at both ends. */
static void mean_coordinate(const struct coordinate *c, const struct mean_pair *pair, const double turn[2],
                            double stores, double lambda, double (*load)[BODY_Y])
{
  if (c->kind == COORDINATE_ANGLE) {
    mean_angle(pair, c->axis,
               coordinate_value(c, &pair->end, turn[1]) - coordinate_value(c, &pair->start, turn[0]), stores,
               lambda, load);
  } else if (c->kind == COORDINATE_SLIDE) {
    struct mean_points points;
    double end[3], U[3];
    mean_points(pair, c->point, &points);
    mean_vector(pair, 0, c->axis, end, U);
    mean_slide(load, &points, U, lambda);
  }
}

/* Sliding at a contact: the forces act at the mean point of contact, and none at the centre of a wheel. n: mean normal from a to
 * b. */
static void mean_slip(const struct joint_rows *j, const struct primitive *p, const struct joint_view *end,
                      const struct mean_points *points, const double n[3], const double *lambda,
                      double (*load)[BODY_Y])
{
  double t[2][3], arm[3];
  rows_tangents(p, end, n, t);
  for (int i = 0; i < 2; i++) {
    double k[3];
    for (int e = 0; e < 3; e++) k[e] = lambda[i] * t[i][e];
    v3_copy(arm, points->arm[1]);
    v3_axpy(arm, -j->radius[1], n);
    mean_push(load[1], 1.0, arm, k);
    /* from the centre of a to the same point */
    for (int e = 0; e < 3; e++) arm[e] = points->arm[0][e] + points->d[e] - j->radius[1] * n[e];
    mean_push(load[0], -1.0, arm, k);
  }
}

/* The mean direction of the first row of a contact. */
static void mean_normal(const struct joint_rows *j, const struct mean_pair *pair,
                        const struct mean_points *points, double lengths, double n[3])
{
  double end[3];
  if (j->primitive[0].kind == ROW_GAP) {
    mean_vector(pair, 0, j->primitive[0].u, end, n);
    return;
  }
  for (int i = 0; i < 3; i++) n[i] = 2.0 * inverse_or_zero(lengths) * points->d[i];
}

static double points_distance(const struct body_pair *pair, const double (*point)[3])
{
  double d[3];
  point_separation(pair, point, d);
  return sqrt(v3_dot(d, d));
}

void rows_mean_load(const struct joint_rows *j, const struct joint_view *start, const struct joint_view *end,
                    const double *lambda, double (*load)[BODY_Y])
{
  const struct mean_pair pair = mean_pair_of(start, end, 0, 1);
  struct mean_points points;
  double lengths = 0.0, n[3], Phi[3];
  memset(load, 0, (size_t)j->sides * sizeof *load);
  mean_points(&pair, j->point, &points);
  /* one primitive after the other */
  for (int k = 0; k < j->primitives; k++) {
    const struct primitive *p = &j->primitive[k];
    const struct primitive_values values = {
        .point = j->point, .u = p->u, .v = p->v, .length = j->length, .angle = j->coordinate[0].angle};
    if (p->kind == ROW_LENGTH)
      lengths = points_distance(&pair.start, j->point) + points_distance(&pair.end, j->point);
    if (p->kind == ROW_COORDINATE) {
      for (int i = 0; i < j->coordinates; i++) {
        const int *side_of = j->side[i];
        const struct mean_pair own = mean_pair_of(start, end, side_of[0], side_of[1]);
        const double turn[2] = {start->turn[i], end->turn[i]};
        double part[2][BODY_Y] = {{0}};
        mean_coordinate(&j->coordinate[i], &own, turn, (j->coordinates > 1 && !j->twists) || rows_store(j),
                        j->ratio[i] * *lambda, part);
        for (int side = 0; side < 2; side++)
          for (int y = 0; y < BODY_Y; y++) load[side_of[side]][y] += part[side][y];
      }
    } else if (p->kind == ROW_SLIP || p->kind == ROW_ROLL) {
      mean_normal(j, &pair, &points, lengths, n);
      mean_slip(j, p, end, &points, n, lambda, load);
    } else {
      mean_primitive(p->kind, &pair, &values, &points, lengths, rows_store(j), lambda, Phi, load);
    }
    lambda += primitive_count(p->kind);
  }
}
