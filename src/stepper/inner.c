/* SPDX-License-Identifier: MIT
 * Loop code: one inner step of the index-3 augmented Lagrangian method with the Newmark formulas, of which the
 * trapezoidal rule is the default (paper 1, section 3).
 *
 *   prepare     predict q (and lambda, mu as they were), rows, factorise S
 *   iterate     a fixed number of   w = -delta (g + J'lambda),  S z = Phi + J w,
 *                                   dq = w - delta J'z,  lambda += z
 *               then project q where rows are not met, q' and q'' */
#include "math/euler.h"
#include "stepper/stepper.h"

#include <math.h>
#include <string.h>

void inner_rule(const ali3_model *m, double dt, struct rule *rule)
{
  double g = m->options.gamma, b = m->options.beta > 0.0 ? m->options.beta : 0.25 * (g + 0.5) * (g + 0.5);
  *rule = (struct rule){.dt = dt,
                        .h = b * dt * dt,
                        .v_d = g / (b * dt),
                        .v_v = 1.0 - g / b,
                        .v_a = dt * (1.0 - g / (2.0 * b)),
                        .a_d = 1.0 / (b * dt * dt),
                        .a_v = -1.0 / (b * dt),
                        .a_a = 1.0 - 1.0 / (2.0 * b)};
}

/* q' and q'' from q; with beta 1/4 and gamma 1/2 these are (15) and (16). q, q', q'' are 7 doubles each, one
 * after the other. */
static void integrate(const struct rule *r, const struct body_state *last, struct body_state *now)
{
  const double *a = last->r;
  double *o = now->r;
  for (int i = 0; i < 7; i++) {
    double d = o[i] - a[i];
    o[7 + i] = r->v_d * d + r->v_v * a[7 + i] + r->v_a * a[14 + i];
    o[14 + i] = r->a_d * d + r->a_v * a[7 + i] + r->a_a * a[14 + i];
  }
}

static void body_predict(const ali3_model *m, ali3_data *d, int b)
{
  (void)m;
  double dt = d->rule.dt;
  d->last.x[b] = d->now.x[b];
  const double *a = d->last.x[b].r;
  double *o = d->now.x[b].r;
  /* at the start the accelerations may be those of stiff springs let go: nothing to follow for a whole step */
  double leap = d->some_stiff && d->report.step == 0 ? 0.0 : 0.5 * dt;
  for (int i = 0; i < 7; i++) o[i] = a[i] + dt * (a[7 + i] + leap * a[14 + i]);
  integrate(&d->rule, &d->last.x[b], &d->now.x[b]);
  body_frame_update(&d->frame[b], &d->now.x[b]);
}

/* w = -delta (g + J'lambda) */
static void body_free(const ali3_model *m, ali3_data *d, int b)
{
  double g[BODY_Y], f[BODY_Y], Psi = d->frame[b].s - 1.0;
  struct body_load load;
  stage_load(m, d, b, &load);
  body_residual(&m->body[b], &d->now.x[b], &d->frame[b], m->gravity, &load,
                d->now.mu[b] + d->delta[b].alpha * Psi, g);
  stage_gather(m, d->J, b, d->now.lambda, f);
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]);
  if (!stage_carried(m, b)) {
    body_apply_delta(&d->delta[b], g, d->w[b]);
    return;
  }
  memset(d->w[b], 0, sizeof d->w[b]);
  memcpy(d->pull[b], g, sizeof d->pull[b]);
}

/* Rigid rows: beta = Phi + J w. A law L(Phi, Phi'), with Phi' = J q' of the integrator, is met by
 *   beta = (L - lambda)/k' + J w,   compliance 1/k',   k' = k + c v_d for L = k Phi + c Phi' */
static void link_beta(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  for (int k = 0, row = j->first; k < j->count; k++, row++) {
    double own = j->soft ? d->c[row] * (d->law[row] - d->now.lambda[row]) : d->Phi[row];
    d->beta[row] = own + stage_jw(d, d->Jf, j, k);
  }
}

/* dq = w - delta J'z, dmu = alpha (Psi + Psi_q dq) */
static void body_step(const ali3_model *m, ali3_data *d, int b)
{
  double y[BODY_Y], sum = 0.0;
  stage_corrected(m, d, b, y);
  for (int k = 0; k < BODY_Y; k++) sum += y[k] * y[k];
  d->increment[b] = sum;
  d->now.mu[b] += d->delta[b].alpha * (d->frame[b].s - 1.0 + 2.0 * y[6]);
  body_move(&d->now.x[b], &d->frame[b], y);
  integrate(&d->rule, &d->last.x[b], &d->now.x[b]);
  body_frame_update(&d->frame[b], &d->now.x[b]);
}

