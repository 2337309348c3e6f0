/* SPDX-License-Identifier: MIT
 * Set-up for bodies without mass (paper 4). Their velocity is no initial value: it follows from dampers and the forces at the
 * start. Joints, springs or dampers have to hold them. */
#include "assembly/assembly.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

enum { PASSES = 100 };
static const double SLOW = 0.9; /* passes with a larger ratio of changes do not converge */
/* Factor on the delta of bodies with mass, so that they hardly move. It is a power of two, so that dividing by it restores
 * every bit. */
static const double HEAVY = 0x1p-13;
/* Factor on the compliance of rigid rows. Beside their full stiffness a spring would be rounding in the pivot of a hub,
 * except in the directions of the axes. The passes correct the error. */
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

/* g = Q - J'lambda of a body, in body coordinates, without acceleration; push has J'lambda. */
static void balance_body(const ali3_model *m, const ali3_data *d, int b, double g[BODY_Y])
{
  double f[BODY_Y];
  struct wrench load;
  struct body_state still = stored_state(m, d->now.x, b);
  const struct body_frame frame = stored_frame(m, d, b);
  memset(still.rdd, 0, sizeof still.rdd);
  memset(still.pdd, 0, sizeof still.pdd);
  body_wrench(m, d, b, false, &load);
  body_residual(&m->body[b], &still, &frame, m->gravity, &load, 0.0, g);
  body_end_loads(m, d, b, f);
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]);
  g[BODY_Y - 1] = 0.0;
}

/* Keeps the part of a velocity or load along directions without mass. Where there is mass, velocities are initial values. */
static void leave_weightless(const struct body *body, double y[BODY_Y])
{
  double turn[3];
  v3_copy(turn, y + 3);
  for (int i = 0; i < 3; i++) {
    if (body->spec.mass > 0.0) y[i] = 0.0;
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

/* lambda of the soft rows by their laws. ahead: at the positions after 1/v_d with the present rates. */
static void ask_laws(const ali3_model *m, ali3_data *d, bool ahead)
{
  const struct frozen *f = m->frozen;
  double v_d = d->rule.v_d;
  d->rule.v_d = 0.0; /* compliance 1/k without damping */
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

/* z := error of the velocities of carried bodies, by a Newton step on the balance of forces, with the prescribed J v of rigid
 * rows. False: a pivot is not positive. */
static bool balance_step(const ali3_model *m, ali3_data *d, bool ahead)
{
  const struct frozen *f = m->frozen;
  stage_bodies(m, d, KERNEL_body_velocity_free);
  ask_laws(m, d, ahead);
  if (!stage_condense(m, d)) return false;
  stage_links(m, d, KERNEL_link_push_lambda);
  /* Set the right-hand sides of carried bodies, then of the rows. */
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

/* Adds z to the velocities. Returns the largest change. */
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
    /* Change only the part without mass. */
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

/* Two rounds of passes. The first round balances forces at the end of an implicit Euler step of 1/v_d with these velocities.
 * It settles velocities without dampers. The second round balances forces at the start, which is right with dampers, and ends
 * at once without them. */
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
    /* Pass until the change vanishes. If round 1 does not converge, go back to the result of round 0. */
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
