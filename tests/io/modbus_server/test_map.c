/* SPDX-License-Identifier: MIT */
#include "modbus_server/modbus_map_rig.h"

#include "platform/platform.h"

#include <math.h>
#include <stdlib.h>

enum { BODIES = 2, CHANNELS = 12, BODY_FIRST = 1, VALUES = 1 + BODIES * SIGNALS_BODY + 6 + CHANNELS };
static struct input_spec input[] = {{.name = "push", .first = 0, .count = 6},
                                    {.name = "pull", .first = 6, .count = 6}};
static const struct signals signals = {.platform_first = -1,
                                       .count = VALUES,
                                       .bodies = BODIES,
                                       .body_first = BODY_FIRST,
                                       .channels = CHANNELS,
                                       .inputs = 2,
                                       .input = input};

static const struct modbus_config usual = {.default_map = true};
static const struct map_peer alice = {.id = ALICE, .access = ACCESS_WRITE};

static int setup(void **state)
{
  (void)state;
  return modbus_map_init(&map, &usual, &signals) ? 0 : -1;
}
static int teardown(void **state)
{
  (void)state;
  modbus_map_free(&map);
  return 0;
}

/* The words for registers 100 to 165: channel i = value + i, the sequence, no CRC. */
static uint16_t *inputs(double value, int sequence)
{
  static uint16_t block[66];
  for (int i = 0; i < 32; i++) frame_put_float(block + 2 * i, value + i);
  block[64] = (uint16_t)sequence;
  block[65] = 0;
  return block;
}

/* The values of all sensors form one block of two registers each; without sensors there is no block. */
TEST(sensors_have_a_block_of_their_own)
{
  enum { FIRST = 1 + BODIES * SIGNALS_BODY, SENSOR_VALUES = 15 };
  int first[] = {FIRST, FIRST + 9, FIRST + SENSOR_VALUES};
  assert_int_equal(reads(4, MAP_SENSOR, 2), MBAP_ILLEGAL_ADDRESS);
  struct signals with = signals;
  with.count += SENSOR_VALUES;
  with.sensors = 2;
  with.sensor_first = first;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &usual, &with));
  assert_true(isnan(frame_get_float(map.mapping->tab_input_registers + MAP_SENSOR)));
  double values[VALUES + SENSOR_VALUES];
  for (int i = 0; i < with.count; i++) values[i] = i;
  modbus_map_show(&map, &(struct frame){.count = (uint32_t)with.count, .values = values});
  for (int i = 0; i < SENSOR_VALUES; i++)
    assert_true(frame_get_float(map.mapping->tab_input_registers + MAP_SENSOR + 2 * i) == (float)(FIRST + i));
  assert_int_equal(reads(4, MAP_SENSOR, 2 * SENSOR_VALUES), 0);
  assert_int_equal(reads(4, MAP_SENSOR, 2 * SENSOR_VALUES + 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(reads(4, MAP_SENSOR + 1, 2), MBAP_ILLEGAL_ADDRESS); /* half a value */
}

enum { MOTION_FIRST = 1 + BODIES * SIGNALS_BODY };

static void show_platform(uint32_t state, uint32_t flags, double value)
{
  enum { COUNT = MOTION_FIRST + PLATFORM_SIGNALS };
  double values[COUNT];
  for (int i = 0; i < COUNT; i++) values[i] = value;
  modbus_map_show(&map, &(struct frame){.state = state, .flags = flags, .count = COUNT, .values = values});
}

/* A rig that polls gets "busy", because it would move to the value that stands for "no value". Other registers can be
 * read. */
TEST(a_platform_is_not_read_until_it_is_armed)
{
  static const struct wire word = {WIRE_I16, WIRE_ABCD, 1.0, 0.0}, bit = {WIRE_BIT, WIRE_ABCD, 1.0, 0.0};
  struct wired item[] = {
      {MOTION_FIRST + PLATFORM_MOTION_SIGNALS, false, TABLE_DISCRETE, 20, bit, (double)NAN},
      {MOTION_FIRST + PLATFORM_MOTION_SIGNALS - 1, false, TABLE_DISCRETE, 21, bit, 1.0},
      {0, false, TABLE_INPUT, 200, word, (double)NAN},
      {MOTION_FIRST, false, TABLE_INPUT, 201, word, 7.0},
      {MOTION_FIRST + PLATFORM_SIGNALS - 1, false, TABLE_INPUT, 202, word, (double)NAN}};
  const struct wiring wiring = {item, 5};
  struct modbus_config config = usual;
  struct signals with = signals;
  config.map = wiring;
  with.platform_first = MOTION_FIRST;
  with.count = MOTION_FIRST + PLATFORM_SIGNALS;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &config, &with));
  static const struct {
    int function, address, count;
    bool motion;
  } c[] = {{4, 0, 32, false},    {4, 100, 48, true}, {4, 146, 2, true}, {4, 148, 1, false},
           {4, 1000, 14, false}, {4, 200, 1, false}, {4, 201, 1, true}, {4, 200, 3, true},
           {4, 202, 1, false},   {2, 0, 16, false},  {2, 20, 1, false}, {2, 21, 1, true}};
  static const uint32_t states[] = {STATE_INIT, STATE_STOPPED, STATE_SAFE,
                                    STATE_EXIT, STATE_READY,   STATE_SAFE};
  for (int k = -1; k < 6; k++) { /* -1: before the first frame; the last two: armed */
    const bool withheld = k < 4;
    if (k >= 0) show_platform(states[k], withheld ? FLAG_WITHHELD : 0, 3.0);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
      assert_int_equal(reads(c[i].function, c[i].address, c[i].count),
                       withheld && c[i].motion ? MBAP_BUSY : 0);
    assert_int_equal(map.mapping->tab_input_bits[14], withheld && k >= 0);
  }
}

