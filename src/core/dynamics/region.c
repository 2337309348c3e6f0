/* SPDX-License-Identifier: MIT
 * The boundary of each region of stability, in polar coordinates about 0. A mode has the eigenvalues s of
 * s^2 + damping s + stiffness = 0. A pair of complex ones has the magnitude sqrt(stiffness), and its angle follows from the
 * damping ratio. If both are real, the larger one counts. */
#include "dynamics/region.h"

#include <math.h>

enum { RATIOS = 10 };
/* damping / (2 sqrt(stiffness)); the last one is that of real eigenvalues */
static const double ratio_at[RATIOS] = {0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.7, 0.85, 0.95, 1};

/* Largest |s dt| at these ratios, where all roots of the method have magnitudes of at most 1 + 1e-9. */
static const double boundary_rk4[RATIOS] = {2.828, 2.848, 2.909, 2.950, 2.896,
                                            2.622, 2.697, 2.830, 2.843, 2.785};
static const double boundary_dp5[RATIOS] = {0.997, 1.872, 2.402, 2.681, 3.117,
                                            3.398, 3.300, 3.304, 3.346, 3.306};
static const double boundary_ab4[RATIOS] = {0.429, 0.427, 0.418, 0.407, 0.380,
                                            0.346, 0.325, 0.311, 0.303, 0.300};

static const double boundary_abm8[RATIOS] = {0.158, 0.281, 0.281, 0.281, 0.282,
                                             0.288, 0.299, 0.316, 0.339, 0.381};

static const double boundary_dp8[RATIOS] = {0.738, 4.471, 4.993, 5.168, 5.479,
                                            5.323, 5.277, 5.206, 5.180, 5.166};

static const double *boundary_of(ali3_method method)
{
  switch (method) {
  case ALI3_METHOD_DP5:
    return boundary_dp5;
  case ALI3_METHOD_AB4:
    return boundary_ab4;
  case ALI3_METHOD_ABM8:
    return boundary_abm8;
  case ALI3_METHOD_DP8:
    return boundary_dp8;
  default:
    return boundary_rk4;
  }
}

/* Largest magnitude at a damping ratio. Between two ratios the smaller one counts. */
static double boundary_at(const double *boundary, double ratio)
{
  int i = 0;
  while (i < RATIOS - 1 && ratio_at[i + 1] < ratio) i++;
  if (ratio == ratio_at[i] || i == RATIOS - 1) return boundary[i];
  return fmin(boundary[i], boundary[i + 1]);
}

double region_longest_step(ali3_method method, struct mode mode)
{
  const double *boundary = boundary_of(method);
  const double half = 0.5 * mode.damping, rest = half * half - mode.stiffness;
  if (!(mode.stiffness > 0.0) && !(mode.damping > 0.0)) return INFINITY;
  if (rest >= 0.0) return boundary[RATIOS - 1] / (half + sqrt(rest));
  const double size = sqrt(mode.stiffness);
  return boundary_at(boundary, half / size) / size;
}

/* (x, x') at the end of a step of the trapezoidal rule, as a matrix of (x, x') at its start. */
static void trapezoidal_matrix(struct mode mode, double dt, double o[4])
{
  const double h = 0.5 * dt, k = h * mode.stiffness, c = h * mode.damping, det = 1.0 + c + h * k;
  o[0] = (1.0 + c - h * k) / det;
  o[1] = 2.0 * h / det;
  o[2] = -2.0 * k / det;
  o[3] = (1.0 - c - h * k) / det;
}

/* o = a b */
static void multiply_two(const double a[4], const double b[4], double o[4])
{
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) o[2 * i + j] = a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j];
}

double region_extrapolated_growth(struct mode mode, double dt)
{
  static const double weight[3] = {1.0 / 12.0, -4.0 / 3.0, 9.0 / 4.0};
  double sum[4] = {0};
  for (int n = 1; n <= 3; n++) {
    double one[4], all[4] = {1, 0, 0, 1};
    trapezoidal_matrix(mode, dt / n, one);
    for (int i = 0; i < n; i++) {
      double next[4];
      multiply_two(one, all, next);
      for (int k = 0; k < 4; k++) all[k] = next[k];
    }
    for (int k = 0; k < 4; k++) sum[k] += weight[n - 1] * all[k];
  }
  const double mean = 0.5 * (sum[0] + sum[3]), product = sum[0] * sum[3] - sum[1] * sum[2],
               rest = mean * mean - product;
  return rest < 0.0 ? sqrt(product) : fabs(mean) + sqrt(rest);
}
