/* SPDX-License-Identifier: MIT
 * Composition of a step from inner steps, its accuracy, and its failures. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double none[3] = {0.0};

/* The composition of a step. */
struct way {
  int substeps;
  bool extrapolate;
  ali3_method method;
};
static const struct way ways[] = {
    {1, false, ALI3_METHOD_ALI3}, {3, false, ALI3_METHOD_ALI3}, {1, true, ALI3_METHOD_ALI3},
    {2, true, ALI3_METHOD_ALI3},  {1, false, ALI3_METHOD_RK4},  {2, false, ALI3_METHOD_DP5},
    {1, false, ALI3_METHOD_AB4},  {1, false, ALI3_METHOD_ABM8},
};
enum { WAYS = sizeof ways / sizeof *ways };

static ali3_options options_of(const struct way *w, double dt)
{
  ali3_options o = ali3_options_default();
  o.dt = dt;
  o.substeps = w->substeps;
  o.extrapolate = w->extrapolate;
  o.method = w->method;
  return o;
}

/* Tip of the double pendulum after 1 s. */
static void pendulum_at(const struct way *w, double dt, double o[3])
{
  ali3_options options = options_of(w, dt);
  ali3_model *m = toy_double_pendulum_with(1.0, 1.0, &options);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state x;
  toy_run(m, d, (int)lround(1.0 / dt));
  ali3_body_get(m, d, 1, &x);
  memcpy(o, x.position, sizeof x.position);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(order_is_two)
{
  for (int k = 0; k < WAYS; k++) {
    if (ways[k].extrapolate || ways[k].method != ALI3_METHOD_ALI3) continue;
    double x[4][3];
    for (int i = 0; i < 4; i++) pendulum_at(&ways[k], 0.01 / (1 << i), x[i]);
    for (int i = 0; i < 2; i++) {
      double ratio = check_distance(x[i], x[i + 1]) / check_distance(x[i + 1], x[i + 2]);
      printf("%d substeps: half the step, error down by %.3f\n", ways[k].substeps, ratio);
      assert_true(ratio > 3.5 && ratio < 4.5);
    }
  }
}

TEST(extrapolation_is_of_order_four)
{
  double exact[3], before = 0.0;
  pendulum_at(&(struct way){1, true, ALI3_METHOD_ALI3}, 0.02 / 32, exact);
  for (double dt = 0.02; dt > 0.004; dt *= 0.5) {
    double plain[3], sixth[3], better[3];
    pendulum_at(&(struct way){1, false, ALI3_METHOD_ALI3}, dt, plain);
    pendulum_at(&(struct way){6, false, ALI3_METHOD_ALI3}, dt, sixth); /* equal work */
    pendulum_at(&(struct way){1, true, ALI3_METHOD_ALI3}, dt, better);
    printf("%g ms: plain %.1e m off, 6 substeps %.1e, extrapolated %.1e\n", 1e3 * dt,
           check_distance(plain, exact), check_distance(sixth, exact), check_distance(better, exact));
    assert_true(check_distance(better, exact) < 0.05 * check_distance(sixth, exact));
    if (before > 0.0) assert_true(before / check_distance(better, exact) > 13.0); /* order 3.7 and more */
    before = check_distance(better, exact);
  }
}

/* n substeps of a step are n steps. */
TEST(substeps_are_steps)
{
  double a[3], b[3];
  pendulum_at(&(struct way){4, false, ALI3_METHOD_ALI3}, 0.01, a);
  pendulum_at(&(struct way){1, false, ALI3_METHOD_ALI3}, 0.0025, b);
  assert_true(check_distance(a, b) < 1e-13);
}

/* All readable values, for a comparison bit by bit. */
struct everything {
  ali3_body_state body[2];
  ali3_joint_state joint[2];
  ali3_energy energy;
};

static void read_all(const ali3_model *m, const ali3_data *d, struct everything *o)
{
  memset(o, 0, sizeof *o);
  for (int i = 0; i < 2; i++) {
    ali3_body_get(m, d, i, &o->body[i]);
    ali3_joint_get(m, d, i, &o->joint[i]);
  }
  ali3_energy_get(m, d, &o->energy);
}

/* After a failure ab4 and abm8 begin anew. */
static void diverge(const struct way *w, double bad, bool torque)
{
  ali3_options options = options_of(w, 0.01);
  ali3_model *m = toy_double_pendulum_with(1.0, 1.0, &options);
  ali3_data *d = toy_start(m, ALI3_OK), *twin = toy_start(m, ALI3_OK);
  struct everything before, after;
  const double load[3] = {0.0, bad, 0.0};
  toy_run(m, d, 50);
  toy_run(m, twin, 50);
  read_all(m, d, &before);
  ali3_set_wrench(m, d, 1, torque ? none : load, torque ? load : none);
  int status = ali3_step(m, d);
  if (status != ALI3_E_DIVERGED) fail_msg("load %g: status %d", bad, status);
  assert_int_equal(ali3_data_report(d)->status, ALI3_E_DIVERGED);
  assert_int_equal(ali3_data_report(d)->step, 50);
  read_all(m, d, &after);
  assert_memory_equal(&before, &after, sizeof before);
  /* the next steps are those of data without the failure */
  ali3_set_wrench(m, d, 1, none, none);
  toy_run(m, d, 50);
  toy_run(m, twin, 50);
  read_all(m, d, &after);
  read_all(m, twin, &before);
  if (w->method == ALI3_METHOD_AB4 || w->method == ALI3_METHOD_ABM8)
    assert_true(check_distance(before.body[1].position, after.body[1].position) < 1e-3);
  else
    assert_memory_equal(&before, &after, sizeof before);
  ali3_data_free(d);
  ali3_data_free(twin);
  ali3_model_free(m);
}

TEST(a_step_that_diverges_leaves_no_trace)
{
  const double bad[] = {1e300, -1e300, NAN, INFINITY, 1e30};
  for (int k = 0; k < WAYS; k++)
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      diverge(&ways[k], bad[i], false);
      diverge(&ways[k], bad[i], true);
    }
}

