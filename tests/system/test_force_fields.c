/* SPDX-License-Identifier: MIT
 * The table of force fields in include/ali3/model.h agrees with the code: a type uses every field of its row and ignores every
 * other one. A field counts as used if another value of it is refused, or changes the motion. */
#include "check.h"
#include "common/toys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40, SPECS = 3, LONGEST_ROW = 400 };

static const double rising[][2] = {{-1.0, -300.0}, {0.0, 0.0}, {1.0, 200.0}},
                    swing[][2] = {{0.0, 0.0}, {1.0, 0.3}};
static const ali3_table three_points = {3, rising}, two_points = {2, swing}, no_points = {.n = 2},
                        negative = {.n = -5};

/* A field by its name in the table, with a good value that no spec below has, and a value that a type that uses it refuses. */
struct field {
  const char *name;
  size_t offset;
  enum { A_NUMBER, AN_INDEX, A_TABLE, A_SWITCH } kind;
  int count;
  double good, bad; /* A_NUMBER, AN_INDEX */
};
#define NUMBER(name, good, bad)                                                                              \
  {                                                                                                          \
#name, offsetof(ali3_force_spec, name), A_NUMBER, 1, good, bad                                           \
  }
#define NUMBERS(text, name, good)                                                                            \
  {                                                                                                          \
    text, offsetof(ali3_force_spec, name), A_NUMBER, 5, good, NAN                                            \
  }
#define INDEX(name, good)                                                                                    \
  {                                                                                                          \
#name, offsetof(ali3_force_spec, name), AN_INDEX, 1, good, 9                                             \
  }
#define TABLE(name)                                                                                          \
  {                                                                                                          \
#name, offsetof(ali3_force_spec, name), A_TABLE, 1, 0, 0                                                 \
  }
static const struct field fields[] = {
    INDEX(body_a, ALI3_GROUND),
    INDEX(body_b, ALI3_GROUND),
    INDEX(joint, 1),
    INDEX(joint_b, 0),
    {"point_a", offsetof(ali3_force_spec, point_a[1]), A_NUMBER, 1, 0.1, NAN},
    {"point_b", offsetof(ali3_force_spec, point_b[1]), A_NUMBER, 1, 0.1, NAN},
    {"normal", offsetof(ali3_force_spec, normal[1]), A_NUMBER, 1, 0.3, NAN},
    {"stiffness", offsetof(ali3_force_spec, stiffness), A_NUMBER, 1, 321.0, NAN},
    {"damping", offsetof(ali3_force_spec, damping), A_NUMBER, 1, 2.5, NAN},
    NUMBERS("stiffness[1-5]", stiffness[1], 43.0),
    NUMBERS("damping[1-5]", damping[1], 3.5),
    NUMBER(rest, 0.3, INFINITY),
    TABLE(force_table),
    TABLE(damping_table),
    NUMBER(lower, 0.35, NAN),
    NUMBER(upper, 0.15, NAN),
    NUMBER(friction, 0.7, NAN),
    NUMBER(slip, 0.2, NAN),
    NUMBER(radius_a, 0.13, NAN),
    NUMBER(radius_b, 0.23, NAN),
    NUMBER(ratio, 0.25, NAN),
    NUMBER(offset, 0.01, INFINITY),
    NUMBER(speed, 0.4, NAN),
    NUMBER(amplitude, 0.05, NAN),
    NUMBER(frequency, 1.5, NAN),
    NUMBER(phase, 0.3, NAN),
    TABLE(motion),
    {"external", offsetof(ali3_force_spec, external), A_SWITCH, 1, 0, 0},
    NUMBER(max_rate, 0.02, NAN),
    NUMBER(max_acceleration, 0.5, NAN),
    NUMBER(bore, 0.07, NAN),
    NUMBER(rod, 0.02, NAN),
    NUMBER(retracted, 0.2, NAN),
    NUMBER(stroke, 1.1, NAN),
    {"dead_volume", offsetof(ali3_force_spec, dead_volume), A_NUMBER, 2, 2e-4, NAN},
    NUMBER(bulk_modulus, 1e9, NAN),
    NUMBER(leakage, 1e-9, NAN),
    NUMBER(supply, 2e5, NAN),
    NUMBER(tank, 1e4, NAN),
    NUMBER(flow, 2e-4, NAN),
    NUMBER(flow_drop, 3e5, NAN),
    NUMBER(overlap, 0.1, NAN),
    NUMBER(lag, 0.05, NAN),
    {"pressure", offsetof(ali3_force_spec, pressure), A_NUMBER, 2, 5e4, INFINITY},
    NUMBER(resistance, 0.7, NAN),
    NUMBER(inductance, 0.02, NAN),
    NUMBER(constant, 0.3, NAN),
    NUMBER(max_current, 0.1, NAN),
    NUMBER(max_voltage, 0.2, NAN),
    NUMBER(current, 0.5, NAN),
    {"axle", offsetof(ali3_force_spec, axle[1]), A_NUMBER, 1, 0.3, NAN},
    NUMBER(rolling_radius, 0.26, INFINITY),
    NUMBER(load, 30.0, NAN),
    {"slip_stiffness", offsetof(ali3_force_spec, slip_stiffness), A_NUMBER, 2, 7.0, NAN},
    {"relaxation", offsetof(ali3_force_spec, relaxation), A_NUMBER, 2, 0.3, NAN},
    {"grip", offsetof(ali3_force_spec, grip), A_NUMBER, 2, 0.6, NAN},
    {"slip_damping", offsetof(ali3_force_spec, slip_damping), A_NUMBER, 2, 3.0, NAN},
    NUMBER(shape, 1.2, NAN),
    NUMBER(curvature, -0.5, NAN)};
