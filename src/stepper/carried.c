/* SPDX-License-Identifier: MIT
 * Set-up for bodies without mass (paper 4): their velocity is no initial value but what dampers make of the forces at
 * the start, and something has to hold them. */
#include "stepper/stepper.h"

#include <math.h>
#include <string.h>

enum { PASSES = 8 };
/* Time over which the velocities come about, as a part of the step: the springs then count little beside the
 * dampers, and still hold what has none. */
static const double AT_ONCE = 1e-6;
static const double ANY_SPEED = 1e6; /* m/s, rad/s: a spring out of balance, without a damper */

void carried_report(const ali3_model *m, ali3_data *d)
{
  int node = atomic_load_explicit(&d->failed_node, memory_order_relaxed);
  d->report.worst_body = -1;
  for (int y = 0; y < BODY_Y - 1; y++) d->report.free_direction[y] = 0.0;
  if (node < 0) return;
  const struct tree *t = m->frozen->tree;
  const struct tree_node *n = &t->node[node];
  if (n->kind != TREE_HUB || t->carried_at[n->index] < 0) return;
  double o[BODY_Y], turn[3];
  const struct tree_matrix matrix = {.J = d->Jf, .delta = d->delta, .stride = sizeof *d->delta, .c = d->c};
  tree_weak_direction(t, &d->work, &matrix, node, o);
  m3_mul(turn, d->frame[n->index].R, o + 3);
  d->report.worst_body = n->index;
  v3_copy(d->report.free_direction, o);
  v3_copy(d->report.free_direction + 3, turn);
}

/* g = Q - J'lambda of a body, in body coordinates, without acceleration */
static void balance(const ali3_model *m, const ali3_data *d, int b, double g[BODY_Y])
{
  double f[BODY_Y];
  struct body_load load;
  struct body_state still = d->now.x[b];
  memset(still.rdd, 0, sizeof still.rdd + sizeof still.pdd);
  stage_load(m, d, b, &load);
  body_residual(&m->body[b], &still, &d->frame[b], m->gravity, &load, 0.0, g);
  stage_gather(m, d->J, b, d->now.lambda, f);
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]);
  g[BODY_Y - 1] = 0.0;
}

/* A step of the implicit Euler rule over no time to speak of, tau: (M/tau + J'(c + k tau) J) dv = Q - J'lambda,
 * of which the carried bodies take their part. The other bodies would move by tau q''. */
bool carried_velocities(const ali3_model *m, ali3_data *d)
{
  double dt = d->rule.dt, tau = AT_ONCE * dt, v_d = d->rule.v_d, change = 1.0;
  const struct frozen *f = m->frozen;
  inner_step_length(m, d, dt * sqrt(tau / d->rule.h)); /* h = tau */
  bool ok = true;
  for (int pass = 0; ok && pass < PASSES && change > 1e-12; pass++) {
    d->rule.v_d = 1.0 / tau;
    penalty_open(m, d);
    for (int row = f->rigid; row < f->rows; row++) {
      d->now.lambda[row] = d->law[row];
      if (d->c[row] < LAW_OPEN) d->c[row] /= tau;
    }
    ok = stage_condense(m, d);
    for (int b = 0; b < m->bodies; b++) {
      double g[BODY_Y];
      balance(m, d, b, g);
      memset(d->w[b], 0, sizeof d->w[b]);
      memset(d->pull[b], 0, sizeof d->pull[b]);
      if (stage_carried(m, b))
        memcpy(d->pull[b], g, sizeof g);
      else
        body_apply_delta(&d->delta[b], g, d->w[b]);
    }
    for (int i = 0; i < f->links; i++)
      for (int k = 0; k < f->link[i].count; k++)
        d->beta[f->link[i].first + k] = stage_jw(d, d->J, &f->link[i], k);
    if (ok) stage_solve(m, d);
    for (int row = 0; ok && row < f->rigid; row++) d->now.lambda[row] += d->z[row];
    change = 0.0;
    for (int b = 0; ok && b < m->bodies; b++) {
      double y[BODY_Y], dv[BODY_Y];
      if (!stage_carried(m, b)) continue;
      stage_corrected(m, d, b, dv);
      body_velocity(&d->now.x[b], y);
      for (int k = 0; k < BODY_Y - 1; k++) {
        if (fabs(dv[k]) < ANY_SPEED) y[k] += dv[k];
        change = fmax(change, fabs(dv[k]));
      }
      body_set_velocity(&d->now.x[b], &d->frame[b], y);
    }
  }
  if (!ok) carried_report(m, d);
  inner_step_length(m, d, dt);
  d->rule.v_d = v_d;
  memset(d->pull, 0, (size_t)m->bodies * sizeof *d->pull);
  for (int row = 0; row < f->rows; row++) d->now.lambda[row] = 0.0;
  return ok;
}
