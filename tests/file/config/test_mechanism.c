/* SPDX-License-Identifier: MIT
 * Models of files. The tests of the model layer test valid mechanisms. These tests compare a model of a file with the model
 * that the calls of the library make. */
#include "scratch.h"

#include "config/mechanism.h"
#include "model/model.h"

#include <math.h>
#include <time.h>

#define TWO_BODIES                                                                                           \
  "model:\n  bodies:\n"                                                                                      \
  "    - {name: A, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3], orientation: [0.6, 0.8, 0, 0]}\n"       \
  "    - {name: B, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"                                      \
  "  joints:\n"

static ali3_data *initial_state(const struct settings *s)
{
  ali3_data *d = ali3_data_new(s->model);
  assert_non_null(d);
  assert_true(ali3_reset(s->model, d) >= 0);
  return d;
}

/* A joint in world axes equals a joint in the axes of the bodies: the assembly moves nothing. */
static void assert_fits(const char *text, bool fits)
{
  struct settings *s = load_good(text);
  ali3_data *d = ali3_data_new(s->model);
  assert_non_null(d);
  int status = ali3_reset(s->model, d);
  assert_int_equal(status == ALI3_OK, fits);
  ali3_data_free(d);
  settings_free(s);
}

TEST(at_and_axis_are_in_the_world)
{
  /* R(A) turns by 2 acos 0.6 about x: its y axis is (0, -0.28, 0.96), its z axis (0, -0.96, -0.28) */
  assert_fits(TWO_BODIES
              "    - {name: J, type: revolute, body_a: A, body_b: B, at: [1, 1.72, 3.96], axis: [0, 0, 2]}\n",
              true);
  assert_fits(
      TWO_BODIES
      "    - {name: J, type: revolute, body_a: A, body_b: B, point_a: [0, 1, 0], point_b: [1, 1.72, 2.96],\n"
      "       axis_a: [0, 0.96, -0.28], axis_b: [0, 0, 1]}\n",
      true);
  assert_fits(
      TWO_BODIES
      "    - {name: J, type: revolute, body_a: A, body_b: B, point_a: [0, 1, 0], point_b: [1, 1.72, 2.96],\n"
      "       axis_a: [0, 0, 1], axis_b: [0, 0, 1]}\n",
      false);
  assert_fits(
      TWO_BODIES
      "    - {name: J, type: revolute, body_a: A, body_b: B, at: [9, 9, 9], axis_a: [0, 0.96, -0.28],\n"
      "       axis_b: [0, 0, 1]}\n",
      true);
}

TEST(every_joint_type_is_known)
{
  for (int t = 0; t < ALI3_JOINT_TYPES; t++) {
    ali3_joint_type type = (ali3_joint_type)t;
    char text[1000];
    bool axis_a = ali3_joint_type_has_axis_a(type), axis_b = ali3_joint_type_has_axis_b(type);
    snprintf(text, sizeof text,
             TWO_BODIES
             "    - {name: J, type: %s, body_a: A, body_b: B, point_a: [0, 0, 1], point_b: [0, 1, 0]%s%s}\n",
             ali3_joint_type_name(type), axis_a ? ", axis_a: [1, 0, 0]" : "",
             axis_b ? ", axis_b: [0, 1, 0]" : "");
    struct settings *s = load_good(text);
    assert_int_equal(ali3_model_joint_type(s->model, 0), type);
    settings_free(s);
  }
}

TEST(one_axis_is_not_enough_for_a_universal_joint)
{
  assert_refused(TWO_BODIES
                 "    - {name: J, type: universal, body_a: A, body_b: B, at: [0, 0, 0], axis: [1, 0, 0]}\n",
                 "\"axis\" has no meaning for the type universal");
  assert_refused(TWO_BODIES "    - {name: J, type: distance, body_a: A, body_b: B, at: [0, 0, 0]}\n",
                 "\"at\" has no meaning for the type distance");
}

TEST(inertia_has_two_forms)
{
  static const char *const form[] = {"[1, 2, 2.5]", "[[1, 0, 0], [0, 2, 0], [0, 0, 2.5]]"};
  double energy[2];
  for (int i = 0; i < 2; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "model: {bodies: [{name: A, mass: 2, inertia: %s, position: [0, 0, 0], velocity: [1, 0, 0],\n"
             "  angular_velocity: [1, 1, 1]}]}\n",
             form[i]);
    struct settings *s = load_good(text);
    ali3_data *d = initial_state(s);
    ali3_energy e;
    ali3_energy_get(s->model, d, &e);
    energy[i] = e.kinetic;
    ali3_data_free(d);
    settings_free(s);
  }
  assert_true(fabs(energy[0] - (1 + 5.5 / 2)) < 1e-12);
  assert_true(energy[0] == energy[1]);
}

