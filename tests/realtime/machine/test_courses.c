/* SPDX-License-Identifier: MIT
 * The courses of tools/demo in the car of config/demo/car.yaml, on the platform under its driver: what the driver feels and the
 * filters of the washout do not ask for hardly changes within 50 ms, and no end of a leg or coordinate is reached. */
#include "check.h"
#include "common/platform_defaults.h"
#include "config/setup.h"
#include "machine/platform_drive.h"
#include "signals/signals.h"

#include <ali3/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 10, STOPS = 3, CYCLES = 3800 };
#define MOST_FORCE 0.1                  /* m/s^2 */
#define MOST_RATE  (0.5 * M_PI / 180.0) /* rad/s */
#define HAND       0.3                  /* rad/s of the wheels, as the driver of tools/demo turns them */
#define JERK       2.0                  /* rad/s, as far as the file lets them turn */

/* The numbers that tools/demo_parts/course.py draws for the seeds 1 to 10 in the first lap: speed (m/s), steering of the slalom and of the
 * bends (rad). */
static const struct course {
  double fast, slalom, bend;
} courses[SEEDS] = {
    {9.403093, 0.075423, 0.226377},  {11.868103, 0.078435, 0.155655}, {9.713894, 0.066327, 0.186996},
    {9.708144, 0.053095, 0.189606},  {10.868705, 0.072254, 0.229519}, {11.380020, 0.074659, 0.198503},
    {9.971498, 0.054525, 0.215093},  {9.680118, 0.078869, 0.162633},  {10.389022, 0.061199, 0.163854},
    {10.714208, 0.062867, 0.207809},
};

/* s, at which the driver stops: tools/demo --seconds 20 and 30 stop at 16 and 26 s; a whole lap does at 30 s. */
static const double stops[STOPS] = {16.0, 26.0, 30.0};

struct bench {
  struct settings *settings;
  struct signals *signals;
  struct platform_drive drive;
  double *values;
  int steering, throttle, chassis; /* forces; sensor */
};

static int find_sensor(const ali3_model *m, const char *name)
{
  for (int i = 0; i < ali3_model_sensors(m); i++)
    if (strcmp(ali3_model_sensor_name(m, i), name) == 0) return i;
  fail_msg("no sensor %s", name);
  return -1;
}

static int find_force(const struct settings *s, const char *name)
{
  for (int i = 0; i < s->inputs; i++)
    if (strcmp(s->input[i].name, name) == 0) return s->input[i].force;
  fail_msg("no input %s", name);
  return -1;
}

static void bench_init(struct bench *b)
{
  memset(b, 0, sizeof *b);
  b->settings = setup_load(TEST_DATA "/../config/demo/car.yaml", NULL, stderr);
  assert_non_null(b->settings);
  const struct signals_more more = {.platform = &b->settings->platform.spec.geometry};
  b->signals = signals_new_with(b->settings->model, b->settings->input, b->settings->inputs, &more);
  assert_non_null(b->signals);
  b->values = calloc((size_t)b->signals->count, sizeof *b->values);
  assert_non_null(b->values);
  b->steering = find_force(b->settings, "steering");
  b->throttle = find_force(b->settings, "throttle");
  b->chassis = find_sensor(b->settings->model, "chassis");
}

static void bench_free(struct bench *b)
{
  free(b->values);
  signals_free(b->signals);
  settings_free(b->settings);
}

/* Speed along the axis of the car. */
static double speed_of(const struct bench *b)
{
  const double *e = b->values + b->signals->sensor_first[b->chassis] + 3, *v = e + 4;
  return (1.0 - 2.0 * (e[2] * e[2] + e[3] * e[3])) * v[0] + 2.0 * (e[1] * e[2] + e[0] * e[3]) * v[1] +
         2.0 * (e[1] * e[3] - e[0] * e[2]) * v[2];
}

static double move_towards(double from, double to, double most)
{
  return fmax(from - most, fmin(from + most, to));
}

/* Inputs of the car, and the largest rate of the steering. The file limits the rate of the torque. */
struct driven {
  double steering, torque, hand;
};

