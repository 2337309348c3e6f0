/* SPDX-License-Identifier: MIT
 * Signals of force elements: every type has its quantities, and an input has the unit of the element that takes it. */
#include "check.h"
#include "common/toys.h"
#include "signals/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A and B turn on hinges, C moves on a slide. */
static ali3_model *two_hinges_and_a_slide(void)
{
  static const char *const name[] = {"A", "B", "C"};
  ali3_model *m = ali3_model_new();
  for (int i = 0; i < 3; i++) {
    ali3_body_spec b = toy_body(name[i], (const double[]){i, 0, 0}, 1.0, 1.0);
    ali3_joint_spec j = {.name = name[i],
                         .type = i < 2 ? ALI3_JOINT_REVOLUTE : ALI3_JOINT_PRISMATIC,
                         .body_a = ALI3_GROUND,
                         .body_b = i,
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1},
                         .point_a = {i, 1, 0},
                         .point_b = {0, 1, 0}};
    b.velocity[2] = i < 2 ? 0.0 : 0.5;
    toy_added(m, ali3_model_add_body(m, &b));
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  return m;
}

/* One force of each type. */
static ali3_model *every_force(void)
{
  ali3_model *m = two_hinges_and_a_slide();
  for (int i = 0; i < ALI3_FORCE_TYPES; i++) {
    ali3_force_spec s = ali3_force_spec_default((ali3_force_type)i);
    s.name = ali3_force_type_name(s.type);
    s.body_a = 0;
    s.body_b = 1;
    s.joint = i == ALI3_FORCE_DRIVE || i == ALI3_FORCE_FRICTION ? 2 : 0; /* the slide */
    s.joint_b = 1;
    for (int k = 0; k < (i == ALI3_FORCE_BUSHING ? 6 : 1); k++) s.stiffness[k] = 10;
    s.lower = 0.25; /* A is beyond it */
    s.rest = 0.5;
    s.friction = 0.1;
    s.normal[0] = 1.0;
    s.radius_a = s.radius_b = 0.75; /* 0.5 m into each other, 0.25 m from the plane */
    if (i == ALI3_FORCE_DRIVE) s.speed = 0.5;
    s.bore = s.retracted = 0.02;
    s.stroke = 4;
    s.supply = 1e5;
    s.flow = 1e-4;
    s.overlap = -0.1; /* oil flows without a command */
    s.resistance = s.constant = 1;
    s.inductance = 0.1;
    s.current = 2;
    s.axle[1] = s.axle[2] = 1;
    s.load = 3;
    for (int k = 0; k < 2; k++) s.slip_stiffness[k] = s.relaxation[k] = 1;
    if (i == ALI3_FORCE_TYRE) s.radius_b = 1.5; /* 0.5 m below the plane */
    toy_added(m, ali3_model_add_force(m, &s));
  }
  toy_freeze(m, 0.01);
  return m;
}

#define OIL "hydraulic_cylinder."
static const char *const of_forces[][2] = {
    {"spring_damper.length", "m"},
    {"spring_damper.value", "N"},
    {"bushing.force.x", "N"},
    {"bushing.force.y", "N"},
    {"bushing.force.z", "N"},
    {"bushing.torque.x", "N m"},
    {"bushing.torque.y", "N m"},
    {"bushing.torque.z", "N m"},
    {"joint_spring.position", "rad"},
    {"joint_spring.value", "N m"},
    {"cable.length", "m"},
    {"cable.value", "N"},
    {"end_stop.length", "m"},
    {"end_stop.value", "N"},
    {"stop.position", "rad"},
    {"stop.value", "N m"},
    {"friction.position", "m"},
    {"friction.value", "N"},
    {"motor.position", "rad"},
    {"motor.value", "N m"},
    {"drive.position", "m"},
    {"drive.target", "m"},
    {"drive.value", "N"},
    {"gear.value", "N m"},
    {"sphere_plane.gap", "m"},
    {"sphere_plane.value", "N"},
    {"sphere_plane.force.x", "N"},
    {"sphere_plane.force.y", "N"},
    {"sphere_plane.force.z", "N"},
    {"sphere_plane.closed", ""},
    {"sphere_sphere.gap", "m"},
    {"sphere_sphere.value", "N"},
    {"sphere_sphere.force.x", "N"},
    {"sphere_sphere.force.y", "N"},
    {"sphere_sphere.force.z", "N"},
    {"sphere_sphere.closed", ""},
    {OIL "length", "m"},
    {OIL "value", "N"},
    {OIL "pressure_a", "Pa"},
    {OIL "pressure_b", "Pa"},
    {OIL "flow_a", "m^3/s"},
    {OIL "flow_b", "m^3/s"},
    {OIL "spool", ""},
    {OIL "supplied", "J"},
    {OIL "lost", "J"},
    {"electric_motor.position", "rad"},
    {"electric_motor.value", "N m"},
    {"electric_motor.current", "A"},
    {"electric_motor.voltage", "V"},
    {"electric_motor.supplied", "J"},
    {"electric_motor.lost", "J"},
    {"brake.position", "rad"},
    {"brake.value", "N m"},
    {"tyre.gap", "m"},
    {"tyre.value", "N"},
    {"tyre.force.x", "N"},
    {"tyre.force.y", "N"},
    {"tyre.force.z", "N"},
    {"tyre.closed", ""},
    {"tyre.along", "N"},
    {"tyre.across", "N"},
    {"tyre.slip", ""},
    {"tyre.slip_angle", "rad"},
    {"tyre.lost", "J"},
};

