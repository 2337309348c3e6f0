/* SPDX-License-Identifier: MIT
 * Absolute coordinates of paper 1 and paper 5: q = (r, p) of every body, 7 numbers; joints as rows, and p'p = 1 of
 * each body.
 *
 *   A(p) = (e0^2 - e'e) I + 2 e e' + 2 e0 e~,   P = r + A(p) a,   w = 2 G(p) p'
 *   M = diag(m I, 4 G'J'G) of a body, singular along p;   Q = (m g, -8 Gd'J'G p')
 *
 * A is quadratic in p, so all rows have exact derivatives off the unit sphere, too. */
#include "coordinates/absolute.h"
#include "coordinates/forces.h"
#include "math/euler.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A body's place in q and in its velocities; of the ground constants. */
struct body_view {
  const double *r, *p, *rd, *pd;
};

static const double ground_numbers[ABSOLUTE_BODY] = {0, 0, 0, 1}, ground_rates[ABSOLUTE_BODY];

static struct body_view view_of_body(const double *q, const double *qd, int body)
{
  const double *x = body == ALI3_GROUND ? ground_numbers : q + ABSOLUTE_BODY * body;
  const double *xd = body == ALI3_GROUND || !qd ? ground_rates : qd + ABSOLUTE_BODY * body;
  return (struct body_view){x, x + 3, xd, xd + 3};
}

/* o += factor k' B(p, a), where B = d(A a)/dp */
static void add_turn_gradient(double o[4], double factor, const double k[3], const double p[4],
                              const double a[3])
{
  const double ka = v3_dot(k, a), ea = v3_dot(p + 1, a), ke = v3_dot(k, p + 1);
  double along[3], across[3];
  v3_cross(along, p + 1, a);
  v3_cross(across, a, k);
  o[0] += 2 * factor * (p[0] * ka + v3_dot(k, along));
  for (int i = 0; i < 3; i++)
    o[1 + i] += 2 * factor * (ea * k[i] + ke * a[i] - ka * p[1 + i] + p[0] * across[i]);
}

/* o = B(p, a) pd, the rate of A(p) a */
static void turn_rate(double o[3], const double p[4], const double pd[4], const double a[3])
{
  double across[2][3];
  const double scale = 2 * (p[0] * pd[0] - v3_dot(p + 1, pd + 1)), ea = v3_dot(p + 1, a),
               eda = v3_dot(pd + 1, a);
  v3_cross(across[0], p + 1, a);
  v3_cross(across[1], pd + 1, a);
  for (int i = 0; i < 3; i++)
    o[i] = scale * a[i] + 2 * (pd[1 + i] * ea + p[1 + i] * eda + pd[0] * across[0][i] + p[0] * across[1][i]);
}

static void point_gap(const struct absolute_row *row, const struct body_view x[2], double d[3])
{
  double arm[2][3];
  for (int side = 0; side < 2; side++) p_homogeneous(arm[side], x[side].p, row->point[side]);
  for (int i = 0; i < 3; i++) d[i] = x[1].r[i] + arm[1][i] - x[0].r[i] - arm[0][i];
}

/* The columns of both bodies for a row along k at the points. */
static void add_point_gradients(double *const gradient[2], const struct absolute_row *row,
                                const struct body_view x[2], const double k[3])
{
  for (int side = 0; side < 2; side++) {
    if (row->body[side] == ALI3_GROUND) continue;
    double *o = gradient[side];
    const double sign = side ? 1 : -1;
    v3_axpy(o, sign, k);
    add_turn_gradient(o + 3, sign, k, x[side].p, row->point[side]);
  }
}

static void add_vector_gradient(double *gradient, int body, const struct body_view *x, const double k[3],
                                const double u[3])
{
  if (body != ALI3_GROUND) add_turn_gradient(gradient + 3, 1, k, x->p, u);
}

