/* SPDX-License-Identifier: MIT
 * Loop code: the projections of positions, velocities and accelerations onto the constraints, each the
 * smallest change in the norm of the mass matrix, and the norms of what is left.
 *
 * All three have one shape: a free value w per body, S z = beta, the new value w - delta J'z. */
#include "math/euler.h"
#include "stepper/stepper.h"

#include <math.h>

static double bodies_cost(const ali3_model *m)
{
  return 80.0 * m->bodies + 28.0 * m->frozen->rows;
}
static double rows_cost(const ali3_model *m)
{
  return 28.0 * m->frozen->rows;
}

/* A soft row resists the correction, not the motion: J (w - y), and w differs from y = y' or y'' in n alone.
 * second: y = y''. */
static double soft_correction(const ali3_data *d, const struct joint_rows *j, const struct joint_view *v,
                              int k, bool second)
{
  const double *J = stage_block(j, d->J) + BODY_Y * j->sides * k;
  double sum = 0.0;
  for (int side = 0; side < j->sides; side++) {
    const struct body_state *x = v->x[side];
    if (j->body[side] == ALI3_GROUND) continue;
    sum += J[BODY_Y * side + 6] * (d->w[j->body[side]][6] - p_dot(x->p, second ? x->pdd : x->pd));
  }
  return sum;
}

/* Positions: Phi_q dq = -Phi and Psi_q dq = -Psi, nothing else: w = (0, 0, -Psi/2). */
static void body_position_free(const ali3_model *m, ali3_data *d, int b)
{
  (void)m;
  for (int y = 0; y < BODY_Y; y++) d->w[b][y] = 0.0;
  d->w[b][6] = -0.5 * (d->frame[b].s - 1.0);
}

static void link_position_beta(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  for (int k = 0; k < j->count; k++)
    d->beta[j->first + k] = stage_jw(d, d->Jf, j, k) + (j->soft ? 0.0 : d->Phi[j->first + k]);
}

static void body_position_set(const ali3_model *m, ali3_data *d, int b)
{
  double y[BODY_Y];
  stage_corrected(m, d, b, y);
  d->increment[b] = 0.0;
  for (int k = 0; k < BODY_Y; k++) d->increment[b] = fmax(d->increment[b], fabs(y[k]));
  body_move(&d->now.x[b], &d->frame[b], y);
  body_frame_update(&d->frame[b], &d->now.x[b]);
}

double project_position(const ali3_model *m, ali3_data *d)
{
  double largest = 0.0;
  stage_each(m, d, body_position_free, 0, m->bodies, 10.0 * m->bodies);
  stage_each(m, d, link_position_beta, 0, m->frozen->links, rows_cost(m));
  stage_solve(m, d);
  stage_each(m, d, body_position_set, 0, m->bodies, bodies_cost(m));
  for (int b = 0; b < m->bodies; b++) largest = fmax(largest, d->increment[b]);
  return largest;
}

/* Velocities, (40-54): w_v = M^^^-1 M^ q'* = (r', w, 0). */
static void body_velocity_free(const ali3_model *m, ali3_data *d, int b)
{
  (void)m;
  body_velocity(&d->now.x[b], d->w[b]);
  d->w[b][6] = 0.0;
}

/* A rigid row asks for J y' = 0, or the rate at which a drive aims; a held one has a rate of its own. */
static double wanted_rate(const ali3_data *d, const struct joint_rows *j, int k)
{
  if (j->drive >= 0) return d->aim[j->drive].rate;
  return j->soft ? d->hold[j->first + k] : 0.0;
}

static void link_velocity_beta(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  struct joint_view v;
  stage_view(d, j, &v);
  for (int k = 0, row = j->first; k < j->count; k++, row++) {
    if (j->soft && !d->held[row])
      d->beta[row] = soft_correction(d, j, &v, k, false);
    else
      d->beta[row] = stage_jw(d, d->J, j, k) - wanted_rate(d, j, k);
  }
}

