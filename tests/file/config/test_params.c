/* SPDX-License-Identifier: MIT
 * Parameters that may change while a model runs: their names, values, ranges, and the models that changes make. */
#include "check.h"
#include "config/params.h"
#include "config/setup.h"
#include "scratch.h"

#include <ali3/ali3.h>
#include <stdlib.h>
#include <string.h>

static const char FILE_TEXT[] =
    "model:\n"
    "  gravity: [0, 0, -9.81]\n"
    "  bodies:\n"
    "    - {name: A, mass: 2, inertia: [1, 2, 2.5], position: [0, 0, 0]}\n"
    "    - {name: B, mass: 3, inertia: [1, 1, 1], position: [2, 0, 0], orientation: [1, 0.001, 0, 0]}\n"
    "  joints:\n"
    "    - {name: hinge, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  forces:\n"
    "    - {name: wind, type: force, body: B, force: [1, 2, 3]}\n"
    "    - {name: twist, type: torque, body: B, torque: [4, 5, 6]}\n"
    "    - {name: stop, type: stop, joint: hinge, lower: -1, stiffness: 100}\n"
    "    - {name: bush, type: bushing, body_a: A, body_b: B, stiffness: [1e3, 2e3, 3e3], rotational_damping: "
    "[1, 2, 3]}\n"
    "    - {name: coil, type: joint_spring, joint: hinge, force_table: [[0, 0], [1, 5]], damping: 2}\n"
    "solver: {iterations: 4}\n";

static struct settings *settings_of(const char *text)
{
  char folder[] = "/tmp/ali3-params-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.yaml", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  struct settings *s = setup_load(path, NULL, stderr);
  remove(path);
  remove(folder);
  assert_non_null(s);
  return s;
}

static int found(const struct params *p, const char *name)
{
  const int i = params_find(p, name);
  if (i < 0) fail_msg("no parameter %s", name);
  return i;
}

static void assert_value(const struct params *p, const ali3_model *m, const char *name, int count,
                         const double *expected)
{
  double value[PARAM_NUMBERS];
  const struct param *x = &p->param[found(p, name)];
  assert_int_equal(x->count, count);
  params_get(x, m, value);
  for (int i = 0; i < count; i++)
    if (value[i] != expected[i]) fail_msg("%s[%d]: expected %g, found %g", name, i, expected[i], value[i]);
}
#define VALUE(name, ...)                                                                                     \
  assert_value(&p, s->model, name, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),                  \
               (const double[]){__VA_ARGS__})

TEST(names_and_values_are_those_of_the_file)
{
  struct settings *s = settings_of(FILE_TEXT);
  struct params p;
  assert_true(params_list(&p, s->model));
  VALUE("model.gravity", 0, 0, -9.81);
  VALUE("solver.iterations", 4);
  VALUE("solver.gamma", 0.5);
  VALUE("body.A.mass", 2);
  VALUE("body.A.inertia", 1, 0, 0, 0, 2, 0, 0, 0, 2.5);
  VALUE("force.wind.force", 1, 2, 3);
  VALUE("force.twist.torque", 4, 5, 6);
  VALUE("force.stop.lower", -1);
  VALUE("force.stop.upper", INFINITY);
  VALUE("force.stop.stiffness", 100);
  VALUE("force.bush.stiffness", 1e3, 2e3, 3e3);
  VALUE("force.bush.rotational_damping", 1, 2, 3);
  VALUE("force.coil.damping", 2);
  /* A table stands in place of the stiffness. Geometry, names and types need a restart. */
  static const char *const none[] = {
      "force.coil.stiffness", "body.A.position", "force.bush.point_a", "joint.hinge.at",
      "force.wind.torque",    "body.C.mass",     "solver.alpha",       ""};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_int_equal(params_find(&p, none[i]), -1);
  params_free(&p);
  settings_free(s);
}

