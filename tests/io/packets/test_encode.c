/* SPDX-License-Identifier: MIT
 * Packets compared with bytes written by hand. */
#include "check.h"
#include "packets/encode.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 4, ROOM = 64 };

static double values[VALUES];
static struct frame frame;
static struct packet_moment moment;
static uint8_t out[ROOM];

static int setup(void **state)
{
  (void)state;
  memset(values, 0, sizeof values);
  frame = (struct frame){.values = values};
  moment = (struct packet_moment){0};
  memset(out, 0xee, sizeof out);
  return 0;
}

static struct packet_field signal_field(enum packet_type type, bool little)
{
  return (struct packet_field){.type = type,
                               .little = little,
                               .size = packet_type_size(type),
                               .source = PACKET_SIGNAL,
                               .signal = 1,
                               .scale = 1.0};
}

/* Encodes a packet of one field with this value; returns the number of clamped fields. */
static int encode(const struct packet_field *f, double value)
{
  values[1] = value;
  const struct packet p = {.field = (struct packet_field *)f, .fields = 1, .size = f->size};
  memset(out, 0xee, sizeof out);
  return packet_encode(&p, &frame, &moment, out);
}

#define assert_bytes(...)                                                                                    \
  do {                                                                                                       \
    const uint8_t expected[] = {__VA_ARGS__, 0xee};                                                          \
    assert_memory_equal(out, expected, sizeof expected);                                                     \
  } while (0)

TEST(integers_of_both_orders)
{
  struct packet_field f = signal_field(PACKET_U8, false);
  assert_int_equal(encode(&f, 200), 0);
  assert_bytes(0xc8);
  f = signal_field(PACKET_I8, false);
  assert_int_equal(encode(&f, -2), 0);
  assert_bytes(0xfe);
  f = signal_field(PACKET_U16, false);
  encode(&f, 0x1234);
  assert_bytes(0x12, 0x34);
  f = signal_field(PACKET_I16, true);
  encode(&f, -300); /* 0xfed4 */
  assert_bytes(0xd4, 0xfe);
  f = signal_field(PACKET_U24, false);
  encode(&f, 8388607);
  assert_bytes(0x7f, 0xff, 0xff);
  f = signal_field(PACKET_U24, true);
  encode(&f, 0x123456);
  assert_bytes(0x56, 0x34, 0x12);
  f = signal_field(PACKET_I24, false);
  encode(&f, -1);
  assert_bytes(0xff, 0xff, 0xff);
  f = signal_field(PACKET_U32, false);
  encode(&f, 4000000000.0); /* 0xee6b2800 */
  assert_bytes(0xee, 0x6b, 0x28, 0x00);
  f = signal_field(PACKET_I32, true);
  encode(&f, -2);
  assert_bytes(0xfe, 0xff, 0xff, 0xff);
  f = signal_field(PACKET_U64, false);
  encode(&f, 0x1p63 + 0x1p40);
  assert_bytes(0x80, 0, 0x01, 0, 0, 0, 0, 0);
}

TEST(floats_of_both_orders)
{
  struct packet_field f = signal_field(PACKET_F32, false);
  assert_int_equal(encode(&f, -0.15625), 0);
  assert_bytes(0xbe, 0x20, 0x00, 0x00);
  f = signal_field(PACKET_F32, true);
  encode(&f, 0.2); /* CD CC 4C 3E: 0.2 m of heave in the guide to the eMotion packet */
  assert_bytes(0xcd, 0xcc, 0x4c, 0x3e);
  f = signal_field(PACKET_F64, false);
  encode(&f, 1.0);
  assert_bytes(0x3f, 0xf0, 0, 0, 0, 0, 0, 0);
  f = signal_field(PACKET_F64, true);
  encode(&f, -2.0);
  assert_bytes(0, 0, 0, 0, 0, 0, 0, 0xc0);
}

TEST(numbers_are_rounded)
{
  struct packet_field f = signal_field(PACKET_I16, false);
  assert_int_equal(encode(&f, 2.5), 0);
  assert_bytes(0x00, 0x03);
  encode(&f, -2.5);
  assert_bytes(0xff, 0xfd);
  encode(&f, 2.4999999);
  assert_bytes(0x00, 0x02);
  assert_int_equal(encode(&f, 32767.4), 0);
  assert_bytes(0x7f, 0xff);
  f = signal_field(PACKET_U8, false);
  assert_int_equal(encode(&f, -0.4), 0);
  assert_bytes(0x00);
}

