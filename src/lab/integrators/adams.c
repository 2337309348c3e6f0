/* SPDX-License-Identifier: MIT
 * ode113: Adams formulas of variable order 1 to 12 and variable step, predict - evaluate - correct - evaluate, by
 * modified divided differences (Shampine and Gordon, Computer Solution of Ordinary Differential Equations, 1975), with
 * the choice of order and step that MATLAB has: the number of calls depends on it. With y = (q, w):
 *
 *   p = y + h sum g_i phi*_i,  i = 1 .. k        phi*_i = beta_i phi_i
 *   y = p + h g_k+1 (f(p) - phi_1^e)             phi^e: the differences that the prediction goes on with
 *
 * Arrays count from 1 as in the book; element 0 is not used. */
#include "integrators/integrators.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MOST = 12, DIFFERENCES = ORDER_MOST + 2, TABLE = ORDER_MOST + 3 };

/* gamma*_i, the error constants of Adams-Moulton formulas, rounded as the book prints them */
static const double error_constant[TABLE] = {0,      0.5,     0.0833,  0.0417,  0.0264,  0.0188,  0.0143,
                                             0.0114, 0.00936, 0.00789, 0.00679, 0.00592, 0.00524, 0.00468};

struct adams {
  int k, k_last, equal; /* order, that of the last step, steps with this length (ns) */
  double length, last;  /* s: to try, and of the last step */
  bool rising;          /* the order and the step grow until something stops them */
  double psi[TABLE], alpha[TABLE], beta[TABLE], sigma[TABLE], v[TABLE], w[TABLE], g[TABLE];
  double erk, erkm1;                      /* estimated errors at orders k and k - 1 */
  int n;                                  /* numbers of y */
  double *y, *p, *f, *rest, *scale, *phi; /* (n); phi: (DIFFERENCES + 1, n) */
};

static void *make_adams(const struct lab_state *s)
{
  const size_t N = (size_t)(s->n + s->all);
  struct adams *o = calloc(1, sizeof *o + (5 + DIFFERENCES + 1) * N * sizeof(double));
  if (!o) return NULL;
  o->n = s->n + s->all;
  o->y = (double *)(o + 1);
  o->p = o->y + N;
  o->f = o->p + N;
  o->rest = o->f + N;
  o->scale = o->rest + N;
  o->phi = o->scale + N;
  return o;
}

static double *adams_difference(const struct adams *o, int i)
{
  return o->phi + (size_t)i * (size_t)o->n;
}

/* f(y) of a state that is not the one in *s. */
static enum lab_status evaluate_adams(struct lab_state *s, const double *y, double *f)
{
  const size_t size = sizeof *y * (size_t)s->n, all = sizeof *y * (size_t)s->all;
  memcpy(s->q, y, size);
  memcpy(s->w, y + s->n, all);
  const enum lab_status status = state_evaluate(s);
  memcpy(f, s->qd, size);
  memcpy(f + s->n, s->wd, all);
  return status;
}

static enum lab_status adams_start(struct lab_state *s)
{
  struct adams *o = s->integrator_own;
  const double threshold = s->run->atol / s->run->rtol;
  double rh = 0;
  /* The first difference is f(y). */
  memcpy(o->y, s->q, sizeof *o->y * (size_t)s->n);
  memcpy(o->y + s->n, s->w, sizeof *o->y * (size_t)s->all);
  const enum lab_status status = evaluate_adams(s, o->y, o->f);
  memcpy(adams_difference(o, 1), o->f, sizeof *o->f * (size_t)o->n);
  for (int i = 0; i < o->n; i++) rh = fmax(rh, fabs(o->f[i]) / fmax(fabs(o->y[i]), threshold));
  rh /= 0.25 * sqrt(s->run->rtol);
  o->length = s->run->duration / 10;
  if (o->length * rh > 1) o->length = 1 / rh;
  o->k = 1;
  o->rising = true;
  o->sigma[1] = o->g[1] = 1;
  o->g[2] = 0.5;
  return status;
}

