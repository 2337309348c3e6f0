/* SPDX-License-Identifier: MIT
 * Loop code: one inner step of the index-3 augmented Lagrangian method with the Newmark formulas. The default is the
 * trapezoidal rule (paper 1, section 3).
 *
 *   prepare     predicts q (lambda and mu stay), rows, factorises S, first iteration
 *   iterate     up to a fixed number of   w = -delta (g + J'lambda),  S z = Phi + J w,
 *                                         dq = w - delta J'z,  lambda += z
 *               then projects q if rows do not close, q' and q'' */
#include "stepper/inner.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/project.h"
#include "stepper/soft.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

static void newmark_rule(double dt, double g, double b, struct rule *rule)
{
  *rule = (struct rule){.dt = dt,
                        .h = b * dt * dt,
                        .v_d = g / (b * dt),
                        .v_v = 1.0 - g / b,
                        .v_a = dt * (1.0 - g / (2.0 * b)),
                        .a_d = 1.0 / (b * dt * dt),
                        .a_v = -1.0 / (b * dt),
                        .a_a = 1.0 - 1.0 / (2.0 * b),
                        .gamma = g,
                        .mobility_scale = 1.0};
}

void inner_start_rule(const ali3_model *m, double dt, struct rule *rule)
{
  const double g = m->options.gamma;
  newmark_rule(dt, g, m->options.beta > 0.0 ? m->options.beta : 0.25 * (g + 0.5) * (g + 0.5), rule);
}

/* With gamma 1 and beta 1/2 the formulas have the mean acceleration of the step in place of q'':
 * r1 = r0 + dt v0 + dt^2/2 q'', v1 = v0 + dt q''. */
void inner_rule(const ali3_model *m, double dt, struct rule *rule)
{
  if (m->options.method != ALI3_METHOD_ENERGY) {
    inner_start_rule(m, dt, rule);
    return;
  }
  newmark_rule(dt, 1.0, 0.5, rule);
  rule->mean = true;
}

/* Massless directions have no equation for q''. Newmark would carry an error there forever, with alternating sign. They take
 * the mean acceleration over the step. */
static void body_calm(const ali3_model *m, ali3_data *d, int b)
{
  const struct body *body = &m->body[b];
  double y[BODY_Y], v0[BODY_Y], v1[BODY_Y], mean[BODY_Y], turn[3];
  if (!body_is_carried(m, b)) return;
  bool light = body->spec.mass == 0.0;
  struct body_state now = stored_state(m, d->now.x, b), last = stored_state(m, d->last.x, b);
  struct body_frame frame = stored_frame(m, d, b);
  body_acceleration(&now, y);
  body_velocity(&last, v0);
  body_velocity(&now, v1);
  for (int i = 0; i < 6; i++) mean[i] = (v1[i] - v0[i]) / d->rule.dt;
  for (int i = 0; i < 3 && light; i++) y[i] = mean[i];
  for (int i = 0; i < 3; i++) turn[i] = mean[3 + i] - y[3 + i];
  for (int i = 0; i < 3; i++) y[3 + i] += v3_dot(body->weightless + 3 * i, turn);
  body_set_acceleration(&now, &frame, y);
  stored_set_state(m, d->now.x, b, &now);
}

void inner_step_length(const ali3_model *m, ali3_data *d, double dt)
{
  struct rule rule;
  inner_rule(m, dt, &rule);
  rule.mobility_scale = d->rule.mobility_scale;
  const double k = rule.h / d->rule.h;
  bool relative = m->options.alpha == 0.0;
  d->rule = rule;
  if (k == 1.0) return;
  for (int b = 0; b < m->bodies; b++) {
    struct body_delta delta = stored_delta(m, d, b);
    double own = body_is_carried(m, b) ? 1.0 / k : k;
    delta.r *= own;
    for (int i = 0; i < 9; i++) delta.th[i] *= own;
    if (relative) { /* the ratio to the mass terms is independent of dt */
      delta.n *= own;
      delta.alpha /= k;
    }
    stored_set_delta(m, d, b, &delta);
  }
  if (relative)
    for (int i = 0; i < m->frozen->rigid; i++) d->solve.c[i] *= k;
}

void inner_begin(const ali3_model *m, ali3_data *d)
{
  const double h = d->rule.h;
  inner_step_length(m, d, d->rule.dt);
  for (int i = m->frozen->rigid; i < m->frozen->rows; i++) d->soft.mobility[i] *= d->rule.h / h;
}