TEST(a_name_means_the_whole_or_a_part)
{
  struct settings *s = settings_of(FILE_TEXT);
  struct params p;
  const struct param_part *part;
  char text[200];
  double value[PARAM_NUMBERS] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  assert_true(params_list(&p, s->model));
  assert_int_equal(params_find_part(&p, "model.gravity", &part), found(&p, "model.gravity"));
  assert_null(part);
  assert_int_equal(params_find_part(&p, "model.gravity.z", &part), found(&p, "model.gravity"));
  assert_int_equal(part->number, 2);
  /* Both halves of an inertia get the number. */
  assert_int_equal(params_find_part(&p, "body.A.inertia.xz", &part), found(&p, "body.A.inertia"));
  param_put_part(part, 0.5, value);
  assert_memory_equal(value, ((double[]){1, 2, 0.5, 4, 5, 6, 0.5, 8, 9}), sizeof value);
  static const char *const none[] = {"model.gravity.",        "model.gravity.xx", "body.A.inertia.x",
                                     "body.A.mass.x",         "gravity.z",        "model.gravit.z",
                                     "force.coil.stiffness.x"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_int_equal(params_find_part(&p, none[i], &part), -1);
  /* A name that is nearly right, and one that is not. */
  assert_true(params_explain_name(&p, "force.bush.stiffness[1]", text, sizeof text));
  assert_string_equal(
      text, "force.bush.stiffness[1]: no parameter of this name; force.bush.stiffness has the parts .x, "
            ".y and .z");
  assert_false(params_explain_name(&p, "force.none.stiffness.x", text, sizeof text));
  params_free(&p);
  settings_free(s);
}

static int difference(const struct params *p, const ali3_model *from, const ali3_model *to,
                      struct param_change *change)
{
  struct param_values values;
  assert_true(param_values_read(&values, to));
  const int changes = params_difference(p, from, &values, change);
  param_values_free(&values);
  return changes;
}

TEST(changes_make_the_model_of_the_changed_file)
{
  struct settings *s = settings_of(FILE_TEXT);
  char text[sizeof FILE_TEXT + 100], error[300];
  snprintf(text, sizeof text, "%s", FILE_TEXT);
  memcpy(strstr(text, "mass: 2"), "mass: 7", 7);
  memcpy(strstr(text, "stiffness: 100"), "stiffness: 900", 14);
  memcpy(strstr(text, "iterations: 4"), "iterations: 6", 13);
  memcpy(strstr(text, "[4, 5, 6]"), "[4, 8, 6]", 9);
  struct settings *other = settings_of(text);
  struct params p;
  assert_true(params_list(&p, s->model));
  const struct param_change change[] = {{found(&p, "body.A.mass"), {5}},
                                        {found(&p, "force.twist.torque"), {4, 8, 6}},
                                        {found(&p, "force.stop.stiffness"), {900}},
                                        {found(&p, "solver.iterations"), {6}},
                                        {found(&p, "body.A.mass"), {7}}};
  ali3_model *m = params_apply(&p, s->model, change, 5, error, sizeof error);
  assert_non_null(m);
  unsigned char a[ALI3_MODEL_HASH_SIZE], b[ALI3_MODEL_HASH_SIZE];
  ali3_model_hash(m, a);
  ali3_model_hash(other->model, b);
  assert_memory_equal(a, b, sizeof a);
  assert_true(ali3_model_takes_state(m, s->model));

  /* The way back: the differences of two files. */
  struct param_change *found_changes = calloc((size_t)p.count, sizeof *found_changes);
  assert_int_equal(difference(&p, s->model, other->model, found_changes), 4);
  assert_int_equal(found_changes[0].param, found(&p, "solver.iterations"));
  assert_int_equal(difference(&p, s->model, s->model, found_changes), 0);
  /* Differences that need a restart do not hide them. */
  memcpy(strstr(text, "position: [2"), "position: [3", 12);
  struct settings *apart = settings_of(text);
  assert_int_equal(difference(&p, s->model, apart->model, found_changes), 4);
  free(found_changes);
  ali3_model_free(m);
  params_free(&p);
  settings_free(s);
  settings_free(other);
  settings_free(apart);
}

static void assert_param_refused(const struct params *p, const char *name, int count, const double *numbers,
                                 const char *text)
{
  double value[PARAM_NUMBERS] = {0};
  char error[400] = "";
  memcpy(value, numbers, (size_t)count * sizeof *value);
  assert_false(params_check(&p->param[found(p, name)], count, value, error, sizeof error));
  if (!strstr(error, text)) fail_msg("expected '%s' in '%s'", text, error);
}

TEST(values_are_checked_like_those_of_the_file)
{
  struct settings *s = settings_of(FILE_TEXT);
  struct params p;
  char error[400];
  assert_true(params_list(&p, s->model));
  assert_param_refused(&p, "force.stop.stiffness", 1, (const double[]){0},
                       "force.stop.stiffness: expected a number > 0");
  assert_param_refused(&p, "body.A.mass", 1, (const double[]){NAN}, "expected a number >= 0");
  assert_param_refused(&p, "body.A.mass", 2, (const double[]){1, 1}, "expected a number");
  assert_param_refused(&p, "solver.iterations", 1, (const double[]){2.5},
                       "expected a whole number from 1 to 100");
  assert_param_refused(&p, "solver.gamma", 1, (const double[]){2}, "from 0.5 to 1.5");
  double inertia[PARAM_NUMBERS] = {3, 4, 5};
  assert_true(params_check(&p.param[found(&p, "body.A.inertia")], 3, inertia, error, sizeof error));
  assert_true(inertia[0] == 3 && inertia[4] == 4 && inertia[8] == 5 && inertia[1] == 0);
  /* The model refuses what a range does not show. */
  const struct param_change flat = {found(&p, "body.A.inertia"), {1, 0, 0, 0, 1, 0, 0, 0, 9}};
  assert_null(params_apply(&p, s->model, &flat, 1, error, sizeof error));
  assert_non_null(strstr(error, "inertia"));
  /* So does a number that no integer holds. */
  const struct param_change huge = {found(&p, "model.gravity"), {1e74, 0, 0}};
  assert_null(params_apply(&p, s->model, &huge, 1, error, sizeof error));
  assert_non_null(strstr(error, "m/s^2, found 1e+74"));
  /* As text. */
  params_value_text(&p.param[found(&p, "body.A.inertia")], inertia, error, sizeof error);
  assert_string_equal(error, "[[3, 0, 0], [0, 4, 0], [0, 0, 5]]");
  params_value_text(&p.param[found(&p, "force.stop.upper")], (const double[]){INFINITY}, error, sizeof error);
  assert_string_equal(error, ".inf");
  params_free(&p);
  settings_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_values_are_those_of_the_file),
                                     cmocka_unit_test(a_name_means_the_whole_or_a_part),
                                     cmocka_unit_test(changes_make_the_model_of_the_changed_file),
                                     cmocka_unit_test(values_are_checked_like_those_of_the_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
