/* SPDX-License-Identifier: MIT
 * The system of index1.h by a recursion in the multipliers. With M^ = M + Phi_N' alpha Phi_N of each body, which
 * is 7x7 and regular,
 *
 *   S z = lambda/alpha + gamma + Phi_q M^^-1 Q^,     S = I/alpha + Phi_q M^^-1 Phi_q'
 *   x = M^^-1 (Q^ - Phi_q' z),                       Q^ = Q - Phi_N' (lambda_N + alpha gamma_N)
 *
 * where Phi are the joints' rows and z = lambda + alpha (Phi_q x + gamma) their new multipliers. Joints are
 * eliminated one by one. What is behind a joint, a compound of the bodies on its sides, is known by a matrix on
 * the rows of the joints at its border, as in (20), but as a sum of positive parts: nothing of the size of alpha
 * is subtracted. Loops need nothing special. */
#include "coordinates/absolute.h"
#include "lab/index1.h"
#include "lab/linear.h"
#include "math/euler.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { Y = ABSOLUTE_BODY };

struct front {            /* the elimination of one joint */
  int joint, pivot, size; /* rows eliminated, and with the border */
  int *row;               /* (size) rows of the problem: the joint's, then those of the border */
  double *F;              /* (size, size): factors of the pivot, and the border's rows */
  bool *body;             /* (bodies) that it brings in */
  int parent;             /* the front that takes what it leaves; -1: none */
};

struct multiplier_solver {
  const struct problem *p;
  const struct absolute *absolute;
  int fronts;
  struct front *front;
  double *r; /* (m) */
  double alpha;
  const double *Phi_q;
};

static bool joint_touches(const struct absolute_joint *j, int body)
{
  return j->body[0] == body || j->body[1] == body;
}

/* ---- set-up: the order, and what each front is made of ---- */

struct order_state {
  bool *left; /* (joints) not yet eliminated */
  int *owner; /* (bodies) front that holds the compound of this body; -1: a body by itself */
};

/* Marks the joints that share a compound or a body with joint j; how many rows they have. */
static int mark_border(const struct multiplier_solver *o, const struct order_state *k, int j, bool *border,
                       bool *inside)
{
  const struct absolute *a = o->absolute;
  int rows = 0;
  for (int b = 0; b < o->p->bodies; b++) inside[b] = joint_touches(&a->joint[j], b);
  for (int b = 0; b < o->p->bodies; b++)
    for (int side = 0; side < 2; side++) {
      const int end = a->joint[j].body[side];
      if (end != ALI3_GROUND && k->owner[end] >= 0 && k->owner[b] == k->owner[end]) inside[b] = true;
    }
  for (int i = 0; i < a->joints; i++) {
    border[i] = false;
    for (int side = 0; side < 2; side++)
      if (i != j && k->left[i] && a->joint[i].body[side] != ALI3_GROUND && inside[a->joint[i].body[side]])
        border[i] = true;
    if (border[i]) rows += a->joint[i].count;
  }
  return rows;
}

/* The joint whose elimination leaves the smallest border. */
static int cheapest_joint(const struct multiplier_solver *o, const struct order_state *k, bool *border,
                          bool *inside)
{
  int best = -1, least = 0;
  for (int j = 0; j < o->absolute->joints; j++) {
    if (!k->left[j]) continue;
    const int rows = mark_border(o, k, j, border, inside);
    if (best < 0 || rows < least) {
      best = j;
      least = rows;
    }
  }
  return best;
}

static bool make_front(struct multiplier_solver *o, struct order_state *k, int j, const bool *border,
                       const bool *inside)
{
  const struct absolute *a = o->absolute;
  struct front *f = &o->front[o->fronts];
  *f = (struct front){.joint = j, .pivot = a->joint[j].count, .parent = -1};
  f->row = calloc((size_t)a->rows + 1, sizeof *f->row);
  f->body = calloc((size_t)o->p->bodies, sizeof *f->body);
  if (!f->row || !f->body) return false;
  /* Rows of the front: those of the joint, then those of its border. */
  for (int i = 0; i < f->pivot; i++) f->row[f->size++] = a->joint[j].first + i;
  for (int c = 0; c < a->joints; c++)
    for (int i = 0; border[c] && i < a->joint[c].count; i++) f->row[f->size++] = a->joint[c].first + i;
  f->F = calloc((size_t)(f->size * f->size), sizeof *f->F);
  /* Bodies inside: from the model if no front owns them yet, else through the front that does. */
  for (int b = 0; b < o->p->bodies; b++) {
    if (!inside[b]) continue;
    f->body[b] = k->owner[b] < 0;
    if (k->owner[b] >= 0) o->front[k->owner[b]].parent = o->fronts;
    k->owner[b] = o->fronts;
  }
  k->left[j] = false;
  o->fronts++;
  return f->F;
}

