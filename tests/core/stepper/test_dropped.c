/* SPDX-License-Identifier: MIT
 * Rows that the solve leaves out: every joint type with every choice of rows, beside a joint that holds the same bodies. */
#include "check.h"
#include "common/toys.h"

#include <math.h>

#include <ali3/ali3.h>

enum { MASKS = 16 };

/* A body turns on a hinge, and two joints hold a second body to it. The last joint leaves rows out. Two more bodies
 * hang on a complete joint of the type `other`, so that tiles have joints of several types; without it there are only the first
 * two bodies, and their hinge comes last. Returns NULL if the model refuses the choice. */
static ali3_model *pair(ali3_joint_type type, unsigned dropped, ali3_joint_type other)
{
  const bool alone = other == ALI3_JOINT_TYPES;
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, (double[]){0, 0, -10}), ALI3_OK);
  static const char *const name[] = {"a", "b", "c", "d"};
  for (int i = 0; i < (alone ? 2 : 4); i++) {
    ali3_body_spec b = toy_body(name[i], (double[]){i % 2, 0, i / 2}, 1.0, 0.1);
    assert_int_equal(ali3_model_add_body(m, &b), i);
  }
  ali3_joint_spec hinge = {.name = "hinge",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .body_b = 0,
                           .point_a = {-0.5, 0, 0},
                           .point_b = {-0.5, 0, 0},
                           .axis_a = {0, 1, 0},
                           .axis_b = {0, 1, 0}};
  if (!alone) toy_added(m, ali3_model_add_joint(m, &hinge));
  const ali3_joint_spec first = hinge;
  hinge.name = "beside";
  hinge.body_b = 2;
  hinge.point_a[2] = 1;
  if (!alone) toy_added(m, ali3_model_add_joint(m, &hinge));
  for (int i = 0; i < (alone ? 2 : 3); i++) {
    static const char *const joint[] = {"whole", "part", "other"};
    ali3_joint_spec s = {.name = joint[i],
                         .type = i < 2 ? type : other,
                         .body_a = i < 2 ? 0 : 2,
                         .body_b = i < 2 ? 1 : 3,
                         .point_a = {0.5, 0, 0},
                         .point_b = {-0.5, 0, 0},
                         .axis_a = {0, 1, 0},
                         .axis_b = {0, 1, 0},
                         .dropped = i == 1 ? dropped : 0};
    if (s.type == ALI3_JOINT_UNIVERSAL) s.axis_b[0] = 1, s.axis_b[1] = 0;
    if (s.type == ALI3_JOINT_DISTANCE) s.point_b[0] = 0;
    if (ali3_model_add_joint(m, &s) >= 0) continue;
    assert_int_equal(i, 1);
    ali3_model_free(m);
    return NULL;
  }
  if (alone) toy_added(m, ali3_model_add_joint(m, &first));
  return m;
}

/* Places of all bodies after a second. */
static void run(ali3_model *m, double place[4][3])
{
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  for (int i = 0; i < 100; i++) {
    const int status = ali3_step(m, d);
    if (status < 0) fail_msg("step %d: %s", i, ali3_status_text(status));
  }
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x;
    ali3_body_get(m, d, b, &x);
    for (int k = 0; k < 3; k++) place[b][k] = x.position[k];
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(every_choice_of_rows_of_every_type_runs_or_is_refused)
{
  int ran = 0, refused = 0;
  for (int type = 0; type < ALI3_JOINT_TYPES; type++)
    for (unsigned dropped = 0; dropped < MASKS; dropped++)
      for (int other = 0; other < 4; other++) {
        static const ali3_joint_type OTHER[] = {ALI3_JOINT_REVOLUTE, ALI3_JOINT_FIXED, ALI3_JOINT_SPHERICAL,
                                                ALI3_JOINT_TYPES};
        double whole[4][3] = {0}, part[4][3] = {0};
        ali3_model *m = pair((ali3_joint_type)type, dropped, OTHER[other]);
        const bool allowed = (dropped & ~ali3_joint_type_droppable((ali3_joint_type)type)) == 0;
        assert_int_equal(m != NULL, allowed);
        refused += !m;
        if (!m) continue;
        run(m, part);
        run(pair((ali3_joint_type)type, 0, OTHER[other]), whole);
        for (int i = 0; i < 12; i++) {
          const double off = fabs(whole[i / 3][i % 3] - part[i / 3][i % 3]);
          if (!(off < 1e-3))
            fail_msg("%s without rows %u: body %d is off by %g m",
                     ali3_joint_type_name((ali3_joint_type)type), dropped, i / 3, off);
        }
        ran++;
      }
  assert_int_equal(ran,
                   4 * (8 + 8 + 8 + 4 + 2 + 4 + 4)); /* fixed to planar, and four types without directions */
  assert_true(refused > 0);
}

/* A revolute joint counts its turns whatever rows it leaves out. */
TEST(a_joint_without_all_rows_counts_its_turns)
{
  for (unsigned dropped = 0; dropped < 8; dropped++) {
    ali3_model *m = ali3_model_new();
    ali3_body_spec b = toy_body("wheel", (double[]){0, 0, 0}, 1.0, 0.1);
    b.angular_velocity[1] = 10.0;
    toy_added(m, ali3_model_add_body(m, &b));
    for (int i = 0; i < 2; i++) {
      ali3_joint_spec s = {.name = i ? "part" : "whole",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .body_b = 0,
                           .axis_a = {0, 1, 0},
                           .axis_b = {0, 1, 0},
                           .dropped = i ? dropped : 0};
      toy_added(m, ali3_model_add_joint(m, &s));
    }
    toy_freeze(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    toy_run(m, d, 300);
    for (int j = 0; j < 2; j++) {
      ali3_joint_state s;
      ali3_joint_get(m, d, j, &s);
      if (!(fabs(s.position - 30.0) < 0.02)) fail_msg("rows %u: joint %d at %g rad", dropped, j, s.position);
    }
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_choice_of_rows_of_every_type_runs_or_is_refused),
      cmocka_unit_test(a_joint_without_all_rows_counts_its_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
