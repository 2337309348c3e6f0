/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "loop/figures.h"
#include "rt/clock.h"
#include "workers/step_times.h"

#include "base/arena.h"
#include "common/toys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
  ali3_model *model;
  struct signal *list;
  int count;
  struct telemetry *telemetry;
  struct step_times times;
  double *value; /* one more than the number of figures */
};

static const double BEHIND = 12345.0;
static const struct figures none;
static const struct schedule still;

static struct bench begin(ali3_model *m)
{
  struct bench b = {.model = m, .telemetry = aligned_zalloc(sizeof *b.telemetry)};
  b.list = figures_list(m, &b.count);
  assert_non_null(b.list);
  b.value = malloc(((size_t)b.count + 1) * sizeof *b.value);
  for (int i = 0; i <= b.count; i++) b.value[i] = BEHIND;
  step_times_init(&b.times, m, &b.telemetry->histograms, NULL, 0, clock_now_ns);
  return b;
}

static void end(struct bench *b)
{
  figures_free(b->list, b->count);
  ali3_model_free(b->model);
  free(b->telemetry);
  free(b->value);
}

static double taken(const struct bench *b, const char *name)
{
  for (int i = 0; i < b->count; i++)
    if (strcmp(b->list[i].name, name) == 0) return b->value[i];
  fail_msg("no figure %s", name);
  return 0.0;
}

static void assert_taken(const struct bench *b, const char *name, double expected)
{
  const double found = taken(b, name);
  if (found != expected) fail_msg("%s: expected %.17g, found %.17g", name, expected, found);
}

TEST(names_are_unique_and_all_have_a_value)
{
  ali3_model *model[] = {toy_chain(128, true, 0.01), toy_random(1, 40, 12), toy_random(3, 600, 150)};
  for (size_t k = 0; k < sizeof model / sizeof *model; k++) {
    struct bench b = begin(model[k]);
    figures_take(&none, &still, b.telemetry, b.value);
    for (int i = 0; i < b.count; i++) {
      const char *name = b.list[i].name;
      assert_memory_equal(name, "loop.", 5);
      assert_null(strchr(name, ' '));
      for (int j = 0; j < i; j++) assert_string_not_equal(name, b.list[j].name);
      assert_true(b.value[i] == 0.0);
    }
    assert_true(b.value[b.count] == BEHIND);
    end(&b);
  }
}

/* Every time has its own length, so that mistakes are visible. */
TEST(times_are_those_of_the_book)
{
  struct bench b = begin(toy_chain(128, true, 0.01));
  struct histograms *histograms = &b.telemetry->histograms;
  uint64_t ns = 1000;
#define FILL(name, text)                                                                                     \
  histogram_add(&histograms->name, ns + 500000, 1);                                                          \
  histogram_add(&histograms->name, ns++, 2);
  BOOK_LIST(FILL)
#undef FILL
  for (uint64_t i = 0; i < histograms->levels; i++) {
    stopwatch_add(&histograms->level[i].busy, ns + 500000, 1);
    stopwatch_add(&histograms->level[i].busy, ns++, 2);
    stopwatch_add(&histograms->level[i].wait, ns + 500000, 1);
    stopwatch_add(&histograms->level[i].wait, ns++, 2);
  }
  figures_take(&none, &still, b.telemetry, b.value);

  ns = 1000;
#define COMPARE(name, text)                                                                                  \
  assert_taken(&b, "loop." #name, (double)ns * 1e-9);                                                        \
  assert_taken(&b, "loop." #name ".max", (double)(ns++ + 500000) * 1e-9);
  BOOK_LIST(COMPARE)
#undef COMPARE
  for (uint64_t i = 0; i < histograms->levels; i++) {
    char name[64];
    const char *const part[] = {"busy", "wait"};
    for (int k = 0; k < 2; k++) {
      const int at = snprintf(name, sizeof name, "loop.level.%s.%s", histograms->level[i].name, part[k]);
      for (char *p = name; *p; p++)
        if (*p == ' ') *p = '_';
      assert_taken(&b, name, (double)ns * 1e-9);
      snprintf(name + at, sizeof name - (size_t)at, ".max");
      assert_taken(&b, name, (double)(ns++ + 500000) * 1e-9);
    }
  }
  end(&b);
}

TEST(counts_are_those_of_the_loop)
{
  struct bench b = begin(toy_chain(3, true, 0.01));
  const struct figures figures = {.misses = 1,
                                  .grace_misses = 2,
                                  .skipped = 3,
                                  .late_starts = 4,
                                  .beats_lost = 5,
                                  .load = {0.9, 0.10, 0.11}};
  const struct schedule schedule = {.slipped_ns = 6000, .pulled_ns = -7000, .beat_error_ns = -8000};
  counter_set(&b.telemetry->counters.loop_page_faults, 12);
  counter_set(&b.telemetry->counters.loop_preemptions, 13);
  figures_take(&figures, &schedule, b.telemetry, b.value);
  assert_taken(&b, "loop.misses", 1.0);
  assert_taken(&b, "loop.grace_misses", 2.0);
  assert_taken(&b, "loop.skipped", 3.0);
  assert_taken(&b, "loop.late_starts", 4.0);
  assert_taken(&b, "loop.beats_lost", 5.0);
  assert_taken(&b, "loop.slipped", 6000 * 1e-9);
  assert_taken(&b, "loop.pulled", -7000 * 1e-9);
  assert_taken(&b, "loop.beat_error", -8000 * 1e-9);
  assert_taken(&b, "loop.load.1s", 0.9);
  assert_taken(&b, "loop.load.10s", 0.10);
  assert_taken(&b, "loop.load.60s", 0.11);
  assert_taken(&b, "loop.page_faults", 12.0);
  assert_taken(&b, "loop.preemptions", 13.0);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_unique_and_all_have_a_value),
      cmocka_unit_test(times_are_those_of_the_book),
      cmocka_unit_test(counts_are_those_of_the_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
