/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "model/names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 100000, LENGTH = 16 };

TEST(added_names_are_found)
{
  struct names n = {0};
  assert_int_equal(names_find(&n, "a"), -2);
  assert_true(names_add(&n, "a", 7));
  assert_true(names_add(&n, "b", -1));
  assert_int_equal(names_find(&n, "a"), 7);
  assert_int_equal(names_find(&n, "b"), -1);
  assert_int_equal(names_find(&n, "ab"), -2);
  assert_int_equal(names_find(&n, ""), -2);
  names_free(&n);
  assert_int_equal(names_find(&n, "a"), -2);
  names_free(&n);
}

TEST(a_hundred_thousand_names)
{
  struct names n = {0};
  char(*key)[LENGTH] = calloc(MANY, sizeof *key), other[LENGTH];
  assert_non_null(key);
  for (int i = 0; i < MANY; i++) {
    snprintf(key[i], LENGTH, "body_%d", i);
    assert_true(names_add(&n, key[i], i));
  }
  assert_int_equal(n.used, MANY);
  assert_true(n.room >= 2 * n.used && (n.room & (n.room - 1)) == 0);
  size_t longest = 0, run = 0;
  for (size_t i = 0; i < n.room; i++) {
    run = n.slot[i].key ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  assert_true(longest < 200); /* a bad hash would make one long run */
  for (int i = 0; i < MANY; i++) assert_int_equal(names_find(&n, key[i]), i);
  for (int i = 0; i < MANY; i++) {
    snprintf(other, sizeof other, "joint_%d", i);
    assert_int_equal(names_find(&n, other), -2);
  }
  names_free(&n);
  free(key);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(added_names_are_found),
      cmocka_unit_test(a_hundred_thousand_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
