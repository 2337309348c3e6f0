/* SPDX-License-Identifier: MIT
 * Loop code: the step that users see, composed of inner steps.
 *
 *   plain              one inner step over dt
 *   substeps n         n inner steps over dt/n; values from outside are held, or change linearly
 *   extrapolated       each of these as one, two and three inner steps from one start, combined: extrapolate.c
 *   rk4, dp5, ab4, abm8  each inner step by an explicit method: explicit.c
 *
 * The state at the start of the step is kept until the end, so that a failed step does not change the data. */
#include "stepper/elements.h"
#include "stepper/explicit.h"
#include "stepper/extrapolate.h"
#include "stepper/inner.h"
#include "stepper/project.h"
#include "stepper/stage.h"
#include "stepper/violation.h"

#include <math.h>
#include <string.h>

static void state_restore(const ali3_model *m, ali3_data *d, const struct state *to)
{
  state_copy(m, &d->now, to);
  stage_bodies(m, d, KERNEL_body_frame);
}

static double inner_dt(const ali3_model *m)
{
  return m->options.dt / m->options.substeps;
}

static void blend_values(double *o, const double *from, const double *to, size_t n, double part)
{
  for (size_t i = 0; i < n; i++) o[i] = from[i] + part * (to[i] - from[i]);
}

/* Values from outside at the end of a substep, at `part` of the step. At 1 they are exactly the values that were set. */
static void set_outside(const ali3_model *m, ali3_data *d, double part)
{
  const struct outside_values *a = &d->outside.start, *b = &d->outside.end;
  if (part == 1.0) a = b;
  data_refresh(d);
  blend_values(d->outside.now.wrench, a->wrench, b->wrench, WRENCH_NUMBERS * (size_t)m->frozen->tree->slots,
               part);
  blend_values(*d->outside.now.vector, *a->vector, *b->vector, 3 * (size_t)m->loads, part);
  blend_values(d->outside.now.command, a->command, b->command, (size_t)m->forces, part);
}

/* Clears arrays that may contain NaN and that the next step does not overwrite completely before it reads them. */
static void clear_solve(const ali3_model *m, ali3_data *d)
{
  memset(d->solve.beta, 0, (size_t)m->frozen->tree->unknowns * sizeof *d->solve.beta);
  if (d->solve.carried_rhs)
    memset(d->solve.carried_rhs, 0, (size_t)(m->frozen->tree->slots * BODY_Y) * sizeof *d->solve.carried_rhs);
}

/* Restores the state at the start of the step, and clears all NaN. */
static void restore_start(const ali3_model *m, ali3_data *d, const struct state *good)
{
  state_restore(m, d, good);
  clear_solve(m, d);
  for (int i = 0; i < 2 && d->twin[i]; i++) clear_solve(m, d->twin[i]);
  memcpy(d->turn, d->turn_start, (size_t)m->joints * sizeof *d->turn);
}

/* The state at the start of the step. */
static const struct state *state_before(const ali3_model *m, const ali3_data *d)
{
  return m->options.substeps > 1 ? &d->start : d->twin[0] ? &d->twin[0]->last : &d->last;
}

static int give_up(const ali3_model *m, ali3_data *d, int status)
{
  const ali3_data *of = extrapolate_failed(d);
  int tile = atomic_load_explicit(&of->solve.failed_group, memory_order_relaxed);
  if (status == ALI3_E_SINGULAR && tile >= 0) {
    bool is_body;
    int worst = tree_failed(m->frozen->tree, &of->solve.work, tile, &is_body);
    link_name_worst(m, &d->report, is_body ? -1 : worst);
    d->report.worst_body = is_body ? worst : -1;
  }
  if (d->prepared && data_interpolates(m)) set_outside(m, d, 1.0);
  if (data_is_explicit(m)) explicit_leave(d);
  const struct state *good = state_before(m, d);
  if (m->frozen->drives > 0) {
    inner_aim(m, d, m->options.dt, false);
    restore_start(m, d, good);
    violation_blame(m, d);
  }
  restore_start(m, d, good);
  for (int i = 0; i < m->frozen->drives; i++) {
    if (!isfinite(d->outside.from[i].acceleration))
      d->outside.from[i].acceleration = 0.0; /* the target was not a number */
    d->outside.aim[i] = d->outside.from[i];
  }
  if (data_is_explicit(m)) explicit_restore(m, d);
  stage_rows(m, d);
  violation_locate(m, d);
  d->prepared = false;
  data_refresh(d);
  data_mark_phase(d, ALI3_PHASE_IDLE);
  return d->report.status = status;
}

/* The rows as the last step left them. Evaluated again, rows on sliding contacts would have other directions, and rows on joint
 * angles would round differently. */
static void keep_rows(const ali3_model *m, ali3_data *d, bool back)
{
  if (back)
    memcpy(d->solve.Phi, d->Phi_start, (size_t)m->frozen->rows * sizeof *d->Phi_start);
  else
    memcpy(d->Phi_start, d->solve.Phi, (size_t)m->frozen->rows * sizeof *d->Phi_start);
  for (int i = m->frozen->rigid_links; i < m->frozen->links && m->frozen->rolling > 0; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (j->rolling < 0) continue;
    double *saved = d->J_start + (ptrdiff_t)j->rolling * STORED_J;
    for (int n = 0; n < j->count * j->sides * BODY_Y; n++) {
      double *J = &d->here.J[j->jacobian + (size_t)(n * j->stride)];
      if (back)
        *J = saved[n];
      else
        saved[n] = *J;
    }
  }
}

