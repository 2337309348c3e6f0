/* SPDX-License-Identifier: MIT
 * CRC-32 of every length and alignment up to three words of eight bytes, against the definition bit by bit. */
#include "base/crc.h"
#include "check.h"
#include "common/random.h"

static uint32_t crc_by_bits(const uint8_t *data, size_t n)
{
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < 8 * n; i++) {
    const uint32_t bit = (data[i / 8] >> i % 8 ^ crc) & 1;
    crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
  }
  return ~crc;
}

TEST(every_length_and_alignment)
{
  struct random r = {3};
  uint8_t data[32];
  assert_int_equal(crc_by_bits((const uint8_t *)"123456789", 9), 0xcbf43926);
  for (int round = 0; round < 20; round++) {
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)random_next(&r);
    for (size_t from = 0; from < 8; from++)
      for (size_t n = 0; n <= 24; n++)
        assert_int_equal(crc32_ieee(data + from, n), crc_by_bits(data + from, n));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_length_and_alignment)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