/* The driver of tools/demo. */
static void drive_car(struct bench *b, ali3_data *d, const struct course *c, double stop, double t,
                      struct driven *now)
{
  const ali3_model *m = b->settings->model;
  const double period = b->settings->options.dt, speed = speed_of(b);
  double wanted = 0.0, steering = 0.0;
  if (t < 14.0) wanted = c->fast;
  if (t >= 6.0 && t < 14.0) steering = c->slalom * sin(2.0 * M_PI * (t - 6.0) / 2.667);
  if (t >= 14.0 && t < 17.0) wanted = 3.0;
  if (t >= 17.0 && t < 30.0) {
    wanted = 5.0;
    steering = c->bend * pow(sin(2.0 * M_PI * (t - 17.0) / 13.0), 3.0);
  }
  if (t >= stop) wanted = steering = 0.0;
  const double hold = wanted > 0.0 ? 35.0 + 16.0 * wanted / 0.3 : 0.0;
  double next = fmax(-900.0, fmin(900.0, hold + 800.0 * (wanted - speed)));
  if (wanted == 0.0 && fabs(speed) < 0.2) next = 0.0;
  now->steering = move_towards(now->steering, steering, now->hand * period);
  now->torque = move_towards(now->torque, next, 6000.0 * period);
  ali3_set_command(m, d, b->steering, now->steering);
  ali3_set_command(m, d, b->throttle, now->torque);
}

/* The parameters that the file sets for this rig, as a file without them has them. */
static void take_default_gains(struct platform_params *p)
{
  struct platform_params usual;
  params_default(&usual);
  memcpy(p->gain_lin, usual.gain_lin, sizeof p->gain_lin);
  memcpy(p->hp_wn, usual.hp_wn, sizeof p->hp_wn);
  p->lp_wn[0] = usual.lp_wn[0];
  p->tilt_acc[0] = usual.tilt_acc[0];
}

static void ride_course(struct bench *b, const struct course *c, double stop, double hand, double most[2],
                        double *farthest)
{
  char error[300];
  const ali3_model *m = b->settings->model;
  const int never = PLATFORM_LIMITED | PLATFORM_UNREACHABLE | (hand > HAND ? 0 : PLATFORM_RATE_LIMITED);
  ali3_data *d = ali3_data_new(m);
  struct driven driven = {.hand = hand};
  assert_true(d && ali3_reset(m, d) >= 0);
  if (!platform_drive_init(&b->drive, &b->settings->platform, b->signals, error, sizeof error))
    fail_msg("%s", error);
  /* Engage, then drive. */
  signals_observe(b->signals, m, d, NULL, b->values);
  while (platform_drive_state(&b->drive) != PLATFORM_RUN ||
         platform_drive_flags(&b->drive) & PLATFORM_BLENDING)
    platform_drive_step(&b->drive, STATE_RUNNING, b->values);
  for (int i = 0; i < CYCLES; i++) {
    drive_car(b, d, c, stop, (double)i * b->settings->options.dt, &driven);
    assert_true(ali3_step(m, d) >= 0);
    signals_observe(b->signals, m, d, NULL, b->values);
    platform_drive_step(&b->drive, STATE_RUNNING, b->values);
    const struct platform_output *o = platform_drive_output(&b->drive);
    assert_false((int)o->flags[0] & never);
    *farthest = fmax(*farthest, fabs(o->pose[0]));
  }
  most[0] = platform_drive_output(&b->drive)->false_force_most[0];
  most[1] = platform_drive_output(&b->drive)->false_rate_most[0];
  ali3_data_free(d);
}

/* The rides of all seeds, which end at the stops from `first` to `last`. */
static void ride_courses(bool by_default, double hand, int first, int last)
{
  struct bench b;
  double farthest = 0.0;
  bench_init(&b);
  if (by_default) take_default_gains(&b.settings->platform.spec.params);
  for (int i = first * SEEDS; i < (last + 1) * SEEDS; i++) {
    const int seed = i % SEEDS;
    const double stop = stops[i / SEEDS];
    double most[2];
    ride_course(&b, &courses[seed], stop, hand, most, &farthest);
    print_message("seed %d, stop at %g s: false cue %.3f m/s^2, %.2f deg/s\n", seed + 1, stop, most[0],
                  most[1] * 180.0 / M_PI);
    assert_true(most[0] > 0.0 && most[0] < MOST_FORCE && most[1] > 0.0 && most[1] < MOST_RATE);
  }
  assert_true(farthest > 0.12); /* m: the platform uses its travel */
  bench_free(&b);
}

TEST(no_course_has_a_false_cue)
{
  ride_courses(false, HAND, 0, STOPS - 1);
}

TEST(default_gains_have_no_false_cue)
{
  ride_courses(true, HAND, 1, 1);
}

/* The driver lets the wheels turn back in the bend where the car stops. */
TEST(a_jerk_of_the_wheels_is_no_false_cue)
{
  ride_courses(false, JERK, 1, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_course_has_a_false_cue),
      cmocka_unit_test(default_gains_have_no_false_cue),
      cmocka_unit_test(a_jerk_of_the_wheels_is_no_false_cue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
