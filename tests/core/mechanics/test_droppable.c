/* SPDX-License-Identifier: MIT
 * Rows that other joints hold everywhere: they are found, and the motion without them is that with them. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
/* needs the headers above */
enum { BODIES_MOST = 128, JOINTS_MOST = 192 };

/* A mechanism that is built twice, with and without rows. Bodies have the axes of the world. */
struct plan {
  int bodies, joints;
  struct {
    double at[3], velocity[3], angular_velocity[3];
  } body[BODIES_MOST];
  struct {
    ali3_joint_type type;
    int body[2];
    double at[3], axis[3];
  } joint[JOINTS_MOST];
};

static int plan_bar(struct plan *p, const double from[3], const double to[3])
{
  for (int i = 0; i < 3; i++) p->body[p->bodies].at[i] = 0.5 * (from[i] + to[i]);
  return p->bodies++;
}

static void plan_joint(struct plan *p, ali3_joint_type type, int a, int b, const double at[3],
                       const double axis[3])
{
  p->joint[p->joints].type = type;
  p->joint[p->joints].body[0] = a;
  p->joint[p->joints].body[1] = b;
  memcpy(p->joint[p->joints].at, at, sizeof p->joint->at);
  memcpy(p->joint[p->joints++].axis, axis, sizeof p->joint->axis);
}

static const double Z[3] = {0, 0, 1};

static ali3_model *build(const struct plan *p, const unsigned *dropped)
{
  ali3_model *m = ali3_model_new();
  char name[20];
  assert_int_equal(ali3_model_set_gravity(m, (double[]){1, -9.81, 0.5}), ALI3_OK);
  for (int b = 0; b < p->bodies; b++) {
    snprintf(name, sizeof name, "b%d", b);
    ali3_body_spec s = toy_body(name, p->body[b].at, 1.0 + 0.1 * (b % 7), 0.1);
    memcpy(s.angular_velocity, p->body[b].angular_velocity, sizeof s.angular_velocity);
    memcpy(s.velocity, p->body[b].velocity, sizeof s.velocity);
    toy_added(m, ali3_model_add_body(m, &s));
  }
  for (int j = 0; j < p->joints; j++) {
    snprintf(name, sizeof name, "j%d", j);
    ali3_joint_spec s = {
        .name = name, .type = p->joint[j].type, .body_a = p->joint[j].body[0], .body_b = p->joint[j].body[1]};
    for (int i = 0; i < 3; i++) {
      s.point_a[i] = p->joint[j].at[i] - (s.body_a == ALI3_GROUND ? 0.0 : p->body[s.body_a].at[i]);
      s.point_b[i] = p->joint[j].at[i] - (s.body_b == ALI3_GROUND ? 0.0 : p->body[s.body_b].at[i]);
      s.axis_a[i] = s.axis_b[i] = p->joint[j].axis[i];
    }
    toy_added(m, ali3_model_add_joint(m, &s));
    if (dropped) assert_int_equal(ali3_model_drop_rows(m, j, dropped[j]), ALI3_OK);
  }
  toy_freeze(m, 0.01);
  return m;
}

static int redundant_rows(const ali3_model *m, const ali3_data *d)
{
  ali3_mechanics *a = ali3_mechanics_new(m, d);
  ali3_mechanics_part whole;
  assert_non_null(a);
  assert_int_equal(ali3_mechanics_part_get(a, -1, &whole), ALI3_OK);
  ali3_mechanics_free(a);
  return whole.redundant;
}

/* Rows that may be left out; dropped: (JOINTS_MOST). */
static int find(const struct plan *p, unsigned *dropped)
{
  ali3_model *m = build(p, NULL);
  ali3_data *d = toy_start(m, ALI3_OK);
  int rows = 0;
  assert_int_equal(ali3_mechanics_droppable(m, d, dropped), ALI3_OK);
  for (int j = 0; j < p->joints; j++)
    for (unsigned set = dropped[j]; set; set >>= 1) rows += set & 1;
  ali3_data_free(d);
  ali3_model_free(m);
  return rows;
}

