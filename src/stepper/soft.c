/* SPDX-License-Identifier: MIT
 * Loop code: rows that give way. What their laws ask for in an iteration, and what becomes of it at the end of the
 * step. */
#include "math/vec3.h"
#include "stepper/stepper.h"

#include <math.h>

/* Of a multiplier over the inner step. */
static double mean_of(const ali3_model *m, const ali3_data *d, int row)
{
  return d->last.lambda[row] + m->options.gamma * (d->now.lambda[row] - d->last.lambda[row]);
}

/* What a law asks of the multiplier at the end of the step. The formulas of the step take of every load (1 - gamma) as at
 * its start, F0, and gamma as at its end. For laws that jump that is wrong: a body that friction holds would be
 * pushed by what held it a step ago, and slide to and fro; one that has left a stop would still be thrown.
 * They have a mean F over the step of their own, and the multiplier that brings it about:
 *
 *   F = (1 - gamma) F0 + gamma lambda    <=>    lambda = F0 + (F - F0)/gamma
 *
 * (soft_settle() puts it back to the force at the end). Friction is the one at the end all through, as in the
 * implicit Euler rule. A one-sided row too stiff for the step is left as it is: velocities and accelerations
 * are projected on it, as on a rigid one, so that nothing is thrown. */
static double ask(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k,
                  const double *rate, double *slope)
{
  const struct law *law = &j->law[k];
  int row = j->first + k;
  double v_d = d->rule.v_d, gamma = m->options.gamma, F0 = d->last.lambda[row], F, end, end_slope;
  switch (law->kind) {
  case LAW_LIMITS:
    end = law_force(law, d->Phi[row], rate[k], v_d, &end_slope);
    *slope = end_slope;
    if (d->stiff[row]) return end;
    F = law_mean(law, d->Phi_last[row], F0, d->Phi[row], rate[k], v_d, slope);
    F += (gamma - 0.5) * (end - F0);
    *slope += (gamma - 0.5) * end_slope;
    break;
  case LAW_SLIP:
    F = law_slip(law, rate[k], rate[k == 1 ? 2 : 1], fmax(0.0, -mean_of(m, d, j->first)), v_d, slope);
    break;
  default:
    F = law_force(law, d->Phi[row], rate[k], v_d, slope);
    if (!law_jumps(law)) return F;
  }
  *slope /= gamma;
  return F0 + (F - F0) / gamma;
}

static void link_laws(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  double rate[ROWS_MAX], slope = 0.0;
  struct joint_view v;
  stage_view(d, j, &v);
  rows_rate(j, &v, stage_block(j, d->J), rate);
  for (int k = 0, row = j->first; k < j->count; k++, row++) {
    if (j->law[k].kind == LAW_VALUE)
      d->law[row] = -d->value[m->frozen->force_of[link - m->joints]];
    else
      d->law[row] = ask(m, d, j, k, rate, &slope);
    d->c[row] = slope > 0.0 ? 1.0 / slope : LAW_OPEN;
    d->held[row] = d->stiff[row] && slope > 0.0;
  }
}

void soft_laws(const ali3_model *m, ali3_data *d)
{
  stage_each(m, d, link_laws, m->frozen->rigid_links, m->frozen->links,
             100.0 * (m->frozen->rows - m->frozen->rigid));
}

/* The forces of laws that jump, from their means over the step to what they are at its end. */
static void link_settle(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  double rate[ROWS_MAX], slope;
  struct joint_view v;
  stage_view(d, j, &v);
  rows_rate(j, &v, stage_block(j, d->J), rate);
  for (int k = 0, row = j->first; k < j->count; k++, row++) {
    const struct law *law = &j->law[k];
    double lambda = d->now.lambda[row], end = lambda;
    if (law_jumps(law)) {
      d->mean[row] = mean_of(m, d, row);
      if (law->kind != LAW_LIMITS)
        end = d->mean[row];
      else if (!d->stiff[row])
        end = law_force(law, d->Phi[row], rate[k], d->rule.v_d, &slope);
    }
    d->z[row] = lambda - end;
    d->now.lambda[row] = end;
  }
}

/* q'' += M^-1 J'z, z what the multipliers of the soft rows lost */
static void body_settle(const ali3_model *m, ali3_data *d, int body)
{
  const struct frozen *f = m->frozen;
  double load[BODY_Y] = {0}, change[BODY_Y], y[BODY_Y];
  if (stage_carried(m, body)) return;
  for (int e = f->end_first[body]; e < f->end_first[body + 1]; e++) {
    const struct joint_rows *j = &f->link[f->end[e] / ROWS_SIDES];
    if (j->soft) stage_add_end(j, f->end[e] % ROWS_SIDES, d->J, d->z + j->first, load);
  }
  body_apply_delta(&d->delta[body], load, change);
  body_acceleration(&d->now.x[body], y);
  for (int k = 0; k < BODY_Y - 1; k++) y[k] += change[k] / d->rule.h;
  body_set_acceleration(&d->now.x[body], &d->frame[body], y);
}

void soft_settle(const ali3_model *m, ali3_data *d)
{
  if (!m->frozen->jumps) return;
  stage_each(m, d, link_settle, m->frozen->rigid_links, m->frozen->links,
             100.0 * (m->frozen->rows - m->frozen->rigid));
  stage_each(m, d, body_settle, 0, m->bodies, 150.0 * m->bodies);
}

void soft_hold(const ali3_model *m, ali3_data *d)
{
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0, row = j->first; k < j->count; k++, row++)
      if (d->held[row] && law_jumps(&j->law[k])) d->now.lambda[row] += d->rule.h * d->z[row];
  }
}
