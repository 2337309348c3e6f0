/* SPDX-License-Identifier: MIT
 * The depth of the loop's stack, in a thread whose stack was filled with a pattern. tests/lint/stack.py bounds the code
 * that does not run here. */
#include "check.h"
#include "common/sanitized.h"
#include "loop/rig.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAINT = 0xa5, CYCLES = 200, PERIODS = 50 };

#if !TEST_SANITIZED
static const size_t KB = 1024;

/* The daemon's loop with everything that a bench may do. */
static void *loop(void *arg)
{
  struct loop_rig *r = arg;
  rig_begin(r);
  rig_cycles(r, CYCLES);
  r->cycle.config.periods = r->cycle.figures.periods + PERIODS;
  cycle_run(&r->cycle);
  return NULL;
}

/* Bytes of its stack that the thread wrote to, including the C library. size: of the stack. */
static size_t deepest(void *(*run)(void *), void *arg, size_t size)
{
  pthread_attr_t attr;
  pthread_t thread;
  unsigned char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(stack != MAP_FAILED);
  memset(stack, PAINT, size);
  assert_int_equal(pthread_attr_init(&attr), 0);
  assert_int_equal(pthread_attr_setstack(&attr, stack, size), 0);
  assert_int_equal(pthread_create(&thread, &attr, run, arg), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attr);
  size_t clean = 0;
  while (clean < size && stack[clean] == PAINT) clean++;
  munmap(stack, size);
  return size - clean;
}

static void *nothing(void *arg)
{
  return arg;
}

/* A worker runs shares only, and the loop's thread has a share of everything, so its need is an upper bound. */
TEST(the_loop_stays_far_from_the_end_of_its_stack)
{
  const size_t idle = deepest(nothing, NULL, CYCLE_STACK_KB * KB);
  print_message("%.1f KB of every stack are the C library's\n", (double)idle / (double)KB);
  for (int i = 0; i < RIG_FILES; i++) {
    struct loop_rig r;
    rig_set_up(&r, &rig_files[i], 1);
    const size_t used = deepest(loop, &r, CYCLE_STACK_KB * KB);
    print_message("%s%s: %.1f of %d KB; workers have %d\n", rig_files[i].name,
                  rig_files[i].extrapolate ? ", extrapolated" : "", (double)used / (double)KB, CYCLE_STACK_KB,
                  POOL_STACK_KB);
    assert_true(used < CYCLE_STACK_KB * KB * 7 / 10);
    assert_true(used < POOL_STACK_KB * KB * 7 / 10);
    assert_true(rig_saw_all(&r));
    rig_tear_down(&r);
  }
}

static void *go_deep(void *size)
{
  volatile char array[100000];
  for (size_t i = 0; i < sizeof array; i++) array[i] = 1;
  *(size_t *)size = sizeof array;
  return NULL;
}

TEST(paint_shows_the_used_stack)
{
  size_t size = 0;
  const size_t used = deepest(go_deep, &size, CYCLE_STACK_KB * KB);
  assert_true(size > 0);
  assert_in_range(used, size, size + 16 * KB);
}
#endif

int main(void)
{
#if TEST_SANITIZED
  puts("skip: sanitizers make frames of their own");
  return 77;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paint_shows_the_used_stack),
      cmocka_unit_test(the_loop_stays_far_from_the_end_of_its_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
