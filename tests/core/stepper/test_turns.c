/* SPDX-License-Identifier: MIT
 * Rotations by any angle in a step: shafts, gears, drives, motors, springs and stops keep their rates and count their turns. */
#include "stepper/turning.h"

#include "base/isa.h"

#include <stdlib.h>

/* Joints 0 .. joints-1 turn steadily at rate times ratio[j]. */
static void expect_steady(ali3_model *m, const struct way *way, double dt, double rate, int joints,
                          const double *ratio)
{
  enum { STEPS = 200 };
  static const double NEAR = 1e-9;
  ali3_data *d = begin(m, way, dt);
  for (int i = 0; i < STEPS; i++)
    if (ali3_step(m, d) != ALI3_OK)
      fail_msg("%s, %g rad/s, %g s: %s", way->name, rate, dt, ali3_status_text(ali3_data_report(d)->status));
  for (int j = 0; j < joints; j++) {
    const ali3_joint_state s = joint_of(m, d, j);
    const double w = rate * ratio[j], off = fabs(s.velocity - w), away = fabs(s.position - w * dt * STEPS);
    if (!(off <= NEAR * fabs(w) && away <= NEAR * fabs(w) * dt * STEPS))
      fail_msg("%s, %g rad/s, %g s: joint %d is off by %g rad/s and %g rad", way->name, rate, dt, j, off,
               away);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

typedef ali3_model *steady(double rate);

static void expect_steady_at_all_rates(steady *make, int joints, const double *ratio)
{
  static const double PERIOD[] = {0.01, 0.001};
  for (int w = 0; w < WAYS; w++)
    for (int r = 0; r < RATES; r++)
      for (int p = 0; p < 2; p++)
        for (int sign = -1; sign <= 1; sign += 2)
          expect_steady(make(sign * RATE[r]), &WAY[w], PERIOD[p], sign * RATE[r], joints, ratio);
}

static ali3_model *one_shaft(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", rate));
  return m;
}

TEST(a_shaft_keeps_its_rate_and_counts_its_turns)
{
  expect_steady_at_all_rates(one_shaft, 1, (double[]){1});
}

/* The second joint sees the difference of the rates. */
static ali3_model *shaft_in_shaft(double rate)
{
  ali3_model *m = model(0);
  const int a = shaft(m, "a", rate), b = shaft(m, "b", -0.5 * rate);
  bearing(m, "j", ALI3_GROUND, a);
  bearing(m, "k", a, b);
  return m;
}

TEST(a_shaft_in_a_shaft_counts_too)
{
  expect_steady_at_all_rates(shaft_in_shaft, 2, (double[]){1, -1.5});
}

static ali3_model *geared(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", rate));
  bearing(m, "k", ALI3_GROUND, shaft(m, "b", -0.1 * rate));
  gear(m, 0, 1, -10);
  return m;
}

TEST(gears_of_10_to_1_stay_in_mesh)
{
  expect_steady_at_all_rates(geared, 2, (double[]){1, -0.1});
}

/* A sun, a planet in the centre of its carrier, and a ring that rests: the fast part of a planetary set. */
static ali3_model *planetary(double rate)
{
  ali3_model *m = model(0);
  const int sun = shaft(m, "sun", rate), carrier = shaft(m, "carrier", rate / 4),
            planet = shaft(m, "planet", -rate / 2);
  bearing(m, "j", ALI3_GROUND, sun);
  bearing(m, "k", ALI3_GROUND, carrier);
  bearing(m, "l", carrier, planet);
  bearing(m, "n", carrier, shaft(m, "idler", rate)); /* the sun as the carrier sees it */
  gear(m, 3, 2, -1);
  return m;
}

TEST(a_planetary_set_stays_in_mesh)
{
  expect_steady_at_all_rates(planetary, 4, (double[]){1, 0.25, -0.75, 0.75});
}

static ali3_model *driven(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", 0));
  ali3_force_spec s = on_joint(ALI3_FORCE_DRIVE, 0);
  s.speed = rate;
  add(m, s);
  return m;
}

static void expect_drive(const struct way *way, const char *isa, double rate)
{
  ali3_model *m = driven(rate);
  ali3_options o = options_of(way, 0.01);
  snprintf(o.isa, sizeof o.isa, "%s", isa);
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_MOVED);
  toy_run(m, d, 100);
  if (!(fabs(joint_of(m, d, 0).position - rate) < 1e-9 * rate))
    fail_msg("%s, %s: a drive at %g rad/s is at %g rad", way->name, isa, rate, joint_of(m, d, 0).position);
  end(m, d);
}

/* With each instruction set: what a kernel does not write differs between them. */
TEST(a_drive_turns_at_any_speed)
{
  for (int i = 0; i < ISA_COUNT; i++)
    for (int w = 0; w < WAYS && isa_supported((enum isa)i); w++)
      for (int r = 0; r < RATES; r++) expect_drive(&WAY[w], isa_name((enum isa)i), RATE[r]);
}

/* Two shafts on one axis with a spring between them turn together, and oscillate against each other as if at rest. */
TEST(a_spring_between_fast_shafts_acts_as_at_rest)
{
  for (int w = 0; w < WAYS; w++) {
    double at_rest = 0;
    for (int r = -1; r < RATES; r++) {
      const double rate = r < 0 ? 0 : RATE[r];
      ali3_model *m = model(0);
      const int a = shaft(m, "a", rate), b = shaft(m, "b", rate + 1);
      bearing(m, "j", ALI3_GROUND, a);
      bearing(m, "k", a, b);
      ali3_force_spec s = on_joint(ALI3_FORCE_JOINT_SPRING, 1);
      s.stiffness[0] = 1;
      add(m, s);
      ali3_data *d = begin(m, &WAY[w], 0.01);
      for (int i = 0; i < 50; i++)
        if (ali3_step(m, d) < 0) fail_msg("%s, %g rad/s: step %d failed", WAY[w].name, rate, i);
      const double angle = joint_of(m, d, 1).position;
      if (r < 0) at_rest = angle;
      if (!(fabs(angle - at_rest) < 1e-3))
        fail_msg("%s, %g rad/s: %g rad, at rest %g rad", WAY[w].name, rate, angle, at_rest);
      end(m, d);
    }
  }
}

/* Constant torque from rest through half a turn per step and beyond. */
TEST(a_motor_runs_up_through_half_a_turn_in_a_step)
{
  for (int w = 0; w < WAYS; w++) {
    ali3_model *m = one_shaft(0);
    const int motor = add(m, on_joint(ALI3_FORCE_MOTOR, 0));
    ali3_data *d = begin(m, &WAY[w], 0.01);
    ali3_set_command(m, d, motor, 10.0); /* 500 rad/s^2 */
    for (int i = 0; i < 200; i++) {
      const int status = ali3_step(m, d); /* the torque jumps in the first step */
      if (status < 0 || (status > 0 && i > 0)) fail_msg("%s: step %d", WAY[w].name, i);
    }
    const ali3_joint_state s = joint_of(m, d, 0);
    if (!(fabs(s.velocity - 1000) < 6 &&
          fabs(s.position - 1000) < 12)) /* the first step may not have the torque yet */
      fail_msg("%s: %.9g rad/s, %.9g rad", WAY[w].name, s.velocity, s.position);
    end(m, d);
  }
}

TEST(a_stop_hundreds_of_turns_away_acts_there)
{
  for (int sign = -1; sign <= 1; sign += 2)
    for (int w = 0; w < WAYS; w++) {
      if (ali3_method_is_explicit(WAY[w].method)) continue; /* the stop is too stiff for 10 ms */
      ali3_model *m = one_shaft(sign * 320);
      ali3_force_spec s = on_joint(ALI3_FORCE_STOP, 0);
      s.lower = sign > 0 ? -1000 : -3000;
      s.upper = sign > 0 ? 3000 : 1000;
      s.stiffness[0] = 20;
      s.damping[0] = 0.5;
      add(m, s);
      ali3_data *d = begin(m, &WAY[w], 0.01);
      double farthest = 0;
      for (int i = 0; i < 1000; i++) {
        if (ali3_step(m, d) < 0) fail_msg("%s: step %d failed", WAY[w].name, i);
        farthest = fmax(farthest, sign * joint_of(m, d, 0).position);
      }
      if (!(farthest > 2999 && farthest < 3020))
        fail_msg("%s: the stop acts at %g rad", WAY[w].name, farthest);
      assert_true(sign * joint_of(m, d, 0).velocity < 0);
      end(m, d);
    }
}

/* A free body turns about a principal axis. */
TEST(a_free_body_keeps_its_rate)
{
  static const double INERTIA[2][3] = {{0.01, 0.015, 0.02}, {0.01, 0.01, 0.02}};
  for (int w = 0; w < WAYS; w++)
    for (int r = 0; r < RATES; r++)
      for (int k = 0; k < 2; k++) {
        ali3_model *m = model(0);
        ali3_body_spec b = toy_body("b", none, 1.0, 0.01);
        for (int i = 0; i < 3; i++) b.inertia[4 * i] = INERTIA[k][i];
        b.angular_velocity[2] = RATE[r];
        toy_added(m, ali3_model_add_body(m, &b));
        ali3_data *d = begin(m, &WAY[w], 0.01);
        for (int i = 0; i < 100; i++)
          if (ali3_step(m, d) != ALI3_OK) fail_msg("%s, %g rad/s: step %d", WAY[w].name, RATE[r], i);
        const ali3_body_state s = body(m, d, 0);
        double half = 0.5 * RATE[r]; /* half the angle after 1 s */
        if (!(fabs(s.angular_velocity[2] - RATE[r]) < 1e-9 * RATE[r] &&
              fabs(fabs(s.orientation[0]) - fabs(cos(half))) < 1e-9 * RATE[r]))
          fail_msg("%s, %g rad/s: %.12g rad/s", WAY[w].name, RATE[r], s.angular_velocity[2]);
        end(m, d);
      }
}

/* A state that is saved in the middle goes on with equal bits. */
TEST(a_saved_state_keeps_the_count)
{
  ali3_model *m = geared(1000);
  ali3_data *d = begin(m, WAY, 0.01), *other = ali3_data_new(m);
  toy_run(m, d, 50);
  const size_t size = ali3_state_size(m);
  void *bytes = malloc(size);
  assert_non_null(bytes);
  assert_int_equal(ali3_state_save(m, d, bytes), ALI3_OK);
  assert_int_equal(ali3_reset(m, other), ALI3_OK);
  assert_int_equal(ali3_state_load(m, other, bytes, size), ALI3_OK);
  toy_run(m, d, 50);
  toy_run(m, other, 50);
  for (int j = 0; j < 2; j++) {
    const ali3_joint_state a = joint_of(m, d, j), b = joint_of(m, other, j);
    assert_memory_equal(&a.position, &b.position, sizeof a.position);
    assert_memory_equal(&a.velocity, &b.velocity, sizeof a.velocity);
  }
  free(bytes);
  ali3_data_free(other);
  end(m, d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shaft_keeps_its_rate_and_counts_its_turns),
      cmocka_unit_test(a_shaft_in_a_shaft_counts_too),
      cmocka_unit_test(gears_of_10_to_1_stay_in_mesh),
      cmocka_unit_test(a_planetary_set_stays_in_mesh),
      cmocka_unit_test(a_drive_turns_at_any_speed),
      cmocka_unit_test(a_spring_between_fast_shafts_acts_as_at_rest),
      cmocka_unit_test(a_motor_runs_up_through_half_a_turn_in_a_step),
      cmocka_unit_test(a_stop_hundreds_of_turns_away_acts_there),
      cmocka_unit_test(a_free_body_keeps_its_rate),
      cmocka_unit_test(a_saved_state_keeps_the_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
