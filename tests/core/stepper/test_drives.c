/* SPDX-License-Identifier: MIT
 * Gears, drives and motors compared with closed-form solutions, and a step that fails among contacts. */
#include "check.h"
#include "common/random.h"
#include "common/toys.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double none[3] = {0};

/* Wheels of the given inertias, each on its own hinge about z; joint i carries wheel i. */
static ali3_model *wheels(int n, const double *inertia)
{
  static const char *const name[] = {"A", "B", "C"}, *const hinge_name[] = {"JA", "JB", "JC"};
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  for (int i = 0; i < n; i++) {
    ali3_body_spec wheel = toy_body(name[i], (const double[]){i, 0, 0}, 1, inertia[i]);
    ali3_joint_spec hinge = {.name = hinge_name[i],
                             .type = ALI3_JOINT_REVOLUTE,
                             .body_a = ALI3_GROUND,
                             .body_b = i,
                             .point_a = {i, 0, 0},
                             .axis_a = {0, 0, 1},
                             .axis_b = {0, 0, 1}};
    toy_added(m, ali3_model_add_body(m, &wheel));
    toy_added(m, ali3_model_add_joint(m, &hinge));
  }
  return m;
}

static ali3_force_spec of_type(ali3_force_type type, const char *name)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = name;
  return s;
}

static ali3_joint_state joint(const ali3_model *m, const ali3_data *d, int j)
{
  ali3_joint_state x;
  ali3_joint_get(m, d, j, &x);
  return x;
}

static ali3_force_state force(const ali3_model *m, const ali3_data *d, int f)
{
  ali3_force_state x;
  ali3_force_get(m, d, f, &x);
  return x;
}

static double acceleration(const ali3_model *m, const ali3_data *d, int b)
{
  ali3_body_state x;
  ali3_body_get(m, d, b, &x);
  return x.angular_acceleration[2];
}

/* The formulas of the step use Euler parameters. Their relative error of an angular acceleration is -1/4 of the square of
 * the angle turned in the step. */
static bool turns_with(double found, double exact, double turned)
{
  return fabs(found - exact) <= fabs(exact) * (1e-9 + 0.3 * turned * turned);
}

static void end(ali3_model *m, ali3_data *d)
{
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_motor_gives_its_torque)
{
  const double inertia = 0.3, torque = 0.6;
  ali3_model *m = wheels(1, &inertia);
  ali3_force_spec motor = of_type(ALI3_FORCE_MOTOR, "motor");
  toy_added(m, ali3_model_add_force(m, &motor));
  toy_freeze(m, 1e-3);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 10);
  assert_true(joint(m, d, 0).velocity == 0 && force(m, d, 0).value == 0);
  ali3_set_command(m, d, 0, torque);
  for (int i = 1; i <= 2000; i++) {
    toy_run(m, d, 1);
    assert_true(turns_with(acceleration(m, d, 0), torque / inertia, joint(m, d, 0).velocity * 1e-3));
    assert_true(force(m, d, 0).value == torque);
    assert_true(fabs(force(m, d, 0).torque[2] - torque) < 1e-12); /* on b, up */
    /* the rule halves a load in the step in which it begins */
    double t = (i - 0.5) * 1e-3;
    assert_true(fabs(joint(m, d, 0).velocity - torque / inertia * t) < 1e-4 * t);
  }
  ali3_set_command(m, d, 0, -torque);
  toy_run(m, d, 1);
  assert_true(turns_with(acceleration(m, d, 0), -torque / inertia, joint(m, d, 0).velocity * 1e-3));
  /* The value that was set, to the bit, also right after a jump. */
  for (int i = 0; i < 4; i++) {
    const double value = i % 2 ? 0.0 : 1.0 / (3.0 + i);
    assert_true(ali3_prepare(m, d) >= 0);
    ali3_set_command(m, d, 0, value);
    assert_true(ali3_feedback(m, d) >= 0);
    assert_true(force(m, d, 0).value == value);
  }
  assert_int_equal(ali3_reset(m, d), ALI3_OK); /* the reset restores the previous value */
  toy_run(m, d, 10);
  assert_true(joint(m, d, 0).velocity == 0);
  end(m, d);
}

