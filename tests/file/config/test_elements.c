/* SPDX-License-Identifier: MIT
 * Every field of every element, from the file to the model and through changes: each field has a key; a parameter that changes leaves
 * every other field; every vector of an element turns with its part and is reflected with it. */
#include "common/specs.h"
#include "config/mechanism.h"
#include "config/params.h"
#include "config/scratch.h"
#include "expand/expand.h"

#include <math.h>
#include <stdio.h>

/* --- keys --- */

/* The sections that are read into the spec of an element, at `spec` of their struct. */
struct readers {
  const struct section *section;
  int sections;
  size_t spec;
};
static const struct readers reader_of[SPEC_ELEMENTS] = {
    [SPEC_OF_BODY] = {&schema_body, 1, offsetof(struct body_values, spec)},
    [SPEC_OF_JOINT] = {&schema_joint, 1, offsetof(struct joint_values, spec)},
    [SPEC_OF_LOAD] = {&schema_force, 1, offsetof(struct force_values, spec)},
    [SPEC_OF_FORCE] = {schema_connection, ALI3_FORCE_TYPES, offsetof(struct connection_values, spec)},
    [SPEC_OF_SENSOR] = {&schema_sensor, 1, offsetof(struct sensor_values, spec)}};

/* Fields whose keys have other names, or that no key of the element gives. */
static const struct {
  enum spec_element element;
  const char *field, *key; /* key NULL: another part of the program fills it */
} under_other_names[] = {{SPEC_OF_LOAD, "vector", "force"},
                         {SPEC_OF_LOAD, "body_axes", "axes"},
                         {SPEC_OF_JOINT, "dropped", NULL}}; /* solver.redundant */

static bool section_gives(const struct section *s, size_t spec, const struct spec_field *f, const char *name)
{
  const bool by_name = f->kind == SPEC_TYPE || f->kind == SPEC_BODY || f->kind == SPEC_JOINT ||
                       f->kind == SPEC_FORCE || name != f->name;
  for (int i = 0; i < s->keys; i++) {
    const struct key *k = &s->key[i];
    if (by_name ? strcmp(k->name, name) == 0 : k->offset == spec + f->at) return true;
  }
  return false;
}

TEST(every_field_has_a_key)
{
  for (int e = 0; e < SPEC_ELEMENTS; e++)
    for (int i = 0; i < spec_fields[e].fields; i++) {
      const struct spec_field *f = &spec_fields[e].field[i];
      const char *name = f->name;
      for (size_t k = 0; k < sizeof under_other_names / sizeof *under_other_names; k++)
        if (under_other_names[k].element == (enum spec_element)e &&
            strcmp(under_other_names[k].field, f->name) == 0)
          name = under_other_names[k].key;
      bool given = name == NULL;
      for (int s = 0; s < reader_of[e].sections && !given; s++)
        given = section_gives(&reader_of[e].section[s], reader_of[e].spec, f, name);
      if (!given) fail_msg("no key of a %s gives its field %s", spec_fields[e].element, f->name);
    }
}

/* --- parameters --- */

