/* SPDX-License-Identifier: MIT
 * Set-up of what a step divides by: delta of every body, the compliance of every row. */
#include "stepper/stepper.h"

#include <math.h>
#include <string.h>

/* A one-sided row that the step cannot follow as it swings: dt^2/4 k (J M^-1 J') above 1, less than three steps
 * a period. entry: of J delta J'. */
static bool too_stiff(const struct law *law, const struct rule *rule, double entry)
{
  return law->kind == LAW_LIMITS && entry * (law->stiffness + rule->v_d * law->damping) > 1.0;
}

/* A body of the middle of the others, to stand for one that has no mass of its own. */
static void typical(const ali3_model *m, double *mass, double *moment)
{
  int n = 0;
  *mass = *moment = 0.0;
  for (int b = 0; b < m->bodies; b++) {
    const struct body *body = &m->body[b];
    if (m->frozen->carried[b]) continue;
    *mass += log(body->mass);
    *moment += log((body->inertia[0] + body->inertia[4] + body->inertia[8]) / 3.0);
    n++;
  }
  *mass = n ? exp(*mass / n) : 1.0;
  *moment = n ? exp(*moment / n) : 1.0;
}

static void set_bodies(const ali3_model *m, ali3_data *d, double alpha, double typical_moment)
{
  double h = d->rule.h;
  for (int b = 0; b < m->bodies; b++) {
    const struct body *body = &m->body[b];
    struct body_delta *delta = &d->delta[b];
    bool carried = stage_carried(m, b);
    double moment = carried ? typical_moment : (body->inertia[0] + body->inertia[4] + body->inertia[8]) / 3.0;
    delta->r = carried ? body->mass / h : h / body->mass;
    for (int i = 0; i < 9; i++) delta->th[i] = carried ? body->inertia[i] / h : h * body->inertia_inverse[i];
    delta->alpha = alpha > 0.0 ? alpha : moment / (h * m->options.compliance);
    delta->n = carried ? 4.0 * delta->alpha : 0.25 / delta->alpha;
  }
}

/* J delta J' of a row, over the bodies that have a delta; between others alone, that of a typical one. */
static double entry_of(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int row,
                       double mass)
{
  const double *J = stage_block(j, d->J) + BODY_Y * j->sides * row;
  double entry = 0.0, square = 0.0;
  for (int side = 0; side < j->sides; side++, J += BODY_Y) {
    double dJ[BODY_Y];
    if (j->body[side] == ALI3_GROUND) continue;
    for (int y = 0; y < BODY_Y - 1; y++) square += J[y] * J[y];
    if (stage_carried(m, j->body[side])) continue;
    body_apply_delta(&d->delta[j->body[side]], J, dJ);
    for (int y = 0; y < BODY_Y; y++) entry += J[y] * dJ[y];
  }
  return entry > 0.0 ? entry : d->rule.h * square / mass;
}

void penalty_set(const ali3_model *m, ali3_data *d, double alpha)
{
  double mass, moment;
  typical(m, &mass, &moment);
  set_bodies(m, d, alpha, moment);
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0, row = j->first; k < j->count; k++, row++) {
      double entry = entry_of(m, d, j, k, mass);
      if (j->soft)
        d->stiff[row] = too_stiff(&j->law[k], &d->rule, entry);
      else
        d->c[row] = alpha > 0.0 ? 1.0 / alpha : m->options.compliance * entry;
    }
  }
  penalty_open(m, d);
}

void penalty_open(const ali3_model *m, ali3_data *d)
{
  memcpy(d->Phi_last, d->Phi, (size_t)m->frozen->rows * sizeof *d->Phi);
  soft_laws(m, d);
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    bool holds = false;
    for (int side = 0; side < j->sides; side++)
      holds |= j->body[side] != ALI3_GROUND && stage_carried(m, j->body[side]);
    for (int row = j->first; row < j->first + j->count; row++) {
      d->held[row] = false;
      if (!holds) d->c[row] = LAW_OPEN;
    }
  }
}
