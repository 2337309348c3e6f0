/* SPDX-License-Identifier: MIT
 * The start of bodies without mass or inertia: bodies that nothing holds are reported, and velocities come from the balance of
 * forces. */
#include "common/points.h"

/* The reset fails, and reports the body and the direction. Frees m. */
static void is_free(ali3_model *m, const char *body, const double along[3], const double about[3],
                    const char *text)
{
  char said[400];
  double dot = 0.0, off = 0.0;
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_E_SINGULAR);
  const ali3_report *r = ali3_data_report(d);
  ali3_report_text(m, d, said, sizeof said);
  assert_int_equal(r->status, ALI3_E_SINGULAR);
  assert_int_equal(r->worst_body, ali3_model_find_body(m, body));
  for (int i = 0; i < 3; i++) dot += r->free_direction[i] * along[i] + r->free_direction[3 + i] * about[i];
  for (int i = 0; i < 3; i++) { /* the sign is free */
    larger(&off, r->free_direction[i] - copysign(along[i], along[i] * dot));
    larger(&off, r->free_direction[3 + i] - copysign(about[i], about[i] * dot));
  }
  if (!strstr(said, body) || !strstr(said, text) || !(off < 1e-6))
    fail_msg("expected \"%s\" and \"%s\", off by %g: %s", body, text, off, said);
  done(m, d);
}

TEST(a_point_that_nothing_holds_is_named)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec s = toy_body("dust", none, 1.0, 0.0);
  toy_added(m, ali3_model_add_body(m, &s)); /* mass without inertia, and without joints */
  is_free(m, "dust", none, (const double[]){1, 0, 0}, "about (1, 0, 0), where it has no inertia");
  m = ali3_model_new();
  point(m, "carriage", 0.0, 0, 0, 0, 0);
  slide(m, "S", ALI3_GROUND, 0, 1); /* without a spring */
  is_free(m, "carriage", (const double[]){0, 1, 0}, none, "along (0, 1, 0), where it has no mass");
}

/* Both ends of the coupler may turn, so nothing holds it about the line between them. */
TEST(a_rod_that_may_spin_is_named_with_its_axis)
{
  const double span[3] = {2, 0.6, -0.3}, size = sqrt(4 + 0.36 + 0.09);
  ali3_model *m = ali3_model_new();
  ali3_body_spec a = toy_body("A", none, 1.0, 1.0), b = toy_body("B", span, 1.0, 1.0),
                 rod = toy_body("rod", none, 0.0, 0.0);
  memcpy(rod.orientation, ASKEW, sizeof ASKEW);
  toy_added(m, ali3_model_add_body(m, &a));
  toy_added(m, ali3_model_add_body(m, &b));
  toy_added(m, ali3_model_add_body(m, &rod));
  double end[3];
  to_point(span, end);
  toy_spherical(m, "S1", 0, none, 2, none);
  toy_spherical(m, "S2", 2, end, 1, none);
  is_free(m, "rod", none, (const double[]){span[0] / size, span[1] / size, span[2] / size},
          "where it has no inertia");
}

/* A rod with mass, and with inertia about two axes, on a ball joint at its end. */
TEST(a_rod_without_axial_inertia_on_a_ball_is_named)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec s = toy_body("rod", none, 1.0, 0.2);
  s.inertia[0] = 0.0;
  s.orientation[0] = s.orientation[1] = s.orientation[3] = 0.5; /* its x is the world's y */
  s.orientation[2] = 0.5;
  toy_added(m, ali3_model_add_body(m, &s));
  toy_spherical(m, "ball", ALI3_GROUND, none, 0, (const double[]){-0.5, 0, 0});
  is_free(m, "rod", none, (const double[]){0, 1, 0}, "about (0, 1, 0), where it has no inertia");
}

TEST(the_reset_corrects_the_velocity_of_a_massless_body)
{
  for (int right = 0; right < 2; right++) {
    ali3_model *m = ali3_model_new();
    ali3_body_state x;
    point(m, "M", 0.0, 0.1, 0, right ? -5.0 : 7.0, 0);
    spring(m, slide(m, "S", ALI3_GROUND, 0, 0), 100, 2);
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, right ? ALI3_OK : ALI3_MOVED);
    if (!right) assert_true(fabs(ali3_data_initial(d)->moved_velocity - 12.0) < 1e-5);
    assert_true(ali3_data_initial(d)->moved_position == 0.0);
    ali3_body_get(m, d, 0, &x);
    assert_true(fabs(x.velocity[0] + 5.0) < 1e-5);
    done(m, d);
  }
}

/* Undamped springs in series with the massless M between them: M is at x with speed v, the body behind it is at 0 with speed
 * 1. */
static ali3_data *series(ali3_model **model, double x, double v, int status)
{
  ali3_model *m = *model = ali3_model_new();
  point(m, "M", 0.0, x, 0, v, 0);
  point(m, "B", 1.0, 0, 0, 1.0, 0);
  spring(m, slide(m, "S1", ALI3_GROUND, 0, 0), 300, 0);
  spring(m, slide(m, "S2", 0, 1, 0), 100, 0);
  toy_freeze(m, 0.01);
  return toy_start(m, status);
}

