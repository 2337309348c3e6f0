/* SPDX-License-Identifier: MIT
 * Maps of the user: the place and form of each value, and what a client may write. */
#include "modbus_server/modbus_map_rig.h"
#include "platform/platform.h"

#include <math.h>
#include <stdlib.h>

enum { CHANNELS = 8, INPUT_FIRST = 1 + SIGNALS_BODY, COUNT = INPUT_FIRST + CHANNELS };
static struct signal names[COUNT];
static const struct signals signals = {.platform_first = -1,
                                       .count = COUNT,
                                       .signal = names,
                                       .bodies = 1,
                                       .body_first = 1,
                                       .channels = CHANNELS,
                                       .input_first = INPUT_FIRST};

#define SHOWN(s, t, a, ...)                                                                                  \
  {                                                                                                          \
    .signal = (s), .table = (t), .address = (a), .wire = {__VA_ARGS__}, .safe = NAN                          \
  }
#define WRITTEN(c, t, a, ...)                                                                                \
  {                                                                                                          \
    .signal = INPUT_FIRST + (c), .input = true, .table = (t), .address = (a), .wire = {__VA_ARGS__},         \
    .safe = NAN                                                                                              \
  }

static struct wired items[] = {
    WRITTEN(6, TABLE_COIL, 20, WIRE_BIT, WIRE_ABCD, 5, -1),
    WRITTEN(7, TABLE_COIL, 21, WIRE_BIT, WIRE_ABCD, 1, 0),
    SHOWN(4, TABLE_DISCRETE, 16, WIRE_BIT, WIRE_ABCD, 1, 0),
    SHOWN(5, TABLE_DISCRETE, 17, WIRE_BIT, WIRE_ABCD, 1, 0),
    WRITTEN(0, TABLE_HOLDING, 200, WIRE_F32, WIRE_CDAB, 2, 1),
    WRITTEN(1, TABLE_HOLDING, 202, WIRE_I16, WIRE_DCBA, 0.5, 0),
    WRITTEN(2, TABLE_HOLDING, 203, WIRE_F64, WIRE_ABCD, 1, 0),
    WRITTEN(3, TABLE_HOLDING, 207, WIRE_U32, WIRE_BADC, 1, 0),
    WRITTEN(4, TABLE_HOLDING, 300, WIRE_F32, WIRE_ABCD, 1e30, 0),
    SHOWN(0, TABLE_INPUT, 200, WIRE_F32, WIRE_ABCD, 1, 0),
    SHOWN(1, TABLE_INPUT, 202, WIRE_F32, WIRE_CDAB, 1, 0),
    SHOWN(2, TABLE_INPUT, 204, WIRE_F32, WIRE_CDAB, 1, 0),
    SHOWN(3, TABLE_INPUT, 206, WIRE_I16, WIRE_BADC, 0.01, 0),
    SHOWN(4, TABLE_INPUT, 207, WIRE_F64, WIRE_ABCD, 1, 0),
    SHOWN(5, TABLE_INPUT, 211, WIRE_U32, WIRE_CDAB, 1, 0),
    {.signal = 6, .table = TABLE_INPUT, .address = 213, .wire = {WIRE_F32, WIRE_ABCD, 1, 0}, .safe = -7},
    {.signal = 7, .table = TABLE_INPUT, .address = 215, .wire = {WIRE_U16, WIRE_ABCD, 1, 0}, .safe = 0},
    SHOWN(8, TABLE_INPUT, 65535, WIRE_U16, WIRE_ABCD, 1, 0),
};
static const struct wiring wiring = {items, sizeof items / sizeof *items};
static const struct modbus_config alone = {.map = {items, sizeof items / sizeof *items}};

static int setup(void **state)
{
  (void)state;
  return modbus_map_init(&map, &alone, &signals) ? 0 : -1;
}
static int teardown(void **state)
{
  (void)state;
  modbus_map_free(&map);
  return 0;
}

/* A frame with value[i] = first + i. */
static void show(enum run_state run_state, double first)
{
  double values[COUNT];
  for (int i = 0; i < COUNT; i++) values[i] = first + i;
  modbus_map_show(
      &map, &(struct frame){
                .state = run_state, .count = COUNT, .cycle = 0x01020304, .time = 123456.0, .values = values});
}

