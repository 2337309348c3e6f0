/* SPDX-License-Identifier: MIT
 * Loop code: soft rows. The multipliers that their laws give in an iteration, and their forces at the end of the step. */
#include "stepper/soft.h"
#include "actuators/tyre.h"
#include "dynamics/region.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

/* Phi' of the rows of a link, (count). */
static void rates_of(const ali3_data *d, const struct joint_rows *j, double *rate)
{
  for (int k = 0; k < j->count; k++) rate[k] = d->soft.rate[stored_row(j, k)];
}

void soft_rates(const ali3_model *m, ali3_data *d)
{
  if (m->frozen->rows > m->frozen->rigid) stage_soft_links(m, d, KERNEL_link_rate);
}

/* Effective mobility of n friction rows, `stride` apart: change of slip rate per unit multiplier, from the last iteration. A
 * stop or contact beside them may hold them harder than at the reset. */
static double mobility_now(const ali3_data *d, int first, int stride, int n, const double *rate)
{
  double up = 0.0, down = 0.0, size = 0.0;
  for (int i = 0, row = first; i < n; i++, row += stride) {
    double change = d->now.lambda[row] - d->soft.lambda_seen[row];
    up -= change * (rate[i] - d->soft.rate_seen[row]);
    down += change * change;
    size += d->now.lambda[row] * d->now.lambda[row];
  }
  if (!(down > 1e-3 * size && up > 0.0))
    return soft_mobility(d, first); /* the change is too small, or the first iteration has none: NaN */
  return fmin(up / (down * d->rule.v_d), soft_mobility(d, first));
}

/* The mobility of a joint's coordinate while its stop acts; `mobility` is its value without the stop. The friction of the
 * joint acts against it at an impact, and the iterations would measure it one too late. */
static double mobility_at_stop(const ali3_model *m, const ali3_data *d, const struct joint_rows *j,
                               double mobility)
{
  const int stop = m->frozen->stop_beside[j - m->frozen->link];
  if (stop < 0) return mobility;
  const struct joint_rows *s = &m->frozen->link[stop];
  const int row = s->first;
  double slope;
  law_mean(&s->law[0], d->soft.Phi_last[row], d->solve.Phi[row], d->rule.dt, d->soft.stiff[row], &slope);
  return mobility / (1.0 + mobility * slope / d->rule.gamma);
}

/* The force that an input asks of a brake: 0 .. most. NaN stays, so that the step fails. */
static double asked_friction(const ali3_model *m, const ali3_data *d, const struct joint_rows *j)
{
  const int force = m->frozen->force_of[j - m->frozen->link - m->joints];
  const double asked = outside_in_force(d)->command[force], most = j->law[0].actuator->friction;
  return asked < 0.0 ? 0.0 : asked > most ? most : asked;
}

/* The normal force of LAW_FRICTION for law_friction(). */
static double friction_normal(const ali3_model *m, const ali3_data *d, const struct joint_rows *j)
{
  return j->law[0].asked ? asked_friction(m, d, j) : 1.0;
}

/* Mean friction over the step in row k of a link, from the mean of its rate. *slope: its derivative by the coordinate.
 * *tight: the stiffness of sticking relative to the mobility. Without friction the row would slide at its rate now, minus
 * the part that its multiplier removes. */
static double mean_friction(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k,
                            const double *rate, double *slope, double *tight)
{
  const struct law *law = &j->law[k];
  bool contact = law->kind == LAW_SLIP;
  int across_k = k == 1 ? 2 : 1, first_k = contact ? 1 : k, row = stored_row(j, k);
  /* mobility over the step */
  double mobility = mobility_now(d, stored_row(j, first_k), j->stride, contact ? 2 : 1, rate + first_k);
  if (!contact) mobility = fmin(mobility, mobility_at_stop(m, d, j, soft_mobility(d, row)));
  mobility *= 0.5 * d->rule.v_d / d->rule.gamma;
  /* rate of the row without friction */
  double normal = contact ? fmax(0.0, -soft_mean(d, j->first)) : friction_normal(m, d, j);
  double v = 0.5 * (rate[k] + d->soft.rate_last[row]), push = v + mobility * soft_mean(d, row);
  if (contact) {
    int other = stored_row(j, across_k);
    double across = 0.5 * (rate[across_k] + d->soft.rate_last[other]) + mobility * soft_mean(d, other);
    push = sqrt(push * push + across * across);
  }
  double secant = law_drag(law, normal, push, mobility, tight);
  *slope = 0.5 * d->rule.v_d * secant;
  *tight *= mobility;
  return secant * v;
}

