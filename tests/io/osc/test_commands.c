/* SPDX-License-Identifier: MIT
 * Barriers, fault injection, access, and the names of the clients that send commands. */
#include "osc/in_parts.h"
#include "osc/osc_direct.h"

#include <math.h>
#include <unistd.h>

static void loop_answers(const struct command *c, uint32_t result)
{
  const struct answer a = {.code = c->code, .id = c->id, .client = c->client, .result = result};
  assert_true(ring_push(&port.answers, &a));
  osc_in_answers(in, 1);
}

static void assert_synced(int id)
{
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/synced", "i");
  assert_non_null(args);
  assert_int_equal(wire_get_u32(args), id);
}

TEST(a_barrier_waits_for_all_that_was_asked_before)
{
  struct command run = {0}, step = {0}, late = {0};
  receive(wire_message(bytes, "/ali3/sync", "i", 1));
  assert_synced(1); /* no command was pending */

  receive(wire_message(bytes, "/ali3/cmd/run", "i", 10));
  receive(wire_message(bytes, "/ali3/step", "ii", 5, 11));
  receive(wire_message(bytes, "/ali3/sync", "i", 2));
  receive(wire_message(bytes, "/ali3/cmd/clear", "i", 12)); /* a later command: does not delay it */
  assert_true(ring_pop(&port.commands, &run) && ring_pop(&port.commands, &step) &&
              ring_pop(&port.commands, &late));
  loop_answers(&late, RESULT_OK);
  assert_acknowledged("clear", 12, RESULT_OK);
  loop_answers(&run, RESULT_OK);
  assert_acknowledged("run", 10, RESULT_OK);
  assert_int_equal(next_answer(), 0);
  loop_answers(&step, RESULT_OK);
  assert_stepped(11, 0, 0);
  assert_synced(2);
  assert_int_equal(next_answer(), 0);
}

TEST(a_barrier_is_the_senders_own)
{
  struct inet_address other;
  const int another = open_socket(&other);
  struct command c = {0};
  receive_from(wire_message(bytes, "/ali3/cmd/run", "i", 10), &other);
  receive(wire_message(bytes, "/ali3/sync", "i", 3));
  assert_synced(3);
  /* also in one datagram */
  size_t n = wire_bundle(bytes), size = wire_message(bytes + n + 4, "/ali3/cmd/pause", "i", 1);
  n += wire_u32(bytes + n, (uint32_t)size) + size;
  size = wire_message(bytes + n + 4, "/ali3/sync", "i", 4);
  n += wire_u32(bytes + n, (uint32_t)size) + size;
  receive(n);
  assert_int_equal(next_answer(), 0);
  assert_true(ring_pop(&port.commands, &c) && ring_pop(&port.commands, &c));
  loop_answers(&c, RESULT_WRONG_STATE);
  assert_acknowledged("pause", 1, RESULT_WRONG_STATE);
  assert_synced(4);
  close(another);
}

TEST(barriers_are_answered_in_their_order)
{
  struct command c = {0};
  receive(wire_message(bytes, "/ali3/cmd/run", "i", 10));
  for (int i = 0; i < 40; i++) receive(wire_message(bytes, "/ali3/sync", "i", i)); /* more than are kept */
  assert_true(ring_pop(&port.commands, &c));
  loop_answers(&c, RESULT_OK);
  assert_acknowledged("run", 10, RESULT_OK);
  for (int i = 40 - 32; i < 40; i++) assert_synced(i);
  assert_int_equal(next_answer(), 0);
}

TEST(others_cannot_crowd_out_a_barrier)
{
  struct inet_address other;
  const int another = open_socket(&other);
  struct command c = {0};
  receive(wire_message(bytes, "/ali3/cmd/run", "i", 10));
  receive(wire_message(bytes, "/ali3/sync", "i", 5));
  for (int i = 0; i < 40; i++) receive_from(wire_message(bytes, "/ali3/sync", "i", i), &other);
  assert_true(ring_pop(&port.commands, &c));
  loop_answers(&c, RESULT_OK);
  assert_acknowledged("run", 10, RESULT_OK);
  assert_synced(5);
  close(another);
}

