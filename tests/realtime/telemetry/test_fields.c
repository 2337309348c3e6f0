/* SPDX-License-Identifier: MIT
 * The list of figures: the output of each kind, and the completeness of the rows. */
#include "check.h"
#include "signals/clocking.h"
#include "signals/states.h"
#include "telemetry/fields.h"
#include "telemetry/telemetry.h"

#include <string.h>

static struct telemetry t;

static struct field_value value_of(const char *key)
{
  for (int i = 0; i < telemetry_fields; i++)
    if (strcmp(telemetry_field[i].key, key) == 0) return telemetry_value(&t, &telemetry_field[i]);
  fail_msg("no field %s", key);
  return (struct field_value){0};
}

TEST(values_have_their_type_and_unit)
{
  memset(&t, 0, sizeof t);
  t.period_ns = 10000000;
  t.priority = 80;
  t.realtime = 1;
  t.clocking = CLOCKING_INPUT;
  snprintf(t.model, sizeof t.model, "four-bar");
  t.live.cycle = 4711;
  t.live.degraded_cycle = 12;
  t.live.time = 0.25;
  t.live.state = STATE_SAFE;
  t.live.fault = FAULT_STALE;
  t.live.flags = FLAG_SAFE | FLAG_INJECTED;
  t.live.input_age_ns = 12500000;
  t.live.pulled_ns = -250000000;
  static const struct {
    const char *key;
    struct field_value expected;
  } rows[] = {{"period_s", {VALUE_REAL, 0, 0.01, 0.01, NULL}},
              {"priority", {VALUE_INTEGER, 80, 0, 80, NULL}},
              {"realtime", {VALUE_FLAG, 1, 0, 1, NULL}},
              {"clocking", {VALUE_TEXT, CLOCKING_INPUT, 0, CLOCKING_INPUT, "input"}},
              {"model", {VALUE_TEXT, 0, 0, 0, "four-bar"}},
              {"cycle", {VALUE_INTEGER, 4711, 0, 4711, NULL}},
              {"degraded_cycle", {VALUE_INTEGER, 12, 0, 12, NULL}},
              {"time_s", {VALUE_REAL, 0, 0.25, 0.25, NULL}},
              {"state", {VALUE_TEXT, STATE_SAFE, 0, STATE_SAFE, "SAFE"}},
              {"fault", {VALUE_INTEGER, FAULT_STALE, 0, FAULT_STALE, "an input has not come for too long"}},
              {"fault_injection", {VALUE_FLAG, 1, 0, 1, NULL}},
              {"platform_withheld", {VALUE_FLAG, 0, 0, 0, NULL}},
              {"input_age_ms", {VALUE_REAL, 0, 12.5, 0.0125, NULL}},
              {"pulled_s", {VALUE_REAL, 0, -0.25, -0.25, NULL}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct field_value v = value_of(rows[i].key), *e = &rows[i].expected;
    if (v.type != e->type || v.integer != e->integer || v.number != e->number || v.si != e->si)
      fail_msg("%s: type %d, integer %lld, number %g, SI %g", rows[i].key, (int)v.type, (long long)v.integer,
               v.number, v.si);
    if (e->text)
      assert_string_equal(v.text, e->text);
    else
      assert_null(v.text);
  }
}

TEST(missing_figures_have_no_value)
{
  memset(&t, 0, sizeof t);
  t.priority = t.cpu = -1;
  t.live.input_age_ns = UINT64_MAX;
  static const char *const absent[] = {"priority", "cpu", "input_age_ms", "violated_cycle", "violated_at"};
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
    assert_int_equal(value_of(absent[i]).type, VALUE_NONE);
  assert_string_equal(value_of("realtime_reason").text, "");
}

/* Every row has a text and a name; no two share a key or a metric. */
TEST(rows_are_complete_and_distinct)
{
  for (int i = 0; i < telemetry_fields; i++) {
    const struct telemetry_field *f = &telemetry_field[i];
    assert_true(*f->text && (*f->key || *f->metric));
    assert_true(f->live == (f->offset >= offsetof(struct telemetry, live)));
    for (int k = 0; k < i; k++) {
      const struct telemetry_field *g = &telemetry_field[k];
      if ((*f->key && strcmp(f->key, g->key) == 0) || (*f->metric && strcmp(f->metric, g->metric) == 0))
        fail_msg("%s%s stands in the list twice", f->key, f->metric);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_have_their_type_and_unit),
      cmocka_unit_test(missing_figures_have_no_value),
      cmocka_unit_test(rows_are_complete_and_distinct),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
