/* SPDX-License-Identifier: MIT
 * Steps with a request number: each is made once, however often the network brings it. */
#include "osc/in_parts.h"
#include "osc/osc_direct.h"

#include <unistd.h>

static size_t step_message(int cycles, int request)
{
  return wire_message(bytes, "/ali3/step", "ii", cycles, request);
}

/* One input and one step, in a bundle. */
static size_t step_bundle(double turn, int request)
{
  size_t n = wire_bundle(bytes), size = wire_message(bytes + n + 4, "/ali3/input/turn/value", "f", turn);
  n += wire_u32(bytes + n, (uint32_t)size) + size;
  size = wire_message(bytes + n + 4, "/ali3/step", "ii", 1, request);
  return n + wire_u32(bytes + n, (uint32_t)size) + size;
}

/* The loop takes the next command, a step, and answers it with this cycle. */
static void loop_steps(int request, uint32_t result, uint64_t cycle)
{
  struct command c = {0};
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_STEP);
  assert_int_equal(c.id, request);
  const struct answer a = {.code = c.code, .id = c.id, .client = c.client, .result = result, .cycle = cycle};
  assert_true(ring_push(&port.answers, &a));
  osc_in_answers(in, 1);
}

static void assert_nothing_waits(void)
{
  struct command c;
  assert_false(ring_pop(&port.commands, &c));
  assert_int_equal(next_answer(), 0);
}

TEST(a_repeated_step_gets_its_answer_again_and_is_not_made)
{
  receive(step_message(5, 1));
  receive(step_message(5, 1)); /* it is under way */
  loop_steps(1, RESULT_OK, 77);
  assert_stepped(1, 77, 0);
  assert_nothing_waits();
  struct stray s;
  for (int i = 0; i < 4; i++) {
    receive(step_message(5, 1));
    assert_stepped(1, 77, 0);
    assert_nothing_waits();
    assert_int_equal(ring_pop(&port.strays, &s), i == 2); /* the log names a sender that repeats one number */
  }
  receive(step_message(5, 2));
  loop_steps(2, RESULT_WRONG_STATE, 0);
  assert_acknowledged("step", 2, RESULT_WRONG_STATE);
  receive(step_message(5, 2));
  assert_acknowledged("step", 2, RESULT_WRONG_STATE);
  assert_nothing_waits();
  assert_counted(osc_repeated, 6);
}

TEST(inputs_beside_a_repeated_step_do_not_act)
{
  receive(step_bundle(1.0, 1));
  assert_true(taken()[12].value == 1.0);
  loop_steps(1, RESULT_OK, 1);
  assert_stepped(1, 1, 0);
  receive(step_bundle(2.0, 2));
  assert_true(taken()[12].value == 2.0);
  receive(step_bundle(1.0, 1)); /* late */
  receive(step_bundle(2.5, 2)); /* repeated, with another value */
  assert_false(snapshot_take(&port.inputs));
  loop_steps(2, RESULT_OK, 2);
  assert_acknowledged("step", 1, RESULT_BAD_ARGUMENT);
  assert_stepped(2, 2, 0);
  assert_nothing_waits();
}

/* A step is made with all inputs of its datagram, or the result is 2. */
TEST(a_step_beside_a_refused_input_is_refused)
{
  struct inet_address other;
  const int another = open_socket(&other);
  receive_from(step_bundle(1.0, 1), &other);
  loop_steps(1, RESULT_OK, 1);
  receive(step_bundle(2.0, 1));
  assert_acknowledged("input", 0, RESULT_NOT_AUTHORISED);
  assert_acknowledged("step", 1, RESULT_NOT_AUTHORISED);
  receive(step_bundle(2.0, 1)); /* within a second: the step tells it, though the input does not */
  assert_acknowledged("step", 1, RESULT_NOT_AUTHORISED);
  assert_nothing_waits();
  receive(step_message(1, 2)); /* sets no input */
  loop_steps(2, RESULT_OK, 2);
  assert_stepped(2, 2, 0);
  close(another);
}

