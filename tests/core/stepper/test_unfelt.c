/* SPDX-License-Identifier: MIT
 * Multipliers of redundant rows that load no body: no step keeps a part of them. Reactions are thus the smallest ones that load
 * the bodies as they are loaded; they depend on the state alone, and do not creep. */
#include "check.h"
#include "common/toys.h"
#include "fuzz/linkage.h"
#include "kernels/elements.h"
#include "stepper/stage.h"

#include <string.h>

enum { MODES = 8 };
static const struct mode_of_step {
  const char *name;
  ali3_method method;
  bool extrapolate;
} modes[MODES] = {
    {"ali3", ALI3_METHOD_ALI3, false},        {"energy", ALI3_METHOD_ENERGY, false},
    {"extrapolated", ALI3_METHOD_ALI3, true}, {"rk4", ALI3_METHOD_RK4, false},
    {"dp5", ALI3_METHOD_DP5, false},          {"ab4", ALI3_METHOD_AB4, false},
    {"abm8", ALI3_METHOD_ABM8, false},        {"dp8", ALI3_METHOD_DP8, false},
};

static int revolute(ali3_model *m, const char *name, int a, int b, const double in_a[3], const double in_b[3])
{
  ali3_joint_spec s = {.name = name,
                       .type = ALI3_JOINT_REVOLUTE,
                       .body_a = a,
                       .body_b = b,
                       .axis_a = {0, 0, 1},
                       .axis_b = {0, 0, 1}};
  memcpy(s.point_a, in_a, sizeof s.point_a);
  memcpy(s.point_b, in_b, sizeof s.point_b);
  return toy_added(m, ali3_model_add_joint(m, &s));
}

/* An engine: a crankshaft in two bearings, a rod and a piston, which a drive turns at `speed`. */
static ali3_model *engine(const struct mode_of_step *mode, double speed)
{
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, (double[]){0.5, -9.81, 0.3}), ALI3_OK);
  ali3_body_spec crank = toy_body("crank", (double[]){0.05, 0, 0.02}, 2, 0.01),
                 rod = toy_body("rod", (double[]){0.25, 0, 0.02}, 0.5, 0.004),
                 piston = toy_body("piston", (double[]){0.4, 0, 0.02}, 0.4, 0.001);
  toy_added(m, ali3_model_add_body(m, &crank));
  toy_added(m, ali3_model_add_body(m, &rod));
  toy_added(m, ali3_model_add_body(m, &piston));
  const int bearing =
      revolute(m, "front", ALI3_GROUND, 0, (double[]){0, 0, -0.2}, (double[]){-0.05, 0, -0.22});
  revolute(m, "rear", ALI3_GROUND, 0, (double[]){0, 0, 0.3}, (double[]){-0.05, 0, 0.28});
  revolute(m, "big_end", 0, 1, (double[]){0.05, 0, 0}, (double[]){-0.15, 0, 0});
  revolute(m, "small_end", 1, 2, (double[]){0.15, 0, 0}, (double[]){0, 0, 0});
  const ali3_joint_spec bore = {.name = "bore",
                                .type = ALI3_JOINT_PRISMATIC,
                                .body_a = ALI3_GROUND,
                                .body_b = 2,
                                .point_a = {0.4, 0, 0.02},
                                .axis_a = {1, 0, 0},
                                .axis_b = {1, 0, 0}};
  toy_added(m, ali3_model_add_joint(m, &bore));
  ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  drive.name = "starter";
  drive.joint = bearing;
  drive.offset = 0;
  drive.speed = speed;
  toy_added(m, ali3_model_add_force(m, &drive));
  ali3_options o = ali3_options_default();
  o.method = mode->method;
  o.extrapolate = mode->extrapolate;
  o.assembly_position = o.assembly_angle = INFINITY;
  toy_freeze_with(m, &o);
  return m;
}

static int reactions(const ali3_model *m, const ali3_data *d, double *o)
{
  int n = 0;
  for (int j = 0; j < ali3_model_joints(m); j++) {
    ali3_joint_state s;
    ali3_joint_get(m, d, j, &s);
    for (int k = 0; k < 3; k++) o[n++] = s.force[k];
    for (int k = 0; k < 3; k++) o[n++] = s.torque[k];
  }
  return n;
}

