/* SPDX-License-Identifier: MIT
 * Loop code: running stages, and those shared by the step and the initial state. Items of a stage never
 * depend on each other, so shares change nothing in the result. */
#include "stepper/kernels.h"
#include "stepper/storage.h"

#include <string.h>

bool stage_is_worth_waking(const ali3_data *d, double flops)
{
  return d->exec && d->exec->shares > 1 && flops >= stage_worth_waking(d->exec);
}

static void in_shares(const ali3_data *d, void (*work)(void *job, int share, int shares), void *job,
                      double flops)
{
  if (stage_is_worth_waking(d, flops))
    d->exec->run(d->exec->context, work, job);
  else
    work(job, 0, 1);
}

/* Of `count` items the first of a share. */
static int first_of(int count, int share, int shares)
{
  if (shares == 1) return share * count; /* a division takes as long as a small tile */
  return (int)((long long)count * share / shares);
}

struct items {
  const ali3_model *m;
  ali3_data *d;
  stage_item *item;
  int first, end;
};

static void share_of_items(void *arg, int share, int shares)
{
  const struct items *job = arg;
  int count = job->end - job->first, end = job->first + first_of(count, share + 1, shares);
  for (int i = job->first + first_of(count, share, shares); i < end; i++) job->item(job->m, job->d, i);
}

void stage_each(const ali3_model *m, ali3_data *d, stage_item *item, int first, int end, double flops)
{
  struct items job = {m, d, item, first, end};
  in_shares(d, share_of_items, &job, flops);
}

struct tiles {
  const ali3_model *m;
  ali3_data *d;
  const int *tile, *stretch;
  int count;
  const char *table[2]; /* of kernels, by the lanes of a tile: one, all */
  size_t kernel;        /* in it */
};

static void share_of_tiles(void *arg, int share, int shares)
{
  const struct tiles *job = arg;
  const struct tree *t = job->m->frozen->tree;
  int end = first_of(job->count, share + 1, shares);
  for (int i = first_of(job->count, share, shares), next; i < end; i = next) {
    next = job->stretch[i] < end ? job->stretch[i] : end;
    step_kernel *const *kernel = (const void *)(job->table[t->tile[job->tile[i]].width > 1] + job->kernel);
    (*kernel)(job->m, job->d, job->tile + i, next - i);
  }
}

void stage_bodies(const ali3_model *m, ali3_data *d, size_t kernel, double flops)
{
  const struct frozen *f = m->frozen;
  struct tiles job = {m,
                      d,
                      f->tree->body_tile,
                      f->tree->body_stretch,
                      f->tree->body_tiles,
                      {(const char *)f->kernels[0]->bodies, (const char *)f->kernels[1]->bodies},
                      kernel};
  in_shares(d, share_of_tiles, &job, flops);
}

void stage_move(const ali3_model *m, ali3_data *d, size_t kernel, double flops)
{
  d->frame_to = d->frame == d->frame_f ? d->frame_other : d->frame;
  stage_bodies(m, d, kernel, flops);
  if (d->frame_to == d->frame) return;
  d->frame_other = d->frame;
  d->frame = d->frame_to;
}

static void links(const ali3_model *m, ali3_data *d, size_t kernel, int tiles, double flops)
{
  const struct frozen *f = m->frozen;
  struct tiles job = {m,
                      d,
                      f->tree->joint_tile,
                      f->tree->joint_stretch,
                      tiles,
                      {(const char *)f->kernels[0]->links, (const char *)f->kernels[1]->links},
                      kernel};
  in_shares(d, share_of_tiles, &job, flops);
}

void stage_links(const ali3_model *m, ali3_data *d, size_t kernel, double flops)
{
  links(m, d, kernel, m->frozen->tree->joint_tiles, flops);
}

void stage_rigid_links(const ali3_model *m, ali3_data *d, size_t kernel, double flops)
{
  links(m, d, kernel, m->frozen->tree->rigid_tiles, flops);
}

static void rows(const ali3_model *m, ali3_data *d, size_t kernel)
{
  if (d->J == d->Jf) { /* the factors keep theirs */
    d->J = d->J_other;
    d->J_other = d->Jf;
  }
  stage_links(m, d, kernel, 60.0 * m->frozen->true_rows);
}

void stage_rows(const ali3_model *m, ali3_data *d)
{
  rows(m, d, offsetof(struct step_link_kernels, link_rows));
}

void stage_rows_end(const ali3_model *m, ali3_data *d)
{
  if (m->frozen->jumps || d->some_stiff) /* the factors will be made anew from J */
    stage_rows(m, d);
  else
    rows(m, d, offsetof(struct step_link_kernels, link_rows_end));
}

void stage_rows_push(const ali3_model *m, ali3_data *d)
{
  if (m->frozen->switches) /* the factors will be made anew from J */
    rows(m, d, offsetof(struct step_link_kernels, link_rows_push));
  else
    rows(m, d, offsetof(struct step_link_kernels, link_push_rows));
}

