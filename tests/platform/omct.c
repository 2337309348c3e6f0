/* SPDX-License-Identifier: MIT
 * Objective motion cueing test: response of the whole platform block (washout, limits, kinematics) to sinusoidal motion of the
 * vehicle. There are ten tests at twelve frequencies from 0.1 to 15.85 rad/s, with a ratio of 10^0.2.
 *
 * The input is the reading of an imu at the driver's head. The output is the motion that the head on the platform feels, if the
 * platform reaches the pose of a cycle by its end. Least squares give amplitude and phase of both.
 *
 * In the tests of rotation the vehicle turns about the driver's head, so that gravity turns in its axes, too: the rotation and
 * the tilt of the washout both respond. The structure of the tests is that of ICAO document 9625, Stroosma et al., AIAA
 * 2013-4834. The amplitudes (1 deg/s; 1 m/s^2, or --force) and the references of the cross paths are our own. */
#include "platform/rig.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { FREQUENCIES = 12 };
#define RATE_AMPLITUDE (1.0 * RIG_DEGREE) /* rad/s */

static double force_amplitude = 1.0; /* m/s^2 */

enum channel { FORCE_X, FORCE_Y, FORCE_Z, RATE_X, RATE_Y, RATE_Z };

static const struct omct {
  const char *name, *unit;
  enum channel moved; /* motion of the vehicle */
  enum channel reference, felt;
  double scale; /* of the modulus */
} TESTS[] = {
    {"1 pitch", "", RATE_Y, RATE_Y, RATE_Y, 1.0},
    {"2 pitch to surge", "", RATE_Y, FORCE_X, FORCE_X, 1.0},
    {"3 roll", "", RATE_X, RATE_X, RATE_X, 1.0},
    {"4 roll to sway", "", RATE_X, FORCE_Y, FORCE_Y, 1.0},
    {"5 yaw", "", RATE_Z, RATE_Z, RATE_Z, 1.0},
    {"6 surge", "", FORCE_X, FORCE_X, FORCE_X, 1.0},
    {"7 surge to pitch", "deg/s per m/s^2", FORCE_X, FORCE_X, RATE_Y, 1.0 / RIG_DEGREE},
    {"8 sway", "", FORCE_Y, FORCE_Y, FORCE_Y, 1.0},
    {"9 sway to roll", "deg/s per m/s^2", FORCE_Y, FORCE_Y, RATE_X, 1.0 / RIG_DEGREE},
    {"10 heave", "", FORCE_Z, FORCE_Z, FORCE_Z, 1.0},
};
enum { TESTS_COUNT = sizeof TESTS / sizeof *TESTS };

struct response {
  double modulus, phase; /* deg */
  bool limited;
};

/* Least squares of y(t) with c + s sin(w t) + k cos(w t). */
struct fit {
  double m[3][3], y[3];
};

static void fit_add(struct fit *f, double angle, double y)
{
  const double x[3] = {1.0, sin(angle), cos(angle)};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) f->m[i][k] += x[i] * x[k];
    f->y[i] += x[i] * y;
  }
}

static void fit_solve(struct fit *f, double *sine, double *cosine)
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

/* Reading of the imu at time t. */
static void move(enum channel moved, double w, double t, struct platform_input *in)
{
  double angle[3] = {0}, r[3][3];
  for (int i = 0; i < 3; i++) in->angular_velocity[i] = in->specific_force[i] = 0.0;
  if (moved >= RATE_X) {
    in->angular_velocity[moved - RATE_X] = RATE_AMPLITUDE * sin(w * t);
    angle[moved - RATE_X] = -RATE_AMPLITUDE / w * cos(w * t);
  } else {
    in->specific_force[moved] = force_amplitude * sin(w * t);
  }
  rig_rotation(r, angle);
  for (int i = 0; i < 3; i++) in->specific_force[i] += RIG_GRAVITY * r[2][i];
}

static double channel(const double force[3], const double rate[3], enum channel c)
{
  return c >= RATE_X ? rate[c - RATE_X] : force[c];
}