static void assert_words(const uint16_t *at, const uint16_t *word, int n)
{
  for (int i = 0; i < n; i++) assert_int_equal(at[i], word[i]);
}

TEST(signals_stand_where_they_were_put)
{
  show(STATE_RUNNING, -4.0);
  const uint16_t *at = map.mapping->tab_input_registers;
  static const uint16_t from200[] = {0xc080, 0, 0, 0xc040, 0, 0xc000, (uint16_t)-100, 0, 0, 0,
                                     0,      1, 0, 0x4000, 0, 3};
  assert_words(at + 200, from200, 16);
  assert_int_equal(at[65535], 4);
  assert_int_equal(map.mapping->tab_input_bits[16], 0);
  assert_int_equal(map.mapping->tab_input_bits[17], 1);
}

TEST(before_the_first_frame_there_is_no_value)
{
  const uint16_t *at = map.mapping->tab_input_registers;
  assert_int_equal(at[200], 0x7fc0);
  assert_int_equal(at[202], 0);
  assert_int_equal(at[203], 0x7fc0);
  assert_int_equal(at[206], 0x8000);
  assert_int_equal(at[211], 0xffff);
  assert_int_equal(at[213], 0xc0e0); /* -7 */
  assert_int_equal(at[215], 0);
}

TEST(safe_values_stand_while_nothing_runs)
{
  for (int s = STATE_INIT; s <= STATE_EXIT; s++) {
    show((enum run_state)s, 10.0);
    const uint16_t *at = map.mapping->tab_input_registers;
    const bool lives = s == STATE_READY || s == STATE_RUNNING || s == STATE_PAUSED;
    assert_int_equal(at[213], lives ? 0x4180 : 0xc0e0);
    assert_int_equal(at[215], lives ? 17 : 0);
    assert_int_equal(at[200], 0x4120); /* it has no safe value */
  }
}

TEST(numbers_are_read_whole_over_any_entries)
{
  static const struct {
    int function, address, count, exception;
  } check[] = {
      {4, 200, 16, 0}, {4, 200, 17, 2}, {4, 199, 2, 2}, {4, 201, 1, 2},   {4, 206, 1, 0},   {4, 206, 2, 2},
      {4, 206, 5, 0},  {4, 207, 3, 2},  {4, 207, 4, 0}, {4, 65535, 1, 0}, {4, 65534, 2, 2}, {4, 215, 1, 0},
      {3, 200, 9, 0},  {3, 200, 8, 2},  {3, 202, 1, 0}, {3, 300, 2, 0},   {3, 209, 1, 2},   {3, 100, 2, 2},
      {4, 1000, 2, 2}, {1, 20, 2, 0},   {1, 19, 2, 2},  {1, 22, 1, 2},    {2, 0, 18, 0},    {2, 17, 2, 2},
      {1, 0, 6, 0},    {4, 0, 32, 0},
  };
  for (size_t i = 0; i < sizeof check / sizeof *check; i++) {
    int e = reads(check[i].function, check[i].address, check[i].count);
    if (e != check[i].exception)
      fail_msg("FC%d %d+%d: exception %d", check[i].function, check[i].address, check[i].count, e);
  }
}

