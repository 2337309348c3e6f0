/* SPDX-License-Identifier: MIT
 * Explicit methods in joint coordinates against those in coordinates of the bodies: equal motion within the accuracy of the
 * method, the same loads of joints, joints of a tree closed to rounding, and the choice of coordinates. */
#include "base/isa.h"
#include "check.h"
#include "common/toys.h"
#include "fuzz/linkage.h"
#include "stepper/explicit.h"
#include "stepper/stage.h"

#include <string.h>

static const ali3_method METHOD[] = {ALI3_METHOD_RK4, ALI3_METHOD_DP5, ALI3_METHOD_AB4, ALI3_METHOD_ABM8,
                                     ALI3_METHOD_DP8};
enum { METHODS = sizeof METHOD / sizeof *METHOD };

enum { STEPS = 40 };

/* Two mechanisms of one seed, in both coordinates; false: the method refuses it. */
static bool freeze_both(uint64_t seed, ali3_options o, struct linkage k[2])
{
  for (int i = 0; i < 2; i++) {
    linkage_make(&k[i], seed);
    o.coordinates = i ? ALI3_COORDINATES_JOINT : ALI3_COORDINATES_BODY;
    o.substeps = i ? 1 : 4;
    if (ali3_model_freeze(k[i].m, &o) >= 0) continue;
    for (int j = 0; j <= i; j++) ali3_model_free(k[j].m);
    return false;
  }
  assert_int_equal(ali3_model_coordinates(k[0].m), ALI3_COORDINATES_BODY);
  assert_int_equal(ali3_model_coordinates(k[1].m), ALI3_COORDINATES_JOINT);
  return true;
}

static bool is_singular(const struct linkage *k)
{
  for (int i = 0; i < k->parts; i++)
    if (k->truth[i].singular > 0) return true;
  return false;
}

/* Largest distance of two bodies, relative to the size of the mechanism and its place. */
static double distance(const struct linkage *k, ali3_data *const d[2])
{
  double largest = 0.0;
  for (int b = 0; b < ali3_model_bodies(k[0].m); b++) {
    ali3_body_state x[2];
    for (int i = 0; i < 2; i++) ali3_body_get(k[i].m, d[i], b, &x[i]);
    largest = fmax(largest, check_distance(x[0].position, x[1].position));
  }
  return largest / k[0].m->frozen->rounding;
}

/* Mechanisms without redundant rows: forces of joints, relative to the largest, or to a small part of the weights. */
static double load_difference(const struct linkage *k, ali3_data *const d[2])
{
  double largest = 0.0, difference = 0.0;
  for (int j = 0; j < ali3_model_joints(k[0].m); j++) {
    ali3_joint_state s[2];
    for (int i = 0; i < 2; i++) ali3_joint_get(k[i].m, d[i], j, &s[i]);
    for (int c = 0; c < 3; c++) largest = fmax(largest, fabs(s[0].force[c]));
    difference = fmax(difference, check_distance(s[0].force, s[1].force));
  }
  return difference / fmax(largest, 1e-3 * k->heaviest);
}

TEST(both_coordinates_move_alike)
{
  static struct linkage k[2];
  int compared = 0, loads = 0;
  for (uint64_t seed = 1; compared < 200; seed++) {
    ali3_options o = ali3_options_default();
    o.method = METHOD[seed % METHODS];
    o.dt = 1e-3;
    if (!freeze_both(seed, o, k)) continue;
    ali3_data *d[2] = {ali3_data_new(k[0].m), ali3_data_new(k[1].m)};
    int status[2] = {ali3_reset(k[0].m, d[0]), ali3_reset(k[1].m, d[1])};
    assert_int_equal(status[0], status[1]);
    for (int n = 0; n < STEPS && status[0] == 0 && status[1] == 0; n++)
      for (int i = 0; i < 2; i++) status[i] = ali3_step(k[i].m, d[i]);
    if (status[0] == 0 && !is_singular(&k[0])) {
      compared++;
      const double apart = distance(k, d);
      if (status[1] != 0 || !(apart < 1e-7))
        fail_msg("seed %llu, %s: status %d, apart by %.1e: %s", (unsigned long long)seed,
                 ali3_method_name(o.method), status[1], apart, k[0].words);
      if (!d[0]->redundant && ++loads && !(load_difference(k, d) < 1e-4))
        fail_msg("seed %llu, %s: loads of joints differ by %.1e: %s", (unsigned long long)seed,
                 ali3_method_name(o.method), load_difference(k, d), k[0].words);
    }
    for (int i = 0; i < 2; i++) {
      ali3_data_free(d[i]);
      ali3_model_free(k[i].m);
    }
  }
  assert_true(loads > 20);
}

