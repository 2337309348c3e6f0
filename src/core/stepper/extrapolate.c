/* SPDX-License-Identifier: MIT
 * Loop code: an extrapolated inner step over H. Three branches begin at one start:
 *
 *   T1   one inner step of H           coarse[0]
 *   T2   two inner steps of H/2        coarse[1]
 *   T3   three inner steps of H/3      the data itself
 *
 *   q(H) = T1/12 - 4/3 T2 + 9/4 T3     sum w_n = 1, sum w_n/n^2 = 0, sum w_n/n^3 = 0
 *
 * The result is then moved back onto the constraints. The error of the trapezoidal rule is of order h^2, that of the
 * projections h^3: both cancel. q'' comes from the balance of forces at the end of every inner step (project_balance()),
 * because q'' of the Newmark formulas is of first order along the constraints. The step is therefore of order four. An
 * undamped oscillation of four or more steps per period decays slowly. A faster mode would grow. penalty_find_stiff() settles it
 * if it is damped.
 *
 * No law can combine a faster undamped oscillation: each branch keeps its amplitude, with a phase that the step does not
 * resolve. A sum of weights 1/12, -4/3 and 9/4 with such phases may be as large as 3.7, and only a single branch never grows. A
 * law that decays in every branch would end an oscillation that the file says lasts.
 *
 * If a spring oscillates too fast for extrapolation (ali3_data.combines), or a law jumped in a branch (soft.corner: a stop
 * closed, friction changed its sign or sticks), the step is T3 alone. A branch of the energy method that took an increment
 * back is left out.
 *
 * No branch reads what another branch writes. Each branch keeps delta and c of its own step length, and runs to its end.
 * Branches that run in parallel on workers thus give the bits of a sequential run. */
#include "stepper/extrapolate.h"
#include "stepper/inner.h"
#include "stepper/project.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

enum { COARSE = 2, FINEST = EXTRAPOLATE_FINEST };

struct branches {
  const ali3_model *m;
  ali3_data *d;
  double after;       /* begin of the branches after the start of the step, s */
  bool begin, finish; /* run up to the first factors of each branch; run the rest */
  int status;         /* status of T3; the coarse branches have theirs in their reports */
  double increment;   /* increment of T3; the coarse branches have theirs in their reports */
};

/* The end of a branch needs no accelerations: the combination computes its own from positions and velocities. Laws that
 * jump, held rows and carried bodies combine accelerations. */
static bool combines_at_rates(const ali3_model *m, const ali3_data *b)
{
  return b->combines && !m->frozen->jumps && !b->soft.some_stiff && !b->solve.carried_rhs;
}

/* Runs one branch of n inner steps. Residual norms are not needed at the ends of branches. */
static void run_branch(const struct branches *o, ali3_data *b, int n, int *status, double *increment)
{
  for (int step = 0; step < n && *status >= 0; step++) {
    int now = ALI3_OK;
    b->intermediate = b->combines || step + 1 < n;
    b->to_be_combined = step + 1 == n && combines_at_rates(o->m, b);
    if (step > 0 || o->begin) {
      inner_aim(o->m, b, o->after + b->rule.dt * (step + 1), false);
      if (!inner_prepare(o->m, b, step == 0 && !o->finish)) now = ALI3_E_SINGULAR;
    }
    if (o->finish && now >= 0) {
      *increment = fmax(*increment, inner_iterate(o->m, b, &now));
      if (inner_is_quick(b)) inner_turns_end(o->m, b);
    }
    *status = status_worse(*status, now);
    if (!o->finish) break;
  }
  b->intermediate = b->to_be_combined = false;
}

static void run_coarse(const struct branches *o)
{
  for (int i = 0; i < COARSE; i++) {
    ali3_report *r = &o->d->coarse[i]->report;
    run_branch(o, o->d->coarse[i], i + 1, &r->status, &r->increment);
  }
}

/* T3 costs as much as both coarse branches together. */
static void share_of_branches(void *arg, int share, int shares)
{
  struct branches *o = arg;
  (void)shares;
  if (share == 0) run_branch(o, o->d, FINEST, &o->status, &o->increment);
  if (share == 1) run_coarse(o);
}

/* Parallel branches pay if half of the work in one piece takes less time than all of the work with its stages in shares,
 * which waits at a barrier for each stage. The work must also pay for waking a sleeping worker, because a small mechanism
 * does not keep workers awake. */
