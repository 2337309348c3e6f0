/* SPDX-License-Identifier: MIT
 * The frame ring: what is written is read back, a reader never sees a mixed slot, and a damaged file leads nobody astray. */
#include "check.h"
#include "common/faults.h"
#include "common/sanitized.h"
#include "common/toys.h"
#include "frames/reader.h"
#include "frames/writer.h"
#include "telemetry/shm.h"

#include <ali3/flat.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A daemon as the ring sees it. */
struct daemon {
  char name[40];
  struct telemetry *telemetry;
  ali3_model *model;
  struct signals *signals;
  struct frames_writer writer;
};

static const struct input_spec PUSH = {.name = "push", .kind = INPUT_WRENCH, .body = 0};

static struct frames_plan plan_of(const struct daemon *d, double seconds)
{
  return (struct frames_plan){.telemetry = d->telemetry,
                              .model = d->model,
                              .signals = d->signals,
                              .period_ns = 10000000,
                              .seconds = seconds,
                              .limit_bytes = 64 << 20,
                              .version = "ali3d 0.1.0\ncommit abc",
                              .config = "/etc/ali3/chain.yaml",
                              .yaml = "model: {}\n"};
}

static void start_daemon(struct daemon *d, const char *what, double seconds)
{
  char error[300];
  *d = (struct daemon){0};
  snprintf(d->name, sizeof d->name, "frames-%s-%d", what, (int)getpid());
  d->telemetry = telemetry_create(d->name, NULL, error, sizeof error);
  if (!d->telemetry) fail_msg("%s", error);
  d->model = toy_chain(3, true, 0.01);
  struct input_spec spec = PUSH;
  d->signals = signals_new(d->model, &spec, 1);
  assert_non_null(d->signals);
  const struct frames_plan plan = plan_of(d, seconds);
  if (!frames_create(&d->writer, &plan, error, sizeof error)) fail_msg("%s", error);
  assert_true(telemetry_ready(d->telemetry, error, sizeof error));
}

static void stop_daemon(struct daemon *d)
{
  frames_destroy(&d->writer, d->telemetry);
  telemetry_destroy(d->telemetry);
  signals_free(d->signals);
  ali3_model_free(d->model);
}

static void open_reader(struct frames_reader *r, const struct daemon *d)
{
  char error[300];
  if (!frames_open(r, d->name, error, sizeof error)) fail_msg("%s", error);
}

/* Every number of a slot follows from its cycle, so that a mixed one shows. */
static void write_cycle(struct daemon *d, uint64_t cycle)
{
  struct frames_slot *s = frames_begin(&d->writer);
  s->cycle = cycle;
  s->t_ns = cycle * 10000000;
  s->action = (uint32_t)cycle;
  frames_slot_inputs(d->writer.head, s)[0] =
      (struct frames_input){.age_ms = (uint32_t)cycle, .state = INPUT_FRESH};
  double *values = frames_slot_values(d->writer.head, s);
  for (int i = 0; i < d->signals->count; i++) values[i] = (double)cycle + 1000.0 * i;
  frames_commit(&d->writer);
}

static void assert_cycle(const struct frames_reader *r, const struct frames_slot *s, uint64_t cycle)
{
  assert_int_equal(s->cycle, cycle);
  assert_int_equal(s->t_ns, cycle * 10000000);
  assert_int_equal(s->action, (uint32_t)cycle);
  assert_int_equal(frames_inputs(r, s)[0].age_ms, (uint32_t)cycle);
  for (uint32_t i = 0; i < r->head.signals; i++)
    assert_true(frames_values(r, s)[i] == (double)cycle + 1000.0 * i);
}

