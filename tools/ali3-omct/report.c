/* SPDX-License-Identifier: MIT
 * The responses as a table for people, as CSV and as JSON for programs. */
#include "omct.h"

#include "outfile/outfile.h"

#include <jansson.h>
#include <math.h>

static bool any_limited(const struct cueing *c)
{
  for (int t = 0; t < CUEING_TESTS; t++)
    for (int i = 0; i < CUEING_FREQUENCIES; i++)
      if (c->test[t].response[i].limited) return true;
  return false;
}

/* The largest false cue of all responses. */
static void print_false_cue(const struct cueing *c)
{
  double force = 0.0, rate = 0.0;
  for (int t = 0; t < CUEING_TESTS; t++)
    for (int i = 0; i < CUEING_FREQUENCIES; i++) {
      force = fmax(force, c->test[t].response[i].false_force);
      rate = fmax(rate, c->test[t].response[i].false_rate);
    }
  printf("false cue: changes by at most %.3f m/s^2 and %.2f deg/s within 50 ms\n", force,
         rate * 180.0 / M_PI);
}

void report_table(const struct cueing *c)
{
  printf("%-18s", "rad/s");
  for (int i = 0; i < CUEING_FREQUENCIES; i++) printf(" %7.3f", cueing_frequency(i));
  printf("\n");
  for (int t = 0; t < CUEING_TESTS; t++) {
    const struct cueing_test *test = &c->test[t];
    printf("%-18s", test->name);
    for (int i = 0; i < CUEING_FREQUENCIES; i++)
      printf(" %6.3f%s", test->response[i].modulus, test->response[i].limited ? "*" : " ");
    printf(" %s\n%-18s", test->unit, "  deg");
    for (int i = 0; i < CUEING_FREQUENCIES; i++) printf(" %6.0f ", test->response[i].phase);
    printf("\n");
  }
  print_false_cue(c);
  if (any_limited(c)) printf("* the platform reached a limit of the tilt or of a coordinate\n");
}

static void put_csv(FILE *out, const struct cueing *c)
{
  fputs("test,frequency,modulus,phase,limited,false_force,false_rate\n", out);
  for (int t = 0; t < CUEING_TESTS; t++)
    for (int i = 0; i < CUEING_FREQUENCIES; i++) {
      const struct cueing_response *r = &c->test[t].response[i];
      fprintf(out, "%s,%.17g,%.17g,%.17g,%d,%.17g,%.17g\n", c->test[t].name, cueing_frequency(i), r->modulus,
              r->phase, r->limited, r->false_force, r->false_rate);
    }
}

bool report_csv(const struct cueing *c, const char *file)
{
  FILE *out = outfile_open_or_standard("--csv", file);
  if (!out) return false;
  put_csv(out, c);
  return outfile_close(out, "--csv", file);
}

/* JSON has no NaN. */
static json_t *modulus_json(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *test_json(const struct cueing_test *test)
{
  json_t *list = json_array();
  for (int i = 0; i < CUEING_FREQUENCIES; i++) {
    const struct cueing_response *r = &test->response[i];
    json_array_append_new(
        list, json_pack("{s:f, s:o, s:o, s:b, s:f, s:f}", "frequency_rad_s", cueing_frequency(i), "modulus",
                        modulus_json(r->modulus), "phase_deg", modulus_json(r->phase), "limited", r->limited,
                        "false_force_m_s2", r->false_force, "false_rate_rad_s", r->false_rate));
  }
  return json_pack("{s:s, s:s, s:o}", "test", test->name, "unit", test->unit, "responses", list);
}

bool report_json(const struct cueing *c, const char *config, const struct cueing_amplitudes *amplitudes)
{
  json_t *tests = json_array();
  for (int t = 0; t < CUEING_TESTS; t++) json_array_append_new(tests, test_json(&c->test[t]));
  json_t *all = json_pack("{s:s, s:f, s:f, s:o}", "file", config, "force_m_s2", amplitudes->force,
                          "rate_rad_s", amplitudes->rate, "tests", tests);
  const bool good = all && json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
  if (!all) fputs("ali3-omct: out of memory\n", stderr);
  json_decref(all);
  putchar('\n');
  return good;
}
