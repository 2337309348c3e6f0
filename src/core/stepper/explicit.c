/* SPDX-License-Identifier: MIT
 * Loop code: one inner step of an explicit method. The unknowns of the differential equation are q and q'. One evaluation of
 * q'' at a state is one factorisation and one solve:
 *
 *   M a = Q - J'lambda,   S x = J a - gamma,   q'' = a - delta J'x,   lambda += h x
 *
 * lambda is that of the evaluation before, so that only its change meets the compliance of the rows. Soft rows are loads in Q.
 * The Euler parameters are integrated as they are: q'' keeps p'p'' + p''p' = 0, and R(p) does not depend on the length of p.
 * spin_advance() integrates the Euler parameters of fast bodies in axes that turn with the body.
 *
 *   rk4   the classical method of Runge and Kutta: order four, four evaluations
 *   dp5   Dormand and Prince 1980: order five, six evaluations
 *   dp8   Prince and Dormand 1981: order eight, thirteen evaluations
 *   ab4   Adams and Bashforth: order four, one evaluation; rk4 for three steps after the start and after an input that jumps
 *   abm8  Adams, Bashforth and Moulton: order eight, two evaluations, at the prediction and at the end; dp5 for seven steps
 *         after the start, after an input that jumps, and after a poor prediction
 *
 * The last evaluation is made at the end of the step. Its factors also serve the projections of q and q', and q'' is the
 * first evaluation of the next step. Inputs that arrive in between change q'' at the start, which takes one more solve.
 *
 * abm8 factorises at the prediction only. The end of its step differs from there by an error of order dt^9, so that the same
 * factors serve the projections and the evaluation at the end. */
#include "stepper/explicit.h"
#include "dynamics/tableaus.h"
#include "layout/storage.h"
#include "stepper/inner.h"
#include "stepper/project.h"
#include "stepper/soft.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

_Static_assert(STARTS_MOST == EXPLICIT_HISTORY + 1 && STAGES_MOST <= 0 + EXPLICIT_TERMS, "room");

static void swap_states(double **a, double **b)
{
  double *c = *a;
  *a = *b;
  *b = c;
}

/* The state, and that of the start of the inner step, as the methods add them up: bodies or joint coordinates. */
static double **state_now(const ali3_model *m, ali3_data *d)
{
  return data_is_jointed(m) ? &d->joints.now : &d->now.x;
}
static double **state_last(const ali3_model *m, ali3_data *d)
{
  return data_is_jointed(m) ? &d->joints.last : &d->last.x;
}

/* q'' at the state, with the factors: now.lambda + h z are the multipliers of its rigid rows. */
static void balance_accelerations(const ali3_model *m, ali3_data *d)
{
  soft_forces(m, d);
  project_forces(m, d);
}

/* q'' and lambda at the state */
static void find_accelerations(const ali3_model *m, ali3_data *d)
{
  balance_accelerations(m, d);
  m->frozen->kernels[1]->norms->along(d->now.lambda, d->now.lambda, d->rule.h, d->solve.z, m->frozen->rigid);
}

static void find_stage(const ali3_model *m, ali3_data *d)
{
  if (data_is_jointed(m)) {
    jointed_accelerations(m, d, NULL);
    return;
  }
  for (int i = 0; i < explicit_solves(m->options.method); i++) find_accelerations(m, d);
}

/* find_accelerations() at an end of a step, whose multipliers are the reactions. With redundant rows they start from 0, so
 * that they have no part that loads no body; the second solve removes the error of the compliance.
 *
 * q'' of dp5 and dp8 comes from the multipliers of the last stage, `stage`. In the passes of a double four-bar, the error of dp5
 * is 10 to 20 % larger with q'' of the reactions. The error of rk4 is half as large with it, because its stages leave the
 * constraints farther. abm8 takes no third solve, because a shorter step reduces its error at a lower cost. */
static void find_reactions(const ali3_model *m, ali3_data *d, double *stage)
{
  if (data_is_jointed(m)) {
    jointed_accelerations(m, d, stage);
    return;
  }
  if (d->redundant) {
    memset(d->now.lambda, 0, (size_t)m->frozen->rigid * sizeof *d->now.lambda);
    find_accelerations(m, d);
  }
  find_accelerations(m, d);
  if (!d->redundant || !explicit_keeps_stage(m->options.method)) return;
  double *reactions = d->now.lambda;
  d->now.lambda = stage;
  balance_accelerations(m, d);
  d->now.lambda = reactions;
}