static bool make_fronts(struct multiplier_solver *o)
{
  const int joints = o->absolute->joints, bodies = o->p->bodies;
  struct order_state k = {.left = calloc((size_t)joints + 1, sizeof *k.left),
                          .owner = calloc((size_t)bodies, sizeof *k.owner)};
  bool *border = calloc((size_t)joints + 1, sizeof *border), *inside = calloc((size_t)bodies, sizeof *inside);
  bool good = k.left && k.owner && border && inside;
  /* No joint eliminated, no body owned. */
  for (int j = 0; good && j < joints; j++) k.left[j] = true;
  for (int b = 0; good && b < bodies; b++) k.owner[b] = -1;
  /* Eliminate the cheapest joint next. */
  for (int i = 0; good && i < joints; i++) {
    const int j = cheapest_joint(o, &k, border, inside);
    mark_border(o, &k, j, border, inside);
    good = make_front(o, &k, j, border, inside);
  }
  free(k.left);
  free(k.owner);
  free(border);
  free(inside);
  return good;
}

static void release_multipliers(void *own)
{
  struct multiplier_solver *o = own;
  for (int i = 0; o->front && i < o->absolute->joints; i++) {
    free(o->front[i].row);
    free(o->front[i].body);
    free(o->front[i].F);
  }
  free(o->front);
  free(o->r);
  free(o);
}

static void *make_multipliers(const struct problem *p)
{
  struct multiplier_solver *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->p = p;
  o->absolute = p->own;
  o->front = calloc((size_t)o->absolute->joints + 1, sizeof *o->front);
  o->r = calloc((size_t)p->m, sizeof *o->r);
  if (o->front && o->r && make_fronts(o)) {
    return o;
  }
  release_multipliers(o);
  return NULL;
}

/* ---- factors ---- */

/* x := M^^-1 x of a body. With G G' = s I and G p = 0 the inverse is known:
 *   M^^-1 = diag(I/m, G'J^-1 G/(4 s^2) + p p'/(4 alpha s^2))
 * Factors of M^ would lose what 4 alpha is larger than 4 J. */
static void apply_body_inverse(const struct multiplier_solver *o, int b, double *x)
{
  const struct body *body = &o->p->model->body[b];
  const double *row = o->Phi_q + (o->absolute->rows + b) * o->p->n + Y * b + 3; /* 2p' */
  const double p[4] = {0.5 * row[0], 0.5 * row[1], 0.5 * row[2], 0.5 * row[3]}, s = p_dot(p, p);
  double turn[3], th[3];
  p_to_rotation(turn, p, x + 3);
  m3_mul(th, body->inertia_inverse, turn);
  for (int i = 0; i < 3; i++) {
    x[i] /= body->mass;
    th[i] /= 4 * s;
  }
  p_from_rotation(x + 3, p, 1 / s, th, p_dot(p, x + 3) / (4 * o->alpha * s));
}

/* F += Phi_b M^_b^-1 Phi_b' over the rows of the front. */
static void add_body_rows(const struct multiplier_solver *o, struct front *f, int b)
{
  for (int i = 0; i < f->size; i++) {
    double turned[Y];
    memcpy(turned, o->Phi_q + f->row[i] * o->p->n + Y * b, sizeof turned);
    apply_body_inverse(o, b, turned);
    for (int j = 0; j < f->size; j++) {
      const double *row = o->Phi_q + f->row[j] * o->p->n + Y * b;
      for (int k = 0; k < Y; k++) f->F[f->size * i + j] += turned[k] * row[k];
    }
  }
}

static int place_in_front(const struct front *f, int row)
{
  int at = 0;
  while (f->row[at] != row) at++;
  return at;
}

/* What a front leaves on its border goes into its parent. */
static void pass_to_parent(const struct front *f, struct front *parent)
{
  for (int i = f->pivot; i < f->size; i++) {
    const int to = place_in_front(parent, f->row[i]);
    for (int j = f->pivot; j < f->size; j++)
      parent->F[parent->size * to + place_in_front(parent, f->row[j])] += f->F[f->size * i + j];
  }
}

/* x := L^-1 x of the pivot's factors, whose diagonal chol_factor() leaves as reciprocals. */
static void solve_lower(const struct front *f, double *x)
{
  for (int i = 0; i < f->pivot; i++) {
    for (int j = 0; j < i; j++) x[i] -= f->F[f->size * i + j] * x[j];
    x[i] *= f->F[f->size * i + i];
  }
}

