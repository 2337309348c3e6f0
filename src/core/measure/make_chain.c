/* SPDX-License-Identifier: MIT
 * Set-up: the numbers of a measuring chain that depend on the length of a step. */
#include "measure/chain.h"

#include <math.h>
#include <string.h>

enum { SYSTEM = 4 }; /* two states of the filter, its input, and the change of the input within a step */

/* FNV-1a: another sensor has other noise, wherever it stands in the list. */
static uint64_t noise_stream_of(const char *name)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (; *name; name++) h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
  return h;
}

static void multiply_systems(double o[SYSTEM][SYSTEM], double a[SYSTEM][SYSTEM], double b[SYSTEM][SYSTEM])
{
  double c[SYSTEM][SYSTEM];
  for (int i = 0; i < SYSTEM; i++)
    for (int k = 0; k < SYSTEM; k++) {
      c[i][k] = 0.0;
      for (int j = 0; j < SYSTEM; j++) c[i][k] += a[i][j] * b[j][k];
    }
  memcpy(o, c, sizeof c);
}

/* exp(A), A in and out: a Taylor series of A / 2^n, squared n times. */
static void exponentiate_system(double A[SYSTEM][SYSTEM], double norm)
{
  enum { TERMS = 20 };
  double sum[SYSTEM][SYSTEM] = {{0}}, term[SYSTEM][SYSTEM] = {{0}};
  int squares = 0;
  for (; norm > 0.5; norm *= 0.5) squares++;
  for (int i = 0; i < SYSTEM; i++) {
    sum[i][i] = term[i][i] = 1.0;
    for (int k = 0; k < SYSTEM; k++) A[i][k] = ldexp(A[i][k], -squares);
  }
  for (int n = 1; n <= TERMS; n++) {
    multiply_systems(term, term, A);
    for (int i = 0; i < SYSTEM; i++)
      for (int k = 0; k < SYSTEM; k++) sum[i][k] += term[i][k] /= n;
  }
  while (squares-- > 0) multiply_systems(sum, sum, sum);
  memcpy(A, sum, sizeof sum);
}

/* turn: rad, 2 pi cutoff dt. */
static void make_low_pass(struct chain *c, int order, double turn)
{
  static const double FASTEST =
      1e6; /* rad in a step; a faster filter follows its input to 1e-6 of its change */
  if (turn == 0.0 || turn > FASTEST) return;
  const double A1[SYSTEM][SYSTEM] = {{-turn, 0, turn, 0}, {0}, {0, 0, 0, 1}, {0}};
  const double A2[SYSTEM][SYSTEM] = {{0, turn, 0, 0}, {-turn, -sqrt(2.0) * turn, turn, 0}, {0, 0, 0, 1}, {0}};
  double A[SYSTEM][SYSTEM];
  memcpy(A, order == 2 ? A2 : A1, sizeof A);
  exponentiate_system(A, 4.0 * turn + 1.0);
  c->order = order;
  for (int i = 0; i < 2; i++) {
    c->phi[i][0] = A[i][0];
    c->phi[i][1] = A[i][1];
    c->last[i] = A[i][2] - A[i][3];
    c->now[i] = A[i][3];
  }
  if (order == 1) c->phi[1][1] = 0.0; /* the state that it does not have */
}

bool chain_make(struct chain *c, const char *name, const ali3_sensor_spec *s, double dt)
{
  static const double ROUNDING = 1e-9; /* steps: a delay of 30 ms is three steps of 10 ms */
  const double steps = s->delay / dt;
  *c = (struct chain){.channels = ali3_sensor_type_readings(s->type), .noise = noise_stream_of(name)};
  if (c->channels == 0) return true;
  c->noise += (uint64_t)(int64_t)s->seed * UINT64_C(0xd1342543de82ef95);
  make_low_pass(c, s->filter_order > 1 ? 2 : 1, 6.283185307179586 * s->cutoff * dt);
  /* The samples between which the delayed value lies. */
  if (!(steps <= CHAIN_SAMPLES_MAX)) return false;
  c->whole = (int)floor(steps + ROUNDING);
  c->part = steps - c->whole;
  if (fabs(c->part) <= ROUNDING) c->part = 0.0;
  c->samples = c->whole > 0 || c->part > 0.0 ? c->whole + 2 : 0;
  c->each = CHAIN_SAMPLES + (size_t)c->samples;
  c->exact = c->order == 0 && c->samples == 0;
  for (int i = 0; i < 2; i++)
    c->exact &= s->noise[i] == 0.0 && s->resolution[i] == 0.0 && !(s->lower[i] < s->upper[i]) &&
                s->scale_error[i] == 0.0;
  c->exact &= s->bias == 0.0;
  for (int i = 0; i < 3; i++) c->exact &= s->force_bias[i] == 0.0 && s->angular_bias[i] == 0.0;
  return true;
}
