/* SPDX-License-Identifier: MIT
 * Loop code: the projections of positions, velocities and accelerations onto the constraints, each the
 * smallest change in the norm of the mass matrix, and the norms of what is left.
 *
 * All three have one shape: a free value w per body, S z = beta, the new value w - delta J'z. A soft row
 * resists the correction, not the motion. */
#include "stepper/kernels.h"
#include "stepper/storage.h"

#include <math.h>

static double bodies_cost(const ali3_model *m)
{
  return 80.0 * m->bodies;
}
static double rows_cost(const ali3_model *m)
{
  return 28.0 * m->frozen->true_rows;
}

double project_position(const ali3_model *m, ali3_data *d)
{
  double largest = 0.0;
  STAGE_BODIES(m, d, body_position_free, 10.0 * m->bodies);
  STAGE_LINKS(m, d, link_position_beta, rows_cost(m));
  stage_solve(m, d);
  STAGE_LINKS(m, d, link_rest_z, rows_cost(m));
  STAGE_MOVE(m, d, body_position_set, bodies_cost(m));
  for (int i = 0; i < m->frozen->tree->slots; i++) largest = fmax(largest, d->increment[i]);
  return largest;
}

/* correction: body_velocity_set or body_velocity_refine, its offset in the table */
static void velocity_pass(const ali3_model *m, ali3_data *d, size_t correction)
{
  STAGE_LINKS(m, d, link_velocity_beta, rows_cost(m));
  stage_solve(m, d);
  STAGE_LINKS(m, d, link_rest_z, rows_cost(m));
  stage_bodies(m, d, correction, bodies_cost(m));
}

static void velocity_left(const ali3_model *m, ali3_data *d)
{
  if (d->midway) return;
  stage_rigid_links(m, d, offsetof(struct step_link_kernels, link_velocity_left), rows_cost(m));
}

static void acceleration_left(const ali3_model *m, ali3_data *d)
{
  if (d->midway) return;
  stage_rigid_links(m, d, offsetof(struct step_link_kernels, link_acceleration_left), rows_cost(m));
}

void project_velocity(const ali3_model *m, ali3_data *d)
{
  STAGE_BODIES(m, d, body_velocity_free, 60.0 * m->bodies);
  velocity_pass(m, d, offsetof(struct step_body_kernels, body_velocity_set));
  velocity_left(m, d);
}

void project_velocity_twice(const ali3_model *m, ali3_data *d)
{
  STAGE_BODIES(m, d, body_velocity_free, 60.0 * m->bodies);
  velocity_pass(m, d, offsetof(struct step_body_kernels, body_velocity_refine));
  velocity_pass(m, d, offsetof(struct step_body_kernels, body_velocity_set));
  velocity_left(m, d);
}

/* From w and the tips, which body_acceleration_free() or body_balance() has left. */
static void acceleration_pass(const ali3_model *m, ali3_data *d)
{
  STAGE_LINKS(m, d, link_acceleration_beta, 3.0 * rows_cost(m));
  stage_solve(m, d);
  STAGE_LINKS(m, d, link_rest_z, rows_cost(m));
  STAGE_BODIES(m, d, body_acceleration_set, bodies_cost(m));
  acceleration_left(m, d);
}

void project_acceleration(const ali3_model *m, ali3_data *d)
{
  STAGE_BODIES(m, d, body_acceleration_free, 60.0 * m->bodies);
  acceleration_pass(m, d);
}

void project_balance(const ali3_model *m, ali3_data *d)
{
  soft_end_loads(m, d);
  STAGE_LINKS(m, d, link_rest_lambda, rows_cost(m));
  stage_loads(m, d);
  STAGE_BODIES(m, d, body_balance, 250.0 * m->bodies);
  acceleration_pass(m, d);
}

void project_left(const ali3_model *m, ali3_data *d)
{
  STAGE_BODIES(m, d, body_velocity_whole, 60.0 * m->bodies);
  velocity_left(m, d);
  STAGE_BODIES(m, d, body_acceleration_whole, 60.0 * m->bodies);
  STAGE_LINKS(m, d, link_acceleration_beta, 3.0 * rows_cost(m)); /* for bias */
  acceleration_left(m, d);
}

/* The change w - delta J'z of the accelerations is that of a load h z: what the integrator's multipliers, which are of
 * first order, lack to those of the equations of motion. */
void project_reactions(const ali3_model *m, ali3_data *d, const double *lambda)
{
  const struct frozen *f = m->frozen;
  f->kernels[1]->norms->along(d->now.reaction, lambda, d->rule.h, d->z, f->rigid);
  for (int i = f->rigid; i < f->rows; i++) d->now.reaction[i] = d->now.lambda[i];
}

bool project_finite(const ali3_model *m, const ali3_data *d)
{
  const ali3_report *r = &d->report;
  return isfinite(r->position) && isfinite(r->velocity) && isfinite(r->acceleration) &&
         isfinite(norm_sum(m, d->now.reaction)) &&
         (m->frozen->rows == m->frozen->rigid || isfinite(norm_sum(m, d->Phi)));
}

void project_norms(const ali3_model *m, ali3_data *d)
{
  ali3_report *r = &d->report;
  r->position = norm_largest(m, d->Phi);
  stage_name_worst(m, d, norm_worst_link(m, d->Phi, r->position));
  r->velocity = norm_largest_left(m, d->left[0]);
  r->acceleration = norm_largest_left(m, d->left[1]);
}
