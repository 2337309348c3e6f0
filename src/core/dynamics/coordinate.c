/* SPDX-License-Identifier: MIT
 * Loop code. A slide is U . d, with the axis U, which turns with a, and d = P_b - P_a. The rate of an angle is axis . (w_b -
 * w_a), which is exact if the axes of the joint are parallel. */
#include "dynamics/primitives.h"

double coordinate_value(const struct coordinate *c, const struct body_pair *v, double turn)
{
  double U[3], d[3];
  if (c->kind == COORDINATE_NONE) return 0.0;
  if (c->kind == COORDINATE_ANGLE) return coordinate_angle(c->angle, c->zero, v, turn);
  world_vector(U, v->f[0], c->axis);
  point_separation(v, c->point, d);
  return v3_dot(U, d) + c->zero;
}

double coordinate_rate(const struct coordinate *c, const struct body_pair *v)
{
  double y[2][BODY_Y], axis[3], wa[3], wb[3], U1[3];
  struct pair_motion m;
  if (c->kind == COORDINATE_NONE) return 0.0;
  if (c->kind == COORDINATE_ANGLE) {
    body_velocity(v->x[0], y[0]);
    body_velocity(v->x[1], y[1]);
    m3_mul(axis, v->f[0]->R, c->axis);
    m3_mul(wa, v->f[0]->R, y[0] + 3);
    m3_mul(wb, v->f[1]->R, y[1] + 3);
    return v3_dot(axis, wb) - v3_dot(axis, wa);
  }
  world_vector(axis, v->f[0], c->axis);
  pair_motion(&m, v, c->point);
  vector_rate(U1, v->f[0], m.y[0], c->axis);
  return v3_dot(axis, m.rate) + v3_dot(U1, m.d);
}

double coordinate_bias(const struct coordinate *c, const struct body_pair *v)
{
  double bias;
  struct pair_motion m;
  if (c->kind == COORDINATE_NONE) return 0.0;
  pair_motion(&m, v, c->point);
  primitive_bias(c->kind == COORDINATE_ANGLE ? ROW_ANGLE : ROW_IN_PLANE, v,
                 &(struct primitive_values){.u = c->axis}, &m, &bias);
  return bias;
}

void coordinate_gradient(const struct coordinate *c, const struct body_pair *v, double scale, double *a,
                         double *b)
{
  double U[3], V[3], d[3];
  switch (c->kind) {
  case COORDINATE_ANGLE:
    /* d angle = axis . (th_b in axes of a - th_a) */
    m3_mul(U, v->f[0]->R, c->axis);
    m3_tmul(V, v->f[1]->R, U);
    v3_axpy(a + 3, -scale, c->axis);
    v3_axpy(b + 3, scale, V);
    break;
  case COORDINATE_SLIDE:
    /* slide = U'd, d from point to point; U turns with a */
    world_vector(U, v->f[0], c->axis);
    point_separation(v, c->point, d);
    add_vector(a, scale, v->f[0], c->axis, d);
    add_point(a, -scale, v->f[0], c->point[0], U);
    add_point(b, scale, v->f[1], c->point[1], U);
    break;
  default:
    break;
  }
}