/* Masters that know function 3 only read a copy of the input registers, and write nothing there. */
TEST(input_registers_have_a_copy)
{
  static const struct wired few[] = {SHOWN(0, TABLE_INPUT, 200, WIRE_F32, WIRE_ABCD, 1, 0)};
  const struct modbus_config config = {.map = {(struct wired *)few, 1}, .mirror = 10000, .default_map = true};
  struct modbus_table t;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &config, &signals));
  assert_int_equal(map.mapping->tab_registers[10000 + MAP_IDENTIFICATION], MAP_MAGIC);
  show(STATE_RUNNING, -4.0);
  assert_memory_equal(map.mapping->tab_registers + 10000, map.mapping->tab_input_registers, 2 * 202);
  assert_int_equal(map.mapping->tab_registers[10200], 0xc080);
  assert_int_equal(map.mapping->tab_registers[10000 + MAP_STATE], STATE_RUNNING);
  assert_int_equal(reads(3, 10000, 32), 0);
  assert_int_equal(reads(3, 10200, 2), 0);
  assert_int_equal(reads(3, 10201, 1), MBAP_ILLEGAL_ADDRESS); /* half a number */
  assert_int_equal(reads(4, 10200, 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(writes(10200, (uint16_t[]){1, 2}, 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(writes(10000, (uint16_t[]){1}, 1), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(map.mapping->tab_registers[10200], 0xc080);
  assert_true(modbus_table_init(&t, &config, &signals));
  modbus_table_free(&t);
}

/* Masters that poll blocks of a fixed size read 0 where nothing is. */
TEST(gaps_read_zero_on_request)
{
  struct modbus_config config = alone;
  config.gaps = GAPS_ZERO;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &config, &signals));
  show(STATE_RUNNING, -4.0);
  const uint16_t *at = map.mapping->tab_input_registers;
  for (int function = 1; function <= 4; function++) {
    assert_int_equal(reads(function, 0, 125), 0);
    assert_int_equal(reads(function, 64000, 125), 0);
    assert_int_equal(reads(function, 65535, 1), 0);
    assert_int_equal(reads(function, 65535, 2), MBAP_ILLEGAL_ADDRESS);
  }
  assert_int_equal(reads(4, 199, 20), 0);
  assert_int_equal(reads(4, 201, 1), 0); /* half a number */
  assert_int_equal(at[199], 0);
  assert_int_equal(at[200], 0xc080);
  assert_int_equal(at[32], 0);
  /* Writes still need registers that exist. */
  assert_int_equal(writes(64000, (uint16_t[]){1}, 1), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(sets_coil(64000, true), MBAP_ILLEGAL_ADDRESS);
}

TEST(inputs_act_when_they_are_written)
{
  /* f32 low word first, 2.5; i16 -3; f64 1; u32 with swapped bytes, 0x01020304 */
  static const uint16_t all[] = {0, 0x4020, (uint16_t)-3, 0x3ff0, 0, 0, 0, 0x0201, 0x0403};
  assert_int_equal(accept_from(ALICE, 5 * MS, frame_write(frame, 0, 200, all, 9)), 0);
  assert_true(effect.inputs);
  assert_false(effect.beat);
  static const double value[] = {6.0, -1.5, 1.0, 0x01020304};
  for (int i = 0; i < 4; i++) {
    assert_true(map.sample[i].value == value[i]);
    assert_int_equal(map.sample[i].t_ns, 5 * MS);
    assert_int_equal(map.sample[i].counted, 0);
  }
  assert_int_equal(map.sample[4].t_ns, 0);
  /* the value is unchanged, but the write is new */
  assert_int_equal(accept_from(ALICE, 6 * MS, frame_short(frame, 0, 6, 202, 8)), 0);
  assert_true(effect.inputs);
  assert_true(map.sample[1].value == 4.0);
  assert_int_equal(map.sample[1].t_ns, 6 * MS);
  assert_int_equal(map.sample[0].t_ns, 5 * MS);

  assert_int_equal(accept_from(ALICE, 7 * MS, frame_coils(frame, 0, 20, 1, 2)), 0);
  assert_true(map.sample[6].value == 4.0); /* 5 * 1 - 1 */
  assert_true(map.sample[7].value == 0.0);
  assert_int_equal(map.sample[7].t_ns, 7 * MS);
  assert_int_equal(sets_coil(20, false), 0);
  assert_true(map.sample[6].value == -1.0);
}

TEST(masks_change_inputs_of_one_register)
{
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 202, 0x12)), 0);
  assert_int_equal(accept_from(ALICE, MS, frame_mask(frame, 0, 202, 0xf2, 0x25)), 0);
  assert_true(map.sample[1].value == 0x17 * 0.5);
  assert_int_equal(accept_from(ALICE, MS, frame_mask(frame, 0, 200, 0xf2, 0x25)), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 201, 1)), MBAP_ILLEGAL_ADDRESS);
}

TEST(inputs_are_refused_whole)
{
  static const uint16_t nan[] = {0, 0x7fc0, 1};
  assert_int_equal(writes(200, nan, 3), MBAP_ILLEGAL_VALUE);
  assert_true(effect.nonfinite);
  assert_int_equal(map.sample[1].t_ns, 0);
  static const uint16_t huge[] = {0x7f7f, 0xffff}; /* it fits, and 1e30 times it, 3e68, fits a double */
  assert_int_equal(writes(300, huge, 2), 0);
  assert_true(isfinite(map.sample[4].value));
  assert_int_equal(writes(208, nan, 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(accept_from(BOB, 2 * MS, frame_short(frame, 0, 6, 202, 1)), MBAP_BUSY);
  show_state(STATE_SAFE, FLAG_SAFE);
  assert_int_equal(accept_from(ALICE, MS, frame_short(frame, 0, 6, 202, 1)), MBAP_DEVICE_FAILURE);
  assert_int_equal(sets_coil(20, true), MBAP_DEVICE_FAILURE);
}

static void with_a_map(const struct modbus_config *config)
{
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, config, &signals));
}

