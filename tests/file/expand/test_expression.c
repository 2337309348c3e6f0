/* SPDX-License-Identifier: MIT
 * Values, units and mistakes of expressions. */
#include "check.h"

#include "expand/expression.h"

#include <math.h>
#include <string.h>

static struct scope example_scope(void)
{
  static struct variable item[] = {
      {"L", {.number = {0.5}, .measure = MEASURE_OPEN}},
      {"a", {.count = 3, .number = {1, 2, 2}, .measure = MEASURE_OPEN}},
      {"side", {.text = "left", .measure = MEASURE_OPEN}},
      {"wide", {.number = {0.02}, .measure = MEASURE_UNIT, .unit = {1, 0, {1, 0, 0, 0}}}},
  };
  return (struct scope){.item = item, .count = sizeof item / sizeof *item};
}

static struct value value_of(const char *text)
{
  char why[REASON_SIZE] = "";
  struct value v = {0};
  const struct scope s = example_scope();
  if (!expression_evaluate(text, &s, &v, why)) fail_msg("%s: %s", text, why);
  return v;
}

TEST(numbers_have_the_bits_of_c)
{
  static const struct {
    const char *text;
    double value;
  } one[] = {
      {"1.5", 1.5},
      {"-.5e1", -5.0},
      {"2*3.14159265358979323846/3", 2 * 3.14159265358979323846 / 3},
      {"2*pi/3", 2 * 3.14159265358979323846 / 3},
      {"1 - 2 - 3", -4},
      {"8/2/2", 2},
      {"2 + 3*4", 14},
      {"(2 + 3)*4", 20},
      {"2*-L", -1},
      {"- -L", 0.5},
      {"${L}*${L}", 0.25},
      {"pow(2, 10)", 1024},
      {"sqrt(L*8)", 2},
      {"hypot(3, 4)", 5},
      {"atan2(1, 0)", 1.57079632679489661923},
      {"min(L, 1) + max(L, 1) + abs(-1) + floor(1.9) + mod(7, 4)", 6.5},
      {"norm(a)", 3},
      {"unit(a).y", 2.0 / 3.0},
      {"dot(a, [1, 0, 1])", 3},
      {"cross([0, 0, 1], a).x", -2},
      {"(2*a - a/2).z", 3},
  };
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    const struct value v = value_of(one[i].text);
    if (v.count || v.number[0] != one[i].value) fail_msg("%s: %.17g", one[i].text, v.number[0]);
  }
}

/* A literal with a decimal unit has the bits of the same number written in SI. */
TEST(units_are_exact_where_they_are_powers_of_ten)
{
  static const struct {
    const char *text;
    double value;
  } one[] = {
      {"12 mm", 0.012},
      {"12.3mm", 0.0123},
      {"0.1 cm", 0.001},
      {"1.1 kN", 1100},
      {"1e2 um", 1e-4},
      {"22 N/mm", 22000},
      {"7.85 g/cm^3", 7850},
      {"190 N s/m", 190},
      {"1 in", 0.0254},
      {"90 min", 5400},
      {"3 kg m^2", 3},
      {"210 GPa", 210e9},
      {"30 deg", 30 * (3.14159265358979323846 / 180)},
      {"-(2 + 1) mm", -0.003},
      {"wide + 5 mm", 0.025},
      {"sin(90 deg)", 1},
      {"2 m / 4 m", 0.5},
  };
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    const struct value v = value_of(one[i].text);
    if (v.number[0] != one[i].value) fail_msg("%s: %.17g", one[i].text, v.number[0]);
  }
}

TEST(units_of_keys_take_what_measures_the_same)
{
  static const struct {
    const char *text, *key;
    bool fits;
  } one[] = {
      {"5 mm", "m", true},
      {"5 mm", "rad or m, or as in 30 deg", true},
      {"5 deg", "rad or m", true},
      {"5 deg", "deg", true},
      {"5 kg", "m", false},
      {"5 deg", "m", false},
      {"5 mm", "", false},
      {"2 N s/m", "N s/m", true},
      {"2 N m s/rad", "N m s/rad", true},
      {"60 rpm", "rad/s or m/s", true},
      {"2 kg*3 m*3 m", "kg m^2", true},
      {"1 kg", "the unit of the channel", false},
  };
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    const struct value v = value_of(one[i].text);
    struct unit unit;
    assert_int_equal(v.measure, MEASURE_UNIT);
    if (unit_of_key(one[i].key, &v.unit, &unit) != one[i].fits) fail_msg("%s in %s", one[i].text, one[i].key);
  }
  assert_int_equal(value_of("2*3").measure, MEASURE_PURE);
  assert_int_equal(value_of("2*L").measure, MEASURE_OPEN);
  assert_int_equal(value_of("2 m/1 m").measure, MEASURE_PURE);
}

TEST(mistakes_have_a_reason)
{
  static const char *const bad[][2] = {
      {"", "at the end"},
      {"2 +", "at the end"},
      {"2 3", "expected the end at \"3\""},
      {"2 kgg", "no unit is called \"kgg\""},
      {"1 m + 1 kg", "different units"},
      {"1 m + 1", "has a unit and the other has none"},
      {"M", "no parameter is called \"M\""},
      {"sidw", "did you mean \"side\"?"},
      {"2*side", "expected numbers"},
      {"a*a", "write dot or cross"},
      {"1/a", "cannot be divided by a vector"},
      {"a + 1", "different numbers of components"},
      {"a.w", "expected .x, .y or .z"},
      {"sin(1 m)", "sin takes an angle"},
      {"acos(1 m)", "without unit"},
      {"pow(2)", "pow takes two numbers"},
      {"1/0", "not a finite number"},
      {"sqrt(-1)", "not a finite number"},
      {"2**3", "write pow(a, b)"},
      {"(1", "closing bracket"},
      {"[1, 2", "comma or a closing bracket"},
      {"1 m^9 * 1 m^9", "too large a power"},
  };
  const struct scope s = example_scope();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char why[REASON_SIZE] = "";
    struct value v;
    if (expression_evaluate(bad[i][0], &s, &v, why)) fail_msg("%s was taken for right", bad[i][0]);
    if (!strstr(why, bad[i][1])) fail_msg("%s: expected \"%s\", found \"%s\"", bad[i][0], bad[i][1], why);
  }
}

/* Brackets and signs inside each other end in a reason. */
TEST(nesting_is_bounded)
{
  static char text[20001];
  static const char opening[] = "(-[";
  for (size_t k = 0; k < sizeof opening - 1; k++) {
    char why[REASON_SIZE] = "";
    struct value v;
    memset(text, opening[k], sizeof text - 1);
    assert_false(expression_evaluate(text, NULL, &v, why));
    assert_non_null(strstr(why, "nested too deeply"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_the_bits_of_c),
      cmocka_unit_test(units_are_exact_where_they_are_powers_of_ten),
      cmocka_unit_test(units_of_keys_take_what_measures_the_same),
      cmocka_unit_test(mistakes_have_a_reason),
      cmocka_unit_test(nesting_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
