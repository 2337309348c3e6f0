/* SPDX-License-Identifier: MIT
 * Who may get a lease, and who may end it. 127.0.0.1 may write, other addresses of 127.0.0.0/8 may read. */
#include "osc/osc_direct.h"

#include <stdio.h>
#include <unistd.h>

static struct peer_rule rule[2];
static struct peers peers = {rule, 2};

static int setup(void **state)
{
  const int failed = direct_setup(state);
  if (failed) return failed;
  assert_true(peer_rule_parse("127.0.0.1", &rule[0]) && peer_rule_parse("127.0.0.0/8", &rule[1]));
  rule[0].access = ACCESS_WRITE;
  rule[1].access = ACCESS_READ;
  config.peers = peers;
  direct_restart();
  return 0;
}

/* Port `number` of other_ports() at 127.0.0.HOST: nobody listens there. */
static struct inet_address at(int host, int number)
{
  char text[32];
  struct inet_address a;
  snprintf(text, sizeof text, "127.0.%d.%d", host / 256, host % 256);
  assert_int_equal(inet_address_parse(text, other_ports() + number, &a), 0);
  return a;
}

static struct osc_sender asker(int host, int port_number)
{
  const struct inet_address a = at(host, port_number);
  return (struct osc_sender){.at = a, .bytes = 40, .now_ns = now_ns, .writes = host == 1};
}

/* Subscribes a port of the asker's host to the body stream. */
static bool take_for(int host, int port_number, int to_port, uint32_t divisor)
{
  const struct osc_sender by = asker(host, port_number);
  const struct inet_address to = at(host, to_port);
  return osc_out_subscribe(out, &by, &to, STREAM_BODY, divisor, false);
}

static bool take(int host, int port_number)
{
  return take_for(host, port_number, port_number, 1);
}

static bool end(int host, int port_number, int to_port)
{
  const struct osc_sender by = asker(host, port_number);
  const struct inet_address to = at(host, to_port);
  return osc_out_unsubscribe(out, &by, &to, STREAM_BODY);
}

TEST(no_host_has_more_than_half)
{
  int readers = 0, writers = 0;
  for (int i = 0; i < OSC_SUBSCRIBERS; i++) readers += take(2, i);
  assert_int_equal(readers, OSC_SUBSCRIBERS / 2);
  for (int i = 0; i < OSC_SUBSCRIBERS; i++) writers += take(1, i);
  assert_int_equal(writers, OSC_SUBSCRIBERS / 2);
  assert_counted(osc_clients, OSC_SUBSCRIBERS);
  assert_true(take(2, 0)); /* existing leases can be renewed */
}

TEST(a_place_is_kept_for_a_writer)
{
  int readers = 0;
  for (int i = 0; i < 2 * OSC_SUBSCRIBERS; i++) readers += take(2 + i, 0);
  assert_int_equal(readers, OSC_SUBSCRIBERS - 1);
  assert_true(take(1, 0));
  assert_counted(osc_clients, OSC_SUBSCRIBERS);
}

TEST(the_reader_who_is_idle_longest_gives_way)
{
  struct inet_address idle;
  const int idle_fd = open_socket(&idle); /* 127.0.0.1 has read access in this test */
  rule[0].access = ACCESS_READ;
  receive_from(wire_message(bytes, "/ali3/sub", "siii", "body", 0, 1, 0), &idle);
  assert_true(next_answer_at(idle_fd) > 0);
  rule[0].access = ACCESS_WRITE;
  for (int i = 1; i < OSC_SUBSCRIBERS - 1; i++) {
    now_ns += NS_PER_S / 10;
    assert_true(take(2 + i, 0));
  }
  assert_true(take(1, 0));
  assert_int_equal(next_answer_at(idle_fd), 0);
  assert_true(take(1, 1)); /* the only place left is a reader's */
  const uint8_t *args = wire_find(answer, next_answer_at(idle_fd), "/ali3/sub/ack", "si");
  assert_non_null(args);
  assert_string_equal((const char *)args, "body");
  assert_int_equal(wire_get_u32(args + 8), RESULT_NOT_AUTHORISED);
  assert_counted(osc_clients, OSC_SUBSCRIBERS);
  assert_false(take(100, 0)); /* a reader does not get another reader's place */
  close(idle_fd);
}

TEST(a_lease_belongs_to_who_asked_for_it)
{
  assert_true(take_for(1, 0, 1, 1)); /* for another port of its own */
  assert_false(take_for(1, 2, 1, 1000));
  assert_false(end(1, 2, 1));
  assert_true(take_for(1, 0, 1, 2));
  assert_true(end(1, 0, 1));
  assert_true(take_for(1, 2, 1, 1)); /* now it is free */
}

/* Another sender took it first, to thin it out. */
TEST(the_receiver_itself_takes_its_lease_back)
{
  assert_true(take_for(1, 2, 1, 1000));
  assert_true(take(1, 1));
  assert_false(take_for(1, 2, 1, 1000));
  assert_false(end(1, 2, 1));
  const struct osc_sender thief = asker(1, 2);
  now_ns += 9 * NS_PER_S;
  assert_true(osc_out_heartbeat(out, &thief, 1)); /* renews nothing */
  osc_out_expire(out, now_ns + 2 * NS_PER_S);
  assert_counted(osc_clients, 0);
}

/* Over a datagram: the answer tells it. */
TEST(a_foreign_lease_is_answered_by_two)
{
  struct inet_address victim;
  const int fd = open_socket(&victim);
  receive_from(wire_message(bytes, "/ali3/sub", "siii", "body", 0, 1, 0), &victim);
  assert_int_equal(subscribe("body", inet_address_port(&victim), 1000, 0), RESULT_NOT_AUTHORISED);
  receive(wire_message(bytes, "/ali3/unsub", "si", "body", inet_address_port(&victim)));
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/unsub/ack", "si");
  assert_true(args && wire_get_u32(args + 8) == RESULT_BAD_ARGUMENT);
  assert_counted(osc_clients, 1);
  close(fd);
}

int main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, direct_teardown)
  const struct CMUnitTest tests[] = {
      ROW(no_host_has_more_than_half),
      ROW(a_place_is_kept_for_a_writer),
      ROW(the_reader_who_is_idle_longest_gives_way),
      ROW(a_lease_belongs_to_who_asked_for_it),
      ROW(the_receiver_itself_takes_its_lease_back),
      ROW(a_foreign_lease_is_answered_by_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
