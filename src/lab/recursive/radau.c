/* SPDX-License-Identifier: MIT */
#include "recursive/radau.h"

#include "integrators/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 3, STAGE_MOST = STAGES * RADAU_MOST, NEWTON_MOST = 6 };

static const double root6 = 2.449489742783178;

struct radau_step {
  const struct radau *r;
  struct radau_result *count;
  double c[STAGES], a[STAGES][STAGES], e[STAGES]; /* nodes, weights, error of h y' */
  double gamma;                                   /* real eigenvalue of the inverse of a */
  double t, h, y[RADAU_MOST];
  double Fy[RADAU_MOST * RADAU_MOST], Fyd[RADAU_MOST * RADAU_MOST];
  double A[STAGE_MOST * STAGE_MOST], E[RADAU_MOST * RADAU_MOST]; /* factors */
  int pivot[STAGE_MOST], pivot_E[RADAU_MOST];
  double k[STAGE_MOST]; /* y' of the stages */
};

static void set_coefficients(struct radau_step *s)
{
  const double r = root6;
  const double a[STAGES][STAGES] = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                                    {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                                    {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
  const double c[STAGES] = {(4 - r) / 10, (4 + r) / 10, 1}, third = cbrt(3.0);
  const double e[STAGES] = {(-13 - 7 * r) / 3, (-13 + 7 * r) / 3, -1.0 / 3};
  memcpy(s->a, a, sizeof a);
  memcpy(s->c, c, sizeof c);
  memcpy(s->e, e, sizeof e);
  s->gamma = 3 + third * third - third;
}

static void evaluate_residual(struct radau_step *s, double t, const double *y, const double *yd, double *F)
{
  s->count->residuals++;
  s->r->residual(s->r->user, t, y, yd, F);
}

/* dF/dy and dF/dy' by differences, at the start of the step. */
static void differentiate_residual(struct radau_step *s, const double *yd)
{
  const int n = s->r->n;
  double F0[RADAU_MOST], F1[RADAU_MOST], y[RADAU_MOST], rates[RADAU_MOST];
  evaluate_residual(s, s->t, s->y, yd, F0);
  for (int j = 0; j < n; j++) {
    const double step = sqrt(DBL_EPSILON) * fmax(fabs(s->y[j]), 1e-3),
                 step_rate = sqrt(DBL_EPSILON) * fmax(fabs(yd[j]), 1);
    memcpy(y, s->y, sizeof *y * (size_t)n);
    memcpy(rates, yd, sizeof *rates * (size_t)n);
    y[j] += step;
    evaluate_residual(s, s->t, y, yd, F1);
    for (int i = 0; i < n; i++) s->Fy[i * n + j] = (F1[i] - F0[i]) / (y[j] - s->y[j]);
    rates[j] += step_rate;
    evaluate_residual(s, s->t, s->y, rates, F1);
    for (int i = 0; i < n; i++) s->Fyd[i * n + j] = (F1[i] - F0[i]) / (rates[j] - yd[j]);
  }
}

/* The matrix of the stages, blocks h a_ij Fy + delta_ij Fyd, and that of the error estimate, gamma/h Fyd + Fy. */
static bool factor_stages(struct radau_step *s)
{
  const int n = s->r->n, N = STAGES * n;
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++)
      for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
          s->A[(i * n + r) * N + j * n + c] =
              s->h * s->a[i][j] * s->Fy[r * n + c] + (i == j ? s->Fyd[r * n + c] : 0);
  for (int i = 0; i < n * n; i++) s->E[i] = s->gamma / s->h * s->Fyd[i] + s->Fy[i];
  s->count->factored++;
  return lu_factor(s->A, N, s->pivot) && lu_factor(s->E, n, s->pivot_E);
}

/* z_i = y_i - y of stage i */
static void stage_offset(const struct radau_step *s, int i, double *z)
{
  const int n = s->r->n;
  for (int c = 0; c < n; c++) {
    z[c] = 0;
    for (int j = 0; j < STAGES; j++) z[c] += s->h * s->a[i][j] * s->k[j * n + c];
  }
}

static double scaled_norm(const struct radau_step *s, const double *x)
{
  double sum = 0;
  for (int i = 0; i < s->r->n; i++) {
    const double part = x[i] / (s->r->atol + s->r->rtol * fabs(s->y[i]));
    sum += part * part;
  }
  return sqrt(sum / s->r->n);
}

/* Newton's iteration for the y' of the stages. Iterations used; 0: it does not converge. */
static int solve_stages(struct radau_step *s)
{
  const int n = s->r->n;
  const double tolerance = fmax(10 * DBL_EPSILON / s->r->rtol, fmin(0.03, sqrt(s->r->rtol)));
  double before = 0;
  for (int pass = 1; pass <= NEWTON_MOST; pass++) {
    double d[STAGE_MOST];
    for (int i = 0; i < STAGES; i++) {
      double y[RADAU_MOST];
      stage_offset(s, i, y);
      for (int c = 0; c < n; c++) y[c] += s->y[c];
      evaluate_residual(s, s->t + s->c[i] * s->h, y, s->k + i * n, d + i * n);
    }
    lu_apply(s->A, STAGES * n, s->pivot, d);
    for (int i = 0; i < STAGES * n; i++) s->k[i] -= d[i];
    /* The size of what the increment changes in y. */
    double size = 0;
    for (int i = 0; i < STAGES * n; i++) d[i] *= s->h;
    for (int i = 0; i < STAGES; i++) size = fmax(size, scaled_norm(s, d + i * n));
    const double rate = pass > 1 ? size / before : 0;
    if (!isfinite(size) || (pass > 1 && rate >= 1 && size > tolerance)) return 0;
    if (size == 0 || (pass > 1 && rate / (1 - rate) * size < tolerance)) return pass;
    before = size;
  }
  return 0;
}

/* err = (gamma/h Fyd + Fy)^-1 (-F(t, y + shift, -E)), E = (sum of e_i z_i)/h */
static double estimate_error(struct radau_step *s, double *error, const double *shift)
{
  const int n = s->r->n;
  double rates[RADAU_MOST] = {0}, y[RADAU_MOST], z[RADAU_MOST];
  for (int i = 0; i < STAGES; i++) {
    stage_offset(s, i, z);
    for (int c = 0; c < n; c++) rates[c] -= s->e[i] * z[c] / s->h;
  }
  for (int c = 0; c < n; c++) y[c] = s->y[c] + (shift ? shift[c] : 0);
  evaluate_residual(s, s->t, y, rates, error);
  for (int c = 0; c < n; c++) error[c] = -error[c];
  lu_apply(s->E, n, s->pivot_E, error);
  return scaled_norm(s, error);
}

/* The controller of Gustafsson, as RADAU5 has it. */
static double predict_factor(double h, double h_old, double error, double error_old)
{
  const double own = pow(error, -0.25);
  if (error == 0) return 10;
  return h_old > 0 && error_old > 0 ? fmin(1, h / h_old * pow(error_old / error, 0.25)) * own : own;
}

struct radau_control {
  double h_old, error_old; /* of the last accepted step; 0: none */
  bool rejected;           /* the attempt before this one was */
};

/* One attempt at s->h: its error in the norm of the tolerances, and the factor for the next length; below 0: no stages. */
static double attempt_radau_step(struct radau_step *s, struct radau_control *k, const double *rates,
                                 double *factor)
{
  const int n = s->r->n;
  double error[RADAU_MOST];
  /* The stages, from the slope of the last step. */
  for (int i = 0; i < STAGES; i++) memcpy(s->k + i * n, rates, sizeof *rates * (size_t)n);
  if (!k->rejected) differentiate_residual(s, rates);
  const int passes = factor_stages(s) ? solve_stages(s) : 0;
  *factor = 0.5;
  if (passes == 0) return -1;
  /* The error; once more from the state that it corrects, where stiff parts may have been taken for errors. */
  double size = estimate_error(s, error, NULL);
  if (size > 1 && (k->rejected || s->count->steps == 0)) {
    double shift[RADAU_MOST];
    memcpy(shift, error, sizeof *shift * (size_t)n);
    size = estimate_error(s, error, shift);
  }
  const double safety = 0.9 * (2 * NEWTON_MOST + 1) / (2 * NEWTON_MOST + passes);
  *factor = fmax(0.2, fmin(10, safety * predict_factor(s->h, k->h_old, size, k->error_old)));
  return size;
}

static void accept_stages(struct radau_step *s, double end, double *rates)
{
  const int n = s->r->n;
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < STAGES; i++) s->y[c] += s->h * s->a[STAGES - 1][i] * s->k[i * n + c];
    rates[c] = s->k[(STAGES - 1) * n + c];
  }
  s->t = s->h >= end - s->t ? end : s->t + s->h;
  s->count->t = s->t;
  s->count->steps++;
}

bool radau_run(const struct radau *r, double t, double end, double *y, struct radau_result *o)
{
  struct radau_step s = {.r = r, .count = o, .t = t, .h = r->first};
  struct radau_control k = {0};
  double rates[RADAU_MOST] = {0}, factor;
  *o = (struct radau_result){.t = t};
  set_coefficients(&s);
  memcpy(s.y, y, sizeof *y * (size_t)r->n);
  while (s.t < end) {
    if (o->steps + o->rejected >= r->most || s.h < 16 * DBL_EPSILON * fmax(fabs(s.t), 1)) return false;
    if (s.t + 1.01 * s.h >= end) s.h = end - s.t;
    const double size = attempt_radau_step(&s, &k, rates, &factor);
    k.rejected = size < 0 || size > 1;
    if (k.rejected) {
      o->rejected++;
    } else {
      k.h_old = s.h;
      k.error_old = size;
      accept_stages(&s, end, rates);
      if (factor > 1 && factor < 1.2) factor = 1; /* the factors may stay */
    }
    s.h *= factor;
  }
  memcpy(y, s.y, sizeof *y * (size_t)r->n);
  return true;
}