static void in_two_parts(const ali3_options *o)
{
  ali3_model *m = toy_double_pendulum_with(1.0, 1.0, o);
  ali3_data *d = toy_start(m, ALI3_OK), *twin = toy_start(m, ALI3_OK);
  struct everything a, b;
  assert_int_equal(ali3_feedback(m, d), ALI3_E_ARGUMENT); /* no prepare */
  for (int i = 0; i < 200; i++) {
    const double push[3] = {0.1 * i, 0.0, 1.0};
    assert_int_equal(ali3_prepare(m, d), ALI3_OK);
    if (i % 3 == 0) assert_int_equal(ali3_prepare(m, d), ALI3_OK); /* a second prepare changes nothing */
    ali3_set_wrench(m, d, 0, push, none);                          /* inputs arrive late */
    ali3_set_wrench(m, twin, 0, push, none);
    assert_int_equal(i % 2 ? ali3_feedback(m, d) : ali3_step(m, d), ALI3_OK);
    assert_int_equal(ali3_step(m, twin), ALI3_OK);
    read_all(m, d, &a);
    read_all(m, twin, &b);
    assert_memory_equal(&a, &b, sizeof a);
  }
  assert_int_equal(ali3_data_report(d)->step, 200);
  assert_true(fabs(ali3_data_report(d)->time - 2.0) < 1e-12);
  ali3_data_free(d);
  ali3_data_free(twin);
  ali3_model_free(m);
}

TEST(prepare_and_feedback_are_a_step)
{
  for (int k = 0; k < WAYS; k++) {
    const ali3_options o = options_of(&ways[k], 0.01);
    in_two_parts(&o);
  }
}

struct seen {
  int count[ALI3_PHASES];
  ali3_phase last;
};

static void mark(void *context, ali3_phase phase)
{
  struct seen *s = context;
  s->count[phase]++;
  s->last = phase;
}

/* The probe counts as many factorisations and solves as the options give and none in a reset, and does not change a bit. */
TEST(a_probe_sees_every_phase_and_changes_nothing)
{
  for (int k = 0; k < WAYS; k++) {
    ali3_options o = options_of(&ways[k], 0.01);
    o.coordinates = ALI3_COORDINATES_BODY; /* in joint coordinates a projection is marked in two parts */
    ali3_model *m = toy_double_pendulum_with(1.0, 1.0, &o);
    ali3_data *d = toy_start(m, ALI3_OK), *twin = toy_start(m, ALI3_OK);
    struct seen s = {.last = ALI3_PHASES};
    const ali3_probe probe = {.context = &s, .mark = mark};
    struct everything a, b;
    ali3_data_set_probe(d, &probe);
    assert_int_equal(ali3_reset(m, d), ALI3_OK);
    assert_int_equal(s.last, ALI3_PHASES);
    assert_int_equal(ali3_prepare(m, d), ALI3_OK);
    assert_int_equal(s.last, ALI3_PHASE_IDLE);
    assert_int_equal(s.count[ALI3_PHASE_CONDENSE], ways[k].extrapolate ? 3 : 1); /* of all branches */
    assert_int_equal(s.count[ALI3_PHASE_SWEEP], ways[k].extrapolate ? 3 : 1);    /* the first iteration */
    assert_int_equal(s.count[ALI3_PHASE_PROJECT], 0);
    assert_int_equal(ali3_feedback(m, d), ALI3_OK);
    assert_int_equal(s.last, ALI3_PHASE_IDLE);
    const bool is_explicit = ali3_method_is_explicit(o.method);
    /* ab4 begins with rk4, abm8 with dp5 */
    const int evaluations = o.method == ALI3_METHOD_DP5 || o.method == ALI3_METHOD_ABM8 ? 6 : 4;
    int inner = ways[k].extrapolate ? 6 : 1, combined = ways[k].extrapolate;
    assert_int_equal(s.count[ALI3_PHASE_IDLE], 2);
    if (is_explicit) /* one more in the first prepare */
      assert_int_equal(s.count[ALI3_PHASE_CONDENSE], 1 + o.substeps * evaluations);
    else
      assert_int_equal(s.count[ALI3_PHASE_CONDENSE], ways[k].substeps * (inner + combined));
    if (!is_explicit) assert_int_equal(s.count[ALI3_PHASE_SWEEP], ways[k].substeps * inner * o.iterations);
    assert_int_equal(s.count[ALI3_PHASE_PROJECT], ways[k].substeps * (inner + combined));
    assert_int_equal(ali3_step(m, twin), ALI3_OK);
    read_all(m, d, &a);
    read_all(m, twin, &b);
    assert_memory_equal(&a, &b, sizeof a);
    ali3_set_wrench(m, d, 0, (const double[]){NAN, 0, 0}, none);
    assert_true(ali3_step(m, d) < 0);
    assert_int_equal(s.last, ALI3_PHASE_IDLE);
    ali3_data_set_probe(d, NULL);
    ali3_step(m, d);
    assert_int_equal(s.count[ALI3_PHASE_IDLE], 4);
    ali3_data_free(d);
    ali3_data_free(twin);
    ali3_model_free(m);
  }
}