/* x := L^-1' x */
static void solve_upper(const struct front *f, double *x)
{
  for (int i = f->pivot - 1; i >= 0; i--) {
    for (int j = i + 1; j < f->pivot; j++) x[i] -= f->F[f->size * j + i] * x[j];
    x[i] *= f->F[f->size * i + i];
  }
}

/* Leaves factors L of the pivot, W' = (L^-1 border)', and border - W'W for the parent. */
static bool eliminate_joint(const struct multiplier_solver *o, struct front *f)
{
  const int n = f->size, p = f->pivot;
  for (int i = 0; i < p; i++) f->F[n * i + i] += 1 / o->alpha;
  if (!chol_factor(f->F, p, n)) return false;
  for (int i = p; i < n; i++) solve_lower(f, f->F + n * i);
  for (int i = p; i < n; i++)
    for (int j = p; j < n; j++)
      for (int k = 0; k < p; k++) f->F[n * i + j] -= f->F[n * i + k] * f->F[n * j + k];
  return true;
}

static bool factor_multipliers(void *own, const double *M, const double *Phi_q, double alpha)
{
  struct multiplier_solver *o = own;
  o->alpha = alpha;
  o->Phi_q = Phi_q;
  (void)M; /* the model has its inverse */
  for (int i = 0; i < o->fronts; i++)
    memset(o->front[i].F, 0, sizeof(double) * (size_t)(o->front[i].size * o->front[i].size));
  for (int i = 0; i < o->fronts; i++) {
    struct front *f = &o->front[i];
    for (int b = 0; b < o->p->bodies; b++)
      if (f->body[b]) add_body_rows(o, f, b);
    if (!eliminate_joint(o, f)) return false;
    if (f->parent >= 0) pass_to_parent(f, &o->front[f->parent]);
  }
  return true;
}

/* ---- solve ---- */

static void sweep_up(const struct multiplier_solver *o, const struct front *f)
{
  double y[ABSOLUTE_JOINT];
  for (int i = 0; i < f->pivot; i++) y[i] = o->r[f->row[i]];
  solve_lower(f, y);
  for (int j = f->pivot; j < f->size; j++)
    for (int i = 0; i < f->pivot; i++) o->r[f->row[j]] -= f->F[f->size * j + i] * y[i];
  for (int i = 0; i < f->pivot; i++) o->r[f->row[i]] = y[i];
}

static void sweep_down(const struct multiplier_solver *o, const struct front *f)
{
  double z[ABSOLUTE_JOINT];
  for (int i = 0; i < f->pivot; i++) z[i] = o->r[f->row[i]];
  for (int j = f->pivot; j < f->size; j++)
    for (int i = 0; i < f->pivot; i++) z[i] -= f->F[f->size * j + i] * o->r[f->row[j]];
  solve_upper(f, z);
  for (int i = 0; i < f->pivot; i++) o->r[f->row[i]] = z[i];
}

/* x := M^^-1 (x - Phi_N' (lambda_N + alpha gamma_N)), body by body. The second part is along p: M^^-1 2p = p/(2
 * alpha s). It is added at the end, since alpha gamma_N in the right-hand side would cost the turning part its
 * last digits. */
static void apply_body_inverses(const struct multiplier_solver *o, const double *lambda, const double *gamma,
                                double *x)
{
  const int rows = o->absolute->rows;
  for (int b = 0; b < o->p->bodies; b++) {
    const double *row = o->Phi_q + (rows + b) * o->p->n + Y * b + 3; /* 2p' */
    const double along = lambda[rows + b] / o->alpha + gamma[rows + b];
    apply_body_inverse(o, b, x + Y * b);
    for (int i = 0; i < 4; i++) x[Y * b + 3 + i] -= along * row[i] / p_dot(row, row);
  }
}

static void solve_multipliers(void *own, const double *Q, const double *lambda, const double *gamma,
                              double *x)
{
  const struct multiplier_solver *o = own;
  const int n = o->p->n, rows = o->absolute->rows;
  memcpy(x, Q, sizeof *x * (size_t)n);
  apply_body_inverses(o, lambda, gamma, x);

  for (int i = 0; i < rows; i++) o->r[i] = lambda[i] / o->alpha + gamma[i];
  add_product(o->r, 1, o->Phi_q, x, rows, n);
  for (int i = 0; i < o->fronts; i++) sweep_up(o, &o->front[i]);
  for (int i = o->fronts - 1; i >= 0; i--) sweep_down(o, &o->front[i]);

  memcpy(x, Q, sizeof *x * (size_t)n);
  add_transposed(x, -1, o->Phi_q, o->r, rows, n);
  apply_body_inverses(o, lambda, gamma, x);
}

const struct index1_solver index1_multipliers = {make_multipliers, release_multipliers, factor_multipliers,
                                                 solve_multipliers};