/* x1 = ratio x2, a torque on the first: the effective inertia is I1 + I2/ratio^2. */
TEST(a_gear_pair_turns_with_its_reduced_inertia)
{
  const double inertia[] = {0.2, 1.5}, torque = 0.4;
  const double ratios[] = {3, -0.7, 1, 1000};
  double most = 0;
  for (int i = 0; i < 4; i++) {
    const double ratio = ratios[i];
    ali3_model *m = wheels(2, inertia);
    ali3_force_spec motor = of_type(ALI3_FORCE_MOTOR, "motor"), gear = of_type(ALI3_FORCE_GEAR, "gear");
    gear.joint = 0;
    gear.joint_b = 1;
    gear.ratio = ratio;
    toy_added(m, ali3_model_add_force(m, &motor));
    toy_added(m, ali3_model_add_force(m, &gear));
    toy_freeze(m, 1e-3);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_set_command(m, d, 0, torque);
    double a = torque / (inertia[0] + inertia[1] / (ratio * ratio)), off = 0, rate_off = 0, wrong = 0,
           turned = 0;
    for (int k = 0; k < 6000; k++) {
      toy_run(m, d, 1);
      ali3_joint_state x = joint(m, d, 0), y = joint(m, d, 1);
      off = fmax(off, fabs(x.position - ratio * y.position));
      rate_off = fmax(rate_off, fabs(x.velocity - ratio * y.velocity));
      turned = fmax(turned, fabs(x.position));
      double turn = fmax(fabs(x.velocity), fabs(y.velocity)) * 1e-3;
      if (!turns_with(acceleration(m, d, 0), a, turn))
        fail_msg("ratio %g, step %d: %.12g rad/s^2, not %.12g", ratio, k, acceleration(m, d, 0), a);
      wrong = fmax(wrong, fabs(force(m, d, 1).value - (torque - inertia[0] * a)));
      if (k == 500) assert_true(wrong < 1e-4 * torque);
    }
    print_message("ratio %g, %.1f rad: %.1e rad, %.1e rad/s, %.1e N m off\n", ratio, turned, off, rate_off,
                  wrong);
    assert_true(turned > 2); /* the ratio turns the other wheel more, or less */
    most = fmax(most, turned);
    assert_true(off < 1e-10 * fmax(1, fabs(ratio)) && rate_off < 1e-8 * fmax(1, fabs(ratio)));
    assert_true(wrong < 2e-2 * torque); /* at this speed it turns by up to a hundredth of a radian per step */
    end(m, d);
  }
  assert_true(most > 6 * PI); /* over many turns */
}

/* A rack: the wheel turns and a slide follows. The force of the slide is that of the reduced inertia. */
TEST(a_gear_joins_a_wheel_and_a_slide)
{
  const double inertia = 0.2, mass = 3, radius = 0.5, torque = 0.4;
  ali3_model *m = wheels(1, &inertia);
  ali3_body_spec rack = toy_body("rack", (const double[]){0, 1, 0}, mass, 1);
  ali3_joint_spec slide = {.name = "slide",
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .body_b = 1,
                           .point_a = {0, 1, 0},
                           .axis_a = {1, 0, 0}};
  ali3_force_spec motor = of_type(ALI3_FORCE_MOTOR, "motor"), gear = of_type(ALI3_FORCE_GEAR, "gear");
  gear.joint = 1;
  gear.joint_b = 0;
  gear.ratio = -radius;
  toy_added(m, ali3_model_add_body(m, &rack));
  toy_added(m, ali3_model_add_joint(m, &slide));
  toy_added(m, ali3_model_add_force(m, &motor));
  toy_added(m, ali3_model_add_force(m, &gear));
  toy_freeze(m, 1e-3);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_set_command(m, d, 0, torque);
  toy_run(m, d, 3000);
  double a = torque / (inertia + mass * radius * radius);
  ali3_body_state x;
  ali3_body_get(m, d, 1, &x);
  assert_true(fabs(x.acceleration[0] + radius * a) < 1e-6);
  assert_true(fabs(x.position[0] + radius * joint(m, d, 0).position) < 1e-10);
  /* positive values drive the coordinate of the slide down */
  assert_true(fabs(force(m, d, 1).value - mass * radius * a) < 1e-4);
  end(m, d);
}