/* Finds `expected` rows; without them `left` rows are redundant at the start, and the motion of `steps` is equal within
 * `close`. */
static void check_plan(const struct plan *p, int expected, int left, int steps, double close)
{
  unsigned dropped[JOINTS_MOST];
  assert_int_equal(find(p, dropped), expected);
  ali3_model *m[2] = {build(p, NULL), build(p, dropped)};
  ali3_data *d[2] = {toy_start(m[0], ALI3_OK), toy_start(m[1], ALI3_OK)};
  assert_int_equal(ali3_model_rows(m[0]) - ali3_model_rows(m[1]), expected);
  assert_int_equal(redundant_rows(m[1], d[1]), left);
  for (int i = 0; i < 2; i++) toy_run(m[i], d[i], steps);
  double moved = 0.0;
  for (int b = 0; b < p->bodies; b++) {
    ali3_body_state x[2];
    for (int i = 0; i < 2; i++) ali3_body_get(m[i], d[i], b, &x[i]);
    for (int i = 0; i < 3; i++) {
      assert_near(x[1].position[i], x[0].position[i], close);
      moved = fmax(moved, fabs(x[0].position[i] - p->body[b].at[i]));
    }
  }
  assert_true(steps == 0 || moved > 0.01);
  /* the dropped rows load nothing: a joint that only holds a point on a line has no torque */
  for (int j = 0; j < p->joints; j++) {
    ali3_joint_state s;
    ali3_joint_get(m[1], d[1], j, &s);
    if (dropped[j] != (ALI3_DROP_ALONG | ALI3_DROP_FIRST | ALI3_DROP_SECOND)) continue;
    for (int i = 0; i < 3; i++) assert_near(s.torque[i], 0.0, 1e-12);
  }
  for (int i = 0; i < 2; i++) {
    ali3_data_free(d[i]);
    ali3_model_free(m[i]);
  }
}

static struct plan polygon(const double (*corner)[3], int corners, ali3_joint_type last)
{
  struct plan p = {0};
  for (int i = 0; i + 1 < corners; i++) plan_bar(&p, corner[i], corner[i + 1]);
  for (int i = 0; i < corners; i++)
    plan_joint(&p, i + 1 == corners ? last : ALI3_JOINT_REVOLUTE, i == 0 ? ALI3_GROUND : i - 1,
               i + 1 == corners ? ALI3_GROUND : i, corner[i], Z);
  return p;
}

TEST(planar_loops_keep_two_rows_in_one_joint)
{
  const struct plan p =
      polygon((const double[][3]){{0, 0, 0}, {0.3, 1, 0}, {2, 1.5, 0}, {2.5, 0, 0}}, 4, ALI3_JOINT_REVOLUTE);
  check_plan(&p, 3, 0, 100, 1e-8); /* q'' of all rows is exact to the compliance, 4e-9 */
}

TEST(every_window_drops_its_rows)
{
  enum { WINDOWS = 12 };
  struct plan p = {0};
  double top[WINDOWS + 1][3] = {{0}};
  for (int i = 0; i <= WINDOWS; i++) {
    const double foot[3] = {i, 0, 0};
    top[i][0] = i + 0.6;
    top[i][1] = 0.8;
    plan_joint(&p, ALI3_JOINT_REVOLUTE, ALI3_GROUND, plan_bar(&p, foot, top[i]), foot, Z);
  }
  for (int i = 0; i < WINDOWS; i++) {
    const int bar = plan_bar(&p, top[i], top[i + 1]);
    plan_joint(&p, ALI3_JOINT_REVOLUTE, i, bar, top[i], Z);
    plan_joint(&p, ALI3_JOINT_REVOLUTE, bar, i + 1, top[i + 1], Z);
  }
  check_plan(&p, 3 * WINDOWS, 0, 50, 1e-8);
}