/* Phi; adds to the columns of both bodies. The ground has no columns. */
static double evaluate_row(const struct absolute_row *row, const double *q, double *const gradient[2])
{
  const struct body_view x[2] = {view_of_body(q, NULL, row->body[0]), view_of_body(q, NULL, row->body[1])};
  double d[3], U[3], V[3];
  point_gap(row, x, d);
  /* Phi of the row, and its gradient with respect to the homogeneous q. */
  switch (row->kind) {
  case ROW_AXIS:
    add_point_gradients(gradient, row, x, row->u);
    return v3_dot(row->u, d);
  case ROW_ANGLE:
    p_homogeneous(U, x[0].p, row->u);
    p_homogeneous(V, x[1].p, row->v);
    add_vector_gradient(gradient[0], row->body[0], &x[0], V, row->u);
    add_vector_gradient(gradient[1], row->body[1], &x[1], U, row->v);
    return v3_dot(U, V);
  case ROW_IN_PLANE:
    p_homogeneous(U, x[0].p, row->u);
    add_point_gradients(gradient, row, x, U);
    add_vector_gradient(gradient[0], row->body[0], &x[0], d, row->u);
    return v3_dot(U, d);
  default:
    for (int i = 0; i < 3; i++) U[i] = d[i] / row->length;
    add_point_gradients(gradient, row, x, U);
    return 0.5 * (v3_dot(U, d) - row->length);
  }
}

/* ---- loads, springs, drives and gears, by the core ---- */

struct absolute_state {
  const double *q, *qd; /* qd NULL: at rest */
};

static void state_of_body(const void *user, int body, struct body_state *x)
{
  const struct absolute_state *s = user;
  const struct body_view view = view_of_body(s->q, s->qd, body);
  memcpy(x->r, view.r, sizeof x->r);
  memcpy(x->p, view.p, sizeof x->p);
  memcpy(x->rd, view.rd, sizeof x->rd);
  memcpy(x->pd, view.pd, sizeof x->pd);
}

/* The part of p: 2 G' (torque) + p (part along p) */
static void load_on_body(const void *user, int body, const struct body_state *x, const double y[BODY_Y],
                         double *o)
{
  double turn[4];
  (void)user;
  p_from_rotation(turn, x->p, 4, y + 3, y[6] / 4);
  v3_axpy(o + ABSOLUTE_BODY * body, 1, y);
  for (int i = 0; i < 4; i++) o[ABSOLUTE_BODY * body + 3 + i] += turn[i];
}

static struct mover mover_of(const struct absolute_state *s)
{
  return (struct mover){.user = s, .state = state_of_body, .load = load_on_body};
}

static void absolute_rows(const struct problem *p, const struct instant *now, const double *q, double *Phi,
                          double *Phi_q)
{
  const struct absolute *o = p->own;
  memset(Phi_q, 0, sizeof *Phi_q * (size_t)(p->m * p->n));
  for (int i = 0; i < o->plain; i++) {
    double *row = Phi_q + i * p->n, *gradient[2];
    for (int side = 0; side < 2; side++) gradient[side] = row + ABSOLUTE_BODY * o->row[i].body[side];
    Phi[i] = evaluate_row(&o->row[i], q, gradient);
  }
  for (int b = 0; b < p->bodies; b++) {
    const double *e = q + ABSOLUTE_BODY * b + 3;
    double *row = Phi_q + (o->rows + b) * p->n + ABSOLUTE_BODY * b + 3;
    Phi[o->rows + b] = p_dot(e, e) - 1;
    for (int i = 0; i < 4; i++) row[i] = 2 * e[i];
  }
  const struct absolute_state s = {q, NULL};
  const struct mover at = mover_of(&s);
  forces_row_values(p->model, now, &at, p->n, Phi + p->driven, Phi_q + p->driven * p->n);
}

/* ---- the same rows by blocks ---- */

struct block_state {
  struct absolute_state at;
  const struct problem *p;
  const double *J; /* blocks of the first driven row */
};

static void state_of_block(const void *user, int body, struct body_state *x)
{
  const struct block_state *s = user;
  state_of_body(&s->at, body, x);
}

