/* SPDX-License-Identifier: MIT
 * An energy-momentum step for rigid rows, after Simo and Wong (the free body) and Gonzalez and Betsch (constraints).
 * Velocities of a body are 6 numbers: of the centre of mass in the world, and of rotation in body axes. 0 and 1 are the
 * ends of a step of length h.
 *
 *   r1 = r0 + h/2 (v0 + v1),    p1 = p0 (1, h/4 (w0 + w1)) / norm                      Cayley's rotation       (1)
 *   m (v1 - v0)/h             = f - (J_m' lambda, forces)                                                      (2)
 *   (R1 J' w1 - R0 J' w0)/h   =   - (J_m' lambda, moments)                             world axes              (3)
 *   Phi(q1) = 0                                                                                                (4)
 *
 * Springs, loads and drives enter f, J_m and Phi by their means over the step (forces_mean.h).
 *
 * J_m is the Jacobian between the poses (geometric.h): Phi(q1) - Phi(q0) = J_m (displacements of the step). So the
 * work of lambda in the step is lambda' (Phi(q1) - Phi(q0)) = 0, and with weights the energy does not change. Then
 * the velocities are projected onto the constraints, mass-orthogonally; that takes a little energy.
 *
 * Iteration. A load L on the bodies displaces them by B L in a step, B = h^2/2 diag(1/m, R J'^-1 R'). With R the
 * residual of (2) and (3) at the iterate:
 *
 *   S = c + J_f B J_f',    c = 1/alpha
 *   S z = Phi - J_f B R,   displacements d = -B (R + J_f' z),   velocities += 2/h d,   lambda += z             (5)
 *
 * Soft rows take part in S by their slopes over the step (em_system.c), so that stiff springs need no short steps. A stiff
 * spring pushes in one step and pulls in the next: the prediction is poor, and with soft rows S is renewed in each iteration.
 *
 * em: J_f is the Jacobian at the predicted end of the step. S is symmetric and factorised once; the factors serve
 * all iterations and, without soft rows, the projection of velocities, twice:
 *
 *   S y = J_1 v,    velocities -= B J_f' y                                                                     (6)
 *
 * Soft rows in (6) would make it orthogonal to another mass. So with springs there is a second factorisation, of the rows of
 * joints alone.
 *
 * J_m at the prediction would serve the iterations as well, but not (6): it is the Jacobian of the middle of the
 * step, so (6) would not be mass-orthogonal, and the drift of energy becomes ten times as large. J_1' in place of
 * J_f' in (6) breaks down where rows are redundant: y has a large part that loads nothing by J_f, and does by J_1.
 * Where the prediction is poor, (6) is not quite mass-orthogonal and may add energy.
 *
 * em-newton, its oracle: the dense S = c + J_1 B J_m', J_1 the Jacobian at q1, is not symmetric; it is factorised in
 * every iteration. The solution is the same. */
#include "formulations/em.h"
#include "coordinates/forces_mean.h"
#include "formulations/formulations.h"
#include "formulations/fronts.h"
#include "integrators/linear.h"
#include "math/euler.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { V = EM_BODY, SETTLE_PASSES = 3, PROJECTION_PASSES = 2, NEWTON_PASSES = 10 };

/* ---- motion of bodies ---- */

/* Velocities from the rates of q: those of p become rates about body axes. */
static void velocities_from_rates(const struct em *o, const struct pose *x, const double *qd, double *v)
{
  for (int b = 0; b < o->p->bodies; b++) {
    memcpy(v + V * b, qd + ABSOLUTE_BODY * b, 3 * sizeof *v);
    p_to_rotation(v + V * b + 3, x[b].p, qd + ABSOLUTE_BODY * b + 3);
  }
}

static void rates_from_velocities(const struct em *o, const struct pose *x, const double *v, double *qd)
{
  for (int b = 0; b < o->p->bodies; b++) {
    memcpy(qd + ABSOLUTE_BODY * b, v + V * b, 3 * sizeof *v);
    p_from_rotation(qd + ABSOLUTE_BODY * b + 3, x[b].p, 1, v + V * b + 3, 0);
  }
}

static void coordinates_of_poses(const struct em *o, const struct pose *x, double *q)
{
  for (int b = 0; b < o->p->bodies; b++) {
    memcpy(q + ABSOLUTE_BODY * b, x[b].r, sizeof x[b].r);
    memcpy(q + ABSOLUTE_BODY * b + 3, x[b].p, sizeof x[b].p);
  }
}

