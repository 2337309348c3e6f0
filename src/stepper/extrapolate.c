/* SPDX-License-Identifier: MIT
 * Loop code: an extrapolated inner step over H. Three branches begin at the same start:
 *
 *   T1   one inner step of H           twin[0]
 *   T2   two inner steps of H/2        twin[1]
 *   T3   three inner steps of H/3      the data themselves
 *
 *   q(H) = T1/12 - 4/3 T2 + 9/4 T3     sum w_n = 1, sum w_n/n^2 = 0, sum w_n/n^3 = 0
 *
 * then moved back onto the constraints. The trapezoidal rule has an error in h^2, and the projections one in h^3: both
 * cancel. q'' comes from the balance of forces at the end of every inner step (project_balance()), because that of the
 * Newmark formulas is of first order along the constraints. So the step is of order four. An undamped swing of four
 * steps a period and more decays slowly; a faster one would grow, which is why penalty_find_stiff() settles it.
 *
 * Where a spring is too stiff for that (ali3_data.combines), or a law jumped in one of the branches (ali3_data.corner: a stop
 * was hit, friction turned or sticks), T3 alone is the step.
 *
 * No branch looks at what another one writes, each has delta and c of its own length for good, and all are gone through
 * to their ends: side by side, where a worker is worth waking, they come to the same bits. */
#include "stepper/extrapolate.h"
#include "stepper/inner.h"
#include "stepper/project.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

enum { TWINS = 2, PARTS = EXTRAPOLATE_PARTS };

struct branches {
  const ali3_model *m;
  ali3_data *d;
  double after;       /* the start of the step: where they begin, s */
  bool begin, finish; /* up to the factors of the first inner step of each; what comes then */
  int status;         /* of T3; of the twins it is in their reports */
  double increment;   /* likewise */
};

/* One branch of n inner steps. Where branches meet what they leave of the rows is of no interest. */
static void run_branch(const struct branches *o, ali3_data *b, int n, int *status, double *increment)
{
  for (int part = 0; part < n && *status >= 0; part++) {
    int now = ALI3_OK;
    b->intermediate = b->combines || part + 1 < n;
    if (part > 0 || o->begin) {
      inner_aim(o->m, b, o->after + b->rule.dt * (part + 1), false);
      if (!inner_prepare(o->m, b, part == 0 && !o->finish)) now = ALI3_E_SINGULAR;
    }
    if (o->finish && now >= 0) *increment = fmax(*increment, inner_iterate(o->m, b, &now));
    *status = status_worse(*status, now);
    if (!o->finish) break;
  }
  b->intermediate = false;
}

static void run_twins(const struct branches *o)
{
  for (int i = 0; i < TWINS; i++) {
    ali3_report *r = &o->d->twin[i]->report;
    run_branch(o, o->d->twin[i], i + 1, &r->status, &r->increment);
  }
}

/* T3 is as much work as the two others together. */
static void share_of_branches(void *arg, int share, int shares)
{
  struct branches *o = arg;
  (void)shares;
  if (share == 0) run_branch(o, o->d, PARTS, &o->status, &o->increment);
  if (share == 1) run_twins(o);
}

/* Half of the work in one piece has to beat all of it with its stages in shares, which costs a wait for each of them. And it
 * has to be worth waking someone who sleeps: nothing of a small mechanism keeps workers awake. */
static bool side_by_side(const struct branches *o)
{
  enum {
    STAGES = 50, /* of an inner step */
    EARLY = 13,  /* of these up to the end of the prepare */
    DROWSY = 3   /* times as long to come as one that spins */
  };
  const struct frozen *f = o->m->frozen;
  double rows = f->true_rows, bodies = o->m->bodies, iterations = o->m->options.iterations;
  double predict = f->tree->flops + 60.0 * rows + 150.0 * bodies;
  double iterate = iterations * (0.4 * f->tree->flops + 150.0 * rows + 450.0 * bodies);
  double begin = predict + iterate / iterations;      /* prepare does the first one */
  double later = PARTS * (predict + iterate) - begin; /* of T3, or of both twins: a prediction more or less */
  double half = (o->begin ? begin : 0.0) + (o->finish ? later : 0.0);
  if (!stage_is_worth_waking(o->d, half / DROWSY)) return false;
  double waits = stage_worth_waking(o->d->exec) * (o->finish ? 2.0 * PARTS * STAGES : 3.0 * EARLY);
  return half < 2.0 * half / o->d->exec->shares + waits;
}

static void run_all(struct branches *o)
{
  ali3_data *b = o->d;
  const ali3_exec *exec = b->exec;
  if (!b->combines) {
    run_branch(o, b, PARTS, &o->status, &o->increment);
    return;
  }
  const bool in_parallel = side_by_side(o);
  for (int i = 0; i < TWINS;
       i++) { /* in_parallel each other nobody is left to share their stages, nor may they ask */
    b->twin[i]->exec = in_parallel ? NULL : exec;
    b->twin[i]->probe = in_parallel ? NULL : b->probe;
  }
  if (in_parallel) {
    b->exec = NULL;
    exec->run(exec->context, share_of_branches, o);
    b->exec = exec;
    return;
  }
  run_twins(o);
  run_branch(o, b, PARTS, &o->status, &o->increment);
}

