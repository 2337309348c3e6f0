/* SPDX-License-Identifier: MIT
 * A case runs several times from one start: to warm up, to time whole steps, to time their phases, to count instructions. All
 * runs except the first must end in one state. */
#include "bench.h"
#include "common/ranks.h"

#include "base/isa.h"
#include "rt/clock.h"
#include "rt/pool.h"
#include "workers/workers_choose.h"

#include <ali3/model.h>
#include <ali3/profile.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* A mechanism restarts after this many steps, so that each number of steps times the first 5 s of the motion. */
enum { LAP = 500 };

enum { CALIBRATIONS = 16 }; /* before the timed runs, between them, and after */

/* m or 1. A step that leaves its rows open by more than this is wrong. */
static const double CONSTRAINTS_MET = 1e-6;

struct times times_of(uint32_t *ns, int n)
{
  qsort(ns, (size_t)n, sizeof *ns, compare_times_ns);
  return (struct times){percentile_us(ns, n, 0), percentile_us(ns, n, 0.5), percentile_us(ns, n, 0.99),
                        percentile_us(ns, n, 1)};
}

static uint32_t elapsed_ns(uint64_t begin, uint64_t end)
{
  return end - begin < UINT32_MAX ? (uint32_t)(end - begin) : UINT32_MAX;
}