/* Phi of a drive is its coordinate minus its target. */
void inner_aim(const ali3_model *m, ali3_data *d, double after, bool targets)
{
  for (int i = 0; i < m->frozen->drives; i++) {
    const struct drive *drive = &m->frozen->drive[i];
    struct reference *from = &d->outside.from[i], *aim = &d->outside.aim[i];
    int row = m->frozen->link[drive->link].first;
    d->solve.Phi[row] += aim->position;
    if (!drive->motion.external) {
      *aim = motion_at(&drive->motion, d->report.time + after);
    } else {
      if (targets)
        from->acceleration =
            motion_follow(&drive->motion, from, d->outside.now.command[drive->force], m->options.dt);
      *aim = motion_go_on(from, from->acceleration, after);
    }
    d->solve.Phi[row] -= aim->position;
  }
}

static void swap_pointers(double **a, double **b)
{
  double *c = *a;
  *a = *b;
  *b = c;
}

/* The last increment is compared with the first one. A step that reduces it by less than INNER_WELL_BELOW is reported; one that
 * does not reduce it has diverged. The floors exclude increments that are rounding: those of a mechanism at rest, and the
 * larger ones of coordinates of 1e7 m or of a penalty that is weak for its step. Laws with corners may find their side only
 * in the second iteration; they use the largest norm before the last iteration, and ignore an error that the next step
 * corrects. */
static const double
    BELOW =
        0.1, /* energy method, where an iteration reduces the error by about the angle that a body turns in a step */
    RUNS_AWAY = 100.0, SENSELESS = 1.0, /* m, rad: more iterations would not reduce it */
    SLIGHT = 1e-3; /* relative to the size of the mechanism, or rad: see moves_slightly() */

/* The rigid rows keep a residual after the iterations. One projection of the positions with the available factors reduces
 * it: in a whipping chain an iteration reduces it by 30, this projection by 3000. The step saves the projection if the
 * residual is below this limit (m or 1). */
static const double ROWS_MET = 1e-10;

/* The prepare also runs the first iteration, with the inputs of the last step. The inputs of this step enter all further
 * iterations, of which at least two are needed. With laws that have corners every iteration factorises, and begins with the
 * current slopes of the laws. */
static bool prepares_iteration(const ali3_model *m)
{
  return m->options.iterations > 2 && !m->frozen->switches;
}

/* The kernels of a method. */
struct inner_kernels {
  enum body_kernel predict, free, free_rest, step, turn, load;
  enum link_kernel rows, loads; /* at the prediction: rows; mean loads, which need the laws of soft rows */
};
static const struct inner_kernels inner_kernels[] = {
    [ALI3_METHOD_ALI3] = {KERNEL_body_predict, KERNEL_body_free, KERNEL_body_free_rest, KERNEL_body_step,
                          KERNEL_body_turn, KERNEL_body_load, KERNEL_link_rows_push, LINK_KERNEL_COUNT},
    [ALI3_METHOD_ENERGY] = {KERNEL_body_mean_predict, KERNEL_body_mean_free, KERNEL_body_mean_free_rest,
                            KERNEL_body_mean_step, KERNEL_body_mean_turn, KERNEL_body_mean_load,
                            KERNEL_link_rows, KERNEL_link_mean_lambda},
};

static const struct inner_kernels *kernels_of_method(const ali3_model *m)
{
  return &inner_kernels[m->options.method];
}

/* Right-hand sides of iteration k. False: a pivot is not positive. */
static bool newton_begin(const ali3_model *m, ali3_data *d, int k)
{
  if (k > 0) soft_laws(m, d, k);
  if (k > 0 && m->frozen->switches) {
    data_mark_phase(d, ALI3_PHASE_CONDENSE);
    if (!stage_condense(m, d)) {
      d->report.worst_body = norm_worst_body(
          m, d->solve.increment, d->report.worst_body); /* the last step may have become non-finite */
      return false;
    }
  }
  data_mark_phase(d, ALI3_PHASE_BODIES);
  const struct inner_kernels *kernels = kernels_of_method(m);
  if (k == 0 && kernels->loads != LINK_KERNEL_COUNT) stage_links(m, d, kernels->loads);
  stage_bodies(m, d, k == 0 ? kernels->free : kernels->free_rest);
  stage_links(m, d, KERNEL_link_beta);
  return true;
}

/* Recomputes the right-hand sides of iteration k for inputs that arrived after its prepare, and the factors if these inputs
 * change the compliances of actuators and brakes. False: a pivot is not positive. */
static bool newton_refresh(const ali3_model *m, ali3_data *d, int k)
{
  const struct frozen *f = m->frozen;
  if (!d->outside.fresh && !f->values && f->drives == 0) return true;
  if (f->values) soft_laws(m, d, k);
  if (f->asks_stiffness && d->outside.fresh && !stage_condense(m, d)) return false;
  d->outside.again = k > 0;
  stage_bodies(m, d, kernels_of_method(m)->load);
  d->outside.again = false;
  stage_links(m, d, KERNEL_link_beta);
  d->outside.fresh = false;
  d->newton.refreshed = k;
  return true;
}

