/* SPDX-License-Identifier: MIT
 * Index-1 augmented Lagrangian DCA, without and with mass-orthogonal projections: paper 5, in absolute coordinates.
 *
 *   gamma = d(Phi_q)/dt q' + 2 Omega mu Phi' + Omega^2 Phi                                        (6) to (8)
 *   lambda = 0; repeat:  (M + Phi_q'alpha Phi_q) q'' = Q - Phi_q' (lambda + alpha gamma)          (9) (10)
 *                        lambda += alpha (Phi_q q'' + gamma)                                      (6) to (8)
 *
 * The paper's gamma has the sign Phi'' = Phi_q q'' + gamma; in paper 1 it is the other. With projections Omega =
 * mu = 0. */
#include "formulations/index1.h"
#include "coordinates/forces.h"
#include "formulations/formulations.h"
#include "integrators/linear.h"

#include <stdlib.h>
#include <string.h>

enum { UPDATES_MAX = 10 }; /* at each level, section 4.1 */
static const double position_tolerance = 1e-14, velocity_tolerance = 1e-12, acceleration_tolerance = 1e-10;

struct index1 {
  const struct index1_solver *solver;
  void *solver_own;
  bool projects, factored;             /* factored: for the present configuration */
  double *lambda, *gamma;              /* (m) */
  double *x, *last, *target, *Q, *Phi; /* (n), (n), (n), (n); (m) */
  double *factored_q;                  /* (n) the configuration of the factors */
  double *J, *other;                   /* blocks of the rows, and those that are not used but to be filled */
  double *M, *Phi_q;                   /* (n, n), (m, n) where the solver wants them */
};

static void index1_release(void *own)
{
  struct index1 *o = own;
  if (o->solver_own) o->solver->release(o->solver_own);
  free(o->lambda);
  free(o);
}

static void *index1_make(const struct problem *p, const struct index1_solver *solver, bool projects)
{
  const size_t n = (size_t)p->n, m = (size_t)p->m;
  struct index1 *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  *o = (struct index1){.solver = solver, .projects = projects, .solver_own = solver->make(p)};
  /* One block of memory, shared out below. */
  const size_t blocks = ABSOLUTE_BLOCK * (m + 1), dense = solver->dense ? n * n + m * n : 0;
  o->lambda = calloc(3 * m + 5 * n + 2 * blocks + dense, sizeof *o->lambda);
  if (!o->lambda || !o->solver_own) {
    index1_release(o);
    return NULL;
  }
  o->gamma = o->lambda + m;
  o->Phi = o->gamma + m;
  o->x = o->Phi + m;
  o->last = o->x + n;
  o->target = o->last + n;
  o->Q = o->target + n;
  o->factored_q = o->Q + n;
  o->J = o->factored_q + n;
  o->other = o->J + blocks;
  o->M = o->other + blocks;
  o->Phi_q = o->M + n * n;
  return o;
}

static double change_of_vector(const double *a, const double *b, int n, double *work)
{
  for (int i = 0; i < n; i++) work[i] = a[i] - b[i];
  return euclidean_norm(work, n);
}

static bool factor_configuration(struct lab_state *s, struct index1 *o)
{
  const struct problem *p = s->problem;
  const bool dense = o->solver->dense;
  absolute_blocks(p, &s->now, s->q, s->Phi, o->J);
  forces_row_time(p, s->now.time, s->Phi_t);
  state_force(s);
  if (dense) {
    p->kind->rows(p, &s->now, s->q, s->Phi, o->Phi_q);
    p->kind->inertia(p, s->q, o->M);
  }
  const struct index1_matrices a = {o->factored_q, o->J, dense ? o->M : NULL, dense ? o->Phi_q : NULL,
                                    s->run->alpha};
  memcpy(o->factored_q, s->q, sizeof *s->q * (size_t)s->n);
  o->factored = o->solver->factor(o->solver_own, &a);
  return o->factored;
}

/* o (m) += factor Phi', with the rows of the factors: Phi_q q' + Phi_t. */
static void add_rates(const struct lab_state *s, const struct index1 *own, double factor, double *o)
{
  absolute_add_rows(s->problem, own->factored_q, own->J, factor, s->qd, o);
  for (int i = s->problem->driven; i < s->problem->driven + s->problem->driven_rows; i++)
    o[i] += factor * s->Phi_t[i];
}

