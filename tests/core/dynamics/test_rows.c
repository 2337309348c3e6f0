/* SPDX-License-Identifier: MIT
 * Rows of every joint type at random states, off the constraints and off the unit sphere.
 *
 * Along a straight line in q every residual is a polynomial of degree 4 at most. So the five-point formulas below are exact
 * except for rounding, with any step length. */
#include "check.h"
#include "common/states.h"
#include "dynamics/rows.h"
#include "math/euler.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 20, SIDES = 2 * BODY_Y };
static const double STEP = 0.125;

/* A joint of `type` at random points and axes between two bodies, or a body and the ground (side `ground`).
 */
struct scene {
  ali3_model *m;
  struct joint_rows j;
  struct body_state x[2];
  struct body_frame f[2];
  struct joint_view v;
  char what[80];
};

static int random_model_body(ali3_model *m, struct random *random, const char *name)
{
  ali3_body_spec s = {.name = name, .mass = 1.0};
  random_inertia(random, s.inertia);
  random_vector(random, s.position, 3);
  random_unit(random, s.orientation, 4);
  return ali3_model_add_body(m, &s);
}

static void scene_make(struct scene *s, ali3_joint_type type, int ground, int seed, bool unit)
{
  struct random random = {(uint64_t)seed};
  ali3_joint_spec spec = {.name = "J", .type = type};
  snprintf(s->what, sizeof s->what, "%s, ground %d, seed %d", ali3_joint_type_name(type), ground, seed);
  s->m = ali3_model_new();
  assert_non_null(s->m);
  spec.body_a = ground == 0 ? ALI3_GROUND : random_model_body(s->m, &random, "a");
  spec.body_b = ground == 1 ? ALI3_GROUND : random_model_body(s->m, &random, "b");
  random_vector(&random, spec.point_a, 3);
  random_vector(&random, spec.point_b, 3);
  random_unit(&random, spec.axis_a, 3);
  random_unit(&random, spec.axis_b, 3);
  assert_int_equal(ali3_model_add_joint(s->m, &spec), 0);
  assert_int_equal(rows_compile(s->m, 0, &s->j), ALI3_OK);
  for (int side = 0; side < 2; side++) {
    state_random(&random, &s->x[side], &s->f[side], unit ? 1.0 : random_between(&random, 0.9, 1.1));
    if (side == ground) {
      s->x[side] = body_ground;
      s->f[side] = body_ground_frame;
    }
  }
  s->v = (struct joint_view){.x = {&s->x[0], &s->x[1]}, .f = {&s->f[0], &s->f[1]}};
}

#define EACH_SCENE(s, unit)                                                                                  \
  for (int type_ = 0; type_ < ALI3_JOINT_TYPES; type_++)                                                     \
    for (int ground_ = -1; ground_ < 2; ground_++)                                                           \
      for (int seed_ = 1; seed_ <= SEEDS; seed_++)                                                           \
        for (struct scene s, *once_ = (scene_make(&s, type_, ground_, seed_, unit), &s); once_;              \
             ali3_model_free(s.m), once_ = NULL)

/* Phi with both bodies moved along straight lines. */
static void residual_along(const struct scene *s, const struct body_state line[2], double t, double *Phi)
{
  struct body_state x[2] = {state_along(&line[0], t), state_along(&line[1], t)};
  struct body_frame f[2];
  double J[ROWS_MAX * SIDES];
  body_frame_update(&f[0], &x[0]);
  body_frame_update(&f[1], &x[1]);
  struct joint_view v = {.x = {&x[0], &x[1]}, .f = {&f[0], &f[1]}};
  rows_evaluate(&s->j, &v, Phi, J);
}