/* The acceleration of what has no mass enters nowhere, and the formulas of the step let an error of it stand for ever,
 * with a new sign in every step: it becomes the mean of the step. */
static void body_calm(const ali3_model *m, ali3_data *d, int b)
{
  const struct body *body = &m->body[b];
  double y[BODY_Y], v0[BODY_Y], v1[BODY_Y], mean[BODY_Y], turn[3];
  if (!stage_carried(m, b)) return;
  bool light = body->mass == 0.0;
  body_acceleration(&d->now.x[b], y);
  body_velocity(&d->last.x[b], v0);
  body_velocity(&d->now.x[b], v1);
  for (int i = 0; i < 6; i++) mean[i] = (v1[i] - v0[i]) / d->rule.dt;
  for (int i = 0; i < 3 && light; i++) y[i] = mean[i];
  for (int i = 0; i < 3; i++) turn[i] = mean[3 + i] - y[3 + i];
  for (int i = 0; i < 3; i++) y[3 + i] += v3_dot(body->weightless + 3 * i, turn);
  body_set_acceleration(&d->now.x[b], &d->frame[b], y);
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
  double k = (dt * dt) / (d->rule.dt * d->rule.dt);
  bool relative = m->options.alpha == 0.0;
  if (k == 1.0) return;
  inner_rule(m, dt, &d->rule);
  for (int b = 0; b < m->bodies; b++) {
    struct body_delta *delta = &d->delta[b];
    double own = stage_carried(m, b) ? 1.0 / k : k;
    delta->r *= own;
    for (int i = 0; i < 9; i++) delta->th[i] *= own;
    if (relative) { /* of the same size beside the mass terms for any dt */
      delta->n *= own;
      delta->alpha /= k;
    }
  }
  if (relative)
    for (int i = 0; i < m->frozen->rigid; i++) d->c[i] *= k;
}

/* Phi of a drive is the coordinate less where it aims. */
void inner_aim(const ali3_model *m, ali3_data *d, double after, bool targets)
{
  for (int i = 0; i < m->frozen->drives; i++) {
    const struct drive *drive = &m->frozen->drive[i];
    struct reference *from = &d->from[i], *aim = &d->aim[i];
    int row = m->frozen->link[drive->link].first;
    d->Phi[row] += aim->position;
    if (!drive->motion.external) {
      *aim = motion_at(&drive->motion, d->report.time + after);
    } else {
      if (targets)
        from->acceleration = motion_follow(&drive->motion, from, d->value[drive->force], m->options.dt);
      *aim = motion_go_on(from, from->acceleration, after);
    }
    d->Phi[row] -= aim->position;
  }
}

bool inner_prepare(const ali3_model *m, ali3_data *d)
{
  step_mark(d, ALI3_PHASE_PREDICT);
  memcpy(d->last.mu, d->now.mu, (size_t)m->bodies * sizeof *d->now.mu);
  memcpy(d->last.lambda, d->now.lambda, (size_t)m->frozen->rows * sizeof *d->now.lambda);
  memcpy(d->last.reaction, d->now.reaction, (size_t)m->frozen->rows * sizeof *d->now.reaction);
  memcpy(d->last.mean, d->now.mean, (size_t)m->frozen->rows * sizeof *d->now.mean);
  soft_start(m, d);
  stage_each(m, d, body_predict, 0, m->bodies, 150.0 * m->bodies);
  step_mark(d, ALI3_PHASE_ROWS);
  stage_rows(m, d);
  soft_laws(m, d, 0);
  step_mark(d, ALI3_PHASE_CONDENSE);
  return stage_condense(m, d);
}

/* The last increment is judged against the first: a step that shrinks it by less than this is reported, one
 * that does not shrink it has diverged. The floors keep increments that are rounding out of it: those of a mechanism at
 * rest, and the larger ones of coordinates of 1e7 m or of a penalty that is weak for its step. Laws with corners may
 * find their side only in the second iteration: there the largest one before the last counts, and what the
 * next step will mend is no news. */
