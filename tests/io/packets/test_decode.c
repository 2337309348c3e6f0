/* SPDX-License-Identifier: MIT
 * Received packets: bytes written by hand, the way back of everything that is sent, and every kind of wrong packet. */
#include "packets/decode.h"

#include "check.h"
#include "common/random.h"
#include "packets/encode.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct packet_field number_field(enum packet_type type, bool little, int at)
{
  return (struct packet_field){.type = type,
                               .little = little,
                               .at = at,
                               .size = packet_type_size(type),
                               .source = PACKET_SIGNAL,
                               .scale = 1.0};
}

static double decoded_number(enum packet_type type, bool little, const uint8_t *bytes)
{
  struct packet_field f = number_field(type, little, 0);
  const struct packet p = {.field = &f, .fields = 1, .size = f.size, .received = true};
  static struct decoded d;
  assert_int_equal(packet_decode(&p, bytes, (size_t)f.size, &d), DECODE_GOOD);
  return d.value[0];
}

TEST(numbers_of_every_type)
{
  static const uint8_t high[8] = {0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8};
  assert_true(decoded_number(PACKET_U8, false, high) == 255.0);
  assert_true(decoded_number(PACKET_I8, false, high) == -1.0);
  assert_true(decoded_number(PACKET_U16, false, high) == 0xfffe);
  assert_true(decoded_number(PACKET_U16, true, high) == 0xfeff);
  assert_true(decoded_number(PACKET_I16, false, high) == -2.0);
  assert_true(decoded_number(PACKET_I24, true, high) == (double)(0xfdfeff - 0x1000000));
  assert_true(decoded_number(PACKET_U32, false, high) == (double)0xfffefdfcu);
  assert_true(decoded_number(PACKET_I32, false, high) == -66052.0);
  static const uint8_t one[8] = {0x3f, 0x80, 0, 0};
  assert_true(decoded_number(PACKET_F32, false, one) == 1.0);
}

/* Random values go out and come back, within the steps of their type. */
TEST(the_way_out_and_back)
{
  static const enum packet_type type[] = {PACKET_I16, PACKET_U24, PACKET_I32, PACKET_F32, PACKET_F64};
  struct random random = {.state = 5};
  for (int n = 0; n < 2000; n++) {
    double value[8];
    struct packet_field field[10];
    const struct frame frame = {.values = value};
    uint8_t bytes[100];
    static struct decoded d;
    int at = 0;
    for (int i = 0; i < 8; i++) {
      field[i] = number_field(type[random_below(&random, 5)], random_below(&random, 2), at);
      field[i].signal = i;
      field[i].scale = field[i].type == PACKET_F32 || field[i].type == PACKET_F64 ? -2.0 : 0.001;
      field[i].offset = -1.0;
      at += field[i].size;
      value[i] = random_between(&random, -0.99, 15.0);
    }
    field[8] = (struct packet_field){.type = PACKET_U16, .at = at, .size = 2, .source = PACKET_COUNTER};
    field[9] = (struct packet_field){.type = PACKET_CRC32, .little = true, .at = at + 2, .size = 4};
    const struct packet p = {.field = field, .fields = 10, .size = at + 6, .divisor = 1};
    const struct packet_moment moment = {.number = 65536 + (uint64_t)n};
    assert_true(packet_encode(&p, &frame, &moment, bytes) >= 0);
    assert_int_equal(packet_decode(&p, bytes, (size_t)p.size, &d), DECODE_GOOD);
    for (int i = 0; i < 8; i++) assert_near(d.value[i], value[i], field[i].scale > 0.0 ? 5.01e-4 : 2e-6);
    assert_int_equal(d.counter, n);
    assert_int_equal(d.counted, 16);
    /* One wrong bit anywhere is found. */
    bytes[random_below(&random, p.size)] ^= (uint8_t)(1 << random_below(&random, 8));
    assert_int_equal(packet_decode(&p, bytes, (size_t)p.size, &d), DECODE_CHECKSUM);
  }
}

TEST(wrong_packets_are_told_apart)
{
  uint8_t mark[] = {0xa5};
  struct packet_field field[] = {
      {.type = PACKET_BYTES, .at = 0, .size = 1, .bytes = mark},
      {.type = PACKET_U8, .at = 1, .size = 1, .source = PACKET_VALUE, .value = 7},
      {.type = PACKET_ZEROS, .at = 2, .size = 1},
      {.type = PACKET_F32, .at = 3, .size = 4, .source = PACKET_SIGNAL, .scale = 1.0},
      {.type = PACKET_SUM8, .at = 7, .size = 1, .from = 0},
  };
  const struct packet p = {.field = field, .fields = 5, .size = 8, .received = true};
  static struct decoded d;
  uint8_t good[] = {0xa5, 7, 99, 0x40, 0, 0, 0, 0};
  good[7] = (uint8_t)(0xa5 + 7 + 99 + 0x40);
  assert_int_equal(packet_decode(&p, good, 8, &d), DECODE_GOOD); /* the byte of zeros is ignored */
  assert_true(d.value[3] == 2.0);
  assert_int_equal(d.counted, 0);
  assert_int_equal(packet_decode(&p, good, 7, &d), DECODE_SIZE);
  uint8_t bad[8];
  memcpy(bad, good, 8);
  bad[0] ^= 1;
  bad[7] ^= 1;
  assert_int_equal(packet_decode(&p, bad, 8, &d), DECODE_CONTENT);
  memcpy(bad, good, 8);
  bad[1]++;
  bad[7]++;
  assert_int_equal(packet_decode(&p, bad, 8, &d), DECODE_CONTENT);
  memcpy(bad, good, 8);
  bad[7]++;
  assert_int_equal(packet_decode(&p, bad, 8, &d), DECODE_CHECKSUM);
  memcpy(bad, good, 8);
  bad[3] = 0x7f;
  bad[4] = 0xc0; /* NaN */
  bad[7] = (uint8_t)(0xa5 + 7 + 99 + 0x7f + 0xc0);
  assert_int_equal(packet_decode(&p, bad, 8, &d), DECODE_NUMBER);
  assert_true(d.value[3] == 2.0); /* the result of the last good packet stays */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_of_every_type),
      cmocka_unit_test(the_way_out_and_back),
      cmocka_unit_test(wrong_packets_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
