/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "osc/osc_wire.h"
#include "osc_messages/encode.h"

#include <lo/lo.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 128 };

static char name_text[BODIES][16];
static const char *name[BODIES];
static struct signals signals = {.body_first = 1, .figure_first = 1 << 20, .platform_first = -1};
static double values[1 + BODIES * SIGNALS_BODY];
static struct frame frame;
static struct osc_space *space;
static const struct osc_config config = {.prefix = "/ali3", .body_name = name};

static int setup(void **state)
{
  (void)state;
  for (int i = 0; i < BODIES; i++) {
    snprintf(name_text[i], sizeof name_text[i], "link_%d", i);
    name[i] = name_text[i];
  }
  frame = (struct frame){.cycle = 0x1122334455667788,
                         .time = 12.5,
                         .state = STATE_RUNNING,
                         .flags = FLAG_RUNNING | FLAG_NOT_REALTIME,
                         .values = values};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) values[i] = (double)i + 1.0 / 3;
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  osc_space_free(space);
  return 0;
}

static struct osc_state *make(enum stream stream, int bodies, bool doubles)
{
  char error[200] = "";
  signals.bodies = bodies;
  osc_space_free(space);
  space = osc_space_new(&config, &signals, error, sizeof error);
  assert_non_null(space);
  struct osc_state *st = osc_state_new(space, config.prefix, stream, doubles, OSC_WHOLE, error, sizeof error);
  assert_string_equal(error, "");
  assert_non_null(st);
  osc_state_fill(st, &frame);
  return st;
}

/* The bytes of the header, from the specification. */
TEST(the_header_is_as_specified_byte_by_byte)
{
  struct osc_state *st = make(STREAM_BODY, 0, false);
  static const uint8_t expected[] = {
      '#', 'b', 'u',  'n', 'd',  'l',  'e',  0,    0,    0,    0, 0, 0,   0,   0,   1, /* immediately */
      0,   0,   0,    44,                                                              /* one element */
      '/', 'a', 'l',  'i', '3',  '/',  'h',  'd',  'r',  0,    0, 0, ',', 'i', 'f', 'i',
      'i', 'i', 'i',  0,   0x55, 0x66, 0x77, 0x88, 0x41, 0x48, 0, 0, 0,   0,   0,   3,
      0,   0,   0x10, 2,   0,    0,    0,    0,    0,    0,    0, 1,
  };
  assert_int_equal(st->packets, 1);
  assert_int_equal(st->packet[0].size, sizeof expected);
  assert_memory_equal(st->packet[0].bytes, expected, sizeof expected);
  osc_state_free(st);
}

/* liblo, which clients use, reads back the patched values. */
TEST(liblo_reads_back_patched_values)
{
  for (int doubles = 0; doubles < 2; doubles++) {
    struct osc_state *st = make(STREAM_BODY, 1, doubles);
    uint8_t *bytes = st->packet[0].bytes;
    size_t header = wire_get_u32(bytes + 16);
    size_t body = wire_get_u32(bytes + 20 + header);
    assert_int_equal(st->packet[0].size, 24 + header + body);

    int result = 0;
    lo_message m = lo_message_deserialise(bytes + 20, header, &result);
    assert_non_null(m);
    assert_string_equal(lo_message_get_types(m), doubles ? "hdiiii" : "ifiiii");
    assert_int_equal(lo_message_get_argv(m)[2]->i, STATE_RUNNING);
    lo_message_free(m);

    m = lo_message_deserialise(bytes + 24 + header, body, &result);
    assert_non_null(m);
    assert_string_equal((char *)bytes + 24 + header, "/ali3/body/link_0/state");
    assert_int_equal(lo_message_get_argc(m), SIGNALS_BODY_STATE);
    for (int i = 0; i < SIGNALS_BODY_STATE; i++) {
      const void *argument = lo_message_get_argv(m)[i]; /* liblo does not align it */
      double sent = values[1 + i], d;
      float f;
      memcpy(doubles ? (void *)&d : (void *)&f, argument, doubles ? sizeof d : sizeof f);
      assert_true(doubles ? d == sent : f == (float)sent);
    }
    lo_message_free(m);
    osc_state_free(st);
  }
}

/* wire_find() that fails the test if there is no such message. */
static const uint8_t *need(const struct osc_packet *p, const char *address, const char *types)
{
  const uint8_t *found = wire_find(p->bytes, p->size, address, types);
  if (!found) {
    fail_msg("no %s ,%s", address, types);
    abort(); /* cmocka does not declare that it never returns */
  }
  return found;
}