/* A Modbus client takes the input in the cycle of the step, which this thread learns from the frame. */
TEST(a_step_that_loses_an_input_is_not_good)
{
  static struct input_owner owner[3] = {
      {.source = OWNER_NONE}, {.source = OWNER_NONE}, {.source = SOURCE_MODBUS}};
  receive(step_bundle(1.0, 1));
  struct frame *f = frame_of(1, STATE_RUNNING, 0);
  f->inputs = 3;
  f->owner = owner;
  osc_out_frame(out, f, now_ns);
  loop_steps(1, RESULT_OK, 1);
  for (int i = 0; i < 2; i++) {
    assert_acknowledged("step", 1, RESULT_NOT_AUTHORISED);
    assert_nothing_waits();
    receive(step_bundle(1.0, 1)); /* a repeat tells it again */
  }
  assert_acknowledged("step", 1, RESULT_NOT_AUTHORISED);
  now_ns++;
  receive(step_message(1, 2)); /* sets no input */
  loop_steps(2, RESULT_OK, 2);
  assert_stepped(2, 2, 0);
}

TEST(a_stop_beside_a_repeated_step_acts)
{
  receive(step_message(1, 1));
  loop_steps(1, RESULT_OK, 1);
  assert_stepped(1, 1, 0);
  size_t n = wire_bundle(bytes), size = wire_message(bytes + n + 4, "/ali3/step", "ii", 1, 1);
  n += wire_u32(bytes + n, (uint32_t)size) + size;
  size = wire_message(bytes + n + 4, "/ali3/cmd/pause", "i", 9);
  n += wire_u32(bytes + n, (uint32_t)size) + size;
  size = wire_message(bytes + n + 4, "/ali3/cmd/estop", "i", 10);
  n += wire_u32(bytes + n, (uint32_t)size) + size;
  receive(n);
  struct command c = {0};
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_ESTOP);
  assert_true(ring_pop(&port.commands, &c));
  assert_int_equal(c.code, COMMAND_PAUSE);
  assert_true(atomic_load(&port.estop) & PORT_ESTOP);
}

TEST(numbers_rise_until_a_reset_or_a_restart)
{
  struct command c = {0};
  receive(step_message(1, 1000));
  loop_steps(1000, RESULT_OK, 1);
  assert_stepped(1000, 1, 0);
  receive(step_message(1, 1000 - OSC_LATE_MAX));
  assert_acknowledged("step", 1000 - OSC_LATE_MAX, RESULT_BAD_ARGUMENT);
  struct stray s;
  assert_true(ring_pop(&port.strays, &s)); /* for the log */
  assert_string_equal(s.expected, "a request number above 1000 for a new step, until a reset");
  assert_nothing_waits();
  receive(step_message(1, 1)); /* far behind: the client was started again */
  loop_steps(1, RESULT_OK, 2);
  assert_stepped(1, 2, 0);
  receive(wire_message(bytes, "/ali3/cmd/reset", "i", 5));
  assert_true(ring_pop(&port.commands, &c));
  receive(step_message(1, 1));
  loop_steps(1, RESULT_OK, 3);
  assert_stepped(1, 3, 0);
}

TEST(steps_without_a_number_are_always_made)
{
  for (int i = 0; i < 3; i++) {
    receive(wire_message(bytes, "/ali3/step", "i", 1));
    loop_steps(0, RESULT_OK, (uint64_t)i);
    assert_stepped(0, (uint64_t)i, 0);
    receive(step_message(1, 0));
    loop_steps(0, RESULT_OK, (uint64_t)i);
    assert_stepped(0, (uint64_t)i, 0);
  }
}