/* First and second derivative of Phi along the line; exact for a polynomial with any step. */
static void derivatives(const struct scene *s, const struct body_state line[2], double step, double *first,
                        double *second)
{
  enum { POINTS = 5 };
  static const double w1[POINTS] = {1, -8, 0, 8, -1}, w2[POINTS] = {-1, 16, -30, 16, -1};
  double Phi[POINTS][ROWS_MAX];
  for (int p = 0; p < POINTS; p++) residual_along(s, line, (p - 2) * step, Phi[p]);
  for (int i = 0; i < s->j.count; i++) {
    first[i] = second[i] = 0.0;
    for (int p = 0; p < POINTS; p++) {
      first[i] += w1[p] * Phi[p][i] / (12.0 * step);
      second[i] += w2[p] * Phi[p][i] / (12.0 * step * step);
    }
  }
}

/* J against the first derivatives along each body coordinate. */
static void check_jacobian(const struct scene *s, int ground, double step, double tolerance)
{
  double Phi[ROWS_MAX], J[ROWS_MAX * SIDES], first[ROWS_MAX], second[ROWS_MAX];
  rows_evaluate(&s->j, &s->v, Phi, J);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < BODY_Y && side != ground; k++) {
      struct body_state line[2] = {s->x[0], s->x[1]};
      const double none[BODY_Y] = {0};
      double e[BODY_Y] = {0};
      e[k] = 1.0;
      body_set_velocity(&line[side], &s->f[side], e);
      body_set_velocity(&line[1 - side], &s->f[1 - side], none);
      derivatives(s, line, step, first, second);
      for (int i = 0; i < s->j.count; i++)
        assert_near_in((*s).what, J[SIDES * i + BODY_Y * side + k], first[i], tolerance);
    }
}

/* J y' and the bias against the derivatives along q'. */
static void check_bias(const struct scene *s, int ground, double step, double tolerance)
{
  double Phi[ROWS_MAX], J[ROWS_MAX * SIDES], first[ROWS_MAX], second[ROWS_MAX], bias[ROWS_MAX];
  rows_evaluate(&s->j, &s->v, Phi, J);
  rows_bias(&s->j, &s->v, bias);
  derivatives(s, s->x, step, first, second);
  for (int i = 0; i < s->j.count; i++) {
    double rate = 0.0;
    for (int side = 0; side < 2; side++) {
      double y[BODY_Y];
      body_velocity(&s->x[side], y);
      for (int k = 0; k < BODY_Y && side != ground; k++) rate += J[SIDES * i + BODY_Y * side + k] * y[k];
    }
    assert_near_in((*s).what, rate, first[i], 0.1 * tolerance);
    assert_near_in((*s).what, bias[i], second[i], tolerance);
  }
}

TEST(jacobian_is_the_derivative)
{
  EACH_SCENE(s, false) check_jacobian(&s, ground_, STEP, 1e-11);
}

TEST(bias_is_the_second_derivative_without_acceleration)
{
  EACH_SCENE(s, false) check_bias(&s, ground_, STEP, 1e-10);
}

/* Rows of a spring between two points, |d| - L, and of a bushing. The first is not a polynomial, so it needs a short step. */
TEST(rows_of_forces)
{
  for (int ground = -1; ground < 2; ground++)
    for (int seed = 1; seed <= SEEDS; seed++)
      for (int bushing = 0; bushing < 2; bushing++) {
        struct scene s;
        struct random random = {(uint64_t)seed};
        scene_make(&s, ALI3_JOINT_SPHERICAL, ground, seed, false);
        ali3_force_spec spec = {.name = "F",
                                .type = bushing ? ALI3_FORCE_BUSHING : ALI3_FORCE_SPRING,
                                .body_a = s.j.body[0],
                                .body_b = s.j.body[1],
                                .stiffness = {1, 1, 1, 1, 1, 1},
                                .rest = 0.3};
        random_vector(&random, spec.point_a, 3);
        random_vector(&random, spec.point_b, 3);
        spec.point_b[0] += 5.0; /* far apart, where |d| is smooth */
        assert_int_equal(ali3_model_add_force(s.m, &spec), 0);
        rows_compile_force(s.m, 0, NULL, &s.j, &(double){0});
        snprintf(s.what, sizeof s.what, "%s, ground %d, seed %d", bushing ? "bushing" : "spring", ground,
                 seed);
        assert_true(s.j.soft);
        assert_int_equal(s.j.count, bushing ? 6 : 1);
        check_jacobian(&s, ground, 0.002, 1e-6);
        check_bias(&s, ground, 0.002, 1e-5);
        ali3_model_free(s.m);
      }
}

