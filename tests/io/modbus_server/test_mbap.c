/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "modbus_server/mbap.h"
#include "modbus_server/modbus_frame.h"

#include <stdlib.h>

static const uint16_t values[123] = {0x1234, 0xabcd};

/* One good request of every function. Returns its length, 0 after the last. */
static size_t good(int i, uint8_t *frame)
{
  static const uint8_t identification[] = {43, 14, 1, 0};
  switch (i) {
  case 0:
    return frame_short(frame, i, 1, 0, 2000);
  case 1:
    return frame_short(frame, i, 2, 0, 16);
  case 2:
    return frame_short(frame, i, 3, 100, 125);
  case 3:
    return frame_short(frame, i, 4, 1000, 14);
  case 4:
    return frame_short(frame, i, 5, 3, 0xff00);
  case 5:
    return frame_short(frame, i, 6, 164, 1);
  case 6:
    return frame_coils(frame, i, 1, 0x5, 11);
  case 7:
    return frame_write(frame, i, 100, values, 123);
  case 8:
    return frame_write_and_read(frame, i, 0, 3, 100, values, 2);
  case 9:
    return frame_pdu(frame, i, identification, sizeof identification);
  case 10:
    return frame_mask(frame, i, 0, 0x00f2, 0x0025);
  default:
    return 0;
  }
}
enum { GOOD = 11 };

TEST(a_frame_is_found_only_when_its_last_byte_is_there)
{
  uint8_t frame[FRAME_MAX];
  struct mbap_request r;
  for (int i = 0; i < GOOD; i++) {
    size_t n = good(i, frame);
    for (size_t part = 0; part < n; part++) assert_int_equal(mbap_next(frame, part, &r), MBAP_MORE);
    assert_int_equal(mbap_next(frame, n, &r), MBAP_FRAME);
    assert_int_equal(r.length, n);
    assert_int_equal(r.function, frame[7]);
    assert_int_equal(r.exception, 0);
  }
}

TEST(frames_in_a_row_are_found_one_by_one)
{
  uint8_t stream[GOOD * FRAME_MAX];
  size_t n = 0, at = 0;
  for (int i = 0; i < GOOD; i++) n += good(i, stream + n);
  struct mbap_request r;
  for (int i = 0; i < GOOD; i++) {
    assert_int_equal(mbap_next(stream + at, n - at, &r), MBAP_FRAME);
    assert_int_equal(stream[at + 1], i);
    at += r.length;
  }
  assert_int_equal(at, n);
}

TEST(a_request_is_taken_apart)
{
  uint8_t frame[FRAME_MAX];
  struct mbap_request r;

  mbap_next(frame, frame_short(frame, 0, 4, 1014, 28), &r);
  assert_int_equal(r.read_address, 1014);
  assert_int_equal(r.read_count, 28);
  assert_int_equal(r.write_count, 0);

  mbap_next(frame, frame_short(frame, 0, 6, 164, 0xbeef), &r);
  assert_int_equal(r.read_count, 0);
  assert_int_equal(r.write_address, 164);
  assert_int_equal(r.write_count, 1);
  assert_int_equal(mbap_register(&r, 0), 0xbeef);

  mbap_next(frame, frame_write_and_read(frame, 0, 7, 8, 100, values, 2), &r);
  assert_int_equal(r.read_address, 7);
  assert_int_equal(r.read_count, 8);
  assert_int_equal(r.write_address, 100);
  assert_int_equal(r.write_count, 2);
  assert_int_equal(mbap_register(&r, 0), 0x1234);
  assert_int_equal(mbap_register(&r, 1), 0xabcd);

  mbap_next(frame, frame_coils(frame, 0, 1, 0x402, 11), &r);
  for (int i = 0; i < 11; i++) assert_int_equal(mbap_coil(&r, i), i == 1 || i == 10);
  mbap_next(frame, frame_short(frame, 0, 5, 3, 0xff00), &r);
  assert_true(mbap_coil(&r, 0));
  mbap_next(frame, frame_short(frame, 0, 5, 3, 0), &r);
  assert_false(mbap_coil(&r, 0));
}

