/* SPDX-License-Identifier: MIT */
#include "base/crc.h"
#include "check.h"
#include "modbus_server/modbus_frame.h"
#include "modbus_server/rtu.h"

#include <stdlib.h>

enum { UNIT = 17, OTHER = 18 };

static uint8_t tcp[FRAME_MAX], rtu[FRAME_MAX];
static struct mbap_request request;
static size_t length;

static enum rtu_verdict next(size_t n, bool quiet)
{
  return rtu_next(rtu, n, UNIT, quiet, &request, &length);
}

/* One good request of every function, as a TCP frame. Returns its length. */
static size_t good(int i)
{
  static const uint16_t values[123] = {0x1234, 0xabcd};
  static const uint8_t identification[] = {43, 14, 1, 0}, report[] = {17};
  switch (i) {
  case 6:
    return frame_coils(tcp, i, 1, 0x5, 11);
  case 7:
    return frame_write(tcp, i, 100, values, 123);
  case 8:
    return frame_write_and_read(tcp, i, 0, 3, 100, values, 2);
  case 9:
    return frame_pdu(tcp, i, identification, sizeof identification);
  case 10:
    return frame_mask(tcp, i, 0, 0xf2, 0x25);
  case 11:
    return frame_pdu(tcp, i, report, sizeof report);
  default:
    return frame_short(tcp, i, i + 1, 0, i == 4 ? 0xff00 : 2);
  }
}
enum { GOOD = 12 };

static size_t good_rtu(int i, int unit)
{
  return frame_rtu(rtu, unit, tcp, good(i));
}

TEST(the_crc_is_the_crc_of_the_standard)
{
  assert_int_equal(crc16_modbus((const uint8_t *)"123456789", 9), 0x4b37);
  static const uint8_t read[] = {1, 3, 0, 0, 0, 10, 0xc5, 0xcd}; /* sent low byte first */
  assert_int_equal(crc16_modbus(read, 6), 0xcdc5);
}

TEST(a_frame_is_found_only_when_its_last_byte_is_there)
{
  for (int i = 0; i < GOOD; i++) {
    size_t n = good_rtu(i, UNIT);
    for (size_t part = 1; part < n; part++) {
      assert_int_equal(next(part, false), RTU_MORE);
      assert_int_equal(next(part, true), RTU_BAD);
    }
    assert_int_equal(next(n, false), RTU_FRAME);
    assert_int_equal(length, n);
    assert_int_equal(request.function, tcp[7]);
    assert_int_equal(request.exception, 0);
    assert_int_equal(next(n + 3, false), RTU_FRAME); /* whatever follows */
    assert_int_equal(length, n);
  }
}

TEST(a_wrong_crc_is_no_frame)
{
  for (int i = 0; i < GOOD; i++) {
    size_t n = good_rtu(i, UNIT);
    for (size_t at = 2; at < n; at++) {
      rtu[at] ^= 0x10;
      assert_int_not_equal(next(n, true), RTU_FRAME);
      rtu[at] ^= 0x10;
    }
    assert_int_equal(next(n, true), RTU_FRAME);
  }
  size_t n = good_rtu(3, UNIT);
  rtu[n - 1] ^= 1;
  assert_int_equal(next(n, false), RTU_BAD); /* at once: the following bytes must not wait for silence */
}

TEST(other_units_are_let_be)
{
  for (int i = 0; i < GOOD; i++) {
    size_t n = good_rtu(i, OTHER);
    assert_int_equal(next(n, false), RTU_OTHER);
    assert_int_equal(length, n);
  }
  /* and their answers: 2 registers; an exception; the echo of a write */
  static const struct {
    uint8_t n, pdu[8];
  } answer[] = {{6, {3, 4, 0, 1, 0, 2}}, {2, {0x83, 2}}, {5, {16, 0, 100, 0, 123}}, {5, {6, 0, 4, 0, 200}}};
  for (int i = 0; i < 4; i++) {
    size_t n = frame_rtu(rtu, OTHER, tcp, frame_pdu(tcp, 0, answer[i].pdu, answer[i].n));
    assert_int_equal(next(n, false), RTU_OTHER);
    assert_int_equal(length, n);
  }
}

