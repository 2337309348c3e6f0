/* SPDX-License-Identifier: MIT
 * One hour on the platform with a rough driver, e-stops, faults, pauses, losses of input and changes of parameters: no limit is
 * ever exceeded, and at the end the platform rests at neutral. The test computes everything from the poses alone. */
#include "check.h"
#include "platform/rig.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define TOLERANCE 1e-9
enum { CYCLES = 360000, EVENTS = 800, SEED = 20261123 };

/* Largest excess over each limit; negative: the smallest distance from it. */
struct worst {
  double pos, vel, acc, jerk, leg, leg_rate, joint, integral;
};

struct ride {
  struct platform platform;
  struct platform_spec spec;
  struct platform_input in;
  struct rig_driver driver;
  struct platform_output before;
  struct platform_limits active; /* largest limits in effect since all limits were kept */
  struct worst worst;
  int loss; /* remaining cycles of a lost input */
  int cycles, stops, faults, pauses, losses, changes, states[8];
};

static void widen(double *worst, double excess)
{
  if (!(excess <= *worst)) *worst = excess; /* true for NaN, too */
}

static void judge_coordinates(struct ride *r)
{
  const struct platform_output *o = &r->platform.out, *b = &r->before;
  const struct platform_limits *l = &r->active;
  const double dt = r->spec.period;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double jerk = (o->acceleration[k] - b->acceleration[k]) / dt;
    widen(&r->worst.pos, fabs(o->pose[k]) - l->pos[k]);
    widen(&r->worst.vel, fabs(o->velocity[k]) - l->vel[k]);
    widen(&r->worst.acc, fabs(o->acceleration[k]) - l->acc[k]);
    widen(&r->worst.jerk, fabs(jerk) - l->jerk[k]);
    /* pose, velocity and acceleration are one motion, with constant jerk between cycles */
    const double v = b->velocity[k] + 0.5 * dt * (b->acceleration[k] + o->acceleration[k]);
    const double p =
        b->pose[k] + dt * b->velocity[k] + dt * dt * (2.0 * b->acceleration[k] + o->acceleration[k]) / 6.0;
    widen(&r->worst.integral, fabs(v - o->velocity[k]));
    widen(&r->worst.integral, fabs(p - o->pose[k]));
  }
}

static void judge_legs(struct ride *r)
{
  const struct platform_output *o = &r->platform.out;
  const struct platform_geometry *g = &r->spec.geometry;
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    double ahead[PLATFORM_DOF], behind[PLATFORM_DOF];
    const double length = rig_leg(g, o->pose, i), h = 1e-4;
    for (int k = 0; k < PLATFORM_DOF; k++) {
      ahead[k] = o->pose[k] + h * o->velocity[k];
      behind[k] = o->pose[k] - h * o->velocity[k];
    }
    const double rate = (rig_leg(g, ahead, i) - rig_leg(g, behind, i)) / (2.0 * h);
    assert_true(fabs(length - o->legs[i]) < 1e-12);
    assert_true(fabs(rate - o->leg_rates[i]) < 1e-7);
    widen(&r->worst.leg, fabs(length - 0.5 * (g->leg_min + g->leg_max)) - 0.5 * (g->leg_max - g->leg_min));
    widen(&r->worst.leg_rate, fabs(o->leg_rates[i]) - g->leg_rate);
  }
  widen(&r->worst.joint, g->margin - o->margin[0]);
}

/* Limits of the next cycle: old and new ones after a change, and only the new ones once they take effect. At the park pose the
 * platform may be beyond the limits of a run. */
static void put_limits(struct ride *r, bool settled)
{
  struct platform_limits now;
  params_limits(&r->platform.spec.params, &now);
  double *active[] = {r->active.pos, r->active.vel, r->active.acc, r->active.jerk};
  const double *wanted[] = {now.pos, now.vel, now.acc, now.jerk};
  const bool engaged = ((unsigned)r->platform.out.flags[0] & PLATFORM_ENGAGED) != 0;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double park = fabs(r->platform.spec.park[k]) * 1.001;
    if (!engaged && now.pos[k] < park) now.pos[k] = park;
    for (int i = 0; i < 4; i++)
      if (settled || wanted[i][k] > active[i][k]) active[i][k] = wanted[i][k];
  }
}

static void step(struct ride *r)
{
  r->before = r->platform.out;
  rig_drive(&r->driver, r->spec.period, 1.0, &r->in);
  if (r->loss > 0) { /* no input, or NaN */
    r->loss--;
    for (int i = 0; i < 3; i++) {
      r->in.specific_force[i] = r->loss % 3 == i ? NAN : 0.0;
      r->in.angular_velocity[i] = r->loss % 2 ? INFINITY : 0.0;
    }
  }
  platform_step(&r->platform, &r->in);
  r->in.restart = false;
  put_limits(r, false);
  judge_coordinates(r);
  judge_legs(r);
  put_limits(r, ((unsigned)r->platform.out.flags[0] & PLATFORM_PENDING) == 0);
  r->states[(int)r->platform.out.state[0]]++;
  r->cycles++;
}