/* Rows and factors at the state. False: a pivot is not positive. */
static bool factorise_state(const ali3_model *m, ali3_data *d)
{
  if (data_is_jointed(m)) return jointed_factorise(m, d);
  data_mark_phase(d, ALI3_PHASE_ROWS);
  stage_rows(m, d);
  data_mark_phase(d, ALI3_PHASE_CONDENSE);
  const bool good = stage_condense(m, d);
  data_mark_phase(d, ALI3_PHASE_SWEEP);
  return good;
}

/* Adds a term to the sum of body_advance(): a state at this time after the start of the inner step. */
static void add_term(struct explicit_states *s, const double *x, double weight, double at)
{
  if (weight == 0.0) return;
  s->term[s->terms] = x;
  s->at[s->terms] = at;
  s->weight[s->terms++] = weight;
}

/* Moves the bodies by the sum, to this time after the start of the inner step. */
static void advance_bodies(const ali3_model *m, ali3_data *d, double span)
{
  data_mark_phase(d, ALI3_PHASE_PREDICT);
  d->states.span = span;
  if (data_is_jointed(m)) {
    jointed_advance(m, d);
    return;
  }
  stage_bodies(m, d, KERNEL_body_advance);
  if (inner_is_quick(d)) stage_turns(m, d, span);
}

/* The factors of the state will be those of its present rows. */
static void keep_base(const ali3_model *m, ali3_data *d)
{
  memcpy(d->states.base.x, *state_now(m, d), explicit_numbers(m) * sizeof(double));
}

static void swap_bases(struct explicit_states *s)
{
  const struct explicit_base o = s->base;
  s->base = s->step_base;
  s->step_base = o;
}

bool explicit_prepare(const ali3_model *m, ali3_data *d)
{
  struct explicit_states *s = &d->states;
  s->renewed = false;
  s->prepare_factorised = !s->factors;
  if (!s->factors) {
    if (data_is_jointed(m)) jointed_from_bodies(m, d);
    keep_base(m, d);
    memcpy(s->base.lambda, d->now.lambda, (size_t)m->frozen->rows * sizeof *d->now.lambda);
    s->history = 0;
    s->jump = 0.0;
    s->factors = factorise_state(m, d);
    d->outside.fresh = true;
  }
  swap_bases(s);
  if (!s->factors) state_copy(m, &d->last, &d->now);
  return s->factors;
}

void explicit_unprepare(ali3_data *d)
{
  struct explicit_states *s = &d->states;
  swap_bases(s);
  if (s->prepare_factorised) s->factors = false;
}

void explicit_factorise_again(const ali3_model *m, ali3_data *d)
{
  if (data_is_jointed(m)) {
    memcpy(d->joints.now, d->states.base.x, explicit_numbers(m) * sizeof(double));
    jointed_factorise(m, d);
    return;
  }
  double **base = &d->states.base.x;
  swap_states(&d->now.x, base);
  stage_bodies(m, d, KERNEL_body_frame);
  stage_rows(m, d);
  stage_condense(m, d);
  swap_states(&d->now.x, base);
  d->here = d->spare;
}

void explicit_leave(ali3_data *d)
{
  struct explicit_states *s = &d->states;
  if (s->renewed) swap_states(&d->last.x, &s->left);
  s->renewed = false;
}

void explicit_restore(const ali3_model *m, ali3_data *d)
{
  struct explicit_states *s = &d->states;
  swap_bases(s);
  s->history = 0;
  if (!s->factors) return;
  explicit_factorise_again(m, d);
  stage_bodies(m, d, KERNEL_body_frame);
}

/* Largest difference of an acceleration of a body between the state and `x`. */
static double change_from(const ali3_model *m, ali3_data *d, const double *x)
{
  if (data_is_jointed(m)) return jointed_change(m, d, x);
  d->states.term[0] = x;
  stage_bodies(m, d, KERNEL_body_change);
  return m->frozen->kernels[1]->norms->largest(d->solve.increment, m->frozen->tree->slots);
}

