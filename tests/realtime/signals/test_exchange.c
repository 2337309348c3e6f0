/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "signals/counters.h"
#include "signals/exchange.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

TEST(states_and_commands_have_names)
{
  assert_string_equal(run_state_name(STATE_INIT), "INIT");
  assert_string_equal(run_state_name(STATE_RUNNING), "RUNNING");
  assert_string_equal(run_state_name(STATE_EXIT), "EXIT");
  assert_string_equal(run_state_name(99), "?");
  assert_string_equal(command_name(COMMAND_ESTOP), "estop");
  assert_string_equal(command_name(0), "?");
  for (unsigned code = COMMAND_INIT; code <= COMMAND_STEP; code++)
    assert_int_equal(command_from_name(command_name(code)), code);
  assert_int_equal(command_from_name("RUN"), 0);
  assert_int_equal(command_from_name(""), 0);
}

TEST(values_cross_a_port_both_ways)
{
  enum { VALUES = 5, CHANNELS = 2 };
  struct port p;
  assert_true(port_init(&p, "test", VALUES, CHANNELS, false));
  assert_string_equal(p.name, "test");
  assert_int_equal(p.event, -1);
  assert_false(snapshot_take(&p.frames));

  static const double values[VALUES] = {0.5, 1.5, 2.5, 3.5, 4.5};
  const struct frame *got;
  assert_false(port_take_frame(&p, &got));
  assert_true(got->values[VALUES - 1] == 0.0); /* before the first frame */
  port_publish(&p, &(struct frame){.cycle = 7, .count = VALUES, .values = values});
  assert_true(port_take_frame(&p, &got));
  assert_int_equal(got->cycle, 7);
  assert_ptr_not_equal(got->values, values);
  assert_memory_equal(got->values, values, sizeof values);

  struct input_sample *in = snapshot_begin(&p.inputs);
  assert_int_equal(in[1].t_ns, 0); /* never set */
  in[1] = (struct input_sample){.value = 3.0, .t_ns = 42};
  snapshot_publish(&p.inputs);
  assert_true(snapshot_take(&p.inputs));
  assert_true(((const struct input_sample *)snapshot_value(&p.inputs))[1].value == 3.0);
  port_free(&p);
}

TEST(a_frame_names_the_owners_of_the_inputs)
{
  enum { VALUES = 5, CHANNELS = 2 };
  struct port p;
  assert_true(port_init(&p, "test", VALUES, CHANNELS, false));
  static const double values[VALUES] = {0, 1, 2, 3, 4};
  static const struct input_owner owner[CHANNELS] = {{.source = OWNER_NONE},
                                                     {.source = SOURCE_MODBUS, .client = 7}};
  struct frame given = {.count = VALUES, .values = values};
  const struct frame *f;
  port_publish(&p, &given);
  assert_true(port_take_frame(&p, &f));
  assert_int_equal(frame_owner(f, 0).source, OWNER_NONE); /* a frame without owners */
  given.inputs = CHANNELS;
  given.owner = owner;
  port_publish(&p, &given);
  assert_true(port_take_frame(&p, &f));
  assert_true(f->values[VALUES - 1] == VALUES - 1); /* both have room */
  assert_int_equal(frame_owner(f, 0).source, OWNER_NONE);
  assert_int_equal(frame_owner(f, 1).source, SOURCE_MODBUS);
  assert_int_equal(frame_owner(f, 1).client, 7);
  assert_int_equal(frame_owner(f, 2).source, OWNER_NONE);
  assert_int_equal(frame_owner(f, -1).source, OWNER_NONE);
  assert_false(frame_owned_by_other(f, 0, SOURCE_OSC));
  assert_true(frame_owned_by_other(f, 1, SOURCE_OSC));
  assert_false(frame_owned_by_other(f, 1, SOURCE_MODBUS));
  port_free(&p);
}

TEST(frames_carry_the_values_that_are_selected)
{
  enum { VALUES = 5 };
  static const bool wanted[VALUES] = {true, false, false, true, true};
  static const double values[VALUES] = {1, 2, 3, 4, 5}, expected[VALUES] = {1, 0, 0, 4, 5};
  struct port p;
  const struct frame *f;
  assert_true(port_init(&p, "test", VALUES, 0, false));
  assert_true(port_select(&p, wanted, VALUES));
  assert_int_equal(p.runs, 2);
  for (int i = 0; i < 4; i++) port_publish(&p, &(struct frame){.count = VALUES, .values = values});
  assert_true(port_take_frame(&p, &f));
  assert_int_equal(f->count, VALUES);
  assert_memory_equal(f->values, expected, sizeof expected);
  port_free(&p);
}

TEST(refusals_wait_for_the_log)
{
  struct port p;
  assert_true(port_init(&p, "test", 1, 1, false));
  port_tell_refusal(&p, 3, (struct input_owner){.source = SOURCE_OSC, .client = 9}, "10.0.0.3:502");
  struct refusal r;
  assert_true(ring_pop(&p.refusals, &r));
  assert_int_equal(r.input, 3);
  assert_int_equal(r.owner.client, 9);
  assert_string_equal(r.client, "10.0.0.3:502");
  port_free(&p);
}