/* One element of every type, and no field at its default if the file allows another value. */
static const char FILE_TEXT[] =
    "model:\n"
    "  gravity: [0.1, 0, -9.81]\n"
    "  bodies:\n"
    "    - {name: A, mass: 2, inertia: [1, 2, 2.5], position: [0, 0, 0.5], velocity: [0.1, 0.2, 0.3], "
    "angular_velocity: [0, 0.1, 0]}\n"
    "    - {name: B, mass: 3, inertia: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], position: [2, 0, 0], "
    "orientation: [0.5, 0.5, 0.5, 0.5]}\n"
    "    - {name: C, mass: 4, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
    "  joints:\n"
    "    - {name: hinge, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: [0, 1, 0], "
    "position: 0.2}\n"
    "    - {name: slide, type: prismatic, body_a: ground, body_b: B, at: [2, 0, 0], axis: [1, 0, 0], "
    "velocity: 0.1}\n"
    "    - {name: rod, type: distance, body_a: B, body_b: C, point_a: [0, 0, 0], point_b: [0, 0, 0.1], "
    "length: 1.01}\n"
    "  forces:\n"
    "    - {name: wind, type: force, body: B, force: [1, 2, 3], point: [0, 0, 0.1], axes: body}\n"
    "    - {name: twist, type: torque, body: B, torque: [4, 5, 6]}\n"
    "    - {name: spring, type: spring_damper, body_a: A, body_b: C, point_a: [0, 0.1, 0], stiffness: 7, "
    "damping: 0.3, rest_length: 2}\n"
    "    - {name: stop, type: stop, joint: hinge, lower: -1, stiffness: 100}\n"
    "    - {name: bush, type: bushing, body_a: A, body_b: B, stiffness: [1e3, 2e3, 3e3], rotational_damping: "
    "[1, 2, 3]}\n"
    "    - {name: coil, type: joint_spring, joint: slide, force_table: [[0, 0], [1, 5]], damping: 2}\n"
    "    - {name: rub, type: friction, joint: hinge, friction: 0.3, damping: 0.1, slip: 0.02}\n"
    "    - {name: turn, type: drive, joint: slide, offset: 0.01, speed: 0.1, amplitude: 0.02, frequency: 2, "
    "phase: 0.3}\n"
    "    - {name: tyre, type: sphere_plane, body_a: ground, body_b: C, normal: [0, 0, 1], radius: 0.3, "
    "stiffness: 2e4, friction: 0.8}\n"
    "    - {name: ram, type: hydraulic_cylinder, body_a: A, body_b: C, bore: 0.05, rod: 0.03, retracted: 1, "
    "stroke: 4, dead_volume_a: 2e-4, dead_volume_b: 3e-4, bulk_modulus: 1e9, damping: 5, leakage: 1e-12, "
    "supply: 1e7, tank: 1e5, flow: 1e-3, flow_drop: 1e6, overlap: 0.05, lag: 0.02, pressure_a: 2e5, "
    "pressure_b: 3e5}\n"
    "    - {name: servo, type: electric_motor, joint: hinge, resistance: 0.6, inductance: 0.01, constant: "
    "0.2, "
    "max_current: 9, max_voltage: 24, current: 1}\n"
    "    - {name: disc, type: brake, joint: hinge, friction: 40, slip: 0.03}\n"
    "    - {name: wheel, type: tyre, body_a: ground, body_b: C, normal: [0, 0, 1], axle: [0, 1, 0], radius: "
    "0.3, "
    "rolling_radius: 0.29, stiffness: 2e5, damping: 50, load: 3e3, slip_stiffness_along: 20, "
    "slip_stiffness_across: 15, relaxation_along: 0.2, relaxation_across: 0.5, grip_along: 1.1, grip_across: "
    "0.9, slip_damping_along: 40, slip_damping_across: 30, shape: 1.4, curvature: -0.5}\n"
    "  sensors:\n"
    "    - {name: tip, type: point, body: A, point: [0.1, 0.2, 0.3]}\n"
    "    - {name: frame, type: pose, body: B, point: [0.4, 0.5, 0.6], orientation: [0.5, 0.5, 0.5, 0.5]}\n"
    "    - {name: imu, type: imu, body: C, point: [0.7, 0.8, 0.9], orientation: [0.5, -0.5, 0.5, 0.5], "
    "noise: 0.02, "
    "angular_noise: 0.01, scale_error: 0.01, angular_scale_error: -0.02, force_bias: [0.1, 0, -0.2], "
    "angular_bias: [0, 0.01, 0], lower: -30, upper: 31, angular_lower: -3, angular_upper: 3.5, bits: 12}\n"
    "    - {name: rope, type: distance, body: A, body_b: C, point: [0, 0.1, 0], point_b: [0.2, 0, 0], delay: "
    "25 ms, "
    "noise: 1e-4, seed: 7}\n"
    "    - {name: lean, type: angle, body: A, body_b: ground, axis: [0, 0, 1], increments: 720}\n"
    "    - {name: turns, type: encoder, joint: hinge, increments: 4096, cutoff: 20, filter_order: 2}\n"
    "    - {name: cell, type: load_cell, force: spring, lower: -100, upper: 100, resolution: 0.5, bias: 2, "
    "scale_error: 1e-3, stuck: 1, "
    "stuck_at: 3}\n"
    "solver: {iterations: 4}\n";

/* Fields that differ between two models. The name of the last one is put into text[size]. */
static int differences(const ali3_model *a, const ali3_model *b, char *text, size_t size)
{
  int found = 0;
  for (int e = 0; e < SPEC_ELEMENTS; e++) {
    assert_int_equal(spec_count(a, (enum spec_element)e), spec_count(b, (enum spec_element)e));
    for (int i = 0; i < spec_count(a, (enum spec_element)e); i++) {
      const union spec x = spec_at(a, (enum spec_element)e, i), y = spec_at(b, (enum spec_element)e, i);
      for (int k = 0; k < spec_fields[e].fields; k++)
        if (!spec_field_equal(&spec_fields[e].field[k], &x, &y)) {
          found++;
          snprintf(text, size, "%s %d, %s", spec_fields[e].element, i, spec_fields[e].field[k].name);
        }
    }
  }
  return found;
}

