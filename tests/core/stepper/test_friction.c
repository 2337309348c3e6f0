/* SPDX-License-Identifier: MIT
 * Friction in motion, on the coordinate of a joint and in contacts, compared with closed-form solutions. No step may let a
 * held body creep to and fro. */
#include "stepper/corners.h"

#include <stdio.h>

/* A pushed ball that rests on the plane: error of its velocity once it rolls. The angular momentum about the point of
 * contact is constant: m r v + I w. */
static double rolling_error(double v0, double w0, double dt)
{
  const double mu = 0.3, inertia = BALL.inertia[0], mass = BALL.mass, k = 1e5;
  ali3_model *m = model(g);
  ali3_body_spec ball = BALL;
  ali3_force_spec contact = plane_contact(k, mu);
  contact.slip = 1e-4;
  ball.position[1] = RADIUS - mass * g / k;
  ball.velocity[0] = v0;
  ball.angular_velocity[2] = -w0; /* forward along x */
  toy_added(m, ali3_model_add_body(m, &ball));
  toy_added(m, ali3_model_add_force(m, &contact));
  ali3_data *d = start(m, dt);
  double v = (mass * RADIUS * v0 + inertia * w0) / (mass * RADIUS + inertia / RADIUS);
  double rolls = fabs(v0 - v) / (mu * g); /* rolls from this time on */
  double sign = v0 > v ? -1 : 1, half = floor(0.5 * rolls / dt) * dt;
  toy_run(m, d, (int)lround(half / dt));
  double error = body(m, d, 0).velocity[0] - (v0 + sign * mu * g * half);
  assert_true(fabs(error) < 1e-4);
  toy_run(m, d, (int)lround((rolls - half) / dt) + 50);
  ali3_body_state x = body(m, d, 0);
  assert_true(fabs(-x.angular_velocity[2] * RADIUS - x.velocity[0]) < 1e-9);
  assert_true(fabs(x.position[1] - ball.position[1]) < 1e-12);
  assert_true(fabs(force(m, d, 0).value - mass * g) < 1e-9);
  end(m, d);
  return fabs(x.velocity[0] - v);
}

/* The ball turns by exactly what its rate says, so friction and inertia alone determine the rate at which it ends rolling. */
TEST(a_sliding_ball_ends_rolling)
{
  const double v0[] = {2, 0, 1}, w0[] = {0, 20, -30};
  for (int i = 0; i < 3; i++) {
    double coarse = rolling_error(v0[i], w0[i], 1e-3), fine = rolling_error(v0[i], w0[i], 5e-4);
    print_message("%g m/s, %g rad/s: %.1e m/s off at 1 ms, %.1e at 0.5 ms\n", v0[i], w0[i], coarse, fine);
    assert_true(coarse < 1e-9 && fine < 1e-9);
  }
}

/* A body on a slide along `axis`, with friction on its coordinate. */
static ali3_data *slider(ali3_model *m, const double axis[3], double v0, double friction, double slip,
                         double dt, double gamma)
{
  ali3_body_spec block = BALL;
  ali3_joint_spec slide = {.name = "slide", .type = ALI3_JOINT_PRISMATIC, .body_a = ALI3_GROUND};
  ali3_force_spec f = ali3_force_spec_default(ALI3_FORCE_FRICTION);
  for (int i = 0; i < 3; i++) {
    slide.axis_a[i] = axis[i];
    block.velocity[i] = v0 * axis[i];
  }
  f.name = "friction";
  f.friction = friction;
  f.slip = slip;
  toy_added(m, ali3_model_add_body(m, &block));
  toy_added(m, ali3_model_add_joint(m, &slide));
  toy_added(m, ali3_model_add_force(m, &f));
  return start_with(m, dt, gamma);
}

TEST(friction_stops_a_slider_in_time)
{
  const double v0 = 1.5, F = 6, a = F / BALL.mass, stops = v0 / a;
  for (int i = 0; i < 2; i++) {
    double dt = i ? 1e-2 : 1e-3;
    ali3_model *m = model(g);
    ali3_data *d = slider(m, (const double[]){1, 0, 0}, v0, F, 1e-4, dt, 0.5);
    double worst = 0;
    for (int k = 1; k * dt < 1; k++) {
      toy_run(m, d, 1);
      double t = fmin(k * dt, stops);
      worst = fmax(worst, fabs(body(m, d, 0).position[0] - (v0 - 0.5 * a * t) * t));
    }
    ali3_body_state x = body(m, d, 0);
    print_message("%g ms: %.1e m off on the way, rests at %.1e m/s\n", 1e3 * dt, worst, x.velocity[0]);
    assert_true(worst < 1e-5 + 0.5 * a * dt * dt);
    assert_true(fabs(x.velocity[0]) < 1e-12 && fabs(x.acceleration[0]) < 1e-9);
    end(m, d);
  }
}

/* The smaller root of F v/sqrt(v^2 + slip^2) = w. */
static double creep(double w, double F, double slip)
{
  return slip * w / sqrt(F * F - w * w);
}

