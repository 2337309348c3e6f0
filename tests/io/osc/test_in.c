/* SPDX-License-Identifier: MIT
 * Datagrams go directly into osc_in_packet(), and its answers are read from a socket of 127.0.0.1. */
#include "osc/osc_direct.h"
#include "osc_messages/addresses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TEST(numbers_of_every_type_reach_their_channels)
{
  receive(wire_message(bytes, "/ali3/input/push/force", "fdi", 1.5, 0.1, -3));
  const struct input_sample *s = taken();
  assert_true(s[0].value == 1.5 && s[1].value == 0.1 && s[2].value == -3);
  assert_int_equal(s[0].t_ns, NOW);
  assert_int_equal(s[3].t_ns, 0); /* never set */

  receive(wire_message(bytes, "/ali3/input/push/torque", "fff", 4.0, 5.0, 6.0));
  receive(wire_message(bytes, "/ali3/input/push2", "dddddd", 7.0, 8.0, 9.0, 10.0, 11.0, 12.0));
  s = taken();
  assert_true(s[0].value == 1.5 && s[3].value == 4 && s[5].value == 6 && s[6].value == 7 &&
              s[11].value == 12);
  assert_counted(osc_received, 3);
}

TEST(a_value_is_one_number_at_two_addresses)
{
  receive(wire_message(bytes, "/ali3/input/turn/value", "d", 0.25));
  assert_true(taken()[12].value == 0.25);
  receive(wire_message(bytes, "/ali3/input/turn", "i", -2));
  const struct input_sample *s = taken();
  assert_true(s[12].value == -2 && s[12].t_ns == NOW && s[11].t_ns == 0);
  assert_counted(osc_received, 2);
}

TEST(a_frame_sets_all_channels_once_per_sequence_number)
{
  const char *types = "ihfffffffffffff";
  receive(wire_message(bytes, "/ali3/in/frame", types, 7, INT64_C(1), 0., 1., 2., 3., 4., 5., 6., 7., 8., 9.,
                       10., 11., 12.));
  const struct input_sample *s = taken();
  for (int i = 0; i < CHANNELS; i++) assert_true(s[i].value == i && s[i].t_ns == NOW);
  receive(wire_message(bytes, "/ali3/in/frame", types, 7, INT64_C(2), 9., 1., 2., 3., 4., 5., 6., 7., 8., 9.,
                       10., 11., 12.));
  assert_false(snapshot_take(&port.inputs));
  assert_counted(osc_repeated, 1);
  receive(wire_message(bytes, "/ali3/in/frame", types, 8, INT64_C(3), 9., 1., 2., 3., 4., 5., 6., 7., 8., 9.,
                       10., 11., 12.));
  assert_true(taken()[0].value == 9);
  assert_counted(osc_received, 2);
}

static size_t add_element(size_t at, const char *address, double x)
{
  size_t n = wire_message(bytes + at + 4, address, "fff", x, x, x);
  return at + wire_u32(bytes + at, (uint32_t)n) + n;
}

TEST(a_bundle_reaches_the_loop_in_one_piece)
{
  size_t n = wire_bundle(bytes);
  n = add_element(n, "/ali3/input/push/force", 1);
  n = add_element(n, "/ali3/input/push/torque", 2);
  receive(n);
  const struct input_sample *s = taken();
  assert_true(s[0].value == 1 && s[3].value == 2);
  assert_false(snapshot_take(&port.inputs));
}

TEST(a_bundle_with_a_bad_end_counts_for_nothing)
{
  size_t n = wire_bundle(bytes);
  n = add_element(n, "/ali3/input/push/force", 1);
  size_t first = n;
  n = add_element(n, "/ali3/input/push/torque", 2);
  wire_u32(bytes + first, 0x7ffffffc);
  receive(n);
  wire_u32(bytes + first, (uint32_t)(n - first - 4));
  receive(n - 8); /* the missing bytes still stand after the end */
  assert_false(snapshot_take(&port.inputs));
  assert_counted(osc_malformed, 2);
  assert_counted(osc_received, 0);
}

