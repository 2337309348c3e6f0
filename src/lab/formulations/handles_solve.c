/* SPDX-License-Identifier: MIT
 * The recursion of paper 5 by handles: right-hand sides up the tree, (31) (32), and accelerations down, (19) to
 * (24). */
#include "formulations/handles.h"
#include "formulations/index1.h"
#include "integrators/linear.h"

#include <stdlib.h>
#include <string.h>

enum { Y = HANDLE, HOLD_ROWS = HANDLE_JOINTS * ABSOLUTE_JOINT };

/* e = lambda* + alpha gamma of a joint's rows; how many. */
static int joint_demand(const struct handle_solver *o, int joint, double *e)
{
  const struct absolute_joint *j = &o->absolute->joint[joint];
  for (int i = 0; i < j->count; i++) e[i] = o->lambda[j->first + i] + o->alpha * o->gamma[j->first + i];
  return j->count;
}

/* e of all joints that hold a compound. */
static int hold_demand(const struct handle_solver *o, const struct compound *c, double *e)
{
  int rows = 0;
  for (int i = 0; i < c->joints; i++) rows += joint_demand(o, c->hold[i], e + rows);
  return rows;
}

/* x = A^-1 x of a (7, 7) inverse */
static void apply_inverse(const double *inverse, double *x)
{
  double o[Y] = {0};
  add_product(o, 1, inverse, x, Y, Y);
  memcpy(x, o, sizeof o);
}

static void pair_up(const struct handle_solver *o, struct compound *c)
{
  double e[ABSOLUTE_JOINT];
  const int rows = joint_demand(o, c->joint, e);
  memcpy(c->Q1, o->q + Y * c->body[0], sizeof c->Q1);
  memcpy(c->Q2, o->q + Y * c->body[1], sizeof c->Q2);
  add_transposed(c->Q1, -1, c->row[0], e, rows, Y);
  add_transposed(c->Q2, -1, c->row[1], e, rows, Y);
}

/* b, then (31) (32): Q1C = Q1A - XA (Q2A - Phi_A' C b), and Q2C of the other side. */
static void merge_up(const struct handle_solver *o, struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a], *B = &o->plan.compound[c->b];
  double part[2][Y], Cb[ABSOLUTE_JOINT];
  /* Right-hand side of the joint: its own demand, and what Q of the two inner handles does to it. */
  const int rows = joint_demand(o, c->joint, c->b_rows);
  for (int i = 0; i < rows; i++) c->b_rows[i] /= o->alpha;
  memcpy(part[0], A->Q2, sizeof part[0]);
  memcpy(part[1], B->Q1, sizeof part[1]);
  for (int side = 0; side < 2; side++) {
    apply_inverse(c->inverse[side], part[side]);
    add_product(c->b_rows, 1, c->row[side], part[side], rows, Y);
  }
  memcpy(Cb, c->b_rows, sizeof Cb);
  chol_solve(c->C, rows, rows, Cb);
  /* Q of the inner handles less the joint's forces goes to the outer handles. */
  memcpy(part[0], A->Q2, sizeof part[0]);
  memcpy(part[1], B->Q1, sizeof part[1]);
  for (int side = 0; side < 2; side++) add_transposed(part[side], -1, c->row[side], Cb, rows, Y);
  memcpy(c->Q1, A->Q1, sizeof c->Q1);
  memcpy(c->Q2, B->Q2, sizeof c->Q2);
  add_product(c->Q1, -1, c->XA, part[0], Y, Y);
  add_product(c->Q2, -1, c->XB, part[1], Y, Y);
}

static void append_up(const struct handle_solver *o, struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a];
  double e[ABSOLUTE_JOINT];
  const int rows = joint_demand(o, c->joint, e);
  memcpy(c->Q, A->Q2, sizeof A->Q2); /* q = Q2A - Phi_A'e */
  add_transposed(c->Q, -1, c->row[0], e, rows, Y);
  memcpy(c->Q1, A->Q1, sizeof c->Q1);
  add_product(c->Q1, -1, c->XA, c->Q, Y, Y);
  memcpy(c->Q2, o->q + Y * c->body[1], sizeof c->Q2);
  add_transposed(c->Q2, -1, c->row[1], e, rows, Y);
  add_product(c->Q2, -1, c->XB, c->Q, Y, Y);
}

