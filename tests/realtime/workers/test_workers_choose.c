/* SPDX-License-Identifier: MIT
 * The choice of the number of workers: its rule, and its timing in a world with artificial time and on real models. How
 * much a real mechanism gains is not judged. */
#include "check.h"
#include "workers/workers_choose.h"

#include "common/toys.h"
#include "rt/clock.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { US = 1000, MS = 1000 * US };

/* Time passes in starts, steps and sleeps only. Workers wait by the real clock. */
static struct world {
  uint64_t now, start_ns;
  const double *step_us; /* by the number of workers */
  bool noisy;            /* a third of the time everything takes four times as long */
  int fails_at;          /* number of the failing step, from 1; -1: the start; 0: none */
  int workers, steps, all_steps[16], starts[16], sleeps;
} world;

static uint64_t world_now_ns(void)
{
  return world.now;
}

static void world_sleep_until_ns(uint64_t t_ns)
{
  world.sleeps++;
  if (t_ns > world.now) world.now = t_ns;
}

static void world_set_exec(ali3_data *d, const ali3_exec *exec)
{
  world.workers = exec ? exec->shares - 1 : 0;
  ali3_data_set_exec(d, exec);
}

static int world_reset(const ali3_model *m, ali3_data *d)
{
  (void)m;
  (void)d;
  world.now += world.start_ns;
  world.starts[world.workers]++;
  return world.fails_at < 0 ? ALI3_E_ASSEMBLE : ALI3_OK;
}

static int world_step(const ali3_model *m, ali3_data *d)
{
  (void)m;
  (void)d;
  const bool slow = world.noisy && world.now / (7 * MS) % 3 == 1;
  world.now += (uint64_t)((slow ? 4 : 1) * world.step_us[world.workers] * US);
  world.all_steps[world.workers]++;
  return ++world.steps == world.fails_at ? ALI3_E_DIVERGED : ALI3_NOT_CONVERGED;
}

static const struct choose_world made_up = {.now_ns = world_now_ns,
                                            .sleep_until_ns = world_sleep_until_ns,
                                            .reset = world_reset,
                                            .step = world_step,
                                            .set_exec = world_set_exec};

static ali3_model *small(void)
{
  return toy_double_pendulum(1.0, 1.0, 0.01);
}

/* Chooses in this world, then removes it. */
static struct choice choose(const struct world *w, const struct choose_plan *plan, struct world *after)
{
  struct choice c;
  ali3_model *m = small();
  struct choose_plan in_world = *plan;
  in_world.world = &made_up;
  world = *w;
  world.now = NS_PER_S;
  choose_workers(m, &in_world, &c);
  *after = world;
  ali3_model_free(m);
  return c;
}

static const struct choose_plan four = {.pool.first_cpu = -1, .most = 4};

TEST(numbers_to_try)
{
  static const struct {
    int most, n, last[3]; /* backwards */
  } list[] = {{0, 1, {0}},          {1, 2, {1, 0}},         {2, 3, {2, 1, 0}},
              {5, 6, {5, 4, 3}},    {7, 7, {7, 6, 4}},      {8, 7, {8, 6, 4}},
              {15, 9, {15, 12, 8}}, {63, 13, {63, 48, 32}}, {200, 13, {63, 48}}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    int workers[CHOOSE_TRIES];
    const int n = choose_numbers(list[i].most, workers);
    assert_int_equal(n, list[i].n);
    assert_int_equal(workers[0], 0);
    for (int k = 1; k < n; k++) assert_true(workers[k] > workers[k - 1]);
    for (int k = 0; k < 3 && k < n && (k == 0 || list[i].last[k]); k++)
      assert_int_equal(workers[n - 1 - k], list[i].last[k]);
  }
}

TEST(the_least_that_is_about_the_best)
{
  static const struct {
    int wanted, n;
    double us[5];
  } list[] = {
      {0, 1, {100}},
      {0, 2, {100, 100}},
      {0, 2, {100, 250}},
      {0, 2, {100, 95.1}}, /* less than 5 % */
      {1, 2, {100, 94.9}},
      {1, 3, {100, 80, 80}},
      {1, 3, {100, 80, 78}}, /* within 3 % */
      {2, 3, {100, 80, 77}},
      {4, 5, {600, 400, 310, 305, 250}},
      {2, 5, {600, 400, 310, 305, 330}},
      {3, 5, {600, 610, 590, 300, 305}}, /* nothing before it gains */
      {1, 5, {600, 300, 900, 300, 299}},
      {0, 5, {600, 580, 900, 575, 650}},
  };
  static const int number[] = {0, 1, 2, 3, 4};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    struct choose_try t[5];
    for (int k = 0; k < list[i].n; k++) t[k] = (struct choose_try){number[k], list[i].us[k], list[i].us[k]};
    assert_int_equal(choose_from(t, list[i].n), list[i].wanted);
  }
  /* The number of the try counts, not its index. */
  assert_int_equal(choose_from((struct choose_try[]){{0, 9, 9}, {12, 5, 5}}, 2), 12);
  /* Other load held up the steps alone more often: they would be faster. */
  assert_int_equal(choose_from((struct choose_try[]){{0, 9, 3}, {1, 5, 4}}, 2), 0);
  assert_int_equal(choose_from((struct choose_try[]){{0, 9, 9}, {1, 5, 9}, {2, 7, 6}}, 3), 2);
}

