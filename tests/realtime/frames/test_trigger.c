/* SPDX-License-Identifier: MIT
 * Conditions of a recording: those that are read print as they were, and wrong ones name what is wrong. */
#include "check.h"
#include "frames/settings.h"
#include "frames/trigger.h"

#include <stdlib.h>
#include <string.h>

TEST(conditions_are_read_and_printed)
{
  static const char *const printed[] = {"body.A.position.x > 0.3", "miss", "time < -1e-09", "fault"};
  struct trigger one[TRIGGERS];
  char error[200], text[300];
  assert_int_equal(
      trigger_parse("body.A.position.x>0.3 ,miss, time <  -1e-9,  fault ", one, error, sizeof error), 4);
  for (int i = 0; i < 4; i++) {
    trigger_text(&one[i], text, sizeof text);
    assert_string_equal(text, printed[i]);
  }
  assert_true(one[0].above && one[0].level == 0.3);
  assert_false(one[2].above);
}

TEST(wrong_conditions_are_refused)
{
  static const char *const wrong[] = {"",        "misses",  "miss,",   "time",   "time >",     "> 3",
                                      "x > nan", "x > inf", "x > 1 m", "x >= 1", "a > 1 b < 2"};
  struct trigger one[TRIGGERS];
  char error[200], many[200] = "miss", name[400];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    error[0] = '\0';
    if (trigger_parse(wrong[i], one, error, sizeof error) >= 0) fail_msg("\"%s\" is accepted", wrong[i]);
    assert_non_null(strstr(error, "expected"));
  }
  /* Too many, and a name that does not fit. */
  for (int i = 0; i < TRIGGERS; i++) strcat(many, ",miss");
  assert_int_equal(trigger_parse(many, one, error, sizeof error), -1);
  assert_non_null(strstr(error, "at most 16"));
  memset(name, 'n', sizeof name);
  strcpy(name + TRIGGER_NAME, " > 1");
  assert_int_equal(trigger_parse(name, one, error, sizeof error), -1);
}

TEST(settings_become_lines)
{
  const struct record_settings s = {.enabled = true,
                                    .when = RECORD_TRIGGER,
                                    .trigger = (char *)"miss",
                                    .signals = (char *)"state",
                                    .single = 1,
                                    .divisor = 2,
                                    .before = 1.5,
                                    .after = 0.25,
                                    .split = 60,
                                    .keep = 5,
                                    .min_free = 0.5,
                                    .compress = 3};
  const struct record_settings off = {.enabled = false};
  char *text = record_settings_text(&s), *none = record_settings_text(&off);
  assert_string_equal(
      text, "when trigger\nsignals state\ntype f32\ndivisor 2\ntrigger miss\nbefore 1.5\nafter 0.25\n"
            "split 60\nkeep 5\nmin-free 0.5\ncompress 3\n");
  assert_string_equal(none, "");
  free(text);
  free(none);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_are_read_and_printed),
      cmocka_unit_test(wrong_conditions_are_refused),
      cmocka_unit_test(settings_become_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