/* It used to creep by 97 N in 10 s. */
TEST(reactions_at_rest_stay)
{
  for (int i = 0; i < MODES; i++) {
    double first[60], now[60], weight = 2.9 * 9.81;
    ali3_model *m = engine(&modes[i], 0);
    ali3_data *d = ali3_data_new(m);
    assert_true(ali3_reset(m, d) >= 0);
    toy_run(m, d, 10);
    const int n = reactions(m, d, first);
    toy_run(m, d, 1000);
    reactions(m, d, now);
    for (int k = 0; k < n; k++) assert_near_in(modes[i].name, now[k], first[k], 1e-9 * weight);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* Adds multipliers that load no body to those of the data: S^-1 c leaves such multipliers, and shrinks all others. */
static void add_unfelt(const ali3_model *m, ali3_data *d, double size)
{
  static double y[4096];
  const int rigid = m->frozen->rigid;
  double largest = 0.0;
  assert_true(rigid < 4096);
  for (int i = 0; i < rigid; i++) y[i] = d->solve.c[i] < 1.0 ? sin(1.0 + i) : 0.0; /* an unused lane has 1 */
  assert_true(stage_condense(m, d));
  for (int round = 0; round < 4; round++) {
    memset(d->solve.beta, 0, (size_t)m->frozen->tree->unknowns * sizeof *d->solve.beta);
    for (int i = 0; i < rigid; i++) d->solve.beta[i] = d->solve.c[i] * y[i];
    stage_solve(m, d);
    memcpy(y, d->solve.z, (size_t)rigid * sizeof *y);
  }
  for (int i = 0; i < rigid; i++) largest = fmax(largest, fabs(y[i]));
  for (int i = 0; i < rigid && largest > 0.0; i++) {
    d->now.lambda[i] += size / largest * y[i];
    d->now.reaction[i] += size / largest * y[i];
    if (d->states.base.lambda) d->states.base.lambda[i] += size / largest * y[i];
  }
}

/* The largest difference of the reactions of two runs, and the largest reaction. */
static double apart(const ali3_model *m, const ali3_data *a, const ali3_data *b, double *largest)
{
  static double one[6 * LINKAGE_JOINTS], other[6 * LINKAGE_JOINTS];
  double most = 0.0;
  const int n = reactions(m, a, one);
  reactions(m, b, other);
  *largest = 0.0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(one[i] - other[i]));
    *largest = fmax(*largest, fabs(one[i]));
  }
  return most;
}

/* Returns the next over-constrained mechanism from this seed on. */
static uint64_t over_constrained(struct linkage *k, uint64_t seed)
{
  for (;; seed++) {
    int redundant = 0;
    linkage_make(k, seed);
    for (int p = 0; p < k->parts; p++) redundant += k->truth[p].redundant;
    if (redundant > 0 && !k->contradicting) return seed;
    ali3_model_free(k->m);
  }
}

/* One step takes out what was added, whatever its size. */
static void compare_histories(const struct mode_of_step *mode, const struct linkage *k, int *compared)
{
  char where[80];
  ali3_data *a = ali3_data_new(k->m), *b = ali3_data_new(k->m);
  int status = ali3_reset(k->m, a);
  for (int step = 0; step < 50 && status >= 0; step++) status = ali3_step(k->m, a);
  const size_t size = ali3_state_size(k->m);
  void *state = malloc(size);
  if (status >= 0 && ali3_state_save(k->m, a, state) == ALI3_OK) {
    double most = 0.0, largest;
    assert_int_equal(ali3_state_load(k->m, b, state, size), ALI3_OK);
    apart(k->m, a, b, &most);
    add_unfelt(k->m, b, 20.0 * most);
    assert_int_equal(ali3_state_load(k->m, a, state, size), ALI3_OK);
    const int one = ali3_step(k->m, a), other = ali3_step(k->m, b);
    if (one == ALI3_OK && other == ALI3_OK && !ali3_data_report(b)->held) {
      const double off = apart(k->m, a, b, &largest);
      snprintf(where, sizeof where, "%s, seed %llu", mode->name, (unsigned long long)k->seed);
      if (!(off < 1e-2 * largest)) fail_msg("%s: reactions of %g differ by %g", where, largest, off);
      ++*compared;
    }
  }
  free(state);
  ali3_data_free(a);
  ali3_data_free(b);
}

TEST(one_step_takes_out_what_no_body_feels)
{
  static struct linkage k;
  for (int i = 0; i < MODES; i++) {
    int compared = 0;
    uint64_t seed = 1;
    for (int found = 0; found < 40; found++, seed++) {
      seed = over_constrained(&k, seed);
      ali3_options o = ali3_options_default();
      o.method = modes[i].method;
      o.extrapolate = modes[i].extrapolate;
      o.dt = 0.002;
      if (ali3_model_freeze(k.m, &o) >= 0) /* explicit methods refuse light bodies */
        compare_histories(&modes[i], &k, &compared);
      ali3_model_free(k.m);
    }
    if (compared < 20) fail_msg("%s: only %d were compared", modes[i].name, compared);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reactions_at_rest_stay),
      cmocka_unit_test(one_step_takes_out_what_no_body_feels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
