/* SPDX-License-Identifier: MIT
 * A state of one model goes on in another one: same poses, velocities, time, turns and references, whatever else differs. */
#include "base/crc.h"
#include "check.h"
#include "common/toys.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CRC_FROM = offsetof(struct state_head, version) };

/* A driven wheel on the ground, and a pendulum at its rim. */
struct wheel_model {
  double dt, mass, shift; /* shift: of the point where the pendulum hangs, m */
  double assembly;        /* m, rad */
  bool swapped, external, driven;
  const char *pendulum, *hook;
};
static const struct wheel_model PLAIN = {0.01, 2, 0, 0, false, false, true, "pendulum", "hook"};

static ali3_model *make_model(const struct wheel_model *o)
{
  ali3_model *m = ali3_model_new();
  const ali3_body_spec wheel = toy_body("wheel", (const double[]){0, 0, 0}, 5, 1),
                       pendulum = toy_body(o->pendulum, (const double[]){1, -1, 0}, o->mass, 0.2);
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
  toy_added(m, ali3_model_add_body(m, o->swapped ? &pendulum : &wheel));
  toy_added(m, ali3_model_add_body(m, o->swapped ? &wheel : &pendulum));
  const ali3_joint_spec hinge = {.name = "hinge",
                                 .type = ALI3_JOINT_REVOLUTE,
                                 .body_a = ALI3_GROUND,
                                 .body_b = o->swapped,
                                 .axis_a = {0, 0, 1},
                                 .axis_b = {0, 0, 1}};
  if (o->swapped)
    toy_spherical(m, o->hook, 1, (const double[]){1 + o->shift, 0, 0}, 0, (const double[]){0, 1, 0});
  ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  drive.name = "drive";
  drive.joint = toy_added(m, ali3_model_add_joint(m, &hinge));
  if (!o->swapped)
    toy_spherical(m, o->hook, 0, (const double[]){1 + o->shift, 0, 0}, 1, (const double[]){0, 1, 0});
  drive.external = o->external;
  drive.max_rate = drive.max_acceleration = o->external ? 9 : 0;
  drive.speed = o->external ? 0 : 4;
  if (o->driven) toy_added(m, ali3_model_add_force(m, &drive));
  ali3_options options = ali3_options_default();
  options.dt = o->dt;
  options.assembly_position = options.assembly_angle = o->assembly;
  toy_freeze_with(m, &options);
  return m;
}

/* The drive begins with a rate that the bodies do not have, so a reset moves them. */
static ali3_data *start_wheel(const ali3_model *m)
{
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_in_range(ali3_reset(m, d), ALI3_OK, ALI3_MOVED);
  return d;
}

/* A run of 3 s, and its state. */
struct saved_run {
  ali3_model *m;
  ali3_data *d;
  unsigned char *state;
  size_t size;
};

static struct saved_run start_run(const struct wheel_model *model)
{
  struct saved_run o = {.m = make_model(model)};
  o.d = start_wheel(o.m);
  if (model->external) ali3_set_command(o.m, o.d, 0, 20.0);
  toy_run(o.m, o.d, 300);
  o.size = ali3_state_size(o.m);
  o.state = malloc(o.size);
  assert_non_null(o.state);
  assert_int_equal(ali3_state_save(o.m, o.d, o.state), ALI3_OK);
  return o;
}

static void free_run(struct saved_run *o)
{
  free(o->state);
  ali3_data_free(o->d);
  ali3_model_free(o->m);
}

static ali3_body_state body_named(const ali3_model *m, const ali3_data *d, const char *name)
{
  ali3_body_state x = {0};
  for (int b = 0; b < ali3_model_bodies(m); b++)
    if (strcmp(ali3_model_body_name(m, b), name) == 0) ali3_body_get(m, d, b, &x);
  return x;
}

static double angle_of_hinge(const ali3_model *m, const ali3_data *d)
{
  ali3_joint_state x;
  ali3_joint_get(m, d, strcmp(ali3_model_joint_name(m, 0), "hinge") != 0, &x);
  return x.position;
}

static void assert_same_motion(const struct saved_run *o, const ali3_model *m, const ali3_data *d,
                               double tolerance)
{
  static const char *const name[] = {"wheel", "pendulum"};
  for (int i = 0; i < 2; i++) {
    const ali3_body_state x = body_named(o->m, o->d, name[i]), y = body_named(m, d, name[i]);
    for (int k = 0; k < 3; k++) {
      assert_near(y.position[k], x.position[k], tolerance);
      assert_near(y.velocity[k], x.velocity[k], tolerance);
      assert_near(y.angular_velocity[k], x.angular_velocity[k], tolerance);
    }
    for (int k = 0; k < 4; k++) assert_near(y.orientation[k], x.orientation[k], tolerance);
  }
  assert_near(angle_of_hinge(m, d), angle_of_hinge(o->m, o->d), tolerance);
  assert_near(ali3_data_report(d)->time, ali3_data_report(o->d)->time, 1e-9);
}