/* The multiplier of a motor's link. */
static double asked_value(const ali3_model *m, const ali3_data *d, int link)
{
  return -outside_in_force(d)->command[m->frozen->force_of[link - m->joints]];
}

/* Returns the multiplier that a law gives at the end of the step. The Newmark formulas weight the load at the start, F0, by
 * (1 - gamma), and the load at the end by gamma. For laws that jump this is wrong: the friction force of the last step would
 * push a body that friction holds, so that it slides to and fro, and a stop would still throw a body that has left it. Laws
 * that jump thus have a mean force F over the step, and the multiplier that produces it:
 *
 *   F = (1 - gamma) F0 + gamma lambda    <=>    lambda = F0 + (F - F0)/gamma
 *
 * soft_settle() restores the force at the end. Rows too stiff for the step are also held: velocities and accelerations are
 * projected on them as on rigid rows, so that they do not oscillate. These rows are the one-sided rows and springs that the
 * reset found, and friction while it sticks. */
static double ask_law(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k,
                      const double *rate, double *slope)
{
  const struct law *law = &j->law[k];
  int row = stored_row(j, k);
  double gamma = d->rule.gamma, F0 = d->last.lambda[row], F, end, other;
  d->soft.rigid_now[row] = d->soft.stiff[row];
  switch (law->kind) {
  case LAW_LIMITS:
    F = law_mean(law, d->soft.Phi_last[row], d->solve.Phi[row], d->rule.dt, d->soft.stiff[row], slope);
    if (d->soft.stiff[row]) {
      d->soft.rigid_now[row] = *slope > 0.0;
      return F;
    }
    if (d->rule.mean) return F;
    end = law_force(law, NULL, d->solve.Phi[row], rate[k], d->rule.v_d, &other);
    F += (gamma - 0.5) * (end - F0);
    *slope += (gamma - 0.5) * other;
    break;
  case LAW_FRICTION:
  case LAW_SLIP:
    F = mean_friction(m, d, j, k, rate, slope, &other);
    d->soft.rigid_now[row] = other > 1.0;
    break;
  case LAW_TYRE:
    F = actuated_tyre(d, j, k, slope, &other);
    d->soft.rigid_now[row] = other > 1.0;
    break;
  case LAW_VALUE:
    *slope = 0.0;
    return asked_value(m, d, (int)(j - m->frozen->link));
  case LAW_SWAY: /* pull over length at the start: pushing would be unstable, so the factors leave it out */
    *slope = fmax(0.0, d->last.lambda[j->first]) / fmax(j->length + d->soft.Phi_last[j->first], 1e-9);
    if (d->rule.mean) *slope *= 0.5;
    return 0.0;
  default:
    if (law->kind == LAW_CYLINDER) return actuated_cylinder(m, d, j, rate[k], slope);
    if (law->kind == LAW_WINDING) {
      const double torque = actuated_winding(m, d, j, slope);
      d->soft.rigid_now[row] &= *slope > 0.0; /* a limited current yields to any rate */
      return torque;
    }
    if (d->rule.mean) return law_average(law, d->soft.Phi_last[row], d->solve.Phi[row], d->rule.dt, slope);
    return law_force(law, NULL, d->solve.Phi[row], rate[k], d->rule.v_d, slope);
  }
  *slope /= gamma;
  return F0 + (F - F0) / gamma;
}

/* law_piece() of row k. A stiff stop that acts, and every other held row, has no piece. */
static int piece_of(const ali3_data *d, const struct joint_rows *j, int k, const double *rate)
{
  const struct law *law = &j->law[k];
  const int row = stored_row(j, k);
  if (law->kind == LAW_SLIP && d->now.lambda[j->first] == 0.0) return 0; /* no contact */
  const double speed = law->kind == LAW_SLIP ? sqrt(rate[1] * rate[1] + rate[2] * rate[2]) : rate[k];
  const int piece = law_piece(law, d->solve.Phi[row], rate[k], speed);
  return law->kind == LAW_LIMITS && d->soft.stiff[row] && piece != 0 ? LAW_NO_PIECE : piece;
}

static void link_start(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  double rate[ROWS_MAX];
  rates_of(d, j, rate);
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
    d->soft.rate_last[row] = rate[k];
    d->soft.Phi_last[row] = d->solve.Phi[row];
    if (d->combines && law_jumps(&j->law[k])) d->soft.piece[row] = piece_of(d, j, k, rate);
  }
}