static void body_velocity_set(const ali3_model *m, ali3_data *d, int b)
{
  double y[BODY_Y];
  stage_corrected(m, d, b, y);
  body_set_velocity(&d->now.x[b], &d->frame[b], y);
}

void project_velocity(const ali3_model *m, ali3_data *d)
{
  stage_each(m, d, body_velocity_free, 0, m->bodies, 60.0 * m->bodies);
  stage_each(m, d, link_velocity_beta, 0, m->frozen->links, rows_cost(m));
  stage_solve(m, d);
  stage_each(m, d, body_velocity_set, 0, m->bodies, bodies_cost(m));
}

/* Accelerations, (55-69): w_a = (r'', w', -p'.p'), the last from Psi_q p'' = nu; beta = J w_a - gamma. */
static void body_acceleration_free(const ali3_model *m, ali3_data *d, int b)
{
  (void)m;
  body_acceleration(&d->now.x[b], d->w[b]);
  d->w[b][6] = -p_dot(d->now.x[b].pd, d->now.x[b].pd);
}

static void link_acceleration_beta(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  struct joint_view v;
  double bias[ROWS_MAX];
  stage_view(d, j, &v);
  rows_bias(j, &v, bias);
  for (int k = 0, row = j->first; k < j->count; k++, row++) {
    if (j->soft && !d->held[row])
      d->beta[row] = soft_correction(d, j, &v, k, true);
    else
      d->beta[row] =
          stage_jw(d, d->J, j, k) + bias[k] - (j->drive >= 0 ? d->aim[j->drive].acceleration : 0.0);
  }
}

static void body_acceleration_set(const ali3_model *m, ali3_data *d, int b)
{
  double y[BODY_Y];
  stage_corrected(m, d, b, y);
  body_set_acceleration(&d->now.x[b], &d->frame[b], y);
}

void project_acceleration(const ali3_model *m, ali3_data *d)
{
  stage_each(m, d, body_acceleration_free, 0, m->bodies, 60.0 * m->bodies);
  stage_each(m, d, link_acceleration_beta, 0, m->frozen->links, 3.0 * rows_cost(m));
  stage_solve(m, d);
  stage_each(m, d, body_acceleration_set, 0, m->bodies, bodies_cost(m));
}

/* The change w - delta J'z of the accelerations is that of a load h z: what the integrator's multipliers, which are of
 * first order, lack to those of the equations of motion. */
void project_reactions(const ali3_model *m, ali3_data *d, const double *lambda)
{
  const struct frozen *f = m->frozen;
  for (int i = 0; i < f->rigid; i++) d->now.reaction[i] = lambda[i] + d->rule.h * d->z[i];
  for (int i = f->rigid; i < f->rows; i++) d->now.reaction[i] = d->now.lambda[i];
}

static bool worse(double a, double b)
{
  return !(a <= b) && !isnan(b);
}

/* Maxima over the rigid rows, in their order; NaN is kept. */
void project_norms(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  ali3_report *r = &d->report;
  int worst = -1;
  r->position = r->velocity = r->acceleration = 0.0;
  for (int b = 0; b < m->bodies; b++) body_velocity(&d->now.x[b], d->w[b]);
  for (int i = 0; i < f->rigid_links; i++) {
    const struct joint_rows *j = &f->link[i];
    link_velocity_beta(m, d, i);
    for (int k = 0; k < j->count; k++) {
      double position = fabs(d->Phi[j->first + k]), velocity = fabs(d->beta[j->first + k]);
      if (worse(position, r->position)) {
        r->position = position;
        worst = i;
      }
      if (worse(velocity, r->velocity)) r->velocity = velocity;
    }
  }
  stage_name_worst(m, d, worst);
  for (int b = 0; b < m->bodies; b++) body_acceleration(&d->now.x[b], d->w[b]);
  for (int i = 0; i < f->rigid_links; i++) link_acceleration_beta(m, d, i);
  for (int i = 0; i < f->rigid; i++) {
    double acceleration = fabs(d->beta[i]);
    if (worse(acceleration, r->acceleration)) r->acceleration = acceleration;
  }
}