/* A message in `depth` bundles. */
static size_t nested(int depth)
{
  uint8_t inner[OSC_IN_MAX];
  size_t n = wire_message(bytes, "/ali3/input/push/force", "fff", 1., 1., 1.);
  for (int i = 0; i < depth; i++) {
    memcpy(inner, bytes, n);
    size_t at = wire_bundle(bytes);
    at += wire_u32(bytes + at, (uint32_t)n);
    memcpy(bytes + at, inner, n);
    n += at;
  }
  return n;
}

TEST(bundles_nest_four_deep_and_no_deeper)
{
  receive(nested(4));
  assert_counted(osc_received, 1);
  receive(nested(5));
  receive(nested(190));
  assert_counted(osc_received, 1);
  assert_counted(osc_malformed, 2);
}

TEST(nonfinite_writes_are_refused_whole)
{
  receive(wire_message(bytes, "/ali3/input/push/force", "fff", 1., 2., (double)NAN));
  receive(wire_message(bytes, "/ali3/input/push/force", "fdf", 1., (double)-INFINITY, 2.));
  receive(wire_message(bytes, "/ali3/in/frame", "ihfffffffffffff", 1, INT64_C(1), 0., 0., 0., 0., 0., 0., 0.,
                       0., 0., 0., 0., 0., (double)NAN));
  assert_counted(osc_nonfinite, 3);
  assert_false(snapshot_take(&port.inputs));
  /* a refused frame does not use up its number */
  receive(wire_message(bytes, "/ali3/in/frame", "ihfffffffffffff", 1, INT64_C(1), 0., 0., 0., 0., 0., 0., 0.,
                       0., 0., 0., 0., 0., 1.));
  assert_true(snapshot_take(&port.inputs));
}

TEST(patterns_and_strangers_are_unknown)
{
  static const char *const unknown[] = {
      "/*",
      "/ali3",
      "/ali3/",
      "/ali3/cmd/*",
      "/ali3/cmd/{run,stop}",
      "/ali3/cmd/ru?",
      "/ali3/cmd/",
      "/ali3/cmd/step",
      "/ali3/cmd/go",
      "/ali3//cmd/run",
      "//run",
      "/ali3/cmd/run/",
      "/ali33/ping",
      "/x/cmd/run",
      "/ali3/input/",
      "/ali3/input/*/force",
      "/ali3/input/pus",
      "/ali3/input/push/",
      "/ali3/input/push/value",
      "/ali3/input/push/force/",
      "/ali3/input/turn/",
      "/ali3/input/turn/force",
  };
  enum { N = sizeof unknown / sizeof unknown[0] };
  struct command c = {0};
  for (int i = 0; i < N; i++) receive(wire_message(bytes, unknown[i], "fff", 1., 2., 3.));
  for (int i = 0; i < N; i++) receive(wire_message(bytes, unknown[i], ""));
  assert_counted(osc_unknown, 2 * N);
  assert_counted(osc_received, 0);
  assert_false(ring_pop(&port.commands, &c));
  assert_int_equal(next_answer(), 0); /* the daemon is no reflector */
}

