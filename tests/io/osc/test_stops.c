/* SPDX-License-Identifier: MIT
 * Stops in datagrams of any form. */
#include "osc/osc_direct.h"

#include "wire/peers.h"

#include <math.h>
#include <stdlib.h>

static const char ESTOP[] = "/ali3/cmd/estop", PAUSE[] = "/ali3/cmd/pause";

/* The code of the next command of the n bytes in `bytes`; 0: none. An e-stop must have set its flag. */
static uint32_t command_of(size_t n)
{
  struct command c = {0};
  receive(n);
  while (next_answer() > 0) continue;
  const bool flag = atomic_exchange(&port.estop, 0) != 0;
  if (!ring_pop(&port.commands, &c)) c.code = 0;
  assert_int_equal(flag, c.code == COMMAND_ESTOP);
  struct command more;
  while (ring_pop(&port.commands, &more)) assert_int_equal(more.code, COMMAND_ESTOP);
  return c.code;
}

static size_t copy(const void *data, size_t n)
{
  memcpy(bytes, data, n);
  return n;
}

static size_t nest(size_t n)
{
  static uint8_t inner[OSC_IN_MAX];
  memcpy(inner, bytes, n);
  size_t at = wire_bundle(bytes);
  at += wire_u32(bytes + at, (uint32_t)n);
  memcpy(bytes + at, inner, n);
  return at + n;
}

/* The forms of both stops: no type tags, bytes behind the message, no padding, unknown types, a broken neighbour, depth. */
static void assert_every_form(const char *address, uint32_t code)
{
  const size_t length = strlen(address);
  assert_int_equal(command_of(copy(address, length)), code);
  assert_int_equal(command_of(copy(address, length + 1)), code);
  size_t n = wire_message(bytes, address, "");
  memset(bytes + n, 0, 4);
  assert_int_equal(command_of(n + 4), code);
  n = wire_message(bytes, address, "f", 1.0);
  assert_int_equal(command_of(n - 1), code);
  memcpy(bytes, address, length);
  memcpy(bytes + length, ",i\0\1", 4);
  assert_int_equal(command_of(length + 4), code);
  /* A broken message stands before it, then behind it. */
  for (int before = 0; before < 2; before++) {
    n = wire_bundle(bytes);
    if (before) n += wire_u32(bytes + n, 0x7ffffffc);
    const size_t size = wire_message(bytes + n + 4, address, "i", 7);
    n += wire_u32(bytes + n, (uint32_t)size) + size;
    if (!before) n += wire_u32(bytes + n, 16);
    assert_int_equal(command_of(n), code);
  }
  n = wire_message(bytes, address, "");
  for (int depth = 0; n + 20 <= OSC_IN_MAX; depth++) {
    assert_int_equal(command_of(n), code);
    n = nest(n);
  }
  /* Any types. */
  static const char *const types[] = {"", "T", "I", "N", "[T]", "FF", "rX"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    assert_int_equal(command_of(wire_message(bytes, address, types[i])), code);
  assert_int_equal(command_of(wire_message(bytes, address, "f", (double)NAN)), code);
  assert_int_equal(command_of(wire_message(bytes, address, "h", INT64_C(1) << 40)), code);
  assert_int_equal(command_of(wire_message(bytes, address, "s", "now")), code);
}

TEST(a_stop_acts_in_every_form)
{
  assert_every_form(ESTOP, COMMAND_ESTOP);
  assert_every_form(PAUSE, COMMAND_PAUSE);
}

/* An e-stop is found by its bytes alone. A pause in a well-formed datagram has to be an address. */
TEST(a_text_with_the_address_stops)
{
  assert_int_equal(command_of(wire_message(bytes, "/a", "s", "the operator sent /ali3/cmd/estop!")),
                   COMMAND_ESTOP);
  assert_int_equal(command_of(wire_message(bytes, "/ali3/cmd/estops", "f", 0.0)), COMMAND_ESTOP);
  assert_int_equal(command_of(wire_message(bytes, "/a", "s", PAUSE)), 0);
}

TEST(the_release_of_a_button_stops_nothing)
{
  static const char *const addresses[] = {ESTOP, PAUSE}, *const types[] = {"f", "d"};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      size_t n = wire_message(bytes, addresses[i], types[k], 0.0);
      for (int depth = 0; depth < 4; depth++, n = nest(n)) assert_int_equal(command_of(n), 0);
    }
    assert_int_equal(command_of(wire_message(bytes, addresses[i], "F")), 0);
    assert_true(command_of(wire_message(bytes, addresses[i], "h", INT64_C(1))) != 0);
    assert_int_equal(command_of(wire_message(bytes, addresses[i], "h", INT64_C(0))), 0);
    /* The release in a malformed datagram cannot be told from a press. */
    assert_true(command_of(wire_message(bytes, addresses[i], "f", 0.0) - 1) != 0);
  }
  /* A press between two releases. */
  size_t n = wire_bundle(bytes);
  for (int i = 0; i < 3; i++) {
    const size_t size = wire_message(bytes + n + 4, ESTOP, "f", i == 1 ? 1.0 : 0.0);
    n += wire_u32(bytes + n, (uint32_t)size) + size;
  }
  assert_int_equal(command_of(n), COMMAND_ESTOP);
}