/* A bundle of n commands, or of as many as fit. */
static size_t many(const char *address, int n)
{
  size_t size = wire_bundle(bytes);
  for (int i = 0; i < n && size + 32 <= OSC_IN_MAX; i++) {
    const size_t length = wire_message(bytes + size + 4, address, "");
    size += wire_u32(bytes + size, (uint32_t)length) + length;
  }
  return size;
}

TEST(others_cannot_crowd_out_an_answer)
{
  struct inet_address other;
  const int another = open_socket(&other);
  struct command step = {0}, c = {0};
  receive(wire_message(bytes, "/ali3/step", "ii", 5, 11));
  assert_true(ring_pop(&port.commands, &step));
  receive_from(many("/ali3/cmd/run", 64), &other); /* their answers are under way */
  while (ring_pop(&port.commands, &c)) continue;
  for (int i = 0; i < 20; i++) {
    receive_from(many("/ali3/cmd/run", 1000), &other);
    receive_from(many("/ali3/cmd/estop", 1000), &other);
  }
  loop_answers(&step, RESULT_OK);
  assert_stepped(11, 0, 0);
  close(another);
}

TEST(an_estop_at_the_end_of_a_long_bundle_is_taken)
{
  struct command c = {0};
  size_t size = many("/ali3/cmd/run", 100);
  const size_t length = wire_message(bytes + size + 4, "/ali3/cmd/estop", "i", 7);
  size += wire_u32(bytes + size, (uint32_t)length) + length;
  receive(size);
  assert_true(atomic_load(&port.estop) != 0);
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_ESTOP);
  assert_int_equal(c.id, 7);
  int commands = 1;
  while (ring_pop(&port.commands, &c)) commands++;
  assert_int_equal(commands, 64);
  assert_counted(commands_dropped, 37);
}

/* The part of the ring that a reader can use: half of it. */
TEST(estops_leave_room_for_others)
{
  struct command c = {0};
  struct inet_address other;
  const int another = open_socket(&other);
  for (int i = 0; i < 500; i++) {
    now_ns++;
    receive_from(many("/ali3/cmd/estop", 60), &other);
  }
  now_ns++;
  receive(wire_message(bytes, "/ali3/cmd/reset", "i", 9));
  assert_int_equal(next_answer(), 0); /* neither busy nor refused */
  int estops = 0;
  while (ring_pop(&port.commands, &c) && c.code == COMMAND_ESTOP) estops++;
  assert_int_equal(c.code, COMMAND_RESET);
  assert_int_equal(estops, 32);
  assert_counted(commands_dropped, 0);
  assert_int_equal(ring_dropped(&port.commands), 0);
  close(another);
}

/* In one read of the socket an e-stop acts first; a command that came before it and is served later must not lift it. */
TEST(a_reset_that_came_before_an_estop_does_not_lift_it)
{
  struct command c = {0};
  uint8_t stop[64];
  struct inet_address other;
  const int another = open_socket(&other);
  osc_in_estop(in, stop, wire_message(stop, "/ali3/cmd/estop", "i", 1), &other, now_ns + 1);
  assert_true(atomic_load(&port.estop) != 0);
  assert_true(ring_pop(&port.commands, &c) && c.code == COMMAND_ESTOP);
  receive(wire_message(bytes, "/ali3/cmd/reset", "i", 2));
  assert_acknowledged("reset", 2, RESULT_WRONG_STATE);
  now_ns++;
  receive(wire_message(bytes, "/ali3/cmd/reset", "i", 3)); /* as old as the e-stop */
  assert_acknowledged("reset", 3, RESULT_WRONG_STATE);
  assert_true(ring_empty(&port.commands));
  now_ns++;
  receive(wire_message(bytes, "/ali3/cmd/reset", "i", 4));
  assert_true(ring_pop(&port.commands, &c) && c.code == COMMAND_RESET && c.id == 4);
  close(another);
}

