/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <ali3/status.h>

TEST(every_status_has_a_text)
{
#define CHECK(name, value, text)                                                                             \
  assert_int_equal(name, value);                                                                             \
  assert_string_equal(ali3_status_text(name), text);
  ALI3_STATUS_LIST(CHECK)
#undef CHECK
}

TEST(others_are_unknown)
{
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