/* The example of the specification: 0x12 with and-mask 0xF2 and or-mask 0x25 gives 0x17. */
TEST(a_mask_changes_the_bits_it_names)
{
  uint8_t frame[FRAME_MAX];
  struct mbap_request r;
  mbap_next(frame, frame_mask(frame, 0, 4, 0xf2, 0x25), &r);
  assert_int_equal(r.write_address, 4);
  assert_int_equal(r.write_count, 1);
  assert_int_equal(r.read_count, 0);
  assert_int_equal(mbap_written(&r, 0, 0x12), 0x17);
  assert_int_equal(mbap_written(&r, 0, 0xffff), 0xf7);
  mbap_next(frame, frame_short(frame, 0, 6, 4, 0xbeef), &r);
  assert_int_equal(mbap_written(&r, 0, 0x12), 0xbeef);
}

TEST(a_pdu_is_taken_apart_by_itself)
{
  static const uint8_t pdu[] = {3, 0, 107, 0, 3};
  struct mbap_request r;
  mbap_pdu(pdu, sizeof pdu, &r);
  assert_int_equal(r.exception, 0);
  assert_int_equal(r.length, sizeof pdu);
  assert_int_equal(r.read_address, 107);
  assert_int_equal(r.read_count, 3);
  mbap_pdu(pdu, 4, &r);
  assert_int_equal(r.exception, 3);
  mbap_pdu(pdu, 1, &r);
  assert_int_equal(r.exception, 3);
}

TEST(a_header_that_is_not_modbus_ends_the_stream_as_soon_as_it_shows)
{
  uint8_t frame[FRAME_MAX];
  struct mbap_request r;
  frame_short(frame, 0, 4, 0, 1);
  frame[3] = 7;
  assert_int_equal(mbap_next(frame, 3, &r), MBAP_MORE);
  assert_int_equal(mbap_next(frame, 4, &r), MBAP_BAD);
  frame[3] = 0;
  for (int length = 0; length < 0x10000; length++) {
    frame_word(frame + 4, length);
    enum mbap_verdict v = mbap_next(frame, 6, &r);
    assert_int_equal(v, length >= 2 && length <= 254 ? MBAP_MORE : MBAP_BAD);
  }
  frame_short(frame, 0, 0x83, 0, 1); /* an answer, not a request */
  assert_int_equal(mbap_next(frame, 8, &r), MBAP_BAD);
}

TEST(a_pdu_shorter_or_longer_than_its_function_is_refused)
{
  uint8_t frame[FRAME_MAX] = {0};
  struct mbap_request r;
  for (int i = 0; i < GOOD; i++) {
    size_t n = good(i, frame);
    for (size_t wrong = 8; wrong <= 260; wrong++) {
      if (wrong == n) continue;
      frame_word(frame + 4, (int)wrong - 6);
      assert_int_equal(mbap_next(frame, wrong, &r), MBAP_FRAME);
      assert_int_equal(r.length, wrong);
      /* an identification without its MEI type is an unknown function */
      assert_int_equal(r.exception, i == 9 && wrong == 8 ? 1 : 3);
    }
  }
}

TEST(quantities_are_held_to_their_limits)
{
  static const struct {
    int function, max;
  } read[] = {{1, 2000}, {2, 2000}, {3, 125}, {4, 125}};
  uint8_t frame[FRAME_MAX];
  struct mbap_request r;
  for (size_t i = 0; i < 4; i++)
    for (int count = 0; count < 0x10000; count++) {
      mbap_next(frame, frame_short(frame, 0, read[i].function, 0, count), &r);
      assert_int_equal(r.exception, count >= 1 && count <= read[i].max ? 0 : 3);
    }

  for (int value = 0; value < 0x10000; value++) {
    mbap_next(frame, frame_short(frame, 0, 5, 0, value), &r);
    assert_int_equal(r.exception, value == 0 || value == 0xff00 ? 0 : 3);
    mbap_next(frame, frame_short(frame, 0, 6, 0, value), &r);
    assert_int_equal(r.exception, 0);
  }

  uint16_t many[123] = {0};
  for (int count = 0; count <= 123; count++) {
    mbap_next(frame, frame_write(frame, 0, 0, many, count), &r);
    assert_int_equal(r.exception, count >= 1 ? 0 : 3);
  }
  for (int count = 0; count <= 121; count++) {
    mbap_next(frame, frame_write_and_read(frame, 0, 0, 125, 0, many, count), &r);
    assert_int_equal(r.exception, count >= 1 ? 0 : 3);
  }
  mbap_next(frame, frame_write_and_read(frame, 0, 0, 126, 0, many, 1), &r);
  assert_int_equal(r.exception, 3);
}