/* The value of a force with this name, read without the layer's table. */
static double of_state(const ali3_force_state *f, const char *quantity)
{
  size_t last = strlen(quantity) - 1;
  if (strcmp(quantity, "value") == 0) return f->value;
  if (strcmp(quantity, "target") == 0) return f->target;
  if (strcmp(quantity, "closed") == 0) return f->value > 0.0 && f->position < 0.0;
  if (strncmp(quantity, "pressure_", 9) == 0) return f->pressure[quantity[last] - 'a'];
  if (strncmp(quantity, "flow_", 5) == 0) return f->flow[quantity[last] - 'a'];
  if (strcmp(quantity, "spool") == 0) return f->spool;
  if (strcmp(quantity, "current") == 0) return f->current;
  if (strcmp(quantity, "voltage") == 0) return f->voltage;
  if (strcmp(quantity, "supplied") == 0) return f->supplied;
  if (strcmp(quantity, "lost") == 0) return f->lost;
  if (strcmp(quantity, "along") == 0) return f->along;
  if (strcmp(quantity, "across") == 0) return f->across;
  if (strcmp(quantity, "slip") == 0) return f->slip;
  if (strcmp(quantity, "slip_angle") == 0) return f->slip_angle;
  if (strncmp(quantity, "force.", 6) == 0) return f->force[quantity[last] - 'x'];
  if (strncmp(quantity, "torque.", 7) == 0) return f->torque[quantity[last] - 'x'];
  return f->position;
}

TEST(every_type_of_force_has_its_quantities)
{
  enum { COUNT = sizeof of_forces / sizeof *of_forces };
  ali3_model *m = every_force();
  ali3_data *d = toy_start(m, ALI3_OK);
  struct signals *s = signals_new(m, NULL, 0);
  double *v = calloc((size_t)s->count, sizeof *v);
  assert_non_null(v);
  toy_run(m, d, 5);
  for (int i = 0; i < s->count; i++) v[i] = NAN;
  signals_observe(s, m, d, NULL, v);
  for (int i = 0; i < s->count; i++) assert_false(isnan(v[i]));
  assert_int_equal(s->energy_first - s->force_first[0], COUNT);
  for (int i = 0, force = -1; i < COUNT; i++) {
    const char *full = of_forces[i][0], *quantity = strchr(full, '.') + 1;
    const struct signal *found = &s->signal[s->force_first[0] + i];
    ali3_force_state f;
    assert_int_equal(strncmp(found->name, "force.", 6), 0);
    assert_string_equal(found->name + 6, full);
    assert_string_equal(found->unit, of_forces[i][1]);
    if (force + 1 < s->forces && s->force_first[force + 1] == s->force_first[0] + i) force++;
    ali3_force_get(m, d, force, &f);
    assert_true(v[s->force_first[0] + i] == of_state(&f, quantity));
  }
  /* and that this is no comparison of zeros */
  ali3_force_state f;
  ali3_force_get(m, d, ALI3_FORCE_DRIVE, &f);
  assert_true(f.target > 0.02 && fabs(f.position - f.target) < 1e-9);
  assert_true(v[signals_find(s, "force.sphere_sphere.closed")] == 1.0);
  assert_true(v[signals_find(s, "force.sphere_plane.closed")] == 0.0);
  assert_true(v[signals_find(s, "force.stop.value")] != 0.0);
  ali3_force_get(m, d, ALI3_FORCE_TYRE, &f);
  assert_true(f.value > 0.0 && f.along != 0.0 && f.across != 0.0 && f.slip_angle != 0.0 && f.lost > 0.0);
  ali3_force_get(m, d, ALI3_FORCE_CYLINDER, &f);
  assert_true(f.pressure[0] > 0.0 && f.flow[0] != 0.0 && f.supplied > 0.0 && f.lost > 0.0);
  free(v);
  signals_free(s);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(the_value_of_an_input_has_the_unit_that_its_force_element_takes)
{
  static const struct {
    const char *name;
    ali3_force_type type;
    int joint; /* 0: revolute, 2: prismatic */
    const char *unit;
  } wanted[] = {{"torque", ALI3_FORCE_MOTOR, 0, "N m"},
                {"push", ALI3_FORCE_MOTOR, 2, "N"},
                {"angle", ALI3_FORCE_DRIVE, 0, "rad"},
                {"way", ALI3_FORCE_DRIVE, 2, "m"}};
  ali3_model *m = two_hinges_and_a_slide();
  struct input_spec inputs[4];
  for (int i = 0; i < 4; i++) {
    ali3_force_spec f = ali3_force_spec_default(wanted[i].type);
    f.name = wanted[i].name;
    f.joint = wanted[i].joint;
    f.external = f.type == ALI3_FORCE_DRIVE;
    f.max_rate = f.max_acceleration = 1.0;
    inputs[i] =
        (struct input_spec){.name = (char *)wanted[i].name, .kind = INPUT_VALUE, .range = {{.upper = 1}}};
    inputs[i].force = ali3_model_add_force(m, &f);
  }
  struct signals *s = signals_new(m, inputs, 4);
  for (int i = 0; i < 4; i++) assert_string_equal(s->signal[s->input_first + i].unit, wanted[i].unit);
  signals_free(s);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_of_force_has_its_quantities),
      cmocka_unit_test(the_value_of_an_input_has_the_unit_that_its_force_element_takes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