static void steps(struct ride *r, enum platform_request request, int cycles)
{
  r->in.request = request;
  for (int i = 0; i < cycles; i++) step(r);
}

/* Sets the numbers of a random parameter to values in the middle of their range, or all parameters to their defaults. */
static void change_parameters(struct ride *r)
{
  struct platform_params q = r->platform.spec.params;
  struct random *x = &r->driver.random;
#define CHANGE(name, count, unit, least, greatest, text)                                                     \
  if (random_below(x, 8) == 0)                                                                               \
    for (int i = 0; i < (count); i++) {                                                                      \
      const double factor = random_between(x, 0.5, 1.5), v = r->spec.params.name[i] * factor;                \
      q.name[i] = v < (least) ? (least) : v > (greatest) ? (greatest) : v;                                   \
    }
  if (random_below(x, 4) == 0)
    q = r->spec.params;
  else {
    PLATFORM_PARAM_LIST(CHANGE)
  }
#undef CHANGE
  platform_tune(&r->platform, r->platform.spec.mode, &q);
  r->changes++;
}

static void something_happens(struct ride *r)
{
  struct random *x = &r->driver.random;
  const int while_ms = 10 + random_below(x, 400);
  switch (random_below(x, 8)) {
  case 0:
  case 1: /* e-stop or park, then a new start, perhaps before the platform is parked */
    steps(r, random_below(x, 2) ? PLATFORM_TO_SAFE : PLATFORM_TO_PARK, while_ms * 3);
    steps(r, PLATFORM_TO_NEUTRAL, while_ms);
    r->stops++;
    break;
  case 2:
    steps(r, PLATFORM_TO_FAULT, while_ms * 3);
    steps(r, PLATFORM_TO_PARK, while_ms);
    r->faults++;
    break;
  case 3:
    steps(r, PLATFORM_TO_FREEZE, while_ms);
    r->pauses++;
    break;
  case 4:
  case 5:
    r->loss = while_ms;
    r->losses++;
    break;
  default:
    change_parameters(r);
    break;
  }
  if (random_below(x, 10) == 0) r->in.restart = true;
}

TEST(an_hour_within_the_envelope)
{
  char error[200];
  struct ride *r = calloc(1, sizeof *r);
  const struct worst none = {-1, -1, -1, -1, -1, -1, -1, -1};
  r->driver.random.state = SEED;
  r->worst = none;
  rig_spec(&r->spec);
  if (!platform_init(&r->platform, &r->spec, error, sizeof error)) fail_msg("%s", error);
  params_limits(&r->spec.params, &r->active);
  steps(r, PLATFORM_TO_NEUTRAL, 1); /* from here on the pose is known: the park pose */
  r->worst = none;                  /* before the first cycle there is no motion to compare with */

  while (r->cycles < CYCLES) {
    steps(r, PLATFORM_TO_RUN, 1 + random_below(&r->driver.random, 2 * CYCLES / EVENTS));
    something_happens(r);
  }
  print_message("%d cycles: %d e-stops, %d faults, %d pauses, %d losses of input, %d changes of parameters\n"
                "states parked %d engage %d neutral %d run %d freeze %d stop %d fault %d park %d\n"
                "excess: position %.1e, rate %.1e, acceleration %.1e, jerk %.1e, leg %.1e, leg rate %.1e, "
                "margin %.1e, integral %.1e\n",
                r->cycles, r->stops, r->faults, r->pauses, r->losses, r->changes, r->states[0], r->states[1],
                r->states[2], r->states[3], r->states[4], r->states[5], r->states[6], r->states[7],
                r->worst.pos, r->worst.vel, r->worst.acc, r->worst.jerk, r->worst.leg, r->worst.leg_rate,
                r->worst.joint, r->worst.integral);
  assert_true(r->stops >= 100 && r->losses >= 100 && r->changes >= 100);
  assert_true(r->worst.pos <= TOLERANCE);
  assert_true(r->worst.vel <= TOLERANCE);
  assert_true(r->worst.acc <= TOLERANCE);
  assert_true(r->worst.jerk <= TOLERANCE);
  assert_true(r->worst.leg <= TOLERANCE);
  assert_true(r->worst.leg_rate <= TOLERANCE);
  assert_true(r->worst.joint <= TOLERANCE);
  assert_true(r->worst.integral <= 1e-12);

  /* The driver lets go. */
  platform_tune(&r->platform, PLATFORM_WASHOUT, &r->spec.params);
  for (int i = 0; i < 6000; i++) {
    r->in = (struct platform_input){.request = PLATFORM_TO_RUN, .specific_force = {0, 0, RIG_GRAVITY}};
    platform_step(&r->platform, &r->in);
  }
  assert_int_equal(r->platform.out.state[0], PLATFORM_RUN);
  for (int k = 0; k < 3; k++) assert_true(fabs(r->platform.out.pose[k]) < 1e-3);
  for (int k = 3; k < 6; k++) assert_true(fabs(r->platform.out.pose[k]) < 0.05 * RIG_DEGREE);
  free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_hour_within_the_envelope)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