/* Each value counts once for each frame; "no value" does not count as clamped. */
TEST(clamped_values_are_reported)
{
  static const struct wire word = {WIRE_I16, WIRE_ABCD, 1.0, 0.0}, large = {WIRE_U32, WIRE_ABCD, 1.0, 0.0};
  struct wired item[] = {{1, false, TABLE_INPUT, 200, word, (double)NAN},
                         {2, false, TABLE_INPUT, 201, large, (double)NAN}};
  const struct wiring wiring = {item, 2};
  struct modbus_config config = usual;
  config.map = wiring;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &config, &signals));
  static const struct {
    double value;
    uint64_t clamped;
  } c[] = {{0.0, 0}, {40000.0, 1}, {-40000.0, 2}, {1e300, 2}, {(double)NAN, 0}, {32767.0, 0}};
  double values[VALUES];
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    for (int k = 0; k < VALUES; k++) values[k] = c[i].value;
    assert_int_equal(modbus_map_show(&map, &(struct frame){.count = VALUES, .values = values}), c[i].clamped);
  }
}

TEST(the_crc_is_the_crc_of_modbus)
{
  assert_int_equal(map_crc((uint16_t[]){0x0103, 0x0000, 0x000a}, 3), 0xcdc5); /* sent low byte first: C5 CD */
}