TEST(free_bodies_and_forces_are_valid)
{
  struct settings *s = load_good("model:\n  gravity: [0, -10, 0]\n  bodies:\n    - {name: A, mass: 2, "
                                 "inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                                 "  forces:\n    - {name: F, type: force, body: A, force: [0, 20, 0]}\n"
                                 "    - {name: T, type: torque, body: A, torque: [0, 0, 3]}\n");
  assert_int_equal(ali3_model_loads(s->model), 2);
  ali3_data *d = initial_state(s);
  ali3_body_state body;
  ali3_body_get(s->model, d, 0, &body);
  assert_true(fabs(body.acceleration[1]) < 1e-12);
  assert_true(fabs(body.angular_acceleration[2] - 3) < 1e-12);
  ali3_data_free(d);
  settings_free(s);
}

TEST(sensors_are_mounted_as_the_file_says)
{
  struct settings *s = load_good("model:\n  gravity: [0, 0, -10]\n  bodies:\n    - {name: A, mass: 2, "
                                 "inertia: [1, 1, 1], position: [1, 2, 3]}\n"
                                 "  sensors:\n    - {name: A, type: point, body: A, point: [0, 0, 1]}\n"
                                 "    - {name: B, type: pose, body: A}\n"
                                 "    - {name: C, type: imu, body: A, orientation: [0, 0.6, 0.8, 0]}\n");
  static const char *const type[] = {"point", "pose", "imu"};
  assert_int_equal(ali3_model_sensors(s->model), 3);
  ali3_data *d = initial_state(s);
  ali3_sensor_state x[3];
  for (int i = 0; i < 3; i++) {
    assert_string_equal(ali3_sensor_type_name(ali3_model_sensor_type(s->model, i)), type[i]);
    ali3_sensor_get(s->model, d, i, &x[i]);
  }
  assert_true(x[0].position[0] == 1 && x[0].position[1] == 2 && x[0].position[2] == 4);
  assert_true(x[1].position[2] == 3 && x[1].orientation[0] == 1);
  assert_true(fabs(x[2].orientation[1] - 0.6) < 1e-15 && fabs(x[2].orientation[2] - 0.8) < 1e-15);
  ali3_data_free(d);
  settings_free(s);
}