TEST(a_broadcast_can_only_write)
{
  for (int i = 0; i < GOOD; i++) {
    size_t n = good_rtu(i, RTU_BROADCAST);
    bool writes = i == 4 || i == 5 || i == 6 || i == 7 || i == 10;
    assert_int_equal(next(n, false), writes ? RTU_FRAME : RTU_OTHER);
    assert_int_equal(length, n);
  }
}

TEST(only_silence_ends_a_function_nobody_knows)
{
  static const uint8_t status[] = {7}, diagnostics[] = {8, 0, 0, 0xa5, 0x37};
  size_t n = frame_rtu(rtu, UNIT, tcp, frame_pdu(tcp, 0, status, sizeof status));
  assert_int_equal(next(n, false), RTU_MORE);
  assert_int_equal(next(n, true), RTU_FRAME);
  assert_int_equal(request.exception, MBAP_ILLEGAL_FUNCTION);
  n = frame_rtu(rtu, UNIT, tcp, frame_pdu(tcp, 0, diagnostics, sizeof diagnostics));
  assert_int_equal(next(n, true), RTU_FRAME);
  assert_int_equal(request.exception, MBAP_ILLEGAL_FUNCTION);
  n = frame_rtu(rtu, OTHER, tcp, frame_pdu(tcp, 0, status, sizeof status));
  assert_int_equal(next(n, true), RTU_OTHER);
  rtu[0] = UNIT;
  assert_int_equal(next(n, true), RTU_BAD);
}

TEST(a_bad_count_is_answered)
{
  size_t n = frame_rtu(rtu, UNIT, tcp, frame_short(tcp, 0, 3, 0, 126));
  assert_int_equal(next(n, false), RTU_FRAME);
  assert_int_equal(request.exception, MBAP_ILLEGAL_VALUE);
}

/* Garbage before, between and after requests: every request is found once. */
TEST(frames_are_found_among_garbage)
{
  static uint8_t line[4 * FRAME_MAX];
  unsigned seed = 5;
  for (int round = 0; round < 2000; round++) {
    size_t used = 0;
    int asked = 0;
    for (int k = 0; k < 3; k++) {
      for (unsigned noise = seed % 9; noise > 0; noise--) {
        seed = seed * 1103515245u + 12345u;
        line[used++] = (uint8_t)(seed >> 20);
      }
      seed = seed * 1103515245u + 12345u;
      const int which = (int)(seed >> 16) % 6; /* short ones */
      size_t n = good_rtu(which, UNIT);
      memcpy(line + used, rtu, n);
      used += n;
      asked += 1;
    }
    int found = 0;
    for (size_t at = 0; at < used;) {
      uint8_t *exact = malloc(used - at); /* a sanitizer sees any access beyond it */
      assert_non_null(exact);
      memcpy(exact, line + at, used - at);
      const enum rtu_verdict v = rtu_next(exact, used - at, UNIT, true, &request, &length);
      free(exact);
      assert_int_not_equal(v, RTU_MORE);
      found += v == RTU_FRAME;
      at += v == RTU_BAD ? 1 : length;
    }
    assert_int_equal(found, asked);
  }
}

/* After silence no byte waits; without silence at most a frame waits. */
TEST(no_bytes_wait_for_ever)
{
  unsigned seed = 11;
  for (int round = 0; round < 100000; round++) {
    const size_t n = 1 + (size_t)round % 300;
    for (size_t i = 0; i < n && i < 16; i++) {
      seed = seed * 1103515245u + 12345u;
      rtu[i] = (uint8_t)(seed >> 20);
    }
    rtu[0] = round % 3 == 0 ? UNIT : rtu[0];
    rtu[1] &= round % 2 ? 31 : 255;
    assert_int_not_equal(next(n, true), RTU_MORE);
    if (n > RTU_ADU_MAX) assert_int_not_equal(next(n, false), RTU_MORE);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_crc_is_the_crc_of_the_standard),
      cmocka_unit_test(a_frame_is_found_only_when_its_last_byte_is_there),
      cmocka_unit_test(a_wrong_crc_is_no_frame),
      cmocka_unit_test(other_units_are_let_be),
      cmocka_unit_test(a_broadcast_can_only_write),
      cmocka_unit_test(only_silence_ends_a_function_nobody_knows),
      cmocka_unit_test(a_bad_count_is_answered),
      cmocka_unit_test(frames_are_found_among_garbage),
      cmocka_unit_test(no_bytes_wait_for_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