/* A changed parameter builds the model again: no other field may move. */
TEST(a_parameter_changes_one_field)
{
  struct loaded l = load_text(FILE_TEXT);
  if (!l.settings) fail_msg("%s", l.errors);
  const ali3_model *m = l.settings->model;
  struct params p;
  char error[300] = "", which[100] = "";
  assert_true(params_list(&p, m));
  assert_in_range(p.count, 25, 1000);
  struct param_change *back = calloc((size_t)p.count, sizeof *back);
  assert_non_null(back);
  for (int i = 0; i < p.count; i++) {
    struct param_change change = {.param = i};
    params_get(&p.param[i], m, change.value);
    for (int k = 0; k < p.param[i].count; k++)
      if (isfinite(change.value[k]))
        change.value[k] = param_is_whole(&p.param[i]) ? change.value[k] + 1 : 1.25 * change.value[k];
    const bool finite = isfinite(change.value[0]);
    ali3_model *other = params_apply(&p, m, &change, 1, error, sizeof error);
    if (!other) fail_msg("%s: %s", p.param[i].name, error);
    const bool of_element = p.param[i].owner != PARAM_OF_MODEL && p.param[i].owner != PARAM_OF_SOLVER;
    const int n = differences(m, other, which, sizeof which);
    if (n > (of_element && finite))
      fail_msg("%s changes %d fields, such as that of %s", p.param[i].name, n, which);
    /* The difference of the two models is this parameter, or nothing where 1.25 times 0 is 0. */
    struct param_values values;
    assert_true(param_values_read(&values, other));
    const int found = params_difference(&p, m, &values, back);
    param_values_free(&values);
    assert_true(found == 0 || (found == 1 && back[0].param == i));
    ali3_model_free(other);
  }
  free(back);
  params_free(&p);
  settings_free(l.settings);
  free(l.errors);
}

/* --- keys of some types --- */

static bool takes(const struct section *s, const char *key, int type)
{
  for (int i = 0; i < s->keys; i++)
    if (strcmp(s->key[i].name, key) == 0) return !s->key[i].only || s->key[i].only >> type & 1;
  return false;
}

/* The keys that a sensor of a type needs beside `key`, each with a comma before it. */
static void needs_of_sensor(int type, const char *key, char *text, size_t size)
{
  static const char *const values[][2] = {
      {"body", "A"}, {"body_b", "B"}, {"axis", "[0, 0, 1]"}, {"joint", "hinge"}, {"force", "coil"}};
  static const char *const pairs[][2] = {{"lower", "upper: 2"},
                                         {"upper", "lower: -2"},
                                         {"angular_lower", "angular_upper: 2"},
                                         {"angular_upper", "angular_lower: -2"}};
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < schema_sensor.keys; i++) {
    const struct key *k = &schema_sensor.key[i];
    if (!(k->needed >> type & 1) || strcmp(k->name, key) == 0) continue;
    size_t at = 0;
    while (at < sizeof values / sizeof *values && strcmp(values[at][0], k->name) != 0) at++;
    if (at == sizeof values / sizeof *values) fail_msg("sensors need \"%s\": give it a value here", k->name);
    used += (size_t)snprintf(text + used, size - used, ", %s: %s", k->name, values[at][1]);
    assert_true(used < size);
  }
  /* A limit stands beside the other one. */
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(pairs[i][0], key) == 0) snprintf(text + used, size - used, ", %s", pairs[i][1]);
}

/* The keys that a joint of a type needs beside `key`, each with a comma before it. */
static void needs_of_joint(int type, const char *key, char *text, size_t size)
{
  const bool points = strncmp(key, "point_", 6) == 0 || !takes(&schema_joint, "at", type);
  const bool axes = takes(&schema_joint, "axis_a", type);
  const bool own = axes && (strncmp(key, "axis_", 5) == 0 || !takes(&schema_joint, "axis", type));
  snprintf(text, size, ", body_a: A, body_b: B%s%s%s%s%s",
           strcmp(key, "point_a") != 0 && points ? ", point_a: [0, 0, 0]" : "",
           strcmp(key, "point_b") != 0 && points ? ", point_b: [0, 0, 0]" : "",
           points ? "" : ", at: [0, 0, 0]", !own && axes ? ", axis: [0, 0, 1]" : "",
           !own                         ? ""
           : strcmp(key, "axis_a") == 0 ? ", axis_b: [0, 0, 1]"
           : strcmp(key, "axis_b") == 0 ? ", axis_a: [0, 0, 1]"
                                        : ", axis_a: [0, 0, 1], axis_b: [0, 1, 0]");
}