/* The other model takes the state, and half a second later is still near the run that saved it. */
static void assert_goes_on(const struct wheel_model *saved, const struct wheel_model *other, double later)
{
  struct saved_run o = start_run(saved);
  ali3_model *m = make_model(other);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_in_range(ali3_state_convert(m, d, o.m, o.state, o.size), ALI3_OK, ALI3_MOVED);
  assert_same_motion(&o, m, d, 1e-9);
  if (other->external) ali3_set_command(m, d, 0, 20.0);
  toy_run(o.m, o.d, 50);
  toy_run(m, d, (int)lround(0.5 / other->dt));
  assert_same_motion(&o, m, d, later);
  ali3_data_free(d);
  ali3_model_free(m);
  free_run(&o);
}

TEST(a_state_goes_on_in_another_model)
{
  struct wheel_model other = PLAIN;
  assert_goes_on(&PLAIN, &other, 1e-5);
  other.swapped = true;
  assert_goes_on(&PLAIN, &other, 1e-5);
  other.dt = 0.0025;
  assert_goes_on(&PLAIN, &other, 0.05);
}

/* 3 s with at most 9 rad/s: full turns are behind it, and the reference is still on its way. */
TEST(an_external_drive_goes_on)
{
  struct wheel_model model = PLAIN;
  model.external = true;
  assert_goes_on(&model, &model, 1e-5);
}

/* Without its drive the wheel has the velocity, and falls on. */
TEST(a_drive_may_be_missing)
{
  struct saved_run o = start_run(&PLAIN);
  struct wheel_model free_wheel = PLAIN;
  free_wheel.driven = false;
  ali3_model *m = make_model(&free_wheel);
  ali3_data *d = ali3_data_new(m);
  assert_in_range(ali3_state_convert(m, d, o.m, o.state, o.size), ALI3_OK, ALI3_MOVED);
  assert_same_motion(&o, m, d, 1e-9);
  toy_run(m, d, 50);
  ali3_data_free(d);
  ali3_model_free(m);
  free_run(&o);
}

/* A slide on a cylinder, a rotor on a motor, and a wheel that spins on the ground. Bodies and forces may come in another order. */
struct actuated_model {
  bool swapped;
  double mass, resistance, shape;
};
enum { ACTUATED = 3 };
static const char *const actuated_name[ACTUATED] = {"ram", "motor", "tyre"};

static void add_actuator(ali3_model *m, const struct actuated_model *o, int i)
{
  static const double place[ACTUATED][3] = {{0, 0, 1}, {1, 0, 0}, {2, 0, 0.29}},
                      axis[ACTUATED][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, mass[] = {0, 1, 20};
  ali3_body_spec body = toy_body(actuated_name[i], place[i], i ? mass[i] : o->mass, 1);
  if (i == 2) body.angular_velocity[1] = 30;
  ali3_joint_spec joint = {.name = actuated_name[i],
                           .type = i ? ALI3_JOINT_REVOLUTE : ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .body_b = toy_added(m, ali3_model_add_body(m, &body))};
  memcpy(joint.point_a, place[i], sizeof joint.point_a);
  memcpy(joint.axis_a, axis[i], sizeof joint.axis_a);
  memcpy(joint.axis_b, axis[i], sizeof joint.axis_b);
  static const ali3_force_type type[] = {ALI3_FORCE_CYLINDER, ALI3_FORCE_WINDING, ALI3_FORCE_TYRE};
  ali3_force_spec f = ali3_force_spec_default(type[i]);
  f.name = actuated_name[i];
  f.body_a = ALI3_GROUND;
  f.body_b = joint.body_b;
  f.joint = toy_added(m, ali3_model_add_joint(m, &joint));
  /* oil that flows, a current, a tread that is stretched */
  f.bore = 0.08;
  f.rod = 0.05;
  f.retracted = 0.7;
  f.stroke = 0.6;
  f.supply = 160e5;
  f.flow = 5e-4;
  f.overlap = -0.05;
  f.damping[0] = i == 0 ? 1e4 : 0;
  f.resistance = o->resistance;
  f.inductance = 0.2;
  f.constant = 0.1;
  f.current = 4;
  if (i == 2) {
    f.normal[2] = f.axle[1] = 1;
    f.normal[0] = f.normal[1] = f.axle[0] = f.axle[2] = 0;
    f.radius_b = 0.3;
    f.stiffness[0] = 2e5;
    f.load = 2000;
    f.slip_stiffness[0] = f.slip_stiffness[1] = 15;
    f.relaxation[0] = f.relaxation[1] = 0.2;
    f.shape = o->shape;
  }
  toy_added(m, ali3_model_add_force(m, &f));
}

static ali3_model *make_actuated(const struct actuated_model *o)
{
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, 0, -9.81}));
  for (int i = 0; i < ACTUATED; i++) add_actuator(m, o, o->swapped ? ACTUATED - 1 - i : i);
  toy_freeze(m, 0.001);
  return m;
}