void soft_start(const ali3_model *m, ali3_data *d)
{
  soft_rates(m, d);
  stage_each(m, d, link_start, m->frozen->rigid_links, m->frozen->links,
             60.0 * (m->frozen->rows - m->frozen->rigid));
}

static void link_laws(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  double rate[ROWS_MAX], slope = 0.0;
  rates_of(d, j, rate);
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
    d->soft.law[row] = ask_law(m, d, j, k, rate, &slope);
    d->solve.c[row] = slope > 0.0 ? 1.0 / slope : LAW_OPEN;
  }
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
    d->soft.rate_seen[row] = rate[k];
    d->soft.lambda_seen[row] = d->now.lambda[row];
  }
}

void soft_laws(const ali3_model *m, ali3_data *d, int iteration)
{
  /* a change before the first iteration is the error of the prediction, not a sign of the mobility */
  for (int i = m->frozen->rigid; iteration <= 1 && i < m->frozen->rows; i++) d->soft.lambda_seen[i] = NAN;
  soft_rates(m, d);
  stage_each(m, d, link_laws, m->frozen->rigid_links, m->frozen->links,
             100.0 * (m->frozen->rows - m->frozen->rigid));
}

/* Force of a law that jumps, at the position and rate of the row. */
static double end_force(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k,
                        const double *rate)
{
  const struct law *law = &j->law[k];
  double slope, force[2];
  switch (law->kind) {
  case LAW_LIMITS:
    return law_force(law, NULL, d->solve.Phi[stored_row(j, k)], rate[k], d->rule.v_d, &slope);
  case LAW_SLIP: /* the normal force in the first row is already set */
    return law_friction(law, fmax(0.0, -d->now.lambda[j->first]), rate[k], rate[k == 1 ? 2 : 1]);
  case LAW_TYRE: {
    const struct tyre_motion motion = {.sliding = {rate[1], rate[2]}, .rolling = rate[3]};
    tyre_force(law->actuator, link_own(&d->now, j), &motion, fmax(0.0, -d->now.lambda[j->first]), force);
    return -force[k - 1];
  }
  default:
    return law_friction(law, friction_normal(m, d, j), rate[k], 0.0);
  }
}

void soft_end(const ali3_model *m, ali3_data *d, const struct joint_rows *j)
{
  double rate[ROWS_MAX];
  rates_of(d, j, rate);
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride)
    if (law_jumps(&j->law[k]))
      d->now.lambda[row] = d->soft.stiff[row] ? d->soft.law[row] : end_force(m, d, j, k, rate);
}

static void link_end_loads(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  double rate[ROWS_MAX], slope;
  rates_of(d, j, rate);
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
    /* a corner since the start of the step, then the force */
    const struct law *law = &j->law[k];
    if (law_jumps(law) &&
        (d->soft.piece[row] == LAW_NO_PIECE || piece_of(d, j, k, rate) != d->soft.piece[row]))
      atomic_store_explicit(&d->soft.corner, true, memory_order_relaxed);
    if (d->soft.rigid_now[row] || d->soft.stiff[row]) continue;
    if (law_jumps(law))
      d->now.lambda[row] = end_force(m, d, j, k, rate);
    else if (law->kind == LAW_VALUE)
      d->now.lambda[row] = d->soft.law[row];
    else
      d->now.lambda[row] =
          law_force(law, link_own(&d->now, j), d->solve.Phi[row], rate[k], d->rule.v_d, &slope);
  }
}

void soft_end_loads(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  soft_rates(m, d);
  stage_each(m, d, link_end_loads, f->rigid_links, f->links, 100.0 * (f->rows - f->rigid));
}

static void link_forces(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  double rate[ROWS_MAX], slope;
  rates_of(d, j, rate);
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
    const struct law *law = &j->law[k];
    if (law_jumps(law))
      d->now.lambda[row] = end_force(m, d, j, k, rate);
    else if (law->kind == LAW_VALUE)
      d->now.lambda[row] = d->soft.law[row] = asked_value(m, d, link);
    else
      d->now.lambda[row] =
          law_force(law, link_own(&d->now, j), d->solve.Phi[row], rate[k], d->rule.v_d, &slope);
  }
}

void soft_forces(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  if (f->rows == f->rigid) return;
  soft_rates(m, d);
  stage_each(m, d, link_forces, f->rigid_links, f->links, 100.0 * (f->rows - f->rigid));
}