TEST(a_drive_holds_its_function)
{
  const double inertia = 0.7, A = 0.8, f = 1.5, w = 2 * PI * f, speed = 2;
  for (int i = 0; i < 2; i++) {
    double dt = i ? 5e-4 : 1e-3, at = 0, rate = 0, bend = 0, wrong = 0;
    ali3_model *m = wheels(1, &inertia);
    ali3_force_spec drive = of_type(ALI3_FORCE_DRIVE, "drive");
    drive.amplitude = A;
    drive.frequency = f;
    drive.phase = 0.5;
    drive.offset = -A * sin(0.5); /* the drive starts at the position of the model */
    drive.speed = speed;
    toy_added(m, ali3_model_add_force(m, &drive));
    toy_freeze(m, dt);
    ali3_data *d = toy_start(m, ALI3_MOVED); /* moves its velocity */
    for (int k = 1; k <= (int)lround(5 / dt); k++) {
      toy_run(m, d, 1);
      double t = k * dt, s = sin(w * t + 0.5), c = cos(w * t + 0.5);
      ali3_joint_state x = joint(m, d, 0);
      ali3_force_state o = force(m, d, 0);
      at = fmax(at, fabs(x.position - (A * (s - sin(0.5)) + speed * t)));
      rate = fmax(rate, fabs(x.velocity - (A * w * c + speed)));
      bend = fmax(bend, fabs(acceleration(m, d, 0) + A * w * w * s));
      wrong = fmax(wrong, fabs(o.value + inertia * A * w * w * s));
      assert_true(fabs(o.target - x.position) < 1e-11 && fabs(o.position - o.target) < 1e-11);
    }
    print_message("%g ms: %.1e rad, %.1e rad/s, %.1e rad/s^2, %.1e of %.1f N m off\n", 1e3 * dt, at, rate,
                  bend, wrong, inertia * A * w * w);
    assert_true(at < 1e-11 && rate < 1e-10 && bend < 1e-8);
    assert_true(wrong < 0.01 * inertia * A * w * w);
    end(m, d);
  }
}

TEST(a_driven_slide_lifts_its_load_through_a_table)
{
  static const double p[][2] = {{0.5, 0}, {1, 0.3}, {1.5, 0.2}, {2.5, 1}};
  ali3_model *m = ali3_model_new();
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
  ali3_body_spec load = toy_body("load", none, 4, 1);
  ali3_joint_spec slide = {
      .name = "slide", .type = ALI3_JOINT_PRISMATIC, .body_a = ALI3_GROUND, .axis_a = {0, 1, 0}};
  ali3_force_spec drive = of_type(ALI3_FORCE_DRIVE, "drive");
  drive.motion = (ali3_table){4, p};
  toy_added(m, ali3_model_add_body(m, &load));
  toy_added(m, ali3_model_add_joint(m, &slide));
  toy_added(m, ali3_model_add_force(m, &drive));
  toy_freeze(m, 1e-3);
  ali3_data *d = toy_start(m, ALI3_OK);
  assert_true(fabs(force(m, d, 0).value - 4 * 9.81) < 1e-9); /* up */
  for (int k = 1; k <= 3000; k++) {
    toy_run(m, d, 1);
    for (int i = 0; i < 4; i++)
      if (k == (int)lround(1e3 * p[i][0])) assert_true(fabs(joint(m, d, 0).position - p[i][1]) < 1e-12);
  }
  ali3_joint_state x = joint(m, d, 0);
  assert_true(fabs(x.position - 1) < 1e-12 && fabs(x.velocity) < 1e-12);
  end(m, d);
}