/* Pressures and spool, current, forces of the tread. */
static void read_actuators(const ali3_model *m, const ali3_data *d, double value[6])
{
  ali3_force_state f[ACTUATED];
  for (int i = 0; i < ACTUATED; i++) ali3_force_get(m, d, ali3_model_find_force(m, actuated_name[i]), &f[i]);
  const double found[6] = {f[0].pressure[0], f[0].pressure[1], f[0].spool,
                           f[1].current,     f[2].along,       f[2].across};
  memcpy(value, found, sizeof found);
}

static void assert_same_actuators(const double *value, const double *expected, double tolerance)
{
  for (int k = 0; k < 6; k++)
    if (!(fabs(value[k] - expected[k]) <= tolerance * fmax(1.0, fabs(expected[k]))))
      fail_msg("state %d: expected %.12g, found %.12g", k, expected[k], value[k]);
}

TEST(actuators_go_on_with_their_states)
{
  const struct actuated_model plain = {false, 2000, 0.5, 1.5};
  ali3_model *from = make_actuated(&plain);
  ali3_data *d = ali3_data_new(from);
  assert_in_range(ali3_reset(from, d), ALI3_OK, ALI3_MOVED);
  toy_run(from, d, 200);
  const size_t size = ali3_state_size(from);
  unsigned char *bytes = malloc(size);
  double before[6], after[6], found[6];
  assert_non_null(bytes);
  assert_int_equal(ali3_state_save(from, d, bytes), ALI3_OK);
  read_actuators(from, d, before);
  assert_true(before[0] > 1e5 && before[3] > 0.1 && fabs(before[4]) > 100);
  toy_run(from, d, 50);
  read_actuators(from, d, after);
  /* In another order they go on alike; with other masses, windings and treads they begin alike. */
  const struct actuated_model other[] = {{true, 2000, 0.5, 1.5}, {true, 2600, 0.9, 1.2}};
  for (int k = 0; k < 2; k++) {
    ali3_model *m = make_actuated(&other[k]);
    ali3_data *e = ali3_data_new(m);
    assert_in_range(ali3_state_convert(m, e, from, bytes, size), ALI3_OK, ALI3_MOVED);
    read_actuators(m, e, found);
    assert_same_actuators(found, before, 1e-9);
    toy_run(m, e, 50);
    read_actuators(m, e, found);
    if (k == 0) assert_same_actuators(found, after, 1e-6);
    ali3_data_free(e);
    ali3_model_free(m);
  }
  free(bytes);
  ali3_data_free(d);
  ali3_model_free(from);
}

TEST(a_state_of_another_build_is_converted_only)
{
  struct saved_run o = start_run(&PLAIN);
  memcpy(o.state + offsetof(struct state_head, isa), "z80", 4);
  memcpy(o.state + offsetof(struct state_head, release), "9.9", 4);
  const uint32_t crc = crc32_ieee(o.state + CRC_FROM, o.size - CRC_FROM);
  memcpy(o.state + offsetof(struct state_head, crc), &crc, sizeof crc);
  ali3_data *d = ali3_data_new(o.m);
  assert_int_equal(ali3_state_load(o.m, d, o.state, o.size), ALI3_E_STATE);
  assert_in_range(ali3_state_convert(o.m, d, o.m, o.state, o.size), ALI3_OK, ALI3_MOVED);
  assert_same_motion(&o, o.m, d, 1e-9);
  ali3_data_free(d);
  free_run(&o);
}