TEST(a_frame_fills_the_input_registers)
{
  double values[VALUES];
  for (int i = 0; i < VALUES; i++) values[i] = 100 + i;
  modbus_map_show(&map,
                  &(struct frame){.cycle = 0x1234567890,
                                  .time = 1.5,
                                  .state = STATE_RUNNING,
                                  .flags = FLAG_RUNNING | FLAG_OVERRUN | FLAG_NOT_REALTIME | FLAG_VIOLATED,
                                  .fault = 9,
                                  .period_us = 10000,
                                  .last_cycle_us = 70000,
                                  .max_cycle_us = 80000,
                                  .misses = 3,
                                  .input_age_ms = UINT32_MAX,
                                  .stale_mask = 0x5,
                                  .last_command = COMMAND_RUN,
                                  .last_command_id = 0x10007,
                                  .last_result = RESULT_WRONG_STATE,
                                  .recorder = RECORDER_LOST,
                                  .recorder_lost = 70000,
                                  .count = VALUES,
                                  .values = values});

  const uint16_t *at = map.mapping->tab_input_registers;
  static const uint16_t head[] = {0x4133, 0x0205, 3, 0x9082, 9, 0x9080, 0x7890, 0x7890, 0x3456, 0x7890};
  for (int i = 0; i < 10; i++) assert_int_equal(at[i], head[i]);
  assert_true(frame_get_float(at + 10) == 1.5f);
  static const uint16_t rest[] = {10000, 0xffff, 0xffff, 3, 0xffff, 5, COMMAND_RUN, 7, RESULT_WRONG_STATE};
  for (int i = 0; i < 9; i++) assert_int_equal(at[12 + i], rest[i]);
  double time;
  const struct wire exact = {WIRE_F64, WIRE_ABCD, 1.0, 0.0};
  time = wire_get(&exact, at + 21);
  assert_true(time == 1.5);
  assert_int_equal(at[25], RECORDER_LOST);
  assert_int_equal(at[26], 0xffff);
  assert_int_equal(at[28], 0);
  for (int i = 27; i < 31; i++) assert_true(i == 28 || at[i] == 0xffff);
  assert_int_equal(at[31], at[7]);
  for (int k = 0; k < BODIES; k++)
    for (int i = 0; i < 7; i++)
      assert_true(frame_get_float(at + 1000 + 14 * k + 2 * i) ==
                  (float)(100 + BODY_FIRST + SIGNALS_BODY * k + i));
  for (int i = 0; i < 16; i++) assert_int_equal(map.mapping->tab_input_bits[i], 0x9082 >> i & 1);
}

/* After weeks an f32 of seconds no longer changes, and an age in ms exceeds 16 bits. */
TEST(long_times_stay_true)
{
  const uint16_t *at = map.mapping->tab_input_registers;
  const struct wire exact = {WIRE_F64, WIRE_ABCD, 1.0, 0.0};
  static const struct {
    uint32_t ms;
    uint16_t shown;
  } age[] = {{0, 0},         {65533, 65533},          {65534, 65534},
             {65535, 65534}, {UINT32_MAX - 1, 65534}, {UINT32_MAX, 65535}};
  for (int i = 0; i < 6; i++) {
    modbus_map_show(&map, &(struct frame){.time = 5e6 + 0.01 * i, .input_age_ms = age[i].ms});
    assert_int_equal(at[MAP_INPUT_AGE], age[i].shown);
    assert_true(wire_get(&exact, at + MAP_EXACT_TIME) == 5e6 + 0.01 * i);
  }
}

/* The frame says that an input belongs to another source or to a device only: no answer may claim that the value was
 * taken. */