/* A type of element takes a key if its model uses the field; otherwise .only leaves the type out. */
static void check_taken(enum spec_element e, const char *list, const struct key *k, int type,
                        const char *word)
{
  char text[800], others[300];
  const struct spec_field *f = NULL;
  for (int i = 0; i < spec_fields[e].fields; i++)
    if (spec_fields[e].field[i].kind == SPEC_NUMBERS &&
        k->offset == reader_of[e].spec + spec_fields[e].field[i].at)
      f = &spec_fields[e].field[i];
  if (!f || (k->only && !(k->only >> type & 1))) return;
  if (strcmp(k->name, "axis_b") == 0) return; /* taken wherever axis_a is, because programs write both */
  const int numbers = k->type == KEY_VECTOR       ? 3
                      : k->type == KEY_QUATERNION ? 4
                                                  : 1; /* a field may have several keys */
  (e == SPEC_OF_SENSOR ? needs_of_sensor : needs_of_joint)(type, k->name, others, sizeof others);
  snprintf(
      text, sizeof text,
      "model:\n  bodies:\n    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
      "    - {name: B, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n%s  %s:\n    - {name: it, type: "
      "%s%s, %s: %s}\n",
      e == SPEC_OF_SENSOR
          ? "  joints: [{name: hinge, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: "
            "[1, 0, 0]}]\n  forces: [{name: coil, type: joint_spring, joint: hinge, stiffness: 1}]\n"
          : "",
      list, word, others, k->name,
      numbers == 1   ? "0.5"
      : numbers == 3 ? "[0, 0.6, 0.8]"
                     : "[0.5, 0.5, -0.5, 0.5]");
  struct loaded l = load_text(text);
  if (!l.settings) fail_msg("%s\n%s", text, l.errors);
  const union spec s = spec_at(l.settings->model, e, 0);
  const double *x = (const double *)(const void *)((const char *)&s + f->at);
  if (x[numbers - 1] != (numbers == 3 ? 0.8 : 0.5))
    fail_msg("the type %s of %s takes the key %s, and its model ignores it: see .only in keys_model.c", word,
             list, k->name);
  settings_free(l.settings);
  free(l.errors);
}

TEST(a_type_takes_the_keys_that_it_uses)
{
  for (int type = 0; type < ALI3_SENSOR_TYPES; type++)
    for (int i = 0; i < schema_sensor.keys; i++)
      check_taken(SPEC_OF_SENSOR, "sensors", &schema_sensor.key[i], type,
                  ali3_sensor_type_name((ali3_sensor_type)type));
  for (int type = 0; type < ALI3_JOINT_TYPES; type++)
    for (int i = 0; i < schema_joint.keys; i++)
      check_taken(SPEC_OF_JOINT, "joints", &schema_joint.key[i], type,
                  ali3_joint_type_name((ali3_joint_type)type));
}

/* A sensor of a type on a model of two bodies, a hinge and a spring, with every number of its spec near `number`; what the model keeps
 * of it. */
static ali3_sensor_spec kept_sensor(int type, double number)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec body = {.mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};
  for (int i = 0; i < 2; i++) {
    body.name = i ? "B" : "A";
    assert_int_equal(ali3_model_add_body(m, &body), i);
  }
  const ali3_joint_spec hinge = {
      .name = "hinge", .type = ALI3_JOINT_REVOLUTE, .body_a = ALI3_GROUND, .axis_a = {1}, .axis_b = {1}};
  assert_int_equal(ali3_model_add_joint(m, &hinge), 0);
  ali3_force_spec coil = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  coil.name = "coil";
  coil.stiffness[0] = 1.0;
  assert_int_equal(ali3_model_add_force(m, &coil), 0);
  ali3_sensor_spec s = {.name = "it", .type = (ali3_sensor_type)type, .body_b = 1, .filter_order = 1};
  for (int i = 0; i < spec_fields[SPEC_OF_SENSOR].fields; i++) {
    const struct spec_field *f = &spec_fields[SPEC_OF_SENSOR].field[i];
    double *x = (double *)(void *)((char *)&s + f->at);
    for (int k = 0; f->kind == SPEC_NUMBERS && k < f->count; k++) x[k] = number + 0.01 * k * k;
  }
  for (int i = 0; i < 2; i++) s.upper[i] = s.lower[i] + 1.0;
  const double turn = number < 0.5 ? 0.6 : 0.8;
  memcpy(s.orientation, (const double[4]){turn, 0, 0, sqrt(1 - turn * turn)}, sizeof s.orientation);
  if (ali3_model_add_sensor(m, &s) < 0) fail_msg("%s", ali3_model_problem(m)->text);
  s = ali3_model_sensor_spec(m, 0);
  s.name = NULL; /* it is the model's */
  ali3_model_free(m);
  return s;
}

