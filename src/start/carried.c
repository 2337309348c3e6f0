/* SPDX-License-Identifier: MIT
 * Set-up for bodies without mass (paper 4): their velocity is no initial value but what dampers make of the forces at
 * the start, and something has to hold them. */
#include "math/vec3.h"
#include "start/start.h"
#include "stepper/elements.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

enum { PASSES = 100 };
static const double SLOW = 0.9; /* passes that shrink the change by less lead nowhere */
/* Bodies with mass hardly move here: their delta is smaller by this. A power of two: it is undone to the
 * last bit. */
static const double HEAVY = 0x1p-13;
/* And rigid rows are softer by this: beside their stiffness a spring would be rounding in a hub's pivot, in
 * all but the directions of the axes. The passes make up for it. */
static const double LOOSE = 0x1p7;

void carried_report(const ali3_model *m, ali3_data *d)
{
  int tile = atomic_load_explicit(&d->solve.failed_group, memory_order_relaxed);
  d->report.worst_body = -1;
  for (int y = 0; y < BODY_Y - 1; y++) d->report.free_direction[y] = 0.0;
  if (tile < 0) return;
  bool is_body;
  int body = tree_failed(m->frozen->tree, &d->solve.work, tile, &is_body);
  if (!is_body || !body_is_carried(m, body)) return;
  double o[BODY_Y], turn[3];
  const struct tree_matrix matrix = stage_matrix(d);
  const struct body_frame frame = stored_frame(m, d, body);
  tree_weak_direction(&m->frozen->solver, &d->solve.work, &matrix, body, o);
  m3_mul(turn, frame.R, o + 3);
  d->report.worst_body = body;
  v3_copy(d->report.free_direction, o);
  v3_copy(d->report.free_direction + 3, turn);
}

/* g = Q - J'lambda of a body, in body coordinates, without acceleration; push: J'lambda */
static void balance_body(const ali3_model *m, const ali3_data *d, int b, double g[BODY_Y])
{
  double f[BODY_Y];
  struct wrench load;
  struct body_state still = stored_state(m, d->now.x, b);
  const struct body_frame frame = stored_frame(m, d, b);
  memset(still.rdd, 0, sizeof still.rdd);
  memset(still.pdd, 0, sizeof still.pdd);
  body_wrench(m, d, b, &load);
  body_residual(&m->body[b], &still, &frame, m->gravity, &load, 0.0, g);
  body_end_loads(m, d, b, f);
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]);
  g[BODY_Y - 1] = 0.0;
}

/* Of a velocity or a load: where there is mass, velocities are initial values and stay as they are. */
static void leave_weightless(const struct body *body, double y[BODY_Y])
{
  double turn[3];
  v3_copy(turn, y + 3);
  for (int i = 0; i < 3; i++) {
    if (body->mass > 0.0) y[i] = 0.0;
    y[3 + i] = v3_dot(body->weightless + 3 * i, turn);
  }
}

static void scale_masses(const ali3_model *m, ali3_data *d, double mass, double compliance)
{
  for (int b = 0; b < m->bodies; b++) {
    double own = body_is_carried(m, b) ? 1.0 / mass : mass; /* carried: the inverse */
    struct body_delta delta = stored_delta(m, d, b);
    delta.r *= own;
    for (int i = 0; i < 9; i++) delta.th[i] *= own;
    stored_set_delta(m, d, b, &delta);
  }
  for (int row = 0; row < m->frozen->rigid; row++) d->solve.c[row] *= compliance;
}

/* lambda of the soft rows: as their laws ask, and if `ahead` for where they will be after 1/v_d at their
 * present rate */
static void ask_laws(const ali3_model *m, ali3_data *d, bool ahead)
{
  const struct frozen *f = m->frozen;
  double v_d = d->rule.v_d;
  d->rule.v_d = 0.0; /* compliance 1/k, no damping in it */
  penalty_open(m, d);
  for (int row = f->rigid; row < f->rows; row++)
    d->solve.beta[row] = ahead && d->solve.c[row] < LAW_OPEN ? 1.0 / (v_d * d->solve.c[row]) : 0.0;
  d->rule.v_d = v_d;
  penalty_open(m, d);
  for (int i = f->rigid_links; i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    for (int k = 0, row = j->first; k < j->count; k++, row += j->stride)
      d->now.lambda[row] = d->soft.law[row] + d->solve.beta[row] * link_jw(m, d, d->here.J, j, k);
  }
}

