/* SPDX-License-Identifier: MIT
 * ode45 and ode23: Dormand-Prince 5(4) and Bogacki-Shampine 3(2) with MATLAB's control of the step, to the letter:
 * the number of calls that the papers report depends on it. With r = 1/5 (ode45) or 1/3 (ode23), y = (q, w),
 * threshold = atol/rtol:
 *
 *   start    rh = max |f_i| / max(|y_i|, threshold) / (0.8 rtol^r);   h = T/10, or 1/rh if that is less
 *   stretch  if 1.1 h reaches the end: to the end
 *   error    e = h max |sum E_k f_k|_i / max(|y_i|, |y_new,i|, threshold)
 *   reject   e > rtol: h *= max(least, 0.8 (rtol/e)^r) the first time, then h /= 2;
 *            least = 0.1 (ode45) or 0.5 (ode23)
 *   accept   where nothing was rejected: h /= max(0.2, 1.25 (e/rtol)^r), h at most T/10
 *
 * The last stage is the first of the next step. It is evaluated anew where a projection has changed the state. */
#include "integrators/integrators.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_MAX = 7 };

struct embedded_pair {
  int stages;
  double order;                         /* 1/r */
  double least;                         /* of the first reduction */
  double a[STAGES_MAX][STAGES_MAX - 1]; /* the last row is the solution */
  double E[STAGES_MAX];                 /* solution minus the embedded one */
};