/* FNV-1a over the states of all bodies. */
static uint64_t state_checksum(const ali3_model *m, const ali3_data *d)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x;
    ali3_body_get(m, d, b, &x);
    const unsigned char *byte = (const unsigned char *)&x;
    for (size_t i = 0; i < sizeof x; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

struct bench {
  const char *name;
  const ali3_model *m;
  ali3_data *d;
  int steps;
};

static bool fail_case(const struct bench *b, const char *text)
{
  fprintf(stderr, "ali3-bench: %s: %s\n", b->name, text);
  return false;
}

/* Checks a reset or a step. */
static bool went_well(const struct bench *b)
{
  const ali3_report *r = ali3_data_report(b->d);
  char text[400], reason[320];
  if (r->status >= 0 && r->position <= CONSTRAINTS_MET) return true;
  ali3_report_text(b->m, b->d, reason, sizeof reason);
  snprintf(text, sizeof text, "at %g s: constraints open by %.3g; %s", r->time, r->position, reason);
  return fail_case(b, text);
}

/* Call before step i. */
static bool begin_step(const struct bench *b, int i)
{
  if (i % LAP > 0) return true;
  ali3_reset(b->m, b->d);
  return went_well(b);
}

static bool warm_up(const struct bench *b)
{
  int steps = b->steps < 100 ? b->steps : 100;
  for (int i = 0; i < steps; i++) {
    if (!begin_step(b, i)) return false;
    ali3_step(b->m, b->d);
    if (!went_well(b)) return false;
  }
  return true;
}

static bool time_whole_steps(const struct bench *b, uint32_t *ns, struct figures *f)
{
  uint32_t *whole = ns, *feedback = ns + b->steps;
  for (int i = 0; i < b->steps; i++) {
    if (!begin_step(b, i)) return false;
    uint64_t begin = clock_now_ns();
    int status = ali3_prepare(b->m, b->d);
    uint64_t latch = clock_now_ns();
    if (status >= 0) ali3_feedback(b->m, b->d);
    uint64_t end = clock_now_ns();
    if (!went_well(b)) return false;
    whole[i] = elapsed_ns(begin, end);
    feedback[i] = elapsed_ns(latch, end);
  }
  f->step = times_of(whole, b->steps);
  f->feedback = times_of(feedback, b->steps);
  f->checksum = state_checksum(b->m, b->d);
  return true;
}

struct watch {
  ali3_phase phase;
  uint64_t since;
  uint64_t ns[ALI3_PHASES];
};

static void mark_phase(void *context, ali3_phase phase)
{
  struct watch *w = context;
  uint64_t now = clock_now_ns();
  w->ns[w->phase] += now - w->since;
  w->phase = phase;
  w->since = now;
}

static bool time_phases(const struct bench *b, uint32_t *ns, struct figures *f)
{
  struct watch w;
  const ali3_probe probe = {.context = &w, .mark = mark_phase};
  bool good = true;
  ali3_data_set_probe(b->d, &probe);
  for (int i = 0; good && i < b->steps; i++) {
    good = begin_step(b, i);
    w = (struct watch){.phase = ALI3_PHASE_IDLE, .since = clock_now_ns()};
    ali3_step(b->m, b->d);
    for (int k = 0; k < ALI3_PHASE_IDLE; k++)
      ns[(size_t)k * (size_t)b->steps + (size_t)i] = elapsed_ns(0, w.ns[k]);
    good = good && went_well(b);
  }
  ali3_data_set_probe(b->d, NULL);
  for (int k = 0; k < ALI3_PHASE_IDLE && good; k++)
    f->phase[k] = times_of(ns + (size_t)k * (size_t)b->steps, b->steps).median;
  return good;
}

/* Runs the steps without readings of the clock. */
static bool count_instructions(const struct bench *b, struct figures *f)
{
  int counter = counter_open();
  f->instructions = NAN;
  if (counter < 0) return true;
  double sum = 0.0;
  bool good = true;
  for (int i = 0; good && i < b->steps; i += LAP) {
    good = begin_step(b, i);
    counter_start(counter);
    for (int k = i; k < b->steps && k < i + LAP; k++) ali3_step(b->m, b->d);
    sum += counter_stop(counter);
    good = good && went_well(b);
  }
  f->instructions = sum / b->steps;
  counter_close(counter);
  return good;
}

static bool same_end(const struct bench *b, const struct figures *f)
{
  return state_checksum(b->m, b->d) == f->checksum ||
         fail_case(b, "two runs of the same steps end in different states");
}

/* Separate from the phases, whose readings of the clock would count here. */
static bool time_levels(const struct bench *b, struct figures *f)
{
  struct level_watch *w = levels_watch(b->m, f->workers + 1, b->steps);
  bool good = w != NULL || fail_case(b, "out of memory");
  if (w) ali3_data_set_probe(b->d, levels_probe(w));
  for (int i = 0; good && i < b->steps; i++) {
    good = begin_step(b, i);
    ali3_step(b->m, b->d);
    levels_step_done(w);
    good = good && went_well(b);
  }
  ali3_data_set_probe(b->d, NULL);
  if (good && !(f->levels = levels_take(w))) good = fail_case(b, "out of memory");
  levels_unwatch(w);
  return good;
}

static bool run_case(const struct bench *b, bool report, struct figures *f)
{
  uint32_t yard[3 * CALIBRATIONS];
  uint32_t *ns = malloc(ALI3_PHASE_IDLE * (size_t)b->steps * sizeof *ns);
  if (!ns) return fail_case(b, "out of memory");
  /* Alternate the runs with the calibration. */
  bool good = warm_up(b);
  bool right = calibrate(yard, CALIBRATIONS);
  good = good && time_whole_steps(b, ns, f);
  right &= calibrate(yard + CALIBRATIONS, CALIBRATIONS);
  good = good && time_phases(b, ns, f) && same_end(b, f);
  right &= calibrate(yard + 2 * CALIBRATIONS, CALIBRATIONS);
  good = good && count_instructions(b, f) && same_end(b, f);
  if (report) good = good && time_levels(b, f) && same_end(b, f);
  /* The median calibration is the speed of the machine. */
  f->calibration = times_of(yard, 3 * CALIBRATIONS).median;
  free(ns);
  return good &&
         (right || fail_case(b, "calibration: wrong result; the processor or the build computes wrongly"));
}

/* Share of the lanes of the instruction set that hold a node; each stage counts by its operations. */
static double lanes_used(const ali3_model *m)
{
  enum isa isa;
  if (!isa_from_name(ali3_model_isa(m), &isa)) return NAN;
  double used = 0.0, computed = 0.0;
  for (int i = 0; i < ali3_model_stages(m); i++) {
    const ali3_stage s = ali3_model_stage(m, i);
    used += s.flops;
    computed += s.flops * s.groups * isa_lanes(isa) / s.nodes;
  }
  return used / computed;
}

ali3_options plan_options(const struct plan *plan)
{
  ali3_options o = ali3_options_default();
  if (plan->method) o.method = ali3_method_named(plan->method);
  o.extrapolate = plan->extrapolate;
  snprintf(o.isa, sizeof o.isa, "%s", isa_option(plan->isa));
  return o;
}

/* The chain of 128 bodies that other mechanisms are compared with. */
struct chain {
  struct bench bench;
  ali3_model *m;
  uint32_t *ns; /* times of its steps before the case, then after it */
};

static bool chain_begin(struct chain *c, const struct plan *plan)
{
  const ali3_options options = plan_options(plan);
  *c = (struct chain){.m = case_model(&bench_case[0], 0, &options)};
  if (!c->m) return false;
  c->ns = malloc(2 * (size_t)plan->steps * sizeof *c->ns);
  c->bench = (struct bench){.name = "chain", .m = c->m, .d = ali3_data_new(c->m), .steps = plan->steps};
  return (c->ns && c->bench.d) || fail_case(&c->bench, "out of memory");
}

static bool chain_time(struct chain *c, uint32_t *ns)
{
  const struct bench *b = &c->bench;
  bool good = warm_up(b);
  for (int i = 0; good && i < b->steps; i++) {
    good = begin_step(b, i);
    uint64_t begin = clock_now_ns();
    ali3_step(b->m, b->d);
    ns[i] = elapsed_ns(begin, clock_now_ns());
  }
  return good && went_well(b);
}

static double chain_body_us(const struct chain *c)
{
  return times_of(c->ns, 2 * c->bench.steps).median / ali3_model_bodies(c->m);
}

static void chain_end(struct chain *c)
{
  free(c->ns);
  if (c->m) ali3_data_free(c->bench.d);
  ali3_model_free(c->m);
}

struct pool_config bench_pool(int workers)
{
  struct sched_param own = {0};
  if (sched_getscheduler(0) == SCHED_FIFO) sched_getparam(0, &own);
  return (struct pool_config){.workers = workers, .priority = own.sched_priority, .first_cpu = -1};
}

static int chosen_workers(const ali3_model *m)
{
  const struct choose_plan plan = {.pool = bench_pool(0), .most = choose_most(-1)};
  struct choice choice;
  choose_workers(m, &plan, &choice);
  return choice.workers;
}

bool measure(const struct bench_case *c, const struct plan *plan, int workers, struct figures *f)
{
  /* Build the mechanism. */
  char error[256] = "out of memory";
  const ali3_options options = plan_options(plan);
  ali3_model *m = c->build ? case_model(c, plan->bodies, &options) : file_model(c->name, plan);
  struct chain chain = {.m = NULL};
  if (!m || !chain_begin(&chain, plan)) {
    chain_end(&chain);
    ali3_model_free(m);
    return false;
  }
  /* Start the workers. */
  const struct pool_config config = bench_pool(workers == BENCH_AUTO ? chosen_workers(m) : workers);
  struct pool *pool = pool_new(&config, error, sizeof error);
  struct bench b = {.name = c->name, .m = m, .d = ali3_data_new(m), .steps = plan->steps};
  /* Describe the case. */
  bool good = pool && b.d;
  *f = (struct figures){.name = c->name,
                        .isa = ali3_model_isa(m),
                        .bodies = ali3_model_bodies(m),
                        .rows = ali3_model_rows(m),
                        .workers = config.workers,
                        .workers_chosen = workers == BENCH_AUTO,
                        .method = ali3_method_name(ali3_model_options(m)->method),
                        .extrapolated = plan->extrapolate,
                        .bytes_per_body = (double)ali3_data_size(m) / ali3_model_bodies(m),
                        .flops = ali3_model_flops(m),
                        .lanes_used = lanes_used(m)};
  /* Run it. */
  if (!good) fail_case(&b, error);
  if (good && config.workers > 0) ali3_data_set_exec(b.d, pool_exec(pool));
  good = good && chain_time(&chain, chain.ns) && run_case(&b, plan->report, f) &&
         chain_time(&chain, chain.ns + plan->steps);
  if (good) f->chain_ratio = f->step.median / f->bodies / chain_body_us(&chain);
  if (!good) levels_free(f->levels);
  chain_end(&chain);
  ali3_data_free(b.d);
  pool_free(pool);
  ali3_model_free(m);
  return good;
}
