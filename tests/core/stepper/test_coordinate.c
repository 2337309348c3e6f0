/* SPDX-License-Identifier: MIT
 * Zero and sign of a joint's coordinate, for every element that acts on it. In the poses of the model the coordinate is the
 * value that the joint specifies. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <string.h>

static const double none[3] = {0.0};
static const double DEGREE = 3.14159265358979323846 / 180.0;

/* One body on a joint about or along z at a height of 0.3 m. by_points: the points of the joint are apart, also across the
 * axis of a slide whose points otherwise coincide. */
static ali3_model *one(ali3_joint_type type, bool by_points, double position)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("b", (const double[]){0, 0, 0.3}, 2, 1);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec j = {.name = "J",
                       .type = type,
                       .body_a = ALI3_GROUND,
                       .axis_a = {0, 0, 1},
                       .axis_b = {0, 0, 1},
                       .position = position};
  if (type == ALI3_JOINT_REVOLUTE || !by_points) j.point_b[2] = -0.3;
  toy_added(m, ali3_model_add_joint(m, &j));
  return m;
}

static int on_joint(ali3_model *m, ali3_force_type type, void (*fill)(ali3_force_spec *))
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = "f";
  if (fill) fill(&s);
  return toy_added(m, ali3_model_add_force(m, &s));
}

static double position_of(const ali3_model *m, const ali3_data *d)
{
  ali3_joint_state j;
  ali3_joint_get(m, d, 0, &j);
  return j.position;
}

static ali3_force_state force_of(const ali3_model *m, const ali3_data *d)
{
  ali3_force_state f;
  ali3_force_get(m, d, 0, &f);
  return f;
}

static void end(ali3_model *m, ali3_data *d)
{
  ali3_data_free(d);
  ali3_model_free(m);
}

#define ASSERT_NEAR(x, expected, tolerance)                                                                  \
  do {                                                                                                       \
    double x_ = (x), expected_ = (expected);                                                                 \
    if (!(fabs(x_ - expected_) <= (tolerance))) fail_msg("%s: %.15g, not %.15g", #x, x_, expected_);         \
  } while (0)

struct way {
  ali3_joint_type type;
  bool by_points;
  double position;
};
static const struct way ways[] = {{ALI3_JOINT_REVOLUTE, false, 0},   {ALI3_JOINT_REVOLUTE, false, 0.4},
                                  {ALI3_JOINT_REVOLUTE, false, 7},   {ALI3_JOINT_REVOLUTE, false, -20},
                                  {ALI3_JOINT_PRISMATIC, false, 0},  {ALI3_JOINT_PRISMATIC, true, 0},
                                  {ALI3_JOINT_PRISMATIC, false, 12}, {ALI3_JOINT_PRISMATIC, true, 12}};
#define EACH_WAY(w) for (const struct way *w = ways; w < ways + sizeof ways / sizeof *ways; w++)

/* For any choice of the points and any direction of the axis: positive is along and about the axis of a. */
TEST(it_starts_where_the_joint_says_and_grows_along_the_axis)
{
  EACH_WAY(w)
  {
    ali3_model *m = one(w->type, w->by_points, w->position);
    toy_freeze(m, 0.001);
    ali3_data *d = toy_start(m, ALI3_OK);
    ASSERT_NEAR(position_of(m, d), w->position, 1e-14);
    ali3_set_wrench(m, d, 0, (const double[]){0, 0, 2},
                    (const double[]){0, 0, 1}); /* 1 m/s^2 and 1 rad/s^2 */
    toy_run(m, d, 4000);
    ASSERT_NEAR(position_of(m, d), w->position + 8, 3e-3); /* the load came after the reset */
    end(m, d);
  }
}

/* A drive without a target holds its coordinate at any value. */
TEST(a_drive_without_an_offset_stays)
{
  EACH_WAY(w)
  {
    ali3_model *m = one(w->type, w->by_points, w->position);
    on_joint(m, ALI3_FORCE_DRIVE, NULL);
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    toy_run(m, d, 50);
    ASSERT_NEAR(position_of(m, d), w->position, 1e-11);
    ASSERT_NEAR(force_of(m, d).target, w->position, 1e-14);
    end(m, d);
  }
}

static double offset;
static void set_offset(ali3_force_spec *s)
{
  s->offset = offset;
  s->speed = 2;
}

/* An offset keeps the zero: the drive begins at the offset, and moves the bodies if they are elsewhere. */
TEST(a_drive_has_the_zero_of_the_joint)
{
  EACH_WAY(w)
  {
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
      ali3_model *m = one(w->type, w->by_points, w->position);
      offset = w->position + 0.02 * elsewhere;
      on_joint(m, ALI3_FORCE_DRIVE, set_offset);
      toy_freeze_apart(m, 0.01);
      ali3_data *d = toy_start(m, ALI3_MOVED); /* at least its velocity is moved */
      ali3_body_state x;
      ali3_body_get(m, d, 0, &x);
      ASSERT_NEAR(position_of(m, d), offset, 1e-11);
      if (w->type == ALI3_JOINT_PRISMATIC) ASSERT_NEAR(x.position[2], 0.3 + 0.02 * elsewhere, 1e-11);
      toy_run(m, d, 500);
      ASSERT_NEAR(position_of(m, d), offset + 10, 1e-9);
      ASSERT_NEAR(force_of(m, d).target, offset + 10, 1e-11);
      end(m, d);
    }
  }
}