static bool measure(const struct platform_spec *spec, const struct omct *test, double w, struct response *out)
{
  static struct platform p;
  char error[200];
  struct platform_input in = {.order = PLATFORM_TO_RUN, .specific_force = {0, 0, RIG_GRAVITY}};
  struct fit reference = {0}, felt = {0};
  if (!platform_init(&p, spec, error, sizeof error)) {
    fprintf(stderr, "omct: %s\n", error);
    return false;
  }
  const double dt = spec->period, turn = 2.0 * M_PI / w;
  while (p.out.state[0] != PLATFORM_RUN) platform_step(&p, &in);
  const long settle = lround(ceil(60.0 / turn) * turn / dt),
             end = settle + lround(ceil(20.0 / turn) * turn / dt);
  out->limited = false;
  for (long i = 0; i < end; i++) {
    const double t = (double)i * dt;
    move(test->moved, w, t, &in);
    platform_step(&p, &in);
    if (i < settle) continue;
    fit_add(&reference, w * t, channel(in.specific_force, in.angular_velocity, test->reference));
    fit_add(&felt, w * (t + dt), channel(p.out.specific_force, p.out.angular_velocity, test->felt));
    out->limited |= ((int)p.out.flags[0] & (PLATFORM_LIMITED | PLATFORM_TILT_LIMITED)) != 0;
  }
  double a, b, c, d;
  fit_solve(&reference, &a, &b);
  fit_solve(&felt, &c, &d);
  out->modulus = test->scale * hypot(c, d) / hypot(a, b);
  out->phase = remainder(atan2(d, c) - atan2(b, a), 2.0 * M_PI) / RIG_DEGREE;
  return true;
}

static double frequency(int i)
{
  return 0.1 * pow(10.0, 0.2 * i);
}

static int table(const struct platform_spec *spec)
{
  printf("%-18s", "rad/s");
  for (int i = 0; i < FREQUENCIES; i++) printf(" %7.3f", frequency(i));
  printf("\n");
  for (int t = 0; t < TESTS_COUNT; t++) {
    struct response r[FREQUENCIES];
    for (int i = 0; i < FREQUENCIES; i++)
      if (!measure(spec, &TESTS[t], frequency(i), &r[i])) return 1;
    printf("%-18s", TESTS[t].name);
    for (int i = 0; i < FREQUENCIES; i++) printf(" %6.3f%s", r[i].modulus, r[i].limited ? "*" : " ");
    printf(" %s\n%-18s", TESTS[t].unit, "  deg");
    for (int i = 0; i < FREQUENCIES; i++) printf(" %6.0f ", r[i].phase);
    printf("\n");
    fflush(stdout);
  }
  printf("* a limit of the tilt or of a position is reached\n");
  return 0;
}

/* For plots: a block for each test, two empty lines between. */
static int data(const struct platform_spec *spec)
{
  for (int t = 0; t < TESTS_COUNT; t++) {
    printf("\"%s\"\n", TESTS[t].name);
    for (int i = 0; i < FREQUENCIES; i++) {
      struct response r;
      if (!measure(spec, &TESTS[t], frequency(i), &r)) return 1;
      printf("%.6g %.6g %.6g %d\n", frequency(i), r.modulus, r.phase, r.limited);
    }
    printf("\n\n");
  }
  return 0;
}

int main(int argc, char **argv)
{
  struct platform_spec spec;
  bool plots = false;
  rig_spec(&spec);
  for (int i = 1; i < argc; i++) {
    char *end = NULL;
    if (strcmp(argv[i], "--data") == 0)
      plots = true;
    else if (strcmp(argv[i], "--force") == 0 && i + 1 < argc)
      force_amplitude = strtod(argv[++i], &end);
    else
      force_amplitude = 0.0;
    if ((end && *end) || !(force_amplitude > 0.0)) {
      fprintf(stderr, "usage: omct [--data] [--force M/S2]\n");
      return 2;
    }
  }
  return plots ? data(&spec) : table(&spec);
}