TEST(inputs_of_other_sources_are_refused)
{
  struct input_owner owner[2] = {{.source = OWNER_NONE}, {.source = SOURCE_OSC, .client = 300}};
  const struct frame f = {.state = STATE_RUNNING, .inputs = 2, .owner = owner};
  modbus_map_show(&map, &f);

  assert_int_equal(accept_as(&alice, 100 * MS, frame_write(frame, 1, 100, inputs(1, 1), 65)), MBAP_BUSY);
  assert_true(effect.owned && effect.tell && !effect.inputs);
  assert_int_equal(effect.input, 1);
  assert_int_equal(effect.owner.source, SOURCE_OSC);
  assert_int_equal(effect.owner.client, 300);
  assert_int_equal(map.owner, 0);
  assert_int_equal(map.sample[0].t_ns, 0);
  /* reported once a second */
  assert_int_equal(accept_as(&alice, 900 * MS, frame_write(frame, 1, 112, inputs(1, 1), 2)), MBAP_BUSY);
  assert_true(effect.owned && !effect.tell);
  assert_int_equal(accept_as(&alice, 1101 * MS, frame_write(frame, 1, 122, inputs(1, 1), 2)), MBAP_BUSY);
  assert_true(effect.tell);

  /* the other input is free */
  assert_int_equal(accept_as(&alice, 1102 * MS, frame_write(frame, 1, 100, inputs(1, 1), 12)), 0);
  assert_int_equal(accept_as(&alice, 1103 * MS, frame_write(frame, 1, 164, (uint16_t[]){1}, 1)), 0);
  assert_true(effect.inputs && !effect.owned);
  assert_int_equal(map.sample[0].client, ALICE);
  assert_int_equal(map.sample[6].t_ns, 0);

  /* written while the input was free, and acting when it is not: refused and dropped */
  owner[1].source = OWNER_NONE;
  modbus_map_show(&map, &f);
  assert_int_equal(accept_as(&alice, 1104 * MS, frame_write(frame, 1, 112, inputs(9, 1), 12)), 0);
  owner[1].source = SOURCE_DEVICE;
  modbus_map_show(&map, &f);
  assert_int_equal(accept_as(&alice, 1105 * MS, frame_write(frame, 1, 164, (uint16_t[]){2}, 1)), MBAP_BUSY);
  assert_true(effect.owned && effect.input == 1);
  assert_int_equal(accept_as(&alice, 1106 * MS, frame_write(frame, 1, 164, (uint16_t[]){2}, 1)), 0);
  assert_int_equal(map.sample[6].t_ns, 0);

  /* the loop names this client as the owner */
  owner[1] = (struct input_owner){.source = SOURCE_MODBUS, .client = ALICE};
  modbus_map_show(&map, &f);
  assert_int_equal(accept_as(&alice, 1107 * MS, frame_write(frame, 1, 112, inputs(9, 1), 12)), 0);

  /* nobody has set it, but Modbus may not */
  input[1].sources = UINT64_C(1) << (SOURCE_DEVICE + 3);
  modbus_map_show(&map, &(struct frame){.state = STATE_RUNNING});
  assert_int_equal(accept_as(&alice, 9000 * MS, frame_write(frame, 1, 112, inputs(9, 1), 12)), MBAP_BUSY);
  assert_true(effect.owned && effect.owner.source == OWNER_NONE);
  input[1].sources |= 1u << SOURCE_MODBUS;
  assert_int_equal(accept_as(&alice, 9000 * MS, frame_write(frame, 1, 112, inputs(9, 1), 12)), 0);
  input[1].sources = 0;
}

/* Two samples may have one stamp, but the loop distinguishes samples by their time. */
TEST(every_sample_has_a_time_of_its_own)
{
  assert_int_equal(writes(100, inputs(1, 1), 65), 0);
  const uint64_t first_ns = map.sample[0].t_ns;
  assert_int_equal(writes(100, inputs(2, 2), 65), 0);
  assert_int_equal(map.sample[0].t_ns, first_ns + 1);
}

TEST(before_the_first_frame_nothing_is_claimed)
{
  const uint16_t *at = map.mapping->tab_input_registers;
  assert_int_equal(at[0], MAP_MAGIC);
  assert_int_equal(at[2], STATE_INIT);
  assert_int_equal(at[16], 0xffff);
  assert_true(isnan(frame_get_float(at + 1000)));
}

