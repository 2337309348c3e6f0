/* SPDX-License-Identifier: MIT
 * Values from the command line: they change the settings like values of the file, and mistakes name the option. */
#include "scratch.h"

#include "yaml/sets.h"

#include <ali3/model.h>

static struct loaded load_set(const char *text, const char *const *set, int sets)
{
  char file[32];
  write_scratch(file, text, strlen(text));
  const struct settings_overrides over = {.set = set, .sets = sets};
  struct loaded l = load_file(file, &over);
  unlink(file);
  return l;
}

/* The values that a text has with the options. */
static struct settings *load_good_set(const char *text, const char *const *set, int sets)
{
  struct loaded l = load_set(text, set, sets);
  if (!l.settings) fail_msg("refused:\n%s", l.errors);
  assert_string_equal(l.errors, "");
  free(l.errors);
  return l.settings;
}

static void assert_set_refused(const char *text, const char *set, const char *message)
{
  struct loaded l = load_set(text, &set, 1);
  assert_null(l.settings);
  if (strncmp(l.errors, message, strlen(message)) != 0)
    fail_msg("expected \"%s\" before:\n%s", message, l.errors);
  free(l.errors);
}

TEST(options_replace_and_add_values)
{
  static const char *const set[] = {"cycle.period=0.002", "solver.iterations=7", "model.gravity=[0, 1, -2]",
                                    "cycle.period=0.004", "model.name={}",       "model.name='a=b'"};
  struct settings *s = load_good_set(ONE_BODY "cycle: {period: 0.01}\n", set, 6);
  assert_true(s->options.dt == 0.004); /* the later option */
  assert_int_equal(s->options.iterations, 7);
  assert_string_equal(ali3_model_name(s->model), "a=b");
  settings_free(s);
}

TEST(elements_have_their_names_in_the_path)
{
  static const char *const set[] = {"inputs.push.hold=0.25", "inputs.pull={name: pull, body: A, hold: 0.5}"};
  static const char text[] = ONE_BODY "inputs:\n  - {name: push, body: A}\n  - {name: pull, body: A}\n";
  struct settings *s = load_good_set(text, set, 2);
  assert_int_equal(s->inputs, 2);
  assert_true(s->input[0].hold == 0.25);
  assert_true(s->input[1].hold == 0.5);
  settings_free(s);
}

/* An alias shares its content with the anchor in the tree. */
TEST(a_value_behind_an_alias_leaves_the_anchor_alone)
{
  static const char text[] = "a: &m {k: 1, l: [1]}\nb: *m\n";
  static const char *const set[] = {"b.k=[2, 3]", "b.n.o=4"};
  char file[32];
  struct sets sets;
  struct yaml y;
  struct report r = {.out = stderr};
  write_scratch(file, text, strlen(text));
  assert_true(yaml_read(&y, file, &r) && sets_take(&sets, set, 2, &r));
  sets_put(&y, NULL, SETS_ONCE, &r);
  assert_int_equal(r.errors, 0);
  const struct node *a = node_find(y.root, "a"), *b = node_find(y.root, "b");
  assert_string_equal(node_find(a, "k")->text, "1");
  assert_int_equal(node_find(b, "k")->count, 2);
  assert_int_equal(a->count, 2);
  assert_int_equal(b->count, 3);
  assert_string_equal(node_find(node_find(b, "n"), "o")->text, "4");
  yaml_free(&y);
  sets_free(&sets);
  unlink(file);
}

TEST(included_files_take_values)
{
  char model[32], map[32], text[300];
  static const char list[] = "osc:\n  map:\n    - {signal: body.A.position.x, address: /x}\n";
  write_scratch(model, ONE_BODY, strlen(ONE_BODY));
  write_scratch(map, list, strlen(list));
  snprintf(text, sizeof text, "model: {file: %s}\nosc: {map: {file: %s}}\n", model, map);
  static const char *const set[] = {"model.name=car", "osc.map=[]"};
  struct settings *s = load_good_set(text, set, 2);
  assert_string_equal(ali3_model_name(s->model), "car");
  assert_int_equal(s->osc.map.count, 0);
  settings_free(s);

  /* A mistake in the included file names the option; the file itself is named by its own key. */
  assert_set_refused(text, "model.bodies.A.mass=-1",
                     "--set model.bodies.A.mass=-1: error: mass: expected a number >= 0 (kg), found -1\n");
  assert_set_refused(text, "osc.map.first.address=/y",
                     "--set osc.map.first.address=/y: error: osc.map: its elements have no names; set the");
  assert_set_refused("model: {file: here.yaml}\n", "model.file=/dev/null/no",
                     "/dev/null/no: error: cannot read the file: Not a directory\n"
                     "--set model.file=/dev/null/no: error: file: the model file has mistakes");
  unlink(model);
  unlink(map);
}