/* Without a damper the balance of forces gives the position of a massless body, and no speed. The speed follows from its
 * neighbours. */
TEST(a_body_between_springs_moves_with_its_neighbours)
{
  ali3_model *m;
  ali3_body_state x;
  ali3_data *d = series(&m, 0.0, 0.0, ALI3_MOVED);
  ali3_body_get(m, d, 0, &x);
  assert_true(fabs(x.velocity[0] - 0.25) < 1e-9); /* by the lever of the two springs */
  for (int i = 0; i < 300; i++) {
    ali3_body_state b;
    run_well(m, d, 1);
    ali3_body_get(m, d, 0, &x);
    ali3_body_get(m, d, 1, &b);
    assert_true(fabs(x.position[0] - 0.25 * b.position[0]) < 1e-9);
    assert_true(fabs(x.velocity[0] - 0.25 * b.velocity[0]) < 1e-7);
  }
  done(m, d);
}

/* From another start it is in balance after one step, and its speed does not alternate forever. */
TEST(a_body_out_of_balance_is_in_balance_after_a_step)
{
  for (double off = 1e-4; off < 1.0; off *= 10) {
    ali3_model *m;
    ali3_body_state x, b;
    ali3_data *d = series(&m, off, 0.0, ALI3_MOVED);
    assert_true(ali3_data_initial(d)->moved_velocity < 0.25 + 1.01 * off / 0.005); /* half a step */
    for (int i = 0; i < 100; i++) {
      run_well(m, d, 1);
      ali3_body_get(m, d, 0, &x);
      ali3_body_get(m, d, 1, &b);
      if (!(fabs(x.position[0] - 0.25 * b.position[0]) < 1e-8 &&
            fabs(x.velocity[0] - 0.25 * b.velocity[0]) < 0.25))
        fail_msg("%g m off, step %d: at %g of %g m, %g of %g m/s", off, i + 1, x.position[0], b.position[0],
                 x.velocity[0], b.velocity[0]);
    }
    done(m, d);
  }
}

/* A body with a small mass and no inertia keeps the velocity of its mass. A massless body with a wrong velocity pulls at no
 * other body. */
TEST(velocities_that_have_mass_are_kept)
{
  ali3_model *m = ali3_model_new();
  ali3_body_state x;
  point(m, "P", 1e-6, 0.1, 0, 0.3, 0);
  spring(m, slide(m, "S", ALI3_GROUND, 0, 0), 100, 2);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_get(m, d, 0, &x);
  assert_true(fabs(x.velocity[0] - 0.3) < 1e-12);
  done(m, d);

  m = ali3_model_new();
  point(m, "M", 0.0, 0, 0, 100, 0);
  point(m, "B", 1.0, 0, 0.2, 0.5, 0);
  spring(m, slide(m, "S", ALI3_GROUND, 0, 0), 100, 2);
  slide(m, "T", 0, 1, 1); /* rigid along x: M moves like B */
  toy_freeze(m, 0.01);
  d = toy_start(m, ALI3_MOVED);
  for (int i = 0; i < 2; i++) {
    ali3_body_get(m, d, i, &x);
    assert_true(fabs(x.velocity[0] - 0.5) < 1e-6);
  }
  done(m, d);
}

/* Both bodies fall freely: B on a slide, and M, which has no mass, on B. A spring or damper holds M at B, with and without a drive
 * beside it. */
TEST(a_body_that_a_spring_holds_at_a_falling_one_falls)
{
  for (int driven = 0; driven < 2; driven++)
    for (double size = 1.0; size < 1e9; size *= 100.0)
      for (int damped = 0; damped < 2; damped++) {
        ali3_model *m = falling();
        ali3_body_state x;
        ali3_body_spec heavy = toy_body("B", none, 1.0, 1.0);
        memcpy(heavy.orientation, ASKEW, sizeof ASKEW);
        toy_added(m, ali3_model_add_body(m, &heavy));
        point(m, "M", 0.0, 0, 0, 0, 0);
        slide(m, "S", ALI3_GROUND, 0, 1);
        const int joint = slide(m, "T", 0, 1, 1);
        spring(m, joint, damped ? 0.0 : size, damped ? size : 0.0);
        if (driven)
          toy_added(m, ali3_model_add_force(
                           m, &(ali3_force_spec){.name = "hold", .type = ALI3_FORCE_DRIVE, .joint = joint}));
        toy_freeze(m, 0.01);
        ali3_data *d = toy_start(m, ALI3_OK);
        for (int i = 0; i < 2; i++) {
          ali3_body_get(m, d, i, &x);
          if (!(fabs(x.acceleration[1] + 9.81) < 1e-6))
            fail_msg("%s %g%s: body %d starts with %.9g m/s^2", damped ? "damper" : "spring", size,
                     driven ? " and drive" : "", i, x.acceleration[1]);
        }
        run_well(m, d, 100);
        for (int i = 0; i < 2; i++) {
          ali3_body_get(m, d, i, &x);
          if (!(fabs(x.position[1] + 0.5 * 9.81) < 1e-9))
            fail_msg("%s %g%s: body %d has fallen by %.12g m", damped ? "damper" : "spring", size,
                     driven ? " and drive" : "", i, x.position[1]);
        }
        done(m, d);
      }
}