/* It acts once, although the datagram is examined twice; each of several e-stops in it is answered. */
TEST(an_estop_is_passed_on_once)
{
  struct command c = {0};
  size_t size = wire_bundle(bytes);
  for (int i = 0; i < 3; i++) {
    const size_t length = wire_message(bytes + size + 4, "/ali3/cmd/estop", "i", i);
    size += wire_u32(bytes + size, (uint32_t)length) + length;
  }
  osc_in_estop(in, bytes, size, &sender, now_ns);
  assert_true(atomic_exchange(&port.estop, 0) != 0);
  osc_in_datagram(in, bytes, size, &sender, ACCESS_READ, now_ns);
  assert_int_equal(atomic_load(&port.estop), 0);
  assert_true(ring_pop(&port.commands, &c) && c.code == COMMAND_ESTOP && c.id == 0);
  assert_true(ring_empty(&port.commands));
  assert_acknowledged("estop", 1, RESULT_OK);
  assert_acknowledged("estop", 2, RESULT_OK);
  assert_int_equal(next_answer(), 0);
}

TEST(a_full_ring_is_reported_and_blocks_no_barrier)
{
  struct command c = {0};
  while (ring_push(&port.commands, &(struct command){.code = COMMAND_CLEAR, .client = OSC_CLIENTS})) continue;
  receive(wire_message(bytes, "/ali3/cmd/estop", "i", 7));
  assert_true(atomic_load(&port.estop) != 0);
  assert_acknowledged("estop", 7, RESULT_OK); /* answered by its flag */
  receive(wire_message(bytes, "/ali3/cmd/run", "i", 9));
  assert_acknowledged("run", 9, RESULT_BUSY);
  while (ring_pop(&port.commands, &c)) assert_int_equal(c.code, COMMAND_CLEAR);
  receive(wire_message(bytes, "/ali3/sync", "i", 8));
  assert_synced(8);
}

static void assert_stopped(size_t n, int id)
{
  struct command c = {0};
  receive(n);
  assert_true(atomic_exchange(&port.estop, 0) != 0);
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_ESTOP);
  assert_int_equal(c.id, id);
}

TEST(an_estop_is_taken_whatever_comes_with_it)
{
  static const char *const none[] = {"", "T", "N", "[T]", "FF"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    assert_stopped(wire_message(bytes, "/ali3/cmd/estop", none[i]), 0);
  assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "ii", 7, 8), 7);
  assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "f", 1.0), 0);
  assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "f", (double)NAN), 0);
  assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "s", "now"), 0);
  receive(
      wire_message(bytes, "/ali3/cmd/run", "ff", 1.0, 1.0)); /* other commands must have the right types */
  receive(wire_message(bytes, "/ali3/cmd/run", "s", "now"));
  receive(wire_message(bytes, "/ali3/cmd/run", "NN"));
  assert_counted(osc_type_errors, 3);
  assert_true(ring_empty(&port.commands));
}

/* The next command that a button sent; 0: none. */
static uint32_t pressed(size_t n)
{
  struct command c = {0};
  receive(n);
  if (!ring_pop(&port.commands, &c)) return 0;
  assert_true(ring_empty(&port.commands));
  loop_answers(&c, RESULT_OK);
  assert_true(next_answer() > 0);
  return c.code;
}

TEST(a_button_is_a_command_when_it_is_pressed)
{
  static const char run[] = "/ali3/cmd/run", pause[] = "/ali3/cmd/pause";
  now_ns = 10 * NS_PER_S;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(pressed(wire_message(bytes, run, "f", 1.0)), COMMAND_RUN);
    assert_int_equal(pressed(wire_message(bytes, pause, "T")), COMMAND_PAUSE);
    now_ns += NS_PER_S / 10;
    assert_int_equal(pressed(wire_message(bytes, run, "f", 1.0)), 0); /* still pressed */
    assert_int_equal(pressed(wire_message(bytes, run, "f", 0.0)), 0);
    assert_int_equal(pressed(wire_message(bytes, pause, "F")), 0);
    assert_int_equal(pressed(wire_message(bytes, run, "d", 0.0)), 0);
  }
  /* Two senders have two buttons. */
  struct inet_address other;
  const int another = open_socket(&other);
  struct command c;
  assert_int_equal(pressed(wire_message(bytes, run, "f", 1.0)), COMMAND_RUN);
  receive_from(wire_message(bytes, run, "f", 1.0), &other);
  assert_true(ring_pop(&port.commands, &c));
  close(another);
  /* The release was lost. */
  now_ns += NS_PER_S;
  assert_int_equal(pressed(wire_message(bytes, run, "f", 1.0)), COMMAND_RUN);
  assert_counted(osc_type_errors, 0);
}