/* (6) to (8); the rates q' are in s->qd. */
static void stabilised_gamma(struct lab_state *s, struct index1 *o)
{
  const double Omega = o->projects ? 0 : s->run->omega, mu = o->projects ? 0 : s->run->xi;
  state_bias(s, o->gamma);
  if (Omega == 0) return;
  add_rates(s, o, 2 * Omega * mu, o->gamma);
  for (int i = 0; i < s->m; i++) o->gamma[i] += Omega * Omega * s->Phi[i];
}

static enum lab_status index1_evaluate(struct lab_state *s)
{
  struct index1 *o = s->formulation_own;
  const int n = s->n, m = s->m;
  const double alpha = s->run->alpha;
  s->result->calls++;
  if (o->factored)
    state_force(s); /* of the projected velocity */
  else if (!factor_configuration(s, o))
    return LAB_SINGULAR;
  o->factored = false;
  stabilised_gamma(s, o);
  memset(o->lambda, 0, sizeof *o->lambda * (size_t)m);
  for (int pass = 1; pass <= UPDATES_MAX; pass++) {
    memcpy(o->last, s->wd, sizeof *o->last * (size_t)n);
    o->solver->solve(o->solver_own, s->f, o->lambda, o->gamma, s->wd);
    for (int i = 0; i < m; i++) o->lambda[i] += alpha * o->gamma[i];
    absolute_add_rows(s->problem, o->factored_q, o->J, alpha, s->wd, o->lambda);
    s->result->inner++;
    if (pass > 1 && change_of_vector(s->wd, o->last, n, o->Q) < acceleration_tolerance) break;
  }
  s->result->solves++;
  return LAB_OK;
}

/* (48) to (56): Phi_q, M and the factors of q*, what the integrator gave. */
static enum lab_status project_positions(struct lab_state *s, struct index1 *o)
{
  const int n = s->n, m = s->m;
  if (!factor_configuration(s, o)) return LAB_SINGULAR;
  memcpy(o->target, s->q, sizeof *o->target * (size_t)n);
  memcpy(o->Phi, s->Phi, sizeof *o->Phi * (size_t)m);
  memset(o->lambda, 0, sizeof *o->lambda * (size_t)m);
  for (int pass = 1; pass <= UPDATES_MAX; pass++) {
    for (int i = 0; i < n; i++) o->last[i] = s->q[i] - o->target[i];
    memset(o->Q, 0, sizeof *o->Q * (size_t)n);
    absolute_add_momenta(s->problem, o->factored_q, -1, o->last, o->Q);
    o->solver->solve(o->solver_own, o->Q, o->lambda, o->Phi, o->x);
    for (int i = 0; i < n; i++) s->q[i] += o->x[i];
    absolute_blocks(s->problem, &s->now, s->q, o->Phi, o->other);
    for (int i = 0; i < m; i++) o->lambda[i] += s->run->alpha * o->Phi[i];
    if (euclidean_norm(o->x, n) < position_tolerance) break;
  }
  return LAB_OK;
}

/* (64) to (72) at the new q. */
static enum lab_status project_velocities(struct lab_state *s, struct index1 *o)
{
  const int n = s->n, m = s->m;
  if (!factor_configuration(s, o)) return LAB_SINGULAR;
  memset(o->Q, 0, sizeof *o->Q * (size_t)n);
  absolute_add_momenta(s->problem, o->factored_q, 1, s->w, o->Q);
  memset(o->lambda, 0, sizeof *o->lambda * (size_t)m);
  memcpy(o->gamma, s->Phi_t, sizeof *o->gamma * (size_t)m);
  for (int pass = 1; pass <= UPDATES_MAX; pass++) {
    memcpy(o->last, s->w, sizeof *o->last * (size_t)n);
    o->solver->solve(o->solver_own, o->Q, o->lambda, o->gamma, s->w);
    add_rates(s, o, s->run->alpha, o->lambda);
    if (change_of_vector(s->w, o->last, n, o->x) < velocity_tolerance) break;
  }
  return LAB_OK;
}