/* Solves S z = beta of iteration k, and applies z to the bodies and multipliers. */
static void newton_finish(const ali3_model *m, ali3_data *d, int k)
{
  struct newton *n = &d->newton;
  const bool goes_on = k < m->options.iterations - 1;
  data_mark_phase(d, ALI3_PHASE_SWEEP);
  stage_solve(m, d);
  data_mark_phase(d, ALI3_PHASE_BODIES);
  stage_links(m, d, KERNEL_link_step);
  const struct inner_kernels *kernels = kernels_of_method(m);
  stage_move(m, d, goes_on ? kernels->turn : kernels->step);
  n->last = norm_increment(m, d->solve.increment);
  /* rows at the iterate */
  data_mark_phase(d, ALI3_PHASE_ROWS);
  if (goes_on)
    stage_rows_push(m, d);
  else
    stage_rows_end(m, d);
  if (k <= n->refreshed) n->first = fmax(n->first, n->last);
  if (goes_on) n->largest = fmax(n->largest, n->last);
  if (d->copies) norm_note_copies(m, d, k, goes_on);
}

/* The prediction, its factors and the iteration of the prepare. False: a pivot is not positive. */
static bool newton_prepare(const ali3_model *m, ali3_data *d)
{
  data_mark_phase(d, ALI3_PHASE_PREDICT);
  const struct frozen *f = m->frozen;
  memcpy(d->last.mu, d->now.mu, (size_t)f->tree->slots * sizeof *d->now.mu);
  memcpy(d->last.lambda, d->now.lambda, (size_t)f->rows * sizeof *d->now.lambda);
  if (f->jumps) memcpy(d->last.mean, d->now.mean, (size_t)f->rows * sizeof *d->now.mean);
  if (f->own > 0) memcpy(d->last.own, d->now.own, (size_t)f->own * sizeof *d->now.own);
  soft_start(m, d);
  swap_pointers(&d->now.x, &d->last.x); /* no later stage reads the old values */
  swap_pointers(&d->now.reaction, &d->last.reaction);
  d->here = d->factored; /* rows of points are stored for factors only: the caches hold one of their two J */
  d->newton = (struct newton){0};
  inner_turns_start(m, d);
  stage_bodies(m, d, kernels_of_method(m)->predict);
  data_mark_phase(d, ALI3_PHASE_ROWS);
  if (inner_is_quick(d)) stage_turns(m, d, d->rule.dt);
  stage_links(m, d, kernels_of_method(m)->rows);
  soft_laws(m, d, 0);
  data_mark_phase(d, ALI3_PHASE_CONDENSE);
  if (!stage_condense(m, d) || !newton_begin(m, d, 0)) return false;
  if (!prepares_iteration(m)) return true;
  newton_finish(m, d, 0);
  return newton_begin(m, d, 1);
}

bool inner_prepare(const ali3_model *m, ali3_data *d, bool early)
{
  d->outside.early = early;
  const bool good = newton_prepare(m, d);
  d->outside.fresh &= early; /* otherwise the right-hand sides contain all values */
  d->outside.early = false;
  return good;
}

/* Near a singular position the loads along the mean Jacobian and those along the Jacobian of the factors differ in the direction
 * that loses its stiffness, and increments in that direction grow from iteration to iteration. Takes back an increment that is
 * larger than the one before (`before`). False: it is smaller. */
static bool newton_back(const ali3_model *m, ali3_data *d, double before)
{
  struct newton *n = &d->newton;
  const bool grows = n->last > before && n->last > INNER_FLOOR;
  if (m->options.method != ALI3_METHOD_ENERGY || m->frozen->switches || !grows) return false;
  for (int i = 0; i < m->frozen->rows; i++) d->now.lambda[i] -= d->solve.z[i];
  stage_bodies(m, d, KERNEL_body_mean_back);
  stage_rows_end(m, d);
  n->last = before;
  d->taken_back = true; /* an extrapolated step combines the other branches */
  return n->back = true;
}

/* Near a singular position the increments may grow along the direction that loses its stiffness. This growth is no divergence
 * while no body moves far by it, and the projections close the rows after it: the projections remove what the iterations leave
 * across the constraints, and the next step begins on them. Branches of an extrapolated step are projected together. */
static bool moves_slightly(const ali3_model *m, const ali3_data *d)
{
  const double most = SLIGHT * SLIGHT, size = m->frozen->length;
  for (int i = 0; i < m->frozen->tree->slots; i++) {
    const double travel = d->solve.travel[i], turn = d->solve.increment[i] - travel;
    if (!(travel < most * size * size && turn < most)) return false;
  }
  return true;
}

