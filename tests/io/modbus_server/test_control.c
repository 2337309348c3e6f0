/* SPDX-License-Identifier: MIT
 * Commands, coils, owner timeout and rights. */
#include "modbus_server/modbus_map_rig.h"

#include <ali3/ali3.h>

enum { CHANNELS = 6 };
static const struct signals signals = {
    .count = 1 + CHANNELS, .channels = CHANNELS, .input_first = 1, .platform_first = -1};
static const struct modbus_config config = {.default_map = true};

static int setup(void **state)
{
  (void)state;
  return modbus_map_init(&map, &config, &signals) ? 0 : -1;
}
static int teardown(void **state)
{
  (void)state;
  modbus_map_free(&map);
  return 0;
}

static void assert_sent(int commands, int code)
{
  assert_int_equal(effect.commands, commands);
  if (commands) assert_int_equal(effect.command[commands - 1].code, code);
}

TEST(a_command_acts_when_its_sequence_changes)
{
  assert_int_equal(commands(COMMAND_RUN, 5, 7), 0);
  assert_int_equal(effect.commands, 1);
  assert_int_equal(effect.command[0].code, COMMAND_RUN);
  assert_int_equal(effect.command[0].argument, 5);
  assert_int_equal(effect.command[0].id, 7);
  assert_int_equal(commands(COMMAND_PAUSE, 5, 7), 0);
  assert_int_equal(effect.commands, 0);
  /* the sequence alone sends the command that was written before */
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 2, 8)), 0);
  assert_int_equal(effect.commands, 1);
  assert_int_equal(effect.command[0].code, COMMAND_PAUSE);
  assert_int_equal(commands(0, 0, 9), MBAP_ILLEGAL_VALUE);
  assert_int_equal(commands(COMMAND_PLATFORM, 0, 9),
                   MBAP_ILLEGAL_VALUE); /* this command has no value over Modbus */
  assert_int_equal(commands(COMMAND_STIMULUS + 1, 0, 9), MBAP_ILLEGAL_VALUE);
  assert_int_equal(commands(COMMAND_RECORD, RECORD_ORDERS, 9), MBAP_ILLEGAL_VALUE);
  assert_int_equal(effect.commands, 0);
}

/* Two clients that both count from 1; the one that pauses comes first. */
TEST(an_estop_acts_whatever_the_sequence_says)
{
  assert_int_equal(commands(COMMAND_PAUSE, 0, 1), 0);
  for (int again = 0; again < 3; again++) {
    assert_int_equal(commands(COMMAND_ESTOP, 0, 1), 0);
    assert_sent(1, COMMAND_ESTOP);
    assert_true(effect.estop);
    assert_int_equal(effect.command[0].id, 1);
  }
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 0, COMMAND_ESTOP)),
                   0); /* the command register alone */
  assert_sent(1, COMMAND_ESTOP);
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 2, 77)),
                   0); /* a sequence; the register still holds 8 */
  assert_sent(1, COMMAND_ESTOP);
  assert_int_equal(commands(COMMAND_RUN, 0, 77), 0); /* this no longer changes it */
  assert_sent(0, 0);
}

TEST(an_estop_acts_in_a_write_that_is_refused)
{
  const uint16_t bad_timeout[] = {COMMAND_ESTOP, 0, 1, 0, 1};
  assert_int_equal(writes(0, bad_timeout, 5), MBAP_ILLEGAL_VALUE);
  assert_sent(1, COMMAND_ESTOP);
  assert_true(effect.estop);
  uint16_t too_long[40] = {COMMAND_ESTOP};
  assert_int_equal(writes(0, too_long, 40), MBAP_ILLEGAL_ADDRESS);
  assert_true(effect.estop);
  too_long[0] = COMMAND_RESET;
  assert_int_equal(writes(0, too_long, 40), MBAP_ILLEGAL_ADDRESS);
  assert_sent(0, 0);
  assert_int_equal(writes(1, (uint16_t[]){COMMAND_ESTOP, 5}, 2),
                   MBAP_ILLEGAL_VALUE); /* an argument of 8 is no e-stop */
  assert_false(effect.estop);
}

