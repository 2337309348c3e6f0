/* SPDX-License-Identifier: MIT
 * Files that any local user may put into /dev/shm: no program waits for them, trusts them or crashes. */
#include "telemetry/shm_bench.h"

#include "telemetry/json.h"
#include "telemetry/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { SERVICE = 61300 }; /* of the users that systemd makes */
enum { CUTS = 300, READERS = 3, PATIENCE_S = 1000 };

static bool is_listed(const char *name)
{
  static char list[256][64];
  const int n = telemetry_list(list, 256);
  for (int i = 0; i < n; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

static void put_fifo(const char *path)
{
  assert_int_equal(mkfifo(path, 0666), 0);
}
static void put_folder(const char *path)
{
  assert_int_equal(mkdir(path, 0777), 0);
}
static void put_link(const char *path)
{
  assert_int_equal(symlink("/etc/passwd", path), 0);
}
static void put_socket(const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  close(fd);
}

static const struct {
  void (*put)(const char *path);
  const char *said;
  bool replaced; /* replaced by a daemon of the user who put it there */
} odd[] = {{put_fifo, "is a FIFO", true},
           {put_folder, "is a directory", false},
           {put_link, "is a symbolic link", true},
           {put_socket, "is a socket", true}};

/* A file in the place of the block: tools say what it is. A daemon replaces a file of its own user. */
TEST(odd_files_are_refused_at_once)
{
  const char *name = name_of("odd");
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    odd[i].put(path_of(name, OBJECT_BLOCK));
    assert_refused(name, odd[i].said);
    assert_said(path_of(name, OBJECT_BLOCK));
    assert_false(is_listed(name));
    if (odd[i].replaced)
      telemetry_destroy(start(name));
    else
      assert_not_created(name, "is a directory: remove it");
    sweep(name);
  }
}

/* Files in the places of the lock, the description and the unfinished block. */
TEST(odd_files_beside_a_block_stop_nobody)
{
  const char *name = name_of("beside");
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    struct telemetry *t = start(name);
    struct telemetry_reader r;
    assert_true(telemetry_open(&r, name, error, sizeof error));
    odd[i].put(path_of(name, OBJECT_DESCRIPTION));
    assert_null(telemetry_description(&r));
    telemetry_close(&r);
    telemetry_destroy(t);
    sweep(name);

    odd[i].put(path_of(name, OBJECT_LOCK));
    if (odd[i].replaced && geteuid() == 0)
      telemetry_destroy(start(name));
    else
      assert_not_created(name, odd[i].said);
    sweep(name);
    odd[i].put(path_of(name, OBJECT_NEW));
    if (odd[i].replaced)
      telemetry_destroy(start(name));
    else
      assert_not_created(name, "cannot be removed: Is a directory: remove it as its owner or as root");
    sweep(name);
  }
}

/* Any user may take a read lock on a file that he can read. */
TEST(a_lock_of_a_reader_is_no_daemon_and_stops_none)
{
  const char *name = name_of("reader");
  leave(name, NULL);
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  const int fd = open(path_of(name, OBJECT_BLOCK), O_RDONLY | O_CLOEXEC);
  assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
  struct telemetry_reader r;
  assert_true(telemetry_open(&r, name, error, sizeof error));
  assert_false(telemetry_alive(&r));
  telemetry_close(&r);
  struct telemetry *t = start(name);
  assert_true(telemetry_open(&r, name, error, sizeof error));
  assert_true(telemetry_alive(&r));
  telemetry_close(&r);
  telemetry_destroy(t);
  close(fd);
  assert_swept(name);
}

/* Runs as user nobody. */
static int put_false_block(const char *name)
{
  struct telemetry *t = telemetry_create(name, NULL, error, sizeof error);
  if (!t || !telemetry_ready(t, error, sizeof error)) return 1;
  t->pid = 1; /* a living process */
  return 0;
}
static int put_false_lock(const char *name)
{
  return open(path_of(name, OBJECT_LOCK), O_CREAT | O_RDWR, 0666) < 0;
}
static int sees_block(const char *name)
{
  struct telemetry_reader r;
  return !telemetry_open(&r, name, error, sizeof error) || !telemetry_alive(&r);
}
static int is_kept_out(const char *name)
{
  if (telemetry_create(name, NULL, error, sizeof error)) return 1;
  return !strstr(error, "belongs to user 0") || !strstr(error, "choose another telemetry.name");
}
static int finds_it_running(const char *name)
{
  return telemetry_create(name, NULL, error, sizeof error) || !strstr(error, "already running as process");
}

