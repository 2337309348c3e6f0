/* SPDX-License-Identifier: MIT
 * Two processes start at one time under one name, where a killed daemon left its block. One of them gets the name, and
 * the name leads to its block until it ends. */
#include "telemetry/shm_bench.h"

#include <poll.h>
#include <time.h>

enum { PAIRS = 300, STARTERS = 2, PATIENCE_MS = 300000, REFUSED = 'r', GOT_IT = 'g', LOST_IT = 'l' };

struct starter {
  pid_t pid;
  int told; /* receives one letter */
};

/* Waits at the gate, starts, and reports. A second letter before its end tells whether the name still leads to its
 * block. */
static void be_starter(const char *name, int gate, int told, int leave_it)
{
  char letter = 0;
  if (read(gate, &letter, 1) < 0) _exit(2); /* until the other end closes the gate */
  struct telemetry *t = telemetry_create(name, NULL, error, sizeof error);
  if (t && !telemetry_ready(t, error, sizeof error)) _exit(3);
  letter = t ? GOT_IT : REFUSED;
  if (write(told, &letter, 1) != 1) _exit(4);
  if (!t) _exit(strstr(error, "already running") || strstr(error, "is starting or ending") ? 0 : 5);
  if (read(leave_it, &letter, 1) < 0) _exit(6);
  letter = object_is_at(t->object, path_of(name, OBJECT_BLOCK)) ? GOT_IT : LOST_IT;
  if (write(told, &letter, 1) != 1) _exit(7);
  telemetry_destroy(t);
  _exit(0);
}

static char letter_of(const struct starter *s)
{
  struct pollfd in = {.fd = s->told, .events = POLLIN};
  char letter = 0;
  if (poll(&in, 1, PATIENCE_MS) == 1 && read(s->told, &letter, 1) == 1) return letter;
  fail_msg("a starter does not answer");
  return 0;
}

/* Starts one pair. Returns how many got the name. */
static int start_pair(const char *name)
{
  int gate[2], leave_it[2];
  struct starter s[STARTERS];
  assert_int_equal(pipe(gate), 0);
  assert_int_equal(pipe(leave_it), 0);
  for (int i = 0; i < STARTERS; i++) {
    int told[2];
    assert_int_equal(pipe(told), 0);
    s[i].pid = fork();
    if (s[i].pid == 0) {
      close(gate[1]);
      close(leave_it[1]);
      be_starter(name, gate[0], told[1], leave_it[0]);
    }
    close(told[1]);
    s[i].told = told[0];
  }
  close(gate[0]);
  close(gate[1]); /* now */
  int got = 0;
  bool has[STARTERS];
  for (int i = 0; i < STARTERS; i++) got += has[i] = letter_of(&s[i]) == GOT_IT;
  if (got == 1) { /* all readers see it, and it owns the lock */
    struct telemetry_reader r;
    if (!telemetry_open(&r, name, error, sizeof error)) fail_msg("%s", error);
    assert_true(telemetry_alive(&r));
    for (int i = 0; i < STARTERS; i++) assert_true(!has[i] || r.pid == s[i].pid);
    telemetry_close(&r);
  }
  close(leave_it[0]);
  close(leave_it[1]);
  for (int i = 0; i < STARTERS; i++) {
    int status = -1;
    if (has[i] && letter_of(&s[i]) != GOT_IT)
      fail_msg("somebody else removed the block of the one that runs");
    close(s[i].told);
    assert_int_equal(waitpid(s[i].pid, &status, 0), s[i].pid);
    assert_int_equal(status, 0);
  }
  return got;
}

TEST(one_of_two_gets_the_name)
{
  const char *name = name_of("race");
  for (int i = 0; i < PAIRS; i++) {
    leave(name, NULL);
    assert_int_equal(start_pair(name), 1);
    assert_swept(name);
  }
}

/* One process ends while another starts: the second one is refused or owns the name alone. */
TEST(an_end_frees_the_name_at_once_or_not_yet)
{
  const char *name = name_of("end");
  int started = 0;
  for (int i = 0; i < PAIRS; i++) {
    struct telemetry *t = start(name);
    const pid_t pid = fork();
    if (pid == 0) {
      close(t->lock); /* lock of the process that ends */
      close(t->object);
      if (execl("/proc/self/exe", "test", name, (char *)NULL) != 0)
        _exit(9); /* this drops the mapping, too */
    }
    const struct timespec pause = {.tv_nsec = (long)(i % 30) * 100000};
    nanosleep(&pause, NULL);
    telemetry_destroy(t);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 1);
    started += WEXITSTATUS(status) == 0;
    assert_swept(name);
  }
  print_message("%d of %d started\n", started, PAIRS);
}

/* Runs as a program of its own. Returns 0: it had the name, 1: refused, 2: it lost the name. */
static int start_once(const char *name)
{
  struct telemetry *t = telemetry_create(name, NULL, error, sizeof error);
  if (!t) return strstr(error, "already running") || strstr(error, "is starting or ending") ? 1 : 3;
  if (!telemetry_ready(t, error, sizeof error)) return 4;
  const bool own = object_is_at(t->object, path_of(name, OBJECT_BLOCK)) &&
                   object_is_at(t->lock, path_of(name, OBJECT_LOCK));
  telemetry_destroy(t);
  return own ? 0 : 2;
}

int main(int argc, char **argv)
{
  if (argc > 1) return start_once(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_of_two_gets_the_name),
      cmocka_unit_test(an_end_frees_the_name_at_once_or_not_yet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