TEST(holes_and_halves_are_illegal_addresses)
{
  static const struct {
    int function, address, count, exception;
  } check[] = {
      {4, 0, 32, 0},      {4, 0, 33, 2},    {4, 32, 1, 2},    {4, 31, 1, 0},    {4, 8, 1, 2},
      {4, 9, 1, 2},       {4, 8, 2, 0},     {4, 7, 3, 0},     {4, 7, 2, 2},     {4, 9, 2, 2},
      {4, 11, 3, 2},      {4, 999, 2, 2},   {4, 1000, 28, 0}, {4, 1000, 2, 0},  {4, 1000, 1, 2},
      {4, 1001, 2, 2},    {4, 1014, 14, 0}, {4, 1014, 16, 2}, {4, 1026, 2, 0},  {4, 1028, 2, 2},
      {4, 65535, 125, 2}, {4, 100, 2, 2},   {3, 0, 6, 0},     {3, 0, 7, 2},     {3, 6, 1, 2},
      {3, 99, 3, 2},      {3, 100, 66, 0},  {3, 100, 67, 2},  {3, 163, 2, 2},   {3, 162, 3, 0},
      {3, 164, 1, 0},     {3, 165, 1, 0},   {3, 166, 1, 2},   {3, 65535, 2, 2}, {1, 0, 7, 0},
      {1, 0, 8, 2},       {1, 7, 1, 2},     {1, 6, 1, 0},     {2, 0, 16, 0},    {2, 15, 1, 0},
      {2, 15, 2, 2},      {2, 16, 1, 2},
  };
  for (size_t i = 0; i < sizeof check / sizeof *check; i++) {
    int e = reads(check[i].function, check[i].address, check[i].count);
    if (e != check[i].exception)
      fail_msg("FC%d %d+%d: exception %d", check[i].function, check[i].address, check[i].count, e);
  }
  assert_int_equal(writes(100, inputs(0, 0), 1), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(writes(101, inputs(0, 0), 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(writes(5, inputs(0, 0), 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(writes(165, inputs(0, 0), 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 100, 0)), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(sets_coil(MAP_COILS, true), MBAP_ILLEGAL_ADDRESS);
  /* the good half does not save the bad one */
  uint16_t *block = inputs(0, 1);
  assert_int_equal(accept_from(ALICE, MS, frame_write_and_read(frame, 0, 6, 1, 100, block, 65)), 2);
  assert_int_equal(accept_from(ALICE, MS, frame_write_and_read(frame, 0, 0, 3, 101, block, 2)), 2);
  assert_int_equal(accept_from(ALICE, MS, frame_write_and_read(frame, 0, 0, 3, 100, block, 65)), 0);
  assert_true(effect.inputs);
}

TEST(inputs_go_to_the_loop_when_their_sequence_changes)
{
  assert_int_equal(writes(100, inputs(10, 0), 64), 0);
  assert_false(effect.inputs);
  assert_int_equal(map.sample[0].t_ns, 0);
  assert_int_equal(accept_from(ALICE, 5 * MS, frame_short(frame, 0, 6, 164, 1)), 0);
  assert_true(effect.inputs);
  for (int i = 0; i < CHANNELS; i++) {
    assert_true(map.sample[i].value == 10 + i);
    assert_int_equal(map.sample[i].t_ns, 5 * MS);
  }
  assert_int_equal(accept_from(ALICE, 6 * MS, frame_write(frame, 0, 100, inputs(20, 2), 65)), 0);
  assert_true(effect.inputs);
  assert_true(map.sample[3].value == 23);
  /* a writer that repeats itself is no sign of life: its inputs must age */
  assert_int_equal(accept_from(ALICE, 7 * MS, frame_write(frame, 0, 100, inputs(30, 2), 65)), 0);
  assert_false(effect.inputs);
  assert_int_equal(map.sample[3].t_ns, 6 * MS);
}

TEST(channels_never_written_stay_unset)
{
  assert_int_equal(writes(102, inputs(7, 0), 2), 0);
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 164, 1)), 0);
  assert_true(effect.inputs);
  assert_int_equal(map.sample[0].t_ns, 0);
  assert_int_equal(map.sample[1].t_ns, MS);
  assert_true(map.sample[1].value == 7);
  assert_int_equal(map.sample[2].t_ns, 0);
}

TEST(a_frame_with_nan_or_infinity_is_refused_whole)
{
  static const uint16_t bad[][2] = {{0x7fc0, 0}, {0x7f80, 0}, {0xff80, 0}, {0x7f80, 1}};
  for (int i = 0; i < 4; i++) {
    uint16_t *block = inputs(1, 1);
    memcpy(block + 2 * 31, bad[i], sizeof bad[i]); /* beyond the last channel: still an error */
    assert_int_equal(writes(100, block, 65), MBAP_ILLEGAL_VALUE);
    assert_true(effect.nonfinite);
    assert_false(effect.inputs);
    assert_int_equal(map.sample[0].t_ns, 0);
    assert_int_equal(map.mapping->tab_registers[100], 0);
  }
  assert_int_equal(writes(100, inputs(1, 1), 65), 0);
  assert_false(effect.nonfinite);
}

TEST(a_crc_that_is_given_must_be_right)
{
  uint16_t *block = inputs(1, 1);
  uint16_t crc = map_crc(block, 65);
  block[65] = (uint16_t)(crc ^ 1);
  assert_int_equal(writes(100, block, 66), MBAP_ILLEGAL_VALUE);
  assert_false(effect.inputs);
  block[65] = crc;
  assert_int_equal(writes(100, block, 66), 0);
  assert_true(effect.inputs);
  /* the CRC of one write does not apply to the next */
  assert_int_equal(writes(100, inputs(2, 2), 65), 0);
  assert_true(effect.inputs);
}

TEST(the_first_writer_owns_the_inputs)
{
  assert_int_equal(accept_from(ALICE, MS, frame_write(frame, 0, 100, inputs(1, 1), 65)), 0);
  assert_int_equal(accept_from(BOB, 2 * MS, frame_write(frame, 0, 100, inputs(2, 2), 65)), MBAP_BUSY);
  assert_int_equal(accept_from(BOB, 2 * MS, frame_short(frame, 0, 3, 100, 66)), 0);
  assert_true(map.sample[0].value == 1);

  uint64_t silent = MS + MAP_OWNER_MS * MS;
  assert_int_equal(accept_from(BOB, silent, frame_write(frame, 0, 100, inputs(2, 2), 65)), MBAP_BUSY);
  assert_int_equal(accept_from(BOB, silent + 1, frame_write(frame, 0, 102, inputs(2, 0), 2)), 0);
  assert_int_equal(accept_from(ALICE, silent + 2, frame_write(frame, 0, 100, inputs(3, 3), 65)), MBAP_BUSY);
  /* Bob's write does not keep Alice's values alive */
  assert_int_equal(accept_from(BOB, silent + 3, frame_short(frame, 0, 6, 164, 9)), 0);
  assert_int_equal(map.sample[0].t_ns, MS);
  assert_int_equal(map.sample[1].t_ns, silent + 3);

  modbus_map_release(&map, ALICE); /* she does not own them */
  assert_int_equal(accept_from(ALICE, silent + 4, frame_write(frame, 0, 100, inputs(3, 3), 65)), MBAP_BUSY);
  modbus_map_release(&map, BOB);
  assert_int_equal(accept_from(ALICE, silent + 5, frame_write(frame, 0, 100, inputs(3, 3), 65)), 0);
}

/* Acting values beside the written ones, and the condition of each input with the name of its owner. */
TEST(conditions_of_inputs_can_be_read)
{
  enum { INPUT_FIRST = VALUES - CHANNELS };
  struct signals with = signals;
  struct port own = {.source = SOURCE_OSC, .name = "osc"};
  const struct input_note note[] = {{INPUT_TIMEOUT, INPUT_CLAMPED | INPUT_SLOWED, 1234}, {0, 0, UINT32_MAX}};
  const struct input_owner owner[] = {{SOURCE_OSC, 7}, {OWNER_NONE, 0}};
  double values[VALUES];
  struct frame f = {.count = VALUES, .values = values, .inputs = 2, .note = note, .owner = owner};
  with.input_first = INPUT_FIRST;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &usual, &with));
  map.port = &own;
  clients_name(&own.clients, 7, "10.0.0.2:9000");
  for (int i = 0; i < VALUES; i++) values[i] = i;
  modbus_map_show(&map, &f);
  /* The values in use, and the conditions of both inputs. */
  const uint16_t *at = map.mapping->tab_input_registers;
  for (int c = 0; c < CHANNELS; c++)
    assert_true(frame_get_float(at + MAP_ACTING + 2 * c) == (float)(INPUT_FIRST + c));
  static const uint16_t first[] = {4, 3, 1234, MAP_BY_OSC, 'o' << 8 | 's', 'c' << 8 | ' ', '1' << 8 | '0'};
  assert_memory_equal(at + MAP_CONDITION, first, sizeof first);
  assert_int_equal(at[MAP_CONDITION + 19], 0);
  static const uint16_t second[] = {0, 0, MAP_NONE, MAP_BY_NOBODY, 0};
  assert_memory_equal(at + MAP_CONDITION + MAP_CONDITION_REGISTERS, second, sizeof second);
  assert_int_equal(reads(4, MAP_CONDITION, 2 * MAP_CONDITION_REGISTERS), 0);
  assert_int_equal(reads(4, MAP_CONDITION, 2 * MAP_CONDITION_REGISTERS + 1), MBAP_ILLEGAL_ADDRESS);
}

