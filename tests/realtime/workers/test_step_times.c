/* SPDX-License-Identifier: MIT
 * The clock advances by one tick at each reading: the times are exact, however busy the host is. */
#include "check.h"
#include "workers/step_times.h"

#include "base/arena.h"
#include "common/toys.h"

#include <ali3/profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6, CONDENSE = 2, SWEEP = 3, PROJECT = 5, STEPS = 3 };
static const uint64_t TICK = 100;

static uint64_t ticks;
static uint64_t ticking_ns(void)
{
  return TICK * ++ticks;
}

struct bench {
  ali3_model *model;
  ali3_data *data;
  struct histograms *histograms;
  struct pool *pool;
  ali3_exec exec;
  struct step_times times;
};

/* worth: see ali3_exec; 0 without workers. */
static void open(struct bench *b, ali3_model *m, int workers, double worth)
{
  char error[256];
  *b = (struct bench){
      .model = m, .data = toy_start(m, ALI3_OK), .histograms = aligned_zalloc(sizeof *b->histograms)};
  assert_non_null(b->histograms);
  if (workers > 0) {
    b->pool = pool_new(&(struct pool_config){workers, 0, -1, 0}, error, sizeof error);
    assert_non_null(b->pool);
    b->exec = *pool_exec(b->pool);
    b->exec.worth = worth;
    ali3_data_set_exec(b->data, &b->exec);
  }
  step_times_init(&b->times, m, b->histograms, b->pool, 0, ticking_ns);
  ali3_data_set_probe(b->data, &b->times.probe);
}

static void close(struct bench *b)
{
  ali3_data_free(b->data);
  pool_free(b->pool);
  free(b->histograms);
  ali3_model_free(b->model);
}

/* The chain of toy_chain() with extrapolated steps. */
static ali3_model *extrapolated(int links)
{
  ali3_options options = ali3_options_default();
  options.extrapolate = true;
  ali3_model *m = ali3_model_new();
  char name[32];
  for (int i = 0; i < links; i++) {
    snprintf(name, sizeof name, "b%d", i);
    const ali3_body_spec body = toy_body(name, (const double[]){i + 0.5, 0.0, 0.0}, 1.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &body));
    snprintf(name, sizeof name, "J%d", i);
    toy_spherical(m, name, i == 0 ? ALI3_GROUND : i - 1, (const double[]){i == 0 ? 0.0 : 0.5, 0.0, 0.0}, i,
                  (const double[]){-0.5, 0.0, 0.0});
  }
  toy_freeze_with(m, &options);
  return m;
}

static int find(const struct histograms *histograms, const char *name)
{
  int found = -1;
  for (uint64_t i = 0; i < histograms->levels; i++)
    if (strcmp(histograms->level[i].name, name) == 0) {
      assert_int_equal(found, -1); /* once */
      found = (int)i;
    }
  return found;
}

/* --- names --- */

static int nodes_of(const ali3_model *m)
{
  int nodes = 0;
  for (int i = 0; i < ali3_model_stages(m); i++) nodes += ali3_model_stage(m, i).nodes;
  return nodes;
}

/* Bands that threads share. They come first. */
static int bands_of(const ali3_model *m)
{
  int bands = 0;
  while (bands < ali3_model_bands(m) && ali3_model_band(m, bands).separate) bands++;
  for (int i = bands; i < ali3_model_bands(m); i++) assert_false(ali3_model_band(m, i).separate);
  return bands;
}

/* Rows of the tree. */
static int rows_of(const ali3_model *m)
{
  const int bands = bands_of(m), alone = bands > 0 ? ali3_model_band(m, bands - 1).end : 0;
  return bands + ali3_model_stages(m) - alone;
}

