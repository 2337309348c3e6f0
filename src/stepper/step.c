/* SPDX-License-Identifier: MIT
 * Loop code: one step of the index-3 augmented Lagrangian method with the trapezoidal rule (paper 1, section
 * 3).
 *
 *   prepare     predict q (and lambda, mu as they were), rows, factorise S
 *   feedback    a fixed number of   g, w = -delta (g + J'lambda);  S z = Phi + J w;  dq = w - delta J'z;
 * lambda += z then project q' and q''
 *
 * The state at the start of the step is kept until the end: a step that diverges leaves no trace. */
#include "math/euler.h"
#include "stepper/stepper.h"

#include <math.h>
#include <string.h>

/* q' and q'' from q by the trapezoidal rule, (15) and (16). q, q', q'' are 7 doubles each, one after the
 * other. */
static void integrate(const ali3_model *m, const struct body_state *last, struct body_state *now)
{
  const double *a = last->r;
  double *o = now->r, dt = m->options.dt, c1 = 2.0 / dt, c2 = 4.0 / (dt * dt), c3 = 4.0 / dt;
  for (int i = 0; i < 7; i++) {
    double d = o[i] - a[i];
    o[7 + i] = c1 * d - a[7 + i];
    o[14 + i] = c2 * d - c3 * a[7 + i] - a[14 + i];
  }
}

static void work_predict(void *arg, int share, int shares)
{
  struct stage *s = arg;
  double dt = s->m->options.dt;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int b = first; b < end; b++) {
    s->d->x_last[b] = s->d->x[b];
    const double *a = s->d->x_last[b].r;
    double *o = s->d->x[b].r;
    for (int i = 0; i < 7; i++) o[i] = a[i] + dt * (a[7 + i] + 0.5 * dt * a[14 + i]);
    integrate(s->m, &s->d->x_last[b], &s->d->x[b]);
    body_frame_update(&s->d->frame[b], &s->d->x[b]);
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
    body_residual(&s->m->body[b], &d->x[b], &d->frame[b], s->m->gravity, &load,
                  d->mu[b] + d->delta[b].alpha * Psi, g);
    stage_gather(s->m, d, b, d->lambda, f);
    for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]);
    body_apply_delta(&d->delta[b], g, d->w[b]);
  }
}

static void work_beta(void *arg, int share, int shares)
{
  struct stage *s = arg;
  int first, end;
  stage_range(s->m->joints, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    const struct joint_rows *j = &s->m->frozen->joint[i];
    for (int k = 0; k < j->count; k++)
      s->d->beta[j->first + k] = s->d->Phi[j->first + k] + stage_jw(s->d, j, k);
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
    d->mu[b] += d->delta[b].alpha * (d->frame[b].s - 1.0 + 2.0 * y[6]);
    body_move(&d->x[b], &d->frame[b], y);
    integrate(s->m, &d->x_last[b], &d->x[b]);
    body_frame_update(&d->frame[b], &d->x[b]);
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

static void restore(const ali3_model *m, ali3_data *d)
{
  memcpy(d->x, d->x_last, (size_t)m->bodies * sizeof *d->x);
  memcpy(d->mu, d->mu_last, (size_t)m->bodies * sizeof *d->mu);
  memcpy(d->lambda, d->lambda_last, (size_t)m->frozen->rows * sizeof *d->lambda);
  for (int b = 0; b < m->bodies; b++) body_frame_update(&d->frame[b], &d->x[b]);
  stage_rows(m, d);
}

static int give_up(const ali3_model *m, ali3_data *d, int status)
{
  int node = atomic_load_explicit(&d->failed_node, memory_order_relaxed);
  if (status == ALI3_E_SINGULAR && node >= 0) {
    const struct tree_node *n = &m->frozen->tree->node[node];
    d->report.worst_joint = n->kind == TREE_JOINT ? n->index : -1;
    d->report.worst_body = n->kind == TREE_JOINT ? -1 : n->index;
  }
  restore(m, d);
  d->prepared = false;
  d->report.status = status;
  return status;
}

int ali3_prepare(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  memcpy(d->mu_last, d->mu, (size_t)m->bodies * sizeof *d->mu);
  memcpy(d->lambda_last, d->lambda, (size_t)m->frozen->rows * sizeof *d->lambda);
  stage_run(&s, work_predict, 150.0 * m->bodies);
  stage_rows(m, d);
  if (!stage_condense(m, d)) return give_up(m, d, ALI3_E_SINGULAR);
  d->prepared = true;
  return ALI3_OK;
}

/* Joint angles count full turns: the change of one step is taken as less than half a turn. */
static void unwrap(const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < m->joints; i++) {
    const struct joint_rows *j = &m->frozen->joint[i];
    struct joint_view v;
    double angle, rate;
    if (j->coordinate != COORDINATE_ANGLE) continue;
    stage_view(m, d, j, &v);
    rows_coordinate(j, &v, &angle, &rate);
    d->turn[i] += remainder(angle - d->turn[i], 2.0 * 3.14159265358979323846);
  }
}

/* The last increment is judged against the first: a step that shrinks it by less than this is reported, one
 * that grows it has diverged. The floor keeps a mechanism at rest, where all increments are rounding, out of
 * it. */
static const double WELL_BELOW = 1e-2, FLOOR = 1e-9;

int ali3_feedback(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  if (!d->prepared) return ALI3_E_ARGUMENT;
  for (int k = 0; k < m->options.iterations; k++) {
    stage_run(&s, work_free, 250.0 * m->bodies + 28.0 * m->frozen->rows);
    stage_run(&s, work_beta, 28.0 * m->frozen->rows);
    stage_solve(m, d);
    stage_run(&s, work_move, 200.0 * m->bodies + 28.0 * m->frozen->rows);
    for (int i = 0; i < m->frozen->rows; i++) d->lambda[i] += d->z[i];
    stage_rows(m, d);
    if (k == 0) d->first_increment = increment_norm(m, d);
  }
  double last = increment_norm(m, d);
  stage_velocity(m, d);
  stage_acceleration(m, d);
  stage_norms(m, d);
  d->report.increment = last;
  bool grew = last > 10.0 * d->first_increment && last > FLOOR && m->options.iterations > 1;
  if (!isfinite(last) || !isfinite(d->report.position) || !isfinite(d->report.velocity) ||
      !isfinite(d->report.acceleration) || grew)
    return give_up(m, d, ALI3_E_DIVERGED);
  unwrap(m, d);
  d->prepared = false;
  d->report.step++;
  d->report.time = (double)d->report.step * m->options.dt;
  d->report.status = last > FLOOR && m->options.iterations > 1 && last > WELL_BELOW * d->first_increment
                         ? ALI3_NOT_CONVERGED
                         : ALI3_OK;
  return d->report.status;
}

int ali3_step(const ali3_model *m, ali3_data *d)
{
  if (!d->prepared) {
    int status = ali3_prepare(m, d);
    if (status < 0) return status;
  }
  return ali3_feedback(m, d);
}