TEST(a_drive_from_outside_stays_within_its_limits)
{
  for (int seed = 1; seed <= 5; seed++) {
    struct random r = {(uint64_t)seed};
    const double inertia = 0.2, dt = 1e-3, max_rate = random_between(&r, 0.5, 5),
                 most = random_between(&r, 10, 100);
    ali3_model *m = wheels(1, &inertia);
    ali3_force_spec drive = of_type(ALI3_FORCE_DRIVE, "drive");
    drive.external = true;
    drive.max_rate = max_rate;
    drive.max_acceleration = most;
    toy_added(m, ali3_model_add_force(m, &drive));
    ali3_options o = ali3_options_default();
    o.dt = dt;
    o.substeps = seed % 2 ? 1 : 3;
    toy_freeze_with(m, &o);
    ali3_data *d = toy_start(m, ALI3_OK);
    toy_run(m, d, 5);
    assert_true(fabs(joint(m, d, 0).position) < 1e-15); /* its position at the start */
    double target = 0, fastest = 0;
    for (int k = 0; k < 4000; k++) {
      if (k % 200 == 0) ali3_set_command(m, d, 0, target = random_between(&r, -10, 10));
      toy_run(m, d, 1);
      ali3_joint_state x = joint(m, d, 0);
      fastest = fmax(fastest, fabs(x.velocity));
      if (!(fabs(x.velocity) < max_rate * (1 + 1e-9) && fabs(acceleration(m, d, 0)) < most * (1 + 1e-6)))
        fail_msg("seed %d: %g of %g rad/s, %g of %g rad/s^2 in step %d", seed, x.velocity, max_rate,
                 acceleration(m, d, 0), most, k);
      assert_true(fabs(force(m, d, 0).target - x.position) < 1e-11);
    }
    assert_true(fastest > 0.9 * max_rate);
    toy_run(m, d, (int)(2 * 20 / max_rate / dt));
    if (!(fabs(joint(m, d, 0).position - target) < 1e-11 && fabs(joint(m, d, 0).velocity) < 1e-10))
      fail_msg("seed %d: %g from the target", seed, joint(m, d, 0).position - target);
    end(m, d);
  }
}

enum { BODIES = 4, JOINTS = 3, FORCES = 7 };

/* All readable values, for a comparison bit by bit. */
struct everything {
  ali3_body_state body[BODIES];
  ali3_joint_state joint[JOINTS];
  ali3_force_state force[FORCES];
  ali3_energy energy;
};

static void read_all(const ali3_model *m, const ali3_data *d, struct everything *o)
{
  memset(o, 0, sizeof *o);
  for (int i = 0; i < BODIES; i++) ali3_body_get(m, d, i, &o->body[i]);
  for (int i = 0; i < JOINTS; i++) ali3_joint_get(m, d, i, &o->joint[i]);
  for (int i = 0; i < FORCES; i++) ali3_force_get(m, d, i, &o->force[i]);
  ali3_energy_get(m, d, &o->energy);
}

/* Two driven wheels in gear, a third on a stop with friction, and a ball that lies on a stiff plane. */
static ali3_model *everything_at_once(int substeps)
{
  const double inertia[] = {0.2, 0.4, 0.3};
  ali3_model *m = wheels(3, inertia);
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}));
  ali3_body_spec ball = toy_body("ball", (const double[]){0, 0.1, 3}, 2, 0.008);
  ball.velocity[0] = 1;
  toy_added(m, ali3_model_add_body(m, &ball));
  ali3_force_spec f[FORCES] = {of_type(ALI3_FORCE_SPHERE_PLANE, "contact"),
                               of_type(ALI3_FORCE_GEAR, "gear"),
                               of_type(ALI3_FORCE_DRIVE, "led"),
                               of_type(ALI3_FORCE_JOINT_SPRING, "spring"),
                               of_type(ALI3_FORCE_MOTOR, "motor"),
                               of_type(ALI3_FORCE_STOP, "stop"),
                               of_type(ALI3_FORCE_FRICTION, "friction")};
  f[0].body_b = 3;
  f[0].normal[1] = 1;
  f[0].radius_b = 0.1;
  f[0].stiffness[0] = 1e9;
  f[0].friction = 0.2;
  f[1].joint_b = 1;
  f[1].ratio = 2.5;
  f[2].external = true;
  f[2].max_rate = 2;
  f[2].max_acceleration = 30;
  for (int i = 3; i < FORCES; i++) f[i].joint = 2;
  f[3].stiffness[0] = 1;
  f[5].upper = 0.01;
  f[5].stiffness[0] = 1e8;
  f[6].friction = 0.1;
  for (int i = 0; i < FORCES; i++) toy_added(m, ali3_model_add_force(m, &f[i]));
  ali3_options o = ali3_options_default();
  o.dt = 1e-3;
  o.substeps = substeps;
  toy_freeze_with(m, &o);
  return m;
}

