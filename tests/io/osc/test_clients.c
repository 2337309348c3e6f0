/* SPDX-License-Identifier: MIT
 * The running thread with programs of other projects, or without any OSC library. */
#include "osc/osc_bench.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts a program with its output in a pipe. It ends with the test at the latest. */
static pid_t spawn(char *const argv[], int *output)
{
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(argv[0], argv);
    _exit(127);
  }
  close(ends[1]);
  *output = ends[0];
  return pid;
}

static int exit_status(pid_t pid)
{
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void skip_if_missing(const char *program)
{
  const char *path = getenv("PATH");
  char copy[4096], *rest = copy;
  snprintf(copy, sizeof copy, "%s", path ? path : "/usr/bin:/bin");
  for (char *dir; (dir = strsep(&rest, ":"));) {
    char file[4200];
    snprintf(file, sizeof file, "%s/%s", dir, program);
    if (access(file, X_OK) == 0) return;
  }
  print_message("skipped: %s is not installed\n", program);
  skip();
}

TEST(hostile_packets_are_counted_and_change_nothing)
{
  skip_if_missing("python3");
  char port_text[12];
  snprintf(port_text, sizeof port_text, "%d", osc_port(&osc));
  char script[] = TEST_DATA "/io/osc/osc_hostile.py";
  char *const argv[] = {"python3", script, "127.0.0.1", port_text, "/ali3", "push", NULL};
  int output;
  pid_t pid = spawn(argv, &output);
  FILE *lines = fdopen(output, "r");
  static const struct {
    const char *name;
    size_t offset;
  } known[] = {
      {"osc_malformed", offsetof(struct counters, osc_malformed)},
      {"osc_nonfinite", offsetof(struct counters, osc_nonfinite)},
      {"osc_unknown", offsetof(struct counters, osc_unknown)},
      {"osc_type_errors", offsetof(struct counters, osc_type_errors)},
  };
  int checked = 0;
  char line[128];
  while (fgets(line, sizeof line, lines))
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
      size_t n = strlen(known[i].name);
      if (strncmp(line, known[i].name, n) != 0 || line[n] != ' ') continue;
      uint64_t expected = strtoull(line + n, NULL, 10);
      assert_counts_to((_Atomic uint64_t *)((char *)&counters + known[i].offset), expected);
      checked++;
    }
  fclose(lines);
  assert_int_equal(exit_status(pid), 0);
  assert_int_equal(checked, 4);
  struct command c = {0};
  assert_false(snapshot_take(&port.inputs));
  assert_false(ring_pop(&port.commands, &c));
  assert_alive();
  publish(1, STATE_RUNNING);
  assert_int_equal(wire_get_u32(get(listener[0], "/ali3/hdr", "ifiiii")), 1);
}

TEST(oscsend_sets_an_input)
{
  skip_if_missing("oscsend");
  char port_text[12];
  snprintf(port_text, sizeof port_text, "%d", osc_port(&osc));
  char *const argv[] = {"oscsend", "127.0.0.1", port_text, "/ali3/input/push",
                        "fdiffi",  "0.5",       "0.1",     "-7",
                        "1.5",     "2.5",       "3",       NULL};
  int output;
  pid_t pid = spawn(argv, &output);
  assert_int_equal(exit_status(pid), 0);
  close(output);
  assert_counts_to(&counters.osc_received, 1);
  bool taken = false; /* counted before it is published */
  for (int ms = 0; ms < PATIENCE_MS && !(taken = snapshot_take(&port.inputs)); ms++) poll(NULL, 0, 1);
  assert_true(taken);
  const struct input_sample *s = snapshot_value(&port.inputs);
  static const double expected[CHANNELS] = {0.5, 0.1, -7, 1.5, 2.5, 3};
  for (int i = 0; i < CHANNELS; i++) assert_true(s[i].value == expected[i]);
}

TEST(oscdump_shows_the_state)
{
  skip_if_missing("oscdump");
  close(listener[0]); /* oscdump takes its place */
  char port_text[12];
  snprintf(port_text, sizeof port_text, "%d", target[0].port);
  char *const argv[] = {"oscdump", "-L", port_text, NULL};
  int output;
  pid_t pid = spawn(argv, &output);
  FILE *lines = fdopen(output, "r");
  char line[1024] = "";
  uint64_t cycle = 1, end = clock_now_ns() + PATIENCE_MS * (NS_PER_S / 1000);
  bool header = false, body = false, in_order = false;
  while (!(header && body) && clock_now_ns() < end) {
    publish(cycle++, STATE_RUNNING); /* until it runs and has seen a frame */
    while (wait_readable(output, 20) && fgets(line, sizeof line, lines)) {
      static const char start_of_body[] = "/ali3/body/b1/state fffffffffffff ";
      header |= strstr(line, "/ali3/hdr ifiiii ") != NULL;
      char *at = strstr(line, start_of_body);
      if (at) {
        at += strlen(start_of_body);
        double x = strtod(at, &at), y = strtod(at, &at), z = strtod(at, &at);
        body = true;
        in_order = fabs(y - x - 0.125) < 1e-3 && fabs(z - y - 0.125) < 1e-3;
      }
      if (header && body) break;
    }
  }
  kill(pid, SIGTERM);
  exit_status(pid);
  fclose(lines);
  listener[0] = open_socket("127.0.0.1", 0, &target[0].port);
  assert_true(header);
  assert_true(body);
  assert_true(in_order);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      BENCH_TEST(hostile_packets_are_counted_and_change_nothing),
      BENCH_TEST(oscsend_sets_an_input),
      BENCH_TEST(oscdump_shows_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
