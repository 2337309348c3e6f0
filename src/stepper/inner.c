/* SPDX-License-Identifier: MIT
 * Loop code: one inner step of the index-3 augmented Lagrangian method with the trapezoidal rule (paper 1,
 * section 3).
 *
 *   prepare     predict q (and lambda, mu as they were), rows, factorise S
 *   iterate     a fixed number of   g, w = -delta (g + J'lambda);  S z = Phi + J w;  dq = w - delta J'z;
 * lambda += z then project q' and q'' */
#include "math/euler.h"
#include "stepper/stepper.h"

#include <math.h>
#include <string.h>

/* q' and q'' from q by the trapezoidal rule, (15) and (16). q, q', q'' are 7 doubles each, one after the
 * other. */
static void integrate(double dt, const struct body_state *last, struct body_state *now)
{
  const double *a = last->r;
  double *o = now->r, c1 = 2.0 / dt, c2 = 4.0 / (dt * dt), c3 = 4.0 / dt;
  for (int i = 0; i < 7; i++) {
    double d = o[i] - a[i];
    o[7 + i] = c1 * d - a[7 + i];
    o[14 + i] = c2 * d - c3 * a[7 + i] - a[14 + i];
  }
}

static void work_predict(void *arg, int share, int shares)
{
  struct stage *s = arg;
  double dt = s->d->dt;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int b = first; b < end; b++) {
    s->d->last.x[b] = s->d->now.x[b];
    const double *a = s->d->last.x[b].r;
    double *o = s->d->now.x[b].r;
    for (int i = 0; i < 7; i++) o[i] = a[i] + dt * (a[7 + i] + 0.5 * dt * a[14 + i]);
    integrate(dt, &s->d->last.x[b], &s->d->now.x[b]);
    body_frame_update(&s->d->frame[b], &s->d->now.x[b]);
  }
}

static void work_free(void *arg, int share, int shares)
{
  struct stage *s = arg;
  ali3_data *d = s->d;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int b = first; b < end; b++) {
    double g[BODY_Y], f[BODY_Y];
    struct body_load load;
    double Psi = d->frame[b].s - 1.0;
    stage_load(s->m, d, b, &load);
    body_residual(&s->m->body[b], &d->now.x[b], &d->frame[b], s->m->gravity, &load,
                  d->now.mu[b] + d->delta[b].alpha * Psi, g);
    stage_gather(s->m, d, b, d->now.lambda, f);
    for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]);
    body_apply_delta(&d->delta[b], g, d->w[b]);
  }
}

/* dq = w - delta J'z, dmu = alpha (Psi + Psi_q dq) */
static void work_move(void *arg, int share, int shares)
{
  struct stage *s = arg;
  ali3_data *d = s->d;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int b = first; b < end; b++) {
    double f[BODY_Y], y[BODY_Y], sum = 0.0;
    stage_gather(s->m, d, b, d->z, f);
    body_apply_delta(&d->delta[b], f, y);
    for (int k = 0; k < BODY_Y; k++) {
      y[k] = d->w[b][k] - y[k];
      sum += y[k] * y[k];
    }
    d->increment[b] = sum;
    d->now.mu[b] += d->delta[b].alpha * (d->frame[b].s - 1.0 + 2.0 * y[6]);
    body_move(&d->now.x[b], &d->frame[b], y);
    integrate(d->dt, &d->last.x[b], &d->now.x[b]);
    body_frame_update(&d->frame[b], &d->now.x[b]);
  }
}

/* Norm of the increment, in the order of the bodies; the largest body is named. NaN comes through. */
static double increment_norm(const ali3_model *m, ali3_data *d)
{
  double sum = 0.0, largest = -1.0;
  for (int b = 0; b < m->bodies; b++) {
    sum += d->increment[b];
    if (!(d->increment[b] <= largest)) {
      largest = d->increment[b];
      d->report.worst_body = b;
      if (!isfinite(largest)) break;
    }
  }
  return sqrt(sum);
}

void inner_step_length(const ali3_model *m, ali3_data *d, double dt)
{
  double k = (dt * dt) / (d->dt * d->dt);
  bool relative = m->options.alpha == 0.0;
  if (k == 1.0) return;
  d->dt = dt;
  for (int b = 0; b < m->bodies; b++) {
    struct body_delta *delta = &d->delta[b];
    delta->r *= k;
    for (int i = 0; i < 9; i++) delta->th[i] *= k;
    if (relative) { /* of the same size beside the mass terms for any dt */
      delta->n *= k;
      delta->alpha /= k;
    }
  }
  if (relative)
    for (int i = 0; i < m->frozen->rigid; i++) d->c[i] *= k;
  inner_step_laws(m, d);
}

void inner_step_laws(const ali3_model *m, ali3_data *d)
{
  for (int i = m->joints; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    d->c[j->first] = 1.0 / (j->law.stiffness + 2.0 * j->law.damping / d->dt);
  }
}

bool inner_prepare(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  memcpy(d->last.mu, d->now.mu, (size_t)m->bodies * sizeof *d->now.mu);
  memcpy(d->last.lambda, d->now.lambda, (size_t)m->frozen->rows * sizeof *d->now.lambda);
  stage_run(&s, work_predict, 150.0 * m->bodies);
  stage_rows(m, d);
  return stage_condense(m, d);
}

/* The last increment is judged against the first: a step that shrinks it by less than this is reported, one
 * that does not shrink it has diverged. The floor keeps a mechanism at rest, where all increments are
 * rounding, out of it. */
static const double WELL_BELOW = 1e-2, FLOOR = 1e-9;

double inner_iterate(const ali3_model *m, ali3_data *d, int *status)
{
  struct stage s = {.m = m, .d = d};
  double first = 0.0, last = 0.0;
  for (int k = 0; k < m->options.iterations; k++) {
    stage_run(&s, work_free, 250.0 * m->bodies + 28.0 * m->frozen->rows);
    stage_beta(m, d);
    stage_solve(m, d);
    stage_run(&s, work_move, 200.0 * m->bodies + 28.0 * m->frozen->rows);
    for (int i = 0; i < m->frozen->rows; i++) d->now.lambda[i] += d->z[i];
    stage_rows(m, d);
    last = increment_norm(m, d);
    if (k == 0) first = last;
  }
  stage_velocity(m, d);
  stage_acceleration(m, d);
  bool judged = m->options.iterations > 1 && last > FLOOR;
  *status = ALI3_OK;
  if (judged && last > WELL_BELOW * first) *status = ALI3_NOT_CONVERGED;
  if (!isfinite(last) || (judged && last >= first)) *status = ALI3_E_DIVERGED;
  return last;
}