TEST(blocks_of_others_are_not_believed)
{
  SKIP_UNLESS_ROOT()
  const char *name = name_of("false");
  assert_int_equal(as_user(NOBODY, put_false_block, name), 0);
  assert_refused(name, "belongs to user 65534, but process 1, which it names, runs as another user");
  assert_false(is_listed(name));
  struct telemetry_left left;
  struct telemetry *t = telemetry_create(name, &left, error, sizeof error); /* root replaces it */
  assert_non_null(t);
  assert_true(left.there && !left.known);
  assert_true(telemetry_ready(t, error, sizeof error));
  assert_int_equal(as_user(NOBODY, sees_block, name), 0); /* the block of root is trusted */
  assert_int_equal(as_user(NOBODY, finds_it_running, name), 0);
  telemetry_destroy(t);
  assert_swept(name);
  leave(name, NULL);
  assert_int_equal(as_user(NOBODY, is_kept_out, name), 0);
  unlink(path_of(name, OBJECT_LOCK));
  assert_int_equal(as_user(NOBODY, is_kept_out, name), 0);
  sweep(name);
  assert_int_equal(as_user(NOBODY, put_false_lock, name), 0);
  telemetry_destroy(start(name));
  assert_swept(name);
}

/* A daemon of another user counts while it lives: its block names a process of that user. A list shows that of a service, and a
 * person's daemon must be named. */
static void check_daemon_of(uid_t user, bool listed)
{
  const char *name = name_of("other");
  int hold[2], told[2];
  char byte = 0;
  assert_int_equal(pipe(hold), 0);
  assert_int_equal(pipe(told), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(hold[1]);
    if (setgid(user) != 0 || setuid(user) != 0) _exit(1);
    start(name);
    _exit(write(told[1], &byte, 1) != 1 || read(hold[0], &byte, 1) != 0);
  }
  close(hold[0]);
  assert_int_equal(read(told[0], &byte, 1), 1);
  assert_int_equal(sees_block(name), 0);
  assert_int_equal(is_listed(name), listed);
  char said[64];
  if (!listed) { /* the newest one, ours or that of another test */
    telemetry_none_text(error, sizeof error);
    assert_non_null(strstr(error, "only daemons of other persons run: name one of them, such as "));
  }
  snprintf(said, sizeof said, "already running as process %d", (int)pid);
  assert_not_created(name, said);
  close(hold[1]);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_refused(name, "runs as another user: refused");
  telemetry_destroy(start(name));
  assert_swept(name);
}

/* A user that systemd makes for a service, an account of the system, persons, and nobody. */
TEST(a_daemon_of_another_user_is_one)
{
  SKIP_UNLESS_ROOT()
  check_daemon_of(SERVICE, true);
  check_daemon_of(999, true);
  check_daemon_of(1000, false);
  check_daemon_of(NOBODY, false);
}

enum { CROWD = 40, SHOWN = 32 };

/* As a service: more daemons than a list has room for, all newer than ours. */
static int crowd(const char *name)
{
  char each[80];
  for (int i = 0; i < CROWD; i++) {
    snprintf(each, sizeof each, "%.50s-%d", name, i);
    struct telemetry *t = telemetry_create(each, NULL, error, sizeof error);
    if (!t || !telemetry_ready(t, error, sizeof error)) return 1;
  }
  return 0;
}

TEST(one_user_does_not_fill_the_list)
{
  SKIP_UNLESS_ROOT()
  const char *name = name_of("ours");
  struct telemetry *t = start(name);
  int hold[2], told[2];
  char byte = 1, each[80];
  assert_int_equal(pipe(hold), 0);
  assert_int_equal(pipe(told), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(hold[1]);
    if (setgid(SERVICE) == 0 && setuid(SERVICE) == 0) byte = (char)crowd(name);
    _exit(write(told[1], &byte, 1) != 1 || read(hold[0], &byte, 1) != 0);
  }
  close(hold[0]);
  assert_int_equal(read(told[0], &byte, 1), 1);
  assert_int_equal(byte, 0);
  char list[SHOWN][64];
  assert_int_equal(telemetry_list(list, SHOWN), SHOWN);
  int ours = 0;
  for (int i = 0; i < SHOWN; i++) ours += strcmp(list[i], name) == 0;
  assert_int_equal(ours, 1);
  close(hold[1]);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  telemetry_destroy(t);
  for (int i = 0; i < CROWD; i++) {
    snprintf(each, sizeof each, "%.50s-%d", name, i);
    sweep(each);
  }
}