TEST(no_more_than_there_are_cpus)
{
  cpu_set_t before, one;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  const int others = CPU_COUNT(&before) - 1;
  assert_int_equal(choose_most(-1), others < CHOOSE_MOST ? others : CHOOSE_MOST);
  CPU_ZERO(&one);
  for (int i = 0; CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  const int alone = choose_most(-1), pinned = choose_most(1);
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  assert_int_equal(alone, 0);
  /* Beyond the CPU of the loop, whatever the mask of the thread is. */
  const int online = (int)sysconf(_SC_NPROCESSORS_ONLN);
  assert_int_equal(pinned, online - 1 < CHOOSE_MOST ? online - 1 : CHOOSE_MOST);
  assert_int_equal(choose_most(online), 0);
  assert_int_equal(choose_most(online + 5), 0);
}

TEST(in_words)
{
  static const struct {
    struct choice c;
    const char *text;
  } list[] = {
      {{.workers = 2,
        .tries = 4,
        .tried = {{0, 598.4, 0}, {1, 400, 0}, {2, 311.6, 0}, {3, 305, 0}},
        .reason = ""},
       "2 workers (auto): step 312 us, alone 598 us"},
      {{.workers = 1, .tries = 2, .tried = {{0, 598, 0}, {1, 400, 0}}, .reason = ""},
       "1 worker (auto): step 400 us, alone 598 us"},
      {{.tries = 3, .tried = {{0, 598, 0}, {1, 700, 0}, {2, 620, 0}}, .reason = ""},
       "0 workers (auto): step 598 us; with 2 620 us"},
      {{.tries = 1, .tried = {{0, 4.53, 0}}, .reason = "too short to share"},
       "0 workers (auto): step 4.5 us, too short to share"},
      {{.reason = "no CPU to spare"}, "0 workers (auto): no CPU to spare"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char text[100];
    choose_text(&list[i].c, text, sizeof text);
    assert_string_equal(text, list[i].text);
  }
}

static void check_tries(const struct choice *c, const double *us, const struct world *w)
{
  assert_int_equal(c->tries, 5);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(c->tried[k].workers, k);
    assert_true(c->tried[k].step_us == us[k]);
    assert_int_equal(w->all_steps[k], k ? 40 : 48); /* with the first estimate */
    assert_int_equal(w->starts[k], k ? 10 : 11);
  }
}

TEST(the_gaining_number_is_chosen)
{
  static const double us[] = {600, 400, 310, 305, 330}, worse[] = {600, 610, 640, 700, 900};
  struct world after;
  struct choice c = choose(&(struct world){.step_us = us, .start_ns = 700 * US}, &four, &after);
  assert_int_equal(c.workers, 2);
  assert_string_equal(c.reason, "");
  check_tries(&c, us, &after);
  assert_int_equal(after.sleeps, 0);
  c = choose(&(struct world){.step_us = worse}, &four, &after);
  assert_int_equal(c.workers, 0);
  check_tries(&c, worse, &after);
}

TEST(disturbed_by_others)
{
  static const double us[] = {600, 400, 310, 305, 330};
  struct world after;
  const struct choice c = choose(&(struct world){.step_us = us, .noisy = true}, &four, &after);
  assert_int_equal(c.workers, 2);
  check_tries(&c, us, &after);
}

TEST(workers_may_fall_asleep)
{
  static const double us[] = {600, 400, 310, 305, 330};
  struct choose_plan plan = four;
  plan.rest_ns = 200 * US;
  struct world after;
  const struct choice c = choose(&(struct world){.step_us = us}, &plan, &after);
  check_tries(&c, us, &after); /* the rest does not count */
  assert_int_equal(after.sleeps, 208);
}

TEST(a_short_step_is_not_shared)
{
  static const double us[] = {29, 5, 5, 5, 5};
  struct world after;
  const struct choice c = choose(&(struct world){.step_us = us}, &four, &after);
  assert_int_equal(c.workers, 0);
  assert_int_equal(c.tries, 1);
  assert_string_equal(c.reason, "too short to share");
  assert_int_equal(after.all_steps[0], 8);
  assert_int_equal(after.starts[1], 0);
}

TEST(long_steps_are_few)
{
  static const double some[] = {6000, 3500, 2500, 2400, 2300, 0, 2300, 0, 2300};
  static const double many[] = {300000, 200000, 150000, 120000, 100000};
  const struct choose_plan eight = {.pool.first_cpu = -1, .most = 8};
  struct world after;
  struct choice c = choose(&(struct world){.step_us = some, .start_ns = 5 * MS}, &eight, &after);
  assert_int_equal(c.workers, 4);
  assert_int_equal(c.tries, 7);
  for (int k = 0; k < 7; k++) assert_true(after.all_steps[c.tried[k].workers] >= 4);
  assert_in_range(after.now - NS_PER_S, 100 * MS, 500 * MS);

  c = choose(&(struct world){.step_us = many, .start_ns = 250 * MS}, &four, &after);
  assert_int_equal(c.workers, 4);
  assert_int_equal(c.tries, 5);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(after.all_steps[k], 1); /* there must be one step */
    assert_int_equal(after.starts[k], 1);
  }
}