TEST(a_model_file_takes_parameters)
{
  char text[500];
  static const char *const values[] = {"{}", "{edge: 2*side, name: big}", "{edge: 200 mm}"};
  static const double expected[] = {1000 * 0.001, 1000 * 0.512, 1000 * 0.008};
  for (int i = 0; i < 3; i++) {
    snprintf(
        text, sizeof text,
        "parameters: {side: 0.4 m}\nmodel: {file: %s/file/config/with_parameters.yaml, parameters: %s}\n",
        TEST_DATA, values[i]);
    struct settings *s = load_good(text);
    assert_near(s->model->body[0].spec.mass, expected[i], 1e-9);
    assert_string_equal(s->model->body[0].name, i == 1 ? "big" : "cube");
    settings_free(s);
  }
  /* Mistakes name the line of this file. */
  static const char *const wrong[][2] = {
      {"{edgy: 1}", ":2:"},
      {"{edgy: 1}", "the file has no parameter \"edgy\"; did you mean \"edge\"?"},
      {"[1]", ":2:"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    snprintf(
        text, sizeof text,
        "parameters: {side: 0.4 m}\nmodel: {file: %s/file/config/with_parameters.yaml, parameters: %s}\n",
        TEST_DATA, wrong[i][0]);
    struct loaded l = load_text(text);
    assert_null(l.settings);
    if (!strstr(l.errors, wrong[i][1])) fail_msg("expected \"%s\" in \"%s\"", wrong[i][1], l.errors);
    free(l.errors);
  }
  struct loaded l = load_text("model:\n  parameters: {L: 1}\n  bodies:\n    - {name: A, mass: 1, inertia: "
                              "[1, 1, 1], position: [0, 0, 0]}\n");
  assert_null(l.settings);
  assert_non_null(strstr(l.errors, ":2:3: error: parameters: expected \"file\" beside it"));
  free(l.errors);
}

/* The test reads a file of a folder of its own, which has no mesh. */
TEST(mesh_keys_are_checked)
{
#define SHAPE(keys)                                                                                          \
  "model:\n  bodies:\n    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n  visual:\n"        \
  "    - {body: A, " keys "}\n"
  static const char *const wrong[][2] = {
      {SHAPE("shape: mesh"), ":5:7: error: missing key \"file\" in a shape of shape mesh"},
      {SHAPE("shape: mesh, file: none.stl"), ":5:36: error: file: "},
      {SHAPE("shape: mesh, file: none.stl"), "/none.stl: No such file"},
      {SHAPE("shape: mesh, file: ../a.stl"),
       ":5:36: error: file: ../a.stl: expected a path below the folder"},
      {SHAPE("shape: mesh, file: /etc/a.stl"),
       ":5:36: error: file: /etc/a.stl: expected a path below the folder"},
      {SHAPE("shape: mesh, file: a.dae"),
       ":5:36: error: file: a.dae: expected a name that ends in .stl or .glb"},
      {SHAPE("shape: mesh, file: a.stl, size: [1, 1, 1]"),
       ":5:43: error: \"size\" has no meaning for the shape mesh; remove it"},
      {SHAPE("shape: mesh, file: a.stl, scale: 0"), ":5:50: error: scale: "},
      {SHAPE("shape: box, file: a.stl"),
       ":5:29: error: \"file\" has no meaning for the shape box; remove it"},
      {SHAPE("shape: capsule, scale: 2"),
       ":5:33: error: \"scale\" has no meaning for the shape capsule; remove it"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct loaded l = load_text(wrong[i][0]);
    assert_null(l.settings);
    if (!strstr(l.errors, wrong[i][1])) fail_msg("expected \"%s\" in \"%s\"", wrong[i][1], l.errors);
    free(l.errors);
  }
#undef SHAPE
}

TEST(shapes_are_for_pictures_only)
{
#define SHAPES(color, body)                                                                                  \
  "model:\n  bodies:\n    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n  visual:\n"        \
  "    - {body: ground, shape: sphere}\n"                                                                    \
  "    - {body: " body ", shape: cylinder, size: [1, 2, 3], position: [0, 0, 4], color: " color "}\n"
  struct settings *s = load_good(SHAPES("\"#01fAB2\"", "A"));
  assert_int_equal(s->visuals, 2);
  assert_int_equal(s->visual[0].body, ALI3_GROUND);
  assert_string_equal(s->visual[0].color, ""); /* the picture chooses */
  assert_int_equal(s->visual[1].shape, SCENE_CYLINDER);
  assert_true(s->visual[1].size[2] == 3 && s->visual[1].position[2] == 4 && s->visual[1].orientation[0] == 1);
  assert_string_equal(s->visual[1].color, "#01fAB2");
  settings_free(s);
  struct loaded l = load_text(SHAPES("red", "A"));
  assert_null(l.settings);
  assert_non_null(strstr(l.errors, ":6:79: error: color: expected \"#\" and six hexadecimal digits"));
  free(l.errors);
  l = load_text(SHAPES("\"#000000\"", "Z"));
  assert_null(l.settings);
  assert_non_null(strstr(l.errors, ":6:14: error: body: "));
  free(l.errors);
#undef SHAPES
}

TEST(one_mistake_neither_hides_others_nor_causes_them)
{
  /* A has a mistake. The joint to A is not reported for it, the joint to Z is reported. */
  struct loaded l = load_text(
      "model:\n  bodies:\n    - {name: A, mass: -1, inertia: [1, 1, 1], position: [0, 0, 0]}\n  joints:\n"
      "    - {name: J, type: spherical, body_a: ground, body_b: A, at: [0, 0, 0]}\n"
      "    - {name: K, type: spherical, body_a: ground, body_b: Z, at: [0, 0, 0]}\n");
  assert_null(l.settings);
  int errors = 0;
  for (const char *p = l.errors; (p = strstr(p, ": error: ")); p++) errors++;
  assert_int_equal(errors, 2);
  assert_non_null(strstr(l.errors, ":3:23: error: mass: "));
  assert_non_null(strstr(l.errors, ":6:58: error: body_b: "));
  free(l.errors);
}

/* Reading is linear: 16 times the bodies take about 16 times as long, not 256 times. */
static double build_seconds(int bodies)
{
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  fprintf(f, "model:\n  bodies:\n");
  for (int i = 0; i < bodies; i++)
    fprintf(f, "    - {name: B%d, mass: 1, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, i);
  fprintf(f, "  joints:\n");
  for (int i = 0; i < bodies; i++) {
    char before[16] = "ground";
    if (i > 0) snprintf(before, sizeof before, "B%d", i - 1);
    fprintf(f, "    - {name: J%d, type: spherical, body_a: %s, body_b: B%d, at: [%d.5, 0, 0]}\n", i, before,
            i, i);
  }
  fclose(f);

  char file[32];
  write_scratch(file, text, size);
  free(text);
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  struct yaml y;
  struct names names = {0};
  ali3_options options = ali3_options_default();
  struct places places = {0};
  struct report r = {.out = stdout};
  assert_true(yaml_read(&y, file, &r));
  ali3_model *m = mechanism_build(node_find(y.root, "model"), &names, &options, &places, &r);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  unlink(file);
  assert_non_null(m);
  assert_int_equal(ali3_model_joints(m), bodies);
  ali3_model_free(m);
  names_free(&names);
  places_free(&places);
  yaml_free(&y);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

TEST(reading_is_linear)
{
  build_seconds(1000); /* warm */
  double small = build_seconds(2000), large = build_seconds(32000);
  print_message("2000 bodies %.3f s, 32000 bodies %.3f s\n", small, large);
  assert_true(large < 80 * small);
}

/* Angles are in rad, or in degrees with "deg"; JSON has them in quotes. */
TEST(positions_and_angles_have_units)
{
  static const struct {
    const char *type, *given;
    double position;
  } joint[] = {{"revolute", "400 deg", 6.98131700797732},
               {"revolute", "-0.5", -0.5},
               {"revolute", "\"90 deg\"", 1.5707963267949},
               {"prismatic", "1.25", 1.25}};
  for (size_t i = 0; i < sizeof joint / sizeof *joint; i++) {
    char text[600];
    snprintf(text, sizeof text,
             TWO_BODIES "    - {name: J, type: %s, body_a: ground, body_b: A, point_a: [1, 2, 3], "
                        "point_b: [0, 0, 0], axis: [1, 0, 0], position: %s}\n",
             joint[i].type, joint[i].given);
    struct settings *s = load_good(text);
    ali3_data *d = initial_state(s);
    ali3_joint_state j;
    ali3_joint_get(s->model, d, 0, &j);
    if (!(fabs(j.position - joint[i].position) < 1e-12)) fail_msg("%s: %.15g", joint[i].given, j.position);
    ali3_data_free(d);
    settings_free(s);
  }
}

/* The section assembly belongs to the model. Without it the stepper's default applies. */
TEST(the_model_limits_its_assembly)
{
  static const char joint[] = "    - {name: J, type: spherical, body_a: ground, body_b: A, at: [1, 2, 3]}\n";
  char text[600];
  snprintf(text, sizeof text, TWO_BODIES "%s  assembly: {position: 0.2, angle: 30 deg}\n", joint);
  struct settings *s = load_good(text);
  assert_true(ali3_model_options(s->model)->assembly_position == 0.2);
  assert_true(fabs(ali3_model_options(s->model)->assembly_angle - 0.523598775598299) < 1e-14);
  settings_free(s);
  snprintf(text, sizeof text, TWO_BODIES "%s", joint);
  s = load_good(text);
  assert_true(ali3_model_options(s->model)->assembly_position == 0.005);
  assert_true(fabs(ali3_model_options(s->model)->assembly_angle - 0.0349065850398866) < 1e-15);
  settings_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_and_axis_are_in_the_world),
      cmocka_unit_test(every_joint_type_is_known),
      cmocka_unit_test(one_axis_is_not_enough_for_a_universal_joint),
      cmocka_unit_test(inertia_has_two_forms),
      cmocka_unit_test(free_bodies_and_forces_are_valid),
      cmocka_unit_test(sensors_are_mounted_as_the_file_says),
      cmocka_unit_test(a_model_file_takes_parameters),
      cmocka_unit_test(mesh_keys_are_checked),
      cmocka_unit_test(shapes_are_for_pictures_only),
      cmocka_unit_test(one_mistake_neither_hides_others_nor_causes_them),
      cmocka_unit_test(positions_and_angles_have_units),
      cmocka_unit_test(the_model_limits_its_assembly),
      cmocka_unit_test(reading_is_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
