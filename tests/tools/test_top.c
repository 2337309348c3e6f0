/* SPDX-License-Identifier: MIT
 * ali3-top against a telemetry block made here: what it shows, and its exit status. */
#include "io/telemetry_shm.h"
#include "rt/clock.h"
#include "rt/machine.h"
#include "signals/exchange.h"

#include <ali3/ali3.h>
#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char name[64];
static char output[65536];

/* Runs ali3-top with the arguments, a printf format; its exit status, and what it wrote in output. */
static __attribute__((format(printf, 1, 2))) int top(const char *format, ...)
{
  char command[1024];
  int n = snprintf(command, sizeof command, "%s ", ALI3_TOP);
  va_list list;
  va_start(list, format);
  n += vsnprintf(command + n, sizeof command - (size_t)n, format, list);
  va_end(list);
  snprintf(command + n, sizeof command - (size_t)n, " 2>&1");
  FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c): the command is our own */
  assert_non_null(f);
  const size_t size = fread(output, 1, sizeof output - 1, f);
  output[size] = '\0';
  const int status = pclose(f);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_shows(const char *text)
{
  if (!strstr(output, text)) fail_msg("\"%s\" is missing in:\n%s", text, output);
}

static void assert_hides(const char *text)
{
  if (strstr(output, text)) fail_msg("\"%s\" should not be in:\n%s", text, output);
}

/* Written in the future: never old, however slow this machine is. */
static struct telemetry_live healthy(void)
{
  return (struct telemetry_live){.cycle = 1000,
                                 .t_ns = clock_now_ns() + 600 * NS_PER_S,
                                 .time = 10.0,
                                 .state = STATE_RUNNING,
                                 .flags = FLAG_RUNNING,
                                 .input_age_ns = 12000000,
                                 .increment = 1e-12,
                                 .constraint = 3e-13};
}

static struct telemetry *start_fake(void)
{
  char error[256];
  struct telemetry *t = telemetry_create(name, error, sizeof error);
  if (!t) {
    print_message("%s\n", error);
    abort(); /* no test can run */
  }
  snprintf(t->model, sizeof t->model, "four-bar");
  snprintf(t->isa, sizeof t->isa, "baseline");
  t->period_ns = 10000000;
  t->realtime = 1;
  t->bodies = 3;
  t->rows = 16;
  t->priority = 80;
  t->cpu = 1;
  for (uint64_t i = 1; i <= 1000; i++) {
    histogram_add(&t->book.wakeup, i * 1000, i);
    histogram_add(&t->book.step, 20500, i);
    histogram_add(&t->book.cycle, 80500, i);
  }
  const struct telemetry_live live = healthy();
  telemetry_write(t, &live);
  telemetry_ready(t);
  return t;
}

static void healthy_daemon(void **state)
{
  (void)state;
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

static void json_has_every_figure(void **state)
{
  (void)state;
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.increment = 0.0 / 0.0 * live.time; /* NaN, which JSON cannot say */
  counter_set(&t->counters.modbus_half_frames, 5);
  t->realtime = 0;
  snprintf(t->reason, sizeof t->reason, "SCHED_FIFO 80: \"no\" \xff");
  telemetry_write(t, &live);
  assert_int_equal(top("--json --instance %s", name), 0);
  json_t *o = json_loads(output, 0, NULL);
  assert_non_null(o);
  assert_string_equal(json_string_value(json_object_get(o, "status")), "healthy");
  assert_string_equal(json_string_value(json_object_get(o, "state")), "RUNNING");
  assert_string_equal(json_string_value(json_object_get(o, "label")), "NOT REAL-TIME");
  assert_string_equal(json_string_value(json_object_get(o, "instance")), name);
  assert_false(json_boolean_value(json_object_get(o, "realtime")));
  assert_int_equal(json_integer_value(json_object_get(o, "cycle")), 1000);
  assert_int_equal(json_integer_value(json_object_get(o, "misses")), 0);
  assert_true(json_is_null(json_object_get(o, "increment")));
  assert_true(json_number_value(json_object_get(o, "period_s")) == 0.01);
  assert_true(json_number_value(json_object_get(o, "input_age_ms")) == 12.0);

  static const char *const book[] = {"wakeup_us", "step_us", "cycle_us"};
  static const char *const figure[] = {"count", "last", "min", "median", "p99", "p999", "max", "max_cycle"};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 8; k++)
      assert_true(json_is_number(json_object_get(json_object_get(o, book[i]), figure[k])));
  const json_t *wakeup = json_object_get(o, "wakeup_us");
  assert_true(json_number_value(json_object_get(wakeup, "min")) == 1.0);
  assert_in_range(json_number_value(json_object_get(wakeup, "median")), 500, 502);
  assert_true(json_number_value(json_object_get(wakeup, "max")) == 1000.0);
  assert_int_equal(json_integer_value(json_object_get(wakeup, "max_cycle")), 1000);

  const json_t *counters = json_object_get(o, "counters");
#define CHECK(field, text) assert_true(json_is_integer(json_object_get(counters, #field)));
  COUNTER_LIST(CHECK)
#undef CHECK
  assert_int_equal(json_integer_value(json_object_get(counters, "modbus_half_frames")), 5);
  json_decref(o);
  telemetry_destroy(t);
}

