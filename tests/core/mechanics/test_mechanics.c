/* SPDX-License-Identifier: MIT
 * Freedoms, redundant rows, singular positions and conflicts of known mechanisms. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* needs the headers above */
/* A body whose centre of mass is in the middle between two points of the plane z = 0. */
static int bar(ali3_model *m, const double from[2], const double to[2], double mass)
{
  char name[20];
  const double middle[3] = {(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, 0};
  snprintf(name, sizeof name, "b%d", ali3_model_bodies(m));
  ali3_body_spec body = toy_body(name, middle, mass, 0.1 * mass);
  return toy_added(m, ali3_model_add_body(m, &body));
}

static void in_body(const ali3_model *m, int body, const double at[3], const double (*middle)[3], double o[3])
{
  (void)m;
  for (int i = 0; i < 3; i++) o[i] = at[i] - (body == ALI3_GROUND ? 0.0 : middle[body][i]);
}

/* A planar polygon of hinges along z: corner 0 and the last one on the ground, a bar from each corner to
 * the next. */
struct polygon {
  ali3_model *m;
  int bars;
  double middle[8][3];
};

static int hinge(struct polygon *p, int a, int b, const double at[3])
{
  char name[20];
  ali3_joint_spec j = {.name = name, .type = ALI3_JOINT_REVOLUTE, .body_a = a, .body_b = b};
  snprintf(name, sizeof name, "j%d", ali3_model_joints(p->m));
  in_body(p->m, a, at, (const double(*)[3])p->middle, j.point_a);
  in_body(p->m, b, at, (const double(*)[3])p->middle, j.point_b);
  j.axis_a[2] = j.axis_b[2] = 1;
  return toy_added(p->m, ali3_model_add_joint(p->m, &j));
}

static struct polygon polygon(int corners, const double (*corner)[2], double length, double mass)
{
  struct polygon p = {.m = ali3_model_new(), .bars = corners - 1};
  for (int i = 0; i < p.bars; i++) {
    const double from[2] = {length * corner[i][0], length * corner[i][1]},
                 to[2] = {length * corner[i + 1][0], length * corner[i + 1][1]};
    bar(p.m, from, to, i == 1 ? mass : 1.0);
    for (int k = 0; k < 2; k++) p.middle[i][k] = (from[k] + to[k]) / 2;
  }
  for (int i = 0; i < corners; i++) {
    const double at[3] = {length * corner[i][0], length * corner[i][1], 0};
    hinge(&p, i == 0 ? ALI3_GROUND : i - 1, i == p.bars ? ALI3_GROUND : i, at);
  }
  return p;
}

static int drive(ali3_model *m, int joint, double speed)
{
  char name[20];
  ali3_force_spec f = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  snprintf(name, sizeof name, "d%d", ali3_model_forces(m));
  f.name = name;
  f.joint = joint;
  f.speed = speed;
  return toy_added(m, ali3_model_add_force(m, &f));
}

/* The analysis of a model, which is freed. */
static ali3_mechanics *analysed(ali3_model *m)
{
  toy_freeze(m, 0.01);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  const int status = ali3_reset(m, d);
  assert_true(status >= 0 || status == ALI3_E_VIOLATED); /* drives may contradict each other */
  ali3_mechanics *a = ali3_mechanics_new(m, d);
  assert_non_null(a);
  ali3_data_free(d);
  ali3_model_free(m);
  return a;
}

static void expect(const ali3_mechanics *a, int freedoms, int undriven, int redundant, int singular)
{
  ali3_mechanics_part p;
  assert_int_equal(ali3_mechanics_part_get(a, -1, &p), ALI3_OK);
  if (p.freedoms != freedoms || p.freedoms_undriven != undriven || p.redundant != redundant ||
      p.singular != singular)
    fail_msg("freedoms %d (%d expected), undriven %d (%d), redundant %d (%d), singular %d (%d); pivots %g %g",
             p.freedoms, freedoms, p.freedoms_undriven, undriven, p.redundant, redundant, p.singular,
             singular, p.smallest_kept, p.largest_dropped);
}

static const double FOUR_BAR[4][2] = {{0, 0}, {0.3, 1}, {2, 1.5}, {2.5, 0}};

TEST(rank_of_a_four_bar_is_geometry)
{
  for (double length = 1e-3; length < 2e3; length *= 1e3)
    for (double mass = 1e-4; mass < 2e4; mass *= 1e2) {
      ali3_mechanics *a = analysed(polygon(4, FOUR_BAR, length, mass).m);
      expect(a, 1, 1, 3, 0);
      ali3_mechanics_free(a);
    }
}

TEST(a_flat_parallelogram_is_singular)
{
  const double open[4][2] = {{0, 0}, {0.6, 0.8}, {2.6, 0.8}, {2, 0}},
               flat[4][2] = {{0, 0}, {1, 0}, {3, 0}, {2, 0}};
  ali3_mechanics *a = analysed(polygon(4, open, 1, 1).m);
  expect(a, 1, 1, 3, 0);
  ali3_mechanics_free(a);
  a = analysed(polygon(4, flat, 1, 1).m);
  expect(a, 2, 2, 4, 1);
  ali3_mechanics_free(a);
}

TEST(a_stretched_pair_of_bars_is_singular)
{
  const double flat[3][2] = {{0, 0}, {1, 0}, {3, 0}}, bent[3][2] = {{0, 0}, {1, 0.5}, {3, 0}};
  ali3_mechanics *a = analysed(polygon(3, bent, 1, 1).m);
  expect(a, 0, 0, 3, 0);
  ali3_mechanics_free(a);
  a = analysed(polygon(3, flat, 1, 1).m);
  expect(a, 1, 1, 4, 1);
  ali3_mechanics_free(a);
}

/* The second rate contradicts the first rate. Then the test sets the rate with which, by the conflict, both agree. */
TEST(drives_on_one_freedom_are_a_conflict)
{
  double rate = 3.0;
  for (int agree = 0; agree < 2; agree++) {
    struct polygon p = polygon(4, FOUR_BAR, 1, 1);
    ali3_mechanics_conflict c;
    drive(p.m, 0, 1);
    drive(p.m, 3, rate);
    ali3_mechanics *a = analysed(p.m);
    expect(a, 0, 1, 4, 0);
    assert_int_equal(ali3_mechanics_conflicts(a), 2);
    for (int i = 0; i < 2; i++) {
      assert_int_equal(ali3_mechanics_conflict_get(a, i, &c), ALI3_OK);
      assert_int_equal(c.force, i);
      assert_int_equal(c.other_force, 1 - i);
      assert_true(agree ? fabs(c.velocity) < 1e-9 : fabs(c.velocity) > 1.0);
    }
    rate -= c.velocity;
    assert_int_equal(ali3_mechanics_conflict_get(a, 2, &c), ALI3_E_ARGUMENT);
    ali3_mechanics_free(a);
  }
}

TEST(a_drive_at_a_dead_centre_is_singular)
{
  const double stretched[4][2] = {{0, 0}, {1, 0}, {3, 0}, {2, 2}};
  struct polygon p = polygon(4, stretched, 1, 1);
  drive(p.m, 3, 0.5); /* the rocker cannot move: crank and coupler are in line */
  ali3_mechanics *a = analysed(p.m);
  ali3_mechanics_conflict c;
  expect(a, 1, 1, 4, 1);
  assert_int_equal(ali3_mechanics_conflicts(a), 1);
  ali3_mechanics_conflict_get(a, 0, &c);
  assert_int_equal(c.other_force, -1);
  assert_true(fabs(c.velocity - 0.5) < 1e-9);
  ali3_mechanics_free(a);
}

/* Two hinges in a row have 0 redundant rows for any mass of the second body. */
TEST(masses_of_a_chain_do_not_matter)
{
  const double chain[3][2] = {{0, 0}, {1, 0}, {2, 0}};
  for (double mass = 1e-8; mass < 2e8; mass *= 10) {
    struct polygon p = {.m = ali3_model_new()};
    for (int i = 0; i < 2; i++) {
      bar(p.m, chain[i], chain[i + 1], i ? mass : 1);
      p.middle[i][0] = i + 0.5;
      hinge(&p, i - 1, i, (const double[]){i, 0, 0});
    }
    ali3_mechanics *a = analysed(p.m);
    expect(a, 2, 2, 0, 0);
    ali3_mechanics_free(a);
  }
}

/* Many welds on one body, for which one weld is enough. */
TEST(many_welds_are_counted)
{
  enum { WELDS = 100 };
  ali3_model *m = ali3_model_new();
  ali3_body_spec body = toy_body("a", (const double[]){0, 0, 0}, 1, 1);
  toy_added(m, ali3_model_add_body(m, &body));
  for (int i = 0; i < WELDS; i++) {
    char name[20];
    ali3_joint_spec j = {.name = name, .type = ALI3_JOINT_FIXED, .body_a = ALI3_GROUND};
    snprintf(name, sizeof name, "w%d", i);
    j.point_a[0] = j.point_b[0] = 0.01 * i;
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  ali3_mechanics *a = analysed(m);
  expect(a, 0, 0, 6 * (WELDS - 1), 0);
  for (int i = 0; i < WELDS; i++) assert_true(ali3_mechanics_joint_is_redundant(a, i));
  ali3_mechanics_free(a);
}

/* A free body, a door on springs, a four-bar with two hinges on one axis. */
TEST(parts_are_separated)
{
  struct polygon p = polygon(4, FOUR_BAR, 1, 1);
  const double far[2][2] = {{5, 0}, {6, 0}};
  ali3_mechanics_part part;
  p.middle[3][0] = 5.5;
  p.middle[4][0] = 5.5;
  const int alone = bar(p.m, far[0], far[1], 1), sprung = bar(p.m, far[0], far[1], 1);
  ali3_joint_spec again = {.name = "again",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .point_a = {0, 0, 1},
                           .point_b = {-0.15, -0.5, 1},
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
  const int twice = toy_added(p.m, ali3_model_add_joint(p.m, &again));
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_SPRING);
  spring.name = "spring";
  spring.body_a = ALI3_GROUND;
  spring.body_b = sprung;
  spring.stiffness[0] = 100;
  spring.rest = NAN;
  toy_added(p.m, ali3_model_add_force(p.m, &spring));
  ali3_mechanics *a = analysed(p.m);
  assert_int_equal(ali3_mechanics_parts(a), 3);
  ali3_mechanics_part_get(a, 0, &part);
  assert_true(part.grounded && !part.sprung);
  assert_int_equal(part.bodies, 3);
  assert_int_equal(part.joints, 5);
  assert_int_equal(part.redundant, 8);
  assert_int_equal(part.freedoms, 1);
  for (int b = alone; b <= sprung; b++) {
    ali3_mechanics_part_get(a, ali3_mechanics_part_of_body(a, b), &part);
    assert_true(!part.grounded && part.sprung == (b == sprung));
    assert_int_equal(part.freedoms, 6);
    assert_int_equal(part.rows, 0);
  }
  assert_int_equal(ali3_mechanics_part_of_joint(a, twice), 0);
  assert_int_equal(ali3_mechanics_part_of_force(a, 0), -1); /* not rigid */
  assert_true(ali3_mechanics_joint_is_redundant(a, twice));
  assert_int_equal(ali3_mechanics_part_of_body(a, 17), -1);
  assert_int_equal(ali3_mechanics_part_of_joint(a, -1), -1);
  assert_false(ali3_mechanics_joint_is_redundant(a, 99));
  assert_false(ali3_mechanics_force_is_redundant(a, -1));
  assert_int_equal(ali3_mechanics_part_get(a, 3, &part), ALI3_E_ARGUMENT);
  assert_null(ali3_mechanics_new(NULL, NULL));
  ali3_mechanics_free(a);
  ali3_mechanics_free(NULL);
}

/* Only joints in a dependency are redundant. */
TEST(joints_of_a_tree_are_not_redundant)
{
  struct polygon p = polygon(4, FOUR_BAR, 1, 1);
  const double out[2][2] = {{2, 1.5}, {3, 2}};
  p.middle[3][0] = 2.5;
  p.middle[3][1] = 1.75;
  bar(p.m, out[0], out[1], 1); /* hangs on the loop */
  const int hanging = hinge(&p, 1, 3, (const double[]){2, 1.5, 0});
  ali3_mechanics *a = analysed(p.m);
  expect(a, 2, 2, 3, 0);
  for (int j = 0; j < 4; j++) assert_true(ali3_mechanics_joint_is_redundant(a, j));
  assert_false(ali3_mechanics_joint_is_redundant(a, hanging));
  ali3_mechanics_free(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rank_of_a_four_bar_is_geometry),
      cmocka_unit_test(a_flat_parallelogram_is_singular),
      cmocka_unit_test(a_stretched_pair_of_bars_is_singular),
      cmocka_unit_test(drives_on_one_freedom_are_a_conflict),
      cmocka_unit_test(a_drive_at_a_dead_centre_is_singular),
      cmocka_unit_test(masses_of_a_chain_do_not_matter),
      cmocka_unit_test(many_welds_are_counted),
      cmocka_unit_test(parts_are_separated),
      cmocka_unit_test(joints_of_a_tree_are_not_redundant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