static void check_names(ali3_model *m, int workers)
{
  static const char *const kind[KINDS] = {"predict", "rows", "condense", "sweep", "bodies", "project"};
  const int bands = bands_of(m);
  struct bench b;
  uint32_t nodes = 0;
  int last_level = -1;
  open(&b, m, workers, 0.0);
  assert_true(b.histograms->levels <= LEVELS_MAX);
  for (int i = 0; i < KINDS; i++) {
    assert_int_equal(find(b.histograms, kind[i]), i);
    assert_int_equal(b.histograms->level[i].nodes, 0);
    assert_int_equal(b.histograms->level[i].shared, workers > 0);
  }
  assert_int_equal(find(b.histograms, "subtrees"), bands > 0 ? KINDS : -1);
  assert_int_equal(find(b.histograms, "subtrees 2"), bands > 1 ? KINDS + 1 : -1);
  for (uint64_t i = KINDS; i < b.histograms->levels; i++) {
    const struct book_level *row = &b.histograms->level[i];
    const bool subtrees = (int)i < KINDS + bands;
    int level = last_level;
    find(b.histograms, row->name);
    assert_true(row->nodes > 0);
    assert_int_equal(row->shared, subtrees && workers > 0);
    nodes += row->nodes;
    if (!subtrees && i < LEVELS_MAX - 1) assert_int_equal(sscanf(row->name, "level %d", &level), 1);
    assert_true(level >= last_level); /* each comes after its children */
    last_level = level;
  }
  assert_int_equal(nodes, nodes_of(m));
  close(&b);
}

TEST(rows_are_named)
{
  check_names(toy_chain(128, true, 0.01), 0);
  check_names(toy_chain(128, true, 0.01), 1);
  check_names(toy_chain(3, true, 0.01), 0);
  check_names(toy_random(1, 40, 12), 1); /* loops */
  check_names(toy_random(2, 200, 60), 0);
  check_names(toy_random(5, 400, 30), 1); /* several bands */
}

TEST(more_levels_than_rows)
{
  struct bench b;
  ali3_model *m = toy_random(3, 250, 230);
  if (KINDS + rows_of(m) <= LEVELS_MAX) fail_msg("%d rows", rows_of(m));
  open(&b, m, 0, 0.0);
  assert_int_equal(b.histograms->levels, LEVELS_MAX);
  assert_string_equal(b.histograms->level[LEVELS_MAX - 1].name, "levels above");
  uint32_t nodes = 0;
  for (int i = KINDS; i < LEVELS_MAX; i++) nodes += b.histograms->level[i].nodes;
  assert_int_equal(nodes, nodes_of(m));
  ali3_step(b.model, b.data);
  step_times_book(&b.times, 1);
  assert_true(b.histograms->level[LEVELS_MAX - 1].busy.last_ns >
              b.histograms->level[LEVELS_MAX - 2].busy.last_ns);
  close(&b);
}

/* --- times --- */

static uint64_t sum(const struct histograms *histograms, int first, int end)
{
  uint64_t ns = 0;
  for (int i = first; i < end; i++) ns += histograms->level[i].busy.last_ns;
  return ns;
}

/* One step, booked as of `cycle`: from the first to the last reading of the clock. */
static uint64_t step(struct bench *b, uint64_t cycle)
{
  const uint64_t begin = ticking_ns();
  assert_true(ali3_step(b->model, b->data) >= 0);
  const uint64_t end = ticking_ns();
  step_times_book(&b->times, cycle);
  return end - begin;
}

static void check_times(struct bench *b)
{
  for (int i = 1; i <= STEPS; i++) {
    const uint64_t took = step(b, (uint64_t)i * STEP_TIMES_EVERY);
    const struct book_level *row = b->histograms->level;
    const uint64_t kinds = sum(b->histograms, 0, KINDS),
                   runs = sum(b->histograms, KINDS, (int)b->histograms->levels);
    /* Nobody else reads the clock, so everything is timed except the ticks before the first mark, between prepare and
     * feedback, and after the last mark. */
    if (!b->pool)
      assert_int_equal(kinds, took - 3 * TICK);
    else
      assert_true(kinds <= took - 3 * TICK);
    assert_true(runs <= row[CONDENSE].busy.last_ns + row[SWEEP].busy.last_ns + row[PROJECT].busy.last_ns);
    for (uint64_t k = 0; k < b->histograms->levels; k++) {
      assert_int_equal(row[k].busy.count, i);
      assert_true(row[k].busy.last_ns > 0);
      assert_int_equal(row[k].busy.max_cycle % STEP_TIMES_EVERY, 0);
    }
  }
  close(b);
}