/* An integer is the number of a request. Only a 0 after a 1 is a release. */
TEST(a_button_of_integers)
{
  static const char run[] = "/ali3/cmd/run";
  static const struct {
    int value;
    bool press;
  } sent[] = {{0, true}, {1, true}, {0, false}, {0, true}, {1, true}, {1, true}, {2, true}, {0, true}};
  for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
    assert_int_equal(pressed(wire_message(bytes, run, "i", sent[i].value)), sent[i].press ? COMMAND_RUN : 0);
}

TEST(the_release_of_an_estop_button_does_nothing)
{
  static const char *const release[] = {"f", "d", "F"};
  for (size_t i = 0; i < sizeof release / sizeof *release; i++) {
    receive(wire_message(bytes, "/ali3/cmd/estop", release[i], 0.0));
    assert_int_equal(atomic_load(&port.estop), 0);
  }
  for (int i = 0; i < 2; i++) { /* every press acts, also without a release */
    assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "f", 1.0), 0);
    assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "f", 1.0), 0);
    assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "i", 1), 1);
    receive(wire_message(bytes, "/ali3/cmd/estop", "i", 0));
    assert_int_equal(atomic_load(&port.estop), 0);
    assert_stopped(wire_message(bytes, "/ali3/cmd/estop", "i", 0), 0); /* a request with the number 0 */
  }
  assert_true(ring_empty(&port.commands));
}

static void assert_stray(const char *address, const char *types, const char *expected)
{
  struct stray s;
  assert_true(ring_pop(&port.strays, &s));
  assert_int_equal(s.kind, expected ? STRAY_TYPES : STRAY_UNKNOWN);
  assert_string_equal(s.address, address);
  assert_string_equal(s.types, types);
  assert_string_equal(s.expected, expected ? expected : "");
  assert_non_null(strstr(s.client, "127.0.0.1:"));
}

TEST(messages_that_nobody_takes_are_named)
{
  receive(wire_message(bytes, "/ali3/cmd/runn", "f", 1.0));
  assert_stray("/ali3/cmd/runn", "f", NULL);
  receive(wire_message(bytes, "/a\x1b[2J\xff", "i", 1));
  assert_stray("/a?[2J?", "i", NULL);
  receive(wire_message(bytes, "/ali3/cmd/run", "s", "now"));
  assert_stray("/ali3/cmd/run", "s", "nothing or T or F or I or N or d or f or i");
  receive(wire_message(bytes, "/ali3/input/push/force", "ff", 1.0, 2.0));
  assert_stray("/ali3/input/push/force", "ff", "3 numbers");
  receive(wire_message(bytes, "/ali3/energy/total", "f", 1.0));
  assert_stray("/ali3/energy/total", "f", "no argument, which asks for the values");
  receive(wire_message(bytes, "/ali3/in/frame", "i", 1));
  assert_stray("/ali3/in/frame", "i", "ih and 13 numbers");
  receive(wire_message(bytes, "/ali3/cmd/run", ""));
  assert_true(ring_empty(&port.strays));
}

