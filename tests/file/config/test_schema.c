/* SPDX-License-Identifier: MIT
 * The tables of keys, and the texts that are printed from them. */
#include "scratch.h"

#include "config/inputs_read.h"
#include "config/mechanism.h"
#include "config/packets.h"
#include "config/wiring.h"
#include "manual/manual.h"

#include <stdio.h>

/* Calls `check` for every key of a section and of the sections below it. */
static void each_key(const struct section *s, void (*check)(const struct section *s, const struct key *k))
{
  for (int i = 0; i < s->keys; i++) {
    check(s, &s->key[i]);
    if (s->key[i].section) each_key(s->key[i].section, check);
    if (s->key[i].file) each_key(s->key[i].file, check);
  }
}

/* Calls `check` for every key: of the sections of a file, of the types of forces, and of files with lists. */
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

/* The row of a key accepts its default. */
TEST(defaults_are_in_range)
{
  static const struct section *const all[] = {&schema_file,        &schema_model,
                                              &schema_body,        &schema_joint,
                                              &schema_force,       &schema_sensor,
                                              &schema_visual,      &schema_input,
                                              &schema_injection,   &schema_target,
                                              &schema_packet,      &schema_packet_field,
                                              &schema_packet_file, NULL};
  union {
    struct file_values file;
    struct model_values model;
    ali3_body_spec body;
    struct joint_values joint;
    struct force_values force;
    struct sensor_values sensor;
    struct visual_values visual;
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

/* The tables of keys and the core both have defaults of a force, which agree. */
TEST(defaults_of_forces_agree_with_the_core)
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

/* The documentation has whole sentences, and does not repeat other fields of the row. */
static void check_doc(const struct section *s, const struct key *k)
{
  const size_t length = k->doc ? strlen(k->doc) : 0;
  if (length < 8 || k->doc[length - 1] != '.')
    fail_msg("%s, %s: expected a documentation in sentences", s->title, k->name);
  if (strstr(k->doc, "Default ") || strstr(k->doc, "May change"))
    fail_msg("%s, %s: says what the row says", s->title, k->name);
  assert_true(k->change != BY_OPTION || k->option);
  assert_true(!k->option || k->change != AT_START);
}

TEST(every_key_is_documented)
{
  each_section(check_doc);
}

/* Conditions name choices that exist. */
static void check_conditions(const struct section *s, const struct key *k)
{
  if (!k->only && !k->needed) return;
  assert_non_null(s->by);
  const struct key *by = s->key;
  while (strcmp(by->name, s->by) != 0) by++;
  int choices = 0;
  while (by->choices[choices]) choices++;
  assert_true(k->only >> choices == 0 && (k->needed & ~k->only) == 0);
}

TEST(conditions_are_sound)
{
  each_section(check_conditions);
}

static void assert_help(const char *key, bool found, const char *text)
{
  char *out, *errors;
  size_t size;
  FILE *o = open_memstream(&out, &size), *e = open_memstream(&errors, &size);
  assert_int_equal(manual_print_key(key, o, e), found);
  fclose(o);
  fclose(e);
  if (!strstr(found ? out : errors, text))
    fail_msg("help on %s: expected \"%s\" in: %s%s", key, text, out, errors);
  free(out);
  free(errors);
}

TEST(help_finds_keys)
{
  assert_help("solver.gamma", true,
              "range    from 0.5 to 1.5\n  default  0.5\n  changes  live, with a reload (SIGHUP)\n");
  assert_help("gamma", true, "solver.gamma\n");
  assert_help("joints.type", true, "model.joints.type\n");
  assert_help("joints.length", true, "with     type: distance\n");
  assert_help("cycle", true, "  type     a mapping\n  default  none\n\nkeys:\n  period ");
  assert_help("forces", true, "rotational_stiffness");
  assert_help("model.forces.cable.damping", true, "unit     N s/m\n");
  assert_help("forces.damping", true, "model.forces.end_stop.damping\n");
  assert_help("inputs.hold", true, "changes  live");
  assert_help("cycle.period", true, "option   --dt of ali3-sim overrides it\n");
  assert_help("packets.file", true, "Path of a file");
  assert_help("bushing", true, "model.forces.bushing.rotational_stiffness\n");
  assert_help("model.forces.drive", true, "model.forces.drive.speed\n");
  assert_help("all", true, "telemetry.name\n");
  assert_help("solver.gama", false, "did you mean \"solver.gamma\"?");
  assert_help("ground", false, "no key is named \"ground\"; --help all prints every key");
  assert_help("", false, "no key is named");
}

/* config/reference.yaml equals the printed text, and can be loaded. */
TEST(reference_is_current)
{
  char *printed, found[200];
  size_t size;
  FILE *out = open_memstream(&printed, &size), *f = fopen(TEST_DATA "/../config/reference.yaml", "r");
  assert_non_null(f);
  manual_print_reference(out);
  fclose(out);
  const char *line = printed;
  for (int n = 1; fgets(found, sizeof found, f); n++, line += strlen(found))
    if (strncmp(line, found, strlen(found)) != 0)
      fail_msg("config/reference.yaml:%d: out of date: run tests/refresh; found %s", n, found);
  assert_int_equal(*line, '\0');
  fclose(f);
  free(printed);
  struct settings *s = load_good_file(TEST_DATA "/../config/reference.yaml", NULL);
  assert_int_equal(s->devices, 1);
  assert_int_equal(s->packets, 1);
  settings_free(s);
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
      cmocka_unit_test(defaults_of_forces_agree_with_the_core),
      cmocka_unit_test(every_key_is_documented),
      cmocka_unit_test(conditions_are_sound),
      cmocka_unit_test(help_finds_keys),
      cmocka_unit_test(reference_is_current),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