/* Velocity of the body point that is now at P, and angular velocity, world axes. */
static void motion_at(const struct scene *s, int side, const double P[3], double v[3], double w[3])
{
  double y[BODY_Y], arm[3], turn[3];
  body_velocity(&s->x[side], y);
  m3_mul(w, s->f[side].R, y + 3);
  v3_sub(arm, P, s->x[side].r);
  v3_cross(turn, w, arm);
  for (int i = 0; i < 3; i++) v[i] = y[i] + turn[i];
}

/* Moves a body so that the points of the joint meet. Action and reaction need a closed joint, which a rotation of both bodies
 * keeps closed. */
static void meet(struct scene *s, int ground)
{
  double P[2][3], d[3];
  for (int side = 0; side < 2; side++) {
    m3_mul(P[side], s->f[side].R, s->j.point[side]);
    v3_axpy(P[side], 1.0, s->x[side].r);
  }
  v3_sub(d, P[1], P[0]);
  v3_axpy(s->x[ground == 1 ? 0 : 1].r, ground == 1 ? 1.0 : -1.0, d);
}

/* The power of -J'lambda on body b is that of the reaction at point b; on body a that of the opposite reaction. */
TEST(reaction_has_the_power_of_the_multipliers)
{
  EACH_SCENE(s, true)
  {
    struct random random = {(uint64_t)seed_};
    double Phi[ROWS_MAX], J[ROWS_MAX * SIDES], lambda[ROWS_MAX], force[3], torque[3], P[3];
    if (type_ != ALI3_JOINT_DISTANCE) meet(&s, ground_);
    rows_evaluate(&s.j, &s.v, Phi, J);
    random_vector(&random, lambda, ROWS_MAX);
    rows_reaction(&s.j, &s.v, J, lambda, force, torque);
    m3_mul(P, s.f[1].R, s.j.point[1]);
    v3_axpy(P, 1.0, s.x[1].r);
    for (int side = 0; side < 2; side++) {
      double v[3], w[3], y[BODY_Y], power = 0.0, sign = side ? 1.0 : -1.0;
      if (side == ground_) continue;
      body_velocity(&s.x[side], y);
      y[6] = 0.0; /* a rigid motion */
      body_set_velocity(&s.x[side], &s.f[side], y);
      for (int i = 0; i < s.j.count; i++)
        for (int k = 0; k < BODY_Y; k++) power -= lambda[i] * J[SIDES * i + BODY_Y * side + k] * y[k];
      motion_at(&s, side, P, v, w);
      assert_near_in(s.what, sign * (v3_dot(force, v) + v3_dot(torque, w)), power, 1e-12);
    }
  }
}

/* p turned by the angle w t in body axes, with unit norm. */
static void turned(const double p[4], const double w[3], double t, double o[4])
{
  double angle = sqrt(v3_dot(w, w)) * t, q[4] = {cos(0.5 * angle), 0, 0, 0};
  for (int i = 0; i < 3; i++)
    q[1 + i] = 0.5 * t * w[i] * (angle == 0.0 ? 1.0 : sin(0.5 * angle) / (0.5 * angle));
  p_mul(o, p, q);
}

/* a spins in space, b turns about the joint's axis (revolute) or slides along it (prismatic) relative to it.
 */
static void place(struct scene *s, const double spin[3], double turn, double slide, double t)
{
  const double *axis = s->j.coordinate[0].axis;
  double q[4] = {cos(0.5 * turn * t)}, seen[3], rest[3];
  const double unit[4] = {1.0, 0, 0, 0};
  turned(unit, spin, t, s->x[0].p);
  for (int i = 0; i < 3; i++) q[1 + i] = sin(0.5 * turn * t) * axis[i];
  p_mul(s->x[1].p, s->x[0].p, q);
  for (int side = 0; side < 2; side++) body_frame_update(&s->f[side], &s->x[side]);
  for (int i = 0; i < 3; i++) seen[i] = s->j.point[0][i] + slide * t * axis[i];
  m3_mul(s->x[1].r, s->f[0].R, seen);
  m3_mul(rest, s->f[1].R, s->j.point[1]);
  v3_axpy(s->x[1].r, -1.0, rest);
}