/* An input jumps if it changes accelerations by more than twice as much as it did in recent steps, and by more than a
 * twentieth of their change by the motion in the last step. */
static bool is_jump(struct explicit_states *s, double change, double of_motion)
{
  static const double SMOOTH = 2.0, FADES = 0.7, PART = 0.05;
  const bool jumps = change > SMOOTH * s->jump && change > PART * of_motion;
  s->jump = fmax(change, FADES * s->jump);
  return jumps;
}

/* q'' at the start, after inputs or targets changed. */
static void renew_start(const ali3_model *m, ali3_data *d, double after, bool targets)
{
  const struct frozen *f = m->frozen;
  struct explicit_states *s = &d->states;
  memcpy(d->last.lambda, d->now.lambda, (size_t)f->rows * sizeof *d->now.lambda);
  s->renewed = false;
  /* nothing that acts on q'' has changed */
  inner_aim(m, d, after, targets);
  if (!d->outside.fresh && !f->values && f->drives == 0) {
    is_jump(s, 0.0, 0.0);
    return;
  }
  /* solve again from the multipliers of the first solve, so that equal inputs give equal bits */
  const bool judge = s->history > 0;
  const double of_motion = judge ? change_from(m, d, *state_last(m, d)) : 0.0;
  memcpy(s->left, d->now.x, X_NUMBERS * (size_t)f->tree->slots * sizeof *s->left);
  s->renewed = true;
  const double *left = data_is_jointed(m) ? (targets ? s->step_base : s->base).x : s->left;
  double *stage = (targets ? s->step_base : s->base).lambda;
  memcpy(d->now.lambda, stage, (size_t)f->rows * sizeof *d->now.lambda);
  find_reactions(m, d, stage);
  if (judge && is_jump(s, change_from(m, d, left), of_motion)) s->history = 0;
  d->outside.fresh = false;
}

/* The state becomes the start of the step. Adams methods keep the starts of earlier steps. */
static void begin_inner(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  struct explicit_states *s = &d->states;
  const int history = explicit_history(m->options.method);
  for (int i = history - 1; i > 0; i--) swap_states(&s->x[i - 1], &s->x[i]);
  if (history > 0) swap_states(&s->x[0], state_last(m, d));
  swap_states(state_now(m, d), state_last(m, d));
  if (data_is_jointed(m)) swap_states(&d->now.x, &d->last.x);
  swap_states(&d->now.reaction, &d->last.reaction);
  memcpy(d->last.mu, d->now.mu, (size_t)f->tree->slots * sizeof *d->now.mu);
  inner_turns_start(m, d);
  if (data_is_jointed(m))
    atomic_store_explicit(&d->quick, jointed_fastest2(m, d) > d->limits.quick2, memory_order_relaxed);
}

/* The stages of a Runge-Kutta method, in the states x[first] and later ones. False: a pivot is not positive. */
static bool run_stages(const ali3_model *m, ali3_data *d, const struct tableau *t, int first, double after)
{
  struct explicit_states *s = &d->states;
  const double dt = d->rule.dt;
  for (int i = 1; i <= t->stages; i++) {
    const double *weight = i < t->stages ? t->a[i] : t->b;
    s->terms = 0;
    for (int j = 0; j < i; j++)
      add_term(s, j == 0 ? *state_last(m, d) : s->x[first + j - 1], weight[j] * dt, t->c[j] * dt);
    advance_bodies(m, d, i < t->stages ? t->c[i] * dt : dt);
    if (i == t->stages) break;
    inner_aim(m, d, after + t->c[i] * dt, false);
    if (!factorise_state(m, d)) return false;
    find_stage(m, d);
    swap_states(state_now(m, d), &s->x[first + i - 1]);
  }
  return true;
}