/* As a service: a running daemon, and a file that has a head and no memory. */
static int put_hollow_block(const char *name)
{
  struct telemetry *t = telemetry_create(name, NULL, error, sizeof error);
  if (!t || !telemetry_ready(t, error, sizeof error)) return 1;
  char hollow[80];
  snprintf(hollow, sizeof hollow, "%.50s-hollow", name);
  const int fd = open(path_of(hollow, OBJECT_BLOCK), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
  if (fd < 0 || object_lock(fd) != 0 || ftruncate(fd, sizeof *t) != 0 || pwrite(fd, t, 64, 0) != 64) return 1;
  return 0;
}

/* A list examines only blocks that occupy memory, so the memory limits how many a user can make. */
TEST(a_block_without_memory_is_not_examined)
{
  SKIP_UNLESS_ROOT()
  const char *name = name_of("memory");
  int hold[2], told[2];
  char byte = 1, hollow[80];
  assert_int_equal(pipe(hold), 0);
  assert_int_equal(pipe(told), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(hold[1]);
    if (setgid(SERVICE) == 0 && setuid(SERVICE) == 0) byte = (char)put_hollow_block(name);
    _exit(write(told[1], &byte, 1) != 1 || read(hold[0], &byte, 1) != 0);
  }
  close(hold[0]);
  assert_int_equal(read(told[0], &byte, 1), 1);
  assert_int_equal(byte, 0);
  snprintf(hollow, sizeof hollow, "%.50s-hollow", name);
  assert_int_equal(sees_block(hollow), 0);
  assert_false(is_listed(hollow));
  assert_true(is_listed(name));
  close(hold[1]);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  sweep(name);
  sweep(hollow);
}

/* Reads everything that a tool shows, until it is killed. */
static void read_on(const char *name)
{
  static struct telemetry copy;
  struct watch watch = {.wanted = name};
  for (;;) {
    struct sample s;
    watch_look(&watch, &s, &copy);
    json_t *o = telemetry_json(&s);
    char *text = json_dumps(o, TELEMETRY_JSON_FLAGS);
    if (!text) _exit(1);
    free(text);
    json_decref(o);
  }
}

/* A mapping of a file that is truncated kills its reader with SIGBUS. ALI3_SOAK_CUTS: number of cuts. */
TEST(a_block_that_is_cut_ends_no_reader)
{
  const char *name = name_of("cut"), *wanted = getenv("ALI3_SOAK_CUTS");
  const int cuts = wanted ? atoi(wanted) : CUTS; /* NOLINT(cert-err34-c): by hand */
  struct telemetry *t = start(name);
  pid_t reader[READERS];
  for (int i = 0; i < READERS; i++) {
    reader[i] = fork();
    if (reader[i] == 0) {
      alarm(wanted ? 3600 : PATIENCE_S); /* in case the test is killed */
      read_on(name);
    }
  }
  static struct telemetry whole;
  memcpy(&whole, t, sizeof whole);
  for (int i = 0; i < cuts; i++) {
    const struct timespec pause = {.tv_nsec = (long)(i % 7) * 50000};
    assert_int_equal(ftruncate(t->object, i % 2 ? 0 : (off_t)((size_t)i * 977 % sizeof whole)), 0);
    nanosleep(&pause, NULL);
    assert_int_equal(pwrite(whole.object, &whole, sizeof whole, 0), sizeof whole);
    nanosleep(&pause, NULL);
  }
  for (int i = 0; i < READERS; i++) {
    int status = -1;
    assert_int_equal(waitpid(reader[i], &status, WNOHANG), 0); /* it still reads */
    kill(reader[i], SIGTERM);
    assert_int_equal(waitpid(reader[i], &status, 0), reader[i]);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  }
  telemetry_destroy(t);
  assert_swept(name);
}

TEST(texts_hold_nothing_that_a_terminal_obeys)
{
  static const struct {
    const char *given, *kept;
  } texts[] = {{"four-bar", "four-bar"},
               {"\x1b[2J\n<0>boo\r\t\x7f", "?[2J?<0>boo???"},
               {"M\xc3\xbchle \xe2\x82\xac \xf0\x9f\x98\x80", "M\xc3\xbchle \xe2\x82\xac \xf0\x9f\x98\x80"},
               {"\xc2\x9b"
                "31m",
                "??31m"}, /* CSI as one character */
               {"\xff\xfe\xc3z\xe2\x82", "???z??"},
               {"\xc0\x8a\xe0\x80\x8a\xed\xa0\x80\xf4\x90\x80\x80", "????????????"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char text[64];
    memset(text, 'x', sizeof text);
    memcpy(text, texts[i].given, strlen(texts[i].given) + 1);
    telemetry_clean_text(text, sizeof text);
    assert_string_equal(text, texts[i].kept);
  }
  char endless[8];
  memset(endless, 'e', sizeof endless);
  telemetry_clean_text(endless, sizeof endless);
  assert_string_equal(endless, "eeeeeee");
}

/* Every text and count of a copy is within its field. */
TEST(a_copy_is_safe_whoever_wrote_it)
{
  const char *name = name_of("safe");
  struct telemetry *t = start(name);
  memset(t->model, '\x1b', sizeof t->model);
  memset(t->reason, '\x1b', sizeof t->reason);
  memset(t->isa, '\x1b', sizeof t->isa);
  memset(t->live.violated_at, '\x1b', sizeof t->live.violated_at);
  snprintf(t->instance, sizeof t->instance, "another");
  t->inputs = t->input[4].channels = UINT32_MAX;
  t->devices = t->histograms.levels = UINT64_MAX;
  memset(t->input[3].name, '\n', sizeof t->input[3].name);
  memset(t->histograms.level[2].name, '\n', sizeof t->histograms.level[2].name);
  memset(t->device[1].name, '\n', sizeof t->device[1].name);
  memset(t->device[1].text, '\x1b', sizeof t->device[1].text);
  atomic_store(&t->device[2].sequence, 7); /* as if a writer never ended */
  memset(t->device[2].text, 'w', sizeof t->device[2].text);
  struct telemetry_reader r;
  static struct telemetry copy;
  char text[DEVICE_TEXT];
  assert_true(telemetry_open(&r, name, error, sizeof error));
  assert_int_equal(telemetry_copy(&r, &copy), TELEMETRY_WHOLE);
  assert_string_equal(copy.instance, name);
  assert_int_equal(strlen(copy.model), sizeof copy.model - 1);
  assert_int_equal(strspn(copy.model, "?"), sizeof copy.model - 1);
  assert_int_equal(strspn(copy.reason, "?"), sizeof copy.reason - 1);
  assert_int_equal(strspn(copy.isa, "?"), sizeof copy.isa - 1);
  assert_int_equal(strspn(copy.live.violated_at, "?"), sizeof copy.live.violated_at - 1);
  assert_int_equal(copy.inputs, TELEMETRY_INPUTS);
  assert_int_equal(copy.input[4].channels, INPUT_WRENCH_CHANNELS);
  assert_int_equal(copy.devices, DEVICES_MAX);
  assert_int_equal(copy.histograms.levels, LEVELS_MAX);
  assert_int_equal(strspn(copy.input[3].name, "?"), sizeof copy.input[3].name - 1);
  assert_int_equal(strspn(copy.histograms.level[2].name, "?"), sizeof copy.histograms.level[2].name - 1);
  assert_int_equal(strspn(copy.device[1].name, "?"), sizeof copy.device[1].name - 1);
  device_told(&copy.device[1], text);
  assert_int_equal(strspn(text, "?"), sizeof text - 1);
  device_told(&copy.device[2], text);
  assert_string_equal(text, "");
  telemetry_close(&r);
  snprintf(t->instance, sizeof t->instance, "%s", name);
  telemetry_destroy(t);
}

/* A miss record that is being written is left out; the records before it are there. */
TEST(a_record_that_is_being_written_is_left_out)
{
  const char *name = name_of("record");
  struct telemetry *t = start(name);
  for (uint64_t k = 1; k <= 3; k++) miss_log_write(&t->misses, &(struct miss){.number = k});
  atomic_store(&t->misses.slot[2].sequence, 2 * 34 + 1);
  struct telemetry_reader r;
  static struct telemetry copy;
  struct miss m;
  assert_true(telemetry_open(&r, name, error, sizeof error));
  assert_int_equal(telemetry_copy(&r, &copy), TELEMETRY_WHOLE);
  assert_false(miss_log_read(&copy.misses, 2, &m));
  assert_true(miss_log_read(&copy.misses, 1, &m));
  assert_int_equal(m.number, 2);
  telemetry_close(&r);
  telemetry_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(odd_files_are_refused_at_once),
      cmocka_unit_test(odd_files_beside_a_block_stop_nobody),
      cmocka_unit_test(a_lock_of_a_reader_is_no_daemon_and_stops_none),
      cmocka_unit_test(blocks_of_others_are_not_believed),
      cmocka_unit_test(a_daemon_of_another_user_is_one),
      cmocka_unit_test(one_user_does_not_fill_the_list),
      cmocka_unit_test(a_block_without_memory_is_not_examined),
      cmocka_unit_test(a_block_that_is_cut_ends_no_reader),
      cmocka_unit_test(texts_hold_nothing_that_a_terminal_obeys),
      cmocka_unit_test(a_copy_is_safe_whoever_wrote_it),
      cmocka_unit_test(a_record_that_is_being_written_is_left_out),
  };
  alarm(getenv("ALI3_SOAK_CUTS") ? 0 : 1000); /* opening a FIFO without a peer would hang for ever */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