/* All rigid rows are closed to INNER_HARMLESS, lengths relative to the size of the mechanism. */
static bool rows_close(const ali3_model *m, const ali3_data *d)
{
  for (int i = 0; i < m->frozen->rigid_links && !d->combines; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      const double limit = INNER_HARMLESS * (rows_is_length(j, k) ? m->frozen->length : 1.0);
      if (!(fabs(d->solve.Phi[stored_row(j, k)]) < limit)) return false;
    }
  }
  return true;
}

/* The remaining iterations. False: a pivot is not positive. */
static bool newton_iterate(const ali3_model *m, ali3_data *d)
{
  const int first = prepares_iteration(m) ? 1 : 0;
  if (!newton_refresh(m, d, first)) return false;
  for (int k = first; k < m->options.iterations; k++) {
    const double before = d->newton.last;
    if (k > first && !newton_begin(m, d, k)) return false;
    newton_finish(m, d, k);
    if (k > 0 && newton_back(m, d, before)) break;
  }
  d->report.worst_body = norm_worst_body(m, d->solve.increment, d->report.worst_body);
  d->newton.body = sqrt(d->solve.increment[stored_slot(m, d->report.worst_body)]);
  d->newton.slight = d->newton.last >= d->newton.first && moves_slightly(m, d);
  if (d->solve.carried_rhs) /* the projections have no right-hand sides of carried bodies */
    memset(d->solve.carried_rhs, 0, (size_t)(m->frozen->tree->slots * BODY_Y) * sizeof *d->solve.carried_rhs);
  return true;
}

/* The end of the step: projections, laws that jump, and massless bodies. False: a pivot is not positive. */
static bool project_end(const ali3_model *m, ali3_data *d)
{
  const bool balance = d->combines || m->options.method == ALI3_METHOD_ENERGY;
  bool branch = d->combines; /* branches are projected after their combination */
  if (d->copies) {
    if (project_position_by_copy(m, d, ROWS_MET)) stage_rows_end(m, d);
  } else if (!branch && !norm_below(m, d->solve.Phi, ROWS_MET)) {
    project_position(m, d);
    stage_rows_end(m, d);
  }
  soft_advance(m, d);
  soft_settle(m, d);
  if (d->solve.carried_rhs) stage_each(m, d, body_calm, 0, m->bodies, 100.0 * m->frozen->tree->carried);
  /* The factors are those of the prediction, so the first pass leaves a residual. A second pass reduces it by two to four
   * orders of magnitude and costs a thirtieth of the step. */
  if (branch)
    project_velocity(m, d);
  else
    project_velocity_twice(m, d);
  /* settled rows are loads now: springs beside them must not absorb them */
  if (m->frozen->jumps) {
    soft_open(m, d);
    if (!stage_condense(m, d)) return false;
  }
  if (d->to_be_combined) return true;
  if (balance)
    project_balance(m, d);
  else
    project_end_acceleration(m, d);
  if (!d->intermediate) project_reactions(m, d, d->now.lambda);
  if (m->frozen->jumps) soft_hold(m, d);
  return true;
}

void inner_turns_end(const ali3_model *m, ali3_data *d)
{
  if (data_is_jointed(m)) return; /* the state has the angles */
  stage_turns(m, d, inner_is_quick(d) ? d->rule.dt : 0.0);
}

double inner_iterate(const ali3_model *m, ali3_data *d, int *status)
{
  bool positive = newton_iterate(m, d), corners = m->frozen->switches;
  const struct newton n = d->newton;
  data_mark_phase(d, ALI3_PHASE_PROJECT);
  positive = positive && project_end(m, d);
  /* A single iteration has no increment to compare with: its error is of the order of the increment squared. */
  bool single = m->options.iterations == 1;
  bool judged = !single && n.last > (corners || d->rule.mean ? INNER_HARMLESS : INNER_FLOOR);
  *status = ALI3_OK;
  if (judged && (n.last > (d->rule.mean ? BELOW : INNER_WELL_BELOW) * n.largest || n.body > INNER_FELT))
    *status = ALI3_NOT_CONVERGED;
  if (n.back) judged = false;
  const bool poor = n.back ? n.last > INNER_HARMLESS : single && n.body * n.body > INNER_FELT;
  if (poor) *status = ALI3_NOT_CONVERGED;
  if (*status == ALI3_NOT_CONVERGED && d->report.step > 0 && n.last > SENSELESS) *status = ALI3_E_DIVERGED;
  if (!positive) *status = ALI3_E_SINGULAR;
  if (!isfinite(n.last)) *status = ALI3_E_DIVERGED; /* a pivot that is not a number is not positive, either */
  if (judged && n.last >= (corners ? RUNS_AWAY : 1.0) * n.first && n.last > INNER_HARMLESS)
    *status = positive && n.slight && rows_close(m, d) ? status_worse(*status, ALI3_NOT_CONVERGED)
                                                       : ALI3_E_DIVERGED;
  return n.last;
}
