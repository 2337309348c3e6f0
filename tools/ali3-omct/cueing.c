/* SPDX-License-Identifier: MIT
 * The objective motion cueing test: how the platform answers to sinusoidal motion of the vehicle, through washout, limits and
 * kinematics. Ten tests at twelve frequencies.
 *
 * The input is the reading of an IMU at the driver's head. The output is what the head on the platform feels once the rig has
 * reached the pose of the cycle, one period later. Least squares give amplitude and phase of both.
 *
 * In the tests of rotation the vehicle turns about the driver's head, and gravity turns in the axes of the vehicle: both the
 * rotation and the tilt of the washout answer. Structure of the tests: ICAO document 9625; Stroosma et al., AIAA 2013-4834. The
 * amplitudes and the references of the cross paths are our own. */
#include "omct.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define DEGREE (M_PI / 180.0)

enum motion_channel { FORCE_X, FORCE_Y, FORCE_Z, RATE_X, RATE_Y, RATE_Z };

static const struct cueing_plan {
  const char *name, *unit;
  enum motion_channel moved; /* the vehicle moves in this channel */
  enum motion_channel reference, felt;
  double scale; /* of the modulus */
} PLANS[CUEING_TESTS] = {
    {"1 pitch", "", RATE_Y, RATE_Y, RATE_Y, 1.0},
    {"2 pitch to surge", "", RATE_Y, FORCE_X, FORCE_X, 1.0},
    {"3 roll", "", RATE_X, RATE_X, RATE_X, 1.0},
    {"4 roll to sway", "", RATE_X, FORCE_Y, FORCE_Y, 1.0},
    {"5 yaw", "", RATE_Z, RATE_Z, RATE_Z, 1.0},
    {"6 surge", "", FORCE_X, FORCE_X, FORCE_X, 1.0},
    {"7 surge to pitch", "deg/s per m/s^2", FORCE_X, FORCE_X, RATE_Y, 1.0 / DEGREE},
    {"8 sway", "", FORCE_Y, FORCE_Y, FORCE_Y, 1.0},
    {"9 sway to roll", "deg/s per m/s^2", FORCE_Y, FORCE_Y, RATE_X, 1.0 / DEGREE},
    {"10 heave", "", FORCE_Z, FORCE_Z, FORCE_Z, 1.0},
};

/* Least squares of y(t) with c + s sin(w t) + k cos(w t). */
struct sine_fit {
  double m[3][3], y[3];
};

static void fit_add(struct sine_fit *f, double angle, double y)
{
  const double x[3] = {1.0, sin(angle), cos(angle)};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) f->m[i][k] += x[i] * x[k];
    f->y[i] += x[i] * y;
  }
}

static void fit_solve(struct sine_fit *f, double *sine, double *cosine)
{
  for (int i = 0; i < 3; i++)
    for (int k = i + 1; k < 3; k++) {
      const double l = f->m[k][i] / f->m[i][i];
      for (int j = i; j < 3; j++) f->m[k][j] -= l * f->m[i][j];
      f->y[k] -= l * f->y[i];
    }
  *cosine = f->y[2] / f->m[2][2];
  *sine = (f->y[1] - f->m[1][2] * *cosine) / f->m[1][1];
}

/* The reading of the IMU at time t. The vehicle turns about one axis at most, so gravity needs no general rotation. */
static void read_imu(enum motion_channel moved, const struct cueing_amplitudes *a, double gravity, double w,
                     double t, struct platform_input *in)
{
  memset(in->specific_force, 0, sizeof in->specific_force);
  memset(in->angular_velocity, 0, sizeof in->angular_velocity);
  double angle = 0.0;
  if (moved >= RATE_X) {
    in->angular_velocity[moved - RATE_X] = a->rate * sin(w * t);
    angle = -a->rate / w * cos(w * t);
  } else {
    in->specific_force[moved] = a->force * sin(w * t);
  }
  /* Gravity as the turned vehicle sees it. */
  const double along = gravity * sin(angle), upright = gravity * cos(angle);
  if (moved == RATE_X) in->specific_force[1] += along;
  if (moved == RATE_Y) in->specific_force[0] -= along;
  in->specific_force[2] += moved == RATE_X || moved == RATE_Y ? upright : gravity;
}

