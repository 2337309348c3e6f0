/* SPDX-License-Identifier: MIT
 * The tables, and the file that explains them: config/four-bar.yaml has to say of every key what the table
 * says. */
#include "scratch.h"

#include "config/values.h"

#include <stdio.h>

/* Calls `check` for every key of every section. */
static void each_key(const struct section *s, void (*check)(const struct section *s, const struct key *k))
{
  for (int i = 0; i < s->keys; i++) {
    check(s, &s->key[i]);
    if (s->key[i].section) each_key(s->key[i].section, check);
  }
}

/* The same for every section of a file, and those that are reached from a force by its type, or from a file. */
static void each_section(void (*check)(const struct section *s, const struct key *k))
{
  each_key(&schema_file, check);
  for (int i = 0; i < ALI3_FORCE_TYPES; i++) each_key(&schema_connection[i], check);
  each_key(&schema_packet_file, check);
}

static void check_row(const struct section *s, const struct key *k)
{
  for (int i = 0; &s->key[i] != k; i++) assert_string_not_equal(s->key[i].name, k->name);
  assert_true((k->type == KEY_CHOICE) == (k->choices != NULL));
  assert_true((k->type >= KEY_SECTION) == (k->section != NULL));
  assert_true(k->min < k->max);
  assert_non_null(k->unit);
}

TEST(rows_are_sound)
{
  each_section(check_row);
}

/* A default that its own row refuses would be reported here. */
TEST(defaults_are_in_range)
{
  static const struct section *const all[] = {&schema_file,
                                              &schema_model,
                                              &schema_body,
                                              &schema_joint,
                                              &schema_force,
                                              &schema_sensor,
                                              &schema_input,
                                              &schema_injection,
                                              &schema_target,
                                              &schema_packet,
                                              &schema_packet_field,
                                              &schema_packet_file,
                                              NULL};
  union {
    struct file_values file;
    struct model_values model;
    ali3_body_spec body;
    struct joint_values joint;
    struct force_values force;
    struct sensor_values sensor;
    struct input_values input;
    struct injection_values injection;
    struct target_values target;
    struct packet_values packet;
    struct packet_field_values field;
    struct packet_file_values packet_file;
  } values;
  for (int i = 0; all[i]; i++) {
    struct report r = {.out = stdout, .source = &(struct source){.file = (char[]){"table"}}};
    memset(&values, 0, sizeof values);
    assert_true(schema_read(all[i], NULL, &values, &r));
    assert_int_equal(r.errors, 0);
  }
}

/* What a force takes that says nothing is what the core gives: the two state it, and have to agree. */
TEST(defaults_of_connections_are_those_of_the_core)
{
  for (int i = 0; i < ALI3_FORCE_TYPES; i++) {
    struct report r = {.out = stdout, .source = &(struct source){.file = (char[]){"table"}}};
    ali3_force_spec core = ali3_force_spec_default((ali3_force_type)i);
    struct connection_values v = {0};
    memcpy(&v.spec, &core, sizeof core);
    const char *title = schema_connection[i].title;
    assert_non_null(title);
    assert_string_equal(title + strcspn(title, " ") + 1, ali3_force_type_name((ali3_force_type)i));
    assert_true(schema_read(&schema_connection[i], NULL, &v, &r));
    assert_memory_equal(&v.spec, &core, sizeof core);
  }
}

static char *documented; /* config/four-bar.yaml, comments joined into one line per key */

/* Joins "# name: text" with the indented comment lines that go on with it. */
static void read_documented(void)
{
  FILE *f = fopen(TEST_DATA "/../config/four-bar.yaml", "r");
  assert_non_null(f);
  size_t size = 0;
  FILE *out = open_memstream(&documented, &size);
  char line[300];
  while (fgets(line, sizeof line, f)) {
    const char *p = line + strspn(line, " ");
    if (strncmp(p, "#   ", 4) == 0)
      fprintf(out, " %.*s", (int)strcspn(p + 4, "\n"), p + 4);
    else
      fprintf(out, "\n%.*s", (int)strcspn(p, "\n"), p);
  }
  fprintf(out, "\n");
  fclose(out);
  fclose(f);
}

/* One explanation of a key of this name has all the words. */
static bool explained(const char *name, const char *const words[], int count)
{
  char head[80];
  snprintf(head, sizeof head, "\n# %s: ", name);
  for (const char *p = documented; (p = strstr(p, head)); p++) {
    const char *end = strchr(p + 1, '\n');
    bool all = true;
    for (int i = 0; i < count; i++) {
      const char *found = strstr(p, words[i]);
      all = all && found && found < end;
    }
    if (all) return true;
  }
  return false;
}

static void check_explained(const struct section *s, const struct key *k)
{
  char expected[300], by_default[80], section[80];
  const bool list = k->type == KEY_LIST || k->type == KEY_LIST_FILE;
  if (k->section && !list) {
    snprintf(section, sizeof section, "\n%s:\n", k->name);
    if (!strstr(documented, section)) fail_msg("the section %s is missing", k->name);
    return;
  }
  const char *words[3] = {schema_expected(k, expected, sizeof expected), "", ""};
  if (list) words[0] = "a list";
  if (!k->fallback)
    words[1] = "Required.";
  else if (*k->fallback) {
    snprintf(by_default, sizeof by_default, "Default %s.", k->fallback);
    words[1] = by_default;
  }
  if (k->section == &schema_input) return; /* explained as a section */
  if (k->change == WHILE_RUNNING) words[2] = "May change while it runs.";
  if (!explained(k->name, words, 3))
    fail_msg("%s, %s: expected an explanation with \"%s\", \"%s\" and \"%s\"", s->title, k->name, words[0],
             words[1], words[2]);
}

TEST(every_key_is_explained)
{
  read_documented();
  each_section(check_explained);
  free(documented);
}

TEST(numbers)
{
  static const char *const good[] = {"1", "1.", ".5", "+1.5", "1e3", "1E-3", "1.5e+3", "007"};
  static const char *const bad[] = {"1x",   "x1",    "1e",  "1e+",   ".",    "+",   "-1",
                                    "0",    "1.2.3", "1 2", "0x1",   "1_0",  "nan", "inf",
                                    ".inf", "-.inf", "",    "1e999", "true", "1,5"};
  char text[300];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    snprintf(text, sizeof text, ONE_BODY "simulation:\n  duration: %s\n", good[i]);
    struct settings *s = load_good(text);
    assert_true(s->duration == strtod(good[i], NULL));
    settings_free(s);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, ONE_BODY "simulation:\n  duration: %s\n", bad[i]);
    assert_refused(text, *bad[i] ? ":5:13: error: duration: expected a number > 0 (s), found "
                                 : ":5:3: error: duration: ");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_sound),
      cmocka_unit_test(defaults_are_in_range),
      cmocka_unit_test(defaults_of_connections_are_those_of_the_core),
      cmocka_unit_test(every_key_is_explained),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