TEST(injections_are_switched_by_name)
{
  static const char *name[] = {"freeze", "noise"};
  config.injection_name = name;
  config.injections = 2;
  direct_restart();
  static const struct {
    const char *types;
    uint32_t argument;
  } cases[] = {{"sT", 3}, {"sF", 2}};
  struct command c = {0};
  receive(wire_message(bytes, "/ali3/inject", "sii", "noise", 1, 77));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_INJECT);
  assert_int_equal(c.argument, 3);
  assert_int_equal(c.id, 77);
  loop_answers(&c, RESULT_OK);
  assert_acknowledged("inject", 77, RESULT_OK);
  for (size_t i = 0; i < 2; i++) {
    receive(wire_message(bytes, "/ali3/inject", cases[i].types, "noise"));
    assert_true(ring_pop(&port.commands, &c));
    assert_int_equal(c.argument, cases[i].argument);
  }
  receive(wire_message(bytes, "/ali3/inject", "sf", "freeze", 0.0));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.argument, 0);
  receive(wire_message(bytes, "/ali3/inject", "si", "nothing", 1));
  assert_acknowledged("inject", 0, RESULT_NO_SUCH_NAME);
  receive(wire_message(bytes, "/ali3/inject", "s", "noise"));
  receive(wire_message(bytes, "/ali3/inject", "is", 1, "noise"));
  assert_counted(osc_type_errors, 2);
  receive(wire_message(bytes, "/ali3/cmd/inject", ""));
  assert_counted(osc_unknown, 1);
  assert_false(ring_pop(&port.commands, &c));
}

TEST(parameters_of_the_platform_are_set_by_name)
{
  struct command c = {0};
  receive(wire_message(bytes, "/ali3/platform/set", "sf", "tilt_max", 12.0));
  assert_counted(osc_unknown, 1); /* there is no platform */
  signals.platform_first = signals.figure_first;
  direct_restart();
  receive(wire_message(bytes, "/ali3/platform/set", "sfi", "gain_lin.y", 0.25, 77));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_PLATFORM);
  assert_int_equal(c.argument, offsetof(struct platform_params, gain_lin[1]) / sizeof(double));
  assert_true(c.value == 0.25);
  assert_int_equal(c.id, 77);
  loop_answers(&c, RESULT_BAD_ARGUMENT); /* the loop checks the value */
  assert_acknowledged("platform", 77, RESULT_BAD_ARGUMENT);
  receive(wire_message(bytes, "/ali3/platform/set", "sd", "hp_zeta", 1.5));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.argument, offsetof(struct platform_params, hp_zeta) / sizeof(double));
  assert_true(c.value == 1.5 && c.id == 0);
  receive(wire_message(bytes, "/ali3/platform/set", "si", "tilt_max", 12));
  assert_true(ring_pop(&port.commands, &c));
  assert_true(c.value == 12.0);
  static const char *const unknown[] = {"gain_lin.w", "gain_lin.xy", "hp_zeta.x", "",
                                        "tilt",       "gain",        "gain_lin."};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    receive(wire_message(bytes, "/ali3/platform/set", "sf", unknown[i], 1.0));
    assert_acknowledged("platform", 0, RESULT_NO_SUCH_NAME);
  }
  /* The whole of three numbers takes three, every other name takes one. */
  receive(wire_message(bytes, "/ali3/platform/set", "sfffi", "gain_lin", 0.25, 0.5, 0.75, 78));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.argument, offsetof(struct platform_params, gain_lin[0]) / sizeof(double));
  assert_true(c.value == 0.25 && c.more == 2 && c.next[0] == 0.5 && c.next[1] == 0.75 && c.id == 78);
  receive(wire_message(bytes, "/ali3/platform/set", "siii", "acc_max", 1, 2, 3));
  assert_true(ring_pop(&port.commands, &c));
  assert_true(c.value == 1.0 && c.more == 2 && c.next[0] == 2.0 && c.next[1] == 3.0 && c.id == 0);
  receive(wire_message(bytes, "/ali3/platform/set", "sfi", "gain_lin", 1.0, 79));
  assert_acknowledged("platform", 79, RESULT_BAD_ARGUMENT);
  receive(wire_message(bytes, "/ali3/platform/set", "sdddi", "gain_lin.x", 1.0, 1.0, 1.0, 80));
  assert_acknowledged("platform", 80, RESULT_BAD_ARGUMENT);
  receive(wire_message(bytes, "/ali3/platform/set", "sdddi", "tilt_max", 1.0, 1.0, 1.0, 81));
  assert_acknowledged("platform", 81, RESULT_BAD_ARGUMENT);
  receive(wire_message(bytes, "/ali3/platform/set", "s", "tilt_max"));
  receive(wire_message(bytes, "/ali3/platform/set", "sT", "tilt_max"));
  receive(wire_message(bytes, "/ali3/platform/set", "fs", 1.0, "tilt_max"));
  receive(wire_message(bytes, "/ali3/platform/set", "sff", "tilt_max", 1.0, 2.0));
  assert_counted(osc_type_errors, 4);
  receive(wire_message(bytes, "/ali3/platform/set", "sd", "tilt_max", (double)NAN));
  assert_counted(osc_nonfinite, 1);
  receive(wire_message(bytes, "/ali3/cmd/platform", ""));
  assert_counted(osc_unknown, 2);
  assert_false(ring_pop(&port.commands, &c));
  signals.platform_first = -1;
}