TEST(both_maps_stand_side_by_side)
{
  with_a_map(&(struct modbus_config){.map = wiring, .default_map = true});
  show(STATE_RUNNING, 0);
  assert_int_equal(reads(4, 1000, 14), 0);
  assert_int_equal(reads(3, 100, 66), 0);
  assert_int_equal(reads(3, 200, 9), 0);
  uint16_t block[65] = {0};
  block[1] = 1; /* a denormal number is finite */
  block[64] = 77;
  assert_int_equal(writes(100, block, 65), 0);
  assert_true(effect.inputs && effect.beat);
  assert_int_equal(map.sample[3].sequence, 77);
  assert_int_equal(map.sample[3].counted, 16);
  assert_int_equal(accept_from(ALICE, 2 * MS, frame_short(frame, 0, 6, 202, 4)), 0);
  assert_true(map.sample[1].value == 2.0);
  assert_int_equal(map.sample[1].counted, 0);
}

/* Two entries side by side: a write may not begin in one kind and end in another. */
TEST(a_write_keeps_to_one_kind)
{
  static struct wired next = WRITTEN(0, TABLE_HOLDING, 166, WIRE_U16, WIRE_ABCD, 1, 0);
  static const struct wiring beside = {&next, 1};
  with_a_map(&(struct modbus_config){.map = beside, .default_map = true});
  assert_int_equal(reads(3, 165, 2), 0);
  assert_int_equal(writes(165, (uint16_t[]){0, 1}, 2), MBAP_ILLEGAL_ADDRESS);
  assert_int_equal(writes(166, (uint16_t[]){1}, 1), 0);
}

TEST(the_order_holds_for_every_long_number)
{
  static const struct {
    enum wire_order order;
    uint16_t time[2], cycle[2], body[2];
  } want[] = {
      {WIRE_ABCD, {0x47f1, 0x2000}, {0x0102, 0x0304}, {0x3fc0, 0}},
      {WIRE_CDAB, {0x2000, 0x47f1}, {0x0304, 0x0102}, {0, 0x3fc0}},
      {WIRE_BADC, {0xf147, 0x0020}, {0x0201, 0x0403}, {0xc03f, 0}},
      {WIRE_DCBA, {0x0020, 0xf147}, {0x0403, 0x0201}, {0, 0xc03f}},
  };
  for (int i = 0; i < 4; i++) {
    with_a_map(&(struct modbus_config){.default_map = true, .order = want[i].order});
    const uint16_t *at = map.mapping->tab_input_registers;
    assert_true(isnan(wire_get(&(struct wire){WIRE_F32, want[i].order, 1, 0}, at + 1000)));
    show(STATE_RUNNING, 0.5);
    assert_int_equal(at[0], 0x4133);
    assert_int_equal(at[1], 0x0205);
    assert_int_equal(at[2], STATE_RUNNING);
    assert_int_equal(at[6], 0x0304);
    assert_words(at + 8, want[i].cycle, 2);
    assert_words(at + 10, want[i].time, 2);
    assert_words(at + 1000, want[i].body, 2);
    for (int k = 0; k < 7; k++)
      assert_true(wire_get(&(struct wire){WIRE_F32, want[i].order, 1, 0}, at + 1000 + 2 * k) == 1.5 + k);
    uint16_t block[66] = {0};
    memcpy(block, want[i].body, sizeof want[i].body);
    block[64] = 1;
    block[65] = map_crc(block, 65);
    assert_int_equal(writes(100, block, 66), 0);
    assert_true(map.sample[0].value == 1.5);
  }
}

static char text[1 << 20];

static const char *printed(const struct modbus_config *config)
{
  struct io_map *io_map = io_map_new();
  assert_true(modbus_io_map(config, &signals, io_map));
  FILE *out = fmemopen(text, sizeof text, "w");
  assert_non_null(out);
  io_map_print(io_map, out);
  fclose(out);
  io_map_free(io_map);
  return text;
}

