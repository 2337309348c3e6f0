/* SPDX-License-Identifier: MIT
 * Set-up: whether an explicit method is stable with the soft rows of a mechanism, at its steepest laws. One row is a mode of
 * its own, with the mobility of its coordinate that the joints leave. Rows that act on the same bodies are stiffer together
 * than each of them; the factor is found by power iteration. */
#include "assembly/assembly.h"
#include "dynamics/laws.h"
#include "dynamics/region.h"
#include "kernels/elements.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

/* Steepest slopes of a law: N/m and N s/m, or N m/rad and N m s/rad. The friction of a contact depends on its normal force,
 * and is judged while it acts. */
static struct mode steepest_slopes(const struct law *law, const struct rule *rule)
{
  const double k = penalty_stiffness(law, rule, true), both = penalty_stiffness(law, rule, false);
  if (law->kind == LAW_FRICTION) return (struct mode){0.0, law->friction / law->slip + law->damping};
  return (struct mode){k, fmax(both - k, 0.0) / rule->v_d};
}

static struct mode scale_slopes(struct mode slopes, double by)
{
  return (struct mode){slopes.stiffness * by, slopes.damping * by};
}

/* y of all bodies, into w, if the soft rows have the multipliers in solve.z and the rigid rows hold. */
static void respond_to_forces(const ali3_model *m, ali3_data *d)
{
  /* free bodies */
  stage_links(m, d, KERNEL_link_push_z);
  for (int b = 0; b < m->bodies; b++) {
    const struct body_delta delta = stored_delta(m, d, b);
    double f[BODY_Y], w[BODY_Y];
    body_end_loads(m, d, b, f);
    body_apply_delta(&delta, f, w);
    stored_set(m, d->solve.w, BODY_Y, b, w);
  }
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) d->solve.beta[stored_row(j, k)] = link_jw(m, d, d->here.J, j, k);
  }
  /* what the rigid rows leave of it */
  stage_solve(m, d);
  stage_links(m, d, KERNEL_link_push_z);
  for (int b = 0; b < m->bodies; b++) {
    double w[BODY_Y];
    penalty_corrected(m, d, b, w);
    stored_set(m, d->solve.w, BODY_Y, b, w);
  }
}

/* Largest eigenvalue of slope times mobility of all soft rows, 1/s^2 or 1/s. slope: (rows) of stiffness, or of damping. */
static double largest_together(const ali3_model *m, ali3_data *d, const double *slope)
{
  enum { ROUNDS = 40 };
  const struct frozen *f = m->frozen;
  double *force = d->soft.lambda_seen, size = 0.0;
  for (int row = f->rigid; row < f->rows; row++) force[row] = slope[row] * (1.0 + 0.3 * sin(7.0 * row));
  for (int round = 0; round < ROUNDS; round++) {
    memset(d->solve.z, 0, (size_t)f->tree->unknowns * sizeof *d->solve.z);
    memcpy(d->solve.z + f->rigid, force + f->rigid, (size_t)(f->rows - f->rigid) * sizeof *force);
    respond_to_forces(m, d);
    /* force = slope J y, and its growth */
    double before = 0.0, after = 0.0;
    for (int i = f->rigid_links; i < f->links; i++) {
      const struct joint_rows *j = &f->link[i];
      for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
        before += force[row] * force[row];
        force[row] = slope[row] * link_jw(m, d, d->here.J, j, k);
        after += force[row] * force[row];
      }
    }
    if (!(before > 0.0)) return 0.0;
    size = sqrt(after / before);
    for (int row = f->rigid; row < f->rows && after > 0.0; row++) force[row] /= sqrt(after);
  }
  return size / d->rule.h;
}

/* soft.mobility of every row, and the slopes. Returns the largest mode of a row single: of stiffness and of damping. */
static struct mode find_alone(const ali3_model *m, ali3_data *d, double *stiffness, double *damping)
{
  double work = 0.0;
  struct mode most = {0.0, 0.0};
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
      const struct mode slopes = steepest_slopes(&j->law[k], &d->rule);
      stiffness[row] = slopes.stiffness;
      damping[row] = slopes.damping;
      d->soft.mobility[row] = penalty_row_mobility(m, d, j, k, &work) / d->rule.h;
      most.stiffness = fmax(most.stiffness, slopes.stiffness * d->soft.mobility[row]);
      most.damping = fmax(most.damping, slopes.damping * d->soft.mobility[row]);
    }
  }
  return most;
}

/* The row that needs the shortest step. */
static bool judge_rows(const ali3_model *m, ali3_data *d)
{
  ali3_report *r = &d->report;
  r->longest_step = INFINITY;
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
      const struct mode mode = scale_slopes(steepest_slopes(&j->law[k], &d->rule), d->soft.mobility[row]);
      const double longest = region_longest_step(m->options.method, mode);
      if (longest >= r->longest_step) continue;
      r->longest_step = longest;
      r->worst_force = m->frozen->force_of[i - m->joints];
    }
  }
  return d->rule.dt <= r->longest_step;
}

bool stability_judge(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  double *stiffness = d->soft.Phi_last, *damping = d->soft.rate_last;
  if (!data_is_explicit(m) || f->rows == f->rigid) return true;
  const struct mode single = find_alone(m, d, stiffness, damping);
  double together = 1.0;
  if (single.stiffness > 0.0) together = fmax(together, largest_together(m, d, stiffness) / single.stiffness);
  if (single.damping > 0.0) together = fmax(together, largest_together(m, d, damping) / single.damping);
  for (int row = f->rigid; row < f->rows; row++) d->soft.mobility[row] *= together;
  if (judge_rows(m, d)) {
    d->report.worst_force = -1;
    d->report.longest_step = 0.0;
    return true;
  }
  return false;
}