TEST(wrong_types_are_counted_and_change_nothing)
{
  static const struct {
    const char *address, *types;
  } wrong[] = {
      {"/ali3/input/push/force", "ff"},
      {"/ali3/input/push/force", "ffff"},
      {"/ali3/input/push/force", "ffs"},
      {"/ali3/input/push", "fff"},
      {"/ali3/input/turn", "ff"},
      {"/ali3/input/turn/value", "fff"},
      {"/ali3/cmd/run", "ff"},
      {"/ali3/cmd/run", "ii"},
      {"/ali3/cmd/run", "iT"},
      {"/ali3/step", ""},
      {"/ali3/in/frame", "ih"},
      {"/ali3/ping", "ii"},
      {"/ali3/status", "i"},
      {"/ali3/sub", "sii"},
      {"/ali3/unsub", ""},
      {"/ali3/in/frame", "hifffffffffffff"},
  };
  enum { N = sizeof wrong / sizeof wrong[0] };
  struct command c = {0};
  for (int i = 0; i < N; i++) {
    memset(bytes, 0, 256); /* all arguments are 0 */
    size_t n = wire_message(bytes, wrong[i].address, "");
    char tags[64];
    snprintf(tags, sizeof tags, ",%s", wrong[i].types);
    n = n - 4 + wire_string(bytes + n - 4, tags);
    for (const char *t = wrong[i].types; *t; t++) n += *t == 'T' ? 0 : *t == 'h' ? 8 : 4;
    receive(n);
    assert_counted(osc_type_errors, i + 1);
  }
  assert_counted(osc_malformed, 0);
  assert_false(snapshot_take(&port.inputs));
  assert_false(ring_pop(&port.commands, &c));
}

/* For each address of the list: it is known, and refuses a text that its types do not allow, except a stop. */
TEST(every_address_of_the_list_is_dispatched)
{
  static const char *const received[] = {
#define RECEIVED(address, types, flags, unit, text, handler) "/ali3/" address,
      OSC_ADDRESS_LIST(RECEIVED, OSC_NO_ROW)
#undef RECEIVED
  };
  enum { N = sizeof received / sizeof *received };
  for (int i = 0; i < N; i++) receive(wire_message(bytes, received[i], "ss", "x", "y"));
  assert_counted(osc_unknown, 2); /* platform/set and platform/jog: there is no platform */
  assert_counted(osc_received, 2);
  assert_counted(osc_type_errors, N - 4);
  /* ali3d sends this address, but does not receive it */
  receive(wire_message(bytes, "/ali3/pong", "ihhh", 1, (int64_t)2, (int64_t)3, (int64_t)4));
  assert_counted(osc_unknown, 3);
}

TEST(commands_are_acknowledged_to_their_sender)
{
  static const char *const name[] = {"init", "arm", "run", "pause", "stop", "reset", "park", "estop"};
  for (int i = 0; i < 8; i++) {
    char address[64];
    snprintf(address, sizeof address, "/ali3/cmd/%s", name[i]);
    receive(wire_message(bytes, address, "i", 100 + i));
    struct command c = {0};
    assert_true(ring_pop(&port.commands, &c));
    assert_int_equal(c.code, i + 1);
    assert_int_equal(c.id, 100 + i);
    const struct answer a = {.code = c.code, .id = c.id, .client = c.client, .result = (uint32_t)i % 4};
    assert_true(ring_push(&port.answers, &a));
    assert_int_equal(next_answer(), 0); /* only answers of the loop are passed on */
    osc_in_answers(in, 1);
    const uint8_t *args = wire_find(answer, next_answer(), "/ali3/ack", "sii");
    assert_non_null(args);
    assert_string_equal((const char *)args, name[i]);
    size_t skip = (strlen(name[i]) / 4 + 1) * 4;
    assert_int_equal(wire_get_u32(args + skip), 100 + i);
    assert_int_equal(wire_get_u32(args + skip + 4), i % 4);
  }
  assert_true(atomic_load(&port.estop) & PORT_ESTOP);
  assert_counted(osc_commands, 8);
}

/* Steps may take long, and other senders ask meanwhile. */
TEST(whatever_comes_meanwhile_steps_are_answered_to_who_asked_for_them)
{
  struct inet_address other;
  const int another = open_socket(&other);
  struct command step = {0}, c = {0};
  receive(wire_message(bytes, "/ali3/step", "ii", 1000, 7));
  assert_true(ring_pop(&port.commands, &step));
  for (int i = 0; i < 1000; i++) {
    osc_in_packet(in, bytes, wire_message(bytes, "/ali3/cmd/clear", "i", i), &other, NOW);
    assert_true(ring_pop(&port.commands, &c));
    assert_true(ring_push(&port.answers, &(struct answer){.code = c.code, .id = c.id, .client = c.client}));
    osc_in_answers(in, 1);
    assert_true(recv(another, answer, sizeof answer, MSG_DONTWAIT) > 0);
  }
  close(another);
  assert_int_equal(next_answer(), 0);
  assert_true(
      ring_push(&port.answers, &(struct answer){.code = step.code, .id = step.id, .client = step.client}));
  osc_in_answers(in, 0); /* not yet */
  assert_int_equal(next_answer(), 0);
  osc_in_answers(in, 1);
  assert_stepped(7, 0, 0);
}