TEST(commands_keep_their_order_and_estop_needs_no_room)
{
  struct port p;
  struct command c;
  uint32_t sent = 0;
  assert_true(port_init(&p, "test", 1, 0, false));
  while (port_command(&p, &(struct command){COMMAND_RUN, 5, sent, 9, 0, 0, 0, 0, {0}})) sent++;
  assert_true(sent >= 16);
  assert_int_equal(ring_dropped(&p.commands), 1);
  assert_int_equal(atomic_load(&p.estop), 0);
  assert_true(port_command(
      &p, &(struct command){
              COMMAND_ESTOP, 0, 77, 9, 0, 0, 0, 0, {0}}));       /* the ring is full, which does not matter */
  assert_true(atomic_exchange(&p.estop, 0) == (PORT_ESTOP | 9)); /* and its sender */
  for (uint32_t i = 0; i < sent; i++) {
    assert_true(ring_pop(&p.commands, &c));
    assert_int_equal(c.code, COMMAND_RUN);
    assert_int_equal(c.argument, 5);
    assert_int_equal(c.id, i);
    assert_int_equal(c.client, 9);
  }
  assert_false(ring_pop(&p.commands, &c));
  assert_true(port_command(
      &p,
      &(struct command){
          COMMAND_ESTOP, 0, 78, 9, 0, 0, 0, 0, {0}})); /* with room it is also in the queue, to be answered */
  assert_true(ring_pop(&p.commands, &c));
  assert_int_equal(c.code, COMMAND_ESTOP);
  assert_int_equal(c.id, 78);
  assert_true(atomic_load(&p.estop) == (PORT_ESTOP | 9));
  port_free(&p);
}

TEST(an_event_can_be_waited_for)
{
  struct port p;
  uint64_t count = 3;
  assert_true(port_init(&p, "test", 1, 1, true));
  assert_true(p.event >= 0);
  assert_int_equal(read(p.event, &count, sizeof count), -1); /* does not block */
  assert_int_equal(errno, EAGAIN);
  assert_int_equal(write(p.event, &count, sizeof count), sizeof count);
  count = 0;
  assert_int_equal(read(p.event, &count, sizeof count), sizeof count);
  assert_int_equal(count, 3);
  port_free(&p);
  assert_int_equal(p.event, -1);
  port_free(&p); /* a second call does no harm */
}

static const struct frame *shown(struct port *p, bool expected)
{
  const struct frame *f;
  assert_int_equal(port_take_frame(p, &f), expected);
  return f;
}

static void publish_running(struct port *p, uint64_t cycle)
{
  port_publish(p, &(struct frame){.cycle = cycle,
                                  .state = STATE_RUNNING,
                                  .flags = FLAG_RUNNING | FLAG_LIMIT,
                                  .values = (const double[1]){0}});
}

TEST(a_stuck_loop_shows_safe)
{
  enum { FAULT = 7 };
  struct port p;
  uint64_t count;
  assert_true(port_init(&p, "test", 1, 1, true));
  publish_running(&p, 5);
  assert_int_equal(shown(&p, true)->state, STATE_RUNNING);
  shown(&p, false);

  port_show_stuck(&p, FAULT);
  assert_int_equal(read(p.event, &count, sizeof count), sizeof count); /* the thread is woken */
  for (int k = 0; k < 2; k++) { /* and has something to show while it lasts */
    const struct frame *f = shown(&p, true);
    assert_int_equal(f->cycle, 5);
    assert_int_equal(f->state, STATE_SAFE);
    assert_int_equal(f->flags, FLAG_SAFE | FLAG_LIMIT);
    assert_int_equal(f->fault, FAULT);
  }
  publish_running(&p, 6); /* the cycle in which it was stuck */
  assert_int_equal(shown(&p, true)->state, STATE_SAFE);

  port_show_stuck(&p, 0);
  shown(&p, false);
  publish_running(&p, 7);
  const struct frame *f = shown(&p, true);
  assert_int_equal(f->state, STATE_RUNNING);
  assert_int_equal(f->fault, 0);
  port_free(&p);
}

TEST(counters_count)
{
  struct counters c = {0};
  counter_add(&c.osc_received, 2);
  counter_add(&c.osc_received, 3);
  counter_set(&c.modbus_clients, 4);
  assert_int_equal(counter_get(&c.osc_received), 5);
  assert_int_equal(counter_get(&c.modbus_clients), 4);
  assert_int_equal(counter_get(&c.commands_dropped), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_and_commands_have_names),
      cmocka_unit_test(values_cross_a_port_both_ways),
      cmocka_unit_test(a_frame_names_the_owners_of_the_inputs),
      cmocka_unit_test(frames_carry_the_values_that_are_selected),
      cmocka_unit_test(refusals_wait_for_the_log),
      cmocka_unit_test(commands_keep_their_order_and_estop_needs_no_room),
      cmocka_unit_test(an_event_can_be_waited_for),
      cmocka_unit_test(a_stuck_loop_shows_safe),
      cmocka_unit_test(counters_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