TEST(numbers_of_a_vector_have_the_names_of_parameters)
{
  static const char text[] = "model:\n"
                             "  name: one\n"
                             "  gravity: [0, 0, -9.81]\n"
                             "  bodies:\n"
                             "    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n";
  static const char *const set[] = {"model.gravity.z=-5", "model.gravity.x=2",
                                    "model.bodies.A.inertia.yy=1.5", "model.bodies.A.position.y=0.5"};
  struct settings *s = load_good_set(text, set, 4);
  double gravity[3];
  ali3_model_gravity(s->model, gravity);
  assert_memory_equal(gravity, ((double[]){2, 0, -5}), sizeof gravity);
  const ali3_body_spec spec = ali3_model_body_spec(s->model, 0);
  assert_memory_equal(spec.inertia, ((double[]){1, 0, 0, 0, 1.5, 0, 0, 0, 1}), sizeof spec.inertia);
  assert_memory_equal(spec.position, ((double[]){0, 0.5, 0}), sizeof spec.position);
  settings_free(s);
  assert_set_refused(
      text, "model.gravity.2=-5",
      "--set model.gravity.2=-5: error: model.gravity: its three numbers are x, y and z, as in "
      "model.gravity.x; found 2");
}

TEST(mistakes_name_the_option)
{
  assert_set_refused(ONE_BODY, "model.bodies.A.mass=x",
                     "--set model.bodies.A.mass=x: error: mass: expected a number >= 0 (kg), found x\n");
  assert_set_refused(
      ONE_BODY, "cycle.perod=1",
      "--set cycle.perod=1: error: unknown key \"perod\" in cycle; did you mean \"period\"?\n");
  assert_set_refused(ONE_BODY, "model.bodies.B.mass=1",
                     "--set model.bodies.B.mass=1: error: model.bodies: no element is named \"B\"");
  assert_set_refused(
      ONE_BODY, "model.bodies.A.mass.x=1",
      "--set model.bodies.A.mass.x=1: error: model.bodies.A.mass: expected a mapping or a list, "
      "found 1\n");
  assert_set_refused(ONE_BODY, "model.gravity=[0, 1", "--set model.gravity=[0, 1: error: ");
  assert_set_refused(ONE_BODY,
                     "model.gravity=", "--set model.gravity=: error: expected a value, found nothing\n");
  assert_set_refused(ONE_BODY, "model.name=\"\\x1b[2J\"",
                     "--set model.name=\"\\x1b[2J\": error: expected a text");
  static const char *const wrong[] = {"solver.iterations", "=1", ".a=1", "a.=1", "a..b=1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char message[100];
    snprintf(message, sizeof message, "--set %s: error: expected KEY=VALUE, such as ", wrong[i]);
    assert_set_refused(ONE_BODY, wrong[i], message);
  }
}

/* A message about a mistake of the file may name a value of an option. */
TEST(the_place_of_an_option_inside_a_message)
{
  static const char text[] =
      ONE_BODY "    - {name: B, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
               "  joints:\n"
               "    - {name: J, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: [0, 0, 1]}\n"
               "  forces:\n"
               "    - {name: one, type: drive, joint: J, speed: 1}\n"
               "    - {name: two, type: drive, joint: J, speed: 1}\n";
  static const char *const set = "model.forces.one={name: one, type: drive, joint: J, speed: 2}";
  struct loaded l = load_set(text, &set, 1);
  assert_null(l.settings);
  if (!strstr(l.errors, ":9:7: error: ")) fail_msg("%s", l.errors);
  assert_non_null(strstr(l.errors, "(the first one is in --set model.forces.one={name: one"));
  free(l.errors);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_replace_and_add_values),
      cmocka_unit_test(elements_have_their_names_in_the_path),
      cmocka_unit_test(a_value_behind_an_alias_leaves_the_anchor_alone),
      cmocka_unit_test(included_files_take_values),
      cmocka_unit_test(numbers_of_a_vector_have_the_names_of_parameters),
      cmocka_unit_test(mistakes_name_the_option),
      cmocka_unit_test(the_place_of_an_option_inside_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
