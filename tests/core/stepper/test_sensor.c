/* SPDX-License-Identifier: MIT
 * Sensors compared with mechanics, and with differences of the motion that they measure. */
#include "check.h"
#include "common/toys.h"
#include "math/euler.h"

#include <stdio.h>
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

/* On a wheel about the vertical at 5 rad/s, 0.8 m from the axle, x outwards: w^2 r inwards, and weight. */
TEST(on_a_wheel_an_imu_feels_the_centripetal_acceleration)
{
  ali3_model *m = weighed();
  ali3_body_spec wheel = toy_body("wheel", (const double[]){0, 0, 0}, 1.0, 1.0);
  wheel.angular_velocity[2] = 5.0;
  toy_added(m, ali3_model_add_body(m, &wheel));
  ali3_joint_spec axle = {.name = "axle",
                          .type = ALI3_JOINT_REVOLUTE,
                          .body_a = ALI3_GROUND,
                          .axis_a = {0, 0, 1},
                          .axis_b = {0, 0, 1}};
  toy_added(m, ali3_model_add_joint(m, &axle));
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motion_is_that_of_its_differences),
      cmocka_unit_test(a_point_a_sensor_and_a_body_agree),
      cmocka_unit_test(orientations_are_composed),
      cmocka_unit_test(at_rest_an_imu_feels_what_holds_it),
      cmocka_unit_test(in_free_fall_an_imu_feels_nothing),
      cmocka_unit_test(on_a_wheel_an_imu_feels_the_centripetal_acceleration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
