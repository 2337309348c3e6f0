/* SPDX-License-Identifier: MIT
 * From the ring of the loop to telemetry, log and file, with an artificial clock. Standard error is a file here. */
#include "check.h"
#include "journal/misses.h"
#include "signals/clocking.h"

#include "base/arena.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
static const uint64_t T0 = UINT64_C(50000000000), TICK = 20 * MS, PERIOD = 10 * MS;

struct bench {
  struct outbox outbox;
  struct telemetry *telemetry;
  struct host_history host;
  struct misses misses;
  struct host_sample sample;
  char dir[32], path[48], log[48];
  int saved; /* original standard error */
  uint64_t number;
};

static int set_up(void **state)
{
  struct bench *b = calloc(1, sizeof *b);
  if (!b) return -1;
  strcpy(b->dir, "/tmp/ali3-misses-XXXXXX");
  if (!mkdtemp(b->dir)) return -1;
  snprintf(b->path, sizeof b->path, "%s/misses", b->dir);
  snprintf(b->log, sizeof b->log, "%s/log", b->dir);
  unsetenv("JOURNAL_STREAM");
  b->saved = dup(STDERR_FILENO);
  const int log = open(b->log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(log, STDERR_FILENO);
  close(log);
  b->telemetry = aligned_zalloc(sizeof *b->telemetry);
  b->host.tick_ns = TICK;
  if (!b->telemetry || !ring_init(&b->outbox.misses, sizeof(struct miss), CYCLE_MISSES)) return -1;
  if (!misses_open(&b->misses, &b->outbox, b->telemetry, &b->host, b->path, 64)) return -1;
  *state = b;
  return 0;
}

static int tear_down(void **state)
{
  struct bench *b = *state;
  misses_close(&b->misses);
  ring_free(&b->outbox.misses);
  free(b->telemetry);
  dup2(b->saved, STDERR_FILENO);
  close(b->saved);
  unlink(b->path);
  unlink(b->log);
  rmdir(b->dir);
  free(b);
  return 0;
}

/* A cycle that woke late_ns late and then took its usual time. */
static struct miss late(struct bench *b, uint64_t start_ns, uint64_t late_ns)
{
  return (struct miss){.number = ++b->number,
                       .cycle = 1000 + b->number,
                       .start_ns = start_ns,
                       .wake_ns = start_ns + late_ns,
                       .end_ns = start_ns + late_ns + MS,
                       .period_ns = PERIOD,
                       .slowest.level = -1,
                       .own.cpu_ns = MS,
                       .state = STATE_RUNNING,
                       .input_age_ns = UINT64_MAX};
}

static void push(struct bench *b, struct miss m)
{
  ring_push(&b->outbox.misses, &m);
}

static void look(struct bench *b, uint64_t now_ns)
{
  b->sample.clocks.now_ns = now_ns;
  host_history_add(&b->host, &b->sample);
  b->sample.continued = false;
}

static void tick(struct bench *b, uint64_t now_ns)
{
  look(b, now_ns);
  misses_tick(&b->misses, now_ns);
}

static char *text_of(const char *path)
{
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  static char text[1 << 20];
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  return text;
}

static int count_of(const char *text, const char *word)
{
  int n = 0;
  for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
  return n;
}

static uint64_t counted(const struct bench *b, unsigned cause)
{
  return counter_get(misses_of_cause(&b->telemetry->counters, cause));
}

/* The record comes in one tick, its explanation in the next. */
static void a_stop_that_is_seen_later_explains_the_miss(void **state)
{
  struct bench *b = *state;
  tick(b, T0);
  push(b, late(b, T0 + 5 * MS, 3000 * MS));
  misses_tick(&b->misses, T0 + 3006 * MS);
  assert_int_equal(atomic_load(&b->telemetry->misses.written), 0);
  b->sample.continued = true;
  tick(b, T0 + 3007 * MS);
  struct miss m;
  assert_true(miss_log_read(&b->telemetry->misses, 0, &m));
  assert_int_equal(m.cause, MISS_SUSPENDED);
  assert_in_range(m.suspended_ns, 2900 * MS, 3001 * MS);
  assert_int_equal(counted(b, MISS_SUSPENDED), 1);
  assert_non_null(strstr(text_of(b->log), "ali3d: miss 1 at cycle 1001: process stopped for "));
}

static void without_it_the_kernel_came_late(void **state)
{
  struct bench *b = *state;
  tick(b, T0);
  push(b, late(b, T0 + 5 * MS, 3000 * MS));
  tick(b, T0 + 3007 * MS);
  tick(b, T0 + 3027 * MS);
  assert_int_equal(counted(b, MISS_LATE_WAKE), 1);
}

/* The log has the first five misses of a second, then a sum; this also holds for the next second. */
static void the_log_is_not_flooded(void **state)
{
  struct bench *b = *state;
  tick(b, T0);
  for (int i = 0; i < 60; i++) {
    push(b, late(b, T0 + (uint64_t)i * TICK, 15 * MS));
    tick(b, T0 + (uint64_t)(i + 1) * TICK);
  }
  misses_end(&b->misses, T0 + 61 * TICK);
  const char *said = text_of(b->log);
  assert_int_equal(count_of(said, "ali3d: miss "), 10);
  assert_non_null(strstr(said, "ali3d: 45 misses not logged one by one in the last 0.9 s, 50 so far\n"));
  assert_non_null(strstr(said, "ali3d: 5 misses not logged one by one in the last 0.1 s, 60 so far\n"));
  assert_int_equal(counted(b, MISS_LATE_WAKE), 60);
}

static void grace_and_warm_up_do_not_count(void **state)
{
  struct bench *b = *state;
  tick(b, T0);
  struct miss m = late(b, T0, 15 * MS);
  m.state = STATE_INIT;
  push(b, m);
  m = late(b, T0, 15 * MS);
  m.grace = 1;
  push(b, m);
  misses_end(&b->misses, T0 + TICK);
  assert_int_equal(counted(b, MISS_LATE_WAKE), 0);
  assert_int_equal(atomic_load(&b->telemetry->misses.written), 1);
  const char *said = text_of(b->log);
  assert_int_equal(count_of(said, "ali3d: miss "), 1);
  assert_non_null(strstr(said, "in the grace"));
}

static void misses_without_a_record_are_said(void **state)
{
  struct bench *b = *state;
  for (int i = 0; i < CYCLE_MISSES + 7; i++) push(b, late(b, T0, 15 * MS));
  tick(b, T0 + TICK);
  assert_int_equal(b->misses.held, CYCLE_MISSES);
  assert_int_equal(atomic_load(&b->telemetry->misses.lost), 7);
  assert_non_null(strstr(text_of(b->log), "ali3d: 7 misses without a record: too many came at once\n"));
}

static double number(const json_t *o, const char *key)
{
  const json_t *v = json_object_get(o, key);
  if (!json_is_number(v)) fail_msg("%s is not a number", key);
  return json_number_value(v);
}

static void a_line_has_every_figure(void **state)
{
  struct bench *b = *state;
  struct telemetry *t = b->telemetry;
  t->histograms.levels = 1;
  strcpy(t->histograms.level[0].name, "subtrees");
  tick(b, T0);
  struct miss m = late(b, T0, 0);
  m.end_ns = T0 + 25 * MS;
  m.slowest = (struct slowest){.level = 0, .share = 1, .wait_ns = 2 * MS, .busy_ns = 20 * MS};
  m.worker = (struct usage){.span_ns = 24 * MS, .cpu_ns = 3 * MS, .involuntary = 2};
  m.held_ns = 21 * MS;
  m.own.minor = 4;
  m.phase_ns[PHASE_feedback] = 24 * MS;
  m.skipped = 2;
  m.overrun = OVERRUN_SLIP;
  push(b, m);
  misses_end(&b->misses, T0 + TICK);

  json_t *o = json_loads(text_of(b->path), 0, NULL);
  assert_non_null(o);
  assert_int_equal(strlen(json_string_value(json_object_get(o, "written"))),
                   strlen("2026-11-21T14:03:07.125Z"));
  assert_string_equal(json_string_value(json_object_get(o, "cause")), "worker");
  assert_string_equal(json_string_value(json_object_get(o, "phase")), "feedback");
  assert_string_equal(json_string_value(json_object_get(o, "overrun")), "slip");
  assert_string_equal(json_string_value(json_object_get(o, "state")), "RUNNING");
  assert_non_null(strstr(json_string_value(json_object_get(o, "text")), "subtrees worker 1 preempted"));
  assert_true(number(o, "miss") == 1 && number(o, "cycle") == 1001 && number(o, "skipped") == 2);
  assert_true(number(o, "start_s") == 50.0 && number(o, "end_s") == 50.025 && number(o, "period_s") == 0.01);
  assert_true(number(o, "written_s") == 50.02);
  assert_true(number(json_object_get(o, "phases_s"), "feedback") == 0.024);
  assert_true(number(json_object_get(o, "loop"), "minor_faults") == 4);
  assert_true(number(o, "held_s") == 0.021);
  const json_t *slowest = json_object_get(o, "slowest");
  assert_true(number(slowest, "worker") == 1 && number(slowest, "busy_s") == 0.02);
  assert_true(number(json_object_get(slowest, "usage"), "involuntary_switches") == 2);
  assert_true(json_is_null(json_object_get(o, "input_age_s")));
  assert_true(json_is_false(json_object_get(o, "grace")));
  json_decref(o);
}

/* A hundred lines a second, and a line with the number of missing ones. */
static void the_file_is_not_flooded(void **state)
{
  struct bench *b = *state;
  for (int i = 0; i < 150; i++) push(b, late(b, T0, 15 * MS));
  tick(b, T0 + TICK);
  misses_end(&b->misses, T0 + 2 * TICK);
  const char *text = text_of(b->path);
  assert_int_equal(count_of(text, "\n"), 101);
  assert_int_equal(count_of(text, "\"left_out\":50,"), 1);
}

static void a_file_that_was_renamed_is_left_alone_after_reopening(void **state)
{
  struct bench *b = *state;
  char old[64];
  snprintf(old, sizeof old, "%s.1", b->path);
  for (int k = 0; k < 2; k++) {
    push(b, late(b, T0, 15 * MS));
    misses_end(&b->misses, T0 + (uint64_t)k * TICK);
    if (k == 0) {
      assert_int_equal(rename(b->path, old), 0);
      miss_file_reopen(&b->misses.file);
    }
  }
  assert_int_equal(count_of(text_of(old), "\"miss\":1,"), 1);
  assert_int_equal(count_of(text_of(old), "\n"), 1);
  assert_int_equal(count_of(text_of(b->path), "\"miss\":2,"), 1);
  unlink(old);
}

static void a_disk_that_is_full_is_said_once(void **state)
{
  struct bench *b = *state;
  if (access("/dev/full", W_OK) != 0) {
    print_message("skipped: no /dev/full here\n");
    skip();
  }
  miss_file_close(&b->misses.file);
  assert_true(miss_file_open(&b->misses.file, "/dev/full", 64));
  for (int i = 0; i < 3; i++) push(b, late(b, T0, 15 * MS));
  misses_end(&b->misses, T0 + TICK);
  assert_non_null(strstr(text_of(b->log), "/dev/full: 3 records of misses could not be written"));
  assert_int_equal(count_of(text_of(b->log), "/dev/full: cannot write the miss log: No space left"), 1);
  assert_int_equal(atomic_load(&b->telemetry->misses.written), 3);
}

static void a_file_has_a_bound_in_size(void **state)
{
  struct bench *b = *state;
  char old[64];
  struct stat st;
  snprintf(old, sizeof old, "%s.1", b->path);
  b->misses.file.most = 4000; /* about three lines */
  for (int i = 0; i < 40; i++) push(b, late(b, T0, 15 * MS));
  misses_end(&b->misses, T0 + TICK);
  assert_int_equal(stat(b->path, &st), 0);
  assert_in_range(st.st_size, 1, 4000);
  assert_int_equal(stat(old, &st), 0);
  assert_in_range(st.st_size, 1, 4000);
  assert_non_null(strstr(text_of(b->path), "\"miss\":40,"));
  assert_int_equal(b->misses.file.lost, 0);
  unlink(old);
}

/* A line like that of a killed daemon or a full disk. */
static void half_a_line_is_left_alone(void **state)
{
  struct bench *b = *state;
  miss_file_close(&b->misses.file);
  FILE *f = fopen(b->path, "w");
  assert_non_null(f);
  fputs("{\"miss\":1,\"cau", f);
  fclose(f);
  assert_true(miss_file_open(&b->misses.file, b->path, 64));
  push(b, late(b, T0, 15 * MS));
  misses_end(&b->misses, T0 + TICK);
  static const char whole[] = "{\"miss\":1,\"cau\n{\"written\"";
  assert_int_equal(strncmp(text_of(b->path), whole, sizeof whole - 1), 0);
}

/* Without the handler the signal would kill the process. */
static void a_limit_of_file_sizes_loses_records_and_nothing_else(void **state)
{
  struct bench *b = *state;
  struct rlimit before, little;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  little = before;
  little.rlim_cur = 3000;
  signal(SIGXFSZ, SIG_IGN); /* as supervisor_block_signals() does */
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
  for (int i = 0; i < 6; i++) push(b, late(b, T0, 15 * MS));
  misses_end(&b->misses, T0 + TICK);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  const char *log = text_of(b->log);
  assert_int_equal(count_of(log, "cannot write the miss log: "), 1);
  assert_true(b->misses.file.lost > 0 && b->misses.file.lost < 6);
  char expected[80];
  snprintf(expected, sizeof expected, ": %d records of misses could not be written\n",
           (int)b->misses.file.lost);
  assert_non_null(strstr(log, expected));
  assert_int_equal(atomic_load(&b->telemetry->misses.written), 6);
}

static void a_file_that_cannot_be_is_refused(void **state)
{
  struct bench *b = *state;
  struct miss_file f;
  assert_false(miss_file_open(&f, "/nowhere/misses", 64));
  assert_non_null(strstr(text_of(b->log), "ali3d: error: /nowhere/misses: cannot write the miss log: "));
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      ROW(a_stop_that_is_seen_later_explains_the_miss),
      ROW(without_it_the_kernel_came_late),
      ROW(the_log_is_not_flooded),
      ROW(grace_and_warm_up_do_not_count),
      ROW(misses_without_a_record_are_said),
      ROW(a_line_has_every_figure),
      ROW(the_file_is_not_flooded),
      ROW(a_file_that_was_renamed_is_left_alone_after_reopening),
      ROW(a_disk_that_is_full_is_said_once),
      ROW(a_file_has_a_bound_in_size),
      ROW(half_a_line_is_left_alone),
      ROW(a_limit_of_file_sizes_loses_records_and_nothing_else),
      ROW(a_file_that_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