/* (1) */
static void move_by_velocities(const struct em *o, const double *v1, struct pose *x1)
{
  for (int b = 0; b < o->p->bodies; b++) {
    const struct pose *x0 = &o->x0[b];
    double turn[4] = {1};
    for (int i = 0; i < 3; i++) {
      x1[b].r[i] = x0->r[i] + 0.5 * o->h * (o->v0[V * b + i] + v1[V * b + i]);
      turn[1 + i] = 0.25 * o->h * (o->v0[V * b + 3 + i] + v1[V * b + 3 + i]);
    }
    p_mul(x1[b].p, x0->p, turn);
    p_normalise(x1[b].p);
    p_rotation(x1[b].R, x1[b].p);
  }
}

/* ---- displacements and momenta ---- */

/* v += factor times displacements, whose rotations are about world axes. */
static void add_displacements(const struct em *o, const struct pose *x, double factor, const double *d,
                              double *v)
{
  for (int b = 0; b < o->p->bodies; b++) {
    double own[3];
    m3_tmul(own, x[b].R, d + V * b + 3);
    v3_axpy(v + V * b, factor, d + V * b);
    v3_axpy(v + V * b + 3, factor, own);
  }
}

/* R: what (2) and (3) lack at the iterate, without rows. */
static void momentum_residual(const struct em *o, double *R)
{
  for (int b = 0; b < o->p->bodies; b++) {
    const struct body *body = &o->p->model->body[b];
    const double *v0 = o->v0 + V * b, *v1 = o->v1 + V * b;
    double own[3], spin[2][3];
    m3_mul(own, body->spec.inertia, v0 + 3);
    m3_mul(spin[0], o->x0[b].R, own);
    m3_mul(own, body->spec.inertia, v1 + 3);
    m3_mul(spin[1], o->x1[b].R, own);
    for (int i = 0; i < 3; i++) {
      R[V * b + i] = body->spec.mass * ((v1[i] - v0[i]) / o->h - o->gravity[i]);
      R[V * b + 3 + i] = (spin[1][i] - spin[0][i]) / o->h;
    }
  }
}

/* (6). The residual J_1 v, less the rates of drives, is exact. The factors may belong to the prediction. */
static void project_em_velocities(const struct lab_state *s, struct em *o, int passes)
{
  em_jacobian(s, o, o->x1, o->x1, o->J);
  for (int pass = 0; pass < passes; pass++) {
    double *world = o->R;
    for (int b = 0; b < o->p->bodies; b++) {
      memcpy(world + V * b, o->v1 + V * b, 3 * sizeof *world);
      m3_mul(world + V * b + 3, o->x1[b].R, o->v1 + V * b + 3);
    }
    /* The residual of the rows, and the displacements that remove it. */
    memset(o->z, 0, sizeof *o->z * (size_t)o->rows);
    for (int i = 0; i < o->p->driven_rows; i++) {
      double motion[3];
      forces_row_motion(o->p->model, i, s->now.time, motion);
      o->z[o->p->driven + i] = -motion[1];
    }
    add_product(o->z, 1, o->J, world, o->rows, o->n);
    em_solve(o, o->z, false);
    memset(o->d, 0, sizeof *o->d * (size_t)o->n);
    add_transposed(o->d, -1, o->J_f, o->z, o->rows, o->n);
    em_displacements(o, o->d);
    add_displacements(o, o->x1, 1, o->d, o->v1);
  }
}

/* ---- the step ---- */

/* The symmetric S at the present end of the step. */
static bool factor_at_iterate(const struct lab_state *s, struct em *o)
{
  em_jacobian(s, o, o->x1, o->x1, o->J_f);
  em_soft_rows(s, o, o->x1, o->x1, o->J_f);
  return em_factor(s, o, o->x1, NULL, true);
}

/* At the start s->wd is q''; later it is the mean acceleration of the last step. */
static enum lab_status em_predict(struct lab_state *s)
{
  struct em *o = s->formulation_own;
  const double h = o->h = s->h;
  geometric_poses(o->p, s->q, o->x0);
  velocities_from_rates(o, o->x0, s->w, o->v0);
  velocities_from_rates(o, o->x0, s->wd, o->v1);
  for (int i = 0; i < o->n; i++) o->v1[i] = o->v0[i] + h * o->v1[i];
  move_by_velocities(o, o->v1, o->x1);
  coordinates_of_poses(o, o->x1, s->q);
  if (o->newton) return LAB_OK;
  em_find_laws(s, o);
  return factor_at_iterate(s, o) ? LAB_OK : LAB_SINGULAR;
}

