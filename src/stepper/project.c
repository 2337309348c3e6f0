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
  STAGE_LINKS(m, d, link_push_z, rows_cost(m));
  STAGE_BODIES(m, d, body_position_set, bodies_cost(m));
  for (int i = 0; i < m->frozen->tree->slots; i++) largest = fmax(largest, d->increment[i]);
  return largest;
}

static void velocity_pass(const ali3_model *m, ali3_data *d)
{
  STAGE_LINKS(m, d, link_velocity_beta, rows_cost(m));
  stage_solve(m, d);
  STAGE_LINKS(m, d, link_push_z, rows_cost(m));
  STAGE_BODIES(m, d, body_velocity_set, bodies_cost(m));
}

static void velocity_left(const ali3_model *m, ali3_data *d)
{
  stage_rigid_links(m, d, offsetof(struct step_link_kernels, link_velocity_left), rows_cost(m));
}

static void acceleration_left(const ali3_model *m, ali3_data *d)
{
  stage_rigid_links(m, d, offsetof(struct step_link_kernels, link_acceleration_left), rows_cost(m));
}

void project_velocity(const ali3_model *m, ali3_data *d)
{
  STAGE_BODIES(m, d, body_velocity_free, 60.0 * m->bodies);
  velocity_pass(m, d);
  velocity_left(m, d);
}

void project_velocity_twice(const ali3_model *m, ali3_data *d)
{
  STAGE_BODIES(m, d, body_velocity_free, 60.0 * m->bodies);
  velocity_pass(m, d);
  STAGE_BODIES(m, d, body_velocity_again, m->bodies);
  velocity_pass(m, d);
  velocity_left(m, d);
}

void project_acceleration(const ali3_model *m, ali3_data *d)
{
  STAGE_BODIES(m, d, body_acceleration_free, 60.0 * m->bodies);
  STAGE_LINKS(m, d, link_acceleration_beta, 3.0 * rows_cost(m));
  stage_solve(m, d);
  STAGE_LINKS(m, d, link_push_z, rows_cost(m));
  STAGE_BODIES(m, d, body_acceleration_set, bodies_cost(m));
  acceleration_left(m, d);
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
  for (int i = 0; i < f->rigid; i++) d->now.reaction[i] = lambda[i] + d->rule.h * d->z[i];
  for (int i = f->rigid; i < f->rows; i++) d->now.reaction[i] = d->now.lambda[i];
}

/* NaN if a row is no number. */
static double largest_rigid(const ali3_model *m, const double *row)
{
  enum { APART = 4 }; /* sums and comparisons that do not wait for each other */
  double largest[APART] = {0.0}, sum[APART] = {0.0}, rest = 0.0;
  int i = 0, rows = m->frozen->rigid;
  for (; i + APART <= rows; i += APART)
    for (int k = 0; k < APART; k++) {
      double own = fabs(row[i + k]);
      largest[k] = own > largest[k] ? own : largest[k];
      sum[k] += own;
    }
  for (; i < rows; i++) {
    rest = fmax(rest, fabs(row[i]));
    sum[0] += fabs(row[i]);
  }
  if (isnan(sum[0] + sum[1] + sum[2] + sum[3])) return NAN;
  return fmax(fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3])), rest);
}

/* The first of the model that has the largest row, or one that is no number; -1: all are 0. */
static int worst_link(const ali3_model *m, const double *row, double largest)
{
  const struct tree *t = m->frozen->tree;
  int worst = m->frozen->links;
  for (int i = 0; largest != 0.0 && i < t->rigid_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->joint_tile[i]];
    for (int k = 0; k < tile->rows; k++)
      for (int lane = 0; lane < tile->width; lane++) {
        double own = fabs(row[tile->at + k * tile->width + lane]);
        if ((own == largest || isnan(own)) && stored_item(t, tile, lane) < worst)
          worst = stored_item(t, tile, lane);
      }
  }
  return worst < m->frozen->links ? worst : -1;
}

void project_norms(const ali3_model *m, ali3_data *d)
{
  ali3_report *r = &d->report;
  r->position = largest_rigid(m, d->Phi);
  stage_name_worst(m, d, worst_link(m, d->Phi, r->position));
  r->velocity = largest_rigid(m, d->left[0]);
  r->acceleration = largest_rigid(m, d->left[1]);
}
