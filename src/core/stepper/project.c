/* SPDX-License-Identifier: MIT
 * Loop code: the projections of positions, velocities and accelerations onto the constraints, and the residual norms. Each
 * projection is the smallest change in the norm of the mass matrix.
 *
 * All three have one form: a free value w per body, S z = beta, the new value w - delta J'z. A soft row resists the
 * correction, not the motion. */
#include "stepper/project.h"
#include "kernels/elements.h"
#include "stepper/soft.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

double project_position(const ali3_model *m, ali3_data *d)
{
  double largest = 0.0;
  stage_bodies(m, d, KERNEL_body_position_free);
  stage_links(m, d, KERNEL_link_position_beta);
  stage_solve(m, d);
  stage_links(m, d, KERNEL_link_rest_z);
  stage_move(m, d, KERNEL_body_position_set);
  for (int i = 0; i < m->frozen->tree->slots; i++) largest = fmax(largest, d->solve.increment[i]);
  return largest;
}

/* Copies the numbers of the lanes with a flag. */
static void keep_lanes(double *to, const double *from, size_t n, int lanes, const bool *flag)
{
  for (size_t i = 0; i < n; i += (size_t)lanes)
    for (int c = 0; c < lanes; c++)
      if (flag[c]) to[i + (size_t)c] = from[i + (size_t)c];
}

static void clear_lanes(double *a, size_t n, int lanes, const bool *flag)
{
  for (size_t i = 0; i < n; i += (size_t)lanes)
    for (int c = 0; c < lanes; c++)
      if (flag[c]) a[i + (size_t)c] = 0.0;
}

bool project_position_by_copy(const ali3_model *m, ali3_data *d, double limit)
{
  const struct tree *t = m->frozen->tree;
  const size_t bodies = (size_t)(t->slots / t->lanes * t->lanes);
  double largest[ISA_LANES_MAX];
  bool closed[ISA_LANES_MAX];
  int open = 0;
  norm_largest_by_copy(m, d->solve.Phi, m->frozen->rigid, largest);
  for (int c = 0; c < t->lanes; c++) {
    closed[c] = largest[c] < limit || c >= d->copies->copies;
    open += !closed[c];
  }
  if (open == 0) return false;
  /* project_position(), in which closed copies have no residual */
  memcpy(d->copies->x, d->now.x, X_NUMBERS * bodies * sizeof *d->now.x);
  stage_bodies(m, d, KERNEL_body_position_free);
  clear_lanes(d->solve.w, BODY_Y * bodies, t->lanes, closed);
  stage_links(m, d, KERNEL_link_position_beta);
  clear_lanes(d->solve.beta, (size_t)t->unknowns, t->lanes, closed);
  stage_solve(m, d);
  stage_links(m, d, KERNEL_link_rest_z);
  stage_move(m, d, KERNEL_body_position_set);
  keep_lanes(d->now.x, d->copies->x, X_NUMBERS * bodies, t->lanes, closed);
  return true;
}

/* correction: body_velocity_set or body_velocity_refine */
static void velocity_pass(const ali3_model *m, ali3_data *d, enum body_kernel correction)
{
  stage_links(m, d, KERNEL_link_velocity_beta);
  stage_solve(m, d);
  stage_links(m, d, KERNEL_link_rest_z);
  stage_bodies(m, d, correction);
}

static void velocity_residual(const ali3_model *m, ali3_data *d)
{
  if (!d->intermediate) stage_rigid_links(m, d, KERNEL_link_velocity_residual);
}

static void acceleration_residual(const ali3_model *m, ali3_data *d)
{
  if (!d->intermediate) stage_rigid_links(m, d, KERNEL_link_acceleration_residual);
}

void project_velocity(const ali3_model *m, ali3_data *d)
{
  stage_bodies(m, d, KERNEL_body_velocity_free);
  velocity_pass(m, d, KERNEL_body_velocity_set);
  velocity_residual(m, d);
}

void project_velocity_twice(const ali3_model *m, ali3_data *d)
{
  stage_bodies(m, d, KERNEL_body_velocity_free);
  velocity_pass(m, d, KERNEL_body_velocity_refine);
  velocity_pass(m, d, KERNEL_body_velocity_set);
  velocity_residual(m, d);
}

static void acceleration_end(const ali3_model *m, ali3_data *d)
{
  stage_links(m, d, KERNEL_link_rest_z);
  stage_bodies(m, d, KERNEL_body_acceleration_set);
  acceleration_residual(m, d);
}

/* Starts from w and the point values of body_acceleration_free() or body_balance(). */
static void acceleration_pass(const ali3_model *m, ali3_data *d)
{
  stage_links(m, d, KERNEL_link_acceleration_beta);
  stage_solve(m, d);
  acceleration_end(m, d);
}

void project_acceleration(const ali3_model *m, ali3_data *d)
{
  stage_bodies(m, d, KERNEL_body_acceleration_free);
  acceleration_pass(m, d);
}

void project_acceleration_after(const ali3_model *m, ali3_data *d, const double *before)
{
  stage_bodies(m, d, KERNEL_body_acceleration_free);
  stage_links(m, d, KERNEL_link_acceleration_beta);
  for (int row = m->frozen->rigid; row < m->frozen->rows; row++)
    if (d->soft.rigid_now[row]) d->solve.beta[row] -= before[row];
  stage_solve(m, d);
  acceleration_end(m, d);
}

/* Whether the projection of q'' takes out the part of the multipliers that loads no body. q'' is then exact to the compliance of
 * the rows. Extrapolated steps are more accurate, light bodies feel that compliance more, and mean multipliers belong to the
 * whole step in place of its end. */
static bool is_felt_at_once(const ali3_model *m, const ali3_data *d)
{
  return d->redundant && !d->intermediate && !d->combines && !d->rule.mean && !m->frozen->tree->carried;
}

