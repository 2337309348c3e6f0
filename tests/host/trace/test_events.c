/* SPDX-License-Identifier: MIT
 * Texts and pages as a kernel gives them: one page made by hand from the rules of events/header_page, and random damage
 * of it. */
#include "check.h"
#include "trace/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, HEAD = 16, KEPT = 64 };

/* Texts of Linux 6.18, x86-64. */
static const char switch_format[] =
    "name: sched_switch\nID: 372\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
static const char irq_format[] =
    "name: irq_handler_entry\nID: 225\nformat:\n"
    "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";
static const char waking_format[] = "name: sched_waking\nID: 375\nformat:\n"
                                    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

struct bench {
  struct trace_format format[TRACE_EVENTS];
  uint8_t page[PAGE];
  size_t used; /* bytes after the head */
  struct trace_event event[KEPT];
  int events;
};

static int event_number(const char *path)
{
  for (int i = 0; i < TRACE_EVENTS; i++)
    if (strcmp(trace_event_path(i), path) == 0) return i;
  fail();
  return -1;
}

static void read_format(struct bench *b, const char *path, const char *text)
{
  const int i = event_number(path);
  assert_true(trace_format_read(i, text, &b->format[i]));
}

static void add_word(struct bench *b, uint32_t word)
{
  memcpy(b->page + HEAD + b->used, &word, sizeof word);
  b->used += sizeof word;
}

static void add_data(struct bench *b, uint32_t delta, const void *data, uint32_t size)
{
  add_word(b, delta << 5 | size / 4);
  memcpy(b->page + HEAD + b->used, data, size);
  b->used += size;
}

static void add_switch(struct bench *b, uint32_t delta, int32_t from, uint64_t state, int32_t to)
{
  uint8_t d[64] = {0};
  const uint16_t id = 372;
  const int32_t prio[] = {120, 9};
  memcpy(d, &id, sizeof id);
  snprintf((char *)d + 8, 16, "from%d", (int)from);
  memcpy(d + 24, &from, 4);
  memcpy(d + 28, &prio[0], 4);
  memcpy(d + 32, &state, 8);
  memcpy(d + 40, "sixteen letters!", 16); /* without an end */
  memcpy(d + 56, &to, 4);
  memcpy(d + 60, &prio[1], 4);
  add_data(b, delta, d, sizeof d);
}

static void add_interrupt(struct bench *b, uint32_t delta)
{
  uint8_t d[24] = {0};
  const uint16_t id = 225;
  const int32_t irq = 36;
  const uint32_t where = 7U << 16 | 16;
  memcpy(d, &id, sizeof id);
  memcpy(d + 8, &irq, 4);
  memcpy(d + 12, &where, 4);
  strcpy((char *)d + 16, "virtio");
  add_data(b, delta, d, sizeof d);
}

static void end_page(struct bench *b, uint64_t t_ns, uint32_t flags)
{
  const uint64_t commit = b->used | flags;
  memcpy(b->page, &t_ns, sizeof t_ns);
  memcpy(b->page + 8, &commit, sizeof commit);
}

static void keep(void *context, const struct trace_event *e)
{
  struct bench *b = context;
  if (b->events < KEPT) b->event[b->events++] = *e;
}

static int set_up(void **state)
{
  struct bench *b = calloc(1, sizeof *b);
  *state = b;
  if (!b) return -1;
  read_format(b, "sched/sched_switch", switch_format);
  read_format(b, "irq/irq_handler_entry", irq_format);
  read_format(b, "sched/sched_waking", waking_format);
  return 0;
}

static int tear_down(void **state)
{
  free(*state);
  return 0;
}