/* (5) */
static enum lab_status em_increment(struct lab_state *s)
{
  struct em *o = s->formulation_own;
  const int n = o->n, rows = o->rows, all = o->all;
  em_jacobian(s, o, o->x0, o->x1, o->J);
  em_find_laws(s, o);
  if (o->newton) {
    em_soft_rows(s, o, o->x0, o->x1, o->J);
    memcpy(o->J_f, o->J, sizeof *o->J * (size_t)(all * n));
    em_jacobian(s, o, o->x1, o->x1, o->J_left);
    em_soft_rows(s, o, o->x1, o->x1, o->J_left);
    if (!em_factor(s, o, o->x1, o->J_left, true)) return LAB_SINGULAR;
  }
  if (o->soft_fronts && !factor_at_iterate(s, o)) return LAB_SINGULAR;
  em_residual(s, o);
  /* R, with the rows as they are now. */
  momentum_residual(o, o->R);
  em_take_loads(s, o);
  add_transposed(o->R, 1, o->J, s->lambda, rows, n);
  /* S z = Phi - J_f B R */
  memcpy(o->d, o->R, sizeof *o->d * (size_t)n);
  em_displacements(o, o->d);
  add_product(o->z, -1, o->newton ? o->J_left : o->J_f, o->d, all, n);
  em_solve(o, o->z, true);
  /* d = -B (R + J_f' z), and where the step ends with it. */
  add_transposed(o->R, 1, o->J_f, o->z, all, n);
  em_displacements(o, o->R);
  memcpy(o->v_next, o->v1, sizeof *o->v1 * (size_t)n);
  add_displacements(o, o->x1, -2 / s->h, o->R, o->v_next);
  move_by_velocities(o, o->v_next, o->next);
  coordinates_of_poses(o, o->next, s->dq);
  for (int i = 0; i < s->n; i++) s->dq[i] -= s->q[i];
  return LAB_OK;
}

static enum lab_status em_accept(struct lab_state *s)
{
  struct em *o = s->formulation_own;
  struct pose *old = o->x1;
  o->x1 = o->next;
  o->next = old;
  memcpy(o->v1, o->v_next, sizeof *o->v1 * (size_t)o->n);
  coordinates_of_poses(o, o->x1, s->q);
  for (int i = 0; i < o->rows; i++) s->lambda[i] += o->z[i];
  em_add_forces(s, o);
  return LAB_OK;
}

/* Projects velocities with the factors of the prediction, or with new ones at the end of the step. */
static enum lab_status project_at_end(struct lab_state *s, struct em *o, bool anew)
{
  if (anew) {
    em_jacobian(s, o, o->x1, o->x1, o->J_f);
    if (!em_factor(s, o, o->x1, o->J_f, false)) return LAB_SINGULAR;
  }
  project_em_velocities(s, o, o->newton ? NEWTON_PASSES : PROJECTION_PASSES);
  return LAB_OK;
}

static enum lab_status em_finish(struct lab_state *s)
{
  struct em *o = s->formulation_own;
  const enum lab_status status = o->projects ? project_at_end(s, o, o->newton) : LAB_OK;
  rates_from_velocities(o, o->x1, o->v1, s->w);
  for (int i = 0; i < o->n; i++) o->d[i] = (o->v1[i] - o->v0[i]) / s->h;
  rates_from_velocities(o, o->x1, o->d, s->wd);
  return status;
}

/* Brings an extrapolated state onto the constraints: positions by the same system, then velocities. */
static enum lab_status em_settle(struct lab_state *s)
{
  struct em *o = s->formulation_own;
  o->h = s->h;
  geometric_poses(o->p, s->q, o->x1);
  velocities_from_rates(o, o->x1, s->w, o->v1);
  em_jacobian(s, o, o->x1, o->x1, o->J_f);
  if (!em_factor(s, o, o->x1, o->J_f, false)) return LAB_SINGULAR;
  /* S z = Phi, d = -B J_f' z */
  for (int pass = 0; pass < SETTLE_PASSES; pass++) {
    em_residual(s, o);
    em_solve(o, o->z, false);
    memset(o->d, 0, sizeof *o->d * (size_t)o->n);
    add_transposed(o->d, -1, o->J_f, o->z, o->rows, o->n);
    em_displacements(o, o->d);
    for (int b = 0; b < o->p->bodies; b++) {
      const double *d = o->d + V * b, turn[4] = {1, 0.5 * d[3], 0.5 * d[4], 0.5 * d[5]};
      double turned[4];
      v3_axpy(o->x1[b].r, 1, d);
      p_mul(turned, turn, o->x1[b].p);
      memcpy(o->x1[b].p, turned, sizeof turned);
      p_normalise(o->x1[b].p);
      p_rotation(o->x1[b].R, o->x1[b].p);
    }
  }
  coordinates_of_poses(o, o->x1, s->q);
  const enum lab_status status = project_at_end(s, o, false);
  rates_from_velocities(o, o->x1, o->v1, s->w);
  return status;
}

