/* SPDX-License-Identifier: MIT
 * Stops and cables in motion, which act on one side only, compared with closed-form solutions. No step may add energy. */
#include "stepper/corners.h"

#include <string.h>

/* A pendulum of 1 m about z that hangs along -y, at the angle `angle` with the rate `rate`; joint 0. */
static void pendulum(ali3_model *m, double angle, double rate)
{
  ali3_body_spec bob = BALL;
  ali3_joint_spec hinge = {.name = "hinge",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .point_b = {0, 1, 0},
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
  bob.position[0] = sin(angle);
  bob.position[1] = -cos(angle);
  bob.orientation[0] = cos(0.5 * angle);
  bob.orientation[3] = sin(0.5 * angle);
  bob.velocity[0] = rate * cos(angle);
  bob.velocity[1] = rate * sin(angle);
  bob.angular_velocity[2] = rate;
  toy_added(m, ali3_model_add_body(m, &bob));
  toy_added(m, ali3_model_add_joint(m, &hinge));
}

static ali3_force_spec stop_at(double upper, double stiffness, double damping)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_STOP);
  s.name = "stop";
  s.upper = upper;
  s.stiffness[0] = stiffness;
  s.damping[0] = damping;
  return s;
}

TEST(a_pendulum_bounces_off_a_stop_without_gain)
{
  for (int k = 2; k <= 10; k += 2) {
    ali3_model *m = model(g);
    double most = 0, above = 0, below = 0;
    pendulum(m, 0, 2);
    ali3_force_spec stop = stop_at(0.2, pow(10, k), 0);
    toy_added(m, ali3_model_add_force(m, &stop));
    ali3_data *d = start(m, 1e-3);
    double before = energy(m, d);
    for (int i = 0; i < 5000; i++) {
      toy_run(m, d, 1);
      above = fmax(above, energy(m, d) - before);
      below = fmax(below, before - energy(m, d));
      most = fmax(most, force(m, d, 0).position);
    }
    double deepest = sqrt(2 * 4.0 / pow(10, k)); /* J: all of its 4 J */
    print_message("1e%d N m/rad: %.1e rad beyond, %.1e J above, %.1e J below the start\n", k, most - 0.2,
                  above, below);
    assert_true(most > 0.2 && most - 0.2 < deepest + 2e-3); /* distance of one step */
    assert_true(above < 1e-5);                              /* drift of the pendulum itself */
    end(m, d);
  }
}

TEST(a_pendulum_comes_to_rest_against_a_stop)
{
  for (int k = 2; k <= 8; k += 2) {
    ali3_model *m = model(g);
    double stiffness = pow(10, k);
    pendulum(m, 0.7, 0);
    ali3_force_spec stop = stop_at(INFINITY, stiffness, sqrt(stiffness));
    stop.lower = -0.2; /* 0.5 from the hanging pendulum: the angle is measured from the start */
    toy_added(m, ali3_model_add_force(m, &stop));
    ali3_data *d = start(m, 1e-3);
    toy_run(m, d, 15000);
    ali3_force_state f = force(m, d, 0);
    double torque = BALL.mass * g * sin(0.7 + f.position);
    print_message("1e%d N m/rad: rests at %.6f rad, %.9f N m of %.9f\n", k, f.position, f.value, -torque);
    assert_true(fabs(f.value + torque) < 1e-6 * torque);
    assert_true(fabs(f.value - stiffness * (f.position + 0.2)) < 1e-4 * torque);
    assert_true(fabs(f.rate) < 1e-9);
    end(m, d);
  }
}

static ali3_force_spec cable(double stiffness, double rest)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_CABLE);
  s.name = "cable";
  s.body_b = 0;
  s.stiffness[0] = stiffness;
  s.rest = rest;
  return s;
}

struct swing {
  double amplitude; /* rad, of the last swing */
  double above;     /* J, the most that the energy was above the start */
  double apart;     /* m, largest distance from the ball on a rod: the cable stretches */
};