static struct peer_rule rule[2];
static struct peers peers = {rule, 2};

static void allow(const char *host, enum access access)
{
  assert_true(peer_rule_parse("10.0.0.1", &rule[0]));
  assert_true(peer_rule_parse(host, &rule[1]));
  rule[0].access = ACCESS_WRITE;
  rule[1].access = access;
  config.peers = peers;
  direct_restart();
}

TEST(a_reader_is_refused_with_a_reason)
{
  struct command c = {0};
  allow("127.0.0.0/8", ACCESS_READ);
  receive(wire_message(bytes, "/ali3/cmd/run", "i", 5));
  assert_acknowledged("run", 5, RESULT_NOT_AUTHORISED);
  receive(wire_message(bytes, "/ali3/step", "ii", 1, 6));
  assert_acknowledged("step", 6, RESULT_NOT_AUTHORISED);
  receive(wire_message(bytes, "/ali3/input/turn", "f", 1.0));
  receive(wire_message(bytes, "/ali3/in/frame", "ihfffffffffffff", 1, INT64_C(1), 0., 1., 2., 3., 4., 5., 6.,
                       7., 8., 9., 10., 11., 12.));
  assert_counted(osc_denied, 4);
  assert_int_equal(next_answer(), 0);
  assert_false(ring_pop(&port.commands, &c));
  assert_false(snapshot_take(&port.inputs));

  receive(wire_message(bytes, "/ali3/ping", "ih", 1, INT64_C(1)));
  assert_non_null(wire_find(answer, next_answer(), "/ali3/pong", "ihhh"));
  receive(wire_message(bytes, "/ali3/status", ""));
  assert_non_null(wire_find(answer, next_answer(), "/ali3/status", "sifffiiii"));
  assert_int_equal(subscribe("status", 0, 1, 0), RESULT_OK);
  receive(wire_message(bytes, "/ali3/cmd/estop", "i", 7));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_ESTOP);
  assert_true(atomic_load(&port.estop) != 0);
}

/* A jog has an access of its own, and names of its own. */
TEST(a_jog_needs_its_access)
{
  struct command c = {0};
  struct stray s;
  signals.platform_first = 0;
  allow("127.0.0.0/8", ACCESS_WRITE);
  receive(wire_message(bytes, "/ali3/platform/jog", "sfi", "leg3", 1.0, 5));
  assert_acknowledged("jog", 5, RESULT_NOT_AUTHORISED);
  assert_true(ring_pop(&port.strays, &s));
  assert_int_equal(s.kind, STRAY_READER);
  assert_string_equal(s.expected, "access: jog");
  allow("127.0.0.0/8", ACCESS_JOG);
  receive(wire_message(bytes, "/ali3/platform/jog", "sfi", "leg7", 1.0, 6));
  assert_acknowledged("jog", 6, RESULT_NO_SUCH_NAME);
  assert_true(ring_pop(&port.strays, &s));
  assert_string_equal(s.expected, "surge, sway, heave, roll, pitch, yaw or leg1 to leg6, and -1 to 1");
  receive(wire_message(bytes, "/ali3/platform/jog", "sfi", "yaw", 1.1, 7));
  assert_acknowledged("jog", 7, RESULT_BAD_ARGUMENT);
  assert_false(ring_pop(&port.commands, &c));
  receive(wire_message(bytes, "/ali3/platform/jog", "sfi", "leg3", -0.5, 8));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_JOG);
  assert_int_equal(c.argument % COMMAND_HAND, 8);
  assert_true(c.value == -0.5 && c.number == 8);
  const uint32_t hand = c.argument / COMMAND_HAND;
  receive(wire_message(bytes, "/ali3/platform/jog", "si", "surge", 0)); /* a release needs no number */
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.argument, COMMAND_HAND * hand);
  assert_int_equal(c.number, 0);
  /* A number of its own for a hand. */
  receive(wire_message(bytes, "/ali3/platform/jog", "sfiii", "surge", 1.0, 9, 77, 3));
  assert_true(ring_pop(&port.commands, &c));
  assert_true(c.id == 9 && c.number == 3 && c.argument / COMMAND_HAND != hand);
  const uint32_t other = c.argument / COMMAND_HAND;
  receive(wire_message(bytes, "/ali3/platform/jog", "sfiii", "surge", 1.0, 9, 78, 3));
  assert_true(ring_pop(&port.commands, &c));
  assert_true(c.argument / COMMAND_HAND != other);
  /* A press without a number could be an old one. */
  receive(wire_message(bytes, "/ali3/platform/jog", "sf", "surge", 1.0));
  assert_acknowledged("jog", 0, RESULT_BAD_ARGUMENT);
  receive(wire_message(bytes, "/ali3/platform/jog", "sfi", "surge", 1.0, 0));
  assert_acknowledged("jog", 0, RESULT_BAD_ARGUMENT);
  assert_false(ring_pop(&port.commands, &c));
  signals.platform_first = -1;
}