/* g_i for i > equal + 1 from the integrals w; v keeps them for the next step of this length. */
static void integrate_formulas(struct adams *o)
{
  const int k = o->k, equal = o->equal;
  if (equal == 1) {
    for (int i = 1; i <= k; i++) o->v[i] = o->w[i] = 1.0 / (i * (i + 1));
  } else {
    /* A raised order brings in a new diagonal of v. */
    if (k > o->k_last) {
      o->v[k] = 1.0 / (k * (k + 1));
      for (int j = 1; j <= equal - 2; j++) o->v[k - j] -= o->alpha[j + 1] * o->v[k - j + 1];
    }
    for (int i = 1; i <= k + 1 - equal; i++) o->w[i] = o->v[i] -= o->alpha[equal] * o->v[i + 1];
    o->g[equal + 1] = o->w[1];
  }
  for (int i = equal + 2; i <= k + 1; i++) {
    for (int j = 1; j <= k + 2 - i; j++) o->w[j] -= o->alpha[i - 1] * o->w[j + 1];
    o->g[i] = o->w[1];
  }
}

/* Coefficients of a step of length h; those that a step of this length has already are kept. */
static void set_formulas(struct adams *o, double h)
{
  if (h != o->last) o->equal = 0;
  if (o->equal <= o->k_last) o->equal++;
  const int k = o->k, equal = o->equal;
  if (k < equal) return;
  /* psi_i: what the last i steps cover together. */
  o->beta[equal] = 1;
  o->alpha[equal] = 1.0 / equal;
  o->sigma[equal + 1] = 1;
  double sum = h * equal;
  for (int i = equal + 1; i <= k; i++) {
    const double before = o->psi[i - 1];
    o->psi[i - 1] = sum;
    sum = before + h;
    o->beta[i] = o->beta[i - 1] * o->psi[i - 1] / before;
    o->alpha[i] = h / sum;
    o->sigma[i + 1] = i * o->alpha[i] * o->sigma[i];
  }
  o->psi[k] = sum;
  integrate_formulas(o);
}

/* phi := phi*, then p and the differences that it goes on with. */
static void predict_adams(struct adams *o, double h)
{
  const int k = o->k;
  const size_t size = sizeof *o->p * (size_t)o->n;
  for (int i = o->equal + 1; i <= k; i++)
    for (int j = 0; j < o->n; j++) adams_difference(o, i)[j] *= o->beta[i];
  memcpy(adams_difference(o, k + 2), adams_difference(o, k + 1), size);
  memset(adams_difference(o, k + 1), 0, size);
  memset(o->p, 0, size);
  for (int i = k; i >= 1; i--)
    for (int j = 0; j < o->n; j++) {
      o->p[j] += o->g[i] * adams_difference(o, i)[j];
      adams_difference(o, i)[j] += adams_difference(o, i + 1)[j];
    }
  for (int j = 0; j < o->n; j++) o->p[j] = o->y[j] + h * o->p[j];
}

/* max |rest + phi_i| / scale; i = 0: of rest alone */
static double size_of_rest(const struct adams *o, int i)
{
  double size = 0;
  for (int j = 0; j < o->n; j++) {
    const double part = fabs(o->rest[j] + (i > 0 ? adams_difference(o, i)[j] : 0)) / o->scale[j];
    if (part > size || isnan(part)) size = part;
  }
  return size;
}

/* The error of the step; *lower where order k - 1 promises no more than this one. */
static double estimate_errors(struct adams *o, double h, bool *lower)
{
  const int k = o->k;
  const double rest = size_of_rest(o, 0);
  o->erk = h * o->sigma[k + 1] * error_constant[k] * rest;
  o->erkm1 = k >= 2 ? h * o->sigma[k] * error_constant[k - 1] * size_of_rest(o, k) : 0;
  const double erkm2 = k >= 3 ? h * o->sigma[k - 1] * error_constant[k - 2] * size_of_rest(o, k - 1) : 0;
  *lower = k == 2 ? o->erkm1 <= 0.5 * o->erk : k > 2 && fmax(o->erkm1, erkm2) <= o->erk;
  return h * (o->g[k] - o->g[k + 1]) * rest;
}

/* Undoes predict_adams() and the sums psi; a third failure starts again with order 1. */
static void shorten_adams(struct adams *o, double h, double shortest, int failures, bool lower, double rtol)
{
  for (int i = 1; i <= o->k; i++)
    for (int j = 0; j < o->n; j++)
      adams_difference(o, i)[j] = (adams_difference(o, i)[j] - adams_difference(o, i + 1)[j]) / o->beta[i];
  for (int i = 2; i <= o->k; i++) o->psi[i - 1] = o->psi[i] - h;
  o->rising = false;
  const double reduce = failures > 3 ? fmin(0.5, sqrt(0.5 * rtol / o->erk)) : 0.5;
  o->length = fmax(reduce * o->length, shortest);
  if (failures == 3)
    o->k = 1;
  else if (lower)
    o->k--;
}