TEST(numbers_are_clamped_and_counted)
{
  struct packet_field f = signal_field(PACKET_I16, false);
  assert_int_equal(encode(&f, 32767.6), 1);
  assert_bytes(0x7f, 0xff);
  assert_int_equal(encode(&f, -1e300), 1);
  assert_bytes(0x80, 0x00);
  f = signal_field(PACKET_U24, false);
  assert_int_equal(encode(&f, 16777216), 1);
  assert_bytes(0xff, 0xff, 0xff);
  assert_int_equal(encode(&f, -1), 1);
  assert_bytes(0, 0, 0);
  f = signal_field(PACKET_I24, false);
  assert_int_equal(encode(&f, -8388609), 1);
  assert_bytes(0x80, 0, 0);
  f = signal_field(PACKET_U64, false);
  assert_int_equal(encode(&f, 0x1p64), 1);
  assert_bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
  assert_int_equal(encode(&f, -1), 1);
  assert_bytes(0, 0, 0, 0, 0, 0, 0, 0);
  f = signal_field(PACKET_F32, false);
  assert_int_equal(encode(&f, -1e39), 1);
  assert_bytes(0xff, 0x7f, 0xff, 0xff);
}

TEST(nonfinite_values_are_not_sent)
{
  for (enum packet_type type = PACKET_U8; type <= PACKET_F64; type++) {
    struct packet_field f = signal_field(type, false);
    assert_int_equal(encode(&f, NAN), PACKET_UNFIT);
    assert_int_equal(encode(&f, INFINITY), PACKET_UNFIT);
    assert_int_equal(encode(&f, -INFINITY), PACKET_UNFIT);
    assert_int_equal(encode(&f, 0), 0);
    f.scale = 1e-300;
    assert_int_equal(encode(&f, 1e300), PACKET_UNFIT); /* becomes infinite in the conversion */
    double pair[][2] = {{0, 1}, {1, 2}};
    f.table = pair;
    f.pairs = 2;
    assert_int_equal(encode(&f, NAN), PACKET_UNFIT);
  }
}

TEST(scale_and_offset_are_those_of_the_maps)
{
  struct packet_field f = signal_field(PACKET_U24, false); /* -1 to 1 about the middle, as in SimTools */
  f.scale = 1.0 / 8388607.0;
  f.offset = -1.0;
  encode(&f, 0.0);
  assert_bytes(0x7f, 0xff, 0xff);
  encode(&f, -1.0);
  assert_bytes(0, 0, 0);
  assert_int_equal(encode(&f, 1.0), 0);
  assert_bytes(0xff, 0xff, 0xfe);
  f = signal_field(PACKET_I16, false);
  f.scale = -0.001;
  f.offset = 2.0;
  encode(&f, 1.5);
  assert_bytes(0x01, 0xf4); /* (1.5 - 2) / -0.001 = 500 */
}

TEST(a_number_stands_in_while_the_motion_is_withheld)
{
  struct packet_field f = signal_field(PACKET_I16, false);
  frame.flags = FLAG_WITHHELD;
  assert_int_equal(encode(&f, (double)NAN), PACKET_UNFIT);
  f.stands_in = true;
  f.stand_in = 258;
  assert_int_equal(encode(&f, (double)NAN), 0);
  assert_bytes(0x01, 0x02);
  frame.flags = 0;
  assert_int_equal(encode(&f, 5), 0);
  assert_bytes(0x00, 0x05);
}

TEST(tables_map_values_to_sent_numbers)
{
  double pair[][2] = {{0, 170}, {1, 180}, {3, 130}};
  struct packet_field f = signal_field(PACKET_U16, false);
  f.table = pair;
  f.pairs = 3;
  f.value = 210;
  encode(&f, 1);
  assert_bytes(0, 180);
  encode(&f, 2.999999999);
  assert_bytes(0, 130);
  encode(&f, 2);
  assert_bytes(0, 210);
  f.source = PACKET_STATE;
  frame.state = 3;
  encode(&f, 0);
  assert_bytes(0, 130);
}

TEST(counts_wrap)
{
  struct packet_field f = signal_field(PACKET_U8, false);
  f.source = PACKET_COUNTER;
  moment.number = 255;
  assert_int_equal(encode(&f, 0), 0);
  assert_bytes(0xff);
  moment.number = 256;
  assert_int_equal(encode(&f, 0), 0);
  assert_bytes(0x00);
  f = signal_field(PACKET_U24, true);
  f.source = PACKET_CYCLE;
  frame.cycle = 0x5001020304;
  encode(&f, 0);
  assert_bytes(0x04, 0x03, 0x02);
  f = signal_field(PACKET_F64, false);
  f.source = PACKET_COUNTER;
  moment.number = 2;
  encode(&f, 0);
  assert_bytes(0x40, 0, 0, 0, 0, 0, 0, 0);
}

