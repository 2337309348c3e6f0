/* SPDX-License-Identifier: MIT
 * The table of variables: round trip, and texts from a stranger. */
#include "check.h"
#include "fmi/table.h"

#include <string.h>

static void fill(struct fmu_table *t)
{
  const struct fmu_variable of[] = {
      {.kind = FMU_TIME, .mirror = -1, .name = (char[]){"time"}},
      {.kind = FMU_SIGNAL, .mirror = -1, .name = (char[]){"body.a b.position.x"}},
      {.kind = FMU_LOAD,
       .element = 3,
       .number = 2,
       .mirror = -1,
       .lower = -INFINITY,
       .upper = 0.1,
       .rate = 5,
       .start = -0.0,
       .name = (char[]){"in"}},
      {.kind = FMU_PARAMETER,
       .element = 1,
       .number = 1,
       .mirror = 3,
       .owner = FMU_OF_BODY,
       .field = "inertia",
       .flags = FMU_OPEN_LOWER | FMU_WHOLE,
       .lower = 5e-324,
       .upper = INFINITY,
       .start = 1.0 / 3.0,
       .name = (char[]){"body.x.inertia.xy"}},
  };
  *t = (struct fmu_table){.rest = true};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) assert_true(fmu_table_add(t, &of[i]));
}

TEST(keeps_all)
{
  struct fmu_table t, back;
  char why[200];
  size_t size, again;
  fill(&t);
  char *text = fmu_table_write(&t, &size);
  assert_non_null(text);
  assert_true(fmu_table_read(&back, text, size, why, sizeof why));
  assert_true(back.rest);
  assert_int_equal(back.count, t.count);
  char *second = fmu_table_write(&back, &again);
  assert_string_equal(text, second); /* all bits of the numbers */
  assert_string_equal(back.variable[3].field, "inertia");
  assert_true(back.variable[3].flags == (FMU_OPEN_LOWER | FMU_WHOLE));
  free(text);
  free(second);
  fmu_table_free(&t);
  fmu_table_free(&back);
}

/* Texts that are cut, or have one wrong byte, are refused or read; no memory is touched outside. */
TEST(strange_texts)
{
  struct fmu_table t, back;
  char why[200];
  size_t size;
  fill(&t);
  char *text = fmu_table_write(&t, &size);
  for (size_t cut = 0; cut < size; cut++) {
    char *part = malloc(cut + 1); /* a block of its own, whose end a sanitizer watches */
    memcpy(part, text, cut);
    assert_false(fmu_table_read(&back, part, cut, why, sizeof why));
    assert_non_null(strstr(why, "resources/variables"));
    fmu_table_free(&back);
    free(part);
  }
  int refused = 0;
  for (size_t at = 0; at < size; at++) {
    const char was = text[at];
    for (int k = 0; k < 4; k++) {
      text[at] = (char)(was ^ (1 << (2 * k)));
      refused += !fmu_table_read(&back, text, size, why, sizeof why);
      fmu_table_free(&back);
    }
    text[at] = was;
  }
  assert_true(refused > (int)size);
  static const char *const wrong[] = {
      "ali3-fmu 1\nstart given\nvariables 99999999999\n", "ali3-fmu 1\nstart given\nvariables -1\n",
      "ali3-fmu 2\nstart given\nvariables 1\n", "ali3-fmu 1\nstart given\nvariables 10000000\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_false(fmu_table_read(&back, wrong[i], strlen(wrong[i]), why, sizeof why));
    fmu_table_free(&back);
  }
  free(text);
  fmu_table_free(&t);
}

TEST(tokens)
{
  char a[FMU_TOKEN], b[FMU_TOKEN];
  assert_true(fmu_token("abc", 3, "de", 2, a));
  assert_true(fmu_token("abcd", 4, "e", 1, b)); /* the border between the parts counts */
  assert_string_not_equal(a, b);
  assert_int_equal(strlen(a), 38);
  assert_true(fmu_token("abc", 3, "de", 2, b));
  assert_string_equal(a, b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_all),
      cmocka_unit_test(strange_texts),
      cmocka_unit_test(tokens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