static double channel_value(const double force[3], const double rate[3], enum motion_channel c)
{
  return c >= RATE_X ? rate[c - RATE_X] : force[c];
}

static bool ready_rig(struct platform *p, const struct platform_spec *spec)
{
  const double patience = 600.0; /* s; the way to neutral takes some seconds on any rig that can be ridden */
  const struct platform_input rest = {.request = PLATFORM_TO_RUN, .specific_force = {0, 0, spec->gravity}};
  char error[400];
  if (!platform_init(p, spec, error, sizeof error)) {
    fprintf(stderr, "ali3-omct: platform: %s\n", error);
    return false;
  }
  for (double t = 0.0; p->out.state[0] != PLATFORM_RUN && t < patience; t += spec->period)
    platform_step(p, &rest);
  if (p->out.state[0] == PLATFORM_RUN) return true;
  fprintf(stderr, "ali3-omct: platform: expected state run within %g s of engaging\n", patience);
  return false;
}

static bool measure_response(const struct platform_spec *spec, const struct cueing_plan *plan,
                             const struct cueing_amplitudes *a, double w, struct cueing_response *out)
{
  static struct platform p;
  struct platform_input in = {.request = PLATFORM_TO_RUN};
  struct sine_fit reference = {0}, felt = {0};
  if (!ready_rig(&p, spec)) return false;
  /* Whole turns: at least 60 s to settle, then at least 20 s to measure. */
  const double dt = spec->period, turn = 2.0 * M_PI / w;
  const long settle = lround(ceil(60.0 / turn) * turn / dt),
             end = settle + lround(ceil(20.0 / turn) * turn / dt);
  for (long i = 0; i < end; i++) {
    const double t = (double)i * dt;
    read_imu(plan->moved, a, spec->gravity, w, t, &in);
    platform_step(&p, &in);
    if (i < settle) continue;
    fit_add(&reference, w * t, channel_value(in.specific_force, in.angular_velocity, plan->reference));
    fit_add(&felt, w * (t + dt), channel_value(p.out.specific_force, p.out.angular_velocity, plan->felt));
    out->false_force = fmax(out->false_force, p.out.false_force_jump[0]);
    out->false_rate = fmax(out->false_rate, p.out.false_rate_jump[0]);
    out->limited |= ((int)p.out.flags[0] & (PLATFORM_LIMITED | PLATFORM_TILT_LIMITED)) != 0;
  }
  /* Modulus and phase of the quotient. */
  double sine[2], cosine[2];
  fit_solve(&reference, &sine[0], &cosine[0]);
  fit_solve(&felt, &sine[1], &cosine[1]);
  out->modulus = plan->scale * hypot(sine[1], cosine[1]) / hypot(sine[0], cosine[0]);
  out->phase = remainder(atan2(cosine[1], sine[1]) - atan2(cosine[0], sine[0]), 2.0 * M_PI) / DEGREE;
  return true;
}

double cueing_frequency(int i)
{
  return 0.1 * pow(10.0, 0.2 * i);
}

bool cueing_run(const struct platform_spec *spec, const struct cueing_amplitudes *amplitudes,
                struct cueing *out)
{
  const bool terminal = isatty(STDERR_FILENO);
  bool good = true;
  *out = (struct cueing){0};
  for (int t = 0; good && t < CUEING_TESTS; t++) {
    const struct cueing_plan *plan = &PLANS[t];
    struct cueing_test *test = &out->test[t];
    test->name = plan->name;
    test->unit = plan->unit;
    test->cross = plan->moved != plan->felt;
    for (int i = 0; good && i < CUEING_FREQUENCIES; i++) {
      if (terminal)
        fprintf(stderr, "\r\033[Ktest %d of %d, %.3f rad/s", t + 1, CUEING_TESTS, cueing_frequency(i));
      good = measure_response(spec, plan, amplitudes, cueing_frequency(i), &test->response[i]);
    }
  }
  if (terminal) fputs("\r\033[K", stderr);
  return good;
}