/* Excludes the values of rows too stiff for the step, which are means over it: see test_open.c. */
static void without_stiff(struct everything *o)
{
  memset(&o->force[0], 0, sizeof o->force[0]);
  memset(&o->force[5], 0, sizeof o->force[5]);
}

/* bad: a load on the ball or the third wheel, as force or torque. */
static void fail_once(int substeps, int body, bool torque, double bad)
{
  ali3_model *m = everything_at_once(substeps);
  ali3_data *d = toy_start(m, ALI3_OK), *twin = toy_start(m, ALI3_OK);
  struct everything before, after;
  const double load[3] = {bad, bad, bad};
  for (int i = 0; i < 2; i++) {
    ali3_data *o = i ? twin : d;
    ali3_set_command(m, o, 2, 1);
    ali3_set_command(m, o, 4, 3);
    toy_run(m, o, 60);
  }
  read_all(m, d, &before);
  assert_true(before.force[0].value > 1 && before.force[5].value > 1); /* contact and stop are engaged */
  ali3_set_wrench(m, d, body, torque ? none : load, torque ? load : none);
  ali3_set_command(m, d, 2, -5);
  int status = ali3_step(m, d);
  if (status >= 0) fail_msg("load %g: status %d", bad, status);
  assert_int_equal(ali3_data_report(d)->step, 60);
  read_all(m, d, &after);
  without_stiff(&before);
  without_stiff(&after);
  assert_memory_equal(&before, &after, sizeof before);
  /* the next steps are those of data without the failure */
  ali3_set_wrench(m, d, body, none, none);
  ali3_set_command(m, d, 2, 1);
  for (int i = 0; i < 50; i++) {
    toy_run(m, d, 1);
    toy_run(m, twin, 1);
    read_all(m, d, &after);
    read_all(m, twin, &before);
    if (memcmp(&before, &after, sizeof before) != 0)
      fail_msg("load %g on %d, %d substeps: other bits %d steps later", bad, body, substeps, i + 1);
  }
  ali3_data_free(twin);
  end(m, d);
}

TEST(a_step_that_fails_leaves_drives_and_contacts_as_they_were)
{
  const double bad[] = {NAN, INFINITY, 1e300, -1e300};
  for (int substeps = 1; substeps <= 2; substeps++)
    for (int body = 2; body <= 3; body++)
      for (int torque = 0; torque < 2; torque++)
        for (int i = 0; i < 4; i++) fail_once(substeps, body, torque, bad[i]);
  for (int substeps = 1; substeps <= 2; substeps++) {
    fail_once(substeps, 3, false, -1e30); /* reaches the end of the iterations */
    fail_once(substeps, 2, true, -1e30);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motor_gives_its_torque),
      cmocka_unit_test(a_gear_pair_turns_with_its_reduced_inertia),
      cmocka_unit_test(a_gear_joins_a_wheel_and_a_slide),
      cmocka_unit_test(a_drive_holds_its_function),
      cmocka_unit_test(a_driven_slide_lifts_its_load_through_a_table),
      cmocka_unit_test(a_drive_from_outside_stays_within_its_limits),
      cmocka_unit_test(a_step_that_fails_leaves_drives_and_contacts_as_they_were),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