/* The 32-bit count wraps to 0 and is never negative. */
TEST(the_cycle_of_the_short_profile_wraps_to_zero)
{
  static const struct {
    uint64_t cycle;
    uint32_t shown;
  } cases[] = {{7, 7},
               {INT32_MAX, INT32_MAX},
               {UINT64_C(1) << 31, 0},
               {(UINT64_C(1) << 31) + 5, 5},
               {UINT64_MAX, INT32_MAX}};
  struct osc_state *st = make(STREAM_BODY, 1, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    frame.cycle = cases[i].cycle;
    osc_state_fill(st, &frame);
    assert_int_equal(wire_get_u32(need(&st->packet[0], "/ali3/hdr", "ifiiii")), cases[i].shown);
  }
  osc_state_free(st);
}

/* Every body appears once, in packets that fit in an Ethernet frame, each with its own header. */
TEST(every_body_is_in_one_of_the_packets)
{
  for (int doubles = 0; doubles < 2; doubles++) {
    struct osc_state *st = make(STREAM_BODY, BODIES, doubles);
    const char *types = doubles ? "ddddddddddddd" : "fffffffffffff";
    int next = 0;
    for (int k = 0; k < st->packets; k++) {
      const struct osc_packet *p = &st->packet[k];
      assert_in_range(p->size, 17, OSC_DATAGRAM);
      const uint8_t *header = need(p, "/ali3/hdr", doubles ? "hdiiii" : "ifiiii");
      header += doubles ? 16 : 8;
      assert_int_equal(wire_get_u32(header + 8), k);
      assert_int_equal(wire_get_u32(header + 12), st->packets);
      for (int b = p->first; b < p->first + p->messages; b++) {
        char address[64];
        snprintf(address, sizeof address, "/ali3/body/link_%d/state", b);
        const uint8_t *args = need(p, address, types);
        double last = doubles ? wire_get_d(args + 96) : wire_get_f(args + 48);
        double expected = values[1 + b * SIGNALS_BODY + 12];
        assert_true(fabs(last - expected) <= (doubles ? 0 : 1e-6 * expected));
        assert_int_equal(b, next);
        next++;
      }
    }
    assert_int_equal(next, BODIES);
    osc_state_free(st);
  }
}

/* One message per quantity of a sensor, with all numbers of the quantity. */
TEST(sensors_have_a_stream_of_their_own)
{
  enum { SENSORS = 40 };
  char text[2 * SENSORS + 1][48];
  struct signal_group group[2 * SENSORS + 1];
  for (int i = 0; i < SENSORS; i++) {
    snprintf(text[2 * i], sizeof *text, "sensor.s_%d.orientation", i);
    snprintf(text[2 * i + 1], sizeof *text, "sensor.s_%d.velocity", i);
    group[2 * i] = (struct signal_group){text[2 * i], 100 + 7 * i, 4};
    group[2 * i + 1] = (struct signal_group){text[2 * i + 1], 104 + 7 * i, 3};
  }
  snprintf(text[2 * SENSORS], sizeof *text, "energy.total");
  group[2 * SENSORS] = (struct signal_group){text[2 * SENSORS], 1, 1};
  signals.groups = 2 * SENSORS + 1;
  signals.group = group;
  struct osc_state *st = make(STREAM_SENSOR, 2, true);
  assert_int_equal(st->messages, 2 * SENSORS);
  assert_in_range(st->packets, 2, 8);
  int next = 0;
  for (int k = 0; k < st->packets; k++) {
    const struct osc_packet *p = &st->packet[k];
    assert_int_equal(p->first, next);
    next += p->messages;
    for (int i = p->first; i < next; i++) {
      char address[64];
      snprintf(address, sizeof address, "/ali3/sensor/s_%d/%s", i / 2, i % 2 ? "velocity" : "orientation");
      const uint8_t *args = need(p, address, i % 2 ? "ddd" : "dddd");
      const struct signal_group *g = &group[i];
      for (int v = 0; v < g->count; v++) assert_true(wire_get_d(args + 8 * v) == values[g->first + v]);
    }
  }
  assert_int_equal(next, st->messages);
  osc_state_free(st);
  signals.groups = 0;
}