TEST(slots_names_and_the_model_are_read_back)
{
  struct daemon d;
  struct frames_reader r;
  uint64_t slots, events;
  start_daemon(&d, "read", 1.0);
  open_reader(&r, &d);
  /* The constant parts. */
  assert_int_equal(r.head.signals, d.signals->count);
  for (int i = 0; i < d.signals->count; i++) {
    assert_string_equal(frames_signal_name(&r, (uint32_t)i), d.signals->signal[i].name);
    assert_string_equal(frames_signal_unit(&r, (uint32_t)i), d.signals->signal[i].unit);
    const int group = signals_find_group(d.signals, frames_signal_quantity(&r, (uint32_t)i));
    assert_int_equal(d.signals->group[group].first + (int)r.signal[i].part, i);
    assert_int_equal(d.signals->group[group].count, r.signal[i].parts);
  }
  assert_string_equal(frames_signal_name(&r, r.head.signals), "");
  assert_string_equal(frames_input_name(&r, 0), "push");
  assert_string_equal(frames_version(&r), "ali3d 0.1.0\ncommit abc");
  assert_string_equal(frames_model(&r), ali3_model_name(d.model));
  assert_string_equal(frames_config(&r), "/etc/ali3/chain.yaml");
  assert_string_equal(r.head.isa, ali3_model_isa(d.model));
  assert_true(r.head.period_ns == 10000000);
  unsigned char *flat = malloc(r.head.flat_bytes), hash[ALI3_MODEL_HASH_SIZE];
  ali3_model *again = ali3_model_new();
  assert_true(frames_flat(&r, flat));
  assert_int_equal(ali3_model_flat_read(again, flat, r.head.flat_bytes), ALI3_OK);
  assert_int_equal(ali3_model_hash(again, hash), ALI3_OK);
  assert_memory_equal(hash, r.head.hash, sizeof hash);
  free(flat);
  ali3_model_free(again);
  /* The slots: none, some, and more than the ring has. */
  struct frames_slot *s = calloc(1, r.head.slot_bytes);
  assert_true(frames_written(&r, &slots, &events) && slots == 0 && events == 0);
  assert_int_equal(frames_take(&r, 0, s), FRAMES_NOT_YET);
  assert_true(r.head.slots >= 100 && r.head.slots < 110);
  const uint64_t all = 3 * r.head.slots + 7;
  for (uint64_t n = 0; n < all; n++) {
    write_cycle(&d, n + 1);
    assert_int_equal(frames_take(&r, n, s), FRAMES_WHOLE);
    assert_cycle(&r, s, n + 1);
  }
  assert_true(frames_written(&r, &slots, &events) && slots == all);
  assert_int_equal(frames_take(&r, all - r.head.slots, s), FRAMES_WHOLE);
  assert_int_equal(frames_take(&r, all - r.head.slots - 1, s), FRAMES_OVERTAKEN);
  assert_int_equal(frames_take(&r, all, s), FRAMES_NOT_YET);
  /* A slot that is being written is not there yet, and the one it replaces is gone. */
  frames_begin(&d.writer);
  assert_int_equal(frames_take(&r, all, s), FRAMES_NOT_YET);
  assert_int_equal(frames_take(&r, all - r.head.slots, s), FRAMES_OVERTAKEN);
  free(s);
  frames_close(&r);
  stop_daemon(&d);
}

TEST(events_are_read_back_without_control_characters)
{
  struct daemon d;
  struct frames_reader r;
  struct frames_event e;
  uint64_t slots, events;
  start_daemon(&d, "events", 1.0);
  open_reader(&r, &d);
  for (uint64_t n = 0; n < FRAMES_EVENTS + 10; n++) {
    const struct frames_event event = {.cycle = n, .kind = FRAMES_EVENT_MARK, .a = 0.5};
    frames_tell(&d.writer, &event, "lap \x1b[2J 1");
  }
  assert_true(frames_written(&r, &slots, &events) && events == FRAMES_EVENTS + 10);
  assert_int_equal(frames_take_event(&r, 9, &e), FRAMES_OVERTAKEN);
  assert_int_equal(frames_take_event(&r, 10, &e), FRAMES_WHOLE);
  assert_true(e.cycle == 10 && e.kind == FRAMES_EVENT_MARK && e.a == 0.5);
  assert_string_equal(e.text, "lap ?[2J 1");
  frames_close(&r);
  stop_daemon(&d);
}

struct race {
  struct daemon *daemon;
  atomic_bool stop;
};

static void *write_fast(void *arg)
{
  struct race *race = arg;
  for (uint64_t n = 0; !atomic_load(&race->stop); n++) write_cycle(race->daemon, n + 1);
  return NULL;
}

/* The writer laps the reader all the time; whatever is called whole is whole. */
TEST(no_mixed_slot_is_ever_taken_for_whole)
{
  enum { TRIES = TEST_SANITIZED ? 5000 : 50000 };
  struct daemon d;
  struct frames_reader r;
  start_daemon(&d, "race", 1.0);
  open_reader(&r, &d);
  struct race race = {.daemon = &d};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, write_fast, &race), 0);
  struct frames_slot *s = calloc(1, r.head.slot_bytes);
  uint64_t slots = 0, events, whole = 0;
  for (int i = 0; i < TRIES || whole == 0; i++) {
    assert_true(frames_written(&r, &slots, &events));
    if (slots < r.head.slots) continue;
    /* The oldest slot is the one that is about to be overtaken. */
    const uint64_t n = slots - r.head.slots + (uint64_t)(i % 3);
    if (frames_take(&r, n, s) != FRAMES_WHOLE) continue;
    assert_cycle(&r, s, n + 1);
    whole++;
  }
  atomic_store(&race.stop, true);
  pthread_join(thread, NULL);
  free(s);
  frames_close(&r);
  stop_daemon(&d);
}

