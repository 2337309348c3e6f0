/* SPDX-License-Identifier: MIT
 * A reading that never returns. setup_load() is wrapped, to act like a file server that does not answer. */
#include "check.h"
#include "config/setup.h"
#include "daemon/reload.h"
#include "daemon/service.h"

#include "rt/clock.h"

#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t entered, gate;
static atomic_int calls;

struct settings *__wrap_setup_load(const char *file, const struct settings_overrides *over, FILE *errors);
struct settings *__wrap_setup_load(const char *file, const struct settings_overrides *over, FILE *errors)
{
  assert_true(over->again);
  atomic_fetch_add(&calls, 1);
  fprintf(errors, "%s:1:1: error: made up\n", file);
  sem_post(&entered);
  sem_wait(&gate);
  return NULL;
}

static int set_up(void **state)
{
  (void)state;
  sem_init(&entered, 0, 0);
  sem_init(&gate, 0, 0);
  atomic_store(&calls, 0);
  alarm(1000); /* kills the test if a close waits */
  return 0;
}

TEST(a_reading_that_hangs_does_not_hold_up_the_end)
{
  static const struct settings started;
  struct service manager = {.socket = -1};
  struct reload r = {.file = "bench.yaml", .started = &started, .service = &manager};
  const uint64_t now = clock_now_ns();
  reload_ask(&r);
  reload_tick(&r, NULL, now);
  sem_wait(&entered);
  for (int i = 1; i < 100; i++) reload_tick(&r, NULL, now + (uint64_t)i * NS_PER_S); /* no result comes */
  reload_close(&r);
  const struct timespec little = {.tv_nsec = 100000000};
  sem_post(&gate); /* the abandoned thread ends by itself */
  nanosleep(&little, NULL);
}

/* Any number of SIGHUPs causes five readings a second. */
TEST(readings_are_limited)
{
  static const struct settings started;
  struct service manager = {.socket = -1};
  struct reload r = {.file = "bench.yaml", .started = &started, .service = &manager};
  const uint64_t now = clock_now_ns(), ms = NS_PER_S / 1000;
  const struct timespec little = {.tv_nsec = 1000000};
  for (uint64_t t = 0; t < 1000; t += 10) {
    sem_post(&gate);
    reload_ask(&r);
    reload_tick(&r, NULL, now + t * ms);
    nanosleep(&little, NULL);
  }
  sem_wait(&entered); /* the thread may begin late */
  assert_in_range(atomic_load(&calls), 1, 5);
  while (r.reading) {
    sem_post(&gate);
    nanosleep(&little, NULL);
    r.wanted = false;
    reload_tick(&r, NULL, now + 2000 * ms);
  }
  reload_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_reading_that_hangs_does_not_hold_up_the_end, set_up),
      cmocka_unit_test_setup(readings_are_limited, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
