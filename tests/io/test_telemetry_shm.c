/* SPDX-License-Identifier: MIT */
#include "io/telemetry_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char error[256];

/* Names of our own, so that daemons of the machine and parallel test runs do not meet. */
static const char *name_of(const char *suffix)
{
  static char name[4][64];
  static int next;
  char *n = name[next++ % 4];
  snprintf(n, sizeof name[0], "test-%d-%s", (int)getpid(), suffix);
  return n;
}

static void block_is_seen_when_ready(void **state)
{
  (void)state;
  const char *name = name_of("ready");
  assert_null(telemetry_open(name, error, sizeof error));
  assert_non_null(strstr(error, "not running"));

  const mode_t umask_before = umask(077);
  struct telemetry *t = telemetry_create(name, error, sizeof error);
  umask(umask_before);
  assert_non_null(t);
  assert_null(telemetry_open(name, error, sizeof error));
  assert_non_null(strstr(error, "still starting"));
  assert_int_equal(t->pid, getpid());
  assert_string_equal(t->instance, name);
  assert_int_equal(t->magic, 0);

  t->bodies = 3;
  telemetry_ready(t);
  const struct telemetry *seen = telemetry_open(name, error, sizeof error);
  assert_non_null(seen);
  assert_int_equal(seen->bodies, 3);
  assert_true(telemetry_alive(seen));
  const struct telemetry_live live = {.cycle = 9};
  struct telemetry_live read;
  telemetry_write(t, &live);
  assert_true(telemetry_read(seen, &read));
  assert_int_equal(read.cycle, 9);

  char path[128];
  struct stat st;
  snprintf(path, sizeof path, "/dev/shm" TELEMETRY_PREFIX "%s", name);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0644);

  telemetry_destroy(t);
  assert_int_equal(telemetry_read(seen, &read), true); /* what is mapped stays readable */
  telemetry_close(seen);
  assert_null(telemetry_open(name, error, sizeof error));
}

static void names_are_restricted(void **state)
{
  (void)state;
  static const char *const bad[] = {"",
                                    "a/b",
                                    "../a",
                                    "a b",
                                    "a.b",
                                    "\xc3\xa4",
                                    "0123456789012345678901234567890123456789012345678901234567890123"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(telemetry_create(bad[i], error, sizeof error));
    assert_non_null(strstr(error, "expected 1 to 63 of A-Z"));
    assert_null(telemetry_open(bad[i], error, sizeof error));
  }
}

/* A child that owns the instance; it lives until the pipe is closed, and leaves the block behind. */
static pid_t start_owner(const char *name, int *keep)
{
  int hold[2], told[2];
  char byte = 0;
  assert_int_equal(pipe(hold), 0);
  assert_int_equal(pipe(told), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(hold[1]);
    struct telemetry *t = telemetry_create(name, error, sizeof error);
    if (t) telemetry_ready(t);
    if (write(told[1], &byte, 1) != 1) _exit(1);
    while (read(hold[0], &byte, 1) > 0) {
    }
    _exit(t ? 0 : 1);
  }
  close(hold[0]);
  close(told[1]);
  assert_int_equal(read(told[0], &byte, 1), 1);
  close(told[0]);
  *keep = hold[1];
  return pid;
}