/* A ball released at 0.5 rad on a cable, stretched by its static weight so that it does not bounce, and one on a rod of that
 * length. */
static struct swing swing_of(double seconds, double stiffness, double dt)
{
  struct swing o = {0};
  ali3_model *m = model(g);
  ali3_body_spec ball = BALL, other = BALL;
  double length = 1 + BALL.mass * g * cos(0.5) / stiffness;
  ball.position[0] = length * sin(0.5);
  ball.position[1] = -length * cos(0.5);
  other.name = "other";
  memcpy(other.position, ball.position, sizeof ball.position);
  toy_added(m, ali3_model_add_body(m, &ball));
  toy_added(m, ali3_model_add_body(m, &other));
  ali3_joint_spec rod = {.name = "rod", .type = ALI3_JOINT_DISTANCE, .body_a = ALI3_GROUND, .body_b = 1};
  toy_added(m, ali3_model_add_joint(m, &rod));
  ali3_force_spec f = cable(stiffness, 1);
  toy_added(m, ali3_model_add_force(m, &f));
  ali3_data *d = start(m, dt);
  double before = energy(m, d);
  for (int i = 1; i <= (int)lround((seconds + 2.1) / dt); i++) {
    toy_run(m, d, 1);
    ali3_body_state x = body(m, d, 0), y = body(m, d, 1);
    if (i * dt > seconds) o.amplitude = fmax(o.amplitude, fabs(atan2(x.position[0], -x.position[1])));
    o.above = fmax(o.above, energy(m, d) - before);
    o.apart = fmax(o.apart, hypot(x.position[0] - y.position[0], x.position[1] - y.position[1]));
  }
  end(m, d);
  return o;
}

TEST(a_ball_on_a_cable_swings_like_one_on_a_rod)
{
  for (int i = 0; i < 2; i++)
    for (int k = 3; k <= 9; k++) {
      double dt = i ? 1e-2 : 1e-3;
      struct swing o = swing_of(20, pow(10, k), dt);
      print_message("1e%d N/m at %g ms: after 20 s %.1e rad off 0.5, %.1e m from the rod, %.1e J above\n", k,
                    1e3 * dt, o.amplitude - 0.5, o.apart, o.above);
      /* steps miss the turning point: 1/2 g (dt/2)^2 sin 0.5 */
      assert_true(fabs(o.amplitude - 0.5) < 1e-5 + dt * dt);
      if (k >= 6) assert_true(o.apart < 200 / pow(10, k) + 10 * dt * dt);
      assert_true(o.above < 1e-4);
    }
}

TEST(a_slack_cable_lets_its_load_fall)
{
  ali3_model *m = model(g);
  toy_added(m, ali3_model_add_body(m, &BALL));
  ali3_force_spec f = cable(1e4, 1);
  f.point_a[1] = 0.5;
  toy_added(m, ali3_model_add_force(m, &f));
  ali3_data *d = start(m, 1e-3);
  double most = 0;
  for (int i = 1; i <= 2000; i++) {
    double t = i * 1e-3;
    toy_run(m, d, 1);
    ali3_force_state s = force(m, d, 0);
    ali3_body_state x = body(m, d, 0);
    if (0.5 * g * t * t < 0.499) {
      assert_true(fabs(x.position[1] + 0.5 * g * t * t) < 1e-12);
      assert_true(s.value == 0 && s.force[1] == 0);
    }
    assert_true(s.value >= 0 && s.force[1] >= 0); /* pulls, never pushes */
    most = fmax(most, s.value);
  }
  assert_true(most > 10 * BALL.mass * g); /* the cable does catch the ball */
  end(m, d);
}