/* Lost answers do not use up the places for later ones. */
TEST(places_to_answer_to_do_not_run_out)
{
  struct command c = {0};
  for (int i = 0; i < 1000; i++) {
    receive(wire_message(bytes, "/ali3/cmd/clear", "i", i));
    assert_true(ring_pop(&port.commands, &c));
  }
  receive(wire_message(bytes, "/ali3/cmd/run", "i", 5));
  assert_true(ring_pop(&port.commands, &c));
  assert_true(ring_push(&port.answers, &(struct answer){.code = c.code, .id = c.id, .client = c.client}));
  osc_in_answers(in, 1);
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/ack", "sii");
  assert_non_null(args);
  assert_string_equal((const char *)args, "run");
}

TEST(a_step_has_a_number_of_cycles)
{
  struct command c = {0};
  receive(wire_message(bytes, "/ali3/step", "i", 5));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_STEP);
  assert_int_equal(c.argument, 5);
  receive(wire_message(bytes, "/ali3/step", "ii", 6, 1234));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.argument, 6);
  assert_int_equal(c.id, 1234);
  receive(wire_message(bytes, "/ali3/step", "i", 0));
  assert_false(ring_pop(&port.commands, &c));
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/ack", "sii");
  assert_non_null(args);
  assert_int_equal(wire_get_u32(args + 12), RESULT_BAD_ARGUMENT);
}

static void receive_frame(int sequence)
{
  receive(wire_message(bytes, "/ali3/in/frame", "ihfffffffffffff", sequence, INT64_C(1), 0., 1., 2., 3., 4.,
                       5., 6., 7., 8., 9., 10., 11., 12.));
}

/* A beat rings once for a frame, when its values are published; other inputs are no beats. */
TEST(numbered_frames_are_beats)
{
  static struct wakeup wakeup;
  wakeup = (struct wakeup){0};
  port.wakeup = &wakeup;
  receive_frame(1);
  assert_int_equal(atomic_load(&wakeup.beats), 0); /* another port paces the loop */
  port.paces = true;
  receive_frame(2);
  assert_int_equal(atomic_load(&wakeup.beats), 1);
  assert_int_equal(atomic_load(&wakeup.beat_ns), NOW);
  receive_frame(2);
  receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  assert_int_equal(atomic_load(&wakeup.beats), 1);
}

TEST(commands_without_room_are_counted_but_estop_gets_through)
{
  for (int i = 0; i < 100; i++) receive(wire_message(bytes, "/ali3/cmd/run", ""));
  assert_int_equal(counter_get(&counters.osc_commands) + counter_get(&counters.commands_dropped), 100);
  assert_true(counter_get(&counters.commands_dropped) > 0);
  receive(wire_message(bytes, "/ali3/cmd/estop", ""));
  assert_true(atomic_load(&port.estop) & PORT_ESTOP);
}

