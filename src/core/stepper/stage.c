/* SPDX-License-Identifier: MIT
 * Loop code: runs stages, among them those that the step and the initial state share. Items of a stage never depend on each
 * other, so the number of shares does not change the result. */
#include "stepper/stage.h"
#include "base/float_mode.h"
#include "layout/storage.h"

#include <string.h>

bool stage_is_worth_waking(const ali3_data *d, double flops)
{
  return d->exec && d->exec->shares > 1 && flops >= stage_worth_waking(d->exec);
}

/* Returns the first of `count` items that belongs to a share. */
static int first_of(int count, int share, int shares)
{
  return (int)((long long)count * share / shares);
}

struct shared_work {
  share_of_work *work;
  void *arg;
};

/* The thread of a share belongs to the exec, and may have any floating-point mode. */
static void work_in_mode(void *arg, int share, int shares)
{
  const struct shared_work *o = arg;
  const uint64_t mode = float_mode_enter();
  o->work(o->arg, share, shares);
  float_mode_leave(mode);
}

void stage_share(const ali3_exec *exec, share_of_work *work, void *arg)
{
  struct shared_work o = {work, arg};
  exec->run(exec->context, work_in_mode, &o);
  (void)float_mode_enter(); /* run() may have changed it, with fesetround() or in a coroutine */
}

/* Runs the work in shares if it pays for waking the workers. False: the caller does it. */
static inline bool in_shares(const ali3_data *d, double flops, share_of_work *share, void *arg)
{
  if (!stage_is_worth_waking(d, flops)) return false;
  stage_share(d->exec, share, arg);
  return true;
}

/* --- kernels over tiles --- */

struct tiles {
  const ali3_model *m;
  ali3_data *d;
  struct tree_order stored,
      shared; /* in the order of the storage; in the order in which threads share them */
  int first, count;
  step_kernel *kernel[2]; /* for tiles with one lane, with all lanes */
};

/* Processes tiles first .. end-1, with one call for each run of equal width. */
static void run_tiles(const struct tiles *o, const struct tree_order *order, int first, int end)
{
  const struct tree_tile *tile = o->m->frozen->tree->tile;
  for (int i = first, next; i < end; i = next) {
    next = order->run_end[i] < end ? order->run_end[i] : end;
    o->kernel[tile[order->tile[i]].width > 1](o->m, o->d, order->tile + i, next - i);
  }
}

static void share_of_tiles(void *arg, int share, int shares)
{
  const struct tiles *o = arg;
  run_tiles(o, &o->shared, o->first + first_of(o->count, share, shares),
            o->first + first_of(o->count, share + 1, shares));
}

static const double body_flops[BODY_KERNEL_COUNT] = {
#define FLOPS(kernel, flops) [KERNEL_##kernel] = flops,
    BODY_KERNELS(FLOPS)};
static const double link_flops[LINK_KERNEL_COUNT] = {LINK_KERNELS(FLOPS)};

void stage_bodies(const ali3_model *m, ali3_data *d, enum body_kernel kernel)
{
  const struct frozen *f = m->frozen;
  const struct tree *t = f->tree;
  step_kernel *one = f->kernels[0]->body[kernel], *all = f->kernels[1]->body[kernel];
  struct tiles o = {m, d, t->stored_bodies, t->shared_bodies, 0, t->body_tiles, {one, all}};
  if (!in_shares(d, body_flops[kernel] * m->bodies, share_of_tiles, &o)) run_tiles(&o, &o.stored, 0, o.count);
}

/* Runs a kernel over link tiles first .. end-1, which have `rows` rows. */
static void run_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel, int first, int end,
                      int rows)
{
  const struct frozen *f = m->frozen;
  step_kernel *one = f->kernels[0]->link[kernel], *all = f->kernels[1]->link[kernel];
  const struct tree *t = f->tree;
  struct tiles o = {m, d, t->stored_joints, t->shared_joints, first, end - first, {one, all}};
  if (!in_shares(d, link_flops[kernel] * rows, share_of_tiles, &o)) run_tiles(&o, &o.stored, first, end);
}