/* S z = J a - gamma - N lambda / h: see project_unfelt() */
void project_end_acceleration(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  if (!is_felt_at_once(m, d)) {
    project_acceleration(m, d);
    return;
  }
  if (f->rows > f->rigid) memset(d->solve.end_load, 0, (size_t)f->end_loads * sizeof *d->solve.end_load);
  stage_rigid_links(m, d, KERNEL_link_rest_lambda);
  stage_bodies(m, d, KERNEL_body_acceleration_felt);
  stage_links(m, d, KERNEL_link_acceleration_beta);
  f->kernels[1]->norms->less(d->solve.beta, 1.0 / d->rule.h, d->solve.c, d->now.lambda, f->rigid);
  stage_solve(m, d);
  acceleration_end(m, d);
}

/* a = M^-1 (Q - J'lambda) */
static void balance_forces(const ali3_model *m, ali3_data *d)
{
  stage_links(m, d, KERNEL_link_rest_lambda);
  stage_bodies(m, d, KERNEL_body_balance);
}

void project_balance(const ali3_model *m, ali3_data *d)
{
  soft_end_loads(m, d);
  balance_forces(m, d);
  acceleration_pass(m, d);
}

void project_forces(const ali3_model *m, ali3_data *d)
{
  balance_forces(m, d);
  acceleration_pass(m, d);
}

void project_residuals(const ali3_model *m, ali3_data *d)
{
  stage_bodies(m, d, KERNEL_body_velocity_whole);
  velocity_residual(m, d);
  stage_bodies(m, d, KERNEL_body_acceleration_whole);
  stage_links(m, d, KERNEL_link_acceleration_beta); /* for bias */
  acceleration_residual(m, d);
}

/* S z = N z, for multipliers in z of which soft rows have none. */
static void solve_unfelt(const ali3_model *m, ali3_data *d)
{
  stage_links(m, d, KERNEL_link_rest_z);
  stage_bodies(m, d, KERNEL_body_stretch);
  stage_links(m, d, KERNEL_link_unfelt_beta);
  stage_solve(m, d);
}

/* With redundant rows, a part of the multipliers loads no body: n with J'n = 0 except in J_n, the stretch of the Euler
 * parameters. It would grow, because each step adds z for another J. With N = c + J_n delta_n J_n', S y = N lambda has y = n for
 * lambda = n, and for all other multipliers y is as small as the compliance. lambda - y is the smallest multiplier, in the norm
 * of N, that loads the bodies as lambda does. The second solve, from y, takes out what the first one takes of the others. */
void project_unfelt(const ali3_model *m, ali3_data *d, double *lambda, int solves)
{
  const struct frozen *f = m->frozen;
  double *z = d->solve.z;
  memcpy(z, lambda, (size_t)f->rigid * sizeof *z);
  for (int i = 0; i < solves; i++) {
    memset(z + f->rigid, 0, (size_t)(f->rows - f->rigid) * sizeof *z);
    solve_unfelt(m, d);
  }
  f->kernels[1]->norms->along(lambda, lambda, -1.0, z, f->rigid);
}

/* The change w - delta J'z of the accelerations is that of a load h z: the difference between the integrator's multipliers,
 * which are of first order, and the multipliers of the equations of motion. */
void project_reactions(const ali3_model *m, ali3_data *d, const double *lambda)
{
  const struct frozen *f = m->frozen;
  f->kernels[1]->norms->along(d->now.reaction, lambda, d->rule.h, d->solve.z, f->rigid);
  for (int i = f->rigid; i < f->rows; i++) d->now.reaction[i] = d->now.lambda[i];
  if (!d->redundant) return;
  if (!is_felt_at_once(m, d)) project_unfelt(m, d, d->now.reaction, d->combines ? 2 : 1);
  /* The first iteration of the next step is linear in lambda and dq together, so it may begin with the reactions. Where the solve
   * is a separate one, lambda stays, and so does the motion. */
  if (is_felt_at_once(m, d)) memcpy(d->now.lambda, d->now.reaction, (size_t)f->rigid * sizeof *d->now.lambda);
}

/* The change of the multipliers that takes out the accelerations across the rows. */
static double acceleration_change(const ali3_model *m, ali3_data *d)
{
  stage_links(m, d, KERNEL_link_acceleration_beta);
  stage_solve(m, d);
  return d->rule.h * norm_largest(m, d->solve.z);
}

double project_doubt(const ali3_model *m, ali3_data *d)
{
  stage_bodies(m, d, KERNEL_body_acceleration_whole);
  const double first = acceleration_change(m, d);
  stage_links(m, d, KERNEL_link_rest_z);
  stage_bodies(m, d, KERNEL_body_acceleration_refine);
  const double second = acceleration_change(m, d);
  if (first == 0.0) return 0.0;
  return second < first ? first / (1.0 - second / first) : INFINITY;
}

bool project_finite(const ali3_model *m, const ali3_data *d)
{
  const ali3_report *r = &d->report;
  return isfinite(r->position) && isfinite(r->velocity) && isfinite(r->acceleration) &&
         isfinite(norm_sum(m, d->now.reaction)) &&
         (m->frozen->rows == m->frozen->rigid || isfinite(norm_sum(m, d->solve.Phi)));
}

void project_norms(const ali3_model *m, ali3_data *d)
{
  ali3_report *r = &d->report;
  r->position = norm_largest(m, d->solve.Phi);
  link_name_worst(m, &d->report, norm_worst_link(m, d->solve.Phi, r->position));
  r->velocity = norm_largest_residual(m, d->solve.residual[0]);
  r->acceleration = norm_largest_residual(m, d->solve.residual[1]);
}