static const double
    WELL_BELOW = 1e-2,
    FLOOR = 1e-9, HARMLESS = 1e-6, RUNS_AWAY = 100.0,
    FELT = 2e-5,     /* m, rad of one body in one step: a fast rotor loses 2 % of its energy in 10 s */
    SENSELESS = 1.0; /* m, rad: nothing that more iterations would mend */

/* What the iterations leave over of the rigid rows is taken off once more, by the same factors and for the
 * positions alone: in a chain that whips an iteration shrinks them by 30, this by 3000. Below the limit, m or
 * 1, it is saved. */
static const double MET = 1e-10;

static bool rows_are_met(const ali3_model *m, const ali3_data *d)
{
  for (int i = 0; i < m->frozen->rigid; i++)
    if (!(fabs(d->Phi[i]) <= MET)) return false;
  return true;
}

/* Norms of the increments: of the first iteration, of the last, the largest before the last; and the part of a single
 * body in the last. */
struct newton {
  double first, last, largest, body;
};

/* False: a pivot is not positive. */
static bool iterate(const ali3_model *m, ali3_data *d, struct newton *n)
{
  *n = (struct newton){0};
  for (int k = 0; k < m->options.iterations; k++) {
    if (k > 0 || m->frozen->values) soft_laws(m, d, k);
    if (k > 0 && m->frozen->switches) {
      step_mark(d, ALI3_PHASE_CONDENSE);
      if (!stage_condense(m, d)) return false;
    }
    step_mark(d, ALI3_PHASE_BODIES);
    stage_each(m, d, body_free, 0, m->bodies, 250.0 * m->bodies + 28.0 * m->frozen->rows);
    stage_each(m, d, link_beta, 0, m->frozen->links, 28.0 * m->frozen->rows);
    step_mark(d, ALI3_PHASE_SWEEP);
    stage_solve(m, d);
    step_mark(d, ALI3_PHASE_BODIES);
    stage_each(m, d, body_step, 0, m->bodies, 200.0 * m->bodies + 28.0 * m->frozen->rows);
    for (int i = 0; i < m->frozen->rows; i++) d->now.lambda[i] += d->z[i];
    n->last = increment_norm(m, d);
    step_mark(d, ALI3_PHASE_ROWS);
    stage_rows(m, d);
    if (k == 0) n->first = n->last;
    if (k < m->options.iterations - 1) n->largest = fmax(n->largest, n->last);
  }
  n->body = sqrt(d->increment[d->report.worst_body]);
  if (d->pull) memset(d->pull, 0, (size_t)m->bodies * sizeof *d->pull); /* the projections have none */
  return true;
}

/* What the formulas of the step leave undone. False: a pivot is not positive. */
static bool project(const ali3_model *m, ali3_data *d)
{
  if (!rows_are_met(m, d)) {
    project_position(m, d);
    stage_rows(m, d);
  }
  soft_settle(m, d);
  if (d->pull) stage_each(m, d, body_calm, 0, m->bodies, 100.0 * m->frozen->tree->carried);
  /* Twice: the factors are those of the prediction, and what the first pass leaves over the second takes
   * down by two to four orders, for a thirtieth of the step. */
  project_velocity(m, d);
  project_velocity(m, d);
  if (m->frozen->jumps ||
      d->some_stiff) { /* what settled is a load, which springs beside it must not take up */
    soft_open(m, d);
    if (!stage_condense(m, d)) return false;
  }
  project_acceleration(m, d);
  project_reactions(m, d, d->now.lambda);
  if (m->frozen->jumps) soft_hold(m, d);
  return true;
}

double inner_iterate(const ali3_model *m, ali3_data *d, int *status)
{
  struct newton n;
  bool positive = iterate(m, d, &n), corners = m->frozen->switches;
  step_mark(d, ALI3_PHASE_PROJECT);
  positive = positive && project(m, d);
  bool judged = m->options.iterations > 1 && n.last > (corners ? HARMLESS : FLOOR);
  *status = ALI3_OK;
  if (judged && (n.last > WELL_BELOW * n.largest || n.body > FELT)) *status = ALI3_NOT_CONVERGED;
  if (*status == ALI3_NOT_CONVERGED && d->report.step > 0 && n.last > SENSELESS) *status = ALI3_E_DIVERGED;
  if (!positive) *status = ALI3_E_SINGULAR;
  if (!isfinite(n.last) || (judged && n.last >= (corners ? RUNS_AWAY : 1.0) * n.first && n.last > HARMLESS))
    *status = ALI3_E_DIVERGED; /* nor is a pivot positive that is no number */
  return n.last;
}