/* Each hinge would have no row of its own beside the other. Together they keep five. */
TEST(parallel_hinges_share_the_rows_of_one)
{
  struct plan p = {0};
  const double hinge[2][3] = {{0, 0, -0.5}, {0, 0, 0.5}}, end[3] = {1, 0, 0};
  const int door = plan_bar(&p, hinge[0], end);
  for (int i = 0; i < 2; i++) plan_joint(&p, ALI3_JOINT_REVOLUTE, ALI3_GROUND, door, hinge[i], Z);
  check_plan(&p, 5, 0, 100, 1e-8);
}

/* Two arms on two hinges each, and an upright between their balls. */
TEST(a_double_wishbone_drops_a_hinge_of_each_arm)
{
  struct plan p = {0};
  const double x[3] = {1, 0, 0}, ball[2][3] = {{0, 0.5, 0}, {0.02, 0.45, 0.3}};
  for (int arm = 0; arm < 2; arm++) {
    const double front[3] = {0.2, 0, 0.3 * arm}, rear[3] = {-0.2, 0, 0.3 * arm};
    const int body = plan_bar(&p, front, ball[arm]);
    plan_joint(&p, ALI3_JOINT_REVOLUTE, ALI3_GROUND, body, front, x);
    plan_joint(&p, ALI3_JOINT_REVOLUTE, ALI3_GROUND, body, rear, x);
  }
  const int upright = plan_bar(&p, ball[0], ball[1]);
  for (int arm = 0; arm < 2; arm++) plan_joint(&p, ALI3_JOINT_SPHERICAL, arm, upright, ball[arm], x);
  check_plan(&p, 10, 0, 60, 1e-8);
}

/* The flat parallelogram has one redundant row more than beside this position, which stays. */
TEST(a_row_of_a_singular_position_stays)
{
  const double flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {2, 0, 0}};
  unsigned dropped[JOINTS_MOST];
  struct plan p = polygon(flat, 4, ALI3_JOINT_POINT_ON_LINE);
  assert_int_equal(find(&p, dropped), 0);
  p = polygon(flat, 4, ALI3_JOINT_REVOLUTE);
  check_plan(&p, 3, 1, 0, 0.0);
}

/* A locked frame shows one position only. */
TEST(a_frame_that_cannot_move_keeps_all_rows)
{
  unsigned dropped[JOINTS_MOST];
  const struct plan p =
      polygon((const double[][3]){{0, 0, 0}, {1, 0.5, 0}, {3, 0, 0}}, 3, ALI3_JOINT_REVOLUTE);
  assert_int_equal(find(&p, dropped), 0);
}

TEST(rows_that_a_type_does_not_have_are_refused)
{
  ali3_model *m = ali3_model_new();
  const double at[3] = {0}, point[3] = {0};
  ali3_body_spec body = toy_body("b", at, 1, 1);
  toy_added(m, ali3_model_add_body(m, &body));
  toy_spherical(m, "j", ALI3_GROUND, point, 0, point);
  assert_int_equal(ali3_model_drop_rows(m, 0, ALI3_DROP_FIRST), ALI3_E_MODEL);
  assert_non_null(strstr(ali3_model_problem(m)->text, "spherical"));
  assert_int_equal(ali3_model_drop_rows(m, 0, 0), ALI3_OK);
  assert_int_equal(ali3_model_drop_rows(m, 1, 0), ALI3_E_ARGUMENT);
  toy_freeze(m, 0.01);
  assert_int_equal(ali3_model_drop_rows(m, 0, 0), ALI3_E_FROZEN);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_loops_keep_two_rows_in_one_joint),
      cmocka_unit_test(every_window_drops_its_rows),
      cmocka_unit_test(parallel_hinges_share_the_rows_of_one),
      cmocka_unit_test(a_double_wishbone_drops_a_hinge_of_each_arm),
      cmocka_unit_test(a_row_of_a_singular_position_stays),
      cmocka_unit_test(a_frame_that_cannot_move_keeps_all_rows),
      cmocka_unit_test(rows_that_a_type_does_not_have_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