TEST(time_adds_up)
{
  ali3_model *model[] = {toy_chain(128, true, 0.01), toy_chain(3, true, 0.01), toy_random(1, 40, 12),
                         toy_random(3, 600, 150), extrapolated(20)};
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    struct bench b;
    open(&b, model[i], 0, 0.0);
    check_times(&b);
  }
}

/* Everything that can be shared is shared. */
TEST(time_adds_up_with_workers)
{
  for (int workers = 1; workers <= 2; workers++) {
    ali3_model *model[] = {toy_chain(128, true, 0.01), toy_random(1, 40, 12)};
    for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
      struct bench b;
      open(&b, model[i], workers, 1.0);
      check_times(&b);
    }
  }
}

struct counting {
  ali3_exec inner;
  int pieces;
};

static void run_counted(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  struct counting *c = context;
  c->pieces++;
  c->inner.run(c->inner.context, work, arg);
}

/* Both branches of an extrapolated step run at one time: the stepping thread times its own, and no other thread writes. */
TEST(one_branch_is_seen)
{
  enum { LINKS = 5 };
  struct bench b;
  /* worth: a third of the work that prepares the long branch is more than that; 250 per body, the dearest stage, is
   * less */
  open(&b, extrapolated(LINKS), 1, 260.0 * LINKS);
  struct counting counting = {.inner = b.exec};
  b.exec = (ali3_exec){.context = &counting, .shares = 2, .run = run_counted, .worth = b.exec.worth};
  for (int i = 1; i <= STEPS; i++) {
    counting.pieces = 0;
    const uint64_t took = step(&b, (uint64_t)i * STEP_TIMES_EVERY);
    assert_int_equal(counting.pieces, 2); /* the branches, of prepare and of feedback */
    assert_true(sum(b.histograms, 0, KINDS) <= took - 3 * TICK);
    assert_true(sum(b.histograms, KINDS, (int)b.histograms->levels) <=
                b.histograms->level[CONDENSE].busy.last_ns + b.histograms->level[SWEEP].busy.last_ns +
                    b.histograms->level[PROJECT].busy.last_ns);
  }
  close(&b);
}

/* The readings of the clock are most of the cost. */
TEST(most_cycles_of_a_short_period_are_left_alone)
{
  struct bench b;
  open(&b, toy_chain(128, true, 0.01), 0, 0.0);
  for (uint64_t cycle = 1; cycle <= 3 * STEP_TIMES_EVERY; cycle++) {
    const bool timed = cycle % STEP_TIMES_EVERY == 1; /* the first one, and those after the multiples */
    const uint64_t took = step(&b, cycle);
    assert_true(timed ? took > 50 * TICK : took == TICK);
    assert_int_equal(b.histograms->level[SWEEP].busy.count,
                     (cycle + STEP_TIMES_EVERY - 1) / STEP_TIMES_EVERY);
  }
  step_times_init(&b.times, b.model, b.histograms, b.pool, STEP_TIMES_ALL_NS, ticking_ns);
  for (uint64_t cycle = 1; cycle <= 3 * STEP_TIMES_EVERY; cycle++) assert_true(step(&b, cycle) > 50 * TICK);
  close(&b);
}

/* One reading for each phase and band that begins, for each shared band that ends, and for each other run that ends. */
static int readings;
static struct step_times *watched;

static void count_mark(void *context, ali3_phase phase)
{
  (void)context;
  readings++;
  watched->probe.mark(watched->probe.context, phase);
}

