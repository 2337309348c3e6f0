/* SPDX-License-Identifier: MIT
 * ali3-top with an artificial telemetry block: its output and its exit status. */
#include "tools/run_top.h"

#include <ali3/ali3.h>
#include <jansson.h>
#include <signal.h>
#include <unistd.h>

TEST(healthy_daemon)
{
  struct telemetry *t = start_fake();
  counter_set(&t->counters.osc_clients, 2);
  counter_set(&t->counters.modbus_half_frames, 5);
  struct telemetry_live live = healthy();
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows(name);
  assert_shows("RUNNING");
  assert_shows("verdict   healthy");
  assert_shows(", baseline, period 10 ms");
  assert_shows("0 missed, 0 starts skipped (95 % sure: below 3.0e-03 per cycle)");
  assert_shows("clients   OSC 2, Modbus 0");
  assert_shows("5  Modbus connections closed in mid-frame");
  assert_hides("NOT REAL-TIME");
  telemetry_destroy(t);
}

TEST(not_real_time_is_said_everywhere)
{
  struct telemetry *t = start_fake();
  t->realtime = 0;
  snprintf(t->reason, sizeof t->reason, "SCHED_FIFO 80: Operation not permitted");
  const struct telemetry_live live = healthy();
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  assert_shows("NOT REAL-TIME, figures unrepresentative: SCHED_FIFO 80: Operation not permitted");
  assert_int_equal(top("--once --line --instance %s", name), 0);
  assert_shows("NOT REAL-TIME");
  telemetry_destroy(t);
}

TEST(gone_daemon)
{
  assert_int_equal(top("--once --instance %s", name), 3);
  assert_shows("GONE");
  assert_shows("not running");
  assert_int_equal(top("--json --instance %s", name), 3);
  assert_shows("\"gone\"");

  char said[80];
  snprintf(said, sizeof said, "process %d ended without cleaning up", (int)leave_fake());
  assert_int_equal(top("--once --instance %s", name), 3);
  assert_shows(said);
  telemetry_destroy(start_fake());
}

/* Starts before the daemon, sees it start, end, and start again as another process. */
TEST(line_waits_and_follows)
{
  int pipes[2];
  assert_int_equal(pipe(pipes), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    close(pipes[0]);
    close(pipes[1]);
    execl(ALI3_TOP, ALI3_TOP, "--line", "--watch", "0.05", "--seconds", "60", "--instance", name,
          (char *)NULL);
    _exit(127);
  }
  close(pipes[1]);
  FILE *out = fdopen(pipes[0], "r");
  assert_non_null(out);

  static const char *const expected[] = {"waiting for a daemon", "RUNNING", "waiting for a daemon",
                                         "RUNNING"};
  struct telemetry *t = NULL;
  for (int i = 0; i < 4; i++) {
    if (i % 2) {
      t = start_fake();
    } else if (t) {
      telemetry_destroy(t);
      t = NULL;
    }
    bool found = false;
    for (int line = 0; line < 400 && !found && fgets(output, sizeof output, out); line++)
      found = strstr(output, expected[i]) != NULL;
    assert_true(found);
  }
  assert_non_null(strchr(output, '\n'));
  assert_hides("\r"); /* not a terminal */
  assert_shows("misses 0");
  assert_shows("wakeup 1000/1000  step 20/20  cycle 80/80 us");

  kill(pid, SIGTERM);
  int status = -1;
  waitpid(pid, &status, 0);
  fclose(out);
  assert_true(WIFEXITED(status));
  telemetry_destroy(t);
}

TEST(seconds_end_it_with_the_last_verdict)
{
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.misses = 1;
  telemetry_write(t, &live);
  const uint64_t start = clock_now_ns();
  assert_int_equal(top("--line --watch 0.1 --seconds 0.35 --instance %s", name), 1);
  assert_true(clock_now_ns() - start >= 350000000);
  assert_shows("1 deadline missed");
  int lines = 0;
  for (const char *c = output; *c; c++) lines += *c == '\n';
  assert_in_range(lines, 2, 5);
  assert_int_equal(top("--json --watch 0.1 --seconds 0.15 --instance %s", name), 1);
  json_t *first = json_loads(output, JSON_DISABLE_EOF_CHECK, NULL); /* one object per line */
  assert_non_null(first);
  json_decref(first);
  telemetry_destroy(t);
}

TEST(list_names_it)
{
  struct telemetry *t = start_fake();
  char line[128];
  snprintf(line, sizeof line, "%s\t%d\trunning\n", name, (int)getpid());
  assert_int_equal(top("--list"), 0);
  assert_shows(line);
  telemetry_destroy(t);
}

TEST(usage)
{
  assert_int_equal(top("--help"), 0);
  assert_shows("Usage: ali3-top");
  assert_shows("Exit status");
  assert_int_equal(top("--version"), 0);
  assert_shows("ali3-top " ALI3_VERSION "\ncommit ");
  static const char *const wrong[] = {"--nonsense",
                                      "extra",
                                      "--watch",
                                      "--watch 0",
                                      "--watch 1x",
                                      "--seconds -1",
                                      "--watch nan",
                                      "--once --watch 1",
                                      "--instance",
                                      "--histogram",
                                      "--histogram x.png --once",
                                      "--list --histogram x.png",
                                      "--watch time --histogram x.png",
                                      "--json --histogram x.png"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_int_equal(top("%s", wrong[i]), 2);
  assert_int_equal(top("--watch 1x"), 2);
  assert_shows("--watch: expected seconds from 0.02 to 3600, or names of signals, found 1x");
  assert_int_equal(top("--once --instance a/b"), 3);
  assert_shows("expected 1 to 63 of A-Z");
  assert_int_equal(top("--histogram x.png --instance no-such-instance"), 3);
  assert_shows("instance \"no-such-instance\": not running");
  assert_int_equal(access("x.png", F_OK), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(healthy_daemon),
      cmocka_unit_test(not_real_time_is_said_everywhere),
      cmocka_unit_test(gone_daemon),
      cmocka_unit_test(line_waits_and_follows),
      cmocka_unit_test(seconds_end_it_with_the_last_verdict),
      cmocka_unit_test(list_names_it),
      cmocka_unit_test(usage),
  };
  snprintf(name, sizeof name, "test-top-%d", (int)getpid());
  return cmocka_run_group_tests(tests, NULL, NULL);
}