/* A body that friction holds on a slope creeps at the one velocity that balances the weight, and not to and fro. */
TEST(a_block_held_on_a_slope_creeps_and_does_not_shake)
{
  const double slope = 0.3, F = 12, slip = 1e-3, w = BALL.mass * g * sin(slope);
  const double axis[3] = {-cos(slope), -sin(slope), 0}, v = creep(w, F, slip);
  for (int i = 0; i < 6; i++) {
    double dt = (const double[]){1e-4, 1e-3, 1e-2}[i % 3], gamma = i < 3 ? 0.5 : 0.7, shake = 0, fastest = 0;
    ali3_model *m = model(g);
    ali3_data *d = slider(m, axis, 0, F, slip, dt, gamma);
    for (int k = 0; k < 300; k++) {
      toy_run(m, d, 1);
      ali3_body_state x = body(m, d, 0);
      double a = axis[0] * x.acceleration[0] + axis[1] * x.acceleration[1];
      fastest = fmax(fastest, axis[0] * x.velocity[0] + axis[1] * x.velocity[1]);
      /* rises to the creeping velocity without overshoot; at 10 ms three iterations exceed it in the first steps */
      if (dt < 5e-3 || k > 20) assert_true(a > -1e-9);
      if (k > 200) shake = fmax(shake, a);
    }
    ali3_force_state f = force(m, d, 0);
    print_message("%g ms: creeps at %.9f mm/s of %.9f, accelerations up to %.1e\n", 1e3 * dt, 1e3 * f.rate,
                  1e3 * v, shake);
    if (dt < 5e-3) assert_true(fastest < v * (1 + 1e-9));
    assert_true(fastest < 4 * v);
    assert_true(fabs(f.rate - v) < 1e-9 * v && shake < 1e-9);
    assert_true(fabs(f.value - w) < 1e-9);
    end(m, d);
  }
}

/* A sled on three round legs, with friction from the normal forces of the solution. */
TEST(a_sled_on_three_legs_holds_on_a_slope)
{
  const double slope = 0.3, mu = 0.5, slip = 1e-3;
  const double leg[3][2] = {{0.3, 0.2}, {0.3, -0.2}, {-0.4, 0}};
  const double v = creep(sin(slope), mu * cos(slope), slip);
  for (int i = 0; i < 6; i++) {
    double k = (const double[]){1e4, 1e6, 1e9}[i % 3], dt = i < 3 ? 1e-3 : 1e-2, down[3], shake = 0;
    ali3_model *m = model(0);
    /* inclined gravity instead of an inclined plane */
    const double gravity[3] = {g * sin(slope), -g * cos(slope), 0};
    toy_added(m, ali3_model_set_gravity(m, gravity));
    ali3_body_spec sled = BALL;
    sled.position[1] = 0.15;
    for (int l = 0; l < 3; l++) sled.inertia[4 * l] = 0.1;
    toy_added(m, ali3_model_add_body(m, &sled));
    for (int l = 0; l < 3; l++) {
      ali3_force_spec contact = plane_contact(k, mu);
      char name[16];
      snprintf(name, sizeof name, "leg %d", l);
      name[3] = '_';
      contact.name = name;
      contact.damping[0] = 2 * sqrt(k);
      contact.slip = slip;
      contact.point_b[0] = leg[l][0];
      contact.point_b[1] = -0.05;
      contact.point_b[2] = leg[l][1];
      toy_added(m, ali3_model_add_force(m, &contact));
    }
    ali3_data *d = start(m, dt);
    toy_run(m, d, (int)lround(2 / dt));
    ali3_body_state from = body(m, d, 0), x;
    for (int step = 0; step < (int)lround(1 / dt); step++) {
      toy_run(m, d, 1);
      x = body(m, d, 0);
      for (int c = 0; c < 3; c++) shake = fmax(shake, fabs(x.acceleration[c]));
    }
    double normal = 0, along = 0;
    for (int l = 0; l < 3; l++) {
      normal += force(m, d, l).value;
      along += force(m, d, l).force[0];
    }
    for (int c = 0; c < 3; c++) down[c] = x.position[c] - from.position[c];
    print_message("%.0e N/m at %g ms: creeps at %.6f mm/s of %.6f, sideways %.1e mm, accelerations %.1e\n", k,
                  1e3 * dt, 1e3 * down[0], 1e3 * v, 1e3 * down[2], shake);
    assert_true(fabs(down[0] - v) < 0.01 * v && fabs(down[2]) < 0.01 * v && shake < 1e-4);
    assert_true(fabs(normal - BALL.mass * g * cos(slope)) < 1e-3);
    assert_true(fabs(along + BALL.mass * g * sin(slope)) < 1e-3);
    end(m, d);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sliding_ball_ends_rolling),
      cmocka_unit_test(friction_stops_a_slider_in_time),
      cmocka_unit_test(a_block_held_on_a_slope_creeps_and_does_not_shake),
      cmocka_unit_test(a_sled_on_three_legs_holds_on_a_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