/* Q of a compound's handles, 14 numbers or 7; how many. */
static int join_loads(const struct compound *A, double *Q)
{
  memcpy(Q, A->Q1, sizeof A->Q1);
  if (A->kind == COMPOUND_SINGLE) return Y;
  memcpy(Q + Y, A->Q2, sizeof A->Q2);
  return 2 * Y;
}

/* (86): Q3 -= Psi'C (lambda_* / alpha + Phi M^-1 Q + gamma) */
static void absorb_up(struct handle_solver *o, struct compound *c)
{
  const int size = join_loads(&o->plan.compound[c->a], c->Q), rows = hold_demand(o, c, c->b_rows);
  double Cb[HOLD_ROWS];
  for (int i = 0; i < rows; i++) c->b_rows[i] /= o->alpha;
  add_transposed(c->b_rows, 1, c->MPhi, c->Q, size, rows);
  memcpy(Cb, c->b_rows, sizeof Cb);
  chol_solve(c->C, rows, rows, Cb);
  add_transposed(o->q + Y * c->body[0], -1, c->Psi, Cb, rows, Y);
}

static void go_up(struct handle_solver *o, struct compound *c)
{
  switch (c->kind) {
  case COMPOUND_SINGLE:
    memcpy(c->Q1, o->q + Y * c->body[0], sizeof c->Q1);
    break;
  case COMPOUND_PAIR:
    pair_up(o, c);
    break;
  case COMPOUND_MERGE:
    merge_up(o, c);
    break;
  case COMPOUND_APPEND:
    append_up(o, c);
    break;
  case COMPOUND_ABSORB:
    absorb_up(o, c);
    break;
  default: /* the root's right-hand side is made on the way down */
    break;
  }
}

static void give_handles(const struct handle_solver *o, const struct compound *A, const double *x)
{
  memcpy(o->x + Y * A->body[0], x, Y * sizeof *x);
  if (A->kind != COMPOUND_SINGLE) memcpy(o->x + Y * A->body[1], x + Y, Y * sizeof *x);
}

/* (35), (37), (40) */
static void root_down(const struct handle_solver *o, struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a];
  double e[HOLD_ROWS];
  const int size = join_loads(A, c->Q), rows = hold_demand(o, c, e);
  add_transposed(c->Q, -1, c->Phi, e, rows, size);
  chol_solve(c->M, size, size, c->Q);
  give_handles(o, A, c->Q);
}

/* lambda from (84), then (80) */
static void absorb_down(const struct handle_solver *o, struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a];
  const int size = A->kind == COMPOUND_SINGLE ? Y : 2 * Y;
  int rows = 0;
  double lambda[HOLD_ROWS];
  for (int i = 0; i < c->joints; i++) rows += o->absolute->joint[c->hold[i]].count;
  memcpy(lambda, c->b_rows, sizeof lambda);
  add_product(lambda, 1, c->Psi, o->x + Y * c->body[0], rows, Y);
  chol_solve(c->C, rows, rows, lambda);
  add_transposed(c->Q, -1, c->Phi, lambda, rows, size);
  chol_solve(c->M, size, size, c->Q);
  give_handles(o, A, c->Q);
}