TEST(a_model_that_cannot_step_gets_no_workers)
{
  static const double us[] = {600, 300, 200, 150, 120};
  static const int at[] = {-1, 1, 8, 9, 20, 100}; /* the start; the first estimate; in turns */
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    struct world after;
    const struct choice c = choose(&(struct world){.step_us = us, .fails_at = at[i]}, &four, &after);
    assert_int_equal(c.workers, 0);
    assert_int_equal(c.tries, 0);
    assert_string_equal(c.reason, "its steps fail");
    assert_int_equal(after.steps, at[i] < 0 ? 0 : at[i]);
    assert_int_equal(after.workers, 0); /* no exec remains */
  }
}

/* Two CPUs from the last one on: one of them does not exist. */
TEST(workers_without_a_cpu_are_not_tried)
{
  static const double us[] = {600, 300, 200, 150, 120};
  cpu_set_t mask;
  int last = 0;
  assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &mask)) last = i;
  struct choose_plan plan = {.pool.first_cpu = CPU_SETSIZE - 1, .most = 4};
  struct world after;
  struct choice c = choose(&(struct world){.step_us = us}, &plan, &after);
  assert_int_equal(c.workers, 0);
  assert_string_equal(c.reason, "no CPU to spare");
  assert_int_equal(after.starts[1], 0);

  plan.most = 0;
  c = choose(&(struct world){.step_us = us}, &plan, &after);
  assert_int_equal(c.tries, 0);
  assert_int_equal(after.steps, 0);

  if (last + 1 < (int)sysconf(_SC_NPROCESSORS_CONF)) skip(); /* the CPU after it may exist */
  plan = (struct choose_plan){.pool.first_cpu = last, .most = 4};
  c = choose(&(struct world){.step_us = us}, &plan, &after);
  assert_int_equal(c.workers, 1);
  assert_int_equal(c.tries, 2);
  assert_int_equal(after.all_steps[1], 40);
}

TEST(a_small_mechanism_has_none)
{
  ali3_model *m = small();
  struct choice c;
  choose_workers(m, &(struct choose_plan){.pool.first_cpu = -1, .most = 3}, &c);
  assert_true(c.tries >= 1 && c.tried[0].step_us > 0);
  const bool slow = c.tried[0].step_us >= 30.0;
  if (!slow) assert_int_equal(c.workers, 0);
  ali3_model_free(m);
  if (slow) {
    print_message("skipped: a sanitizer or the host makes a small step so slow that it may be shared\n");
    skip();
  }
}

TEST(a_large_model_gets_workers_by_its_times)
{
  ali3_model *m = toy_chain(300, true, 0.01);
  struct choice c;
  const uint64_t begin = clock_now_ns();
  choose_workers(m, &(struct choose_plan){.pool.first_cpu = -1, .most = 2}, &c);
  assert_in_time((double)(clock_now_ns() - begin), 20.0 * (double)NS_PER_S);
  assert_int_equal(c.tries, 3);
  for (int k = 0; k < 3; k++) assert_true(c.tried[k].step_us > 1);
  assert_int_equal(c.workers, choose_from(c.tried, c.tries));
  ali3_model_free(m);
}

TEST(a_model_that_cannot_start_has_none)
{
  ali3_model *m = ali3_model_new();
  const double origin[3] = {0}, far[3] = {0, 9, 0};
  ali3_body_spec body = toy_body("a", origin, 1, 1);
  const int a = toy_added(m, ali3_model_add_body(m, &body));
  toy_spherical(m, "here", ALI3_GROUND, origin, a, origin);
  toy_spherical(m, "there", ALI3_GROUND, far, a, origin);
  toy_freeze(m, 0.01);
  struct choice c;
  choose_workers(m, &four, &c);
  assert_int_equal(c.workers, 0);
  assert_string_equal(c.reason, "its steps fail");
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_to_try),
      cmocka_unit_test(the_least_that_is_about_the_best),
      cmocka_unit_test(no_more_than_there_are_cpus),
      cmocka_unit_test(in_words),
      cmocka_unit_test(the_gaining_number_is_chosen),
      cmocka_unit_test(disturbed_by_others),
      cmocka_unit_test(workers_may_fall_asleep),
      cmocka_unit_test(a_short_step_is_not_shared),
      cmocka_unit_test(long_steps_are_few),
      cmocka_unit_test(a_model_that_cannot_step_gets_no_workers),
      cmocka_unit_test(workers_without_a_cpu_are_not_tried),
      cmocka_unit_test(a_small_mechanism_has_none),
      cmocka_unit_test(a_large_model_gets_workers_by_its_times),
      cmocka_unit_test(a_model_that_cannot_start_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