TEST(coordinate_and_its_rate)
{
  const ali3_joint_type types[] = {ALI3_JOINT_REVOLUTE, ALI3_JOINT_PRISMATIC};
  for (int k = 0; k < 2; k++)
    for (int seed = 1; seed <= SEEDS; seed++) {
      struct random random = {(uint64_t)seed};
      struct scene s = {.m = ali3_model_new()};
      ali3_joint_spec spec = {.name = "J", .type = types[k], .body_a = 0, .body_b = 1};
      snprintf(s.what, sizeof s.what, "%s, seed %d", ali3_joint_type_name(types[k]), seed);
      for (int b = 0; b < 2; b++) {
        ali3_body_spec body = {.name = b ? "b" : "a", .mass = 1.0, .orientation = {1.0}};
        random_inertia(&random, body.inertia);
        assert_int_equal(ali3_model_add_body(s.m, &body), b);
      }
      random_vector(&random, spec.point_a, 3);
      random_vector(&random, spec.point_b, 3);
      random_unit(&random, spec.axis_a, 3);
      memcpy(spec.axis_b, spec.axis_a, sizeof spec.axis_b);
      const double zero = random_between(&random, -1, 1); /* at t = 0 of place(), not in the model */
      spec.position = zero;
      for (int i = 0; i < 3 && types[k] == ALI3_JOINT_PRISMATIC; i++)
        spec.position += spec.axis_a[i] * (spec.point_b[i] - spec.point_a[i]);
      assert_int_equal(ali3_model_add_joint(s.m, &spec), 0);
      assert_int_equal(rows_compile(s.m, 0, &s.j), ALI3_OK);
      for (int side = 0; side < 2; side++) {
        s.x[side] = body_ground;
        s.v.x[side] = &s.x[side];
        s.v.f[side] = &s.f[side];
      }
      bool turns = types[k] == ALI3_JOINT_REVOLUTE;
      double spin[3], rate = random_between(&random, -2, 2), t = random_between(&random, -1, 1), position,
                      velocity;
      double turn = turns ? rate : 0.0, slide = turns ? 0.0 : rate, J[ROWS_MAX * SIDES], Phi[ROWS_MAX];
      random_vector(&random, spin, 3);

      /* velocities by central differences in time, within 1e-9 */
      const double e = 1e-5;
      struct body_state before[2], after[2];
      place(&s, spin, turn, slide, t - e);
      memcpy(before, s.x, sizeof before);
      place(&s, spin, turn, slide, t + e);
      memcpy(after, s.x, sizeof after);
      place(&s, spin, turn, slide, t);
      for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 3; i++) s.x[side].rd[i] = (after[side].r[i] - before[side].r[i]) / (2 * e);
        for (int i = 0; i < 4; i++) s.x[side].pd[i] = (after[side].p[i] - before[side].p[i]) / (2 * e);
      }
      rows_evaluate(&s.j, &s.v, Phi, J);
      for (int i = 0; i < s.j.count; i++) assert_near_in(s.what, Phi[i], 0.0, 1e-13);
      rows_coordinate(&s.j, &s.v, &position, &velocity);
      assert_near_in(s.what, position, zero + rate * t, 1e-12);
      assert_near_in(s.what, velocity, rate, 1e-8);
      ali3_model_free(s.m);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian_is_the_derivative),
      cmocka_unit_test(bias_is_the_second_derivative_without_acceleration),
      cmocka_unit_test(rows_of_forces),
      cmocka_unit_test(reaction_has_the_power_of_the_multipliers),
      cmocka_unit_test(coordinate_and_its_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