/* The other way round: no file could set a number that a type uses and .only leaves out. */
TEST(a_type_has_keys_for_the_numbers_that_it_uses)
{
  for (int type = 0; type < ALI3_SENSOR_TYPES; type++) {
    const union spec a = {.sensor = kept_sensor(type, 0.3)}, b = {.sensor = kept_sensor(type, 0.7)};
    for (int i = 0; i < spec_fields[SPEC_OF_SENSOR].fields; i++) {
      const struct spec_field *f = &spec_fields[SPEC_OF_SENSOR].field[i];
      if (f->kind != SPEC_NUMBERS || spec_field_equal(f, &a, &b)) continue;
      bool given = false;
      for (int k = 0; k < schema_sensor.keys; k++)
        given |= schema_sensor.key[k].offset == reader_of[SPEC_OF_SENSOR].spec + f->at &&
                 takes(&schema_sensor, schema_sensor.key[k].name, type);
      if (!given)
        fail_msg("a sensor of the type %s uses %s, and no key may give it: see .only in keys_shapes.c",
                 ali3_sensor_type_name((ali3_sensor_type)type), f->name);
    }
  }
}

/* --- parts --- */

enum motion { TURNED, MIRRORED, MOTIONS };
static const char *const motion_key[MOTIONS] = {"orientation: [0.5, 0.5, 0.5, 0.5]", "mirror: y"};

/* Numbers that keep their values, because they are in the frame of a body that moves with the part, or have no direction. */
static const struct {
  const char *list, *key;
  bool stays[MOTIONS];
} exceptions[] = {
    {"bodies", "inertia", {true, false}},
    {"bodies", "angular_velocity", {true, false}}, /* body axes */
    {"forces", "point", {true, false}},            /* in the frame of the body */
    {"inputs", "point", {true, false}},
    {"visual", "size", {true, true}},
    {"forces", "stiffness", {true, true}}, /* along the axes of body_a */
    {"forces", "damping", {true, true}},
    {"forces", "rotational_stiffness", {true, true}},
    {"forces", "rotational_damping", {true, true}},
    /* The errors belong to the instrument, and are along its own axes. */
    {"sensors", "force_bias", {true, true}},
    {"sensors", "angular_bias", {true, true}},
};

static bool may_stay(const char *list, const char *key, enum motion motion)
{
  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    if (strcmp(exceptions[i].list, list) == 0 && strcmp(exceptions[i].key, key) == 0)
      return exceptions[i].stays[motion];
  return false;
}

static const char *numbers_of(const struct key *k)
{
  if (k->type == KEY_QUATERNION) return "[0.7, 0.1, 0.5, 0.5]";
  return k->type == KEY_INERTIA ? "[[3, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 3]]" : "[0.1, 0.2, 0.4]";
}

static const struct node *find_element(const struct node *root, const char *list)
{
  const struct node *in = strcmp(list, "inputs") == 0 ? root : node_find(root, "model");
  for (const struct node *n = node_elements(in, list); n; n = n->next) {
    const struct node *name = node_find(n, "name"), *color = node_find(n, "color");
    if ((name && strcmp(name->text, "it") == 0) || (color && strcmp(color->text, "#123456") == 0)) return n;
  }
  return NULL;
}

/* The numbers of a node as text, so that a change shows. */
static void print_numbers(const struct node *n, char *text, size_t size)
{
  char *printed = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&printed, &length);
  assert_non_null(out);
  if (n) expand_print(n, out);
  fclose(out);
  snprintf(text, size, "%s", printed);
  free(printed);
}

