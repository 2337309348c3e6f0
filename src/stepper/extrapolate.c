/* SPDX-License-Identifier: MIT
 * Loop code: an extrapolated inner step. From the same start
 *
 *   a   one inner step over dt, on the twin of the data
 *   b   two of half the length
 *
 * then (4 b - a)/3, moved back onto the constraints: the leading error of both cancels. Neither branch looks at
 * what the other one writes, each has delta and c of its own length for good, and both are gone through to
 * their ends: side by side, where a worker is worth waking, they come to the same bits. */
#include "stepper/kernels.h"

#include <math.h>
#include <string.h>

struct branches {
  const ali3_model *m;
  ali3_data *d;
  double after;       /* the start of the step: where they begin, s */
  bool begin, finish; /* up to the factors of the first inner step of each; what comes then */
  int status;         /* of b; of a it is in the twin's report */
  double increment;   /* likewise */
};

static void long_branch(const struct branches *o)
{
  ali3_data *a = o->d->twin;
  if (o->begin) {
    inner_aim(o->m, a, o->after + a->rule.dt, false);
    if (!inner_prepare(o->m, a)) a->report.status = ALI3_E_SINGULAR;
  }
  if (o->finish && a->report.status >= 0) a->report.increment = inner_iterate(o->m, a, &a->report.status);
}

static void half_branch(struct branches *o)
{
  ali3_data *b = o->d;
  for (int half = 0; half < 2 && o->status >= 0; half++) {
    int status = ALI3_OK;
    if (half > 0 || o->begin) {
      inner_aim(o->m, b, o->after + b->rule.dt * (half + 1), false);
      if (!inner_prepare(o->m, b)) status = ALI3_E_SINGULAR;
    }
    if (o->finish && status >= 0) o->increment = fmax(o->increment, inner_iterate(o->m, b, &status));
    o->status = step_worse(o->status, status);
    if (!o->finish) break;
  }
}

static void share_of_branches(void *arg, int share, int shares)
{
  (void)shares;
  if (share == 0) half_branch(arg);
  if (share == 1) long_branch(arg);
}

/* b is at the least two of three parts: that has to beat all parts one after the other with their stages in shares,
 * which costs a wait for each of them. And a has to be worth waking someone who sleeps: nothing of a small
 * mechanism keeps workers awake. */
static bool side_by_side(const struct branches *o)
{
  enum {
    STAGES = 50, /* of an inner step; of a prediction less by far */
    DROWSY = 3   /* times as long to come as one that spins */
  };
  const struct frozen *f = o->m->frozen;
  double rows = f->true_rows, bodies = o->m->bodies, iterations = o->m->options.iterations;
  double predict = f->tree->flops + 60.0 * rows + 150.0 * bodies;
  double iterate = iterations * (0.4 * f->tree->flops + 150.0 * rows + 450.0 * bodies);
  double a = (o->begin ? predict : 0.0) + (o->finish ? iterate : 0.0);
  double b = a + (o->finish ? predict + iterate : 0.0);
  if (!stage_is_worth_waking(o->d, a / DROWSY)) return false;
  double waits = stage_worth_waking(o->d->exec) * (o->finish ? 3.0 * STAGES : 2.0);
  return b < (a + b) / o->d->exec->shares + waits;
}

static void go(struct branches *o)
{
  ali3_data *a = o->d->twin, *b = o->d;
  const ali3_exec *exec = b->exec;
  if (side_by_side(o)) { /* nobody is left to share their stages, nor may they ask */
    a->exec = b->exec = NULL;
    a->probe = NULL;
    exec->run(exec->context, share_of_branches, o);
    b->exec = exec;
    return;
  }
  a->exec = exec;
  a->probe = b->probe;
  long_branch(o);
  half_branch(o);
}

/* The twin where d is. Residuals and rates there only soft rows ask for, which come last in all arrays. */
static void start_twin(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  ali3_data *a = d->twin;
  step_keep(m, &a->now, &d->now);
  a->report = d->report;
  a->report.status = ALI3_OK;
  if (t->joint_tiles == t->rigid_tiles) return;
  size_t J = t->tile[t->joint_tile[t->rigid_tiles]].jacobian;
  memcpy(a->Phi + t->rigid, d->Phi + t->rigid, (size_t)(t->rows - t->rigid) * sizeof *d->Phi);
  memcpy(a->J + J, d->J + J, (t->jacobian - J) * sizeof *d->J);
}

void extrapolate_lengths(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  ali3_data *a = d->twin;
  double dt = m->options.dt / m->options.substeps;
  a->rule = d->rule;
  a->some_stiff = d->some_stiff;
  memcpy(a->delta, d->delta, DELTA_NUMBERS * (size_t)f->tree->slots * sizeof *d->delta);
  memcpy(a->c, d->c, (size_t)f->rows * sizeof *d->c);
  inner_step_length(m, a, dt);
  inner_step_length(m, d, 0.5 * dt);
}

int extrapolate_prepare(const ali3_model *m, ali3_data *d)
{
  struct branches o = {.m = m, .d = d, .begin = true};
  start_twin(m, d);
  go(&o);
  return d->twin->report.status < 0 ? d->twin->report.status : o.status;
}

void extrapolate_aim(const ali3_model *m, ali3_data *d)
{
  inner_aim(m, d->twin, d->twin->rule.dt, true);
  inner_aim(m, d, d->rule.dt, false);
}

/* From the ends of both branches to that of the step. False: a pivot is not positive. */
static bool meet(const ali3_model *m, ali3_data *d)
{
  const struct step_norm_kernels *k = m->frozen->kernels[1]->norms;
  int slots = m->frozen->tree->slots, rows = m->frozen->rows;
  const struct kept *a = &d->twin->now;
  k->extrapolate(d->now.x, a->x, X_NUMBERS * slots);
  k->extrapolate(d->now.mu, a->mu, slots);
  k->extrapolate(d->now.lambda, a->lambda, rows);
  k->extrapolate(d->now.reaction, a->reaction, rows);
  STAGE_BODIES(m, d, body_frame, 60.0 * m->bodies);
  step_mark(d, ALI3_PHASE_ROWS);
  stage_rows(m, d);
  step_mark(d, ALI3_PHASE_CONDENSE);
  bool good = stage_condense(m, d);
  step_mark(d, ALI3_PHASE_PROJECT);
  if (!good) return false;
  project_position(m, d);
  stage_rows_end(m, d);
  project_velocity(m, d);
  project_acceleration(m, d);
  project_reactions(m, d, d->now.reaction);
  return true;
}

int extrapolate_step(const ali3_model *m, ali3_data *d, double after, bool prepared, double *increment)
{
  struct branches o = {.m = m, .d = d, .after = after, .begin = !prepared, .finish = true};
  const ali3_report *a = &d->twin->report;
  if (!prepared) start_twin(m, d);
  d->midway = d->twin->midway = true;
  go(&o);
  d->midway = false;
  *increment = fmax(a->increment, o.increment);
  if (a->status < 0) {
    d->report.worst_body = a->worst_body;
    return a->status;
  }
  int result = step_worse(a->status, o.status);
  return result >= 0 && !meet(m, d) ? ALI3_E_SINGULAR : result;
}