static void assert_has(const char *where, const char *what)
{
  if (!strstr(where, what)) fail_msg("expected \"%s\" in\n%s", what, where);
}

TEST(the_map_for_people_shows_every_register)
{
  static char other[] = "other", e1[] = "body.e1", push[] = "push.y";
  for (int i = 0; i < COUNT; i++) names[i] = (struct signal){other, "m"};
  names[6].name = e1;
  names[INPUT_FIRST + 1] = (struct signal){push, "N"};
  const char *own = printed(&alone);
  assert_has(own, "1 init 2 arm 3 run");
  assert_has(own, "0 INIT 1 STOPPED");
  assert_has(own, "7 the loop was stuck");
  assert_has(own, "inject, stimulus: twice its index");
  assert_has(own, "fault injection");
  assert_has(own, "push.y");
  assert_has(own, "-7 while the state is not READY, RUNNING or PAUSED");
  assert_has(own, "00400203"); /* holding 202 in documents */
  assert_null(strstr(own, "00401001"));
  assert_null(strstr(own, "input CRC"));
  const char *both = printed(&(struct modbus_config){.map = wiring, .default_map = true, .order = WIRE_CDAB});
  assert_has(both, "00301011"); /* input 1010: body 0, e2 */
  assert_has(both, "input CRC");
  assert_has(both, "unused");
  assert_has(both, "cdab");
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Pose, velocity, acceleration and legs; the signals of the platform have them first, except for the target before the
 * legs. */
TEST(the_platform_stands_in_the_default_map)
{
  enum { FIRST = COUNT, ALL = COUNT + PLATFORM_SIGNALS };
  struct signal *name = calloc(ALL, sizeof *name);
  struct signals with = signals;
  with.platform_first = FIRST;
  with.count = ALL;
  with.signal = name;
  for (int i = 0; i < ALL; i++) name[i] = (struct signal){(char[]){"x"}, ""};
  double values[ALL];
  for (int i = 0; i < ALL; i++) values[i] = i;
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &(struct modbus_config){.default_map = true}, &with));
  modbus_map_show(
      &map, &(struct frame){
                .count = ALL, .cycle = 0x54321, .flags = FLAG_PARKED | FLAG_LOCKSTEP, .values = values});
  const uint16_t *at = map.mapping->tab_input_registers;
  for (int i = 0; i < 18; i++) assert_true(frame_get_float(at + 100 + 2 * i) == (float)(FIRST + i));
  for (int i = 0; i < 6; i++) assert_true(frame_get_float(at + 136 + 2 * i) == (float)(FIRST + 24 + i));
  assert_int_equal(at[148], 0x4321);
  assert_int_equal(at[148], at[MAP_FRAME_START]);
  assert_int_equal(at[MAP_STATUS_BITS], 1 << 9 | 1 << 11);
  static const struct {
    int address, count, exception;
  } reads_of[] = {{100, 49, 0}, {99, 3, 2}, {101, 2, 2}, {100, 1, 2}, {148, 1, 0}, {148, 2, 2}, {149, 1, 2}};
  for (size_t i = 0; i < sizeof reads_of / sizeof *reads_of; i++)
    assert_int_equal(reads(4, reads_of[i].address, reads_of[i].count), reads_of[i].exception);
  modbus_map_free(&map);
  assert_true(modbus_map_init(&map, &(struct modbus_config){0}, &with)); /* without the default map */
  assert_int_equal(reads(4, 100, 2), MBAP_ILLEGAL_ADDRESS);
  free(name);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(signals_stand_where_they_were_put),
      ROW(before_the_first_frame_there_is_no_value),
      ROW(safe_values_stand_while_nothing_runs),
      ROW(numbers_are_read_whole_over_any_entries),
      ROW(input_registers_have_a_copy),
      ROW(gaps_read_zero_on_request),
      ROW(inputs_act_when_they_are_written),
      ROW(masks_change_inputs_of_one_register),
      ROW(inputs_are_refused_whole),
      ROW(both_maps_stand_side_by_side),
      ROW(a_write_keeps_to_one_kind),
      ROW(the_order_holds_for_every_long_number),
      ROW(the_map_for_people_shows_every_register),
      ROW(the_platform_stands_in_the_default_map),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
