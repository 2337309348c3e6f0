/* SPDX-License-Identifier: MIT */
#include <ali3/status.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void every_status_has_a_text(void **state)
{
  (void)state;
#define CHECK(name, value, text)                                                                             \
  assert_int_equal(name, value);                                                                             \
  assert_string_equal(ali3_status_text(name), text);
  ALI3_STATUS_LIST(CHECK)
#undef CHECK
}

static void others_are_unknown(void **state)
{
  (void)state;
  assert_string_equal(ali3_status_text(1000), "unknown status");
  assert_string_equal(ali3_status_text(-1000), "unknown status");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_a_text),
      cmocka_unit_test(others_are_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