static void probe_run(const ali3_data *d, int share, int run, bool begins)
{
  if (d->probe && d->probe->run) d->probe->run(d->probe->context, share, run, begins);
}

/* A run of the tree's schedule. */
typedef void run_item(const ali3_model *m, ali3_data *d, int run);
struct runs {
  const ali3_model *m;
  ali3_data *d;
  run_item *item;
  double flops;
};

static void do_run(const ali3_model *m, ali3_data *d, run_item *item, int share, int run)
{
  probe_run(d, share, run, true);
  item(m, d, run);
  probe_run(d, share, run, false);
}

/* Runs one after the other that make up some 1/shares of the work. */
static void share_of_runs(void *arg, int share, int shares)
{
  const struct runs *job = arg;
  const struct tree *t = job->m->frozen->tree;
  double before = 0.0;
  for (int run = 0; run < t->owned && shares == 1; run++) do_run(job->m, job->d, job->item, share, run);
  if (shares == 1) return;
  for (int run = 0; run < t->owned; run++) {
    double middle = before + 0.5 * t->run[run].flops;
    int own = job->flops > 0.0 ? (int)(shares * (middle / job->flops)) : 0;
    before += t->run[run].flops;
    if ((own < shares ? own : shares - 1) == share) do_run(job->m, job->d, job->item, share, run);
  }
}

/* work: relative to a condensation */
static void owned_runs(const ali3_model *m, ali3_data *d, run_item *item, double work)
{
  struct runs job = {m, d, item, m->frozen->tree->owned_flops};
  probe_run(d, 0, ALI3_RUNS_SHARED, true);
  in_shares(d, share_of_runs, &job, m->frozen->tree->owned > 1 ? work * job.flops : 0.0);
  probe_run(d, 0, ALI3_RUNS_SHARED, false);
}

static void condense_run(const ali3_model *m, ali3_data *d, int run)
{
  const struct tree_matrix matrix = {.J = d->Jf, .delta = d->delta, .numbers = DELTA_NUMBERS, .c = d->c};
  const struct tree_run *r = &m->frozen->tree->run[run];
  int failed = tree_condense_groups(&m->frozen->solver, &d->work, &matrix, r->first, r->end);
  int seen = atomic_load_explicit(&d->failed_group, memory_order_relaxed);
  while (failed >= 0 && (seen < 0 || failed < seen) && /* the first, whatever the shares */
         !atomic_compare_exchange_weak_explicit(&d->failed_group, &seen, failed, memory_order_relaxed,
                                                memory_order_relaxed)) {
  }
}

bool stage_condense(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  atomic_store_explicit(&d->failed_group, -1, memory_order_relaxed);
  d->Jf = d->J;
  d->frame_f = d->frame;
  owned_runs(m, d, condense_run, 1.0);
  for (int run = t->owned; run < t->runs; run++) {
    if (atomic_load_explicit(&d->failed_group, memory_order_relaxed) >= 0) return false;
    do_run(m, d, condense_run, 0, run);
  }
  return atomic_load_explicit(&d->failed_group, memory_order_relaxed) < 0;
}

static void up_run(const ali3_model *m, ali3_data *d, int run)
{
  const struct tree_run *r = &m->frozen->tree->run[run];
  tree_up_groups(&m->frozen->solver, &d->work, d->beta, r->first, r->end);
}

static void down_run(const ali3_model *m, ali3_data *d, int run)
{
  const struct tree_run *r = &m->frozen->tree->run[run];
  tree_down_groups(&m->frozen->solver, &d->work, d->z, r->first, r->end);
}

static const double SWEEP = 0.2; /* work of one sweep of a run, relative to its condensation */

static void sweep(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  owned_runs(m, d, up_run, SWEEP);
  for (int run = t->owned; run < t->runs; run++) do_run(m, d, up_run, 0, run);
  for (int run = t->runs - 1; run >= t->owned; run--) do_run(m, d, down_run, 0, run);
  owned_runs(m, d, down_run, SWEEP);
}

/* Right-hand sides of carried bodies, of lanes not in use too: what body_response() left there would last. */
static void pull_carried(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->body_tile[i]];
    if (!tile->carried) continue;
    const double *pull = d->pull + (size_t)tile->slot * BODY_Y;
    memcpy(d->beta + tile->at, pull, (size_t)(BODY_Y * tile->width) * sizeof *pull);
  }
}

void stage_solve(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  double rows = m->frozen->true_rows;
  if (t->carried) pull_carried(m, d);
  sweep(m, d);
  if (!d->response) return; /* no hubs: as good as it gets */
  STAGE_LINKS(m, d, link_rest_z, 14.0 * rows);
  STAGE_BODIES(m, d, body_response, 40.0 * m->bodies);
  STAGE_LINKS(m, d, link_residual, 30.0 * rows);
  sweep(m, d);
  for (int i = 0; i < (t->carried ? t->unknowns : t->rows); i++) d->z[i] += d->z_kept[i];
}