TEST(only_a_reset_and_an_estop_pass_while_safe)
{
  static const uint32_t locked[] = {STATE_SAFE, STATE_FAULT};
  int sequence = 0;
  for (int i = 0; i < 2; i++) {
    show_state(locked[i], 0);
    for (int code = COMMAND_INIT; code <= COMMAND_INJECT; code++) {
      bool passes = code == COMMAND_RESET || code == COMMAND_ESTOP;
      assert_int_equal(commands(code, 0, ++sequence), passes ? 0 : MBAP_DEVICE_FAILURE);
      assert_int_equal(effect.commands, passes);
    }
    assert_int_equal(writes(100, (uint16_t[]){0, 0}, 2), MBAP_DEVICE_FAILURE);
    assert_false(effect.inputs);
    assert_int_equal(sets_coil(MAP_RUN, true), MBAP_DEVICE_FAILURE);
    assert_int_equal(sets_coil(MAP_ESTOP, true), 0);
    assert_int_equal(effect.commands, 1);
    assert_int_equal(sets_coil(MAP_RESET, true), 0);
    assert_int_equal(effect.commands, 1);
    assert_int_equal(sets_coil(MAP_RESET, false), 0);
    assert_int_equal(sets_coil(MAP_RECORD, i == 0), 0); /* moves nothing */
    assert_int_equal(reads(4, 0, 32), 0);
  }
}

TEST(a_coil_acts_on_its_rising_edge)
{
  assert_int_equal(sets_coil(MAP_RESET, true), 0);
  assert_int_equal(effect.commands, 1);
  assert_int_equal(effect.command[0].code, COMMAND_RESET);
  assert_int_equal(sets_coil(MAP_RESET, true),
                   0); /* a client that writes cyclically keeps the level: no second reset */
  assert_int_equal(effect.commands, 0);
  assert_int_equal(sets_coil(MAP_RESET, false), 0);
  assert_int_equal(effect.commands, 0);
  assert_int_equal(sets_coil(MAP_RESET, true), 0);
  assert_int_equal(effect.commands, 1);
}

static int sets_coil_at(uint64_t ms, int coil, bool on)
{
  return accept_from(BOB, ms * MS, frame_short(frame, 0, 5, coil, on ? 0xff00 : 0));
}

static void show_at(uint64_t ms, uint32_t run_state)
{
  modbus_map_show(&map, &(struct frame){.t_ns = ms * MS, .state = run_state, .input_age_ms = UINT32_MAX});
}

/* Most clients write 1 and never 0. */
TEST(a_coil_that_nobody_repeats_falls_back)
{
  static const struct {
    int coil;
    uint32_t state;
    int code;
  } pulses[] = {{MAP_RESET, STATE_SAFE, COMMAND_RESET},
                {MAP_RUN, STATE_READY, COMMAND_RUN},
                {MAP_PAUSE, STATE_RUNNING, COMMAND_PAUSE},
                {MAP_PARK, STATE_STOPPED, COMMAND_PARK},
                {MAP_ENABLE, STATE_STOPPED, COMMAND_ARM}};
  for (size_t i = 0; i < sizeof pulses / sizeof *pulses; i++)
    for (uint64_t press = 0; press < 2; press++) {
      const uint64_t ms = 10000 * (2 * i + press + 1);
      show_at(ms, pulses[i].state);
      assert_int_equal(sets_coil_at(ms, pulses[i].coil, true), 0);
      assert_sent(1, pulses[i].code);
      show_at(ms + 2000, pulses[i].state);
      assert_int_equal(map.mapping->tab_bits[pulses[i].coil], 1);
      show_at(ms + 2001, pulses[i].state);
      assert_int_equal(map.mapping->tab_bits[pulses[i].coil], 0);
    }
  /* Enable stays while something is enabled, and record, which ends a file. */
  assert_int_equal(sets_coil_at(300000, MAP_ENABLE, true), 0);
  assert_int_equal(sets_coil_at(300000, MAP_RECORD, true), 0);
  show_at(400000, STATE_RUNNING);
  assert_int_equal(map.mapping->tab_bits[MAP_ENABLE], 1);
  assert_int_equal(map.mapping->tab_bits[MAP_RECORD], 1);
}

