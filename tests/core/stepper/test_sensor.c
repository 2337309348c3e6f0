/* SPDX-License-Identifier: MIT
 * Sensors compared with mechanics, and with differences of the motion that they measure. */
#include "check.h"
#include "common/toys.h"
#include "math/euler.h"

#include <ali3/state.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GRAVITY[3] = {0, 0, -9.81};
static const double TURNED[4] = {0.5, 0.5, -0.1, 0.7}; /* norm 1 */
static const double PLAIN[4] = {1};

static ali3_model *weighed(void)
{
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, GRAVITY), ALI3_OK);
  return m;
}

static int add(ali3_model *m, const char *name, ali3_sensor_type type, const double point[3],
               const double orientation[4])
{
  ali3_sensor_spec s = {.name = name, .type = type};
  memcpy(s.point, point, sizeof s.point);
  memcpy(s.orientation, orientation, sizeof s.orientation);
  return toy_added(m, ali3_model_add_sensor(m, &s));
}

static void assert_all_near(const double *a, const double *b, int n, double within)
{
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= within)) fail_msg("element %d: expected %.17g, found %.17g", i, b[i], a[i]);
}

/* A body of unequal moments that tumbles in free fall, with a fast and changing rotation. */
static ali3_model *tumbling(double dt, const double point[3])
{
  ali3_model *m = weighed();
  ali3_body_spec b = toy_body("b", (const double[]){1, 2, 3}, 2.0, 0);
  const double inertia[9] = {0.3, 0.02, 0, 0.02, 0.5, 0.01, 0, 0.01, 0.7};
  const double w[3] = {1, -6, 0.5};
  memcpy(b.inertia, inertia, sizeof inertia);
  memcpy(b.angular_velocity, w, sizeof w);
  b.velocity[0] = 1.5;
  toy_added(m, ali3_model_add_body(m, &b));
  add(m, "s", ALI3_SENSOR_POSE, point, TURNED);
  add(m, "imu", ALI3_SENSOR_IMU, point, TURNED);
  toy_freeze(m, dt);
  return m;
}

/* Velocity from positions, acceleration from velocities, and the rotation of the sensor's axes from its orientations, over
 * two steps: accurate to second order for a short step. */
