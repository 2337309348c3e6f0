/* SPDX-License-Identifier: MIT
 * The rows of the energy-momentum step, and S over them (em.c).
 *
 * The mean force l of a soft row is an unknown like lambda, so that its value need not follow from a pose that is not right yet.
 * Its law L has the slope k = dL/dx1, of a spring half the stiffness:
 *
 *   L + k J d = l + z,    (1/k + J B J') z = (L - l)/k - J B R
 *
 * A row whose slope is 0 would have no such form. So rows are scaled by s = sqrt(c k), with the compliance c of the rows of
 * joints:
 *
 *   (c + s J B J' s) z' = s (L - l)/k - s J B R,    z = s z'                                      (7)
 *
 * and a row without a slope is 0 and has l = L. */
#include "formulations/em.h"
#include "coordinates/forces_mean.h"
#include "formulations/fronts.h"
#include "integrators/linear.h"
#include "math/euler.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum { V = EM_BODY };

/* ---- displacements ---- */

/* x := B x of a body, at the pose of the factors. */
static void displacement_of_load(const void *user, int b, double *x)
{
  const struct em *o = user;
  const struct body *body = &o->p->model->body[b];
  const double part = 0.5 * o->h * o->h;
  double own[3], turn[3];
  for (int i = 0; i < 3; i++) x[i] *= part / body->spec.mass;
  m3_tmul(own, o->factored[b].R, x + 3);
  m3_mul(turn, body->inertia_inverse, own);
  m3_mul(x + 3, o->factored[b].R, turn);
  for (int i = 3; i < V; i++) x[i] *= part;
}

void em_displacements(const struct em *o, double *x)
{
  for (int b = 0; b < o->p->bodies; b++) displacement_of_load(o, b, x + V * b);
}

/* ---- rows of joints, drives and gears, and the loads of springs ---- */

struct em_bodies {
  const struct pose *x;
  const double *v;
};

static void state_of_pose(const void *user, int body, struct body_state *o)
{
  const struct em_bodies *s = user;
  memcpy(o->r, s->x[body].r, sizeof o->r);
  memcpy(o->p, s->x[body].p, sizeof o->p);
  memcpy(o->rd, s->v + V * body, sizeof o->rd);
  p_from_rotation(o->pd, o->p, 1, s->v + V * body + 3, 0);
}

/* s of (7). */
static double soft_scale(const struct lab_state *s, const struct em *o, int i)
{
  return sqrt(o->slope[i] / s->run->alpha);
}

void em_residual(const struct lab_state *s, const struct em *o)
{
  const struct em_bodies bodies = {o->x1, o->v1};
  const struct mover at = {.user = &bodies, .state = state_of_pose};
  memset(o->z, 0, sizeof *o->z * (size_t)o->all);
  geometric_residual(o->p, o->x1, o->z);
  for (int i = 0; i < o->p->driven_rows; i++) {
    double motion[3];
    forces_row_motion(o->p->model, i, s->now.time, motion);
    o->z[o->p->driven + i] = forces_row_value(o->p->model, i, &s->now, &at) - motion[0];
  }
  for (int i = 0; i < o->all - o->rows; i++)
    if (o->slope[i] > 0) o->z[o->rows + i] = soft_scale(s, o, i) * (o->law[i] - o->l[i]) / o->slope[i];
}

/* From the pose x0 with the velocities of the start to x1. */
struct em_span {
  struct em_bodies bodies[2];
  struct mover mover[2];
  struct forces_span span;
};

static const struct forces_span *set_em_span(const struct lab_state *s, const struct em *o,
                                             const struct pose *x0, const struct pose *x1, struct em_span *k)
{
  k->bodies[0] = (struct em_bodies){x0, o->v0};
  k->bodies[1] = (struct em_bodies){x1, o->v1};
  for (int i = 0; i < 2; i++) k->mover[i] = (struct mover){.user = &k->bodies[i], .state = state_of_pose};
  k->span = (struct forces_span){&k->mover[0], &k->mover[1], s->now.turn, o->h};
  return &k->span;
}

void em_jacobian(const struct lab_state *s, const struct em *o, const struct pose *x0, const struct pose *x1,
                 double *J)
{
  struct em_span k;
  geometric_jacobian(o->p, x0, x1, J);
  if (o->p->driven_rows > 0)
    forces_mean_rows(o->p->model, set_em_span(s, o, x0, x1, &k), J + o->p->driven * o->n);
}

void em_find_laws(const struct lab_state *s, const struct em *o)
{
  struct em_span k;
  if (o->all == o->rows) return;
  forces_mean_laws(o->p->model, set_em_span(s, o, o->x0, o->x1, &k), o->law, o->slope);
  for (int i = 0; i < o->all - o->rows; i++)
    if (o->slope[i] == 0) o->l[i] = o->law[i];
}

void em_add_forces(const struct lab_state *s, const struct em *o)
{
  for (int i = 0; i < o->all - o->rows; i++) o->l[i] += soft_scale(s, o, i) * o->z[o->rows + i];
}

void em_soft_rows(const struct lab_state *s, const struct em *o, const struct pose *x0, const struct pose *x1,
                  double *J)
{
  struct em_span k;
  double *soft = J + o->rows * o->n;
  if (o->all == o->rows) return;
  forces_mean_soft(o->p->model, set_em_span(s, o, x0, x1, &k), soft);
  for (int i = 0; i < o->all - o->rows; i++) {
    const double scale = soft_scale(s, o, i);
    for (int column = 0; column < o->n; column++) soft[i * o->n + column] *= scale;
  }
}

void em_take_loads(const struct lab_state *s, const struct em *o)
{
  struct em_span k;
  if (o->p->loaded) forces_mean_take(o->p->model, set_em_span(s, o, o->x0, o->x1, &k), o->l, o->R);
}

/* ---- the system ---- */

/* Dense S = c + left B J_f' over the first rows. */
static bool factor_dense_system(struct em *o, const double *left, double c, int rows)
{
  const int n = o->n;
  memset(o->S, 0, sizeof *o->S * (size_t)(rows * rows));
  for (int k = 0; k < rows; k++) {
    memcpy(o->B_load, o->J_f + k * n, sizeof *o->B_load * (size_t)n);
    em_displacements(o, o->B_load);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < n; j++) o->S[i * rows + k] += left[i * n + j] * o->B_load[j];
    o->S[k * rows + k] += c;
  }
  o->factors = rows;
  return lu_factor(o->S, rows, o->pivot);
}

static const double *columns_of_em_row(const void *user, int row, int body)
{
  const struct em *o = user;
  return o->J_f + row * o->n + V * body;
}

bool em_factor(const struct lab_state *s, struct em *o, const struct pose *x, const double *left, bool soft)
{
  const double c = 1 / s->run->alpha;
  const struct mobility mobility = {.user = o, .apply = displacement_of_load};
  const struct front_rows rows = {o, columns_of_em_row};
  memcpy(o->factored, x, sizeof *x * (size_t)o->p->bodies);
  if (o->newton) return factor_dense_system(o, left, c, soft ? o->all : o->rows);
  return fronts_factor(o->fronts, &rows, c, &mobility) &&
         (!soft || !o->soft_fronts || fronts_factor(o->soft_fronts, &rows, c, &mobility));
}

void em_solve(const struct em *o, double *x, bool soft)
{
  if (o->newton)
    lu_apply(o->S, o->factors, o->pivot, x);
  else
    fronts_solve(soft && o->soft_fronts ? o->soft_fronts : o->fronts, x);
}
