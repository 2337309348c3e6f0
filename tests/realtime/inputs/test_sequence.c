/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "inputs/sequence.h"

#include <stddef.h>
#include <string.h>

/* N next, = repeated, l late, R restart: one letter for each number. */
static void assert_verdicts(uint32_t bits, const uint32_t *number, const char *expected)
{
  static const char letter[] = {
      [SEQUENCE_NEXT] = 'N', [SEQUENCE_REPEATED] = '=', [SEQUENCE_LATE] = 'l', [SEQUENCE_RESTART] = 'R'};
  struct sequence s = {0};
  char found[32] = "";
  for (size_t i = 0; expected[i]; i++) found[i] = letter[sequence_take(&s, number[i], bits)];
  assert_string_equal(found, expected);
}

static void verdicts_follow_the_numbers(void **unused)
{
  (void)unused;
  assert_verdicts(32, (const uint32_t[]){0, 1, 2, 2, 2, 3}, "NNN==N");
  assert_verdicts(32, (const uint32_t[]){7, 9, 8, 10, 5000}, "NNlNN");   /* overtaken; a gap */
  assert_verdicts(32, (const uint32_t[]){100, 84, 101}, "NlN");          /* the largest lateness */
  assert_verdicts(32, (const uint32_t[]){100, 83, 84, 84, 85}, "NRN=N"); /* later than that */
  assert_verdicts(32, (const uint32_t[]){9, 1, 2, 3}, "NlRN");           /* restarted after a few */
  assert_verdicts(32, (const uint32_t[]){9, 6, 5, 5, 10}, "Nll=N");      /* late ones in falling order */
  assert_verdicts(32, (const uint32_t[]){9, 6, 10, 7, 11}, "NlNlN");     /* not consecutive */
  assert_verdicts(32, (const uint32_t[]){UINT32_MAX, 0, UINT32_MAX, 1}, "NNlN"); /* goes round */
  assert_verdicts(32, (const uint32_t[]){0, 0x7fffffff, 0xfffffffe},
                  "NNN"); /* at most half the circle ahead */
  assert_verdicts(32, (const uint32_t[]){0, 0x80000000, 0x80000001}, "NRN"); /* more than that */
}

static void sixteen_bits_go_round_too(void **unused)
{
  (void)unused;
  assert_verdicts(16, (const uint32_t[]){65534, 65535, 0, 1, 65535, 2}, "NNNNlN");
  assert_verdicts(16, (const uint32_t[]){0, 32767, 65534, 1, 1}, "NNNN=");
  assert_verdicts(16, (const uint32_t[]){40000, 20000, 20001}, "NRN");
}

static void other_bits_are_another_count(void **unused)
{
  (void)unused;
  struct sequence s = {0};
  assert_int_equal(sequence_take(&s, 5000, 16), SEQUENCE_NEXT);
  assert_int_equal(sequence_take(&s, 1, 32), SEQUENCE_NEXT);
  assert_int_equal(sequence_take(&s, 1, 32), SEQUENCE_REPEATED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verdicts_follow_the_numbers),
      cmocka_unit_test(sixteen_bits_go_round_too),
      cmocka_unit_test(other_bits_are_another_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
