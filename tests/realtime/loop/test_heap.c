/* SPDX-License-Identifier: MIT
 * The loop and its workers allocate no memory, and touch no page that is not present. */
#include "check.h"
#include "common/faults.h"
#include "common/heap.h"
#include "common/sanitized.h"
#include "loop/rig.h"
#include "rt/realtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { WORKERS = 2, CYCLES = 300, ROUND = 100 /* of rig_cycles() */ };

#if !TEST_SANITIZED
/* Counts all threads, from the first cycle to the last. */
TEST(no_cycle_takes_memory)
{
  for (int i = 0; i < RIG_FILES; i++) {
    struct loop_rig r;
    rig_set_up(&r, &rig_files[i], WORKERS);
    const long before = heap_calls();
    rig_begin(&r);
    rig_cycles(&r, ROUND);
    cycle_end(&r.cycle);
    const long after = heap_calls();
    print_message("%s: %ld calls of the allocator in %d cycles\n", rig_files[i].name, after - before, ROUND);
    assert_int_equal(after - before, 0);
    assert_true(rig_saw_all(&r));
    rig_tear_down(&r);
  }
}

TEST(by_the_clock_neither)
{
  struct loop_rig r;
  rig_set_up(&r, &rig_files[0], WORKERS);
  r.cycle.config.periods = 100;
  const long before = heap_calls();
  cycle_run(&r.cycle);
  assert_int_equal(heap_calls() - before, 0);
  assert_true(r.cycle.figures.periods >= 100);
  rig_tear_down(&r);
}

TEST(allocations_are_counted)
{
  char *text = NULL;
  long before = heap_calls();
  void *volatile p = malloc(1);
  assert_int_equal(heap_calls() - before, 1);
  free(p);
  assert_int_equal(heap_calls() - before, 2);
  p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(p, 4096);
  assert_int_equal(heap_calls() - before, 4);
  assert_true(asprintf(&text, "%d", WORKERS) > 0); /* allocates in the C library */
  assert_true(heap_calls() - before > 4);
  free(text);
}

/* Counts all threads. As in the daemon, memory is locked after the set-up and before the first cycle. */
TEST(no_cycle_takes_a_page_fault)
{
  struct realtime_grant grant = {0};
  realtime_lock_memory(&grant);
  if (!grant.locked) {
    print_message("skip: memory is not locked: %s\n", grant.reason);
    skip();
  }
  for (int i = 0; i < RIG_FILES; i++) {
    long faults = 1;
    for (int tries = 0; tries < FAULT_TRIES && faults != 0; tries++) {
      struct loop_rig r;
      rig_set_up(&r, &rig_files[i], WORKERS);
      rig_begin(&r);
      rig_cycles(&r, ROUND);
      const long before = page_faults();
      rig_cycles(&r, CYCLES);
      faults = page_faults() - before;
      print_message("%s: %ld page faults in %d cycles\n", rig_files[i].name, faults, CYCLES);
      assert_true(rig_saw_all(&r));
      rig_tear_down(&r);
    }
    assert_int_equal(faults, 0);
  }
  assert_int_equal(munlockall(), 0);
  const long before = page_faults();
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *(volatile char *)page = 1;
  assert_true(page_faults() > before); /* page faults are counted */
  munmap(page, 4096);
}
#endif

int main(void)
{
#if TEST_SANITIZED
  puts("skip: sanitizers have an allocator of their own");
  return 77;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(allocations_are_counted),
      cmocka_unit_test(no_cycle_takes_memory),
      cmocka_unit_test(by_the_clock_neither),
      cmocka_unit_test(no_cycle_takes_a_page_fault),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