enum { FIELDS = sizeof fields / sizeof *fields };

static void set_field(ali3_force_spec *s, const struct field *f, double value, const ali3_table *table)
{
  char *at = (char *)s + f->offset;
  for (int i = 0; i < f->count && f->kind == A_NUMBER; i++)
    memcpy(at + (size_t)i * sizeof value, &value, sizeof value);
  if (f->kind == AN_INDEX) memcpy(at, &(int){(int)value}, sizeof(int));
  if (f->kind == A_TABLE) memcpy(at, table, sizeof *table);
  if (f->kind == A_SWITCH) s->external = !s->external;
}

/* Specs of a type that together use all its fields; the rest have no name. */
static void make_specs(ali3_force_type type, ali3_force_spec spec[SPECS])
{
  memset(spec, 0, SPECS * sizeof *spec);
  /* The rod's tip is 0.2 m from the slider. */
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = "force";
  s.body_a = 0;
  s.body_b = 1;
  s.point_a[0] = 0.5;
  s.joint = 0;
  s.joint_b = 1;
  /* Parameters of each type. */
  if (type != ALI3_FORCE_MOTOR && type != ALI3_FORCE_DRIVE && type != ALI3_FORCE_GEAR &&
      type != ALI3_FORCE_FRICTION && type != ALI3_FORCE_CYLINDER && type != ALI3_FORCE_WINDING &&
      type != ALI3_FORCE_BRAKE)
    s.stiffness[0] = 200.0;
  if (type == ALI3_FORCE_BUSHING)
    for (int i = 0; i < 6; i++) s.stiffness[i] = 20.0;
  if (type == ALI3_FORCE_SPRING || type == ALI3_FORCE_JOINT_SPRING || type == ALI3_FORCE_CABLE) s.rest = 0.1;
  if (type == ALI3_FORCE_STOP || type == ALI3_FORCE_END_STOP) s.lower = 0.3;
  if (type == ALI3_FORCE_BRAKE) s.friction = 0.3; /* below the command */
  if (type == ALI3_FORCE_FRICTION || ali3_force_type_is_contact(type)) s.friction = 0.4;
  if (ali3_force_type_is_contact(type)) {
    s.normal[0] = 1.0;
    s.radius_a = 0.1;
    s.radius_b = type == ALI3_FORCE_SPHERE_SPHERE ? 0.2 : 0.3;
  }
  if (type == ALI3_FORCE_TYRE) {
    s.axle[1] = s.axle[2] = 1.0;
    s.load = 20.0;
    for (int i = 0; i < 2; i++) s.slip_stiffness[i] = s.relaxation[i] = s.slip_damping[i] = 1.0;
  }
  if (type == ALI3_FORCE_GEAR) s.ratio = 0.5;
  if (type == ALI3_FORCE_WINDING) s.resistance = s.constant = s.inductance = 0.5;
  if (type == ALI3_FORCE_CYLINDER) {
    s.bore = 0.05;
    s.retracted = 0.1;
    s.stroke = 1.2;
    s.supply = 1e5;
    s.flow = 1e-4;
  }
  /* A drive has three sources of motion. */
  spec[0] = spec[1] = spec[2] = s;
  if (type != ALI3_FORCE_DRIVE) {
    spec[1].name = spec[2].name = NULL;
    return;
  }
  spec[0].speed = 0.1;
  spec[0].amplitude = 0.2;
  spec[0].frequency = 1.0;
  spec[1].motion = two_points;
  spec[2].external = true;
  spec[2].max_rate = 0.5;
  spec[2].max_acceleration = 20.0;
}