static void count_run(void *context, int share, int run, bool begins)
{
  (void)context;
  const bool band = run < 0, shared = ALI3_RUNS_SHARED - run < watched->bands;
  readings += begins ? band : band ? shared : run >= watched->first_alone;
  watched->probe.run(watched->probe.context, share, run, begins);
}

TEST(the_clock_is_read_no_more_than_needed)
{
  const ali3_probe counting = {.mark = count_mark, .run = count_run};
  struct bench b;
  open(&b, toy_chain(128, true, 0.01), 0, 0.0);
  watched = &b.times;
  readings = 0;
  ali3_data_set_probe(b.data, &counting);
  const uint64_t took = step(&b, 1);
  assert_int_equal(took, TICK * ((uint64_t)readings + 1));
  close(&b);
}

/* Rods between one hub and the ground. The ground holds them fast, so the hub is solved twice: rows and bodies come between
 * the sweeps. */
static ali3_model *star(int rods)
{
  ali3_model *m = ali3_model_new();
  char name[32];
  for (int i = 0; i <= rods; i++) {
    snprintf(name, sizeof name, "b%d", i);
    const ali3_body_spec body = toy_body(name, (const double[]){i > 0, 0.0, 0.0}, 1.0, 1.0);
    toy_added(m, ali3_model_add_body(m, &body));
    snprintf(name, sizeof name, "J%d", i);
    toy_spherical(m, name, i == 0 ? ALI3_GROUND : 0, (const double[3]){0.0}, i,
                  (const double[]){i > 0 ? -1.0 : 0.0, 0.0, 0.0});
    snprintf(name, sizeof name, "G%d", i);
    if (i > 0)
      toy_spherical(m, name, ALI3_GROUND, (const double[]){2.0, 0.0, 0.0}, i,
                    (const double[]){1.0, 0.0, 0.0});
  }
  toy_freeze(m, 0.01);
  return m;
}

TEST(waits_between_two_sweeps)
{
  struct bench b;
  open(&b, star(200), 1, 1.0);
  assert_true(bands_of(b.model) > 0);
  step(&b, 1);
  assert_int_equal(b.histograms->level[KINDS].wait.count, 1);
  assert_int_equal(b.histograms->level[SWEEP].wait.count, 1);
  close(&b);
}

/* Every cycle knows which worker it waits for. */
TEST(waits_count_for_shared_pieces)
{
  struct bench b;
  open(&b, toy_random(4, 300, 0), 1, 1.0);
  const int bands = bands_of(b.model);
  for (uint64_t cycle = 1; cycle <= STEPS; cycle++) {
    step(&b, cycle);
    for (uint64_t i = 0; i < b.histograms->levels; i++) {
      const struct book_level *row = &b.histograms->level[i];
      const int band = (int)i - KINDS;
      const bool subtrees = band >= 0 && band < bands && ali3_model_band(b.model, band).condense >= 1.0 &&
                            ali3_model_band(b.model, band).end - ali3_model_band(b.model, band).first > 1;
      const bool in_subtrees = i == CONDENSE || i == SWEEP; /* outside of these no subtree is shared */
      assert_int_equal(row->wait.count, subtrees || (i < KINDS && !in_subtrees) ? cycle : 0);
      assert_int_equal(row->busy.count, 1);
    }
    const struct pool_cycle c = pool_take_cycle(b.pool);
    assert_true(c.slowest.level == -1 || b.histograms->level[c.slowest.level].shared);
  }
  close(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_named),
      cmocka_unit_test(more_levels_than_rows),
      cmocka_unit_test(time_adds_up),
      cmocka_unit_test(time_adds_up_with_workers),
      cmocka_unit_test(one_branch_is_seen),
      cmocka_unit_test(most_cycles_of_a_short_period_are_left_alone),
      cmocka_unit_test(the_clock_is_read_no_more_than_needed),
      cmocka_unit_test(waits_between_two_sweeps),
      cmocka_unit_test(waits_count_for_shared_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