static uint32_t draw(uint32_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

/* At every place of datagrams of every kind of bytes. Each datagram has a block of its own, so that a sanitizer sees a byte
 * that is read behind its end. */
TEST(an_estop_acts_at_every_place)
{
  uint32_t seed = 88172645u;
  static const char filler[] = "#bundle\0,/ali3cmdestop\0\0\0\xff";
  const size_t length = strlen(ESTOP);
  for (int round = 0; round < 20000; round++) {
    const size_t size = length + draw(&seed) % (round % 16 ? 128 : OSC_IN_MAX - length);
    const size_t place = draw(&seed) % (size - length + 1);
    uint8_t *exact = malloc(size);
    for (size_t i = 0; i < size; i++)
      exact[i] = round % 2 ? (uint8_t)draw(&seed) : (uint8_t)filler[draw(&seed) % (sizeof filler - 1)];
    memcpy(exact + place, ESTOP, length);
    osc_in_estop(in, exact, size, &sender, now_ns);
    if (atomic_exchange(&port.estop, 0) == 0)
      fail_msg("no stop: %zu bytes at %zu of %zu", length, place, size);
    free(exact);
    struct command c;
    while (ring_pop(&port.commands, &c)) assert_int_equal(c.code, COMMAND_ESTOP);
  }
  /* A datagram that was cut off: its first bytes count. */
  memset(bytes, 0, sizeof bytes);
  memcpy(bytes + OSC_IN_MAX - length, ESTOP, length);
  osc_in_estop(in, bytes, 60000, &sender, now_ns);
  assert_true(atomic_load(&port.estop) != 0);
}

TEST(commands_take_the_types_of_old_and_new_senders)
{
  struct command c;
  static const char *const press[] = {"", "T", "I", "N"};
  for (size_t i = 0; i < sizeof press / sizeof *press; i++)
    assert_int_equal(command_of(wire_message(bytes, "/ali3/cmd/run", press[i])), COMMAND_RUN);
  assert_int_equal(command_of(wire_string(bytes, "/ali3/cmd/run")), COMMAND_RUN); /* no type tags */
  receive(wire_message(bytes, "/ali3/cmd/arm", "h", INT64_C(77)));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.id, 77);
  receive(wire_message(bytes, "/ali3/step", "hh", INT64_C(5), INT64_C(6)));
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.argument, 5);
  assert_int_equal(c.id, 6);
  receive(wire_message(bytes, "/ali3/input/push/force", "hhi", INT64_C(1) << 33, INT64_C(-2), 3));
  const struct input_sample *s = taken();
  assert_true(s[0].value == 8589934592.0 && s[1].value == -2 && s[2].value == 3);
  assert_counted(osc_type_errors, 0);
  receive(wire_message(bytes, "/ali3/step", "h", INT64_C(1) << 32)); /* no number of cycles */
  assert_counted(osc_type_errors, 1);
}

/* The next entry for the log. */
static struct stray told(void)
{
  struct stray s;
  if (!ring_pop(&port.strays, &s)) fail_msg("nothing was told");
  assert_non_null(strstr(s.client, "127.0.0.1:"));
  return s;
}

static void assert_told(size_t n, enum stray_kind kind, const char *address, const char *expected)
{
  receive(n);
  const struct stray s = told();
  assert_int_equal(s.kind, kind);
  assert_string_equal(s.address, address);
  assert_string_equal(s.expected, expected);
}

TEST(malformed_datagrams_are_named)
{
  assert_told(copy("/x\0", 3), STRAY_MALFORMED, "/x", "3 bytes, not a multiple of 4");
  assert_told(copy(ESTOP, strlen(ESTOP)), STRAY_MALFORMED, ESTOP, "the estop in it acts");
  assert_told(copy(PAUSE, strlen(PAUSE)), STRAY_MALFORMED, PAUSE, "the pause in it acts");
  memset(bytes, 'a', OSC_IN_MAX);
  receive(OSC_IN_MAX + 60);
  assert_string_equal(told().expected, "4156 bytes, more than 4096");
  assert_told(copy("junk\x1b[2J", 8), STRAY_MALFORMED, "junk?[2J",
              "a part is cut off, too long, unpadded or nested too deeply");
  assert_counted(osc_malformed, 5);
}

TEST(senders_without_rights_are_named)
{
  struct peer_rule rule;
  assert_true(peer_rule_parse("127.0.0.0/8", &rule));
  rule.access = ACCESS_READ;
  config.peers = (struct peers){.rule = &rule, .count = 1};
  direct_restart();
  assert_told(wire_message(bytes, "/ali3/cmd/run", "f", 1.0), STRAY_READER, "/ali3/cmd/run", "access: write");
  assert_told(copy(PAUSE, strlen(PAUSE)), STRAY_MALFORMED, PAUSE, "15 bytes, not a multiple of 4");
  assert_int_equal(command_of(copy(ESTOP, strlen(ESTOP))), COMMAND_ESTOP); /* a reader may stop */
  (void)told();
  rule.access = ACCESS_NONE;
  for (int i = 0; i < 1000; i++) receive(wire_message(bytes, "/ali3/cmd/run", "f", 1.0));
  const struct stray s = told();
  assert_int_equal(s.kind, STRAY_STRANGER);
  assert_string_equal(s.address, "127.0.0.1");
  assert_int_equal(ring_dropped(&port.strays), 0);
  config.peers = (struct peers){0};
}

TEST(a_number_that_is_none_is_named)
{
  assert_told(wire_message(bytes, "/ali3/input/push/force", "fff", 1., 2., (double)NAN), STRAY_NONFINITE,
              "/ali3/input/push/force", "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      DIRECT_TEST(a_stop_acts_in_every_form),
      DIRECT_TEST(a_text_with_the_address_stops),
      DIRECT_TEST(the_release_of_a_button_stops_nothing),
      DIRECT_TEST(an_estop_acts_at_every_place),
      DIRECT_TEST(commands_take_the_types_of_old_and_new_senders),
      DIRECT_TEST(malformed_datagrams_are_named),
      DIRECT_TEST(senders_without_rights_are_named),
      DIRECT_TEST(a_number_that_is_none_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