static bool side_by_side(const struct branches *o)
{
  enum {
    STAGES = 50, /* stages of an inner step */
    EARLY = 13,  /* stages up to the end of the prepare */
    DROWSY = 6   /* wake-up time of a sleeping worker relative to a spinning one */
  };
  const struct frozen *f = o->m->frozen;
  double rows = f->true_rows, bodies = o->m->bodies, iterations = o->m->options.iterations;
  double predict = f->tree->flops + 60.0 * rows + 150.0 * bodies;
  double iterate = iterations * (0.4 * f->tree->flops + 150.0 * rows + 450.0 * bodies);
  double begin = predict + iterate / iterations; /* prepare runs the first iteration */
  double later =
      FINEST * (predict + iterate) - begin; /* work of T3, or of both coarse branches, up to one prediction */
  double half = (o->begin ? begin : 0.0) + (o->finish ? later : 0.0);
  if (!stage_is_worth_waking(o->d, half / DROWSY)) return false;
  double waits = stage_worth_waking(o->d->exec) * (o->finish ? 2.0 * FINEST * STAGES : 3.0 * EARLY);
  return half < 2.0 * half / o->d->exec->shares + waits;
}

static void run_all(struct branches *o)
{
  ali3_data *b = o->d;
  const ali3_exec *exec = b->exec;
  if (!b->combines) {
    run_branch(o, b, FINEST, &o->status, &o->increment);
    return;
  }
  const bool in_parallel = side_by_side(o);
  /* in parallel, no worker remains for the stages of the coarse branches, and a share must not call the exec */
  for (int i = 0; i < COARSE; i++) {
    b->coarse[i]->exec = in_parallel ? NULL : exec;
    b->coarse[i]->probe = in_parallel ? NULL : b->probe;
  }
  if (in_parallel) {
    b->exec = NULL;
    stage_share(exec, share_of_branches, o);
    b->exec = exec;
    return;
  }
  run_coarse(o);
  run_branch(o, b, FINEST, &o->status, &o->increment);
}

/* Copies the start of the step to the coarse branches. Only soft rows read the residuals and rates there, and they are last
 * in all arrays. */
static void start_coarse(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  atomic_store_explicit(&d->soft.corner, false, memory_order_relaxed);
  d->taken_back = false;
  if (!d->combines) { /* only the saved state is needed */
    state_copy(m, &d->coarse[0]->last, &d->now);
    return;
  }
  const bool soft = t->joint_tiles > t->rigid_tiles;
  const struct tree_tile *first = soft ? &t->tile[t->stored_joints.tile[t->rigid_tiles]] : NULL;
  const size_t J =
      first ? first->jacobian + (size_t)(first->unit_columns ? TREE_UNIT * first->width : 0) : t->jacobian;
  for (int i = 0; i < COARSE; i++) {
    ali3_data *a = d->coarse[i];
    state_copy(m, &a->now, &d->now);
    memcpy(a->turn, d->turn, (size_t)m->joints * sizeof *d->turn);
    a->report = d->report;
    a->report.status = ALI3_OK;
    a->report.increment = 0.0;
    atomic_store_explicit(&a->soft.corner, false, memory_order_relaxed);
    a->taken_back = false;
    if (!soft) continue;
    memcpy(a->solve.Phi + t->rigid, d->solve.Phi + t->rigid,
           (size_t)(t->rows - t->rigid) * sizeof *d->solve.Phi);
    memcpy(a->here.J + J, d->here.J + J, (t->jacobian - J) * sizeof *d->here.J);
  }
}

void extrapolate_lengths(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  const double H = m->options.dt / m->options.substeps;
  for (int i = 0; i < COARSE; i++) {
    ali3_data *a = d->coarse[i];
    a->rule = d->rule;
    a->soft.some_stiff = d->soft.some_stiff;
    a->combines = d->combines;
    a->redundant = d->redundant;
    a->report.status = ALI3_OK;
    memcpy(a->solve.delta, d->solve.delta, DELTA_NUMBERS * (size_t)f->tree->slots * sizeof *d->solve.delta);
    memcpy(a->solve.c, d->solve.c, (size_t)f->rows * sizeof *d->solve.c);
    inner_step_length(m, a, H / (i + 1));
    a->rule.mobility_scale = mobility_scale_of(i + 1);
  }
  inner_step_length(m, d, H / FINEST);
  d->rule.mobility_scale = mobility_scale_of(FINEST);
}