/* The order of the next step. phi_k+2 holds what order k + 1 would have erred by. */
static void choose_order(struct adams *o, double h, bool lower)
{
  const int k = o->k;
  if (lower || k == ORDER_MOST) o->rising = false;
  if (o->rising) {
    o->k++;
  } else if (lower) {
    o->k--;
    o->erk = o->erkm1;
  } else if (k + 1 <= o->equal) {
    memset(o->rest, 0, sizeof *o->rest * (size_t)o->n);
    const double erkp1 = h * error_constant[k + 1] * size_of_rest(o, k + 2);
    const bool down = k > 1 && o->erkm1 <= fmin(o->erk, erkp1);
    const bool up = k == 1 ? erkp1 < 0.5 * o->erk : !down && k < ORDER_MOST && erkp1 < o->erk;
    if (down || up) o->erk = down ? o->erkm1 : erkp1;
    o->k += up - down;
  }
}

static void choose_length(struct adams *o, double rtol)
{
  if (o->rising || 0.5 * rtol >= ldexp(o->erk, o->k + 1))
    o->length *= 2;
  else if (0.5 * rtol < o->erk)
    o->length *= fmax(0.5, fmin(0.9, pow(0.5 * rtol / o->erk, 1.0 / (o->k + 1))));
}

static enum lab_status adams_step(struct lab_state *s)
{
  struct adams *o = s->integrator_own;
  const double rtol = s->run->rtol, threshold = s->run->atol / rtol, rest = s->run->duration - s->t;
  const double shortest = 16 * DBL_EPSILON * fmax(s->t, DBL_MIN);
  bool lower, last;
  o->length = fmin(s->run->duration / 10, fmax(shortest, o->length));
  last = 1.1 * o->length >= rest;
  if (last) o->length = rest;
  for (int i = 0; i < o->n; i++) o->scale[i] = fmax(fabs(o->y[i]), threshold);
  /* Predict and evaluate until the error estimate passes. */
  for (int failures = 0;;) {
    const double h = s->h = o->length;
    s->now.time = s->t + h;
    set_formulas(o, h);
    predict_adams(o, h);
    const enum lab_status status = evaluate_adams(s, o->p, o->f);
    if (status != LAB_OK) return status;
    for (int i = 0; i < o->n; i++) o->rest[i] = o->f[i] - adams_difference(o, 1)[i];
    const double error = estimate_errors(o, h, &lower);
    if (error <= rtol) break;
    if (!(o->length > shortest)) return LAB_STEP_TOO_SMALL;
    shorten_adams(o, h, shortest, ++failures, lower, rtol);
    last = false;
    s->result->rejected++;
  }
  /* Correct and evaluate; the differences take the new rates in. */
  const int k = o->k;
  s->now.time = s->t = last ? s->run->duration : s->t + s->h;
  o->k_last = k;
  o->last = s->h;
  for (int i = 0; i < o->n; i++) o->y[i] = o->p[i] + s->h * o->g[k + 1] * o->rest[i];
  const enum lab_status status = evaluate_adams(s, o->y, o->f);
  if (status != LAB_OK) return status;
  for (int i = 0; i < o->n; i++) {
    adams_difference(o, k + 1)[i] = o->f[i] - adams_difference(o, 1)[i];
    adams_difference(o, k + 2)[i] = adams_difference(o, k + 1)[i] - adams_difference(o, k + 2)[i];
  }
  for (int i = 1; i <= k; i++)
    for (int j = 0; j < o->n; j++) adams_difference(o, i)[j] += adams_difference(o, k + 1)[j];
  choose_order(o, s->h, lower);
  choose_length(o, rtol);
  return LAB_OK;
}

const struct integrator integrator_ode113 = {
    .name = "ode113",
    .title = "Adams of order 1 to 12, control of order and step of MATLAB",
    .needs = NEEDS_PURE_RATES,
    .adaptive = true,
    .history = true,
    .make = make_adams,
    .start = adams_start,
    .step = adams_step};
