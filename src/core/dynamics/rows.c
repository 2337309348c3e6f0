/* SPDX-License-Identifier: MIT
 * Loop code: residuals, Jacobians and bias of the primitives of rows.h, and the readings of a link. */
#include "dynamics/primitives.h"

static struct body_pair pair_of(const struct joint_view *v)
{
  return (struct body_pair){.x = {v->x[0], v->x[1]}, .f = {v->f[0], v->f[1]}};
}

/* The bodies of one of the coordinates. */
static struct body_pair coordinate_pair(const struct joint_rows *j, const struct joint_view *v, int k)
{
  int a = j->side[k][0], b = j->side[k][1];
  return (struct body_pair){.x = {v->x[a], v->x[b]}, .f = {v->f[a], v->f[b]}};
}

static struct primitive_values values_of_primitive(const struct joint_rows *j, const struct primitive *p)
{
  const struct coordinate *c = &j->coordinate[0];
  return (struct primitive_values){
      .point = j->point, .u = p->u, .v = p->v, .length = j->length, .angle = c->angle, .zero = c->zero};
}

/* The row of one or two coordinates. */
static double coordinate_rows(const struct joint_rows *j, const struct joint_view *v, double *row)
{
  double sum = 0.0;
  for (int i = 0; i < BODY_Y * j->sides; i++) row[i] = 0.0;
  for (int k = 0; k < j->coordinates; k++) {
    struct body_pair pair = coordinate_pair(j, v, k);
    sum += j->ratio[k] * coordinate_value(&j->coordinate[k], &pair, v->turn[k]);
    coordinate_gradient(&j->coordinate[k], &pair, j->ratio[k], row + BODY_Y * j->side[k][0],
                        row + BODY_Y * j->side[k][1]);
  }
  return sum;
}

static double coordinates_bias(const struct joint_rows *j, const struct joint_view *v)
{
  double sum = 0.0;
  for (int k = 0; k < j->coordinates; k++) {
    struct body_pair pair = coordinate_pair(j, v, k);
    sum += j->ratio[k] * coordinate_bias(&j->coordinate[k], &pair);
  }
  return sum;
}

/* Forward and across: the wheel's left, if its axle points to the left. */
static void wheel_tangents(const struct primitive *p, const struct joint_view *v, const double n[3],
                           double t[2][3])
{
  double axle[3];
  m3_mul(axle, v->f[1]->R, p->v);
  v3_cross(t[0], axle, n);
  const double square = v3_dot(t[0], t[0]);
  if (square > 1e-12) {
    for (int i = 0; i < 3; i++) t[0][i] /= sqrt(square);
    v3_cross(t[1], n, t[0]);
  } else { /* the wheel lies on its side */
    v3_perpendicular(n, t[0], t[1]);
  }
}

/* For a plane the directions turn with it, and for a wheel they turn with its axle. For two spheres they follow the last ones, so
 * that the multipliers along them keep their meaning from step to step. */
void rows_tangents(const struct primitive *p, const struct joint_view *v, const double n[3], double t[2][3])
{
  bool plane = v3_dot(p->u, p->u) > 0.0;
  const double *last = v->tangent, x_axis[3] = {1, 0, 0};
  if (p->kind == ROW_ROLL) {
    wheel_tangents(p, v, n, t);
    return;
  }
  if (plane) {
    m3_mul(t[0], v->f[0]->R, p->u);
    m3_mul(t[1], v->f[0]->R, p->v);
    return;
  }
  v3_copy(t[0], last);
  v3_axpy(t[0], -v3_dot(n, last), n);
  double square = v3_dot(t[0], t[0]);
  if (square > 1e-6) {
    for (int i = 0; i < 3; i++) t[0][i] /= sqrt(square);
    v3_cross(t[1], n, t[0]);
  } else { /* no last direction, or the centres coincide */
    v3_perpendicular(v3_dot(n, n) > 0.5 ? n : x_axis, t[0], t[1]);
  }
}

/* J y' = t . (v_b - v_a) of the material points of both bodies at P. */
static void passing_row(const struct joint_view *v, const double P[3], const double t[3], double *J)
{
  for (int side = 0; side < 2; side++) {
    double arm[3], turn[3], sign = side ? 1.0 : -1.0, *row = J + BODY_Y * side;
    v3_sub(arm, P, v->x[side]->r);
    v3_cross(turn, arm, t);
    m3_tmul(row + 3, v->f[side]->R, turn);
    for (int k = 0; k < 3; k++) {
      row[k] = sign * t[k];
      row[3 + k] *= sign;
    }
    row[6] = 0.0;
  }
}

/* The two rows of sliding at a contact. n: unit normal from a to b, world. The material points of both bodies
 * at the point of contact move past each other along two directions t across n. A wheel has one more row: its centre passes the
 * plane along the first direction. */