TEST(strangers_hear_nothing)
{
  struct command c = {0};
  allow("192.168.0.0/16", ACCESS_WRITE);
  receive(wire_message(bytes, "/ali3/cmd/run", "i", 5));
  receive(wire_message(bytes, "/ali3/status", ""));
  receive(wire_message(bytes, "/ali3/sub", "siii", "all", 0, 1, 0));
  receive(wire_message(bytes, "/ali3/no/such", ""));
  assert_counted(osc_denied, 4);
  assert_counted(osc_received, 0);
  assert_counted(osc_unknown, 0);
  assert_int_equal(next_answer(), 0);
  assert_false(ring_pop(&port.commands, &c));
  assert_counted(osc_clients, 0);
}

TEST(the_log_gets_the_names_of_clients)
{
  char expected[CLIENT_NAME], got[CLIENT_NAME];
  struct command c = {0};
  receive(wire_message(bytes, "/ali3/cmd/run", "i", 5));
  assert_true(ring_pop(&port.commands, &c));
  clients_address_text(&sender.name.any, expected);
  clients_get(&port.clients, c.client, got);
  assert_string_equal(got, expected);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      DIRECT_TEST(a_barrier_waits_for_all_that_was_asked_before),
      DIRECT_TEST(a_barrier_is_the_senders_own),
      DIRECT_TEST(barriers_are_answered_in_their_order),
      DIRECT_TEST(others_cannot_crowd_out_a_barrier),
      DIRECT_TEST(others_cannot_crowd_out_an_answer),
      DIRECT_TEST(an_estop_at_the_end_of_a_long_bundle_is_taken),
      DIRECT_TEST(estops_leave_room_for_others),
      DIRECT_TEST(a_reset_that_came_before_an_estop_does_not_lift_it),
      DIRECT_TEST(an_estop_is_passed_on_once),
      DIRECT_TEST(a_full_ring_is_reported_and_blocks_no_barrier),
      DIRECT_TEST(an_estop_is_taken_whatever_comes_with_it),
      DIRECT_TEST(a_button_is_a_command_when_it_is_pressed),
      DIRECT_TEST(a_button_of_integers),
      DIRECT_TEST(the_release_of_an_estop_button_does_nothing),
      DIRECT_TEST(messages_that_nobody_takes_are_named),
      DIRECT_TEST(injections_are_switched_by_name),
      DIRECT_TEST(parameters_of_the_platform_are_set_by_name),
      DIRECT_TEST(a_reader_is_refused_with_a_reason),
      DIRECT_TEST(a_jog_needs_its_access),
      DIRECT_TEST(strangers_hear_nothing),
      DIRECT_TEST(the_log_gets_the_names_of_clients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