static void end_owner(pid_t pid, int keep)
{
  int status = -1;
  close(keep);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void living_owner_is_respected_dead_one_replaced(void **state)
{
  (void)state;
  const char *name = name_of("owner");
  int keep;
  const pid_t pid = start_owner(name, &keep);
  char owner[64];
  snprintf(owner, sizeof owner, "already running as process %d", (int)pid);
  assert_null(telemetry_create(name, error, sizeof error));
  assert_non_null(strstr(error, owner));
  const struct telemetry *seen = telemetry_open(name, error, sizeof error);
  assert_non_null(seen);
  assert_true(telemetry_alive(seen));

  close(keep);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_false(telemetry_alive(seen)); /* a zombie is dead */
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_false(telemetry_alive(seen));
  telemetry_close(seen);
  struct telemetry *t = telemetry_create(name, error, sizeof error);
  assert_non_null(t);
  assert_int_equal(t->pid, getpid());
  assert_int_equal(t->magic, 0);
  telemetry_destroy(t);
}

static void foreign_objects_are_refused(void **state)
{
  (void)state;
  const char *name = name_of("foreign");
  char object[128];
  snprintf(object, sizeof object, TELEMETRY_PREFIX "%s", name);
  const int fd = shm_open(object, O_CREAT | O_EXCL | O_RDWR, 0644);
  assert_true(fd >= 0);
  assert_int_equal(ftruncate(fd, 100), 0);
  close(fd);
  assert_null(telemetry_open(name, error, sizeof error));
  assert_non_null(strstr(error, "not a telemetry block of this version"));
  /* It may be one that another process is just making. */
  assert_null(telemetry_create(name, error, sizeof error));
  assert_non_null(strstr(error, "being started"));
  assert_int_equal(shm_unlink(object), 0);

  struct telemetry *t = telemetry_create(name, error, sizeof error);
  assert_non_null(t);
  t->version = TELEMETRY_VERSION + 1;
  telemetry_ready(t);
  assert_null(telemetry_open(name, error, sizeof error));
  char version[40];
  snprintf(version, sizeof version, "telemetry version %u of", TELEMETRY_VERSION + 1);
  assert_non_null(strstr(error, version));
  t->version = TELEMETRY_VERSION;
  t->magic = 0x12345678;
  assert_null(telemetry_open(name, error, sizeof error));
  assert_non_null(strstr(error, "not a telemetry block"));
  telemetry_destroy(t);
}

static int place_in_list(const char *name)
{
  static char list[256][64];
  const int n = telemetry_list(list, 256);
  for (int i = 0; i < n; i++)
    if (strcmp(list[i], name) == 0) return i;
  return -1;
}

static void list_is_living_first_then_newest(void **state)
{
  (void)state;
  const char *older = name_of("older"), *newer = name_of("newer"), *dead = name_of("dead");
  struct telemetry *a = telemetry_create(older, error, sizeof error);
  struct telemetry *b = telemetry_create(newer, error, sizeof error);
  assert_true(a && b);
  assert_int_equal(place_in_list(older), -1); /* not ready yet */
  telemetry_ready(a);
  telemetry_ready(b);
  int keep;
  const pid_t pid = start_owner(dead, &keep);
  assert_true(place_in_list(dead) >= 0);
  assert_true(place_in_list(dead) < place_in_list(newer));
  end_owner(pid, keep);
  assert_true(place_in_list(newer) >= 0);
  assert_true(place_in_list(newer) < place_in_list(older));
  assert_true(place_in_list(older) < place_in_list(dead));
  char one[1][64];
  assert_int_equal(telemetry_list(one, 1), 1);
  telemetry_destroy(a);
  telemetry_destroy(b);
  char object[128];
  snprintf(object, sizeof object, TELEMETRY_PREFIX "%s", dead);
  assert_int_equal(shm_unlink(object), 0);
  assert_int_equal(place_in_list(dead), -1);
}

/* In a child with a file system of its own, too small for the block: 0 refused with the reason, 1 not, 2 the host
 * does not let us. */
static int create_without_room(void)
{
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=8k") != 0)
    return 2;
  return telemetry_create("full", error, sizeof error) || !strstr(error, strerror(ENOSPC));
}

static void no_room_is_an_error_and_not_a_crash_later(void **state)
{
  (void)state;
  const pid_t pid = fork();
  if (pid == 0) _exit(create_without_room());
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) {
    print_message("skip: no file system of our own: root is needed\n");
    skip();
  }
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_description_lives_as_long_as_its_block(void **state)
{
  (void)state;
  const char *name = name_of("described");
  struct telemetry *t = telemetry_create(name, error, sizeof error);
  assert_non_null(t);
  assert_null(telemetry_description(name));
  const mode_t umask_before = umask(077);
  assert_true(telemetry_describe(t, "{\"ROOT\": 1}"));
  umask(umask_before);
  assert_false(telemetry_describe(t, "twice"));
  char *text = telemetry_description(name), path[128];
  assert_string_equal(text, "{\"ROOT\": 1}");
  free(text);
  struct stat st;
  snprintf(path, sizeof path, "/dev/shm/ali3-%s.osc", name);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0644);
  telemetry_ready(t);
  char names[256][64]; /* it is no instance of its own */
  const int n = telemetry_list(names, 256);
  for (int i = 0; i < n; i++) assert_null(strchr(names[i], '.'));
  telemetry_destroy(t);
  assert_null(telemetry_description(name));
  assert_null(telemetry_description("../x"));

  /* One that was left behind is nobody's description. */
  t = telemetry_create(name, error, sizeof error);
  assert_true(telemetry_describe(t, "old"));
  munmap(t, sizeof *t);
  t = telemetry_create(name, error, sizeof error);
  assert_non_null(t);
  assert_null(telemetry_description(name));
  telemetry_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_lives_as_long_as_its_block),
      cmocka_unit_test(block_is_seen_when_ready),
      cmocka_unit_test(names_are_restricted),
      cmocka_unit_test(living_owner_is_respected_dead_one_replaced),
      cmocka_unit_test(foreign_objects_are_refused),
      cmocka_unit_test(list_is_living_first_then_newest),
      cmocka_unit_test(no_room_is_an_error_and_not_a_crash_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
