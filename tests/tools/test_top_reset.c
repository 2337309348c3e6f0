/* SPDX-License-Identifier: MIT
 * The signal that clears maxima goes to the daemon of the block, and to no other process. */
#include "check.h"
#include "reset.h"

#include "telemetry/shm.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct telemetry *block; /* block of this process, as if it were the daemon */
static char said[160];
static volatile sig_atomic_t signals;

static void on_signal(int number)
{
  (void)number;
  signals++;
}

static int make_block(void **state)
{
  (void)state;
  char name[64];
  snprintf(name, sizeof name, "test-reset-%d", (int)getpid());
  block = telemetry_create(name, NULL, said, sizeof said);
  if (!block || !telemetry_ready(block, said, sizeof said)) return -1;
  const struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  signals = 0;
  return 0;
}

static int drop_block(void **state)
{
  (void)state;
  signal(SIGUSR1, SIG_DFL);
  telemetry_destroy(block);
  return 0;
}

static void assert_said(const char *part)
{
  if (!strstr(said, part)) fail_msg("\"%s\" is not in \"%s\"", part, said);
}

TEST(a_signal_goes_to_the_daemon)
{
  assert_true(reset_send(block, said, sizeof said));
  assert_said("to clear maxima and distributions");
  assert_int_equal(signals, 1);
}

/* Process numbers are reused. */
TEST(another_process_gets_no_signal)
{
  static struct telemetry copy;
  memcpy(&copy, block, sizeof copy);
  snprintf(copy.instance, sizeof copy.instance, "another");
  assert_false(reset_send(&copy, said, sizeof said));
  assert_said("is not the ali3d that made these figures");

  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, NULL, 0);
  copy.pid = dead;
  assert_false(reset_send(&copy, said, sizeof said));
  assert_said("No such ");
  copy.pid = 0; /* kill() would take it for the process group */
  assert_false(reset_send(&copy, said, sizeof said));
  assert_int_equal(signals, 0);
}

TEST(the_remedy_is_named_where_it_is_refused)
{
  if (geteuid() != 0) {
    print_message("skip: needs root, to become another user\n");
    skip();
  }
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(1);
    reset_send(block, said, sizeof said);
    _exit(write(ends[1], said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], said, sizeof said), sizeof said);
  waitpid(child, NULL, 0);
  close(ends[0]);
  assert_said("belongs to another user; become that user or root");
  assert_int_equal(signals, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_signal_goes_to_the_daemon, make_block, drop_block),
      cmocka_unit_test_setup_teardown(another_process_gets_no_signal, make_block, drop_block),
      cmocka_unit_test_setup_teardown(the_remedy_is_named_where_it_is_refused, make_block, drop_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