TEST(motion_is_that_of_its_differences)
{
  enum { AT = 50 };
  const double dt = 1e-4, point[3] = {0.4, -0.3, 0.2};
  ali3_model *m = tumbling(dt, point);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_sensor_state x[3];
  toy_run(m, d, AT);
  for (int k = 0; k < 3; k++) {
    if (k > 0) toy_run(m, d, 1);
    ali3_sensor_get(m, d, 0, &x[k]);
  }
  double v[3], a[3], dp[4], w[3], wd[3];
  for (int i = 0; i < 3; i++) {
    v[i] = (x[2].position[i] - x[0].position[i]) / (2 * dt);
    a[i] = (x[2].velocity[i] - x[0].velocity[i]) / (2 * dt);
    wd[i] = (x[2].angular_velocity[i] - x[0].angular_velocity[i]) / (2 * dt);
  }
  for (int i = 0; i < 4; i++) dp[i] = (x[2].orientation[i] - x[0].orientation[i]) / (2 * dt);
  p_to_rotation(w, x[1].orientation, dp);
  assert_all_near(x[1].velocity, v, 3, 1e-5);
  assert_all_near(x[1].acceleration, a, 3, 1e-4);
  assert_all_near(x[1].angular_velocity, w, 3, 1e-5);
  assert_all_near(x[1].angular_acceleration, wd, 3, 1e-4);
  assert_true(fabs(p_dot(x[1].orientation, x[1].orientation) - 1.0) < 1e-12);
  assert_true(v3_dot(x[1].acceleration, x[1].acceleration) >
              100); /* the acceleration is large enough to test */
  assert_true(v3_dot(x[1].angular_acceleration, x[1].angular_acceleration) > 1);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* The getters agree: a point, a sensor at the point, and the body at its centre of mass. */
TEST(a_point_a_sensor_and_a_body_agree)
{
  const double point[3] = {0.4, -0.3, 0.2}, none[3] = {0};
  ali3_model *m = tumbling(0.01, point);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 20);
  ali3_body_state body;
  ali3_sensor_state sensor, imu;
  ali3_point_state p;
  ali3_body_get(m, d, 0, &body);
  ali3_sensor_get(m, d, 0, &sensor);
  ali3_sensor_get(m, d, 1, &imu);
  ali3_point_get(m, d, 0, point, &p);
  assert_memory_equal(&sensor, &imu, sizeof imu); /* all quantities, for any type */
  assert_memory_equal(p.position, sensor.position, sizeof p.position);
  assert_memory_equal(p.velocity, sensor.velocity, sizeof p.velocity);
  assert_memory_equal(p.acceleration, sensor.acceleration, sizeof p.acceleration);
  ali3_point_get(m, d, 0, none, &p);
  assert_memory_equal(p.position, body.position, sizeof p.position);
  assert_memory_equal(p.velocity, body.velocity, sizeof p.velocity);
  assert_memory_equal(p.acceleration, body.acceleration, sizeof p.acceleration);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Turned by 120 degrees about (1, 1, 1): the sensor's x, y, z are the body's y, z, x; and the body itself is
 * turned by 90 degrees about the world's z. */
TEST(orientations_are_composed)
{
  ali3_model *m = weighed();
  ali3_body_spec b = toy_body("b", (const double[]){0, 0, 0}, 1.0, 1.0);
  b.orientation[0] = b.orientation[3] = sqrt(0.5);
  b.angular_velocity[0] = 3.0;
  toy_added(m, ali3_model_add_body(m, &b));
  add(m, "s", ALI3_SENSOR_POSE, (const double[]){2, 0, 0}, (const double[]){0.50005, 0.5, 0.5, 0.5});
  add(m, "plain", ALI3_SENSOR_POSE, (const double[]){2, 0, 0}, PLAIN);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_sensor_state x;
  ali3_sensor_get(m, d, 0, &x);
  double R[9];
  p_rotation(R, x.orientation);
  /* columns: the sensor's axes in the world. Body: x -> y, y -> -x, z -> z */
  assert_all_near(R, (const double[]){-1, 0, 0, 0, 0, 1, 0, 1, 0}, 9, 1e-4);
  assert_all_near(x.position, (const double[]){0, 2, 0}, 3, 1e-15);
  assert_all_near(x.angular_velocity, (const double[]){0, 0, 3}, 3, 1e-3);
  assert_true(fabs(p_dot(x.orientation, x.orientation) - 1.0) < 1e-15);
  ali3_sensor_get(m, d, 1, &x);
  assert_all_near(x.orientation, b.orientation, 4, 1e-15);
  assert_all_near(x.angular_velocity, b.angular_velocity, 3, 1e-15);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A sensor at rest: 9.81 m/s^2 upwards, in the axes of the sensor. */
TEST(at_rest_an_imu_feels_what_holds_it)
{
  ali3_model *m = weighed();
  ali3_body_spec b = toy_body("b", (const double[]){1, 0, 0}, 3.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec weld = {.name = "weld", .type = ALI3_JOINT_FIXED, .body_a = ALI3_GROUND, .point_a = {1}};
  toy_added(m, ali3_model_add_joint(m, &weld));
  add(m, "level", ALI3_SENSOR_IMU, (const double[]){0.1, 0.2, 0.3}, PLAIN);
  add(m, "tilted", ALI3_SENSOR_IMU, (const double[]){0.1, 0.2, 0.3},
      (const double[]){sqrt(0.5), sqrt(0.5), 0, 0}); /* its y points up */
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_sensor_state x;
  toy_run(m, d, 10);
  ali3_sensor_get(m, d, 0, &x);
  assert_all_near(x.specific_force, (const double[]){0, 0, 9.81}, 3, 1e-10);
  ali3_sensor_get(m, d, 1, &x);
  assert_all_near(x.specific_force, (const double[]){0, 9.81, 0}, 3, 1e-10);
  assert_all_near(x.angular_velocity, (const double[]){0, 0, 0}, 3, 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* At the centre of mass of a body that falls and tumbles the sensor reads 0. Elsewhere it reads the rotation terms alone. */
TEST(in_free_fall_an_imu_feels_nothing)
{
  const double none[3] = {0};
  ali3_model *m = tumbling(0.01, none);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_sensor_state x;
  toy_run(m, d, 30);
  ali3_sensor_get(m, d, 1, &x);
  assert_all_near(x.specific_force, none, 3, 1e-9);
  assert_all_near(x.acceleration, GRAVITY, 3, 1e-9);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A wheel on an axle about the vertical. rate: rad/s; position: rad, the coordinate at the start. */
static void add_wheel(ali3_model *m, double rate, double position)
{
  ali3_body_spec wheel = toy_body("wheel", (const double[]){0, 0, 0}, 1.0, 1.0);
  wheel.angular_velocity[2] = rate;
  const int body = toy_added(m, ali3_model_add_body(m, &wheel));
  const ali3_joint_spec axle = {.name = "axle",
                                .type = ALI3_JOINT_REVOLUTE,
                                .body_a = ALI3_GROUND,
                                .body_b = body,
                                .axis_a = {0, 0, 1},
                                .axis_b = {0, 0, 1},
                                .position = position};
  toy_added(m, ali3_model_add_joint(m, &axle));
}

/* On a wheel about the vertical at 5 rad/s, 0.8 m from the axle, x outwards: w^2 r inwards, and weight. */
TEST(on_a_wheel_an_imu_feels_the_centripetal_acceleration)
{
  ali3_model *m = weighed();
  add_wheel(m, 5.0, 0.0);
  add(m, "rim", ALI3_SENSOR_IMU, (const double[]){0.8, 0, 0}, PLAIN);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 0; i <= 300; i++) {
    ali3_sensor_state x;
    if (i > 0) toy_run(m, d, 1);
    ali3_sensor_get(m, d, 0, &x);
    double w = x.angular_velocity[2]; /* rate of the step: 5 rad/s except for the truncation error */
    assert_true(fabs(w - 5.0) < 1e-2);
    assert_all_near(x.specific_force, (const double[]){-0.8 * w * w, 0, 9.81}, 3, 1e-8);
    assert_all_near(x.velocity, (const double[]){-w * x.position[1], w * x.position[0], 0}, 3, 1e-9);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Two bodies that tumble apart, a wheel on a spring, and a sensor of each type with one value. */
static ali3_model *measured(const ali3_sensor_spec *chain, double dt)
{
  ali3_model *m = weighed();
  ali3_body_spec a = toy_body("a", (const double[]){1, 2, 3}, 2.0, 0.5),
                 b = toy_body("b", (const double[]){-1, 0, 2}, 3.0, 0.7);
  a.inertia[0] = 0.8;
  memcpy(a.angular_velocity, (const double[3]){1, -2, 0.5}, sizeof a.angular_velocity);
  memcpy(b.angular_velocity, (const double[3]){0.4, 0.3, -1}, sizeof b.angular_velocity);
  a.velocity[0] = 1.5;
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  add_wheel(m, 0.0, 0.3);
  ali3_force_spec coil = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  coil.name = "coil";
  coil.stiffness[0] = 40.0;
  coil.rest = 0.0;
  toy_added(m, ali3_model_add_force(m, &coil));
  /* The sensors: `chain` with what each of them reads. */
  static const ali3_sensor_type types[] = {ALI3_SENSOR_DISTANCE, ALI3_SENSOR_ANGLE, ALI3_SENSOR_ENCODER,
                                           ALI3_SENSOR_LOAD_CELL};
  for (int i = 0; i < 4; i++) {
    ali3_sensor_spec s = *chain;
    s.name = ali3_sensor_type_name(types[i]);
    s.type = types[i];
    s.body = 0;
    s.body_b = 1;
    memcpy(s.point, (const double[3]){0.1, 0.2, -0.3}, sizeof s.point);
    memcpy(s.point_b, (const double[3]){0.5, 0, 0.2}, sizeof s.point_b);
    memcpy(s.axis, (const double[3]){1, 2, 2}, sizeof s.axis);
    toy_added(m, ali3_model_add_sensor(m, &s));
  }
  toy_freeze(m, dt);
  return m;
}

static const ali3_sensor_spec NO_CHAIN = {.stuck = 0};

TEST(sensors_of_one_value_agree_with_their_elements)
{
  const double dt = 1e-4;
  ali3_model *m = measured(&NO_CHAIN, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  double value[3][4], rate[4];
  toy_run(m, d, 50);
  for (int k = 0; k < 3; k++) {
    if (k > 0) toy_run(m, d, 1);
    for (int i = 0; i < 4; i++) {
      ali3_sensor_state x;
      ali3_reading shown;
      ali3_sensor_get(m, d, i, &x);
      ali3_sensor_read(m, d, i, &shown);
      assert_true(shown.good && shown.value[0] == x.value && shown.rate == x.rate);
      value[k][i] = x.value;
      if (k == 1) rate[i] = x.rate;
    }
  }
  for (int i = 0; i < 3; i++) assert_true(fabs((value[2][i] - value[0][i]) / (2 * dt) - rate[i]) < 1e-6);
  assert_true(rate[3] == 0.0);
  /* The distance, from the points themselves. */
  ali3_point_state a, b;
  double way[3];
  ali3_point_get(m, d, 0, (const double[3]){0.1, 0.2, -0.3}, &a);
  ali3_point_get(m, d, 1, (const double[3]){0.5, 0, 0.2}, &b);
  v3_sub(way, a.position, b.position);
  assert_true(fabs(value[2][0] - sqrt(v3_dot(way, way))) < 1e-15);
  /* The joint and its spring. */
  ali3_joint_state joint;
  ali3_force_state force;
  ali3_joint_get(m, d, 0, &joint);
  ali3_force_get(m, d, 0, &force);
  assert_true(value[2][2] == joint.position && value[2][3] == force.value);
  assert_true(fabs(force.value - 40.0 * joint.position) < 1e-2 && fabs(force.value) > 1.0);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A turn about the axis, then a swing about another axis across it: only the turn counts, from the initial pose on. */
TEST(an_angle_is_the_turn_about_its_axis)
{
  static const double half_degree = 0.008726646259971648;
  for (int turn = -170; turn <= 170; turn += 20)
    for (int swing = 0; swing < 180; swing += 60) {
      const double half = turn * half_degree, tilt = swing * half_degree;
      const double about[4] = {cos(half), 0, 0, sin(half)}, across[4] = {cos(tilt), sin(tilt), 0, 0};
      double moved[4];
      ali3_model *m = weighed();
      ali3_body_spec body = toy_body("b", (const double[]){0, 0, 0}, 1.0, 1.0);
      memcpy(body.orientation, TURNED, sizeof TURNED);
      toy_added(m, ali3_model_add_body(m, &body));
      const ali3_sensor_spec s = {
          .name = "s", .type = ALI3_SENSOR_ANGLE, .body_b = ALI3_GROUND, .axis = {0, 0, 5}, .start = 0.25};
      toy_added(m, ali3_model_add_sensor(m, &s));
      toy_freeze(m, 0.01);
      ali3_data *d = toy_start(m, ALI3_OK);
      ali3_sensor_state x;
      ali3_reading shown;
      ali3_body_state at;
      ali3_body_get(m, d, 0, &at);
      p_mul(moved, across, about);
      p_mul(at.orientation, moved, TURNED);
      assert_true(ali3_place(m, d, &at, 0.0) >= 0);
      ali3_sensor_get(m, d, 0, &x);
      ali3_sensor_read(m, d, 0, &shown);
      if (fabs(x.value - 0.25 - 2 * half) > 1e-14)
        fail_msg("%d degrees swung by %d: %.17g", turn, swing, x.value);
      assert_true(shown.value[0] == x.value);
      ali3_data_free(d);
      ali3_model_free(m);
    }
}

static void read_all(const ali3_model *m, const ali3_data *d, ali3_reading *o)
{
  for (int i = 0; i < ali3_model_sensors(m); i++) ali3_sensor_read(m, d, i, &o[i]);
}

static void assert_equal_readings(const ali3_reading *a, const ali3_reading *b)
{
  for (int i = 0; i < 4; i++)
    assert_true(a[i].value[0] == b[i].value[0] && a[i].rate == b[i].rate && a[i].good == b[i].good);
}

static const ali3_sensor_spec WHOLE_CHAIN = {.cutoff = 4,
                                             .filter_order = 2,
                                             .delay = 0.047,
                                             .noise = {0.01},
                                             .lower = {-40},
                                             .upper = {40},
                                             .resolution = {1e-4},
                                             .seed = 3};

/* The chain looks back 47 ms: a saved state has that past, and a model with another number takes it over. */
TEST(a_state_has_the_memory_of_the_chains)
{
  ali3_model *m = measured(&WHOLE_CHAIN, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK), *again = toy_start(m, ALI3_OK);
  ali3_reading there[4], here[4];
  toy_run(m, d, 30);
  const size_t size = ali3_state_size(m);
  void *saved = malloc(size);
  assert_non_null(saved);
  assert_int_equal(ali3_state_save(m, d, saved), ALI3_OK);
  toy_run(m, d, 7);
  read_all(m, d, there);
  assert_int_equal(ali3_state_load(m, again, saved, size), ALI3_OK);
  toy_run(m, again, 7);
  read_all(m, again, here);
  assert_equal_readings(there, here);
  /* Into a model without the noise, whose readings differ by the noise alone from then on. */
  ali3_sensor_spec quiet = WHOLE_CHAIN;
  quiet.noise[0] = 0.0;
  ali3_model *other = measured(&quiet, 0.01);
  ali3_data *carried = toy_start(other, ALI3_OK);
  assert_true(ali3_model_takes_state(other, m));
  assert_int_equal(ali3_state_carry(other, carried, m, d), ALI3_OK);
  read_all(other, carried, here);
  assert_equal_readings(there, here);
  toy_run(m, d, 1);
  toy_run(other, carried, 1);
  read_all(m, d, there);
  read_all(other, carried, here);
  for (int i = 0; i < 4; i++) {
    const double by = fabs(there[i].value[0] - here[i].value[0]);
    assert_true(by > 0.0 && by < 0.061);
  }
  /* Another delay has another memory. */
  ali3_sensor_spec late = WHOLE_CHAIN;
  late.delay = 0.1;
  ali3_model *longer = measured(&late, 0.01);
  assert_false(ali3_model_takes_state(longer, m));
  free(saved);
  ali3_data_free(carried);
  ali3_data_free(again);
  ali3_data_free(d);
  ali3_model_free(longer);
  ali3_model_free(other);
  ali3_model_free(m);
}

/* At a constant rate the reading is the coordinate of two steps ago, to half an increment. */
TEST(an_encoder_counts_increments_of_many_turns)
{
  ali3_model *m = ali3_model_new();
  add_wheel(m, 250.0, 0.0);
  const double increment = 6.283185307179586 / 1024;
  const ali3_sensor_spec s = {
      .name = "s", .type = ALI3_SENSOR_ENCODER, .delay = 0.02, .resolution = {increment}};
  toy_added(m, ali3_model_add_sensor(m, &s));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int k = 1; k <= 400; k++) {
    ali3_reading shown;
    toy_run(m, d, 1);
    ali3_sensor_read(m, d, 0, &shown);
    const double late = 2.5 * fmax(k - 2, 0);
    assert_true(fabs(shown.value[0] - late) <= 0.5001 * increment);
    assert_true(fabs(shown.value[0] / increment - rint(shown.value[0] / increment)) < 1e-9);
    if (k > 3) assert_true(fabs(shown.rate - 250.0) <= 1.001 * increment / 0.01);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(wrong_sensors_are_refused_with_their_field)
{
  static const struct {
    ali3_sensor_spec spec;
    const char *field;
  } wrong[] = {
      {{.type = ALI3_SENSOR_DISTANCE, .body = 0, .body_b = 0}, "body_b"},
      {{.type = ALI3_SENSOR_DISTANCE, .body = ALI3_GROUND, .body_b = 0}, "body"},
      {{.type = ALI3_SENSOR_ANGLE, .body = 0, .body_b = 1}, "axis"},
      {{.type = ALI3_SENSOR_ENCODER, .joint = 1}, "joint"},
      {{.type = ALI3_SENSOR_LOAD_CELL, .force = 7}, "force"},
      {{.type = ALI3_SENSOR_ENCODER, .noise = {-1}}, "noise"},
      {{.type = ALI3_SENSOR_ENCODER, .delay = -1}, "delay"},
      {{.type = ALI3_SENSOR_ENCODER, .cutoff = NAN}, "cutoff"},
      {{.type = ALI3_SENSOR_ENCODER, .filter_order = 3}, "filter_order"},
      {{.type = ALI3_SENSOR_ENCODER, .lower = {2}, .upper = {1}}, "upper"},
      {{.type = ALI3_SENSOR_ENCODER, .resolution = {INFINITY}}, "resolution"},
      {{.type = ALI3_SENSOR_ENCODER, .stuck = 3}, "stuck"},
      {{.type = ALI3_SENSOR_ENCODER, .stuck = 2, .stuck_at = NAN}, "stuck_at"},
      {{.type = ALI3_SENSOR_IMU, .orientation = {1}, .stuck = 2}, "stuck"},
      {{.type = ALI3_SENSOR_ENCODER, .bias = NAN}, "bias"},
      {{.type = ALI3_SENSOR_ENCODER, .scale_error = {-1.5}}, "scale_error"},
      {{.type = ALI3_SENSOR_IMU, .orientation = {1}, .scale_error = {0, NAN}}, "angular_scale_error"},
      {{.type = ALI3_SENSOR_IMU, .orientation = {1}, .force_bias = {0, INFINITY}}, "force_bias"},
      {{.type = ALI3_SENSOR_IMU, .orientation = {1}, .angular_bias = {0, 0, NAN}}, "angular_bias"},
      {{.type = ALI3_SENSOR_IMU, .orientation = {1}, .noise = {0, -1}}, "angular_noise"},
  };
  ali3_model *m = ali3_model_new();
  const ali3_body_spec a = toy_body("a", (const double[]){0, 0, 0}, 1, 1),
                       b = toy_body("b", (const double[]){1, 0, 0}, 1, 1);
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  const ali3_joint_spec axle = {.name = "axle",
                                .type = ALI3_JOINT_REVOLUTE,
                                .body_a = ALI3_GROUND,
                                .axis_a = {0, 0, 1},
                                .axis_b = {0, 0, 1}};
  toy_added(m, ali3_model_add_joint(m, &axle));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ali3_sensor_spec s = wrong[i].spec;
    s.name = "s";
    assert_int_equal(ali3_model_add_sensor(m, &s), ALI3_E_MODEL);
    assert_string_equal(ali3_model_problem(m)->field, wrong[i].field);
  }
  /* The length of a step is known at the freeze. */
  const ali3_sensor_spec late = {.name = "late", .type = ALI3_SENSOR_ENCODER, .delay = 50.0};
  toy_added(m, ali3_model_add_sensor(m, &late));
  ali3_options options = ali3_options_default();
  options.dt = 0.01;
  assert_int_equal(ali3_model_freeze(m, &options), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "delay");
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motion_is_that_of_its_differences),
      cmocka_unit_test(a_point_a_sensor_and_a_body_agree),
      cmocka_unit_test(orientations_are_composed),
      cmocka_unit_test(at_rest_an_imu_feels_what_holds_it),
      cmocka_unit_test(in_free_fall_an_imu_feels_nothing),
      cmocka_unit_test(on_a_wheel_an_imu_feels_the_centripetal_acceleration),
      cmocka_unit_test(sensors_of_one_value_agree_with_their_elements),
      cmocka_unit_test(an_angle_is_the_turn_about_its_axis),
      cmocka_unit_test(a_state_has_the_memory_of_the_chains),
      cmocka_unit_test(an_encoder_counts_increments_of_many_turns),
      cmocka_unit_test(wrong_sensors_are_refused_with_their_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