/* A tree has no row that opens, whatever its step. */
TEST(joints_of_a_tree_do_not_open)
{
  for (int i = 0; i < METHODS; i++) {
    ali3_options o = ali3_options_default();
    o.method = METHOD[i];
    o.coordinates = ALI3_COORDINATES_JOINT;
    ali3_model *m = toy_double_pendulum_with(1.0, 1.0, &o);
    ali3_data *d = toy_start(m, ALI3_OK);
    for (int n = 0; n < 500; n++) assert_int_equal(ali3_step(m, d), ALI3_OK);
    assert_true(ali3_data_report(d)->position == 0.0);
    stage_rows(m, d); /* by the poses of the bodies */
    assert_true(norm_largest(m, d->solve.Phi) < 1e-14);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* A chain of balls or of revolutes on the ground; closed: its end is, too. */
static ali3_coordinates chosen(enum isa isa, ali3_joint_type type, int links, bool closed)
{
  ali3_options o = ali3_options_default();
  ali3_model *m = ali3_model_new();
  o.method = ALI3_METHOD_DP5;
  o.coordinates = ALI3_COORDINATES_AUTO;
  snprintf(o.isa, sizeof o.isa, "%s", isa_name(isa));
  for (int i = 0; i < links; i++) {
    char name[2][20];
    snprintf(name[0], sizeof name[0], "b%d", i);
    snprintf(name[1], sizeof name[1], "j%d", i);
    const ali3_body_spec b = toy_body(name[0], (double[]){i + 0.5, 0, 0}, 1.0, 0.1);
    const ali3_joint_spec s = {.name = name[1],
                               .type = type,
                               .body_a = i == 0 ? ALI3_GROUND : i - 1,
                               .body_b = i,
                               .point_a = {i == 0 ? 0.0 : 0.5, 0, 0},
                               .point_b = {-0.5, 0, 0},
                               .axis_a = {0, 1, 0},
                               .axis_b = {0, 1, 0}};
    toy_added(m, ali3_model_add_body(m, &b));
    toy_added(m, ali3_model_add_joint(m, &s));
  }
  const ali3_joint_spec end = {.name = "end",
                               .type = type,
                               .body_a = ALI3_GROUND,
                               .body_b = links - 1,
                               .point_a = {links, 0, 0},
                               .point_b = {0.5, 0, 0},
                               .axis_a = {0, 1, 0},
                               .axis_b = {0, 1, 0}};
  if (closed) toy_added(m, ali3_model_add_joint(m, &end));
  toy_freeze_with(m, &o);
  const ali3_coordinates found = ali3_model_coordinates(m);
  ali3_model_free(m);
  return found;
}

TEST(the_estimate_chooses)
{
  assert_int_equal(ali3_options_default().coordinates, ALI3_COORDINATES_AUTO);
  for (int i = 0; i < ISA_COUNT; i++) {
    const enum isa isa = (enum isa)i;
    if (!isa_supported(isa)) continue;
    /* a long chain of balls is fast where a vector has many of them */
    assert_int_equal(chosen(isa, ALI3_JOINT_SPHERICAL, 64, false),
                     isa_lanes(isa) > 2 ? ALI3_COORDINATES_BODY : ALI3_COORDINATES_JOINT);
    assert_int_equal(chosen(isa, ALI3_JOINT_REVOLUTE, 8, false), ALI3_COORDINATES_JOINT);
    assert_int_equal(chosen(isa, ALI3_JOINT_REVOLUTE, 3, true), ALI3_COORDINATES_BODY);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_coordinates_move_alike),
                                     cmocka_unit_test(joints_of_a_tree_do_not_open),
                                     cmocka_unit_test(the_estimate_chooses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
