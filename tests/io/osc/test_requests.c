/* SPDX-License-Identifier: MIT
 * Questions at the addresses of signals, subscriptions to several streams, heartbeats, and the output after a fault. */
#include "osc/osc_direct.h"

#include "osc/limit.h"
#include "signals/states.h"

#include <stdio.h>
#include <unistd.h>

TEST(values_are_asked_for_at_their_address)
{
  struct mapped item[] = {{(char[]){"/rig/e"}, CHANNELS, false, 2.0, 1.0},
                          {(char[]){"/rig/in"}, 3, true, 4.0, 0.0}};
  const struct mapping map = {item, 2};
  config.map = map;
  direct_restart();
  receive(wire_message(bytes, "/ali3/energy/total", ""));
  assert_int_equal(next_answer(), 0); /* there is no frame yet */
  osc_out_frame(out, frame_of(8, STATE_RUNNING, 0), NOW);

  static const struct {
    const char *address, *types;
    double first;
  } cases[] = {{"/ali3/energy/total", "f", 8 + CHANNELS / 8.0},
               {"/ali3/loop/x", "f", 8 + (CHANNELS + 2) / 8.0},
               {"/ali3/input/push", "ffffff", 8},
               {"/ali3/input/push/torque", "fff", 8 + 3 / 8.0},
               {"/ali3/in/turn/value", "f", 8 + 12 / 8.0},
               {"/rig/e", "f", (8 + CHANNELS / 8.0 - 1) / 2},
               {"/rig/in", "f", (8 + 3 / 8.0) / 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    receive(wire_message(bytes, cases[i].address, ""));
    const uint8_t *args = wire_find(answer, next_answer(), cases[i].address, cases[i].types);
    assert_non_null(args);
    assert_true(wire_get_f(args) == cases[i].first);
  }
  receive(wire_message(bytes, "/ali3/energy/total", "f", 1.0)); /* no input: nobody can set it */
  assert_counted(osc_type_errors, 1);
  receive(wire_message(bytes, "/ali3/energy", ""));
  assert_counted(osc_unknown, 1);
  assert_false(snapshot_take(&port.inputs));
}

/* Messages that the client gets of a frame: the number for each address. */
struct tally {
  int packets, headers, energy, joint, loop, push, status, parts;
  unsigned seen; /* parts that were seen, as bits */
};

static struct tally tally_of(uint64_t cycle)
{
  struct tally t = {0};
  osc_out_frame(out, frame_of(cycle, STATE_RUNNING, 0), NOW);
  for (size_t n; (n = next_answer()) > 0; t.packets++) {
    const uint8_t *header = wire_find(answer, n, "/ali3/hdr", "ifiiii");
    t.headers += header != NULL;
    if (header) {
      t.seen |= 1U << wire_get_u32(header + 16);
      t.parts = (int)wire_get_u32(header + 20);
    }
    t.energy += wire_find(answer, n, "/ali3/energy/total", "f") != NULL;
    t.joint += wire_find(answer, n, "/ali3/joint/J/force", "f") != NULL;
    t.loop += wire_find(answer, n, "/ali3/loop/x", "f") != NULL;
    t.push += wire_find(answer, n, "/ali3/input/push/force", "fff") != NULL;
    t.status += wire_find(answer, n, "/ali3/status", "sifffiiii") != NULL;
  }
  return t;
}

TEST(several_streams_are_parts_of_one_frame)
{
  tally_of(1);
  static const char *const streams[] = {"all", "body", "energy", "joint", "input", "energy", "status"};
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
    assert_int_equal(subscribe(streams[i], 0, 1, 0), RESULT_OK);
  assert_counted(osc_clients, 1);
  struct tally t = tally_of(2);
  assert_int_equal(t.headers, 4); /* body, energy, joint, input: one each */
  assert_true(t.energy == 1 && t.joint == 1 && t.push == 1 && t.loop == 0 && t.status == 0);
  assert_int_equal(t.parts, 4);
  assert_int_equal(t.seen, 0xf);

  assert_int_equal(subscribe("joint", 0, 5, 0), RESULT_OK); /* now with a larger divisor than the others */
  t = tally_of(3);
  assert_true(t.joint == 1 && t.parts == 4); /* the first one after a change */
  t = tally_of(4);
  assert_true(t.joint == 0 && t.energy == 1 && t.parts == 3);
  assert_int_equal(subscribe("joint", 0, 5, 0), RESULT_OK); /* renewed: no message */
  t = tally_of(4);
  assert_int_equal(t.joint, 0);
  t = tally_of(5);
  assert_int_equal(t.joint, 1);

  receive(wire_message(bytes, "/ali3/unsub", "s", "all"));
  assert_non_null(wire_find(answer, next_answer(), "/ali3/unsub/ack", "si"));
  t = tally_of(6);
  assert_true(t.packets == 2 && t.energy == 1 && t.push == 1);
  assert_counted(osc_clients, 1);
}

TEST(a_fixed_target_that_subscribes_gets_nothing_twice)
{
  struct osc_target target = {
      .host = "127.0.0.1", .port = inet_address_port(&sender), .divisor = 1, .stream = STREAM_ENERGY};
  config.target = &target;
  config.targets = 1;
  direct_restart();
  assert_int_equal(subscribe("energy", 0, 1, 0), RESULT_OK);
  assert_counted(osc_clients, 1);
  assert_int_equal(subscribe("joint", 0, 1, 0), RESULT_OK);
  const struct tally t = tally_of(1);
  assert_true(t.energy == 1 && t.joint == 1);
}

TEST(it_does_not_send_to_itself)
{
  struct inet_address at = {.length = sizeof at.name};
  assert_int_equal(getsockname(server, &at.name.any, &at.length), 0);
  const int own = inet_address_port(&at);
  assert_int_equal(subscribe("input", own, 1, 0), RESULT_NOT_AUTHORISED);
  assert_counted(osc_clients, 0);

  osc_out_frame(out, frame_of(1, STATE_RUNNING, 0), now_ns);
  receive_from(wire_message(bytes, "/ali3/input/push/force", ""), &at); /* forged */
  assert_int_equal(next_answer_at(server), 0);

  struct osc_target target = {.host = "127.0.0.1", .port = own, .divisor = 1, .stream = STREAM_INPUT};
  const struct osc_config with_target = {
      .bind = "127.0.0.1", .prefix = "/ali3", .period = 0.01, .target = &target, .targets = 1};
  char error[200] = "", expected[200];
  struct osc_space *space = osc_space_new(&with_target, &signals, error, sizeof error);
  assert_non_null(space);
  assert_null(osc_out_new(&with_target, space, &signals, &counters, server, error, sizeof error));
  snprintf(expected, sizeof expected, "cannot send OSC to 127.0.0.1 port %d: ali3d itself listens there",
           own);
  assert_string_equal(error, expected);
  osc_space_free(space);
}

TEST(a_listener_on_all_interfaces_knows_its_addresses)
{
  struct inet_address at, to;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  assert_int_equal(inet_address_parse("0.0.0.0", 0, &at), 0);
  assert_int_equal(bind(fd, &at.name.any, at.length), 0);
  assert_true(inet_address_of(fd, &at));
  assert_int_equal(inet_address_parse("127.0.0.2", inet_address_port(&at), &to), 0);
  assert_true(inet_address_reaches(&to, &at));
  assert_int_equal(inet_address_parse("192.0.2.77", inet_address_port(&at), &to),
                   0); /* another machine's address */
  assert_false(inet_address_reaches(&to, &at));
  assert_int_equal(inet_address_parse("127.0.0.2", inet_address_port(&at) ^ 1, &to), 0);
  assert_false(inet_address_reaches(&to, &at));
  assert_int_equal(inet_address_parse("::1", inet_address_port(&at), &to), 0);
  assert_false(inet_address_reaches(&to, &at));
  close(fd);
}

TEST(a_heartbeat_renews_the_leases_of_the_sender)
{
  struct inet_address other;
  const int another = open_socket(&other);
  assert_int_equal(subscribe("energy", inet_address_port(&other), 1, 0), RESULT_OK); /* for another port */
  for (int i = 0; i < 3; i++) {
    now_ns += 9 * NS_PER_S;
    receive(wire_message(bytes, "/ali3/heartbeat", "i", i));
    osc_out_expire(out, now_ns);
    assert_counted(osc_clients, 1);
  }
  now_ns += 9 * NS_PER_S;
  receive(wire_message(bytes, "/ali3/heartbeat", "i", 2)); /* the count is unchanged */
  assert_counted(osc_repeated, 1);
  receive_from(wire_message(bytes, "/ali3/heartbeat", "i", 5), &other); /* this sender has no subscription */
  now_ns += 2 * NS_PER_S;
  osc_out_expire(out, now_ns);
  assert_counted(osc_clients, 0);
  assert_int_equal(next_answer(), 0);
  close(another);
}

/* In a bundle the last request counts, and gets one answer. */
TEST(questions_of_a_datagram_have_one_answer)
{
  size_t size = wire_bundle(bytes);
  for (int i = 0; i < 40; i++)
    for (int what = 0; what < 3; what++) {
      size_t length;
      if (what == 0)
        length = wire_message(bytes + size + 4, "/ali3/ping", "ih", i, (int64_t)i);
      else if (what == 1)
        length = wire_message(bytes + size + 4, "/ali3/sync", "i", i);
      else
        length = wire_message(bytes + size + 4, "/ali3/status", "");
      size += wire_u32(bytes + size, (uint32_t)length) + length;
    }
  receive(size);
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/synced", "i");
  assert_true(args && wire_get_u32(args) == 39);
  args = wire_find(answer, next_answer(), "/ali3/pong", "ihhh");
  assert_true(args && wire_get_u32(args) == 39);
  assert_non_null(wire_find(answer, next_answer(), "/ali3/status", "sifffiiii"));
  assert_int_equal(next_answer(), 0);
  assert_counted(osc_received, 120);
}

TEST(answers_of_a_turn_are_limited)
{
  enum { TOO_MANY = 2 * OSC_ANSWERS_READERS };
  osc_out_turn(out);
  for (int i = 0; i < TOO_MANY; i++)
    osc_in_packet(in, bytes, wire_message(bytes, "/ali3/ping", "ih", i, (int64_t)i), &sender, NOW);
  int answers = 0;
  while (next_answer() > 0) answers++;
  assert_int_equal(answers, OSC_ANSWERS_HOST);
  assert_counted(osc_withheld, TOO_MANY - OSC_ANSWERS_HOST);
  osc_out_turn(out);
  osc_in_packet(in, bytes, wire_message(bytes, "/ali3/ping", "ih", 1, INT64_C(1)), &sender, NOW);
  assert_true(next_answer() > 0);
}

TEST(ages_that_are_too_long_to_tell_stay_long)
{
  static const struct {
    uint32_t age_ms;
    int32_t shown;
  } cases[] = {{5, 5},
               {INT32_MAX, INT32_MAX},
               {UINT32_C(1) << 31, INT32_MAX},
               {UINT32_MAX - 1, INT32_MAX},
               {UINT32_MAX, -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct frame *f = frame_of(i + 1, STATE_RUNNING, 0);
    f->input_age_ms = cases[i].age_ms;
    osc_out_frame(out, f, NOW);
    receive(wire_message(bytes, "/ali3/status", ""));
    const uint8_t *args = wire_find(answer, next_answer(), "/ali3/status", "sifffiiii");
    assert_non_null(args);
    assert_int_equal((int32_t)wire_get_u32(args + 8 + 4 + 3 * 4 + 4), cases[i].shown);
  }
}

TEST(a_fault_is_sent_when_it_changes)
{
  input[1].policy = INPUT_SAFE; /* two inputs are stale; this one stops the motion */
  assert_int_equal(subscribe("status", 0, 1, 0), RESULT_OK);
  static const struct {
    uint32_t fault, stale;
    int channel;
    const char *text; /* NULL: no message */
  } cases[] = {{0, 0, -1, NULL},
               {FAULT_ESTOP, 0, -1, "e-stop requested"},
               {FAULT_ESTOP, 0, -1, NULL},
               {FAULT_STALE, 3, 6, "an input has not come for too long"},
               {0, 0, -1, "none"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct frame *f = frame_of(i + 1, cases[i].fault ? STATE_SAFE : STATE_STOPPED, cases[i].fault);
    f->stale_mask = cases[i].stale;
    osc_out_frame(out, f, NOW);
    const uint8_t *args = NULL;
    for (size_t n; !args && (n = next_answer()) > 0;) args = wire_find(answer, n, "/ali3/fault", "iis");
    assert_int_equal(args != NULL, cases[i].text != NULL);
    if (!args) continue;
    assert_int_equal(wire_get_u32(args), cases[i].fault);
    assert_int_equal((int32_t)wire_get_u32(args + 4), cases[i].channel);
    assert_string_equal((const char *)args + 8, cases[i].text);
    while (next_answer() > 0) continue;
  }
  input[1].policy = INPUT_HOLD;
}

/* Endless questions, like those of an attacker who wants the answers to flood somebody else. */
TEST(answers_are_limited_without_a_subscription)
{
  osc_out_frame(out, frame_of(8, STATE_RUNNING, 0), NOW);
  enum { QUESTIONS = 10000 };
  size_t sent = 0, received = 0, answers = 0;
  for (int i = 0; i < QUESTIONS; i++) {
    const size_t n = wire_message(bytes, "/ali3/input/push", "");
    receive(n);
    sent += n;
    const size_t got = next_answer();
    received += got;
    answers += got > 0;
  }
  assert_true(answers > 100);
  assert_true(received <= 2 * sent + 16384);
  assert_int_equal(counter_get(&counters.osc_withheld), QUESTIONS - answers);
  assert_true(answers < QUESTIONS);

  receive(wire_message(bytes, "/ali3/ping", "ih", 1,
                       INT64_C(1))); /* the answer is at most twice as long as the request */
  assert_non_null(wire_find(answer, next_answer(), "/ali3/pong", "ihhh"));
  now_ns += NS_PER_S;
  receive(wire_message(bytes, "/ali3/input/push", ""));
  assert_true(next_answer() > 0);

  assert_int_equal(subscribe("status", 0, 1, 0), RESULT_OK);
  for (int i = 0; i < QUESTIONS; i++) {
    receive(wire_message(bytes, "/ali3/input/push", ""));
    assert_true(next_answer() > 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      DIRECT_TEST(values_are_asked_for_at_their_address),
      DIRECT_TEST(several_streams_are_parts_of_one_frame),
      DIRECT_TEST(a_fixed_target_that_subscribes_gets_nothing_twice),
      DIRECT_TEST(it_does_not_send_to_itself),
      DIRECT_TEST(a_listener_on_all_interfaces_knows_its_addresses),
      DIRECT_TEST(a_heartbeat_renews_the_leases_of_the_sender),
      DIRECT_TEST(questions_of_a_datagram_have_one_answer),
      DIRECT_TEST(answers_of_a_turn_are_limited),
      DIRECT_TEST(ages_that_are_too_long_to_tell_stay_long),
      DIRECT_TEST(a_fault_is_sent_when_it_changes),
      DIRECT_TEST(answers_are_limited_without_a_subscription),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