/* A master that never takes its ones back starts nothing after a stop, whether its writes are refused or ignored. */
TEST(a_coil_that_is_repeated_is_held)
{
  static const int held[] = {MAP_RUN, MAP_RESET, MAP_ENABLE};
  for (int ignores = 0; ignores < 2; ignores++) {
    map.ignores = ignores;
    memset(map.mapping->tab_bits, 0, MAP_COILS);
    uint64_t ms = 100000;
    show_at(ms, STATE_STOPPED);
    for (int i = 0; i < 3; i++) assert_int_equal(sets_coil_at(ms, held[i], true), 0);
    for (int cycle = 0; cycle < 30; cycle++) {
      ms += 1000;
      show_at(ms, cycle < 20 ? STATE_SAFE : STATE_STOPPED);
      for (int i = 0; i < 3; i++) {
        (void)sets_coil_at(ms, held[i], true);
        assert_int_equal(effect.commands, 0);
      }
    }
  }
}

/* The coil begins and ends a recording, and also works while a stop is latched. */
TEST(the_coil_record_orders_the_recorder)
{
  assert_int_equal(sets_coil(MAP_RECORD, true), 0);
  assert_sent(1, COMMAND_RECORD);
  assert_int_equal(effect.command[0].argument, RECORD_START);
  assert_int_equal(sets_coil(MAP_RECORD, true), 0);
  assert_sent(0, 0);
  assert_int_equal(sets_coil(MAP_RECORD, false), 0);
  assert_sent(1, COMMAND_RECORD);
  assert_int_equal(effect.command[0].argument, RECORD_STOP);
  assert_int_equal(commands(COMMAND_RECORD, RECORD_MARK, 31), 0);
  assert_sent(1, COMMAND_RECORD);
}

TEST(the_estop_coil_can_only_be_set)
{
  for (int i = 0; i < 2; i++) {
    assert_int_equal(sets_coil(MAP_ESTOP, true), 0);
    assert_int_equal(effect.commands, 1);
    assert_int_equal(effect.command[0].code, COMMAND_ESTOP);
  }
  show_state(STATE_SAFE, FLAG_SAFE | FLAG_ESTOP);
  assert_int_equal(sets_coil(MAP_ESTOP, false), 0);
  assert_int_equal(effect.commands, 0);
  show_state(STATE_SAFE, FLAG_SAFE | FLAG_ESTOP);
  assert_int_equal(map.mapping->tab_bits[MAP_ESTOP], 1);
}

/* A write of 0 does not hide the latch, and frames of the cycles around the e-stop do not either. */
TEST(the_estop_coil_reads_its_latch_at_once)
{
  const uint64_t t = 1000 * MS;
  struct frame f = {.state = STATE_RUNNING, .t_ns = t, .period_us = 1000, .input_age_ms = UINT32_MAX};
  const uint8_t *coil = &map.mapping->tab_bits[MAP_ESTOP];
  assert_int_equal(sets_coil(MAP_ESTOP, false), 0);
  assert_int_equal(*coil, 0);
  for (int by_code = 0; by_code < 2; by_code++) {
    const uint16_t estop[] = {COMMAND_ESTOP, 0, (uint16_t)by_code};
    const size_t n =
        by_code ? frame_write(frame, 0, 0, estop, 3) : frame_short(frame, 0, 5, MAP_ESTOP, 0xff00);
    assert_int_equal(accept_from(ALICE, t, n), 0);
    assert_int_equal(*coil, 1);
    assert_int_equal(sets_coil(MAP_ESTOP, false), 0);
    assert_int_equal(*coil, 1);
    f.t_ns = t + 2 * MS;
    modbus_map_show(&map, &f); /* a frame that the loop began before */
    assert_int_equal(*coil, 1);
    f.flags = FLAG_ESTOP;
    modbus_map_show(&map, &f);
    assert_int_equal(sets_coil(MAP_ESTOP, false), 0);
    assert_int_equal(*coil, 1);
    f.flags = 0; /* after a reset */
    modbus_map_show(&map, &f);
    assert_int_equal(*coil, 0);
  }
  assert_int_equal(accept_from(ALICE, t, frame_short(frame, 0, 5, MAP_ESTOP, 0xff00)), 0);
  f.t_ns = t + 4 * MS;
  modbus_map_show(&map, &f); /* the loop did not latch it */
  assert_int_equal(*coil, 0);
}