/* o lies in the blocks of its row. */
static void load_on_block(const void *user, int body, const struct body_state *x, const double y[BODY_Y],
                          double *o)
{
  const struct block_state *s = user;
  const struct absolute *a = s->p->own;
  const int row = s->p->driven + (int)((o - s->J) / ABSOLUTE_BLOCK);
  const int *bodies = a->joint[a->joint_of_row[row]].body;
  int side = 0;
  while (bodies[side] != body) side++;
  load_on_body(&s->at, side, x, y, o);
}

void absolute_blocks(const struct problem *p, const struct instant *now, const double *q, double *Phi,
                     double *J)
{
  const struct absolute *o = p->own;
  memset(J, 0, sizeof *J * (size_t)(o->rows * ABSOLUTE_BLOCK));
  for (int i = 0; i < o->plain; i++) {
    double *const gradient[2] = {J + i * ABSOLUTE_BLOCK, J + i * ABSOLUTE_BLOCK + ABSOLUTE_BODY};
    Phi[i] = evaluate_row(&o->row[i], q, gradient);
  }
  const struct block_state s = {{q, NULL}, p, J + p->driven * ABSOLUTE_BLOCK};
  const struct mover at = {.user = &s, .state = state_of_block, .load = load_on_block};
  forces_row_values(p->model, now, &at, ABSOLUTE_BLOCK, Phi + p->driven, J + p->driven * ABSOLUTE_BLOCK);
  for (int b = 0; b < p->bodies; b++) {
    const double *e = q + ABSOLUTE_BODY * b + 3;
    Phi[o->rows + b] = p_dot(e, e) - 1;
  }
}

const double *absolute_block_of(const struct absolute *a, const double *J, int row, int body)
{
  const int *bodies = a->joint[a->joint_of_row[row]].body;
  for (int side = 0; side < ABSOLUTE_SIDES; side++)
    if (bodies[side] == body) return J + row * ABSOLUTE_BLOCK + side * ABSOLUTE_BODY;
  return NULL;
}

void absolute_add_rows(const struct problem *p, const double *q, const double *J, double k, const double *x,
                       double *o)
{
  const struct absolute *a = p->own;
  for (int i = 0; i < a->rows; i++) {
    const int *body = a->joint[a->joint_of_row[i]].body;
    const double *block = J + i * ABSOLUTE_BLOCK;
    double sum = 0;
    for (int side = 0; side < ABSOLUTE_SIDES; side++)
      for (int l = 0; body[side] != ALI3_GROUND && l < ABSOLUTE_BODY; l++)
        sum += block[side * ABSOLUTE_BODY + l] * x[ABSOLUTE_BODY * body[side] + l];
    o[i] += k * sum;
  }
  for (int b = 0; b < p->bodies; b++)
    o[a->rows + b] += 2 * k * p_dot(q + ABSOLUTE_BODY * b + 3, x + ABSOLUTE_BODY * b + 3);
}

void absolute_add_columns(const struct problem *p, const double *q, const double *J, double k,
                          const double *lambda, double *o)
{
  const struct absolute *a = p->own;
  for (int i = 0; i < a->rows; i++) {
    const int *body = a->joint[a->joint_of_row[i]].body;
    const double *block = J + i * ABSOLUTE_BLOCK;
    for (int side = 0; side < ABSOLUTE_SIDES; side++)
      for (int l = 0; body[side] != ALI3_GROUND && l < ABSOLUTE_BODY; l++)
        o[ABSOLUTE_BODY * body[side] + l] += k * lambda[i] * block[side * ABSOLUTE_BODY + l];
  }
  for (int b = 0; b < p->bodies; b++)
    for (int l = 3; l < ABSOLUTE_BODY; l++)
      o[ABSOLUTE_BODY * b + l] += 2 * k * lambda[a->rows + b] * q[ABSOLUTE_BODY * b + l];
}