/* The value of a key of an element, with a part that moves or without (motion NULL). */
static void expanded(const char *list, const char *element, const char *key, const char *motion, char *text,
                     size_t size)
{
  char file[32], yaml[2000];
  const char *hinge = strcmp(list, "forces") == 0 ? "      joints: [{name: j, type: revolute, body_a: hub, "
                                                    "body_b: own, at: [0, 0, 0], axis: [1, 0, 0]}]\n"
                                                  : "";
  snprintf(yaml, sizeof yaml,
           "model:\n  bodies: [{name: hub, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]\n"
           "  parts:\n    - prefix: \"\"\n%s%s%s"
           "%s      %s:\n        - %s\n"
           "%s",
           motion ? "      " : "", motion ? motion : "", motion ? "\n" : "", hinge, list, element,
           strcmp(list, "bodies") == 0
               ? ""
               : "      bodies: [{name: own, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}]\n");
  write_scratch(file, yaml, strlen(yaml));
  struct yaml tree;
  struct expansion *x = calloc(1, sizeof *x);
  struct report r = {.out = stderr};
  assert_non_null(x);
  const bool good = yaml_read(&tree, file, &r) && expand_tree(x, &tree, &schema_expansion, &r);
  if (!good) fail_msg("refused:\n%s", yaml);
  const struct node *n = find_element(tree.root, list);
  if (!n) fail_msg("the element is lost:\n%s", yaml);
  print_numbers(node_find(n, key), text, size);
  yaml_free(&tree);
  expansion_free(x);
  free(x);
  unlink(file);
}

/* An element with this key, on the ground and on a body of the part. */
static void check_key(const char *list, const char *type_key, const char *type, const struct key *k)
{
  const bool bushing = type && strcmp(type, "bushing") == 0;
  const char *on_ground = strcmp(list, "bodies") == 0 ? "" : "body: ground, body_a: ground, body_b: ground, ";
  if (bushing)
    on_ground = "body_a: own, body_b: ground, "; /* the ground as body_a is refused in a turned part */
  char element[400], before[300], after[300];
  snprintf(element, sizeof element, "{%s%s%s%s%s%s: %s}",
           strcmp(list, "visual") == 0 ? "color: \"#123456\", " : "name: it, ", type ? type_key : "",
           type ? ": " : "", type ? type : "", type ? ", " : "", k->name, numbers_of(k));
  /* Where the element lies belongs in front of the key. */
  char whole[600];
  snprintf(whole, sizeof whole, "{%s%s", on_ground, element + 1);
  for (int motion = bushing && strcmp(k->name, "point_a") == 0 ? MIRRORED : TURNED; motion < MOTIONS;
       motion++) {
    expanded(list, whole, k->name, NULL, before, sizeof before);
    expanded(list, whole, k->name, motion_key[motion], after, sizeof after);
    const bool stays = strcmp(before, after) == 0;
    if (stays != may_stay(list, k->name, (enum motion)motion))
      fail_msg("%s of %s %s in a part with %s: %s; see expand/motions.c", k->name, type ? type : "", list,
               motion_key[motion], stays ? "it keeps its numbers" : "its numbers change");
  }
}

static void check_section(const char *list, const struct section *s, const char *type)
{
  const struct key *by = NULL;
  for (int i = 0; i < s->keys; i++)
    if (s->by && strcmp(s->key[i].name, s->by) == 0) by = &s->key[i];
  for (int i = 0; i < s->keys; i++) {
    const struct key *k = &s->key[i];
    if (k->type != KEY_VECTOR && k->type != KEY_QUATERNION && k->type != KEY_INERTIA) continue;
    if (!by) check_key(list, "type", type, k);
    for (int choice = 0; by && by->choices[choice] && (s->variants == NULL || choice < s->variant_first);
         choice++)
      if (!k->only || k->only >> choice & 1) check_key(list, s->by, by->choices[choice], k);
  }
}

TEST(vectors_move_with_their_part)
{
  check_section("bodies", &schema_body, NULL);
  check_section("joints", &schema_joint, NULL);
  check_section("forces", &schema_force, NULL);
  for (int type = 0; type < ALI3_FORCE_TYPES; type++)
    check_section("forces", &schema_connection[type], ali3_force_type_name((ali3_force_type)type));
  check_section("sensors", &schema_sensor, NULL);
  check_section("visual", &schema_visual, NULL);
  check_section("inputs", &schema_input, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_has_a_key),
      cmocka_unit_test(a_parameter_changes_one_field),
      cmocka_unit_test(a_type_takes_the_keys_that_it_uses),
      cmocka_unit_test(a_type_has_keys_for_the_numbers_that_it_uses),
      cmocka_unit_test(vectors_move_with_their_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