static void slip_rows(const struct joint_rows *j, const struct primitive *p, const struct joint_view *v,
                      const double n[3], double *J)
{
  double t[2][3], P[3], centre[3];
  world_vector(centre, v->f[1], j->point[1]);
  for (int i = 0; i < 3; i++) {
    centre[i] += v->x[1]->r[i];
    P[i] = centre[i] - j->radius[1] * n[i];
  }
  rows_tangents(p, v, n, t);
  for (int i = 0; i < 2; i++, J += PAIR) passing_row(v, P, t[i], J);
  if (p->kind == ROW_ROLL) passing_row(v, centre, t[0], J);
}

void rows_evaluate(const struct joint_rows *j, const struct joint_view *v, double *Phi, double *J)
{
  struct body_pair pair = pair_of(v);
  const double *normal = J + BODY_Y; /* for a contact: the columns of b in the first row, that of its gap */
  double d[3];
  point_separation(&pair, j->point, d);
  for (int k = 0; k < j->primitives; k++) {
    const struct primitive *p = &j->primitive[k];
    const struct primitive_values values = values_of_primitive(j, p);
    int count = primitive_count(p->kind);
    if (p->kind == ROW_COORDINATE) {
      *Phi = coordinate_rows(j, v, J) - j->length;
    } else if (p->kind == ROW_SLIP || p->kind == ROW_ROLL) {
      slip_rows(j, p, v, normal, J);
      for (int i = 0; i < count; i++) Phi[i] = 0.0;
    } else {
      primitive_rows(p->kind, &pair, &values, d, Phi, J);
    }
    Phi += count;
    J += BODY_Y * j->sides * count;
  }
}

void rows_bias(const struct joint_rows *j, const struct joint_view *v, double *bias)
{
  struct body_pair pair = pair_of(v);
  struct pair_motion motion;
  pair_motion(&motion, &pair, j->point);
  for (int k = 0; k < j->primitives; k++) {
    const struct primitive *p = &j->primitive[k];
    const struct primitive_values values = values_of_primitive(j, p);
    if (p->kind == ROW_COORDINATE)
      *bias = coordinates_bias(j, v);
    else if (p->kind == ROW_SLIP || p->kind == ROW_ROLL)
      for (int i = 0; i < primitive_count(p->kind); i++) bias[i] = 0.0;
    else
      primitive_bias(p->kind, &pair, &values, &motion, bias);
    bias += primitive_count(p->kind);
  }
}

bool rows_is_length(const struct joint_rows *j, int k)
{
  int end = 0;
  for (int i = 0; i < j->primitives; i++) {
    const enum primitive_kind kind = j->primitive[i].kind;
    end += primitive_count(kind);
    if (k >= end) continue;
    return kind == ROW_COORDINATE ? j->coordinate[0].kind == COORDINATE_SLIDE : kind != ROW_DOT;
  }
  return false;
}

void rows_rate(const struct joint_rows *j, const struct joint_view *v, const double *J, double *rate)
{
  double y[ROWS_SIDES][BODY_Y];
  for (int side = 0; side < j->sides; side++) body_velocity(v->x[side], y[side]);
  for (int i = 0; i < j->count; i++) {
    rate[i] = 0.0;
    for (int side = 0; side < j->sides; side++, J += BODY_Y)
      for (int k = 0; k < BODY_Y; k++) rate[i] += J[k] * y[side][k];
  }
}

void rows_coordinate(const struct joint_rows *j, const struct joint_view *v, double *position,
                     double *velocity)
{
  struct body_pair pair = pair_of(v);
  *position = coordinate_value(&j->coordinate[0], &pair, v->turn[0]);
  *velocity = coordinate_rate(&j->coordinate[0], &pair);
}

/* -J_b' lambda is a force at the centre of mass and a torque in body axes; this moves it to point b. */
void rows_reaction(const struct joint_rows *j, const struct joint_view *v, const double *J,
                   const double *lambda, double force[3], double torque[3])
{
  /* The ground has no valid columns: use the other side with the opposite sign. */
  int side = j->body[1] != ALI3_GROUND;
  double sign = side ? -1.0 : 1.0, local[3] = {0}, arm[3], moment[3], other[3];
  for (int i = 0; i < 3; i++) force[i] = torque[i] = 0.0;
  if (j->coordinates == 2) return;
  for (int k = 0; k < j->count; k++) {
    const double *row = J + PAIR * k + BODY_Y * side;
    v3_axpy(force, sign * lambda[k], row);
    v3_axpy(local, sign * lambda[k], row + 3);
  }
  m3_mul(torque, v->f[side]->R, local);
  world_vector(arm, v->f[1], j->point[1]); /* from the reference of b to point b */
  if (!side) {                             /* from the centre of a to point b */
    v3_sub(other, v->x[1]->r, v->x[0]->r);
    v3_axpy(arm, 1.0, other);
  }
  v3_cross(moment, arm, force);
  v3_axpy(torque, -1.0, moment);
}