/* The second derivative of a row without q'': of A(p) a it is 2 A(p') a. */
static double row_bias(const struct absolute_row *row, const double *q, const double *qd)
{
  const struct body_view x[2] = {view_of_body(q, qd, row->body[0]), view_of_body(q, qd, row->body[1])};
  double d[3], rate[3], second[3], arm[2][3], swing[2][3], U[3], V[3], Ud[3], Vd[3], U2[3], V2[3];
  point_gap(row, x, d);
  /* d' and the part of d'' that is quadratic in q'. */
  for (int side = 0; side < 2; side++) {
    turn_rate(arm[side], x[side].p, x[side].pd, row->point[side]);
    p_homogeneous(swing[side], x[side].pd, row->point[side]);
  }
  for (int i = 0; i < 3; i++) {
    rate[i] = x[1].rd[i] + arm[1][i] - x[0].rd[i] - arm[0][i];
    second[i] = 2 * (swing[1][i] - swing[0][i]);
  }
  /* By kind: second derivative of Phi with q'' = 0. */
  if (row->kind == ROW_AXIS) return v3_dot(row->u, second);
  if (row->kind == ROW_LENGTH) return (v3_dot(rate, rate) + v3_dot(d, second)) / row->length;
  p_homogeneous(U, x[0].p, row->u);
  turn_rate(Ud, x[0].p, x[0].pd, row->u);
  p_homogeneous(U2, x[0].pd, row->u);
  if (row->kind == ROW_IN_PLANE) return 2 * v3_dot(U2, d) + 2 * v3_dot(Ud, rate) + v3_dot(U, second);
  p_homogeneous(V, x[1].p, row->v);
  turn_rate(Vd, x[1].p, x[1].pd, row->v);
  p_homogeneous(V2, x[1].pd, row->v);
  return 2 * (v3_dot(U2, V) + v3_dot(Ud, Vd) + v3_dot(U, V2));
}

static void absolute_bias(const struct problem *p, const struct instant *now, const double *q,
                          const double *qd, double *bias)
{
  const struct absolute *o = p->own;
  for (int i = 0; i < o->plain; i++) bias[i] = row_bias(&o->row[i], q, qd);
  for (int b = 0; b < p->bodies; b++) {
    const double *pd = qd + ABSOLUTE_BODY * b + 3;
    bias[o->rows + b] = 2 * p_dot(pd, pd);
  }
  const struct absolute_state s = {q, qd};
  const struct mover at = mover_of(&s);
  forces_row_bias(p->model, now, &at, bias + p->driven);
}

/* G(p), (3, 4) */
static void euler_matrix(const double p[4], double G[12])
{
  const double rows[12] = {-p[1], p[0], p[3], -p[2], -p[2], -p[3], p[0], p[1], -p[3], p[2], -p[1], p[0]};
  memcpy(G, rows, sizeof rows);
}

static void absolute_inertia(const struct problem *p, const double *q, double *M)
{
  const int n = p->n;
  memset(M, 0, sizeof *M * (size_t)(n * n));
  for (int b = 0; b < p->bodies; b++) {
    const struct body *body = &p->model->body[b];
    const int at = ABSOLUTE_BODY * b;
    double G[12], JG[12] = {0};
    euler_matrix(q + at + 3, G);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        for (int j = 0; j < 4; j++) JG[4 * i + j] += body->spec.inertia[3 * i + k] * G[4 * k + j];
    for (int i = 0; i < 3; i++) M[(at + i) * n + at + i] = body->spec.mass;
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 3; k++)
        for (int j = 0; j < 4; j++) M[(at + 3 + i) * n + at + 3 + j] += 4 * G[4 * k + i] * JG[4 * k + j];
  }
}