/* One thing wrong at a time: exit status 1, and the reason is named. */
static void degraded_daemon(void **state)
{
  (void)state;
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  live.misses = 3;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: 3 deadlines missed\n");
  assert_hides("95 %");

  live = healthy();
  live.stale_mask = 2;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: stale inputs, mask 0x2, until sent again or reset\n");

  live = healthy();
  live.state = STATE_SAFE;
  live.fault = FAULT_ESTOP;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: state SAFE: e-stop requested\n");

  live = healthy();
  live.t_ns = clock_now_ns() - 2500000000;
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: the loop has not advanced for ");

  live = healthy();
  telemetry_write(t, &live);
  atomic_fetch_add(&t->sequence, 1); /* stopped in the middle of writing */
  assert_int_equal(top("--once --instance %s", name), 1);
  assert_shows("DEGRADED: no consistent figures");
  telemetry_destroy(t);
}

static void slow_period_is_not_a_stuck_loop(void **state)
{
  (void)state;
  struct telemetry *t = start_fake();
  struct telemetry_live live = healthy();
  t->period_ns = 10 * NS_PER_S;
  live.t_ns = clock_now_ns() - 2500000000; /* a quarter of a period */
  telemetry_write(t, &live);
  assert_int_equal(top("--once --instance %s", name), 0);
  telemetry_destroy(t);
}

static void not_real_time_is_said_everywhere(void **state)
{
  (void)state;
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

static void gone_daemon(void **state)
{
  (void)state;
  assert_int_equal(top("--once --instance %s", name), 3);
  assert_shows("GONE");
  assert_shows("not running");
  assert_int_equal(top("--json --instance %s", name), 3);
  assert_shows("\"gone\"");

  struct telemetry *t = start_fake();
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, NULL, 0);
  t->pid = dead;
  assert_int_equal(top("--once --instance %s", name), 3);
  assert_shows("ended without cleaning up");
  t->pid = getpid();
  telemetry_destroy(t);
}

/* Starts before the daemon, sees it come, go, and come back as another process would. */
static void line_waits_and_follows(void **state)
{
  (void)state;
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

static void seconds_end_it_with_the_last_verdict(void **state)
{
  (void)state;
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

static void list_names_it(void **state)
{
  (void)state;
  struct telemetry *t = start_fake();
  char line[128];
  snprintf(line, sizeof line, "%s\t%d\trunning\n", name, (int)getpid());
  assert_int_equal(top("--list"), 0);
  assert_shows(line);
  telemetry_destroy(t);
}

static void usage(void **state)
{
  (void)state;
  assert_int_equal(top("--help"), 0);
  assert_shows("usage: ali3-top");
  assert_shows("Exit status");
  assert_int_equal(top("--version"), 0);
  assert_string_equal(output, "ali3-top " ALI3_VERSION "\n");
  static const char *const wrong[] = {"--nonsense", "extra",        "--watch",     "--watch 0",
                                      "--watch 1x", "--seconds -1", "--watch nan", "--once --watch 1",
                                      "--instance"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_int_equal(top("%s", wrong[i]), 2);
  assert_int_equal(top("--watch 1x"), 2);
  assert_shows("--watch: expected seconds from 0.02 to 3600, found \"1x\"");
  assert_int_equal(top("--once --instance a/b"), 3);
  assert_shows("expected 1 to 63 of A-Z");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(healthy_daemon),
      cmocka_unit_test(json_has_every_figure),
      cmocka_unit_test(degraded_daemon),
      cmocka_unit_test(slow_period_is_not_a_stuck_loop),
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
