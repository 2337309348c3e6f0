/* SPDX-License-Identifier: MIT
 * Loop code: the rows of closures at a state, and their dense system. dynamics/rows.h has the primitives, which have world axes
 * here. */
#include "articulated/limbs.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

/* Two bodies that a row joins, and points of them. */
struct ends {
  int limb[2];
  const struct limb_at *a, *b;
  double ra[3], rb[3]; /* from the points of the limbs */
  double way[2][3];    /* from the centres of mass */
  double d[3];         /* P_b - P_a */
};

static int limb_of(const struct limbs *l, int body)
{
  return body == ALI3_GROUND ? 0 : l->limb_of[body];
}

static void find_row_ends(const struct limbs *l, const struct limbs_work *w, const int body[2],
                          const double (*point)[3], struct ends *o)
{
  double own[2][3];
  for (int side = 0; side < 2; side++) {
    o->limb[side] = limb_of(l, body[side]);
    for (int i = 0; i < 3; i++) own[side][i] = point[side][i] + l->limb[o->limb[side]].centre[i];
  }
  o->a = &w->at[o->limb[0]];
  o->b = &w->at[o->limb[1]];
  m3_mul(o->ra, o->a->R, own[0]);
  m3_mul(o->rb, o->b->R, own[1]);
  m3_mul(o->way[0], o->a->R, point[0]);
  m3_mul(o->way[1], o->b->R, point[1]);
  for (int i = 0; i < 3; i++) o->d[i] = (o->b->o[i] - o->a->o[i]) + (o->rb[i] - o->ra[i]);
}

/* Adds scale times U . (P_b - P_a) to the sides `a` and `b` of a row; turns: U turns with body a. */
static void add_points(struct closure_row *row, int a, int b, const struct ends *e, const double U[3],
                       double scale, bool turns)
{
  double lever[3], about[3] = {0.0, 0.0, 0.0};
  if (turns) v3_cross(about, U, e->d);
  v3_cross(lever, e->ra, U);
  v3_copy(row->way[a], e->way[0]);
  v3_copy(row->way[b], e->way[1]);
  for (int i = 0; i < 3; i++) {
    row->n[a][i] += scale * (about[i] - lever[i]);
    row->f[a][i] -= scale * U[i];
    row->f[b][i] += scale * U[i];
  }
  v3_cross(lever, e->rb, U);
  v3_axpy(row->n[b], scale, lever);
}

/* Adds scale times the angular velocity of b in a about N. */
static void add_turns(struct closure_row *row, int a, int b, const double N[3], double scale)
{
  v3_axpy(row->n[a], -scale, N);
  v3_axpy(row->n[b], scale, N);
}

/* --- rows of two bodies --- */

static struct closure_row *row_begin(struct closure_row *row, const struct ends *e)
{
  *row = (struct closure_row){.sides = 2, .limb = {e->limb[0], e->limb[1]}};
  return row;
}