/* A constant force through the centre of mass of a free body: r = f t^2 / (2 m), exactly. */
TEST(load_is_a_force_and_a_torque_in_world_axes)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec s = toy_body("b", none, 2.0, 0.5);
  s.orientation[0] = s.orientation[1] = sqrt(0.5); /* a quarter turn about x */
  toy_added(m, ali3_model_add_body(m, &s));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  const double force[3] = {0, 4.0, 0}, torque[3] = {0, 0, 0.5};
  ali3_set_wrench(m, d, 0, force, torque);
  assert_int_equal(ali3_reset(m, d), ALI3_OK); /* the first acceleration thus contains it */
  toy_run(m, d, 100);
  ali3_body_state x;
  ali3_body_get(m, d, 0, &x);
  assert_true(fabs(x.position[1] - 1.0) < 1e-10);
  assert_true(fabs(x.velocity[1] - 2.0) < 1e-10);
  assert_true(fabs(x.angular_velocity[1] - 1.0) < 1e-3); /* world z is body y */
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Speed and distance of a free body of 1 kg after 1 s, under a force that rises by 1 N in every step of 0.1 s. */
static void under_a_rising_force(bool interpolate, double *speed, double *way)
{
  ali3_options o = ali3_options_default();
  o.dt = 0.1;
  o.substeps = 10;
  o.interpolate = interpolate;
  ali3_model *m = ali3_model_new();
  const ali3_body_spec b = toy_body("A", none, 1.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &b));
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state x;
  for (int i = 1; i <= 10; i++) {
    ali3_set_wrench(m, d, 0, (const double[]){i, 0, 0}, none);
    assert_int_equal(ali3_step(m, d), ALI3_OK);
  }
  ali3_body_get(m, d, 0, &x);
  *speed = x.velocity[0];
  *way = x.position[0];
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A linear rise from 0 to 10 N in 1 s is 10 t. A held value acts from the start of its step. */
TEST(inputs_move_in_a_straight_line_over_the_substeps)
{
  double speed, way;
  under_a_rising_force(true, &speed, &way);
  assert_true(fabs(speed - 5.0) < 1e-12 && fabs(way - 10.0 / 6.0) < 1e-3);
  under_a_rising_force(false, &speed, &way);
  assert_true(fabs(speed - 5.5) < 0.051);
}

/* More than half a turn per step: the limit is the turn per substep. */
TEST(turns_are_counted_in_every_substep)
{
  const double rate = 600.0; /* rad/s: almost a turn in 10 ms */
  ali3_options o = ali3_options_default();
  o.substeps = 100;
  ali3_model *m = ali3_model_new();
  ali3_body_spec wheel = toy_body("wheel", none, 1.0, 1.0);
  wheel.angular_velocity[2] = rate;
  toy_added(m, ali3_model_add_body(m, &wheel));
  toy_added(m, ali3_model_add_joint(m, &(ali3_joint_spec){.name = "axle",
                                                          .type = ALI3_JOINT_REVOLUTE,
                                                          .body_a = ALI3_GROUND,
                                                          .axis_a = {0, 0, 1},
                                                          .axis_b = {0, 0, 1}}));
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 100);
  ali3_joint_state j;
  ali3_joint_get(m, d, 0, &j);
  assert_true(fabs(j.position - rate) < 1e-3 * rate);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_is_two),
      cmocka_unit_test(extrapolation_is_of_order_four),
      cmocka_unit_test(substeps_are_steps),
      cmocka_unit_test(a_step_that_diverges_leaves_no_trace),
      cmocka_unit_test(prepare_and_feedback_are_a_step),
      cmocka_unit_test(a_probe_sees_every_phase_and_changes_nothing),
      cmocka_unit_test(load_is_a_force_and_a_torque_in_world_axes),
      cmocka_unit_test(inputs_move_in_a_straight_line_over_the_substeps),
      cmocka_unit_test(turns_are_counted_in_every_substep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