void stage_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel)
{
  run_links(m, d, kernel, 0, m->frozen->tree->joint_tiles, m->frozen->true_rows);
}

void stage_rigid_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel)
{
  run_links(m, d, kernel, 0, m->frozen->tree->rigid_tiles, m->frozen->true_rows);
}

void stage_soft_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel)
{
  const struct frozen *f = m->frozen;
  run_links(m, d, kernel, f->tree->rigid_tiles, f->tree->joint_tiles, f->rows - f->rigid);
}

void stage_move(const ali3_model *m, ali3_data *d, enum body_kernel kernel)
{
  stage_bodies(m, d, kernel);
  d->here = d->spare;
}

/* --- bodies and links one by one --- */

struct items {
  const ali3_model *m;
  ali3_data *d;
  stage_item *item;
  int first, end;
};

static void share_of_items(void *arg, int share, int shares)
{
  const struct items *o = arg;
  int count = o->end - o->first, end = o->first + first_of(count, share + 1, shares);
  for (int i = o->first + first_of(count, share, shares); i < end; i++) o->item(o->m, o->d, i);
}

void stage_each(const ali3_model *m, ali3_data *d, stage_item *item, int first, int end, double flops)
{
  struct items o = {m, d, item, first, end};
  if (!in_shares(d, flops, share_of_items, &o)) share_of_items(&o, 0, 1);
}

/* --- rows --- */

void stage_rows(const ali3_model *m, ali3_data *d)
{
  stage_links(m, d, KERNEL_link_rows);
}

void stage_turns(const ali3_model *m, ali3_data *d, double span)
{
  d->turn_span = span;
  stage_rigid_links(m, d, KERNEL_link_turn);
}

void stage_rows_end(const ali3_model *m, ali3_data *d)
{
  const bool factors = m->frozen->jumps; /* the next factors need J */
  stage_links(m, d, factors ? KERNEL_link_rows : KERNEL_link_rows_end);
}

void stage_rows_push(const ali3_model *m, ali3_data *d)
{
  const bool factors = m->frozen->switches; /* the next factors need J */
  if (m->options.method == ALI3_METHOD_ENERGY)
    stage_links(m, d, KERNEL_link_mean_rows);
  else
    stage_links(m, d, factors ? KERNEL_link_rows_push : KERNEL_link_push_rows);
}

/* --- the tree --- */

static void probe_run(const ali3_data *d, int share, int run, bool begins)
{
  if (d->probe && d->probe->run) d->probe->run(d->probe->context, share, run, begins);
}

/* Groups first .. end-1 of the tree. */
typedef void run_item(const ali3_model *m, ali3_data *d, int first, int end);
struct runs {
  const ali3_model *m;
  ali3_data *d;
  run_item *item;
  const struct tree_band *band;
};

static void do_run(const ali3_model *m, ali3_data *d, run_item *item, int share, int run)
{
  const struct tree_run *r = &m->frozen->tree->run[run];
  probe_run(d, share, run, true);
  item(m, d, r->first, r->end);
  probe_run(d, share, run, false);
}

static void share_of_runs(void *arg, int share, int shares)
{
  const struct runs *job = arg;
  const struct tree_run *run = job->m->frozen->tree->run;
  const double all = tree_work_of(job->band->cost);
  double before = 0.0;
  for (int i = job->band->first; i < job->band->end; i++) {
    const double work = tree_work_of(run[i].cost);
    if (tree_share_of(before, work, all, shares) == share) do_run(job->m, job->d, job->item, share, i);
    before += work;
  }
}

/* Groups of several runs. They follow one after the other, so one call does all of them where nobody times each. */
static void runs_alone(const ali3_model *m, ali3_data *d, run_item *item, int first, int end, bool down)
{
  const struct tree *t = m->frozen->tree;
  if (first == end) return;
  if (!d->probe || !d->probe->run) {
    item(m, d, t->run[first].first, t->run[end - 1].end);
    return;
  }
  for (int i = 0; i < end - first; i++) do_run(m, d, item, 0, down ? end - 1 - i : first + i);
}