/* Returns the worst status of all branches; of equal statuses, that of the shortest branch. */
static int worst_status(const struct branches *o)
{
  int status = ALI3_OK;
  for (int i = 0; i < COARSE; i++) status = status_worse(status, o->d->coarse[i]->report.status);
  return status_worse(status, o->status);
}

const ali3_data *extrapolate_failed(const ali3_data *d)
{
  for (int i = 0; i < COARSE && d->coarse[i]; i++)
    if (d->coarse[i]->report.status < 0) return d->coarse[i];
  return d;
}

int extrapolate_prepare(const ali3_model *m, ali3_data *d)
{
  struct branches o = {.m = m, .d = d, .begin = true};
  start_coarse(m, d);
  run_all(&o);
  return worst_status(&o);
}

void extrapolate_aim(const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < COARSE; i++) inner_aim(m, d->coarse[i], d->coarse[i]->rule.dt, i == 0);
  inner_aim(m, d, d->rule.dt, false);
}

static bool met_a_corner(const ali3_data *d)
{
  bool met = atomic_load_explicit(&d->soft.corner, memory_order_relaxed);
  for (int i = 0; i < COARSE; i++)
    met |= atomic_load_explicit(&d->coarse[i]->soft.corner, memory_order_relaxed);
  return met;
}

/* Weights of T1 and T2; the weight of T3 is the rest. The branch that took an increment back is left out: the other two still
 * remove the error of order h^2. After two such branches the step is T3 alone. */
static const double *weights_of_branches(const ali3_data *d)
{
  static const double all[2] = {1.0 / 12.0, -4.0 / 3.0}, without_T1[2] = {0.0, -4.0 / 5.0},
                      without_T2[2] = {-1.0 / 8.0, 0.0}, without_T3[2] = {-1.0 / 3.0, 4.0 / 3.0};
  const bool T1 = d->coarse[0]->taken_back, T2 = d->coarse[1]->taken_back, T3 = d->taken_back;
  if (met_a_corner(d) || T1 + T2 + T3 > 1) return NULL;
  return T1 ? without_T1 : T2 ? without_T2 : T3 ? without_T3 : all;
}

/* Combines the ends of the branches into the end of the step. False: a pivot is not positive. */
static bool meet_branches(const ali3_model *m, ali3_data *d)
{
  const struct norm_kernels *k = m->frozen->kernels[1]->norms;
  const int slots = m->frozen->tree->slots, rows = m->frozen->rows;
  const struct state *a = &d->coarse[0]->now, *b = &d->coarse[1]->now;
  /* weighted sum of the three ends */
  const double *weight = weights_of_branches(d);
  if (weight) {
    k->combine(d->now.x, a->x, b->x, weight, X_NUMBERS * slots);
    k->combine(d->now.mu, a->mu, b->mu, weight, slots);
    k->combine(d->now.lambda, a->lambda, b->lambda, weight, rows);
    if (m->frozen->own > 0) k->combine(d->now.own, a->own, b->own, weight, m->frozen->own);
  }
  /* The factors of the last prediction of T3 serve the sum, which is close to it. They are made again where the end of T3
   * has changed them for laws that jump. */
  const bool factors_serve = d->here.J != d->factored.J;
  stage_bodies(m, d, KERNEL_body_frame);
  data_mark_phase(d, ALI3_PHASE_ROWS);
  stage_rows(m, d);
  data_mark_phase(d, ALI3_PHASE_CONDENSE);
  const bool good = factors_serve || stage_condense(m, d);
  data_mark_phase(d, ALI3_PHASE_PROJECT);
  if (!good) return false;
  /* the projection back onto the constraints */
  project_position(m, d);
  stage_rows_end(m, d);
  project_velocity(m, d);
  if (d->soft.some_stiff)
    project_end_acceleration(m, d);
  else
    project_balance(m, d);
  project_reactions(m, d, d->now.lambda);
  return true;
}

int extrapolate_step(const ali3_model *m, ali3_data *d, double after, bool prepared, double *increment)
{
  struct branches o = {.m = m, .d = d, .after = after, .begin = !prepared, .finish = true};
  if (!prepared) start_coarse(m, d);
  run_all(&o);
  *increment = o.increment;
  for (int i = 0; i < COARSE; i++) *increment = fmax(*increment, d->coarse[i]->report.increment);
  const int result = worst_status(&o);
  if (result < 0) {
    d->report.worst_body = extrapolate_failed(d)->report.worst_body;
    return result;
  }
  return !d->combines || meet_branches(m, d) ? result : ALI3_E_SINGULAR;
}
