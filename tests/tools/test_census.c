/* SPDX-License-Identifier: MIT
 * Daemons found by their shared memory, which the test makes: they start, end, die and start again. */
#include "census.h"
#include "check.h"

#include "rt/clock.h"
#include "signals/exchange.h"
#include "telemetry/shm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct census census;
static char name[2][64];

static struct telemetry *start_fake(const char *instance)
{
  char error[256];
  struct telemetry *t = telemetry_create(instance, NULL, error, sizeof error);
  if (!t) {
    print_message("%s\n", error);
    abort(); /* no test can run */
  }
  t->period_ns = 10000000;
  histogram_add(&t->histograms.wakeup, 1234, 1);
  counter_set(&t->counters.osc_clients, 3);
  /* Written in the future: never old, however slow this machine is. */
  telemetry_write(t, &(struct telemetry_live){
                         .cycle = 1000, .t_ns = clock_now_ns() + 600 * NS_PER_S, .state = STATE_RUNNING});
  if (!telemetry_ready(t, error, sizeof error)) fail_msg("%s", error);
  return t;
}

static const struct present *look(const char *instance)
{
  census.taken_ns = 0; /* not fresh */
  census_take(&census);
  return census_find(&census, instance);
}

TEST(daemons_come_and_go)
{
  assert_null(look(name[0]));
  struct telemetry *a = start_fake(name[0]), *b = start_fake(name[1]);
  const struct present *p = look(name[0]);
  assert_non_null(p);
  assert_non_null(p->sample.t);
  assert_int_equal(p->sample.verdict, VERDICT_HEALTHY);
  assert_int_equal(p->block.live.cycle, 1000);
  assert_non_null(look(name[1]));
  telemetry_destroy(b);
  assert_null(look(name[1]));
  p = look(name[0]);
  assert_non_null(p);
  assert_string_equal(p->name, name[0]);

  /* Dead, but its memory is still there; then the next daemon replaces it. */
  telemetry_destroy(a);
  assert_null(look(name[0]));
  const pid_t dead = fork();
  if (dead == 0) {
    start_fake(name[0]);
    _exit(0);
  }
  waitpid(dead, NULL, 0);
  p = look(name[0]);
  assert_non_null(p);
  assert_null(p->sample.t);
  assert_int_equal(p->sample.verdict, VERDICT_GONE);
  a = start_fake(name[0]);
  p = look(name[0]);
  assert_non_null(p);
  assert_non_null(p->sample.t);
  telemetry_destroy(a);
}

TEST(a_wanted_instance_always_counts)
{
  census.only = name[0];
  struct telemetry *b = start_fake(name[1]);
  const struct present *p = look(name[0]);
  assert_non_null(p);
  assert_int_equal(census.count, 1);
  assert_int_equal(p->sample.verdict, VERDICT_GONE);
  assert_null(look(name[1]));
  struct telemetry *a = start_fake(name[0]);
  assert_int_equal(look(name[0])->sample.verdict, VERDICT_HEALTHY);
  telemetry_destroy(a);
  telemetry_destroy(b);
  census.only = NULL;
}

/* A census stays unchanged, whatever the daemon does later. */
TEST(a_census_is_a_copy)
{
  struct telemetry *t = start_fake(name[0]);
  memset(t->model, 'm', sizeof t->model); /* not terminated, which no daemon of ours writes */
  memset(t->reason, 'r', sizeof t->reason);
  snprintf(t->instance, sizeof t->instance, "\"}");
  const struct present *p = look(name[0]);
  assert_non_null(p);
  snprintf(t->instance, sizeof t->instance, "%s", name[0]);
  histogram_add(&t->histograms.wakeup, 1234, 2);
  counter_set(&t->counters.osc_clients, 4);
  telemetry_write(t, &(struct telemetry_live){.cycle = 2000});
  telemetry_destroy(t);

  assert_string_equal(p->sample.t->instance, name[0]);
  assert_int_equal(strlen(p->sample.t->model), sizeof p->block.model - 1);
  assert_int_equal(strlen(p->sample.t->reason), sizeof p->block.reason - 1);
  assert_int_equal(p->sample.t->period_ns, 10000000);
  assert_int_equal(p->sample.t->histograms.wakeup.count, 1);
  assert_int_equal(p->sample.t->histograms.wakeup.bin[1], 1);
  assert_int_equal(counter_get(&p->sample.t->counters.osc_clients), 3);
  assert_int_equal(p->sample.t->live.cycle, 1000);
  assert_true(p->sample.whole);
}

TEST(a_fresh_look_is_kept)
{
  struct telemetry *t = start_fake(name[0]);
  assert_non_null(look(name[0]));
  census.taken_ns = clock_now_ns() + NS_PER_S / 2; /* as if just now, however slow this machine is */
  telemetry_destroy(t);
  for (int i = 0; i < 10; i++) census_take(&census);
  assert_non_null(census_find(&census, name[0]));
  while (census_find(&census, name[0])) census_take(&census); /* until it is gone */
  assert_true(clock_now_ns() >= census.taken_ns);
}

TEST(a_torn_block_is_reported)
{
  struct telemetry *t = start_fake(name[0]);
  atomic_fetch_add(&t->sequence, 1); /* stopped while writing */
  const struct present *p = look(name[0]);
  assert_non_null(p);
  assert_false(p->sample.whole);
  assert_int_equal(p->sample.verdict, VERDICT_DEGRADED);
  telemetry_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(daemons_come_and_go),      cmocka_unit_test(a_wanted_instance_always_counts),
      cmocka_unit_test(a_census_is_a_copy),       cmocka_unit_test(a_fresh_look_is_kept),
      cmocka_unit_test(a_torn_block_is_reported),
  };
  for (int i = 0; i < 2; i++) snprintf(name[i], sizeof name[i], "test-census-%d-%d", (int)getpid(), i);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