/* m x of the centre of mass; 4 G'J'G x of p, and 2 G x is p_to_rotation(). */
void absolute_add_momenta(const struct problem *p, const double *q, double k, const double *x, double *o)
{
  for (int b = 0; b < p->bodies; b++) {
    const struct body *body = &p->model->body[b];
    const int at = ABSOLUTE_BODY * b;
    double w[3], Jw[3], turn[4];
    p_to_rotation(w, q + at + 3, x + at + 3);
    m3_mul(Jw, body->spec.inertia, w);
    p_from_rotation(turn, q + at + 3, 4, Jw, 0);
    for (int i = 0; i < 3; i++) o[at + i] += k * body->spec.mass * x[at + i];
    for (int i = 0; i < 4; i++) o[at + 3 + i] += k * turn[i];
  }
}

static void absolute_force(const struct problem *p, const struct instant *now, const double *q,
                           const double *qd, double *f)
{
  const struct absolute *o = p->own;
  for (int b = 0; b < p->bodies; b++) {
    const struct body *body = &p->model->body[b];
    const int at = ABSOLUTE_BODY * b;
    double w[3], Jw[3], Gd[12];
    p_to_rotation(w, q + at + 3, qd + at + 3);
    m3_mul(Jw, body->spec.inertia, w);
    euler_matrix(qd + at + 3, Gd);
    for (int i = 0; i < 3; i++) f[at + i] = body->spec.mass * o->gravity[i];
    for (int i = 0; i < 4; i++) {
      f[at + 3 + i] = 0;
      for (int k = 0; k < 3; k++) f[at + 3 + i] -= 4 * Gd[4 * k + i] * Jw[k];
    }
  }
  const struct absolute_state s = {q, qd};
  const struct mover mover = mover_of(&s);
  if (p->loaded) forces_add(p->model, now, &mover, f);
}

static void absolute_slopes(const struct problem *p, const struct instant *now, const double *q,
                            const double *qd, double k, double c, double *gradient, double *A)
{
  const struct absolute_state s = {q, qd};
  const struct mover at = mover_of(&s);
  forces_add_slopes(p->model, now, &at, k, c, p->n, gradient, A);
}

static void absolute_own_rates(const struct problem *p, const struct instant *now, const double *q,
                               const double *qd, double *rate)
{
  const struct absolute_state s = {q, qd};
  const struct mover at = mover_of(&s);
  forces_own_rates(p->model, now, &at, rate);
}

static void absolute_follow(const struct problem *p, const double *q, double *turn)
{
  const struct absolute_state s = {q, NULL};
  const struct mover at = mover_of(&s);
  forces_follow_turns(p->model, &at, turn);
}

/* Load of the rows of a joint on one of its bodies: a force, and a torque about the centre of mass, world axes. */
static void load_of_joint(const struct absolute *a, const struct absolute_joint *joint, const double *J,
                          const struct lab_motion *x, int body, struct lab_reaction *o)
{
  double f[ABSOLUTE_BODY] = {0}, own[3], R[9];
  const struct body_view view = view_of_body(x->q, NULL, body);
  for (int i = joint->first; i < joint->first + joint->count; i++) {
    const double *block = absolute_block_of(a, J, i, body);
    for (int k = 0; k < ABSOLUTE_BODY; k++) f[k] -= x->lambda[i] * block[k];
  }
  /* f of p is 2 G' torque, and G G' = s I. */
  const double s = p_rotation(R, view.p);
  p_to_rotation(own, view.p, f + 3);
  m3_mul(o->torque, R, own);
  for (int i = 0; i < 3; i++) {
    o->force[i] = f[i];
    o->torque[i] /= 4 * s;
  }
}