/* A massless carriage on a spring carries a mass. The spring accelerates both, and resists nothing else. */
TEST(a_spring_at_a_carriage_accelerates_its_load)
{
  for (double stiffness = 1.0; stiffness < 1e6; stiffness *= 10.0) {
    ali3_model *m = falling();
    ali3_body_state x;
    ali3_body_spec load = toy_body("load", (const double[]){0, 0.1, 0}, 2.0, 1.0);
    memcpy(load.orientation, ASKEW, sizeof ASKEW);
    point(m, "carriage", 0.0, 0, 0.1, 0, 0);
    toy_added(m, ali3_model_add_body(m, &load));
    spring(m, slide(m, "S", ALI3_GROUND, 0, 1), stiffness, 0.0);
    const int joint = slide(m, "T", 0, 1, 1);
    toy_added(m, ali3_model_add_force(
                     m, &(ali3_force_spec){.name = "hold", .type = ALI3_FORCE_DRIVE, .joint = joint}));
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    const double expected = -9.81 - 0.1 * stiffness / 2.0;
    for (int i = 0; i < 2; i++) {
      ali3_body_get(m, d, i, &x);
      if (!(fabs(x.acceleration[1] - expected) < 1e-8 * fabs(expected)))
        fail_msg("%g N/m: body %d starts with %.12g of %.12g m/s^2", stiffness, i, x.acceleration[1],
                 expected);
    }
    done(m, d);
  }
}

/* A pendulum whose bob is a point: a drive holds its hinge at the light rod, and friction of the hinge must not act. */
TEST(a_driven_point_with_friction_swings_as_one_body)
{
  for (double damping = 1.0; damping < 1e5; damping *= 10.0) {
    ali3_model *m = falling();
    ali3_body_state x;
    ali3_body_spec rod = toy_body("rod", none, 0.5, 1e-5),
                   bob = toy_body("bob", (const double[]){0.2, 0, 0}, 2.0, 0.0);
    toy_added(m, ali3_model_add_body(m, &rod));
    toy_added(m, ali3_model_add_body(m, &bob));
    const double z[3] = {0, 0, 1}, end[3] = {0.2, 0, 0};
    ali3_joint_spec pin = {.name = "pin", .type = ALI3_JOINT_REVOLUTE, .body_a = ALI3_GROUND, .body_b = 0},
                    hinge = {.name = "hinge", .type = ALI3_JOINT_REVOLUTE, .body_a = 0, .body_b = 1};
    for (ali3_joint_spec *j = &pin; j; j = j == &pin ? &hinge : NULL) {
      memcpy(j->axis_a, z, sizeof z);
      memcpy(j->axis_b, z, sizeof z);
    }
    memcpy(hinge.point_a, end, sizeof end);
    toy_added(m, ali3_model_add_joint(m, &pin));
    const int joint = toy_added(m, ali3_model_add_joint(m, &hinge));
    toy_added(m, ali3_model_add_force(
                     m, &(ali3_force_spec){.name = "hold", .type = ALI3_FORCE_DRIVE, .joint = joint}));
    toy_added(m, ali3_model_add_force(m, &(ali3_force_spec){.name = "rub",
                                                            .type = ALI3_FORCE_FRICTION,
                                                            .joint = joint,
                                                            .damping = {damping},
                                                            .slip = 1e-3}));
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    const double turn = -9.81 * 2.0 * 0.2 / (2.0 * 0.04 + 1e-5);
    for (int i = 0; i < 2; i++) {
      ali3_body_get(m, d, i, &x);
      if (!(fabs(x.angular_acceleration[2] - turn) < 1e-5))
        fail_msg("damping %g: body %d starts with %.9g of %.9g rad/s^2", damping, i,
                 x.angular_acceleration[2], turn);
    }
    run_well(m, d, 100);
    done(m, d);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_that_nothing_holds_is_named),
      cmocka_unit_test(a_rod_that_may_spin_is_named_with_its_axis),
      cmocka_unit_test(a_rod_without_axial_inertia_on_a_ball_is_named),
      cmocka_unit_test(the_reset_corrects_the_velocity_of_a_massless_body),
      cmocka_unit_test(a_body_between_springs_moves_with_its_neighbours),
      cmocka_unit_test(a_body_out_of_balance_is_in_balance_after_a_step),
      cmocka_unit_test(velocities_that_have_mass_are_kept),
      cmocka_unit_test(a_body_that_a_spring_holds_at_a_falling_one_falls),
      cmocka_unit_test(a_driven_point_with_friction_swings_as_one_body),
      cmocka_unit_test(a_spring_at_a_carriage_accelerates_its_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