/* The longest step for row k of a link, as its law is at the state. */
static double longest_step_of(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k,
                              const double *rate)
{
  const struct law *law = &j->law[k];
  const int row = stored_row(j, k);
  const bool contact = law->kind == LAW_SLIP;
  const double normal = contact ? fmax(0.0, -d->now.lambda[j->first]) : friction_normal(m, d, j);
  struct mode mode;
  law_slopes(law, link_own(&d->now, j), d->solve.Phi[row], rate[k], normal,
             contact ? rate[k == 1 ? 2 : 1] : 0.0, &mode.stiffness, &mode.damping);
  mode.stiffness *= d->soft.mobility[row];
  mode.damping *= d->soft.mobility[row];
  return region_longest_step(m->options.method, mode);
}

int soft_find_unstable(const ali3_model *m, ali3_data *d, double *longest)
{
  const struct frozen *f = m->frozen;
  for (int i = f->rigid_links; f->switches && i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    double rate[ROWS_MAX];
    rates_of(d, j, rate);
    for (int k = 0; k < j->count; k++) {
      if (!law_switches(&j->law[k])) continue;
      *longest = longest_step_of(m, d, j, k, rate);
      if (!(d->rule.dt <= *longest)) return f->force_of[i - m->joints];
    }
  }
  return -1;
}

/* Replaces the means over the step of laws that jump by their forces at its end. Sets the rates of held rows: the mean rate
 * over the step, which does not oscillate, or 0 after an impact in this step. */
static void link_settle(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  double rate[ROWS_MAX];
  rates_of(d, j, rate);
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
    const struct law *law = &j->law[k];
    double lambda = d->now.lambda[row], end = lambda;
    if (d->solve.c[row] >= LAW_OPEN)
      d->now.lambda[row] = lambda = end = d->soft.law[row]; /* without rounding of the iterations */
    bool hit = law->kind == LAW_LIMITS && d->last.lambda[row] == 0.0;
    d->soft.rigid_rate[row] = hit ? 0.0 : 0.5 * (rate[k] + d->soft.rate_last[row]);
    if (law_jumps(law)) {
      d->now.mean[row] = soft_mean(d, row);
      end = d->soft.rigid_now[row] ? d->now.mean[row] : end_force(m, d, j, k, rate);
      if (law->kind == LAW_LIMITS && d->soft.stiff[row]) end = lambda;
    }
    if (law->kind == LAW_SWAY && m->frozen->jumps) end = 0.0;
    d->solve.z[row] = lambda - end;
    d->now.lambda[row] = end;
  }
}

void soft_settle(const ali3_model *m, ali3_data *d)
{
  if (!m->frozen->jumps && !d->soft.some_stiff) return;
  soft_rates(m, d);
  stage_each(m, d, link_settle, m->frozen->rigid_links, m->frozen->links,
             100.0 * (m->frozen->rows - m->frozen->rigid));
  if (!m->frozen->jumps) return; /* no multiplier has changed */
  if (d->rule.mean) return;      /* project_balance() replaces the accelerations */
  memset(d->solve.end_load, 0, (size_t)m->frozen->end_loads * sizeof *d->solve.end_load);
  stage_soft_links(m, d, KERNEL_link_push_z);
  stage_bodies(m, d, KERNEL_body_settle);
}

static void advance_link(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  if (j->own < 0) return;
  if (actuated_advance(m, d, j)) atomic_store_explicit(&d->soft.corner, true, memory_order_relaxed);
}

void soft_advance(const ali3_model *m, ali3_data *d)
{
  if (m->frozen->own == 0) return;
  soft_rates(m, d);
  stage_each(m, d, advance_link, m->frozen->rigid_links, m->frozen->links,
             100.0 * (m->frozen->rows - m->frozen->rigid));
}

/* Excludes rows from the next solve that neither hold nor carry a body. */
void soft_open(const ali3_model *m, ali3_data *d)
{
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    bool carries = false;
    for (int side = 0; side < j->sides; side++)
      carries |= j->body[side] != ALI3_GROUND && body_is_carried(m, j->body[side]);
    for (int k = 0, row = j->first; k < j->count && !carries; k++, row += j->stride)
      if (!d->soft.rigid_now[row]) d->solve.c[row] = LAW_OPEN;
  }
}

void soft_hold(const ali3_model *m, ali3_data *d)
{
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0, row = j->first; k < j->count; k++, row += j->stride)
      if (d->soft.rigid_now[row] && j->law[k].kind == LAW_LIMITS)
        d->now.lambda[row] += d->rule.h * d->solve.z[row];
  }
}