static const struct embedded_pair dormand_prince = {
    .stages = 7,
    .order = 5,
    .least = 0.1,
    .a = {{0},
          {1. / 5},
          {3. / 40, 9. / 40},
          {44. / 45, -56. / 15, 32. / 9},
          {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
          {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
          {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
    .E = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40}};

static const struct embedded_pair bogacki_shampine = {
    .stages = 4,
    .order = 3,
    .least = 0.5,
    .a = {{0}, {1. / 2}, {0, 3. / 4}, {2. / 9, 1. / 3, 4. / 9}},
    .E = {-5. / 72, 1. / 12, 1. / 9, -1. / 8}};

struct adaptive_step {
  double length; /* of the next step */
  double *y;     /* (n + all) at the start of the step */
  double *f;     /* (stages, n + all) */
};

static void *make_adaptive_step(const struct lab_state *s)
{
  const size_t N = (size_t)(s->n + s->all);
  struct adaptive_step *o = calloc(1, sizeof *o + (STAGES_MAX + 1) * N * sizeof(double));
  if (!o) return NULL;
  o->y = (double *)(o + 1);
  o->f = o->y + N;
  return o;
}

static void save_rates(const struct lab_state *s, double *f)
{
  memcpy(f, s->qd, sizeof *f * (size_t)s->n);
  memcpy(f + s->n, s->wd, sizeof *f * (size_t)s->all);
}

/* The state at which stage k is evaluated. */
static void set_stage(struct lab_state *s, const struct adaptive_step *o, const struct embedded_pair *pair,
                      int k)
{
  const int n = s->n, numbers = n + s->all;
  double part = 0;
  for (int j = 0; j < k; j++) part += pair->a[k][j];
  s->now.time = s->t + s->h * part;
  for (int i = 0; i < numbers; i++) {
    double sum = 0;
    for (int j = 0; j < k; j++) sum += pair->a[k][j] * o->f[numbers * j + i];
    *(i < n ? &s->q[i] : &s->w[i - n]) = o->y[i] + s->h * sum;
  }
}

static double scaled_error(const struct lab_state *s, const struct adaptive_step *o,
                           const struct embedded_pair *pair)
{
  const int n = s->n, numbers = n + s->all;
  const double threshold = s->run->atol / s->run->rtol;
  double error = 0;
  for (int i = 0; i < numbers; i++) {
    double sum = 0;
    for (int k = 0; k < pair->stages; k++) sum += pair->E[k] * o->f[numbers * k + i];
    const double y = i < n ? s->q[i] : s->w[i - n];
    const double part = s->h * fabs(sum) / fmax(fmax(fabs(o->y[i]), fabs(y)), threshold);
    if (part > error || isnan(part)) error = part;
  }
  return error;
}

static enum lab_status adaptive_start(struct lab_state *s, const struct embedded_pair *pair)
{
  struct adaptive_step *o = s->integrator_own;
  const double threshold = s->run->atol / s->run->rtol;
  const enum lab_status status = state_evaluate(s);
  double rh = 0;
  for (int i = 0; i < s->n; i++) rh = fmax(rh, fabs(s->qd[i]) / fmax(fabs(s->q[i]), threshold));
  for (int i = 0; i < s->all; i++) rh = fmax(rh, fabs(s->wd[i]) / fmax(fabs(s->w[i]), threshold));
  rh /= 0.8 * pow(s->run->rtol, 1 / pair->order);
  o->length = s->run->duration / 10;
  if (o->length * rh > 1) o->length = 1 / rh;
  return status;
}

/* One attempt of length s->h from o->y; its error into *error. */
static enum lab_status attempt_step(struct lab_state *s, struct adaptive_step *o,
                                    const struct embedded_pair *pair, double *error)
{
  for (int k = 1; k < pair->stages; k++) {
    set_stage(s, o, pair, k);
    const enum lab_status status = state_evaluate(s);
    if (status != LAB_OK) return status;
    save_rates(s, o->f + (s->n + s->all) * k);
  }
  *error = scaled_error(s, o, pair);
  return LAB_OK;
}

static enum lab_status adaptive_step(struct lab_state *s, const struct embedded_pair *pair)
{
  struct adaptive_step *o = s->integrator_own;
  const double longest = s->run->duration / 10, rtol = s->run->rtol, r = 1 / pair->order;
  const double shortest = 16 * DBL_EPSILON * fmax(s->t, DBL_MIN), rest = s->run->duration - s->t;
  bool rejected = false, last;
  double error;
  /* The state at the start of the step, and the length to try; the last step ends at the duration. */
  memcpy(o->y, s->q, sizeof *o->y * (size_t)s->n);
  memcpy(o->y + s->n, s->w, sizeof *o->y * (size_t)s->all);
  save_rates(s, o->f);
  o->length = fmin(longest, fmax(shortest, o->length));
  last = 1.1 * o->length >= rest;
  if (last) o->length = rest;
  /* Shorten the step until the error estimate passes. */
  for (;;) {
    s->h = o->length;
    const enum lab_status status = attempt_step(s, o, pair, &error);
    if (status != LAB_OK) return status;
    if (error <= rtol) break;
    if (!(o->length > shortest)) return LAB_STEP_TOO_SMALL;
    const double factor = rejected ? 0.5 : fmax(pair->least, 0.8 * pow(rtol / error, r));
    o->length = fmax(shortest, factor * o->length);
    rejected = true;
    last = false;
    s->result->rejected++;
  }
  /* A step that passed at once sets the length of the next one. */
  s->now.time = s->t = last ? s->run->duration : s->t + s->h;
  if (!rejected) o->length /= fmax(0.2, 1.25 * pow(error / rtol, r));

  const struct formulation *f = s->run->formulation;
  if (!f->project) return LAB_OK;
  const enum lab_status status = f->project(s);
  return status == LAB_OK ? state_evaluate(s) : status;
}

static enum lab_status ode45_start(struct lab_state *s)
{
  return adaptive_start(s, &dormand_prince);
}

static enum lab_status ode45_step(struct lab_state *s)
{
  return adaptive_step(s, &dormand_prince);
}

static enum lab_status ode23_start(struct lab_state *s)
{
  return adaptive_start(s, &bogacki_shampine);
}

static enum lab_status ode23_step(struct lab_state *s)
{
  return adaptive_step(s, &bogacki_shampine);
}

const struct integrator integrator_ode45 = {.name = "ode45",
                                            .title = "Dormand-Prince 5(4), step control of MATLAB",
                                            .needs = NEEDS_PURE_RATES,
                                            .adaptive = true,
                                            .make = make_adaptive_step,
                                            .start = ode45_start,
                                            .step = ode45_step};
const struct integrator integrator_ode23 = {.name = "ode23",
                                            .title = "Bogacki-Shampine 3(2), step control of MATLAB",
                                            .needs = NEEDS_PURE_RATES,
                                            .adaptive = true,
                                            .make = make_adaptive_step,
                                            .start = ode23_start,
                                            .step = ode23_step};