TEST(the_byte_count_must_agree_with_the_quantity)
{
  uint8_t frame[FRAME_MAX];
  struct mbap_request r;
  size_t n = frame_write(frame, 0, 100, values, 10);
  for (int bytes = 0; bytes < 256; bytes++) {
    frame[12] = (uint8_t)bytes;
    mbap_next(frame, n, &r);
    assert_int_equal(r.exception, bytes == 20 ? 0 : 3);
  }
  frame[12] = 20;
  for (int count = 0; count < 0x10000; count++) {
    frame_word(frame + 10, count);
    mbap_next(frame, n, &r);
    assert_int_equal(r.exception, count == 10 ? 0 : 3);
  }
  n = frame_coils(frame, 0, 0, 0, 11);
  for (int count = 0; count < 0x10000; count++) {
    frame_word(frame + 10, count);
    mbap_next(frame, n, &r);
    assert_int_equal(r.exception, count >= 9 && count <= 16 ? 0 : 3);
  }
}

TEST(functions_nobody_serves_are_refused)
{
  static const int served[] = {1, 2, 3, 4, 5, 6, 15, 16, 17, 22, 23, 43};
  uint8_t frame[FRAME_MAX];
  struct mbap_request r;
  for (int function = 0; function < 128; function++) {
    int known = 0;
    for (size_t i = 0; i < sizeof served / sizeof *served; i++) known |= served[i] == function;
    if (known) continue;
    assert_int_equal(mbap_next(frame, frame_short(frame, 0, function, 0, 1), &r), MBAP_FRAME);
    assert_int_equal(r.exception, 1);
  }
  static const uint8_t canopen[] = {43, 13, 0, 0};
  mbap_next(frame, frame_pdu(frame, 0, canopen, sizeof canopen), &r);
  assert_int_equal(r.exception, 1);
}

/* Good requests with a few bytes changed, in a block of exactly their length: a sanitizer sees any access beyond it. */
TEST(no_input_leads_outside_its_bytes)
{
  unsigned seed = 1;
  uint8_t frame[FRAME_MAX];
  unsigned sum = 0;
  for (int round = 0; round < 200000; round++) {
    size_t n = good(round % GOOD, frame);
    for (int changes = round % 4; changes > 0; changes--) {
      seed = seed * 1103515245u + 12345u;
      frame[(seed >> 8) % n] = (uint8_t)(seed >> 20);
    }
    seed = seed * 1103515245u + 12345u;
    if (seed >> 28 == 0) n = (seed >> 8) % (n + 1);
    uint8_t *exact = malloc(n + 1);
    assert_non_null(exact);
    memcpy(exact + 1, frame, n);
    struct mbap_request r;
    if (mbap_next(exact + 1, n, &r) == MBAP_FRAME) {
      assert_in_range(r.length, 8, n);
      if (r.exception == 0 && r.write_count) {
        int coils = r.function == 5 || r.function == 15;
        for (int i = 0; i < r.write_count; i++) sum += coils ? mbap_coil(&r, i) : mbap_register(&r, i);
      }
    }
    free(exact);
  }
  assert_int_not_equal(sum, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_frame_is_found_only_when_its_last_byte_is_there),
      cmocka_unit_test(frames_in_a_row_are_found_one_by_one),
      cmocka_unit_test(a_request_is_taken_apart),
      cmocka_unit_test(a_mask_changes_the_bits_it_names),
      cmocka_unit_test(a_pdu_is_taken_apart_by_itself),
      cmocka_unit_test(a_header_that_is_not_modbus_ends_the_stream_as_soon_as_it_shows),
      cmocka_unit_test(a_pdu_shorter_or_longer_than_its_function_is_refused),
      cmocka_unit_test(quantities_are_held_to_their_limits),
      cmocka_unit_test(the_byte_count_must_agree_with_the_quantity),
      cmocka_unit_test(functions_nobody_serves_are_refused),
      cmocka_unit_test(no_input_leads_outside_its_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