TEST(subscriptions_are_leases)
{
  assert_int_equal(subscribe("nonsense", 0, 1, 0), RESULT_BAD_ARGUMENT);
  assert_int_equal(subscribe("all", 0, 0, 0), RESULT_BAD_ARGUMENT);
  assert_int_equal(subscribe("all", 0, 1, 2), RESULT_BAD_ARGUMENT);
  assert_int_equal(subscribe("all", 65536, 1, 0), RESULT_BAD_ARGUMENT);
  assert_counted(osc_clients, 0);
  assert_int_equal(subscribe("all", 0, 1, 0), RESULT_OK);
  assert_int_equal(subscribe("all", 0, 2, 1), RESULT_OK); /* renewed, not doubled */
  assert_counted(osc_clients, 1);

  static const double values[VALUES];
  static const struct frame frame = {.cycle = 3, .state = STATE_RUNNING, .count = VALUES, .values = values};
  osc_out_frame(out, &frame, NOW);
  assert_non_null(wire_find(answer, next_answer(), "/ali3/hdr", "hdiiii"));
  assert_non_null(wire_find(answer, next_answer(), "/ali3/status", "sifffiiii"));
  osc_out_frame(out, &frame, NOW + 1); /* neither a new cycle, nor a new state, nor a second later */
  assert_int_equal(next_answer(), 0);

  enum { OF_A_HOST = OSC_SUBSCRIBERS / 2 };
  const int first = other_ports();
  for (int i = 1; i < OF_A_HOST; i++) assert_int_equal(subscribe("body", first + i, 1, 0), RESULT_OK);
  assert_int_equal(subscribe("body", first + OF_A_HOST, 1, 0), RESULT_NOT_AUTHORISED);
  receive(wire_message(bytes, "/ali3/unsub", "si", "body", first + 1));
  assert_non_null(wire_find(answer, next_answer(), "/ali3/unsub/ack", "si"));
  assert_counted(osc_clients, OF_A_HOST - 1);
  osc_out_expire(out, NOW + UINT64_C(9999999999));
  assert_counted(osc_clients, OF_A_HOST - 1);
  osc_out_expire(out, NOW + UINT64_C(10000000001));
  assert_counted(osc_clients, 0);
}

TEST(senders_that_must_not_be_answered_are_not)
{
  static const char *const host[] = {"224.0.0.1", "255.255.255.255", "0.0.0.0", "239.1.2.3"};
  struct inet_address from;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(inet_address_parse(host[i], 9, &from), 0);
    osc_in_packet(in, bytes, wire_message(bytes, "/ali3/status", ""), &from, NOW);
    osc_in_packet(in, bytes, wire_message(bytes, "/ali3/sub", "siii", "all", 0, 1, 0), &from, NOW);
  }
  assert_int_equal(inet_address_parse("127.0.0.1", 0, &from), 0);
  osc_in_packet(in, bytes, wire_message(bytes, "/ali3/status", ""), &from, NOW);
  assert_counted(osc_received, 9);
  assert_counted(osc_sent, 0);
  assert_counted(osc_send_errors, 0);
  assert_counted(osc_clients, 0);
}