/* Slots of the ring that a plan leads to. It takes the place of the daemon's ring. */
static uint64_t slots_of(const struct daemon *d, const struct frames_plan *plan)
{
  struct frames_writer w;
  char error[300];
  if (!frames_create(&w, plan, error, sizeof error)) fail_msg("%s", error);
  const uint64_t slots = w.head->slots;
  frames_destroy(&w, d->telemetry);
  return slots;
}

TEST(a_ring_is_as_long_as_asked_within_its_limit)
{
  struct daemon d;
  start_daemon(&d, "size", 10.0);
  struct frames_plan plan = plan_of(&d, 10.0);
  assert_int_equal(d.writer.head->slots, 1001);
  plan.limit_bytes = 300 * d.writer.head->slot_bytes;
  assert_int_equal(slots_of(&d, &plan), 300);
  plan.limit_bytes = 1; /* room for a second of cycles nevertheless */
  assert_int_equal(slots_of(&d, &plan), 102);
  stop_daemon(&d);
}

/* Also the first cycles: the pages of the ring are mapped before the loop begins. */
TEST(a_cycle_is_written_without_a_page_fault)
{
#ifdef __SANITIZE_THREAD__
  print_message("skipped: page faults of the thread sanitizer count, too\n");
  skip();
#endif
  long faults = 1;
  for (int tries = 0; tries < FAULT_TRIES && faults != 0; tries++) {
    struct daemon d;
    start_daemon(&d, "pages", 10.0);
    write_cycle(&d, 1);
    const long before = page_faults();
    for (uint64_t k = 2; k <= d.writer.head->slots; k++) write_cycle(&d, k);
    faults = page_faults() - before;
    stop_daemon(&d);
  }
  assert_int_equal(faults, 0);
}

static void assert_not_opened(const struct daemon *d, const char *part)
{
  struct frames_reader r;
  char error[300] = "";
  if (frames_open(&r, d->name, error, sizeof error)) fail_msg("opened, expected: %s", part);
  if (!strstr(error, part)) fail_msg("%s", error);
}

/* Numbers lie where a processor can read them. */
TEST(a_place_that_is_not_aligned_is_refused)
{
  struct daemon d;
  struct frames_reader r;
  char error[300];
  start_daemon(&d, "aligned", 1.0);
  struct frames_head *h = d.writer.head;
  uint64_t *const place[] = {&h->input_at, &h->tuning_at, &h->values_at};
  for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
    *place[i] += 1;
    assert_false(frames_open(&r, d.name, error, sizeof error));
    assert_non_null(strstr(error, "is not the frame ring of process"));
    *place[i] -= 1;
  }
  open_reader(&r, &d);
  frames_close(&r);
  stop_daemon(&d);
}

/* Every byte of the head set to 255: the ring is refused, or can be read to its end without leaving its own copy. */
TEST(a_damaged_head_leads_nobody_astray)
{
  struct daemon d;
  struct frames_reader r;
  char error[300];
  start_daemon(&d, "damaged", 1.0);
  write_cycle(&d, 1);
  unsigned char *bytes = (unsigned char *)d.writer.head;
  int refused = 0;
  for (size_t i = 0; i < sizeof *d.writer.head; i++) {
    const unsigned char kept = bytes[i];
    bytes[i] = 255;
    if (frames_open(&r, d.name, error, sizeof error)) {
      struct frames_slot *s = calloc(1, r.head.slot_bytes);
      assert_non_null(s);
      frames_take(&r, 0, s);
      for (uint32_t k = 0; k < r.head.signals; k++) (void)strlen(frames_signal_name(&r, k));
      free(s);
      frames_close(&r);
    } else {
      refused++;
    }
    bytes[i] = kept;
  }
  assert_in_range(refused, 100, sizeof *d.writer.head);
  /* A name that leads out of the texts. */
  struct frames_name *name = (struct frames_name *)(void *)(bytes + d.writer.head->signals_at);
  name[1].name_at = d.writer.head->texts_at + d.writer.head->texts_bytes;
  assert_not_opened(&d, "tables that lead out of it");
  stop_daemon(&d);
}