/* Into z, by what the velocities of carried bodies are off: the balance of forces by a Newton step, with J v
 * as it shall be for the rigid rows. False: a pivot is not positive. */
static bool balance_step(const ali3_model *m, ali3_data *d, bool ahead)
{
  const struct frozen *f = m->frozen;
  stage_bodies(m, d, KERNEL_body_velocity_free);
  ask_laws(m, d, ahead);
  if (!stage_condense(m, d)) return false;
  stage_links(m, d, KERNEL_link_push_lambda);
  /* right-hand sides of carried bodies, then of the rows */
  for (int b = 0; b < m->bodies; b++) {
    double rhs[BODY_Y];
    balance_body(m, d, b, rhs);
    leave_weightless(&m->body[b], rhs);
    stored_set(m, d->solve.carried_rhs, BODY_Y, b, rhs);
  }
  for (int i = 0; i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    double rate = j->drive >= 0 ? d->outside.aim[j->drive].rate : 0.0;
    for (int k = 0; k < j->count; k++)
      d->solve.beta[stored_row(j, k)] = j->soft ? 0.0 : (link_jw(m, d, d->here.J, j, k) - rate) / d->rule.v_d;
  }
  stage_solve(m, d);
  return true;
}

/* Moves the velocities by what z says; returns the largest part of it. */
static double move_velocities(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  double change = 0.0;
  for (int b = 0; b < m->bodies; b++) {
    double y[BODY_Y], dv[BODY_Y];
    if (!body_is_carried(m, b)) continue;
    struct body_state x = stored_state(m, d->now.x, b);
    const struct body_frame frame = stored_frame(m, d, b);
    for (int k = 0; k < BODY_Y; k++) dv[k] = d->solve.z[t->carried_at[b] + k * t->body[b].width];
    /* where the body has no mass */
    leave_weightless(&m->body[b], dv);
    body_velocity(&x, y);
    for (int k = 0; k < BODY_Y - 1; k++) {
      y[k] += d->rule.v_d * dv[k];
      change = fmax(change, fabs(d->rule.v_d * dv[k]));
    }
    body_set_velocity(&x, &frame, y);
    stored_set_state(m, d->now.x, b, &x);
  }
  return change;
}

/* Two rounds of passes. The first asks that forces balance at the end of a step into which the velocities
 * lead, by the implicit Euler rule over 1/v_d: that settles where there is no damper. The second asks that
 * they balance now, which is right where there is one, and ends at once where there is none. */
bool carried_velocities(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  size_t slots = (size_t)f->tree->slots;
  bool ok = true;
  scale_masses(m, d, HEAVY, LOOSE);
  for (int row = 0; row < f->rows; row++) d->now.lambda[row] = 0.0;
  for (int round = 0; ok && round < 2; round++) {
    double last = INFINITY;
    memcpy(d->last.x, d->now.x, X_NUMBERS * slots * sizeof *d->now.x);
    /* passes, until the change is nothing; back if those of round 1 lead nowhere */
    for (int pass = 0; pass < PASSES && last > 1e-12; pass++) {
      ok = balance_step(m, d, round == 0);
      if (!ok) break;
      double change = move_velocities(m, d);
      for (int row = 0; row < f->rigid; row++) d->now.lambda[row] += d->solve.z[row];
      if (round == 1 && !(change < SLOW * last)) {
        memcpy(d->now.x, d->last.x, X_NUMBERS * slots * sizeof *d->now.x);
        break;
      }
      last = change;
    }
  }
  if (!ok) carried_report(m, d);
  scale_masses(m, d, 1.0 / HEAVY, 1.0 / LOOSE);
  memset(d->solve.carried_rhs, 0, BODY_Y * slots * sizeof *d->solve.carried_rhs);
  for (int row = 0; row < f->rows; row++) d->now.lambda[row] = 0.0;
  return ok;
}