/* The sum that corrects the prediction, which the state is. False: a pivot is not positive. */
static bool correct_prediction(const ali3_model *m, ali3_data *d, const struct adams *a, double after)
{
  struct explicit_states *s = &d->states;
  const int history = explicit_history(m->options.method);
  double **predicted = &s->x[history];
  /* evaluation at the prediction, whose factors stay */
  inner_aim(m, d, after + d->rule.dt, false);
  if (!factorise_state(m, d)) return false;
  if (!data_is_jointed(m)) keep_base(m, d);
  find_stage(m, d);
  swap_states(state_now(m, d), predicted);
  /* the corrected state, beside the linearisation of the factors */
  const double dt = d->rule.dt;
  s->terms = 0;
  add_term(s, *predicted, a->moulton[0] * dt, dt);
  add_term(s, *state_last(m, d), a->moulton[1] * dt, 0.0);
  for (int k = 2; k <= history; k++) add_term(s, s->x[k - 2], a->moulton[k] * dt, (1 - k) * dt);
  if (!data_is_jointed(m)) d->here = d->spare;
  advance_bodies(m, d, dt);
  s->factors_serve = true;
  return true;
}

/* The sum of an Adams method; without enough history a step of a Runge-Kutta method. */
static bool run_adams(const ali3_model *m, ali3_data *d, const struct adams *a, double after)
{
  struct explicit_states *s = &d->states;
  const int history = explicit_history(m->options.method);
  if (s->history < history) {
    s->history++;
    return run_stages(m, d, a->begin, history, after);
  }
  const double dt = d->rule.dt;
  s->terms = 0;
  add_term(s, *state_last(m, d), a->bashforth[0] * dt, 0.0);
  for (int k = 1; k <= history; k++) add_term(s, s->x[k - 1], a->bashforth[k] * dt, -k * dt);
  advance_bodies(m, d, dt);
  return a->moulton[0] == 0.0 || correct_prediction(m, d, a, after);
}

/* abm8 begins anew if its prediction was poor: the motion is faster than the method can follow. Modes that no force
 * makes stiff, such as the transverse ones of a long chain, would otherwise grow without a sign of it. The accelerations of
 * the prediction are then off by more than a part of their change in the step. */
static void judge_prediction(const ali3_model *m, ali3_data *d)
{
  static const double PART = 0.02, SMALL = 1e-6; /* m/s^2, 1/s^2 */
  struct explicit_states *s = &d->states;
  const double off = change_from(m, d, s->x[explicit_history(m->options.method)]);
  if (off > SMALL && off > PART * change_from(m, d, *state_last(m, d))) s->history = 0;
}

/* m, rad by which the projection of the positions moves a body, or a coordinate. Beyond POOR the step was too long for its
 * motion: random mechanisms with rotors are off by up to 1e-1 of their size after 20 such steps, and some gain energy. Beyond
 * SENSELESS it has diverged. */
static const double POOR = 1e-3, SENSELESS = 1.0;

/* finish_step() in joint coordinates */
static bool finish_jointed(const ali3_model *m, ali3_data *d, double end, double *increment)
{
  const size_t rows = (size_t)m->frozen->rows;
  inner_aim(m, d, end, false);
  if (!jointed_project(m, d, increment)) return false;
  memcpy(d->states.base.lambda, d->now.lambda, rows * sizeof *d->now.lambda);
  find_reactions(m, d, d->states.base.lambda);
  *increment = fmax(*increment, jointed_end(m, d));
  keep_base(m, d);
  memcpy(d->now.reaction, d->now.lambda, rows * sizeof *d->now.reaction);
  if (d->states.factors_serve) judge_prediction(m, d);
  return true;
}

/* The end of the step: projections of q and q', and q''. */
static bool finish_step(const ali3_model *m, ali3_data *d, double end, double *increment)
{
  static const double ROWS_MET = 1e-10;
  if (data_is_jointed(m)) return finish_jointed(m, d, end, increment);
  const size_t rows = (size_t)m->frozen->rows;
  /* factors, and positions on the constraints */
  inner_aim(m, d, end, false);
  if (d->states.factors_serve) {
    data_mark_phase(d, ALI3_PHASE_ROWS);
    stage_rows(m, d);
  } else {
    if (!factorise_state(m, d)) return false;
    keep_base(m, d);
  }
  data_mark_phase(d, ALI3_PHASE_PROJECT);
  *increment = project_position(m, d);
  if (*increment > POOR) d->report.worst_body = norm_worst_body(m, d->solve.increment, -1);
  stage_rows_end(m, d);
  if (!norm_below(m, d->solve.Phi, ROWS_MET)) {
    project_position(m, d);
    stage_rows_end(m, d);
  }
  /* Velocities, accelerations and reactions there. The stages of a fast body amplify what the projection leaves of velocities
   * across its bearing, up to (w dt)^6/720 in a step of dp5, so it takes a second pass. */
  if (inner_is_quick(d))
    project_velocity_twice(m, d);
  else
    project_velocity(m, d);
  memcpy(d->states.base.lambda, d->now.lambda, rows * sizeof *d->now.lambda);
  find_reactions(m, d, d->states.base.lambda);
  memcpy(d->now.reaction, d->now.lambda, rows * sizeof *d->now.reaction);
  if (d->states.factors_serve) judge_prediction(m, d);
  return true;
}