/* Largest error of the angle over 4 s of bouncing off a soft or a hard stop, relative to a fine solution. */
static double bounce_error(double stiffness, const ali3_options *o)
{
  ali3_options fine = ali3_options_default();
  fine.dt = 1e-4;
  double largest = 0.0;
  ali3_model *m[2];
  ali3_data *d[2];
  for (int i = 0; i < 2; i++) {
    ali3_force_spec stop = stop_at(0.2, stiffness, 0);
    m[i] = model(g);
    pendulum(m[i], 0, 1);
    toy_added(m[i], ali3_model_add_force(m[i], &stop));
    toy_freeze_with(m[i], i ? &fine : o);
    d[i] = toy_start(m[i], ALI3_OK);
  }
  for (int k = 1; k <= 400; k++) {
    ali3_joint_state a, b;
    toy_run(m[0], d[0], 1);
    toy_run(m[1], d[1], 100);
    ali3_joint_get(m[0], d[0], 0, &a);
    ali3_joint_get(m[1], d[1], 0, &b);
    largest = fmax(largest, fabs(a.position - b.position));
  }
  for (int i = 0; i < 2; i++) end(m[i], d[i]);
  return largest;
}

TEST(extrapolation_bounces_no_worse_than_plain_steps)
{
  for (int k = 1; k <= 7; k++) {
    ali3_options plain = ali3_options_default(), better = plain;
    better.extrapolate = true;
    const double stiffness = pow(10, k), a = bounce_error(stiffness, &plain),
                 b = bounce_error(stiffness, &better);
    print_message("1e%d N m/rad: plain %.1e rad off, extrapolated %.1e\n", k, a, b);
    assert_true(b <= a);
  }
}

/* A force of 5 N pushes a slider of 1 kg at 1 m/s with 3 N of friction into a stop. Returns its position after 1 s. */
static double slide_into_stop(double stiffness, int iterations, int *degraded)
{
  ali3_options o = ali3_options_default();
  o.iterations = iterations;
  ali3_model *m = ali3_model_new();
  ali3_body_spec body = BALL;
  ali3_joint_spec slide = {.name = "slide",
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .axis_a = {1, 0, 0},
                           .axis_b = {1, 0, 0}};
  ali3_load_spec push = {.type = ALI3_LOAD_FORCE, .vector = {5, 0, 0}};
  ali3_force_spec stop = stop_at(0.1, stiffness, 10), rub = ali3_force_spec_default(ALI3_FORCE_FRICTION);
  body.mass = 1.0;
  body.velocity[0] = 1.0;
  rub.name = "rub";
  rub.friction = 3.0;
  toy_added(m, ali3_model_add_body(m, &body));
  toy_added(m, ali3_model_add_joint(m, &slide));
  toy_added(m, ali3_model_add_load(m, &push));
  toy_added(m, ali3_model_add_force(m, &rub));
  toy_added(m, ali3_model_add_force(m, &stop));
  assert_int_equal(ali3_model_freeze(m, &o), ALI3_OK);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  for (int i = 0; i < 100; i++) {
    const int status = ali3_step(m, d);
    assert_true(status >= 0);
    *degraded += status > 0;
  }
  const double position = force(m, d, 0).position;
  end(m, d);
  return position;
}

TEST(three_iterations_bring_a_slider_that_rubs_to_rest_at_a_stop)
{
  for (int k = 3; k <= 7; k++) {
    int few = 0, many = 0;
    const double stiffness = pow(10, k), a = slide_into_stop(stiffness, 3, &few),
                 b = slide_into_stop(stiffness, 20, &many);
    print_message("1e%d N/m: %d steps degraded, %.1e m from 20 iterations\n", k, few, a - b);
    assert_true(few <= 2); /* slow ones before it comes to rest, with last increments of 1e-6 m */
    assert_int_equal(many, 0);
    assert_near(a, b, 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_bounces_off_a_stop_without_gain),
      cmocka_unit_test(a_pendulum_comes_to_rest_against_a_stop),
      cmocka_unit_test(a_ball_on_a_cable_swings_like_one_on_a_rod),
      cmocka_unit_test(a_slack_cable_lets_its_load_fall),
      cmocka_unit_test(extrapolation_bounces_no_worse_than_plain_steps),
      cmocka_unit_test(three_iterations_bring_a_slider_that_rubs_to_rest_at_a_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
