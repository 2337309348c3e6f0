/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include "yaml/nearest.h"

static const char *nearest_of(const char *word)
{
  static const char *const known[] = {"mass", "inertia", "position", "velocity", "ground", "at"};
  struct nearest n = {.word = word};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) nearest_try(&n, known[i]);
  return n.best;
}

TEST(slips_are_recognised)
{
  assert_string_equal(nearest_of("mas"), "mass");
  assert_string_equal(nearest_of("amss"), "mass");
  assert_string_equal(nearest_of("MASS"), "mass");
  assert_string_equal(nearest_of("intertia"), "inertia");
  assert_string_equal(nearest_of("postion"), "position");
  assert_string_equal(nearest_of("Ground"), "ground");
}

TEST(other_words_are_not_recognised)
{
  assert_null(nearest_of("colour"));
  assert_null(nearest_of("x"));
  assert_null(nearest_of(""));
  assert_null(nearest_of("a-word-that-is-much-longer-than-any-key-could-ever-be-and-goes-on-and-on"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_are_recognised),
      cmocka_unit_test(other_words_are_not_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