/* Returns the number of rows. */
static int closure_primitive(const struct joint_rows *j, const struct primitive *p, const struct ends *e,
                             struct closure_row *row)
{
  static const double E[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double U[3], V[3], N[3];
  switch (p->kind) {
  case ROW_COINCIDE:
    for (int i = 0; i < 3; i++) {
      add_points(row_begin(&row[i], e), 0, 1, e, E[i], 1.0, false);
      row[i].Phi = e->d[i];
    }
    return 3;
  case ROW_DOT:
    m3_mul(U, e->a->R, p->u);
    m3_mul(V, e->b->R, p->v);
    v3_cross(N, V, U);
    add_turns(row_begin(row, e), 0, 1, N, 1.0);
    row->Phi = v3_dot(U, V);
    return 1;
  case ROW_IN_PLANE:
    m3_mul(U, e->a->R, p->u);
    add_points(row_begin(row, e), 0, 1, e, U, 1.0, true);
    row->Phi = v3_dot(U, e->d);
    return 1;
  default: /* ROW_DISTANCE */
    for (int i = 0; i < 3; i++) U[i] = e->d[i] / j->length;
    add_points(row_begin(row, e), 0, 1, e, U, 1.0, false);
    row->Phi = 0.5 * (v3_dot(e->d, U) - j->length);
    return 1;
  }
}

/* P'' without the accelerations of the columns' deviations: w x (w x r) of a point. */
static void point_bias(const struct limb_at *o, const double r[3], double twice[3], double rate[3])
{
  double once[3];
  v3_cross(once, o->w, r);
  v3_cross(twice, o->w, once);
  for (int i = 0; i < 3; i++) rate[i] = o->v[i] + once[i];
}

/* d' and d'' with the points' own accelerations left out. */
static void rates_between(const struct ends *e, double rate[3], double second[3])
{
  double a[2][3], v[2][3];
  point_bias(e->a, e->ra, a[0], v[0]);
  point_bias(e->b, e->rb, a[1], v[1]);
  v3_sub(rate, v[1], v[0]);
  v3_sub(second, a[1], a[0]);
}

/* U' and U'' of a direction of a body that turns at the rate w, for al = 0. */
static void direction_rates(const double w[3], const double U[3], double first[3], double second[3])
{
  v3_cross(first, w, U);
  v3_cross(second, w, first);
}

static double plane_bias(const struct ends *e, const double U[3])
{
  double rate[3], second[3], first[3], bend[3];
  rates_between(e, rate, second);
  direction_rates(e->a->w, U, first, bend);
  return v3_dot(U, second) + 2.0 * v3_dot(first, rate) + v3_dot(bend, e->d);
}

static int closure_primitive_bias(const struct joint_rows *j, const struct primitive *p, const struct ends *e,
                                  struct closure_row *row)
{
  double U[3], V[3], rate[3], second[3], Ud[3], Vd[3], U2[3], V2[3];
  switch (p->kind) {
  case ROW_COINCIDE: /* the derivatives of Phi in the table above, at the velocities */
    rates_between(e, rate, second);
    for (int i = 0; i < 3; i++) row[i].bias = second[i];
    return 3;
  case ROW_DOT:
    m3_mul(U, e->a->R, p->u);
    m3_mul(V, e->b->R, p->v);
    direction_rates(e->a->w, U, Ud, U2);
    direction_rates(e->b->w, V, Vd, V2);
    row->bias = v3_dot(U2, V) + 2.0 * v3_dot(Ud, Vd) + v3_dot(U, V2);
    return 1;
  case ROW_IN_PLANE:
    m3_mul(U, e->a->R, p->u);
    row->bias = plane_bias(e, U);
    return 1;
  default:
    rates_between(e, rate, second);
    row->bias = (v3_dot(e->d, second) + v3_dot(rate, rate)) / j->length;
    return 1;
  }
}

/* --- rows on the coordinates of joints --- */

static void coordinate_ends(const struct limbs *l, const struct limbs_work *w, const struct joint_rows *j,
                            int k, struct ends *e)
{
  const int body[2] = {j->body[j->side[k][0]], j->body[j->side[k][1]]};
  find_row_ends(l, w, body, j->coordinate[k].point, e);
}

/* turn: (joints) expected angles */
static void coordinate_row(const struct limbs *l, const struct limbs_work *w, const struct joint_rows *j,
                           const double *turn, struct closure_row *row)
{
  *row = (struct closure_row){.sides = j->sides, .Phi = -j->length};
  for (int side = 0; side < j->sides; side++) row->limb[side] = limb_of(l, j->body[side]);
  for (int k = 0; k < j->coordinates; k++) {
    const struct coordinate *c = &j->coordinate[k];
    const int a = j->side[k][0], b = j->side[k][1];
    struct ends e;
    double U[3];
    /* its value, and its gradient */
    coordinate_ends(l, w, j, k, &e);
    m3_mul(U, e.a->R, c->axis);
    if (c->kind == COORDINATE_ANGLE) {
      struct body_frame f[2] = {{.s = 1.0, .inverse = 1.0}, {.s = 1.0, .inverse = 1.0}};
      memcpy(f[0].R, e.a->R, sizeof f[0].R);
      memcpy(f[1].R, e.b->R, sizeof f[1].R);
      const struct body_pair pair = {.f = {&f[0], &f[1]}};
      row->Phi += j->ratio[k] * coordinate_angle(c->angle, c->zero, &pair, turn[j->joint[k]]);
      add_turns(row, a, b, U, j->ratio[k]);
    } else {
      row->Phi += j->ratio[k] * (v3_dot(U, e.d) + c->zero);
      add_points(row, a, b, &e, U, j->ratio[k], true);
    }
  }
}

static void coordinate_row_bias(const struct limbs *l, const struct limbs_work *w, const struct joint_rows *j,
                                struct closure_row *row)
{
  row->bias = 0.0;
  for (int k = 0; k < j->coordinates; k++) {
    struct ends e;
    double U[3], Ud[3];
    coordinate_ends(l, w, j, k, &e);
    m3_mul(U, e.a->R, j->coordinate[k].axis);
    if (j->coordinate[k].kind == COORDINATE_ANGLE) { /* (w_a x U) . w_b */
      v3_cross(Ud, e.a->w, U);
      row->bias += j->ratio[k] * v3_dot(Ud, e.b->w);
    } else {
      row->bias += j->ratio[k] * plane_bias(&e, U);
    }
  }
}

/* --- all rows --- */

static bool on_coordinates(const struct joint_rows *j)
{
  return j->primitive[0].kind == ROW_COORDINATE || j->primitive[0].kind == ROW_ANGLE;
}

void closures_rows(const struct limbs *l, struct limbs_work *w, const double *turn)
{
  struct closure_row *row = w->row;
  for (int i = 0; i < l->closures; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    struct ends e;
    if (on_coordinates(j)) {
      coordinate_row(l, w, j, turn, row++);
      continue;
    }
    find_row_ends(l, w, j->body, j->point, &e);
    for (int k = 0; k < j->primitives; k++) row += closure_primitive(j, &j->primitive[k], &e, row);
  }
}

void closures_bias(const struct limbs *l, struct limbs_work *w)
{
  struct closure_row *row = w->row;
  for (int i = 0; i < l->closures; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    struct ends e;
    if (on_coordinates(j)) {
      coordinate_row_bias(l, w, j, row++);
      continue;
    }
    find_row_ends(l, w, j->body, j->point, &e);
    for (int k = 0; k < j->primitives; k++) row += closure_primitive_bias(j, &j->primitive[k], &e, row);
  }
}

bool closures_factor(const struct limbs *l, struct limbs_work *w)
{
  const size_t lanes = (size_t)l->kernels->lanes, chunks = (size_t)l->chunks;
  if (l->rows == 0) return true;
  for (int i = 1; i < l->count; i++)
    if (l->limb[i].loaded)
      memset(w->load + (size_t)i * 6 * (size_t)l->padded, 0, 6 * (size_t)l->padded * sizeof *w->load);
  for (int k = 0; k < l->rows; k++) {
    const struct closure_row *row = &w->row[k];
    const size_t chunk = (size_t)k / lanes, lane = (size_t)k % lanes;
    for (int side = 0; side < row->sides; side++) {
      double *o = w->load + ((size_t)row->limb[side] * chunks + chunk) * 6 * lanes + lane;
      for (size_t i = 0; i < 3 && row->limb[side] > 0; i++) {
        o[i * lanes] += row->n[side][i];
        o[(3 + i) * lanes] += row->f[side][i];
      }
    }
  }
  /* S + c */
  l->kernels->response(l, w);
  for (int k = 0; k < l->rows; k++) w->S[k * l->padded + k] += w->c[k];
  return chol_factor(w->S, l->rows, l->padded);
}

double closure_rate(const struct limbs_work *w, int k)
{
  const struct closure_row *row = &w->row[k];
  double sum = 0.0;
  for (int side = 0; side < row->sides; side++) {
    const struct limb_at *o = &w->at[row->limb[side]];
    sum += v3_dot(row->n[side], o->w) + v3_dot(row->f[side], o->v);
  }
  return sum;
}

/* The ground takes part: accelerations are less gravity, and no row changes if all bodies move alike. */
double closure_acceleration(const struct limbs_work *w, int k, bool deviations)
{
  const struct closure_row *row = &w->row[k];
  double sum = row->bias;
  for (int side = 0; side < row->sides; side++) {
    const struct limb_at *o = &w->at[row->limb[side]];
    sum += v3_dot(row->n[side], o->al) + v3_dot(row->f[side], o->ac);
    if (deviations) sum += v3_dot(row->n[side], o->dal) + v3_dot(row->f[side], o->dac);
  }
  return sum;
}

/* o = V'u/d (rows) */
void closures_free(const struct limbs *l, const struct limbs_work *w, double *o)
{
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    for (int k = 0; b->loaded && k < b->columns; k++) {
      const struct limb_column *c = &w->at[i].column[k];
      const double x = c->inverse * c->u, *V = w->V + (size_t)(b->column + k) * (size_t)l->padded;
      for (int row = 0; row < l->rows; row++) o[row] += x * V[row];
    }
  }
}

/* u = keep u - V x */
void closures_load(const struct limbs *l, struct limbs_work *w, const double *x, double keep)
{
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    for (int k = 0; k < b->columns; k++) {
      struct limb_column *c = &w->at[i].column[k];
      double sum = 0.0;
      const double *V = w->V + (size_t)(b->column + k) * (size_t)l->padded;
      for (int row = 0; b->loaded && row < l->rows; row++) sum += V[row] * x[row];
      c->u = keep * c->u - sum;
    }
  }
}

void closures_solve(const struct limbs *l, const struct limbs_work *w, double *x)
{
  chol_solve(w->S, l->rows, l->padded, x);
}
