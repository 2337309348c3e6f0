/* SPDX-License-Identifier: MIT
 * RT: constant memory, no branch depends on time. */
#include "rig/forward.h"

#include "hexapod/hexapod_parts.h"
#include "hexapod/pose.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { N = PLATFORM_LEGS };
static const double LEGS_CLOSED = 1e-6; /* m or rad */

/* Solves A x = b by elimination with partial pivots; x replaces b. False if A is singular. */
static bool solve_six(double A[N][N], double b[N])
{
  /* Eliminate, row by row, with the largest pivot of each column. */
  for (int k = 0; k < N; k++) {
    int pivot = k;
    for (int i = k + 1; i < N; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    if (!(fabs(A[pivot][k]) > 1e-12)) return false;
    for (int j = k; j < N; j++) {
      const double swapped = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = swapped;
    }
    const double swapped = b[k];
    b[k] = b[pivot];
    b[pivot] = swapped;
    for (int i = k + 1; i < N; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < N; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  /* Substitute backwards. */
  for (int k = N - 1; k >= 0; k--) {
    for (int j = k + 1; j < N; j++) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return true;
}

/* The columns of the Jacobian give the change of each leg per displacement and turn in base axes; a crank changes by this number
 * divided by its length and transmission. A small turn changes the angles as an angular velocity does. */
static bool solve_coordinates(const struct hexapod *h, const struct hexapod_parts *parts,
                              const double p[PLATFORM_DOF], const double leg[N], double v[PLATFORM_DOF])
{
  double A[N][N], x[N], R[9], turn[3];
  for (int i = 0; i < N; i++) {
    const double by = h->geometry.crank ? h->geometry.crank_length * parts->transmission[i] : 1.0;
    for (int c = 0; c < PLATFORM_DOF; c++) A[i][c] = parts->jacobian[c][i];
    x[i] = leg[i] * by;
  }
  if (!solve_six(A, x)) return false;
  pose_rotation(R, p + 3);
  m3_tmul(turn, R, x + 3);
  memcpy(v, x, 3 * sizeof *v);
  pose_angle_rates(v + 3, p + 3, turn);
  return true;
}

static bool newton_step(const struct hexapod *h, const struct hexapod_parts *parts, const double rest[N],
                        double p[PLATFORM_DOF])
{
  double change[PLATFORM_DOF];
  if (!solve_coordinates(h, parts, p, rest, change)) return false;
  for (int c = 0; c < PLATFORM_DOF; c++) p[c] += change[c];
  return true;
}

bool forward_pose(const struct hexapod *h, const double leg[PLATFORM_LEGS], int steps, double p[PLATFORM_DOF])
{
  for (int n = 0;; n++) {
    struct hexapod_parts parts;
    struct hexapod_state s;
    double rest[N], most = 0.0, next[PLATFORM_DOF];
    if (!hexapod_parts(h, p, NULL, &parts, &s)) return false;
    for (int i = 0; i < N; i++) {
      rest[i] = leg[i] - s.leg[i];
      most = fabs(rest[i]) > most ? fabs(rest[i]) : most;
    }
    if (most <= LEGS_CLOSED) return true;
    if (n == steps || !isfinite(most)) return false;
    memcpy(next, p, sizeof next);
    if (!newton_step(h, &parts, rest, next)) return false;
    for (int c = 0; c < PLATFORM_DOF; c++)
      if (!(fabs(next[c]) < 1e3)) return false;
    memcpy(p, next, sizeof next);
  }
}

bool forward_rates(const struct hexapod *h, const double p[PLATFORM_DOF],
                   const double leg_rate[PLATFORM_LEGS], double v[PLATFORM_DOF])
{
  struct hexapod_parts parts;
  struct hexapod_state s;
  return hexapod_parts(h, p, NULL, &parts, &s) && solve_coordinates(h, &parts, p, leg_rate, v);
}

bool forward_step(const struct hexapod *h, const double leg[PLATFORM_LEGS], double p[PLATFORM_DOF])
{
  struct hexapod_parts parts;
  struct hexapod_state s;
  double rest[N];
  if (!hexapod_parts(h, p, NULL, &parts, &s)) return false;
  for (int i = 0; i < N; i++) rest[i] = leg[i] - s.leg[i];
  return newton_step(h, &parts, rest, p);
}