TEST(time_counts_from_the_start)
{
  struct packet_field f = signal_field(PACKET_U32, false);
  f.source = PACKET_TIME;
  f.unit_ns = 1000;
  moment.start_ns = 1000000000;
  frame.t_ns = 1000000000 + 258999;
  encode(&f, 0);
  assert_bytes(0, 0, 1, 2); /* 258 us */
  frame.t_ns = moment.start_ns + (UINT64_C(0x100000000) + 7) * 1000;
  encode(&f, 0);
  assert_bytes(0, 0, 0, 7);
}

/* "123456789" and the checksum: the check values of the catalogues. */
TEST(checksums)
{
  uint8_t digits[] = "123456789";
  struct packet_field field[] = {{.type = PACKET_BYTES, .size = 9, .bytes = digits}, {.at = 9}};
  const struct packet p = {.field = field, .fields = 2, .size = 13};
  static const struct {
    enum packet_type type;
    bool little;
    uint8_t expected[5];
  } check[] = {
      {PACKET_SUM8, false, {0xdd, 0xee, 0xee, 0xee, 0xee}},
      {PACKET_XOR8, false, {0x31, 0xee, 0xee, 0xee, 0xee}},
      {PACKET_CRC16, false, {0x4b, 0x37, 0xee, 0xee, 0xee}},
      {PACKET_CRC16, true, {0x37, 0x4b, 0xee, 0xee, 0xee}},
      {PACKET_CRC32, false, {0xcb, 0xf4, 0x39, 0x26, 0xee}},
      {PACKET_CRC32, true, {0x26, 0x39, 0xf4, 0xcb, 0xee}},
  };
  for (size_t i = 0; i < sizeof check / sizeof *check; i++) {
    field[1].type = check[i].type;
    field[1].size = packet_type_size(check[i].type);
    field[1].little = check[i].little;
    memset(out, 0xee, sizeof out);
    assert_int_equal(packet_encode(&p, &frame, &moment, out), 0);
    assert_memory_equal(out, "123456789", 9);
    assert_memory_equal(out + 9, check[i].expected, 5);
  }
  field[1].type = PACKET_SUM8;
  field[1].size = 1;
  field[1].from = 7; /* "89" */
  packet_encode(&p, &frame, &moment, out);
  assert_int_equal(out[9], '8' + '9');
}

/* Header, two numbers, padding, trailer: each begins where the last one ends. */
TEST(fields_follow_each_other)
{
  uint8_t head[] = {0xff, 0xff}, tail[] = {0x0a, 0x0d};
  struct packet_field field[] = {
      {.type = PACKET_BYTES, .at = 0, .size = 2, .bytes = head},
      {.type = PACKET_U24, .at = 2, .size = 3, .source = PACKET_SIGNAL, .signal = 0, .scale = 1.0},
      {.type = PACKET_F32, .at = 5, .size = 4, .source = PACKET_VALUE, .value = 1.0},
      {.type = PACKET_ZEROS, .at = 9, .size = 3},
      {.type = PACKET_U16, .at = 12, .size = 2, .source = PACKET_SIGNAL, .signal = 3, .scale = 1.0},
      {.type = PACKET_BYTES, .at = 14, .size = 2, .bytes = tail},
  };
  const struct packet p = {.field = field, .fields = 6, .size = 16};
  values[0] = 0x010203;
  values[3] = 1e9; /* only this one is clamped */
  assert_int_equal(packet_encode(&p, &frame, &moment, out), 1);
  assert_bytes(0xff, 0xff, 1, 2, 3, 0x3f, 0x80, 0, 0, 0, 0, 0, 0xff, 0xff, 0x0a, 0x0d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(integers_of_both_orders, setup, NULL),
      cmocka_unit_test_setup_teardown(floats_of_both_orders, setup, NULL),
      cmocka_unit_test_setup_teardown(numbers_are_rounded, setup, NULL),
      cmocka_unit_test_setup_teardown(numbers_are_clamped_and_counted, setup, NULL),
      cmocka_unit_test_setup_teardown(nonfinite_values_are_not_sent, setup, NULL),
      cmocka_unit_test_setup_teardown(scale_and_offset_are_those_of_the_maps, setup, NULL),
      cmocka_unit_test_setup_teardown(a_number_stands_in_while_the_motion_is_withheld, setup, NULL),
      cmocka_unit_test_setup_teardown(tables_map_values_to_sent_numbers, setup, NULL),
      cmocka_unit_test_setup_teardown(counts_wrap, setup, NULL),
      cmocka_unit_test_setup_teardown(time_counts_from_the_start, setup, NULL),
      cmocka_unit_test_setup_teardown(checksums, setup, NULL),
      cmocka_unit_test_setup_teardown(fields_follow_each_other, setup, NULL),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
