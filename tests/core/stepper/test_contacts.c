/* SPDX-License-Identifier: MIT
 * Contacts in motion: balls on a plane and against each other, compared with closed-form solutions. No step may add energy
 * or momentum. */
#include "stepper/corners.h"

struct bounces {
  double above, below; /* J, largest energy above and below that of the start */
  int touched;         /* number of times the ball reached the plane */
};

static struct bounces bounce(double stiffness, double dt, double gamma, double seconds)
{
  struct bounces o = {0};
  ali3_model *m = model(g);
  ali3_body_spec ball = BALL;
  ali3_force_spec contact = plane_contact(stiffness, 0);
  bool was = false;
  ball.position[1] = 0.5;
  toy_added(m, ali3_model_add_body(m, &ball));
  toy_added(m, ali3_model_add_force(m, &contact));
  ali3_data *d = start_with(m, dt, gamma);
  double before = energy(m, d);
  for (int i = 0; i < (int)lround(seconds / dt); i++) {
    toy_run(m, d, 1);
    double e = energy(m, d) - before;
    bool in = force(m, d, 0).position < 0;
    o.above = fmax(o.above, e);
    o.below = fmax(o.below, -e);
    o.touched += in && !was;
    was = in;
  }
  end(m, d);
  return o;
}

TEST(a_contact_adds_no_energy_at_any_stiffness)
{
  const double dt[] = {1e-3, 1e-2};
  for (int i = 0; i < 2; i++)
    for (int k = 2; k <= 10; k++) {
      struct bounces o = bounce(pow(10, k), dt[i], 0.5, 4);
      print_message("1e%d N/m at %g ms: %d times, %.1e J above, %.1e J below the start\n", k, 1e3 * dt[i],
                    o.touched, o.above, o.below);
      assert_true(o.touched > 0);
      assert_true(o.above < 1e-9);
    }
}

TEST(nor_does_one_with_numerical_damping)
{
  for (int k = 2; k <= 10; k++) {
    struct bounces o = bounce(pow(10, k), 1e-3, 0.7, 4);
    print_message("1e%d N/m: %d times, %.1e J above, %.1e J below the start\n", k, o.touched, o.above,
                  o.below);
    assert_true(o.touched > 0);
    assert_true(o.above < 1e-9);
  }
}

TEST(a_ball_comes_back_to_its_height)
{
  struct bounces o = bounce(1e3, 1e-3, 0.5, 12);
  print_message("%d bounces, %.1e J lost\n", o.touched, o.below);
  assert_true(o.touched >= 10);
  assert_true(o.below < 1e-6 && o.above < 1e-9);
}

/* Two balls that collide along x, with the offset `offset`. */
static ali3_data *two_balls(ali3_model *m, double offset, double stiffness, double friction, double dt)
{
  ali3_body_spec a = BALL, b = BALL;
  ali3_force_spec contact = ali3_force_spec_default(ALI3_FORCE_SPHERE_SPHERE);
  a.name = "a";
  b.name = "b";
  a.position[0] = -0.15;
  b.position[0] = 0.15;
  b.position[1] = offset;
  a.velocity[0] = 1;
  if (offset != 0) {
    b.velocity[0] = -0.5;
    b.velocity[2] = 0.2;
    a.angular_velocity[1] = 12;
    b.angular_velocity[2] = -7;
  }
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  contact.name = "contact";
  contact.body_a = 0;
  contact.body_b = 1;
  contact.radius_a = contact.radius_b = RADIUS;
  contact.stiffness[0] = stiffness;
  contact.friction = friction;
  toy_added(m, ali3_model_add_force(m, &contact));
  return start(m, dt);
}

TEST(equal_balls_exchange_their_velocities)
{
  for (int k = 2; k <= 10; k++) {
    ali3_model *m = model(0);
    ali3_data *d = two_balls(m, 0, pow(10, k), 0, 1e-3);
    toy_run(m, d, 700);
    double v[2] = {body(m, d, 0).velocity[0], body(m, d, 1).velocity[0]};
    print_message("1e%d N/m: 1 and 0 m/s become %.12f and %.12f\n", k, v[0], v[1]);
    assert_true(fabs(v[0] + v[1] - 1) < 1e-10); /* q in doubles: 1e-17 m to a step of 1e-3 s, every step */
    if (k <= 6) assert_true(fabs(v[0]) < 1e-10);
    /* stiffer than the step can resolve: they part no faster than they met */
    assert_true(v[0] > -1e-10 && v[1] - v[0] < 1 + 1e-10);
    end(m, d);
  }
}

/* Linear momentum, and angular momentum about the origin. */
static void momentum(const ali3_model *m, const ali3_data *d, double o[6])
{
  for (int i = 0; i < 6; i++) o[i] = 0;
  for (int b = 0; b < 2; b++) {
    ali3_body_state x = body(m, d, b);
    ali3_point_state at;
    const double *r = x.position, *v = x.velocity;
    /* world axes: velocities of points at a distance of one metre */
    double w[3];
    for (int i = 0; i < 3; i++) {
      double e[3] = {i == 0, i == 1, i == 2}, arm[3], turn[3];
      ali3_point_get(m, d, b, e, &at);
      for (int k = 0; k < 3; k++) {
        arm[k] = at.position[k] - r[k];
        turn[k] = at.velocity[k] - v[k];
      }
      for (int k = 0; k < 3; k++) { /* w = sum of e x (w x e) / 2 */
        double c = arm[(k + 1) % 3] * turn[(k + 2) % 3] - arm[(k + 2) % 3] * turn[(k + 1) % 3];
        w[k] = (i ? w[k] : 0) + 0.5 * c;
      }
    }
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      o[k] += BALL.mass * v[k];
      o[3 + k] += BALL.mass * (r[p] * v[q] - r[q] * v[p]) + BALL.inertia[0] * w[k];
    }
  }
}

TEST(a_collision_with_friction_keeps_momentum)
{
  for (int k = 3; k <= 9; k += 2) {
    double linear[2] = {0}, angular[2] = {0};
    for (int fine = 0; fine < 2; fine++) {
      ali3_model *m = model(0);
      double before[6], after[6], most = 0;
      ali3_data *d = two_balls(m, 0.07, pow(10, k), 0.4, fine ? 2.5e-4 : 1e-3);
      momentum(m, d, before);
      for (int i = 0; i < (fine ? 2000 : 500); i++) {
        toy_run(m, d, 1);
        most = fmax(most, force(m, d, 0).value);
      }
      momentum(m, d, after);
      for (int i = 0; i < 3; i++) {
        linear[fine] = fmax(linear[fine], fabs(after[i] - before[i]));
        angular[fine] = fmax(angular[fine], fabs(after[3 + i] - before[3 + i]));
      }
      assert_true(most > 1); /* the balls did collide */
      end(m, d);
    }
    print_message("1e%d N/m: %.1e kg m/s, %.1e kg m^2/s; at 0.25 ms %.1e and %.1e\n", k, linear[0],
                  angular[0], linear[1], angular[1]);
    assert_true(linear[0] < 1e-10 && linear[1] < 1e-9);
    /* the mean over a step that begins or ends a touch uses the lever arms of its end, and is thus of first order */
    assert_true(angular[0] < 1e-3);
    assert_true(angular[1] < angular[0] / (k <= 5 ? 4 : 1.5));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_contact_adds_no_energy_at_any_stiffness),
      cmocka_unit_test(nor_does_one_with_numerical_damping),
      cmocka_unit_test(a_ball_comes_back_to_its_height),
      cmocka_unit_test(equal_balls_exchange_their_velocities),
      cmocka_unit_test(a_collision_with_friction_keeps_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