TEST(writes_are_ignored_while_safe)
{
  struct modbus_config ignoring = config;
  ignoring.safe_writes = SAFE_WRITES_IGNORE;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &ignoring, &signals));
  show_state(STATE_FAULT, FLAG_FAULT);
  /* Inputs have no effect, and do not act later. */
  uint16_t block[66] = {0};
  block[64] = 1;
  assert_int_equal(writes(100, block, 66), 0);
  assert_true(effect.ignored);
  assert_false(effect.inputs);
  assert_int_equal(accept_from(BOB, MS, frame_write(frame, 0, 100, block, 66)), MBAP_BUSY);
  block[0] = 0x7fc0; /* NaN */
  assert_int_equal(writes(100, block, 66), MBAP_ILLEGAL_VALUE);
  /* A command goes to the loop, which refuses it; a coil does not. */
  assert_int_equal(commands(COMMAND_RUN, 0, 1), 0);
  assert_true(effect.ignored);
  assert_sent(1, COMMAND_RUN);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 0x13, 5)), 0);
  assert_true(effect.ignored);
  assert_sent(1, COMMAND_RESET);
  show_state(STATE_STOPPED, 0);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 0x03, 5)), 0); /* no edge */
  assert_false(effect.ignored);
  assert_sent(0, 0);
}

/* A reset needs the signs of the rig, which therefore act in every state. */
TEST(the_rig_reports_while_safe)
{
  static struct input_spec inputs[] = {{.name = "push", .kind = INPUT_VALUE, .first = 0, .count = 5},
                                       {.name = "chain", .kind = INPUT_RIG_NUMBER, .first = 5, .count = 1}};
  struct signals with_rig = signals;
  with_rig.inputs = 2;
  with_rig.input = inputs;
  for (int ignores = 0; ignores <= 1; ignores++) {
    struct modbus_config c = config;
    c.safe_writes = ignores ? SAFE_WRITES_IGNORE : SAFE_WRITES_REFUSE;
    modbus_map_free(&map);
    assert_true(modbus_map_init(&map, &c, &with_rig));
    show_state(STATE_SAFE, FLAG_SAFE);
    /* Its own registers alone act with the next sequence number. */
    const uint16_t number[] = {0x4040, 0}, other[] = {0x4000, 0}, both[] = {0x4000, 0, 0x4080, 0};
    assert_int_equal(writes(110, number, 2), 0);
    assert_false(effect.ignored);
    assert_int_equal(writes(164, (uint16_t[]){1}, 1), 0);
    assert_true(effect.inputs);
    assert_false(effect.ignored || effect.beat);
    assert_true(map.sample[5].value == 3.0 && map.sample[5].t_ns > 0);
    /* Other inputs do not act, neither alone nor beside it. */
    assert_int_equal(writes(100, other, 2), ignores ? 0 : MBAP_DEVICE_FAILURE);
    assert_int_equal(writes(108, both, 4), ignores ? 0 : MBAP_DEVICE_FAILURE);
    assert_true(effect.ignored == (ignores != 0));
    assert_int_equal(writes(164, (uint16_t[]){2}, 1), 0);
    assert_true(map.sample[5].value == (ignores ? 4.0 : 3.0));
    assert_true(map.sample[0].t_ns == 0 && map.sample[4].t_ns == 0);
  }
}

