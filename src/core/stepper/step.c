/* SPDX-License-Identifier: MIT
 * Loop code: the step that users see, composed of inner steps.
 *
 *   plain              one inner step over dt
 *   substeps n         n inner steps over dt/n; values from outside are held, or change linearly
 *   extrapolated       each of these as one, two and three inner steps from one start, combined: extrapolate.c
 *   rk4, dp5, dp8, ab4, abm8  each inner step by an explicit method: explicit.c
 *   retry n            a step that failed or is degraded once more, each inner step as n inner steps
 *
 * The state at the start of the step is kept until the end, so that a failed step does not change the data. */
#include "base/float_mode.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/explicit.h"
#include "stepper/extrapolate.h"
#include "stepper/inner.h"
#include "stepper/project.h"
#include "stepper/sensor.h"
#include "stepper/stage.h"
#include "stepper/violation.h"

#include <math.h>
#include <string.h>

static double inner_dt(const ali3_model *m, const ali3_data *d)
{
  return m->options.dt / d->substeps;
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

/* The state at the start of the step. */
static const struct state *state_before(const ali3_data *d)
{
  return d->start.x ? &d->start : d->coarse[0] ? &d->coarse[0]->last : &d->last;
}

/* Restores the state at the start of the step, and clears all NaN. Rows and factors still belong to the attempt. */
static void start_restore(const ali3_model *m, ali3_data *d)
{
  state_copy(m, &d->now, state_before(d));
  stage_bodies(m, d, KERNEL_body_frame);
  clear_solve(m, d);
  for (int i = 0; i < 2 && d->coarse[i]; i++) clear_solve(m, d->coarse[i]);
  memcpy(d->turn, d->turn_start, (size_t)m->joints * sizeof *d->turn);
}

/* The rows as the last step left them. Evaluated again, rows on sliding contacts would have other directions, and rows on joint
 * angles would round differently. */
static void start_keep_rows(const ali3_model *m, ali3_data *d, bool back)
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
  if (m->frozen->drives > 0) {
    inner_aim(m, d, m->options.dt, false);
    start_restore(m, d);
    violation_blame(m, d);
  }
  start_restore(m, d);
  d->report.turn = 0.0;
  if (status == ALI3_E_DIVERGED || status == ALI3_E_VIOLATED) rotation_blame(m, d);
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

void ali3_unprepare(const ali3_model *m, ali3_data *d)
{
  if (!m || !d || !d->prepared) return;
  if (data_is_explicit(m)) {
    explicit_unprepare(d);
  } else {
    start_restore(m, d);
    for (int i = 0; i < m->frozen->drives; i++) d->outside.aim[i] = d->outside.from[i];
    stage_rows(m, d);
  }
  start_keep_rows(m, d, true);
  d->prepared = false;
  data_mark_phase(d, ALI3_PHASE_IDLE);
}

static FLOAT_MODE_BODY ali3_status first_half_step(const ali3_model *m, ali3_data *d)
{
  if (!d->started) { /* the report keeps the reason of the failed reset */
    if (d->report.status >= 0) d->report.status = ALI3_E_ARGUMENT;
    return ALI3_E_ARGUMENT;
  }
  if (d->prepared) return ALI3_OK;
  violation_none(&d->violation);
  start_keep_rows(m, d, false);
  memcpy(d->turn_start, d->turn, (size_t)m->joints * sizeof *d->turn);
  data_mark_phase(d, ALI3_PHASE_PREDICT);
  if (d->start.x) state_copy(m, &d->start, &d->now);
  int status = ALI3_OK;
  if (d->coarse[0]) {
    status = extrapolate_prepare(m, d);
  } else if (data_is_explicit(m)) {
    if (!explicit_prepare(m, d)) status = ALI3_E_SINGULAR;
  } else {
    inner_aim(m, d, inner_dt(m, d), false);
    if (!inner_prepare(m, d, true)) status = ALI3_E_SINGULAR;
  }
  d->failed = status;
  if (status < 0 && m->options.retry == 0) return give_up(m, d, status);
  d->prepared = true;
  data_mark_phase(d, ALI3_PHASE_IDLE);
  return ALI3_OK;
}

/* again: the start of the step has been restored, and is not prepared. */
static int explicit_inner(const ali3_model *m, ali3_data *d, int k, bool again, double *increment)
{
  if (again && !explicit_prepare(m, d)) return ALI3_E_SINGULAR;
  if (data_interpolates(m)) set_outside(m, d, (double)(k + 1) / d->substeps);
  d->intermediate = k + 1 < d->substeps;
  const int status = explicit_step(m, d, inner_dt(m, d) * k, k == 0, increment);
  d->intermediate = false;
  return status;
}

/* Inner step k of a step, with the values from outside at its end. Status and increment are those of inner_iterate(). */
static int inner_step(const ali3_model *m, ali3_data *d, int k, bool again, double *increment)
{
  int status;
  const bool prepared = k == 0 && !again;
  if (data_is_explicit(m)) return explicit_inner(m, d, k, again && k == 0, increment);
  if (!d->coarse[0]) inner_aim(m, d, inner_dt(m, d) * (k + 1), k == 0);
  if (d->coarse[0] && k == 0) extrapolate_aim(m, d);
  if (data_interpolates(m)) set_outside(m, d, (double)(k + 1) / d->substeps);
  if (d->coarse[0]) return extrapolate_step(m, d, inner_dt(m, d) * k, prepared, increment);
  if (!prepared && !inner_prepare(m, d, false)) return ALI3_E_SINGULAR;
  d->intermediate = k + 1 < d->substeps;
  *increment = inner_iterate(m, d, &status);
  d->intermediate = false;
  return status;
}

/* Largest acceleration of a body, m/s^2 or 1/s^2. */
static double largest_acceleration(const ali3_model *m, const ali3_data *d)
{
  double largest = 0.0;
  for (int b = 0; b < m->bodies; b++) {
    const struct body_state x = stored_state(m, d->now.x, b);
    double y[BODY_Y];
    body_acceleration(&x, y);
    for (int i = 0; i < 6; i++) largest = fmax(largest, fabs(y[i]));
  }
  return largest;
}

/* Near a singular position reactions follow from accelerations across the constraints, divided by a number that tends to 0. If a
 * step of a mechanism with loops leaves such accelerations, they are solved for the reactions that would remove them. Reactions
 * that such solves change by more than a part of the largest are not determined: the last ones stay for some steps. A small
 * change is no proof if rows are open: redundant rows then contradict each other, and most of the accelerations come from that.
 *   status: of the step, with the verdict on open rows */
static void hold_reactions(const ali3_model *m, ali3_data *d, int status)
{
  static const double SMALL_DEGRADED = 1e-8, /* relative to the accelerations of the mechanism */
      PART = 0.02;
  enum { HELD_MOST = 10 };
  const bool open = status == ALI3_VIOLATED, strictly = status != ALI3_OK || data_is_explicit(m);
  const double least = d->report.acceleration / (strictly ? SMALL_DEGRADED : INNER_SMALL),
               gravity = sqrt(v3_dot(m->gravity, m->gravity));
  bool known = !m->frozen->loops || least <= gravity || least <= norm_largest(m, d->solve.bias) ||
               least <= largest_acceleration(m, d);
  if (!known) {
    const double doubt = data_is_jointed(m) ? jointed_doubt(m, d) : project_doubt(m, d);
    const bool small = doubt <= PART * norm_largest(m, d->now.reaction);
    if (!small && d->report.held < HELD_MOST)
      memcpy(d->now.reaction, state_before(d)->reaction, (size_t)m->frozen->rigid * sizeof *d->now.reaction);
    known = small && !open;
  }
  d->report.held = known ? 0 : d->report.held + 1;
}

/* All inner steps, and the verdict on their end. */
static int do_step(const ali3_model *m, ali3_data *d, bool again)
{
  int result = ALI3_OK;
  double largest = 0.0;
  /* inner steps */
  d->turned = (struct turned){0.0, -1, -1, -1};
  for (int k = 0; k < d->substeps; k++) {
    double increment = 0.0;
    result = status_worse(result, inner_step(m, d, k, again, &increment));
    if (result < 0) return result;
    inner_turns_end(m, d);
    if (inner_is_quick(d)) rotation_judge(m, d);
    largest = fmax(largest, increment);
  }
  /* open rows, reactions and rotations */
  project_norms(m, d);
  d->report.increment = largest;
  if (!project_finite(m, d)) return ALI3_E_DIVERGED;
  const int open = violation_judge(m, d);
  hold_reactions(m, d, open != ALI3_OK ? open : result);
  rotation_judge_elements(m, d, state_before(d)->x);
  return status_worse(result, open != ALI3_OK ? open : rotation_status(d));
}

static void divide_branch(const ali3_model *m, ali3_data *d, double parts)
{
  inner_step_length(m, d, d->rule.dt / parts);
  d->limits.fast2 *= parts * parts;
  d->limits.steady2 *= parts * parts;
  d->limits.quick2 *= parts * parts;
}

/* Inner steps of 1/parts of their length. */
static void divide_length(const ali3_model *m, ali3_data *d, double parts)
{
  for (int i = 0; i < 2 && d->coarse[i]; i++) divide_branch(m, d->coarse[i], parts);
  divide_branch(m, d, parts);
  for (int i = m->frozen->rigid; i < m->frozen->rows; i++) d->soft.mobility[i] /= parts * parts;
}

/* From the end of an attempt to the start of the step, with `parts` inner steps in place of each one. Their number is a power of
 * two, so delta and c return to their bits. */
static void retry_begin(const ali3_model *m, ali3_data *d, int parts)
{
  /* the start of the step */
  if (data_is_explicit(m)) explicit_leave(d);
  start_restore(m, d);
  for (int i = 0; i < m->frozen->drives; i++) d->outside.aim[i] = d->outside.from[i];
  stage_rows(m, d);
  start_keep_rows(m, d, true);
  violation_none(&d->violation);
  data_refresh(d);
  /* its inner steps */
  d->substeps = parts * m->options.substeps;
  divide_length(m, d, parts);
  if (data_is_explicit(m)) {
    d->states.factors = false;
    explicit_restore(m, d);
  }
}

static void retry_end(const ali3_model *m, ali3_data *d)
{
  divide_length(m, d, (double)m->options.substeps / d->substeps);
  d->substeps = m->options.substeps;
  /* factors and starts of shorter steps do not serve */
  d->states.factors = false;
  d->states.history = 0;
}

static bool is_poor(int status)
{
  return status < 0 || status == ALI3_NOT_CONVERGED || status == ALI3_VIOLATED;
}

/* Computes a step once more, with more inner steps. If that fails, a first attempt that was only degraded counts; it is computed
 * again, because only the start of the step is kept. held: report.held at the start of the step. */
static int step_again(const ali3_model *m, ali3_data *d, int first, int held)
{
  d->report.retried = true;
  d->report.held = held;
  retry_begin(m, d, m->options.retry);
  int result = do_step(m, d, true);
  retry_end(m, d);
  if (result >= 0 || first < 0) return result;
  d->report.held = held;
  retry_begin(m, d, 1);
  result = do_step(m, d, true);
  retry_end(m, d);
  return result;
}

static FLOAT_MODE_BODY ali3_status second_half_step(const ali3_model *m, ali3_data *d)
{
  const bool interpolates = data_interpolates(m);
  if (!d->prepared) return ALI3_E_ARGUMENT;
  data_mark_phase(d, ALI3_PHASE_ROWS); /* Phi contains the targets of the drives */
  if (interpolates) outside_values_copy(m, &d->outside.end, &d->outside.now);
  d->report.retried = false;
  const int held = d->report.held;
  int result = d->failed < 0 ? d->failed : do_step(m, d, false);
  if (m->options.retry > 0 && is_poor(result)) result = step_again(m, d, result, held);
  if (result < 0) return give_up(m, d, result);
  if (interpolates || d->outside.changed) outside_values_copy(m, &d->outside.start, &d->outside.now);
  d->outside.changed = false;
  links_roll(m, d);
  for (int i = 0; i < m->frozen->drives; i++) d->outside.from[i] = d->outside.aim[i];
  d->prepared = false;
  d->report.step++;
  d->report.time = (double)d->report.step * m->options.dt;
  sensors_take(m, d);
  data_mark_phase(d, ALI3_PHASE_IDLE);
  return d->report.status = result;
}

/* --- the public calls, in the floating-point mode of the library --- */

ali3_status ali3_prepare(const ali3_model *m, ali3_data *d)
{
  const uint64_t mode = float_mode_enter();
  const ali3_status status = first_half_step(m, d);
  float_mode_leave(mode);
  return status;
}

ali3_status ali3_feedback(const ali3_model *m, ali3_data *d)
{
  const uint64_t mode = float_mode_enter();
  const ali3_status status = second_half_step(m, d);
  float_mode_leave(mode);
  return status;
}

ali3_status ali3_step(const ali3_model *m, ali3_data *d)
{
  const uint64_t mode = float_mode_enter();
  ali3_status status = first_half_step(m, d);
  if (status >= 0) status = second_half_step(m, d);
  float_mode_leave(mode);
  return status;
}

ali3_status ali3_steps(const ali3_model *m, ali3_data *d, int n)
{
  ali3_status worst = ALI3_OK;
  for (int i = 0; i < n && worst >= 0; i++) worst = (ali3_status)status_worse(worst, ali3_step(m, d));
  return worst;
}