/* ---- memory, and the formulations ---- */

static void em_release(void *own)
{
  struct em *o = own;
  fronts_free(o->fronts);
  fronts_free(o->soft_fronts);
  free(o->x0);
  free(o->pivot);
  free(o->memory);
  free(o);
}

static void *em_make(const struct problem *p, bool newton, bool projects)
{
  struct em *o = calloc(1, sizeof *o);
  const struct absolute *absolute = p->own;
  const int rows = absolute->rows, n = V * p->bodies, soft = forces_soft_rows(p->model), all = rows + soft;
  if (!o) return NULL;
  *o = (struct em){.p = p, .newton = newton, .projects = projects, .rows = rows, .all = all, .n = n};
  memcpy(o->gravity, absolute->gravity, sizeof o->gravity);
  /* Poses, pivots, numbers; the recursion where it is used. */
  const size_t matrix = (size_t)(all * n), bodies = (size_t)p->bodies;
  double *at = o->memory =
      calloc(3 * matrix + (size_t)(6 * n + all + 3 * soft) + (newton ? (size_t)(all * all) : 0), sizeof *at);
  o->x0 = calloc(4 * bodies, sizeof *o->x0);
  o->pivot = calloc((size_t)all + 1, sizeof *o->pivot);
  if (!newton) o->fronts = fronts_new(p, V, false);
  if (!newton && soft > 0) o->soft_fronts = fronts_new(p, V, true);
  if (!at || !o->x0 || !o->pivot || (!newton && !o->fronts) || (!newton && soft > 0 && !o->soft_fronts)) {
    em_release(o);
    return NULL;
  }
  /* Shares of the memory. */
  double **of_n[] = {&o->v0, &o->v1, &o->v_next, &o->R, &o->d, &o->B_load};
  o->x1 = o->x0 + bodies;
  o->next = o->x1 + bodies;
  o->factored = o->next + bodies;
  o->J_left = at;
  o->J_f = at + matrix;
  o->J = at + 2 * matrix;
  at += 3 * matrix;
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++, at += n) *of_n[i] = at;
  o->z = at;
  o->l = at + all;
  o->law = o->l + soft;
  o->slope = o->law + soft;
  o->S = newton ? o->slope + soft : NULL;
  return o;
}

static void *make_em(const struct problem *p)
{
  return em_make(p, false, true);
}

static void *make_em_unprojected(const struct problem *p)
{
  return em_make(p, false, false);
}

static void *make_em_newton(const struct problem *p)
{
  return em_make(p, true, true);
}

/* The multipliers are means over the step. Absolute coordinates need no q''. */
static enum lab_status em_multipliers(const struct lab_state *s, double *lambda, double *qdd)
{
  memcpy(lambda, s->lambda, sizeof *lambda * (size_t)s->m);
  memcpy(qdd, s->wd, sizeof *qdd * (size_t)s->n);
  return LAB_OK;
}

static const struct newton_form em_form = {.start = al1_start_accelerations,
                                           .predict = em_predict,
                                           .increment = em_increment,
                                           .accept = em_accept,
                                           .finish = em_finish,
                                           .settle = em_settle};

const struct formulation formulation_em = {.name = "em",
                                           .title = "energy-momentum step, one symmetric matrix a step",
                                           .source = "Simo and Wong; Gonzalez; Betsch",
                                           .no_accelerations = true,
                                           .only = &description_absolute,
                                           .make = make_em,
                                           .release = em_release,
                                           .newton = &em_form,
                                           .multipliers = em_multipliers};
const struct formulation formulation_em_unprojected = {.name = "em-unprojected",
                                                       .title =
                                                           "energy-momentum step, velocities as they come",
                                                       .source = "Simo and Wong; Gonzalez; Betsch",
                                                       .oracle = true,
                                                       .no_accelerations = true,
                                                       .only = &description_absolute,
                                                       .make = make_em_unprojected,
                                                       .release = em_release,
                                                       .newton = &em_form,
                                                       .multipliers = em_multipliers};
const struct formulation formulation_em_newton = {
    .name = "em-newton",
    .title = "energy-momentum step, dense Newton iteration: the oracle",
    .source = "Simo and Wong; Gonzalez; Betsch",
    .oracle = true,
    .no_accelerations = true,
    .only = &description_absolute,
    .make = make_em_newton,
    .release = em_release,
    .newton = &em_form,
    .multipliers = em_multipliers};