TEST(every_stream_has_its_groups)
{
  static char text[][24] = {"time",          "joint.J.force",       "force.k.value", "sensor.s.position",
                            "energy.total",  "constraint.velocity", "solver.status", "platform.pose",
                            "loop.cycle.max"};
  enum { GROUPS = sizeof text / sizeof text[0] };
  static const char *const address[GROUPS] = {
      "/ali3/time",          "/ali3/joint/J/force",       "/ali3/force/k/value", "/ali3/sensor/s/position",
      "/ali3/energy/total",  "/ali3/constraint/velocity", "/ali3/solver/status", "/ali3/platform/pose",
      "/ali3/loop/cycle/max"};
  static const enum stream stream[GROUPS] = {STREAM_NONE,   STREAM_JOINT,    STREAM_FORCE,
                                             STREAM_SENSOR, STREAM_ENERGY,   STREAM_ENERGY,
                                             STREAM_ENERGY, STREAM_PLATFORM, STREAM_LOOP};
  struct signal_group group[GROUPS];
  for (int i = 0; i < GROUPS; i++) group[i] = (struct signal_group){text[i], i, 1};
  signals.groups = GROUPS;
  signals.group = group;
  signals.figure_first = GROUPS - 1;
  signals.platform_first = GROUPS - 2;
  for (enum stream s = 0; s < STREAMS_PACKED; s++) {
    struct osc_state *st = make(s, 0, true);
    assert_int_equal(st->packets, 1);
    int expected = 0;
    for (int i = 0; i < GROUPS; i++) {
      const uint8_t *args = wire_find(st->packet[0].bytes, st->packet[0].size, address[i], "d");
      assert_int_equal(args != NULL, stream[i] == s);
      if (args) assert_true(wire_get_d(args) == values[i]);
      expected += args != NULL;
    }
    assert_int_equal(st->messages, expected);
    osc_state_free(st);
  }
  signals.groups = 0;
  signals.platform_first = -1;
  signals.figure_first = 1 << 20;
}

TEST(packets_are_numbered_as_parts_of_more)
{
  for (int doubles = 0; doubles < 2; doubles++) {
    struct osc_state *st = make(STREAM_BODY, BODIES, doubles);
    osc_state_number(st, 5, 100);
    for (int k = 0; k < st->packets; k++) {
      const uint8_t *header = need(&st->packet[k], "/ali3/hdr", doubles ? "hdiiii" : "ifiiii");
      header += doubles ? 24 : 16;
      assert_int_equal(wire_get_u32(header), 5 + k);
      assert_int_equal(wire_get_u32(header + 4), 100);
    }
    osc_state_free(st);
  }
}

/* value = scale * argument + offset. Entries with one address are arguments of one message, wherever they are in the
 * list. */
TEST(signals_stand_at_addresses_of_the_users_own)
{
  struct mapped item[] = {{(char[]){"/rig/a"}, 4, false, 2.0, 1.0},
                          {(char[]){"/rig/b"}, 5, false, 1.0, 0.0},
                          {(char[]){"/rig/a"}, 6, false, 1.0, 0.0},
                          {(char[]){"/rig/c"}, 7, true, 1.0, 0.0}};
  const struct mapping map = {item, 4};
  const struct osc_config mapped = {.prefix = "/ali3", .body_name = name, .map = map};
  char error[200] = "";
  signals.bodies = 0;
  struct osc_space *own = osc_space_new(&mapped, &signals, error, sizeof error);
  assert_non_null(own);
  struct osc_state *st = osc_state_new(own, "/ali3", STREAM_OUT, true, OSC_WHOLE, error, sizeof error);
  assert_non_null(st);
  osc_state_fill(st, &frame);
  assert_int_equal(st->messages, 2);
  const uint8_t *a = need(&st->packet[0], "/rig/a", "dd"), *b = need(&st->packet[0], "/rig/b", "d");
  assert_true(wire_get_d(a) == (values[4] - 1.0) / 2.0 && wire_get_d(a + 8) == values[6]);
  assert_true(wire_get_d(b) == values[5]);
  assert_true(osc_space_find(own, "/rig/c")->input);
  assert_null(osc_space_find(own, "/rig"));
  osc_state_free(st);
  osc_space_free(own);
}

TEST(names_that_fit_in_no_packet_are_refused)
{
  char error[200] = "", text[2000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  const char *long_name[] = {text};
  const struct osc_config bad_body = {.prefix = "/ali3", .body_name = long_name},
                          bad_prefix = {.prefix = text, .body_name = name};
  signals.bodies = 1;
  struct osc_space *own = osc_space_new(&bad_body, &signals, error, sizeof error);
  assert_non_null(own);
  assert_null(osc_state_new(own, "/ali3", STREAM_BODY, false, OSC_WHOLE, error, sizeof error));
  assert_non_null(strstr(error, "does not fit"));
  osc_space_free(own);
  error[0] = 0;
  assert_null(osc_space_new(&bad_prefix, &signals, error, sizeof error));
  assert_non_null(strstr(error, "prefix"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_header_is_as_specified_byte_by_byte),
      cmocka_unit_test(liblo_reads_back_patched_values),
      cmocka_unit_test(the_cycle_of_the_short_profile_wraps_to_zero),
      cmocka_unit_test(every_body_is_in_one_of_the_packets),
      cmocka_unit_test(sensors_have_a_stream_of_their_own),
      cmocka_unit_test(every_stream_has_its_groups),
      cmocka_unit_test(packets_are_numbered_as_parts_of_more),
      cmocka_unit_test(signals_stand_at_addresses_of_the_users_own),
      cmocka_unit_test(names_that_fit_in_no_packet_are_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