static bool absolute_reactions(const struct problem *p, const struct instant *now, const struct lab_motion *x,
                               struct lab_reaction *o)
{
  const struct absolute *own = p->own;
  double *J = calloc((size_t)(own->rows * ABSOLUTE_BLOCK + p->m), sizeof *J);
  if (!J) return false;
  absolute_blocks(p, now, x->q, J + own->rows * ABSOLUTE_BLOCK, J);
  for (int j = 0; j < p->model->joints; j++) {
    const struct joint *joint = &p->model->joint[j];
    const bool grounded = joint->body[1] == ALI3_GROUND; /* then the load on a, reversed */
    const int body = joint->body[grounded ? 0 : 1];
    const struct body_view at = view_of_body(x->q, NULL, body), b = view_of_body(x->q, NULL, joint->body[1]);
    double arm[3], moment[3];
    load_of_joint(own, &own->joint[j], J, x, body, &o[j]);
    for (int i = 0; grounded && i < 3; i++) {
      o[j].force[i] *= -1;
      o[j].torque[i] *= -1;
    }
    /* From the centre of mass to the point of b. */
    p_homogeneous(arm, b.p, joint->point[1]);
    for (int i = 0; i < 3; i++) arm[i] += b.r[i] - at.r[i];
    v3_cross(moment, arm, o[j].force);
    v3_axpy(o[j].torque, -1, moment);
  }
  free(J);
  return true;
}

static bool absolute_violations(const struct problem *p, const struct instant *now,
                                const struct lab_motion *x, double o[3])
{
  const struct absolute *own = p->own;
  double *J = calloc((size_t)(own->rows * ABSOLUTE_BLOCK + 3 * p->m), sizeof *J);
  if (!J) return false;
  double *Phi = J + own->rows * ABSOLUTE_BLOCK, *rate = Phi + p->m, *second = rate + p->m;
  /* Phi, its rate, its second derivative. */
  absolute_blocks(p, now, x->q, Phi, J);
  forces_row_time(p, now->time, rate);
  absolute_add_rows(p, x->q, J, 1, x->qd, rate);
  absolute_bias(p, now, x->q, x->qd, second);
  if (x->qdd) absolute_add_rows(p, x->q, J, 1, x->qdd, second);
  for (int k = 0; k < 3; k++) {
    o[k] = 0;
    for (int i = 0; i < p->m; i++) {
      const double size = fabs(Phi[k * p->m + i]);
      if (!(size <= o[k])) o[k] = size;
    }
  }
  if (!x->qdd) o[2] = NAN;
  free(J);
  return true;
}

static void absolute_energy(const struct problem *p, const struct instant *now, const double *q,
                            const double *qd, double *kinetic, double *potential)
{
  const struct absolute *o = p->own;
  *kinetic = *potential = 0;
  for (int b = 0; b < p->bodies; b++) {
    const struct body *body = &p->model->body[b];
    const struct body_view x = view_of_body(q, qd, b);
    double w[3], Jw[3];
    p_to_rotation(w, x.p, x.pd);
    m3_mul(Jw, body->spec.inertia, w);
    *kinetic += 0.5 * (body->spec.mass * v3_dot(x.rd, x.rd) + v3_dot(w, Jw));
    *potential -= body->spec.mass * v3_dot(o->gravity, x.r);
  }
  const struct absolute_state s = {q, qd};
  const struct mover at = mover_of(&s);
  if (p->loaded) *potential += forces_energy(p->model, now, &at);
}

static void absolute_body(const struct problem *p, const double *q, const double *qd, int body,
                          struct lab_body *o)
{
  const struct body_view x = view_of_body(q, qd, body);
  (void)p;
  memcpy(o->position, x.r, sizeof o->position);
  memcpy(o->orientation, x.p, sizeof o->orientation);
  memcpy(o->velocity, x.rd, sizeof o->velocity);
  p_to_rotation(o->angular_velocity, x.p, x.pd);
}

const struct description description_absolute = {.name = "absolute",
                                                 .title = "centre of mass and Euler parameters of every body",
                                                 .make = absolute_make,
                                                 .release = absolute_release,
                                                 .rows = absolute_rows,
                                                 .bias = absolute_bias,
                                                 .inertia = absolute_inertia,
                                                 .force = absolute_force,
                                                 .slopes = absolute_slopes,
                                                 .own_rates = absolute_own_rates,
                                                 .follow = absolute_follow,
                                                 .energy = absolute_energy,
                                                 .body = absolute_body,
                                                 .reactions = absolute_reactions,
                                                 .violations = absolute_violations};