TEST(coils_written_together)
{
  /* run and pause contradict each other; beside an e-stop nothing else counts, in any state */
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 1, 0x3, 4)), MBAP_ILLEGAL_VALUE);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 0x21, 6)), MBAP_ILLEGAL_VALUE);
  show_state(STATE_SAFE, FLAG_SAFE);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 1, 0xf, 4)), 0);
  assert_int_equal(effect.commands, 1);
  assert_int_equal(effect.command[0].code, COMMAND_ESTOP);
}

static int identify(int code, int object, uint8_t *pdu)
{
  struct mbap_request r;
  const uint8_t request[4] = {43, 14, (uint8_t)code, (uint8_t)object};
  assert_int_equal(mbap_next(frame, frame_pdu(frame, 0, request, 4), &r), MBAP_FRAME);
  return modbus_map_identify(&r, pdu);
}

TEST(the_device_identifies_itself)
{
  uint8_t pdu[253];
  int n = identify(1, 0, pdu);
  static const uint8_t head[] = {43,  14,  1, 0x81, 0,   0,   3,   0,   4,   'a', 'l',
                                 'i', '3', 1, 5,    'a', 'l', 'i', '3', 'd', 2};
  assert_memory_equal(pdu, head, sizeof head);
  assert_int_equal(n, sizeof head + 1 + strlen(ALI3_VERSION));
  assert_int_equal(identify(1, 77, pdu), n); /* the stream starts again */
  assert_int_equal(identify(4, 2, pdu), 9 + strlen(ALI3_VERSION));
  assert_int_equal(pdu[6], 1);
  assert_memory_equal(pdu + 9, ALI3_VERSION, strlen(ALI3_VERSION));
  assert_int_equal(identify(4, 3, pdu), -MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(identify(0, 0, pdu), -MBAP_ILLEGAL_VALUE);
  assert_int_equal(identify(5, 0, pdu), -MBAP_ILLEGAL_VALUE);
}

/* Function 17: number of bytes, an id, "on", the name and version. */
TEST(the_server_reports_its_id)
{
  static const char name[] = "ali3d " ALI3_VERSION;
  static const uint8_t request[2] = {17, 0};
  struct mbap_request r;
  uint8_t pdu[253];
  assert_int_equal(mbap_next(frame, frame_pdu(frame, 0, request, 1), &r), MBAP_FRAME);
  assert_int_equal(r.exception, 0);
  assert_int_equal(modbus_map_report(pdu), 4 + sizeof name - 1);
  assert_int_equal(pdu[0], 17);
  assert_int_equal(pdu[1], 2 + sizeof name - 1);
  assert_int_equal(pdu[3], 0xff);
  assert_memory_equal(pdu + 4, name, sizeof name - 1);
  assert_int_equal(mbap_next(frame, frame_pdu(frame, 0, request, 2), &r), MBAP_FRAME);
  assert_int_equal(r.exception, MBAP_ILLEGAL_VALUE);
}

TEST(enable_arms_and_stops)
{
  assert_int_equal(sets_coil(MAP_ENABLE, false), 0);
  assert_sent(0, 0);
  assert_int_equal(sets_coil(MAP_ENABLE, true), 0);
  assert_sent(1, COMMAND_ARM);
  assert_int_equal(sets_coil(MAP_ENABLE, true), 0);
  assert_sent(0, 0);
  assert_int_equal(sets_coil(MAP_ENABLE, false), 0);
  assert_sent(1, COMMAND_STOP);
  assert_int_equal(sets_coil(MAP_PARK, true), 0);
  assert_sent(1, COMMAND_PARK);
  /* enable and run in one write: arm first */
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 0x3, 2)), 0);
  assert_sent(2, COMMAND_RUN);
  assert_int_equal(effect.command[0].code, COMMAND_ARM);
  /* enable taken back with a rising run is ambiguous */
  assert_int_equal(sets_coil(MAP_RUN, false), 0);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 0x2, 2)), MBAP_ILLEGAL_VALUE);
}

