/* SPDX-License-Identifier: MIT
 * Culprits in words. */
#include "check.h"
#include "trace/culprit.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void words(struct culprit c, const char *expected)
{
  char text[80];
  culprit_text(&c, text, sizeof text);
  assert_string_equal(text, expected);
}

static void every_kind_has_its_words(void **state)
{
  (void)state;
  words(
      (struct culprit){
          .kind = CULPRIT_THREAD, .id = 4711, .priority = 9, .policy = SCHED_FIFO, .name = "hog"},
      "thread 4711 (hog, SCHED_FIFO 90)");
  words((struct culprit){.kind = CULPRIT_THREAD, .id = 2, .priority = 0, .policy = SCHED_RR, .name = "m"},
        "thread 2 (m, SCHED_RR 99)");
  /* A thread that has ended keeps the priority that the trace has. */
  words(
      (struct culprit){.kind = CULPRIT_THREAD, .id = 2, .priority = 0, .policy = POLICY_UNKNOWN, .name = "m"},
      "thread 2 (m, real-time priority 99)");
  words(
      (struct culprit){.kind = CULPRIT_THREAD, .id = 3, .priority = 139, .policy = SCHED_BATCH, .name = "cc"},
      "thread 3 (cc, SCHED_BATCH, nice 19)");
  words(
      (struct culprit){
          .kind = CULPRIT_THREAD, .id = 3, .priority = 100, .policy = POLICY_UNKNOWN, .name = "k"},
      "thread 3 (k, SCHED_OTHER, nice -20)");
  /* It was ordinary then, and is real-time now. */
  words((struct culprit){.kind = CULPRIT_THREAD, .id = 3, .priority = 120, .policy = SCHED_FIFO, .name = "k"},
        "thread 3 (k, SCHED_OTHER, nice 0)");
  words(
      (struct culprit){
          .kind = CULPRIT_THREAD, .id = 3, .priority = -1, .policy = POLICY_UNKNOWN, .name = "d"},
      "thread 3 (d, SCHED_DEADLINE)");
  words((struct culprit){.kind = CULPRIT_INTERRUPT, .id = 36, .name = "eth0"}, "interrupt 36 (eth0)");
  words((struct culprit){.kind = CULPRIT_VECTOR, .name = "local timer"}, "the local timer interrupt");
  words((struct culprit){.kind = CULPRIT_SOFTIRQ, .id = 3, .name = "NET_RX"}, "softirq NET_RX");
  words((struct culprit){.kind = CULPRIT_IDLE}, "");
  words((struct culprit){.kind = CULPRIT_NONE}, "");
  assert_string_equal(culprit_kind_name(CULPRIT_LOST), "lost");
  assert_string_equal(culprit_kind_name(CULPRIT_KINDS), "?");
}

static void the_kernel_knows_the_policy_of_a_living_thread(void **state)
{
  (void)state;
  struct culprit c = {.kind = CULPRIT_THREAD, .id = (int32_t)gettid(), .policy = 77};
  culprit_ask_policy(&c);
  assert_int_equal(c.policy, sched_getscheduler(0));
  c.kind = CULPRIT_SOFTIRQ;
  culprit_ask_policy(&c);
  assert_int_equal(c.policy, POLICY_UNKNOWN);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_has_its_words),
      cmocka_unit_test(the_kernel_knows_the_policy_of_a_living_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