/* cost: of the work on the band */
static void do_band(const ali3_model *m, ali3_data *d, run_item *item, int band, double cost, bool down)
{
  const struct tree_band *b = &m->frozen->tree->band[band];
  struct runs job = {m, d, item, b};
  probe_run(d, 0, ALI3_RUNS_SHARED - band, true);
  if (!b->separate || b->end - b->first < 2 || !in_shares(d, cost, share_of_runs, &job))
    runs_alone(m, d, item, b->first, b->end, down);
  probe_run(d, 0, ALI3_RUNS_SHARED - band, false);
}

/* Nobody shares or times runs: one call does all of them. */
static bool runs_are_one(const ali3_data *d)
{
  return !d->exec && (!d->probe || !d->probe->run);
}

struct tree_matrix stage_matrix(const ali3_data *d)
{
  return (struct tree_matrix){
      .J = d->factored.J, .delta = d->solve.delta, .numbers = DELTA_NUMBERS, .c = d->solve.c};
}

static void condense_run(const ali3_model *m, ali3_data *d, int first, int end)
{
  const struct tree_matrix matrix = stage_matrix(d);
  int failed = tree_condense_groups(&m->frozen->solver, &d->solve.work, &matrix, first, end);
  int seen = atomic_load_explicit(&d->solve.failed_group, memory_order_relaxed);
  while (failed >= 0 && (seen < 0 || failed < seen) && /* the first failed group, for any number of shares */
         !atomic_compare_exchange_weak_explicit(&d->solve.failed_group, &seen, failed, memory_order_relaxed,
                                                memory_order_relaxed)) {
  }
}

bool stage_condense(const ali3_model *m, ali3_data *d)
{
  atomic_store_explicit(&d->solve.failed_group, -1, memory_order_relaxed);
  if (d->here.J == d->spare.J) d->spare = d->factored;
  d->factored = d->here;
  const struct tree *t = m->frozen->tree;
  if (runs_are_one(d)) condense_run(m, d, 0, t->groups);
  for (int i = 0; i < t->bands && !runs_are_one(d); i++) {
    do_band(m, d, condense_run, i, t->band[i].cost.condense, false);
    if (atomic_load_explicit(&d->solve.failed_group, memory_order_relaxed) >= 0) return false;
  }
  return atomic_load_explicit(&d->solve.failed_group, memory_order_relaxed) < 0;
}

static void up_run(const ali3_model *m, ali3_data *d, int first, int end)
{
  tree_up_groups(&m->frozen->solver, &d->solve.work, d->solve.beta, first, end);
}

static void down_run(const ali3_model *m, ali3_data *d, int first, int end)
{
  tree_down_groups(&m->frozen->solver, &d->solve.work, d->solve.z, first, end);
}

static void sweep_tree(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  if (runs_are_one(d)) {
    up_run(m, d, 0, t->groups);
    down_run(m, d, 0, t->groups);
    return;
  }
  for (int i = 0; i < t->bands; i++) do_band(m, d, up_run, i, t->band[i].cost.sweep, false);
  for (int i = t->bands - 1; i >= 0; i--) do_band(m, d, down_run, i, t->band[i].cost.sweep, true);
}

/* Clears the right-hand sides of carried bodies, also in unused lanes, where a result of body_response() would persist. */
static void copy_carried_rhs(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->stored_bodies.tile[i]];
    if (!tile->carried) continue;
    const double *rhs = d->solve.carried_rhs + (size_t)tile->slot * BODY_Y;
    memcpy(d->solve.beta + tile->at, rhs, (size_t)(BODY_Y * tile->width) * sizeof *rhs);
  }
}

void stage_solve(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  if (t->carried) copy_carried_rhs(m, d);
  sweep_tree(m, d);
  if (!d->solve.response) return; /* no carried bodies and no held hubs: refinement gains nothing */
  stage_links(m, d, KERNEL_link_rest_z);
  stage_bodies(m, d, KERNEL_body_response);
  stage_links(m, d, KERNEL_link_residual);
  sweep_tree(m, d);
  for (int i = 0; i < (t->carried ? t->unknowns : t->rows); i++) d->solve.z[i] += d->solve.z_first[i];
}