static void a_page_is_read_event_by_event(void **state)
{
  struct bench *b = *state;
  bool missed = true;
  uint64_t begin = 0;
  add_switch(b, 10, 0, 0, 4711);
  add_word(b, 5U << 5 | 30); /* time extends by 5 and by 2 * 2^27 */
  add_word(b, 2);
  add_switch(b, 0, 4711, 1, 12);
  add_word(b, 0U << 5 | 31); /* an absolute time */
  add_word(b, 3);
  add_interrupt(b, 7);
  add_switch(b, 1, 12, 0x100, 0); /* it was preempted */
  add_word(b, 29);                /* the rest is empty */
  add_word(b, 0xffffffff);
  end_page(b, 1000, 0);
  assert_true(trace_page_decode(b->format, 3, b->page, PAGE, keep, b, &missed, &begin));
  assert_false(missed);
  assert_int_equal(begin, 1000);
  assert_int_equal(b->events, 4);
  const struct trace_event *e = b->event;
  assert_int_equal(e[0].t_ns, 1010);
  assert_int_equal(e[0].kind, TRACE_SWITCH);
  assert_int_equal(e[0].cpu, 3);
  assert_int_equal(e[0].id, 0);
  assert_int_equal(e[0].next, 4711);
  assert_int_equal(e[0].next_priority, 9);
  assert_string_equal(e[0].next_name, "sixteen letters");
  assert_true(e[0].runnable);
  assert_int_equal(e[1].t_ns, 1015 + (UINT64_C(2) << 27));
  assert_string_equal(e[1].name, "from4711");
  assert_false(e[1].runnable);
  assert_int_equal(e[2].t_ns, (UINT64_C(3) << 27) + 7);
  assert_int_equal(e[2].kind, TRACE_INTERRUPT_ENTRY);
  assert_int_equal(e[2].id, 36);
  assert_string_equal(e[2].name, "virtio");
  assert_true(e[3].runnable);
}

static void a_long_record_and_one_taken_back(void **state)
{
  struct bench *b = *state;
  bool missed = false;
  uint64_t begin;
  uint8_t data[32] = {0};
  const uint16_t id = 375;
  const int32_t thread = 99;
  memcpy(data, &id, sizeof id);
  memcpy(data + 24, &thread, sizeof thread);
  add_word(b, 4U << 5 | 29); /* taken back: 8 bytes more */
  add_word(b, 8);
  add_word(b, 0);
  add_word(b, 6U << 5); /* its length is in the second word */
  add_word(b, 4 + sizeof data);
  memcpy(b->page + HEAD + b->used, data, sizeof data);
  b->used += sizeof data;
  end_page(b, 50, UINT32_C(1) << 31);
  assert_true(trace_page_decode(b->format, 0, b->page, PAGE, keep, b, &missed, &begin));
  assert_true(missed);
  assert_int_equal(b->events, 1);
  assert_int_equal(b->event[0].t_ns, 56);
  assert_int_equal(b->event[0].kind, TRACE_WAKING);
  assert_int_equal(b->event[0].id, 99);
}

static void a_format_without_a_field_is_refused(void **state)
{
  (void)state;
  struct trace_format f;
  const int i = event_number("sched/sched_switch");
  char text[sizeof switch_format];
  strcpy(text, switch_format);
  *strstr(text, "prev_state") = 'q';
  assert_false(trace_format_read(i, text, &f));
  assert_false(f.known);
  assert_false(trace_format_read(i, "", &f));
  assert_false(trace_format_read(i, "ID: 99999999\n", &f));
  assert_true(trace_format_read(i, switch_format, &f));
}

/* No byte of a page makes the reader leave it: the sanitizers watch. */
static void damaged_pages_are_survived(void **state)
{
  struct bench *b = *state;
  add_switch(b, 10, 0, 0, 4711);
  add_interrupt(b, 7);
  add_word(b, 6U << 5);
  add_word(b, 36);
  b->used += 32;
  end_page(b, 1000, 0);
  const size_t size = HEAD + b->used;
  srand(1);
  for (int round = 0; round < 200000; round++) {
    bool missed;
    uint64_t begin;
    const size_t length = (size_t)rand() % (size + 1);
    uint8_t *copy = malloc(length ? length : 1); /* just that long, so that a byte too far is seen */
    memcpy(copy, b->page, length);
    for (int k = rand() % 4; k > 0 && length; k--) copy[(size_t)rand() % length] = (uint8_t)rand();
    b->events = 0;
    trace_page_decode(b->format, 0, copy, length, keep, b, &missed, &begin);
    for (int k = 0; k < b->events; k++) assert_null(memchr(b->event[k].name, 0, CULPRIT_NAME) ? NULL : b);
    free(copy);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_page_is_read_event_by_event, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_long_record_and_one_taken_back, set_up, tear_down),
      cmocka_unit_test(a_format_without_a_field_is_refused),
      cmocka_unit_test_setup_teardown(damaged_pages_are_survived, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