/* The twins where d is. Residuals and rates there only soft rows ask for, which come last in all arrays. */
static void start_twins(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  atomic_store_explicit(&d->soft.corner, false, memory_order_relaxed);
  if (!d->combines) { /* all that is needed is the way back */
    state_copy(m, &d->twin[0]->last, &d->now);
    return;
  }
  const bool soft = t->joint_tiles > t->rigid_tiles;
  const size_t J = soft ? t->tile[t->joint_tile[t->rigid_tiles]].jacobian : t->jacobian;
  for (int i = 0; i < TWINS; i++) {
    ali3_data *a = d->twin[i];
    state_copy(m, &a->now, &d->now);
    a->report = d->report;
    a->report.status = ALI3_OK;
    a->report.increment = 0.0;
    atomic_store_explicit(&a->soft.corner, false, memory_order_relaxed);
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
  for (int i = 0; i < TWINS; i++) {
    ali3_data *a = d->twin[i];
    a->rule = d->rule;
    a->soft.some_stiff = d->soft.some_stiff;
    a->combines = d->combines;
    a->report.status = ALI3_OK;
    memcpy(a->solve.delta, d->solve.delta, DELTA_NUMBERS * (size_t)f->tree->slots * sizeof *d->solve.delta);
    memcpy(a->solve.c, d->solve.c, (size_t)f->rows * sizeof *d->solve.c);
    inner_step_length(m, a, H / (i + 1));
  }
  inner_step_length(m, d, H / PARTS);
}

/* The worst of all branches, the shortest first. */
static int worst_status(const struct branches *o)
{
  int status = ALI3_OK;
  for (int i = 0; i < TWINS; i++) status = status_worse(status, o->d->twin[i]->report.status);
  return status_worse(status, o->status);
}

const ali3_data *extrapolate_failed(const ali3_data *d)
{
  for (int i = 0; i < TWINS && d->twin[i]; i++)
    if (d->twin[i]->report.status < 0) return d->twin[i];
  return d;
}

int extrapolate_prepare(const ali3_model *m, ali3_data *d)
{
  struct branches o = {.m = m, .d = d, .begin = true};
  start_twins(m, d);
  run_all(&o);
  return worst_status(&o);
}

void extrapolate_aim(const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < TWINS; i++) inner_aim(m, d->twin[i], d->twin[i]->rule.dt, i == 0);
  inner_aim(m, d, d->rule.dt, false);
}

static bool met_a_corner(const ali3_data *d)
{
  bool met = atomic_load_explicit(&d->soft.corner, memory_order_relaxed);
  for (int i = 0; i < TWINS; i++) met |= atomic_load_explicit(&d->twin[i]->soft.corner, memory_order_relaxed);
  return met;
}

/* From the ends of the branches to that of the step. False: a pivot is not positive. */
static bool meet_branches(const ali3_model *m, ali3_data *d)
{
  const struct norm_kernels *k = m->frozen->kernels[1]->norms;
  const int slots = m->frozen->tree->slots, rows = m->frozen->rows;
  const struct state *a = &d->twin[0]->now, *b = &d->twin[1]->now;
  /* the weighted sum of the three ends */
  if (!met_a_corner(d)) {
    k->combine(d->now.x, a->x, b->x, X_NUMBERS * slots);
    k->combine(d->now.mu, a->mu, b->mu, slots);
    k->combine(d->now.lambda, a->lambda, b->lambda, rows);
  }
  /* factors there, and back onto the constraints */
  stage_bodies(m, d, KERNEL_body_frame);
  data_mark_phase(d, ALI3_PHASE_ROWS);
  stage_rows(m, d);
  data_mark_phase(d, ALI3_PHASE_CONDENSE);
  bool good = stage_condense(m, d);
  data_mark_phase(d, ALI3_PHASE_PROJECT);
  if (!good) return false;
  project_position(m, d);
  stage_rows_end(m, d);
  project_velocity(m, d);
  if (d->soft.some_stiff)
    project_acceleration(m, d);
  else
    project_balance(m, d);
  project_reactions(m, d, d->now.lambda);
  return true;
}

int extrapolate_step(const ali3_model *m, ali3_data *d, double after, bool prepared, double *increment)
{
  struct branches o = {.m = m, .d = d, .after = after, .begin = !prepared, .finish = true};
  if (!prepared) start_twins(m, d);
  run_all(&o);
  *increment = o.increment;
  for (int i = 0; i < TWINS; i++) *increment = fmax(*increment, d->twin[i]->report.increment);
  const int result = worst_status(&o);
  if (result < 0) {
    d->report.worst_body = extrapolate_failed(d)->report.worst_body;
    return result;
  }
  return !d->combines || meet_branches(m, d) ? result : ALI3_E_SINGULAR;
}