/* A heartbeat is a sign of life for the channels of its client, and no new sample. */
TEST(a_heartbeat_reaches_the_loop)
{
  assert_int_equal(accept_from(ALICE, MS, frame_write(frame, 0, 100, inputs(1, 1), 65)), 0);
  assert_int_equal(accept_from(BOB, 2 * MS, frame_short(frame, 0, 6, MAP_CLIENT_HEARTBEAT, 1)), 0);
  assert_false(effect.alive);
  assert_int_equal(accept_from(ALICE, 3 * MS, frame_short(frame, 0, 6, MAP_CLIENT_HEARTBEAT, 1)), 0);
  assert_true(effect.alive && !effect.inputs);
  assert_int_equal(map.sample[0].alive_ns, 3 * MS);
  assert_int_equal(map.sample[0].t_ns, MS);
  assert_int_equal(accept_from(ALICE, 4 * MS, frame_short(frame, 0, 6, MAP_ARGUMENT, 1)), 0);
  assert_false(effect.alive);
}

TEST(more_bodies_and_channels_than_the_map_holds)
{
  struct signals many = {.count = 1, .bodies = 500, .body_first = 0, .channels = 60, .platform_first = -1};
  struct modbus_map m;
  assert_true(modbus_map_init(&m, &usual, &many));
  assert_int_equal(m.mapping->nb_input_registers, MAP_ACTING + 2 * 60);
  struct mbap_request r;
  mbap_next(frame, frame_write(frame, 0, 100, inputs(1, 1), 65), &r);
  assert_int_equal(modbus_map_accept(&m, &r, &alice, MS, &effect), 0);
  assert_int_equal(m.sample[31].t_ns, MS);
  for (int i = 32; i < 60; i++) assert_int_equal(m.sample[i].t_ns, 0);
  modbus_map_free(&m);

  struct signals none = {.count = 1, .platform_first = -1};
  assert_true(modbus_map_init(&m, &usual, &none));
  mbap_next(frame, frame_short(frame, 0, 4, 1000, 2), &r);
  assert_int_equal(modbus_map_accept(&m, &r, &alice, MS, &effect), MBAP_ILLEGAL_ADDRESS);
  modbus_map_free(&m);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(a_platform_is_not_read_until_it_is_armed),
      ROW(clamped_values_are_reported),
      ROW(the_crc_is_the_crc_of_modbus),
      ROW(a_frame_fills_the_input_registers),
      ROW(sensors_have_a_block_of_their_own),
      ROW(long_times_stay_true),
      ROW(inputs_of_other_sources_are_refused),
      ROW(every_sample_has_a_time_of_its_own),
      ROW(before_the_first_frame_nothing_is_claimed),
      ROW(holes_and_halves_are_illegal_addresses),
      ROW(inputs_go_to_the_loop_when_their_sequence_changes),
      ROW(channels_never_written_stay_unset),
      ROW(a_frame_with_nan_or_infinity_is_refused_whole),
      ROW(a_crc_that_is_given_must_be_right),
      ROW(the_first_writer_owns_the_inputs),
      ROW(conditions_of_inputs_can_be_read),
      ROW(a_heartbeat_reaches_the_loop),
      ROW(more_bodies_and_channels_than_the_map_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
