/* SPDX-License-Identifier: MIT
 * Numbers in registers. The expected words are written out; the words of 123456.0 are the example of the libmodbus
 * manual. */
#include "check.h"
#include "wire/wire.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static const enum wire_order ORDERS[] = {WIRE_ABCD, WIRE_CDAB, WIRE_BADC, WIRE_DCBA};

static struct wire plain(enum wire_type type, enum wire_order order)
{
  return (struct wire){type, order, 1.0, 0.0};
}

static void expect_words(const struct wire *w, double value, const uint16_t *word)
{
  uint16_t at[4] = {0};
  assert_int_equal(wire_put(w, value, at), WIRE_FITS);
  assert_memory_equal(at, word, sizeof *at * (size_t)wire_registers(w->type));
  assert_true(wire_get(w, at) == value);
}

TEST(word_orders)
{
  static const uint16_t float_words[][2] = {
      {0x47f1, 0x2000}, {0x2000, 0x47f1}, {0xf147, 0x0020}, {0x0020, 0xf147}};
  static const uint16_t long_words[][2] = {
      {0x0102, 0x0304}, {0x0304, 0x0102}, {0x0201, 0x0403}, {0x0403, 0x0201}};
  static const uint16_t double_words[][4] = {{0x3ff3, 0xc0ca, 0x428c, 0x59fb},
                                             {0x59fb, 0x428c, 0xc0ca, 0x3ff3},
                                             {0xf33f, 0xcac0, 0x8c42, 0xfb59},
                                             {0xfb59, 0x8c42, 0xcac0, 0xf33f}};
  for (int i = 0; i < 4; i++) {
    expect_words(&(struct wire){WIRE_F32, ORDERS[i], 1.0, 0.0}, 123456.0, float_words[i]);
    expect_words(&(struct wire){WIRE_U32, ORDERS[i], 1.0, 0.0}, 0x01020304, long_words[i]);
    expect_words(&(struct wire){WIRE_F64, ORDERS[i], 1.0, 0.0}, 1.2345678901234567, double_words[i]);
    expect_words(&(struct wire){WIRE_I16, ORDERS[i], 1.0, 0.0}, 0x0102, (const uint16_t[]){0x0102});
  }
}

TEST(all_types_come_back)
{
  static const double value[] = {0.0, 1.0, 100.0, 12345.0, -1.0, -12345.0};
  for (int type = WIRE_F32; type < WIRE_BIT; type++)
    for (int o = 0; o < 4; o++)
      for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        const struct wire w = plain((enum wire_type)type, ORDERS[o]);
        uint16_t at[4];
        const bool fits = value[i] >= 0.0 || (type != WIRE_U16 && type != WIRE_U32);
        assert_int_equal(wire_put(&w, value[i], at), fits ? WIRE_FITS : WIRE_CLAMPED);
        assert_true(wire_get(&w, at) == (fits ? value[i] : 0.0));
      }
}

TEST(scale_and_offset)
{
  const struct wire celsius = {WIRE_I16, WIRE_ABCD, 0.1, 273.15}; /* tenths of a degree; the signal in K */
  uint16_t at[1];
  assert_int_equal(wire_put(&celsius, 273.15 + 21.5, at), WIRE_FITS);
  assert_int_equal(at[0], 215);
  assert_true(fabs(wire_get(&celsius, at) - 294.65) < 1e-9);
  assert_int_equal(wire_put(&celsius, 273.15 - 0.3, at), WIRE_FITS);
  assert_int_equal((int16_t)at[0], -3);
}

TEST(integers_are_clamped)
{
  static const struct {
    enum wire_type type;
    double value, shown;
    enum wire_fit fit;
  } c[] = {
      {WIRE_U16, 65535.0, 65535.0, WIRE_FITS},
      {WIRE_U16, 65535.4, 65535.0, WIRE_FITS},
      {WIRE_U16, 65535.6, 65535.0, WIRE_CLAMPED},
      {WIRE_U16, -0.4, 0.0, WIRE_FITS},
      {WIRE_U16, -0.6, 0.0, WIRE_CLAMPED},
      {WIRE_I16, 32768.0, 32767.0, WIRE_CLAMPED},
      {WIRE_I16, -32769.0, -32768.0, WIRE_CLAMPED},
      {WIRE_U32, 1e300, 4294967295.0, WIRE_CLAMPED},
      {WIRE_I32, -1e300, -2147483648.0, WIRE_CLAMPED},
      {WIRE_I32, 2147483647.0, 2147483647.0, WIRE_FITS},
      {WIRE_I16, INFINITY, 32767.0, WIRE_CLAMPED},
      {WIRE_I16, 2.5, 3.0, WIRE_FITS},
      {WIRE_U16, NAN, 65535.0, WIRE_NO_VALUE},
      {WIRE_I16, NAN, -32768.0, WIRE_NO_VALUE},
      {WIRE_I32, NAN, -2147483648.0, WIRE_NO_VALUE},
  };
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    const struct wire w = plain(c[i].type, WIRE_ABCD);
    uint16_t at[2];
    assert_int_equal(wire_put(&w, c[i].value, at), c[i].fit);
    assert_true(wire_get(&w, at) == c[i].shown);
  }
}

TEST(no_value)
{
  const struct wire f = plain(WIRE_F32, WIRE_ABCD), d = plain(WIRE_F64, WIRE_DCBA),
                    b = plain(WIRE_BIT, WIRE_ABCD);
  uint16_t at[4];
  assert_int_equal(wire_put(&f, 1e39, at), WIRE_NO_VALUE); /* too large for 32 bits */
  assert_true(isnan(wire_get(&f, at)));
  assert_int_equal(wire_put(&d, INFINITY, at), WIRE_NO_VALUE);
  assert_true(isnan(wire_get(&d, at)));
  assert_int_equal(wire_put(&b, NAN, at), WIRE_NO_VALUE);
  assert_true(wire_get(&b, at) == 0.0);
  assert_int_equal(wire_put(&b, -3.0, at), WIRE_FITS);
  assert_true(wire_get(&b, at) == 1.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(word_orders),      cmocka_unit_test(all_types_come_back),
      cmocka_unit_test(scale_and_offset), cmocka_unit_test(integers_are_clamped),
      cmocka_unit_test(no_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