static enum lab_status index1_project(struct lab_state *s)
{
  struct index1 *o = s->formulation_own;
  const enum lab_status status = project_positions(s, o);
  return status == LAB_OK ? project_velocities(s, o) : status;
}

/* Multipliers of the last evaluation, which was at the end of the step. */
static enum lab_status index1_reactions(const struct lab_state *s, double *lambda, double *qdd)
{
  const struct index1 *o = s->formulation_own;
  memcpy(lambda, o->lambda, sizeof *lambda * (size_t)s->m);
  memcpy(qdd, s->wd, sizeof *qdd * (size_t)s->n);
  return LAB_OK;
}

/* ---- the dense form ---- */

struct dense_solver {
  int n, m;
  double alpha;
  const double *Phi_q;
  double *A; /* (n, n) factors */
};

static void *make_dense(const struct problem *p)
{
  struct dense_solver *o = calloc(1, sizeof *o + (size_t)(p->n * p->n) * sizeof(double));
  if (!o) return NULL;
  *o = (struct dense_solver){.n = p->n, .m = p->m, .A = (double *)(o + 1)};
  return o;
}

static bool factor_dense(void *own, const struct index1_matrices *a)
{
  struct dense_solver *o = own;
  o->Phi_q = a->Phi_q;
  o->alpha = a->alpha;
  penalty_matrix(o->A, a->M, a->alpha, a->Phi_q, o->m, o->n);
  return chol_factor(o->A, o->n, o->n);
}

static void solve_dense(void *own, const double *Q, const double *lambda, const double *gamma, double *x)
{
  const struct dense_solver *o = own;
  memcpy(x, Q, sizeof *x * (size_t)o->n);
  add_transposed(x, -1, o->Phi_q, lambda, o->m, o->n);
  add_transposed(x, -o->alpha, o->Phi_q, gamma, o->m, o->n);
  chol_solve(o->A, o->n, o->n, x);
}

const struct index1_solver index1_dense = {true, make_dense, free, factor_dense, solve_dense};

/* ---- the formulations: three solvers, each without and with projections ---- */

#define INDEX1_FORMULATION(id, solver_table, has_projections, name_text, title_text, refuses, is_oracle)     \
  static void *make_##id(const struct problem *p)                                                            \
  {                                                                                                          \
    return index1_make(p, &solver_table, has_projections);                                                   \
  }                                                                                                          \
  const struct formulation formulation_##id = {.name = name_text,                                            \
                                               .title = title_text,                                          \
                                               .source = "paper 5, (6) to (86)",                             \
                                               .pure = true,                                                 \
                                               .own_matrices = true,                                         \
                                               .oracle = is_oracle,                                          \
                                               .only = &description_absolute,                                \
                                               .unsuitable = refuses,                                        \
                                               .make = make_##id,                                            \
                                               .release = index1_release,                                    \
                                               .evaluate = index1_evaluate,                                  \
                                               .project = has_projections ? index1_project : NULL,           \
                                               .multipliers = index1_reactions};

INDEX1_FORMULATION(al1_dca, index1_multipliers, false, "al1-dca",
                   "index-1 AL-DCA, recursion in the multipliers", NULL, false)
INDEX1_FORMULATION(al1_dca_projected, index1_multipliers, true, "al1-dca-projected",
                   "index-1 AL-DCA with projections, recursion in the multipliers", NULL, false)
INDEX1_FORMULATION(al1_handles, index1_handles, false, "al1-handles",
                   "index-1 AL-DCA, recursion by handles as printed", handles_unsuitable, true)
INDEX1_FORMULATION(al1_handles_projected, index1_handles, true, "al1-handles-projected",
                   "index-1 AL-DCA with projections, recursion by handles as printed", handles_unsuitable,
                   true)
INDEX1_FORMULATION(al1_dense, index1_dense, false, "al1-dense", "index-1 AL, one dense matrix: the oracle",
                   NULL, true)
INDEX1_FORMULATION(al1_dense_projected, index1_dense, true, "al1-dense-projected",
                   "index-1 AL with projections, one dense matrix", NULL, true)