void ali3_unprepare(const ali3_model *m, ali3_data *d)
{
  if (!m || !d || !d->prepared) return;
  if (data_is_explicit(m)) {
    explicit_unprepare(d);
  } else {
    restore_start(m, d, state_before(m, d));
    for (int i = 0; i < m->frozen->drives; i++) d->outside.aim[i] = d->outside.from[i];
    stage_rows(m, d);
  }
  keep_rows(m, d, true);
  d->prepared = false;
  data_mark_phase(d, ALI3_PHASE_IDLE);
}

int ali3_prepare(const ali3_model *m, ali3_data *d)
{
  if (!d->started) { /* the report keeps the reason of the failed reset */
    if (d->report.status >= 0) d->report.status = ALI3_E_ARGUMENT;
    return ALI3_E_ARGUMENT;
  }
  if (d->prepared) return ALI3_OK;
  violation_none(&d->violation);
  keep_rows(m, d, false);
  memcpy(d->turn_start, d->turn, (size_t)m->joints * sizeof *d->turn);
  data_mark_phase(d, ALI3_PHASE_PREDICT);
  if (m->options.substeps > 1) state_copy(m, &d->start, &d->now);
  int status = ALI3_OK;
  if (d->twin[0]) {
    status = extrapolate_prepare(m, d);
  } else if (data_is_explicit(m)) {
    if (!explicit_prepare(m, d)) status = ALI3_E_SINGULAR;
  } else {
    inner_aim(m, d, inner_dt(m), false);
    if (!inner_prepare(m, d, true)) status = ALI3_E_SINGULAR;
  }
  if (status < 0) return give_up(m, d, status);
  d->prepared = true;
  data_mark_phase(d, ALI3_PHASE_IDLE);
  return ALI3_OK;
}

static int explicit_inner(const ali3_model *m, ali3_data *d, int k, double *increment)
{
  if (data_interpolates(m)) set_outside(m, d, (double)(k + 1) / m->options.substeps);
  d->intermediate = k + 1 < m->options.substeps;
  const int status = explicit_step(m, d, inner_dt(m) * k, k == 0, increment);
  d->intermediate = false;
  return status;
}

/* Inner step k of a step, with the values from outside at its end. Status and increment are those of inner_iterate(). */
static int inner_step(const ali3_model *m, ali3_data *d, int k, double *increment)
{
  int status;
  if (data_is_explicit(m)) return explicit_inner(m, d, k, increment);
  if (!d->twin[0]) inner_aim(m, d, inner_dt(m) * (k + 1), k == 0);
  if (d->twin[0] && k == 0) extrapolate_aim(m, d);
  if (data_interpolates(m)) set_outside(m, d, (double)(k + 1) / m->options.substeps);
  if (d->twin[0]) return extrapolate_step(m, d, inner_dt(m) * k, k == 0, increment);
  if (k > 0 && !inner_prepare(m, d, false)) return ALI3_E_SINGULAR;
  d->intermediate = k + 1 < m->options.substeps;
  *increment = inner_iterate(m, d, &status);
  d->intermediate = false;
  return status;
}

int ali3_feedback(const ali3_model *m, ali3_data *d)
{
  int result = ALI3_OK;
  double largest = 0.0;
  d->turned = (struct turned){0.0, -1, -1};
  bool interpolates = data_interpolates(m);
  if (!d->prepared) return ALI3_E_ARGUMENT;
  data_mark_phase(d, ALI3_PHASE_ROWS); /* Phi contains the targets of the drives */
  if (interpolates) outside_values_copy(m, &d->outside.end, &d->outside.now);
  for (int k = 0; k < m->options.substeps; k++) {
    double increment = 0.0;
    result = status_worse(result, inner_step(m, d, k, &increment));
    if (result < 0) return give_up(m, d, result);
    inner_turns_end(m, d);
    if (inner_is_quick(d)) rotation_judge(m, d);
    largest = fmax(largest, increment);
  }
  project_norms(m, d);
  d->report.increment = largest;
  if (!project_finite(m, d)) return give_up(m, d, ALI3_E_DIVERGED);
  const int open = violation_judge(m, d);
  result = status_worse(result, open != ALI3_OK ? open : rotation_status(d));
  if (result < 0) return give_up(m, d, result);
  if (interpolates || d->outside.changed) outside_values_copy(m, &d->outside.start, &d->outside.now);
  d->outside.changed = false;
  links_roll(m, d);
  for (int i = 0; i < m->frozen->drives; i++) d->outside.from[i] = d->outside.aim[i];
  d->prepared = false;
  d->report.step++;
  d->report.time = (double)d->report.step * m->options.dt;
  data_mark_phase(d, ALI3_PHASE_IDLE);
  return d->report.status = result;
}

int ali3_step(const ali3_model *m, ali3_data *d)
{
  int status = ali3_prepare(m, d);
  return status < 0 ? status : ali3_feedback(m, d);
}