/* A hole of gigabytes costs its owner nothing, and an event number costs him eight bytes. */
TEST(a_strangers_ring_costs_a_reader_little)
{
  struct daemon d;
  struct frames_reader r;
  char path[OBJECT_PATH];
  start_daemon(&d, "holes", 1.0);
  write_cycle(&d, 1);
  open_reader(&r, &d);
  const uint64_t held = r.head.events;
  assert_int_equal(frames_oldest_event(&r, 3, 5), 3);
  assert_int_equal(frames_oldest_event(&r, 3, UINT64_C(1) << 62), (UINT64_C(1) << 62) - held);
  assert_int_equal(frames_oldest_event(&r, UINT64_MAX, 5), UINT64_MAX);
  frames_close(&r);
  struct frames_head *h = d.writer.head;
  const uint64_t period = h->period_ns, size = h->size, texts = h->texts_bytes, at = h->texts_at;
  h->period_ns = 999;
  assert_not_opened(&d, "is not the frame ring");
  h->period_ns = period;
  object_path(path, d.name, OBJECT_FRAMES);
  assert_int_equal(truncate(path, (off_t)3 << 30), 0);
  h->size = (uint64_t)3 << 30;
  h->texts_bytes = ((uint64_t)64 << 20) + 1;
  assert_not_opened(&d, "is not the frame ring");
  h->texts_bytes = texts;
  open_reader(&r, &d);
  frames_close(&r);
  assert_int_equal(h->texts_at, at);
  h->size = size;
  stop_daemon(&d);
}

TEST(what_is_missing_is_said)
{
  struct daemon d;
  struct frames_reader r;
  char error[300], path[OBJECT_PATH];
  start_daemon(&d, "missing", 1.0);
  object_path(path, d.name, OBJECT_FRAMES);
  /* A file that was cut while it was open. */
  open_reader(&r, &d);
  struct frames_slot *s = calloc(1, r.head.slot_bytes);
  uint64_t slots, events;
  assert_true(frames_alive(&r) && frames_is_current(&r));
  assert_int_equal(truncate(path, 100), 0);
  assert_false(frames_written(&r, &slots, &events));
  assert_int_equal(frames_take(&r, 0, s), FRAMES_CUT);
  free(s);
  frames_close(&r);
  assert_not_opened(&d, "was cut");
  /* No ring, no daemon. */
  assert_int_equal(unlink(path), 0);
  assert_not_opened(&d, "keeps no frames");
  const int fd = open(path, O_CREAT | O_WRONLY, 0644);
  assert_true(fd >= 0);
  assert_int_equal(ftruncate(fd, 4096), 0);
  close(fd);
  assert_not_opened(&d, "is not the frame ring of process");
  stop_daemon(&d);
  assert_false(frames_open(&r, d.name, error, sizeof error));
  assert_non_null(strstr(error, "not running"));
}

/* A killed daemon leaves its ring; a reader takes the last cycles, and a new daemon replaces the file. */
TEST(the_ring_of_a_killed_daemon_can_be_read)
{
  struct daemon d;
  struct frames_reader r;
  char error[300];
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    start_daemon(&d, "killed", 1.0);
    for (uint64_t n = 0; n < 150; n++) write_cycle(&d, n + 1);
    if (write(ready[1], d.name, sizeof d.name) != sizeof d.name) _exit(1);
    pause();
    _exit(0);
  }
  char name[sizeof d.name];
  assert_int_equal(read(ready[0], name, sizeof name), (ssize_t)sizeof name);
  assert_true(frames_open(&r, name, error, sizeof error));
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_false(frames_alive(&r));
  struct frames_slot *s = calloc(1, r.head.slot_bytes);
  assert_int_equal(frames_take(&r, 149, s), FRAMES_WHOLE);
  assert_cycle(&r, s, 150);
  free(s);
  /* The next daemon of the name. */
  d = (struct daemon){.telemetry = telemetry_create(name, NULL, error, sizeof error),
                      .model = toy_chain(3, true, 0.01)};
  assert_non_null(d.telemetry);
  d.signals = signals_new(d.model, NULL, 0);
  const struct frames_plan plan = plan_of(&d, 1.0);
  assert_true(frames_create(&d.writer, &plan, error, sizeof error));
  assert_true(telemetry_ready(d.telemetry, error, sizeof error));
  assert_false(frames_is_current(&r));
  frames_close(&r);
  stop_daemon(&d);
  close(ready[0]);
  close(ready[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slots_names_and_the_model_are_read_back),
      cmocka_unit_test(events_are_read_back_without_control_characters),
      cmocka_unit_test(no_mixed_slot_is_ever_taken_for_whole),
      cmocka_unit_test(a_ring_is_as_long_as_asked_within_its_limit),
      cmocka_unit_test(a_cycle_is_written_without_a_page_fault),
      cmocka_unit_test(a_place_that_is_not_aligned_is_refused),
      cmocka_unit_test(a_damaged_head_leads_nobody_astray),
      cmocka_unit_test(what_is_missing_is_said),
      cmocka_unit_test(a_strangers_ring_costs_a_reader_little),
      cmocka_unit_test(the_ring_of_a_killed_daemon_can_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