TEST(each_sender_has_its_own_numbers)
{
  struct inet_address other;
  const int another = open_socket(&other);
  receive(step_message(1, 7));
  loop_steps(7, RESULT_OK, 1);
  assert_stepped(7, 1, 0);
  receive_from(step_message(1, 7), &other);
  loop_steps(7, RESULT_OK, 2);
  assert_true(next_answer_at(another) > 0);
  receive(step_message(1, 7));
  assert_stepped(7, 1, 0);
  close(another);
}

/* More senders than are remembered: the one that is silent longest is forgotten, and none whose step is under way. */
TEST(the_silent_sender_is_forgotten)
{
  struct inet_address other;
  struct command c = {0};
  const int another = open_socket(&other);
  receive(step_message(1, 1)); /* under way for the complete test */
  for (int i = 0; i < 2 * OSC_STEPPERS; i++) {
    now_ns++;
    inet_address_set_port(&other, 2000 + i);
    receive_from(step_message(1, 3), &other);
    assert_true(ring_pop(&port.commands, &c));
    if (i == 0) assert_true(ring_pop(&port.commands, &c));
    assert_true(ring_push(&port.answers, &(struct answer){.code = c.code, .id = c.id, .client = c.client}));
    osc_in_answers(in, 1);
  }
  receive(step_message(1, 1));
  assert_false(ring_pop(&port.commands, &c));
  receive_from(step_message(1, 3), &other); /* the last one is remembered */
  assert_false(ring_pop(&port.commands, &c));
  close(another);
}

TEST(a_repeated_step_brings_its_frame_again)
{
  struct frame *f = frame_of(40, STATE_RUNNING, 0);
  assert_int_equal(subscribe("input", 0, 1, 1), RESULT_OK);
  assert_int_equal(subscribe("energy", 0, 4, 1), RESULT_OK);
  receive(step_message(1, 1));
  osc_out_frame(out, f, now_ns);
  while (next_answer() > 0) continue;
  loop_steps(1, RESULT_OK, 40);
  assert_stepped(1, 40, 2);
  /* The same packets again, and nothing from streams whose divisor skips the cycle. */
  receive(step_message(1, 1));
  const uint8_t *args = wire_find(answer, next_answer(), "/ali3/hdr", "hdiiii");
  assert_non_null(args);
  assert_int_equal(wire_get_u64(args), 40);
  assert_non_null(wire_find(answer, next_answer(), "/ali3/hdr", "hdiiii"));
  assert_stepped(1, 40, 2);
  assert_int_equal(subscribe("energy", 0, 7, 1), RESULT_OK);
  receive(step_message(1, 1));
  assert_non_null(wire_find(answer, next_answer(), "/ali3/hdr", "hdiiii"));
  assert_stepped(1, 40, 1);
}

TEST(a_step_renews_the_subscriptions_of_its_sender)
{
  assert_int_equal(subscribe("energy", 0, 1, 1), RESULT_OK);
  now_ns += 9 * NS_PER_S;
  receive(step_message(1, 1));
  osc_out_expire(out, now_ns + 9 * NS_PER_S);
  assert_counted(osc_clients, 1);
  osc_out_expire(out, now_ns + 11 * NS_PER_S);
  assert_counted(osc_clients, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      DIRECT_TEST(a_repeated_step_gets_its_answer_again_and_is_not_made),
      DIRECT_TEST(inputs_beside_a_repeated_step_do_not_act),
      DIRECT_TEST(a_step_beside_a_refused_input_is_refused),
      DIRECT_TEST(a_step_that_loses_an_input_is_not_good),
      DIRECT_TEST(a_stop_beside_a_repeated_step_acts),
      DIRECT_TEST(numbers_rise_until_a_reset_or_a_restart),
      DIRECT_TEST(steps_without_a_number_are_always_made),
      DIRECT_TEST(each_sender_has_its_own_numbers),
      DIRECT_TEST(the_silent_sender_is_forgotten),
      DIRECT_TEST(a_repeated_step_brings_its_frame_again),
      DIRECT_TEST(a_step_renews_the_subscriptions_of_its_sender),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