/* A factorisation also fails if a state that inputs have thrown far away is not a number. */
static bool state_is_finite(const ali3_model *m, const ali3_data *d)
{
  return isfinite(m->frozen->kernels[1]->norms->sum(data_is_jointed(m) ? d->joints.now : d->now.x,
                                                    (int)explicit_numbers(m)));
}

/* Largest |p'|^2 of a body at the start. */
static double fastest_body2(const ali3_model *m, const ali3_data *d)
{
  double fastest = 0.0;
  if (data_is_jointed(m)) return jointed_fastest2(m, d);
  for (int b = 0; b < m->bodies; b++) {
    double x[X_NUMBERS - BODY_Y];
    stored_some(m, d->last.x, X_NUMBERS, b, X_NUMBERS - BODY_Y, x);
    /* fmax() here ends gcc 12 for arm64 with an internal error */
    const double rate2 = p_dot(x + 10, x + 10);
    if (rate2 > fastest) fastest = rate2;
  }
  return fastest;
}

/* Stages amplify what the projection leaves of velocities across the bearing of a body that turns by z in a step: those of dp8 by
 * 2e3 at 10 rad, as those of dp5, but by 7e8 at 31 rad, where those of dp5 amplify by 2e6. */
static const struct tableau *stages_of_dp8(const ali3_model *m, const ali3_data *d)
{
  static const double TURN = 10.0; /* rad */
  const double rate = 0.5 * TURN / d->rule.dt;
  return fastest_body2(m, d) > rate * rate ? &dp5 : &dp8;
}

/* From the start of the step to its end before the projections. False: a pivot is not positive. */
static bool run_method(const ali3_model *m, ali3_data *d, double after)
{
  d->states.factors_serve = false;
  switch (m->options.method) {
  case ALI3_METHOD_DP5:
    return run_stages(m, d, &dp5, 0, after);
  case ALI3_METHOD_DP8:
    return run_stages(m, d, stages_of_dp8(m, d), 0, after);
  case ALI3_METHOD_AB4:
    return run_adams(m, d, &ab4, after);
  case ALI3_METHOD_ABM8:
    return run_adams(m, d, &abm8, after);
  default:
    return run_stages(m, d, &rk4, 0, after);
  }
}

/* A force that became too stiff for the next step fails this one. */
static int judge_forces(const ali3_model *m, ali3_data *d)
{
  double longest;
  const int unstable = soft_find_unstable(m, d, &longest);
  if (unstable < 0) return ALI3_OK;
  d->report.worst_force = unstable;
  d->report.longest_step = longest;
  return ALI3_E_STIFF;
}

int explicit_step(const ali3_model *m, ali3_data *d, double after, bool targets, double *increment)
{
  /* the residual norms of stages are not needed */
  const bool outer = d->intermediate;
  d->intermediate = true;
  d->report.worst_body = -1;
  renew_start(m, d, after, targets);
  begin_inner(m, d);
  const bool good = run_method(m, d, after);
  d->intermediate = outer;
  if (!good || !finish_step(m, d, after + d->rule.dt, increment))
    return state_is_finite(m, d) ? ALI3_E_SINGULAR : ALI3_E_DIVERGED;
  if (!(*increment < SENSELESS)) return ALI3_E_DIVERGED;
  const int status = judge_forces(m, d);
  return status == ALI3_OK && *increment > POOR ? ALI3_NOT_CONVERGED : status;
}