/* The point where the pendulum hangs is elsewhere in the other model. */
TEST(joints_move_the_bodies_within_the_limits)
{
  struct saved_run o = start_run(&PLAIN);
  struct wheel_model other = PLAIN;
  other.shift = 1e-3;
  other.assembly = 0.01;
  ali3_model *loose = make_model(&other);
  ali3_data *d = ali3_data_new(loose);
  assert_int_equal(ali3_state_convert(loose, d, o.m, o.state, o.size), ALI3_MOVED);
  assert_in_range(1e6 * ali3_data_initial(d)->moved_position, 100, 1100);
  ali3_data_free(d);
  ali3_model_free(loose);
  /* Other masses move nothing. */
  struct wheel_model heavy = PLAIN;
  heavy.mass = 40;
  ali3_model *m = make_model(&heavy);
  d = ali3_data_new(m);
  assert_in_range(ali3_state_convert(m, d, o.m, o.state, o.size), ALI3_OK, ALI3_MOVED);
  assert_same_motion(&o, m, d, 1e-9);
  ali3_data_free(d);
  ali3_model_free(m);
  free_run(&o);
}

static void assert_refuses(const struct saved_run *o, const struct wheel_model *other, const char *part)
{
  char text[300];
  ali3_model *m = make_model(other);
  ali3_data *d = start_wheel(m);
  const size_t block = ali3_data_size(m);
  void *before = malloc(block);
  assert_non_null(before);
  memcpy(before, d, block);
  assert_int_equal(ali3_state_convert(m, d, o->m, o->state, o->size), ALI3_E_STATE);
  assert_memory_equal(before, d, block);
  const int length = ali3_state_convert_text(m, o->m, o->state, o->size, text, sizeof text);
  assert_int_equal(length, strlen(text));
  if (!strstr(text, part)) fail_msg("expected '%s' in '%s'", part, text);
  free(before);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_conversion_refuses_in_words)
{
  struct saved_run o = start_run(&PLAIN);
  struct wheel_model other = PLAIN;
  other.pendulum = "bob";
  assert_refuses(&o, &other, "body \"bob\" is in the model that takes the state only");
  other = PLAIN;
  other.hook = "eye";
  assert_refuses(&o, &other, "joint \"eye\" is in the model that takes the state only");
  o.state[o.size - 3] ^= 1;
  assert_refuses(&o, &PLAIN, "its CRC-32 differs");
  o.state[0] = 'B';
  assert_refuses(&o, &PLAIN, "begin with ALI3STAT");
  /* The model of the state has to be the one that saved it. */
  struct saved_run heavy =
      start_run(&(struct wheel_model){0.01, 9, 0, 0, false, false, true, "pendulum", "hook"});
  memcpy(o.state, heavy.state, o.size);
  assert_refuses(&o, &PLAIN, "another model or of other options");
  /* Arguments. */
  char text[80];
  assert_int_equal(ali3_state_convert(o.m, o.d, NULL, o.state, o.size), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_state_convert(o.m, o.d, o.m, NULL, o.size), ALI3_E_ARGUMENT);
  assert_true(ali3_state_convert_text(o.m, NULL, o.state, o.size, text, sizeof text) > 0);
  assert_int_equal(ali3_state_convert_text(heavy.m, heavy.m, heavy.state, heavy.size, text, sizeof text), 0);
  free_run(&heavy);
  free_run(&o);
}

/* A body that only the model of the state has. */
TEST(a_missing_body_is_named)
{
  char text[300];
  ali3_model *three = toy_chain(3, true, 0.01), *two = toy_chain(2, true, 0.01);
  ali3_data *d = toy_start(three, ALI3_OK), *e = toy_start(two, ALI3_OK);
  const size_t size = ali3_state_size(three);
  void *bytes = malloc(size);
  assert_int_equal(ali3_state_save(three, d, bytes), ALI3_OK);
  assert_int_equal(ali3_state_convert(two, e, three, bytes, size), ALI3_E_STATE);
  ali3_state_convert_text(two, three, bytes, size, text, sizeof text);
  assert_non_null(strstr(text, "is in the model of the state only"));
  assert_non_null(strstr(text, ali3_model_body_name(three, 2)));
  free(bytes);
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(three);
  ali3_model_free(two);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_state_goes_on_in_another_model),
                                     cmocka_unit_test(an_external_drive_goes_on),
                                     cmocka_unit_test(a_drive_may_be_missing),
                                     cmocka_unit_test(actuators_go_on_with_their_states),
                                     cmocka_unit_test(a_state_of_another_build_is_converted_only),
                                     cmocka_unit_test(joints_move_the_bodies_within_the_limits),
                                     cmocka_unit_test(a_conversion_refuses_in_words),
                                     cmocka_unit_test(a_missing_body_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