static uint32_t draw(uint32_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

/* Good packets with some bytes changed, cut short or repeated: only finite numbers get through, and no byte beyond the
 * packet is read (each packet has a block of its own, so a sanitizer build sees it). */
TEST(mutated_packets_do_no_harm)
{
  uint32_t seed = 2463534242u;
  uint64_t refused = 0;
  enum { ROUNDS = 50000 };
  for (int round = 0; round < ROUNDS; round++) {
    size_t n = 0;
    switch (round % 8) {
    case 0:
      n = wire_message(bytes, "/ali3/input/push/force", "fdi", 1., 2., 3);
      break;
    case 1:
      n = wire_message(bytes, "/ali3/cmd/run", "i", 1);
      break;
    case 2:
      n = nested(1 + round % 4);
      break;
    case 3:
      n = wire_message(bytes, "/ali3/sub", "siii", "all", 0, 1, 0);
      break;
    case 4:
      n = add_element(add_element(wire_bundle(bytes), "/ali3/input/push2/force", 1), "/ali3/status", 0);
      break;
    case 5:
      n = wire_message(bytes, "/ali3/ping", "ih", 1, INT64_C(2));
      break;
    case 6:
      n = wire_string(bytes, "/ali3/in/blob");
      n += wire_string(bytes + n, ",iib");
      n += wire_u32(bytes + n, (uint32_t)round) + wire_u32(bytes + n + 4, 0xcc2b0fb0);
      n += wire_u32(bytes + n, 4 * CHANNELS);
      memset(bytes + n, 0, 4 * CHANNELS);
      n += 4 * CHANNELS;
      break;
    case 7:
      n = wire_message(bytes, "/ali3/input/push", "TFifds", 1, 2., 3., "text");
      break;
    }
    for (uint32_t i = draw(&seed) % 4; i > 0; i--) {
      static const uint8_t telling[] = {0, ',', '/', '#', 'b', 'd', 'f', 's', 'h', 0x7f, 0x80, 0xff, 4};
      uint32_t r = draw(&seed);
      bytes[r % n] = r & 0x10000 ? (uint8_t)(r >> 24) : telling[(r >> 17) % sizeof telling];
    }
    if (draw(&seed) % 4 == 0) n = draw(&seed) % (n + 1);
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, bytes, n);
    osc_in_packet(in, exact, n, &sender, NOW);
    free(exact);

    struct command c = {0};
    while (ring_pop(&port.commands, &c)) assert_in_range(c.code, COMMAND_INIT, COMMAND_INJECT);
    if (snapshot_take(&port.inputs)) {
      const struct input_sample *s = snapshot_value(&port.inputs);
      for (int i = 0; i < CHANNELS; i++) assert_true(isfinite(s[i].value));
    }
    while (next_answer() > 0) continue;
  }
  refused = counter_get(&counters.osc_malformed) + counter_get(&counters.osc_unknown);
  assert_true(refused > ROUNDS / 10);
  assert_true(counter_get(&counters.osc_received) > ROUNDS / 10);
  assert_true(counter_get(&counters.osc_nonfinite) > 0);
  assert_true(counter_get(&counters.osc_type_errors) > 0);
}

TEST(sizes_at_the_edge)
{
  memset(bytes, 0, sizeof bytes);
  for (size_t n = 0; n < 32; n++) receive(n);
  receive(OSC_IN_MAX);
  receive(OSC_IN_MAX + 4);
  receive(65507); /* cut off by the kernel: only its length is known */
  assert_counted(osc_malformed, 35);

  size_t n = wire_bundle(bytes); /* as many messages as fit */
  while (n + 12 <= OSC_IN_MAX) {
    n += wire_u32(bytes + n, 8);
    n += wire_message(bytes + n, "/", "");
  }
  receive(n);
  assert_counted(osc_malformed, 35);
  assert_counted(osc_unknown, (OSC_IN_MAX - 16) / 12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      DIRECT_TEST(numbers_of_every_type_reach_their_channels),
      DIRECT_TEST(a_value_is_one_number_at_two_addresses),
      DIRECT_TEST(a_frame_sets_all_channels_once_per_sequence_number),
      DIRECT_TEST(a_bundle_reaches_the_loop_in_one_piece),
      DIRECT_TEST(a_bundle_with_a_bad_end_counts_for_nothing),
      DIRECT_TEST(bundles_nest_four_deep_and_no_deeper),
      DIRECT_TEST(nonfinite_writes_are_refused_whole),
      DIRECT_TEST(patterns_and_strangers_are_unknown),
      DIRECT_TEST(wrong_types_are_counted_and_change_nothing),
      DIRECT_TEST(every_address_of_the_list_is_dispatched),
      DIRECT_TEST(commands_are_acknowledged_to_their_sender),
      DIRECT_TEST(a_step_has_a_number_of_cycles),
      DIRECT_TEST(whatever_comes_meanwhile_steps_are_answered_to_who_asked_for_them),
      DIRECT_TEST(places_to_answer_to_do_not_run_out),
      DIRECT_TEST(numbered_frames_are_beats),
      DIRECT_TEST(commands_without_room_are_counted_but_estop_gets_through),
      DIRECT_TEST(subscriptions_are_leases),
      DIRECT_TEST(senders_that_must_not_be_answered_are_not),
      DIRECT_TEST(sizes_at_the_edge),
      DIRECT_TEST(mutated_packets_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