/* (19), (21), (23) */
static void merge_down(const struct handle_solver *o, const struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a], *B = &o->plan.compound[c->b];
  const double *x1 = o->x + Y * A->body[0], *x2 = o->x + Y * B->body[1];
  const int rows = o->absolute->joint[c->joint].count;
  double lambda[ABSOLUTE_JOINT], part[2][Y] = {{0}};
  double *x2A = o->x + Y * A->body[1], *x1B = o->x + Y * B->body[0];
  /* Multipliers of the joint from the motions of the outer handles. */
  memcpy(lambda, c->b_rows, sizeof lambda);
  add_transposed(part[0], 1, c->XA, x1, Y, Y);
  add_transposed(part[1], 1, c->XB, x2, Y, Y);
  for (int side = 0; side < 2; side++) add_product(lambda, -1, c->row[side], part[side], rows, Y);
  chol_solve(c->C, rows, rows, lambda);

  /* Motions of the two inner handles. */
  memcpy(x2A, A->Q2, sizeof A->Q2);
  add_transposed(x2A, -1, c->row[0], lambda, rows, Y);
  add_transposed(x2A, -1, A->M12, x1, Y, Y);
  apply_inverse(c->inverse[0], x2A);
  memcpy(x1B, B->Q1, sizeof B->Q1);
  add_transposed(x1B, -1, c->row[1], lambda, rows, Y);
  add_product(x1B, -1, B->M12, x2, Y, Y);
  apply_inverse(c->inverse[1], x1B);
}

/* x2A = K (q - M21A x1 - alpha Phi_A'Phi_b x_b) */
static void append_down(const struct handle_solver *o, const struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a];
  const int rows = o->absolute->joint[c->joint].count;
  double *x2A = o->x + Y * A->body[1], rate[ABSOLUTE_JOINT] = {0};
  add_product(rate, o->alpha, c->row[1], o->x + Y * c->body[1], rows, Y);
  memcpy(x2A, c->Q, Y * sizeof *x2A);
  add_transposed(x2A, -1, A->M12, o->x + Y * A->body[0], Y, Y);
  add_transposed(x2A, -1, c->row[0], rate, rows, Y);
  apply_inverse(c->inverse[0], x2A);
}

static void go_down(struct handle_solver *o, struct compound *c)
{
  if (c->kind == COMPOUND_ROOT) root_down(o, c);
  if (c->kind == COMPOUND_ABSORB) absorb_down(o, c);
  if (c->kind == COMPOUND_MERGE) merge_down(o, c);
  if (c->kind == COMPOUND_APPEND) append_down(o, c);
}

static void solve_handles(void *own, const double *Q, const double *lambda, const double *gamma, double *x)
{
  struct handle_solver *o = own;
  const int n = o->p->n, rows = o->absolute->rows;
  o->lambda = lambda;
  o->gamma = gamma;
  o->x = x;
  memcpy(o->q, Q, sizeof *o->q * (size_t)n);
  for (int b = 0; b < o->p->bodies; b++) /* p'p = 1 */
    for (int k = 0; k < Y; k++)
      o->q[Y * b + k] -=
          o->Phi_q[(rows + b) * n + Y * b + k] * (lambda[rows + b] + o->alpha * gamma[rows + b]);
  for (int i = 0; i < o->plan.count; i++) go_up(o, &o->plan.compound[i]);
  for (int i = o->plan.count - 1; i >= 0; i--) go_down(o, &o->plan.compound[i]);
}

static void release_handles(void *own)
{
  struct handle_solver *o = own;
  handles_plan_free(&o->plan);
  free(o->P);
  free(o);
}

static void *make_handles(const struct problem *p)
{
  struct handle_solver *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->p = p;
  o->absolute = p->own;
  o->P = calloc((size_t)(p->bodies * (HANDLE_BLOCK + Y)), sizeof *o->P);
  if (o->P && handles_plan(p, &o->plan)) {
    o->q = o->P + p->bodies * HANDLE_BLOCK;
    return o;
  }
  release_handles(o);
  return NULL;
}

const char *handles_unsuitable(const struct problem *p)
{
  struct handle_plan plan;
  if (!handles_plan(p, &plan)) return plan.refusal;
  handles_plan_free(&plan);
  return NULL;
}

const struct index1_solver index1_handles = {true, make_handles, release_handles, handles_factor,
                                             solve_handles};