/* A rod swings about z at the origin, and a slider moves along x. */
static ali3_model *rod_and_slider(void)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  ali3_model_set_gravity(m, (const double[]){0.0, -9.81, 0.0});
  ali3_body_spec rod = toy_body("rod", (const double[]){0.5, 0.0, 0.0}, 1.0, 0.1);
  ali3_body_spec slider = toy_body("slider", (const double[]){1.2, 0.0, 0.0}, 2.0, 0.1);
  slider.velocity[0] = -0.2;
  toy_added(m, ali3_model_add_body(m, &rod));
  toy_added(m, ali3_model_add_body(m, &slider));
  ali3_joint_spec hinge = {.name = "hinge", .type = ALI3_JOINT_REVOLUTE, .body_a = ALI3_GROUND, .body_b = 0};
  hinge.point_b[0] = -0.5;
  hinge.axis_a[2] = hinge.axis_b[2] = 1.0;
  toy_added(m, ali3_model_add_joint(m, &hinge));
  ali3_joint_spec rail = {.name = "rail", .type = ALI3_JOINT_PRISMATIC, .body_a = ALI3_GROUND, .body_b = 1};
  rail.axis_a[0] = 1.0;
  toy_added(m, ali3_model_add_joint(m, &rail));
  return m;
}

/* State of both bodies after some steps; false if the force is refused, or the reset or a step fails. */
static bool run_with(const ali3_force_spec *spec, ali3_body_state end[2])
{
  ali3_model *m = rod_and_slider();
  ali3_options options = ali3_options_default();
  options.assembly_position = options.assembly_angle = INFINITY;
  const int force = ali3_model_add_force(m, spec);
  bool good = force >= 0 && ali3_model_freeze(m, &options) == ALI3_OK;
  ali3_data *d = good ? ali3_data_new(m) : NULL;
  good = d && ali3_reset(m, d) >= 0;
  if (good) ali3_set_command(m, d, force, 0.4);
  for (int i = 0; i < STEPS && good; i++) good = ali3_step(m, d) >= 0;
  memset(end, 0, 2 * sizeof *end);
  for (int b = 0; b < 2 && good; b++) ali3_body_get(m, d, b, &end[b]);
  ali3_data_free(d);
  ali3_model_free(m);
  return good;
}

/* The row of the table with its continuation lines. */
static void read_row(ali3_force_type type, char row[LONGEST_ROW])
{
  FILE *f = fopen(TEST_DATA "/../include/ali3/model.h", "r");
  assert_non_null(f);
  char line[256], first[32];
  bool inside = false;
  for (*row = '\0'; fgets(line, sizeof line, f);) {
    if (inside && strncmp(line, " *      ", 8) != 0) break;
    snprintf(first, sizeof first, " *   %s ", ali3_force_type_name(type));
    inside = inside || strncmp(line, first, strlen(first)) == 0;
    assert_true(strlen(row) + strlen(line) < LONGEST_ROW);
    if (inside) strcat(row, *row ? strchr(line, '*') + 1 : line + strlen(first));
  }
  fclose(f);
  if (!inside) fail_msg("model.h has no row for %s in the table of force fields", ali3_force_type_name(type));
}

static bool has_word(char row[LONGEST_ROW], const char *word)
{
  char copy[LONGEST_ROW];
  memcpy(copy, row, LONGEST_ROW);
  for (char *at = strtok(copy, " \n"); at; at = strtok(NULL, " \n"))
    if (strcmp(at, word) == 0) return true;
  return false;
}

TEST(table_has_known_fields)
{
  for (int type = 0; type < ALI3_FORCE_TYPES; type++) {
    char row[LONGEST_ROW];
    read_row((ali3_force_type)type, row);
    if (strchr(row, '(')) *strchr(row, '(') = '\0'; /* a remark */
    for (char *word = strtok(row, " \n"); word; word = strtok(NULL, " \n")) {
      int i = 0;
      while (i < FIELDS && strcmp(fields[i].name, word) != 0) i++;
      if (i == FIELDS)
        fail_msg("%s: the table names a field %s", ali3_force_type_name((ali3_force_type)type), word);
    }
  }
}

TEST(types_use_their_fields_and_no_other)
{
  for (int type = 0; type < ALI3_FORCE_TYPES; type++) {
    ali3_force_spec spec[SPECS];
    ali3_body_state plain[2], end[2];
    char row[LONGEST_ROW];
    make_specs((ali3_force_type)type, spec);
    read_row((ali3_force_type)type, row);
    for (int i = 0; i < FIELDS; i++) {
      const struct field *f = &fields[i];
      const bool listed = has_word(row, f->name);
      bool used = false;
      for (int k = 0; k < SPECS && spec[k].name; k++) {
        assert_true(run_with(&spec[k], plain));
        for (int bad = 0; bad < 3; bad++) {
          if (bad && (listed || f->kind == A_SWITCH)) continue; /* tests/core/model has the refusals */
          ali3_force_spec s = spec[k];
          set_field(&s, f, bad ? f->bad : f->good,
                    bad == 0   ? &three_points
                    : bad == 1 ? &no_points
                               : &negative);
          used |= !run_with(&s, end) || memcmp(plain, end, sizeof end) != 0;
        }
      }
      if (used != listed)
        fail_msg("%s %s %s, which the table in model.h %s", ali3_force_type_name((ali3_force_type)type),
                 used ? "uses" : "ignores", f->name, listed ? "lists" : "does not list");
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_has_known_fields),
      cmocka_unit_test(types_use_their_fields_and_no_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
