/* SPDX-License-Identifier: MIT
 * One name, one daemon: a block from its creation to its end, and the block of a killed daemon. */
#include "telemetry/shm_bench.h"

#include "signals/exchange.h"
#include "signals/states.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

TEST(block_is_seen_when_ready)
{
  const char *name = name_of("ready");
  assert_refused(name, "not running");

  const mode_t umask_before = umask(077);
  struct telemetry *t = create(name);
  umask(umask_before);
  assert_refused(name, "still starting");
  assert_int_equal(t->pid, getpid());
  assert_string_equal(t->instance, name);
  assert_int_equal(t->magic, 0);

  t->bodies = 3;
  assert_true(telemetry_ready(t, error, sizeof error));
  struct telemetry_reader r;
  static struct telemetry seen;
  assert_true(telemetry_open(&r, name, error, sizeof error));
  assert_true(telemetry_alive(&r));
  assert_true(telemetry_is_current(&r));
  assert_int_equal(r.pid, getpid());
  const struct telemetry_live live = {.cycle = 9};
  telemetry_write(t, &live);
  assert_int_equal(telemetry_copy(&r, &seen), TELEMETRY_WHOLE);
  assert_int_equal(seen.bodies, 3);
  assert_int_equal(seen.live.cycle, 9);

  struct stat st;
  assert_int_equal(stat(path_of(name, OBJECT_BLOCK), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0644);
  assert_int_equal(stat(path_of(name, OBJECT_LOCK), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);

  telemetry_destroy(t);
  assert_false(telemetry_alive(&r));
  assert_false(telemetry_is_current(&r));
  assert_int_equal(telemetry_copy(&r, &seen), TELEMETRY_WHOLE); /* an open block stays readable */
  telemetry_close(&r);
  assert_refused(name, "not running");
  assert_swept(name);
}

TEST(names_are_restricted)
{
  static const char *const bad[] = {"",
                                    "a/b",
                                    "../a",
                                    "a b",
                                    "a.b",
                                    "\xc3\xa4",
                                    "0123456789012345678901234567890123456789012345678901234567890123"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_not_created(bad[i], "expected 1 to 63 of A-Z");
    assert_refused(bad[i], "expected 1 to 63 of A-Z");
  }
}

/* Starts a child that owns the instance. It lives until the pipe is closed, and leaves its block. */
static pid_t start_owner(const char *name, int *keep)
{
  int hold[2], told[2];
  char byte = 0;
  assert_int_equal(pipe(hold), 0);
  assert_int_equal(pipe(told), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(hold[1]);
    start(name);
    if (write(told[1], &byte, 1) != 1) _exit(1);
    while (read(hold[0], &byte, 1) > 0) {
    }
    _exit(0);
  }
  close(hold[0]);
  close(told[1]);
  assert_int_equal(read(told[0], &byte, 1), 1);
  close(told[0]);
  *keep = hold[1];
  return pid;
}

TEST(living_owner_is_respected_dead_one_replaced)
{
  const char *name = name_of("owner");
  int keep;
  const pid_t pid = start_owner(name, &keep);
  char owner[64];
  snprintf(owner, sizeof owner, "already running as process %d", (int)pid);
  assert_not_created(name, owner);
  unlink(path_of(name, OBJECT_LOCK)); /* by hand; the block has its own lock */
  assert_not_created(name, owner);
  struct telemetry_reader r;
  assert_true(telemetry_open(&r, name, error, sizeof error));
  assert_true(telemetry_alive(&r));

  close(keep);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_false(telemetry_alive(&r)); /* a zombie is dead */
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_false(telemetry_alive(&r));
  struct telemetry *t = start(name);
  assert_int_equal(t->pid, getpid());
  assert_false(telemetry_is_current(&r));
  telemetry_close(&r);
  telemetry_destroy(t);
  assert_swept(name);
}

static void name_another_process(struct telemetry *t)
{
  t->pid = getppid(); /* a living process */
}

/* Process numbers are reused: a living process with that number is no daemon. */
TEST(a_number_given_out_again_is_no_daemon)
{
  const char *name = name_of("again");
  leave(name, name_another_process);
  struct telemetry_reader r;
  assert_true(telemetry_open(&r, name, error, sizeof error));
  assert_int_equal(r.pid, getpid());
  assert_false(telemetry_alive(&r));
  telemetry_close(&r);
  telemetry_destroy(start(name));
  assert_swept(name);
}

static void latch(struct telemetry *t)
{
  telemetry_write(t, &(struct telemetry_live){.cycle = 77, .state = STATE_SAFE, .fault = FAULT_ESTOP});
}

static void stop_while_writing(struct telemetry *t)
{
  latch(t);
  atomic_fetch_add(&t->sequence, 1);
}

static void be_of_another_version(struct telemetry *t)
{
  latch(t);
  t->version++;
}

/* A failed start does not lose the block of the previous daemon. */
TEST(the_block_of_a_killed_daemon_is_reported)
{
  const char *name = name_of("left");
  struct telemetry_left left;
  memset(&left, 0xff, sizeof left);
  struct telemetry *t = telemetry_create(name, &left, error, sizeof error);
  assert_non_null(t);
  assert_false(left.there || left.known || left.whole);
  telemetry_destroy(t);

  const pid_t pid = leave(name, latch);
  for (int i = 0; i < 2; i++) {
    t = telemetry_create(name, &left, error, sizeof error);
    assert_non_null(t);
    assert_true(left.there && left.known && left.whole);
    assert_int_equal(left.pid, pid);
    assert_int_equal(left.live.cycle, 77);
    assert_int_equal(left.live.state, STATE_SAFE);
    assert_int_equal(left.live.fault, FAULT_ESTOP);
    telemetry_destroy(t); /* before it was ready */
  }
  telemetry_destroy(start(name));
  assert_swept(name);

  leave(name, stop_while_writing);
  t = telemetry_create(name, &left, error, sizeof error);
  assert_true(left.there && left.known && !left.whole);
  assert_int_equal(left.live.state, STATE_SAFE);
  assert_true(telemetry_ready(t, error, sizeof error));
  telemetry_destroy(t);

  leave(name, be_of_another_version);
  t = telemetry_create(name, &left, error, sizeof error);
  assert_true(left.there && !left.known && !left.whole);
  assert_int_equal(left.live.state, 0);
  assert_true(telemetry_ready(t, error, sizeof error));
  telemetry_destroy(t);
  assert_swept(name);
}

/* Also if the daemon was killed while it started. */
TEST(a_half_made_block_is_replaced)
{
  const char *name = name_of("half");
  const pid_t pid = fork();
  if (pid == 0) {
    create(name);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  assert_int_equal(access(path_of(name, OBJECT_NEW), F_OK), 0);
  telemetry_destroy(start(name));
  assert_swept(name);
}

TEST(blocks_of_other_versions_are_refused)
{
  const char *name = name_of("version");
  struct telemetry *t = start(name);
  t->version = TELEMETRY_VERSION + 1;
  char version[80];
  snprintf(version, sizeof version, "is another version of ali3d (telemetry %u, expected",
           TELEMETRY_VERSION + 1);
  assert_refused(name, version);
  t->version = TELEMETRY_VERSION;
  t->magic = 0x12345678;
  assert_refused(name, "is not a telemetry block");
  telemetry_destroy(t);
  leave(name, NULL);
  assert_int_equal(truncate(path_of(name, OBJECT_BLOCK), 100), 0);
  assert_refused(name, "is not a telemetry block");
  telemetry_destroy(start(name));
  assert_swept(name);
}

static bool is_listed(const char *name)
{
  static char list[256][64];
  const int n = telemetry_list(list, 256);
  for (int i = 0; i < n; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

/* Both are in one list, in this order. Two lists differ while other daemons of the machine start and end. */
static bool comes_before(const char *first, const char *second)
{
  static char list[256][64];
  const int n = telemetry_list(list, 256);
  bool seen = false;
  for (int i = 0; i < n; i++) {
    if (seen && strcmp(list[i], second) == 0) return true;
    if (strcmp(list[i], first) == 0) seen = true;
  }
  return false;
}

TEST(list_is_living_first_then_newest)
{
  const char *oldest = name_of("oldest"), *older = name_of("older"), *newer = name_of("newer");
  const char *dead = name_of("dead");
  int keep;
  const pid_t pid = start_owner(oldest, &keep);
  struct telemetry *a = create(older), *b = create(newer);
  assert_false(is_listed(older)); /* not ready yet */
  assert_true(telemetry_ready(a, error, sizeof error));
  assert_true(telemetry_ready(b, error, sizeof error));
  assert_true(comes_before(older, oldest));
  close(keep);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  leave(dead, NULL); /* the newest of all blocks, so it has a place, whatever other programs left */
  assert_true(comes_before(newer, older));
  assert_true(comes_before(older, dead));
  char one[1][64];
  assert_int_equal(telemetry_list(one, 1), 1);
  telemetry_destroy(a);
  telemetry_destroy(b);
  sweep(oldest);
  sweep(dead);
  assert_false(is_listed(dead));
}

/* In a child: mounts a file system of its own over /dev/shm. Returns false if the host does not allow it. */
static bool mount_own_shm(const char *options)
{
  return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("tmpfs", "/dev/shm", "tmpfs", 0, options) == 0;
}

/* Runs the function in a child, which returns 0: passed, 1: failed, 2: the host does not allow the test. */
static void assert_in_child(int (*run)(void))
{
  const pid_t pid = fork();
  if (pid == 0) _exit(run());
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) {
    print_message("skip: no file system of our own: root is needed\n");
    skip();
  }
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void leave_many(const char *prefix)
{
  enum { MANY = 260 }; /* more than a list keeps of a user */
  char each[64];
  for (int i = 1; i <= MANY; i++) {
    snprintf(each, sizeof each, "%s-%d", prefix, i);
    leave(each, NULL);
  }
}

/* The dead blocks before and after the living one: some 70 MB. In any order of the directory many come before it. */
static int list_among_dead_blocks(void)
{
  if (!mount_own_shm("size=128m")) return 2;
  leave_many("before");
  start("alive");
  leave_many("after");
  char name[256][64];
  return telemetry_list(name, 256) != 256 || strcmp(name[0], "alive") != 0 ||
         strcmp(name[1], "after-260") != 0 || strcmp(name[255], "after-6") != 0;
}

TEST(dead_blocks_hide_no_living_daemon)
{
  assert_in_child(list_among_dead_blocks);
}

/* The file system is too small for the block. */
static int create_without_room(void)
{
  if (!mount_own_shm("size=8k")) return 2;
  return telemetry_create("full", NULL, error, sizeof error) || !strstr(error, strerror(ENOSPC)) ||
         access(path_of("full", OBJECT_LOCK), F_OK) == 0;
}

TEST(no_room_is_an_error_and_not_a_crash_later)
{
  assert_in_child(create_without_room);
}

static char *description(const char *name)
{
  struct telemetry_reader r;
  if (!telemetry_open(&r, name, error, sizeof error)) return NULL;
  char *text = telemetry_description(&r);
  telemetry_close(&r);
  return text;
}

static void describe_old(struct telemetry *t)
{
  telemetry_describe(t, "old");
}

TEST(a_description_lives_as_long_as_its_block)
{
  const char *name = name_of("described");
  struct telemetry *t = create(name);
  const mode_t umask_before = umask(077);
  assert_true(telemetry_describe(t, "{\"ROOT\": 1}"));
  umask(umask_before);
  assert_false(telemetry_describe(t, "twice"));
  assert_true(telemetry_ready(t, error, sizeof error));
  char *text = description(name);
  assert_string_equal(text, "{\"ROOT\": 1}");
  free(text);
  struct stat st;
  assert_int_equal(stat(path_of(name, OBJECT_DESCRIPTION), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0644);
  char names[256][64]; /* it is no instance */
  const int n = telemetry_list(names, 256);
  for (int i = 0; i < n; i++) assert_null(strchr(names[i], '.'));
  telemetry_destroy(t);
  assert_swept(name);

  /* A description that was left behind belongs to no daemon. */
  leave(name, describe_old);
  t = start(name);
  assert_null(description(name));
  telemetry_destroy(t);
  assert_swept(name);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_description_lives_as_long_as_its_block),
      cmocka_unit_test(block_is_seen_when_ready),
      cmocka_unit_test(names_are_restricted),
      cmocka_unit_test(living_owner_is_respected_dead_one_replaced),
      cmocka_unit_test(a_number_given_out_again_is_no_daemon),
      cmocka_unit_test(the_block_of_a_killed_daemon_is_reported),
      cmocka_unit_test(a_half_made_block_is_replaced),
      cmocka_unit_test(blocks_of_other_versions_are_refused),
      cmocka_unit_test(list_is_living_first_then_newest),
      cmocka_unit_test(dead_blocks_hide_no_living_daemon),
      cmocka_unit_test(no_room_is_an_error_and_not_a_crash_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