/* A client that writes all coils again and again must be able to leave SAFE; and a reset does not arm. */
TEST(a_reset_passes_with_enable_taken_back)
{
  assert_int_equal(sets_coil(MAP_ENABLE, true), 0);
  show_state(STATE_SAFE, FLAG_SAFE);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 1 << MAP_RESET, 6)), 0);
  assert_sent(1, COMMAND_RESET);
  show_state(STATE_STOPPED, 0);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 1 << MAP_RESET, 6)), 0);
  assert_sent(0, 0);
}

TEST(most_commands_at_once)
{
  assert_int_equal(sets_coil(MAP_ENABLE, true), 0);
  assert_int_equal(accept_from(ALICE, MS, frame_coils(frame, 0, 0, 0x34, 6)), 0);
  assert_sent(4, COMMAND_PARK);
  static const int code[] = {COMMAND_RESET, COMMAND_PAUSE, COMMAND_STOP, COMMAND_PARK};
  for (int i = 0; i < 4; i++) assert_int_equal(effect.command[i].code, code[i]);
}

TEST(a_mask_writes_a_command_register)
{
  assert_int_equal(commands(COMMAND_PAUSE, 0, 0x12), 0);
  assert_int_equal(accept_from(ALICE, MS, frame_mask(frame, 0, MAP_SEQUENCE, 0xf2, 0x25)), 0);
  assert_sent(1, COMMAND_PAUSE);
  assert_int_equal(effect.command[0].id, 0x17);
  assert_int_equal(accept_from(ALICE, MS, frame_mask(frame, 0, MAP_SEQUENCE, 0xffff, 0)), 0);
  assert_sent(0, 0);
  assert_int_equal(accept_from(ALICE, MS, frame_mask(frame, 0, MAP_INPUTS, 0xffff, 0)), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(accept_from(ALICE, MS, frame_mask(frame, 0, MAP_INPUT_SEQUENCE, 0, 9)), 0);
  assert_true(effect.inputs);
}

TEST(the_owner_timeout_takes_valid_times_only)
{
  static const struct {
    int ms, action, exception;
  } check[] = {{0, 0, 0},     {1, 0, 3},     {49, 0, 3},  {50, 0, 0},
               {60000, 0, 0}, {60001, 0, 3}, {100, 1, 3}, {0, 2, 3}};
  for (size_t i = 0; i < sizeof check / sizeof *check; i++) {
    const uint16_t value[] = {(uint16_t)check[i].ms, (uint16_t)check[i].action};
    assert_int_equal(writes(MAP_OWNER_TIMEOUT, value, 2), check[i].exception);
  }
  show_state(STATE_SAFE, FLAG_SAFE); /* nothing moves in SAFE */
  assert_int_equal(writes(MAP_CLIENT_HEARTBEAT, (uint16_t[]){1, 50, 0}, 3), 0);
}

/* Alice owns the inputs and sets the time within which she must write. */
TEST(the_owner_timeout_releases_the_inputs_of_a_silent_owner)
{
  const uint16_t zero[2] = {0};
  uint64_t t = 1000 * MS;
  assert_int_equal(accept_from(ALICE, t, frame_write(frame, 0, MAP_INPUTS, zero, 2)), 0);
  assert_int_equal(accept_from(ALICE, t, frame_short(frame, 0, 6, MAP_OWNER_TIMEOUT, 200)), 0);
  assert_int_equal(accept_from(BOB, t + 200 * MS, frame_write(frame, 0, MAP_INPUTS, zero, 2)), MBAP_BUSY);
  for (int k = 1; k <= 5; k++) {
    t += 150 * MS;
    assert_int_equal(accept_from(ALICE, t, frame_short(frame, 0, 6, MAP_CLIENT_HEARTBEAT, 7)), 0);
  }
  assert_int_equal(accept_from(BOB, t + MS, frame_short(frame, 0, 6, MAP_CLIENT_HEARTBEAT, 9)), 0);
  assert_int_equal(accept_from(BOB, t + MS, frame_short(frame, 0, 6, MAP_OWNER_TIMEOUT, 50)), MBAP_BUSY);
  assert_int_equal(accept_from(BOB, t + 200 * MS, frame_write(frame, 0, MAP_INPUTS, zero, 2)), MBAP_BUSY);
  assert_int_equal(accept_from(ALICE, t + 200 * MS, frame_short(frame, 0, 3, 0, 6)),
                   0); /* a read is no sign of life */
  assert_int_equal(accept_from(BOB, t + 200 * MS + 1, frame_write(frame, 0, MAP_INPUTS, zero, 2)), 0);
  assert_int_equal(accept_from(ALICE, t + 201 * MS, frame_write(frame, 0, MAP_INPUTS, zero, 2)), MBAP_BUSY);
}

TEST(a_reader_may_stop_the_motion)
{
  const struct map_peer reader = {.id = BOB, .access = ACCESS_READ};
  static const uint16_t estop[] = {COMMAND_ESTOP, 0, 1};
  assert_int_equal(accept_as(&reader, MS, frame_short(frame, 0, 3, 0, 6)), 0);
  assert_int_equal(accept_as(&reader, MS, frame_short(frame, 0, 4, 0, 32)), 0);
  assert_int_equal(accept_as(&reader, MS, frame_write(frame, 0, 0, estop, 3)), MBAP_ILLEGAL_FUNCTION);
  assert_sent(1, COMMAND_ESTOP); /* the write is refused and the registers stay; the stop acts */
  assert_true(effect.estop);
  assert_int_equal(accept_as(&reader, MS, frame_short(frame, 0, 6, MAP_CLIENT_HEARTBEAT, 1)),
                   MBAP_ILLEGAL_FUNCTION);
  assert_int_equal(accept_as(&reader, MS, frame_mask(frame, 0, MAP_SEQUENCE, 0, 1)), MBAP_ILLEGAL_FUNCTION);
  assert_int_equal(accept_as(&reader, MS, frame_write_and_read(frame, 0, 0, 3, 0, estop, 3)),
                   MBAP_ILLEGAL_FUNCTION);
  assert_int_equal(accept_as(&reader, MS, frame_short(frame, 0, 5, MAP_RUN, 0xff00)), MBAP_ILLEGAL_FUNCTION);
  assert_int_equal(accept_as(&reader, MS, frame_coils(frame, 0, MAP_ESTOP, 3, 2)), MBAP_ILLEGAL_FUNCTION);
  assert_sent(0, 0);
  assert_int_equal(accept_as(&reader, MS, frame_short(frame, 0, 5, MAP_ESTOP, 0xff00)), 0);
  assert_sent(1, COMMAND_ESTOP);
  assert_int_equal(accept_as(&reader, MS, frame_coils(frame, 0, MAP_ESTOP, 1, 1)), 0);
  assert_sent(1, COMMAND_ESTOP);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(a_command_acts_when_its_sequence_changes),
      ROW(an_estop_acts_whatever_the_sequence_says),
      ROW(an_estop_acts_in_a_write_that_is_refused),
      ROW(only_a_reset_and_an_estop_pass_while_safe),
      ROW(a_coil_acts_on_its_rising_edge),
      ROW(a_coil_that_nobody_repeats_falls_back),
      ROW(a_coil_that_is_repeated_is_held),
      ROW(the_coil_record_orders_the_recorder),
      ROW(the_estop_coil_can_only_be_set),
      ROW(the_estop_coil_reads_its_latch_at_once),
      ROW(writes_are_ignored_while_safe),
      ROW(the_rig_reports_while_safe),
      ROW(coils_written_together),
      ROW(enable_arms_and_stops),
      ROW(a_reset_passes_with_enable_taken_back),
      ROW(most_commands_at_once),
      ROW(a_mask_writes_a_command_register),
      ROW(the_owner_timeout_takes_valid_times_only),
      ROW(the_owner_timeout_releases_the_inputs_of_a_silent_owner),
      ROW(a_reader_may_stop_the_motion),
      ROW(the_device_identifies_itself),
      ROW(the_server_reports_its_id),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