static double at;
static void set_external(ali3_force_spec *s)
{
  s->external = true;
  s->max_rate = s->max_acceleration = 100;
}

TEST(an_external_drive_goes_by_it)
{
  EACH_WAY(w)
  {
    ali3_model *m = one(w->type, w->by_points, w->position);
    on_joint(m, ALI3_FORCE_DRIVE, set_external);
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    toy_run(m, d, 10);
    ASSERT_NEAR(position_of(m, d), w->position, 1e-11);
    ali3_set_command(m, d, 0, w->position + 9); /* more than a turn */
    toy_run(m, d, 200);
    ASSERT_NEAR(position_of(m, d), w->position + 9, 1e-9);
    end(m, d);
  }
}

static void set_spring(ali3_force_spec *s)
{
  s->stiffness[0] = 5;
  s->rest = at;
}

/* A spring is slack at the rest position of its spec; without one, at the position of the model. */
TEST(a_spring_has_the_zero_of_the_joint)
{
  EACH_WAY(w)
  {
    for (int given = 0; given < 2; given++) {
      ali3_model *m = one(w->type, w->by_points, w->position);
      at = given ? w->position - 0.5 : NAN;
      on_joint(m, ALI3_FORCE_JOINT_SPRING, set_spring);
      toy_freeze(m, 0.01);
      ali3_data *d = toy_start(m, ALI3_OK);
      ASSERT_NEAR(force_of(m, d).position, w->position, 1e-14);
      ASSERT_NEAR(force_of(m, d).value, given ? 2.5 : 0, 1e-12);
      end(m, d);
    }
  }
}

static void set_stop(ali3_force_spec *s)
{
  s->stiffness[0] = 1e6;
  s->damping[0] = 1e3;
  s->upper = at;
}

TEST(a_stop_has_the_zero_of_the_joint)
{
  EACH_WAY(w)
  {
    ali3_model *m = one(w->type, w->by_points, w->position);
    at = w->position + 0.1;
    on_joint(m, ALI3_FORCE_STOP, set_stop);
    toy_freeze(m, 0.001);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_set_wrench(m, d, 0, (const double[]){0, 0, 2}, (const double[]){0, 0, 1});
    toy_run(m, d, 3000);
    ASSERT_NEAR(position_of(m, d), w->position + 0.1, 1e-4);
    end(m, d);
  }
}

/* Displacements by the assembly count: the coordinate is measured from the specified poses. */
TEST(an_assembly_moves_the_coordinate)
{
  ali3_model *m = one(ALI3_JOINT_PRISMATIC, true, 2);
  toy_spherical(m, "pin", ALI3_GROUND, (const double[]){0, 0, 0.304}, 0, none);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  ASSERT_NEAR(position_of(m, d), 2.004, 1e-12);
  end(m, d);

  m = one(ALI3_JOINT_REVOLUTE, false, 400 * DEGREE);
  ali3_joint_spec arm = {.name = "arm",
                         .type = ALI3_JOINT_POINT_IN_PLANE,
                         .body_a = ALI3_GROUND,
                         .point_a = {0, 0.01, 0},
                         .point_b = {1, 0, 0},
                         .axis_a = {0, 1, 0}};
  toy_added(m, ali3_model_add_joint(m, &arm));
  toy_freeze(m, 0.01);
  d = toy_start(m, ALI3_MOVED);
  ASSERT_NEAR(position_of(m, d), 400 * DEGREE + asin(0.01), 1e-11);
  end(m, d);
}

/* A gear holds the coordinates at the start, not their zeros. */
TEST(gears_look_at_the_change)
{
  ali3_model *m = one(ALI3_JOINT_REVOLUTE, false, 9);
  ali3_body_spec rack = toy_body("rack", (const double[]){2, 0, 0}, 1, 1);
  toy_added(m, ali3_model_add_body(m, &rack));
  ali3_joint_spec slide = {.name = "slide",
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .body_b = 1,
                           .axis_a = {1, 0, 0},
                           .position = -4};
  toy_added(m, ali3_model_add_joint(m, &slide));
  ali3_force_spec gear = ali3_force_spec_default(ALI3_FORCE_GEAR);
  gear.name = "gear";
  gear.joint_b = 1;
  gear.ratio = 3;
  toy_added(m, ali3_model_add_force(m, &gear));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_set_wrench(m, d, 1, (const double[]){1, 0, 0}, none);
  toy_run(m, d, 300);
  ali3_joint_state j;
  ali3_joint_get(m, d, 1, &j);
  assert_true(j.position > -3.9);
  ASSERT_NEAR(position_of(m, d) - 9, 3 * (j.position + 4), 1e-9);
  end(m, d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_starts_where_the_joint_says_and_grows_along_the_axis),
      cmocka_unit_test(a_drive_without_an_offset_stays),
      cmocka_unit_test(a_drive_has_the_zero_of_the_joint),
      cmocka_unit_test(an_external_drive_goes_by_it),
      cmocka_unit_test(a_spring_has_the_zero_of_the_joint),
      cmocka_unit_test(a_stop_has_the_zero_of_the_joint),
      cmocka_unit_test(an_assembly_moves_the_coordinate),
      cmocka_unit_test(gears_look_at_the_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
