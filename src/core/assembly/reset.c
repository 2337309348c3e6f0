/* SPDX-License-Identifier: MIT
 * The initial state: moves positions (assemble.c) and velocities onto the constraints, then finds accelerations and
 * multipliers. It iterates until it converges, and is not for the loop. */
#include "actuators/cylinder.h"
#include "actuators/tyre.h"
#include "actuators/winding.h"
#include "assembly/assembly.h"
#include "kernels/elements.h"
#include "stepper/extrapolate.h"
#include "stepper/inner.h"
#include "stepper/project.h"
#include "stepper/sensor.h"
#include "stepper/soft.h"
#include "stepper/stage.h"
#include "stepper/violation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 100 };

/* A drive starts at the beginning of its function, or where the function is at the time of a given start. An external drive
 * starts at rest, at the coordinate of the model, or with a given reference. */
static void aim_at_start(const ali3_model *m, ali3_data *d, const struct start_given *given)
{
  for (int i = 0; i < m->frozen->drives; i++) {
    const struct drive *drive = &m->frozen->drive[i];
    const struct reference rest = given ? given->reference[i] : (struct reference){drive->at_start, 0.0, 0.0};
    d->outside.from[i] = drive->motion.external ? rest : motion_at(&drive->motion, d->report.time);
    d->outside.aim[i] = d->outside.from[i];
    d->turn[m->frozen->link[drive->link].joint[0]] =
        d->outside.from[i].position; /* it may begin full turns away */
    if (!given || !given->keep_outside)
      d->outside.now.command[drive->force] = drive->motion.external ? rest.position : 0.0;
  }
}

static void start_from_model(const ali3_model *m, ali3_data *d, const struct start_given *given,
                             const double (*rate)[6])
{
  for (int b = 0; b < m->bodies; b++) {
    const struct body *body = &m->body[b];
    double y[BODY_Y] = {0};
    struct body_state x = {0};
    struct body_frame frame;
    v3_copy(x.r, body->spec.position);
    memcpy(x.p, body->spec.orientation, sizeof x.p);
    body_frame_update(&frame, &x);
    memcpy(y, rate[b], sizeof rate[b]);
    body_set_velocity(&x, &frame, y);
    stored_set_state(m, d->now.x, b, &x);
    d->now.mu[stored_slot(m, b)] = 0.0;
  }
  stage_bodies(m, d, KERNEL_body_frame);
  for (int i = 0; i < m->frozen->rows; i++) d->now.lambda[i] = d->last.lambda[i] = 0.0;
  for (int j = 0; j < m->joints; j++)
    d->turn[j] =
        given ? given->turn[j]
              : m->frozen->link[j].coordinate[0].zero; /* angles start at the key position of the joint */
  for (int i = 0; i < m->frozen->rolling; i++) v3_copy(d->tangent[i], body_ground.r);
  const bool stays = given && given->keep_outside;
  for (int i = 0; i < m->loads && !stays; i++) v3_copy(d->outside.now.vector[i], m->load[i].spec.vector);
  for (int i = 0; i < m->forces && !stays; i++) d->outside.now.command[i] = 0.0;
  inner_start_rule(m, m->options.dt / m->options.substeps, &d->rule);
  d->prepared = d->states.factors = d->states.renewed = false;
  d->report = (ali3_report){.worst_body = -1, .worst_joint = -1, .worst_force = -1};
  d->report.step = given ? given->step : 0;
  d->report.time = (double)d->report.step * m->options.dt;
  violation_none(&d->violation);
  aim_at_start(m, d, given);
  d->initial = (ali3_initial){.body_position = -1, .body_orientation = -1, .body_rate = -1};
}

static double largest_row(const ali3_model *m, ali3_data *d, const double *v)
{
  double largest = 0.0;
  int worst = -1;
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      double x = fabs(v[stored_row(j, k)]);
      if (!(x <= largest) && !isnan(largest)) { /* keeps NaN */
        largest = x;
        worst = i;
      }
    }
  }
  link_name_worst(m, &d->report, worst);
  return largest;
}

/* A cylinder without pressures of its own holds the mechanism at rest. */
static bool is_to_hold(const struct joint_rows *j)
{
  return j->law[0].kind == LAW_CYLINDER && j->own >= 0 && isnan(j->law[0].actuator->pressure[0]);
}

/* Fills in the states of forces; cylinders that hold begin with the pressure of the tank. True: one of them is to hold. */
static bool begin_states(const ali3_model *m, ali3_data *d, const struct start_given *given)
{
  bool holds = false;
  d->at_start = true;
  /* from another state */
  if (given && given->own) memcpy(d->now.own, given->own, (size_t)m->frozen->own * sizeof *d->now.own);
  if (given && (given->own || given->keep_outside)) return false;
  /* from the model */
  for (int i = m->frozen->rigid_links; i < m->frozen->links && m->frozen->own > 0; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (j->own < 0) continue;
    const ali3_force_spec *c = j->law[0].actuator;
    if (j->law[0].kind == LAW_LIMITS) { /* the tread of a tyre at rest */
      memset(d->now.own + j->own, 0, TYRE_STATES * sizeof *d->now.own);
      continue;
    }
    if (j->law[0].kind == LAW_WINDING) {
      winding_begin(c, d->now.own + j->own);
      continue;
    }
    const double tank[2] = {c->tank, c->tank};
    const bool hold = is_to_hold(j);
    cylinder_begin(c, d->solve.Phi[j->first], hold ? tank : c->pressure, d->now.own + j->own);
    holds |= hold;
  }
  return holds;
}

/* Forces of soft rows are loads for the accelerations, without their compliance. In a step whose start equals its end the mean
 * over the step is the force. */
static void set_soft_loads(const ali3_model *m, ali3_data *d)
{
  penalty_open(m, d);
  soft_rates(m, d);
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    soft_end(m, d, j);
    for (int k = 0, row = j->first; k < j->count; k++, row += j->stride) {
      if (!law_jumps(&j->law[k]) || d->soft.stiff[row]) d->now.lambda[row] = d->soft.law[row];
      d->now.mean[row] = d->now.lambda[row];
    }
  }
}

/* a = M^-1 (Q - J'lambda) and mu of one body; push has J'lambda. */
static void start_acceleration(const ali3_model *m, ali3_data *d, int b)
{
  double g[BODY_Y], f[BODY_Y], w[BODY_Y] = {0}, h = d->rule.h;
  struct wrench load;
  struct body_state x = stored_state(m, d->now.x, b), still = x;
  const struct body_frame frame = stored_frame(m, d, b);
  const struct body_delta delta = stored_delta(m, d, b);
  body_wrench(m, d, b, false, &load);
  memset(still.rdd, 0, sizeof still.rdd);
  memset(still.pdd, 0, sizeof still.pdd);
  body_residual(&m->body[b], &still, &frame, m->gravity, &load, 0.0, g);
  body_end_loads(m, d, b, f);
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]) / h;
  if (body_is_carried(m, b))
    stored_set(m, d->solve.carried_rhs, BODY_Y, b, g);
  else
    body_apply_delta(&delta, g, w);
  body_set_acceleration(&x, &frame, w);
  stored_set_state(m, d->now.x, b, &x);
  /* The row of p: 2 mu = 2 w'J'w/s - (J'lambda)_n */
  d->now.mu[stored_slot(m, b)] = 0.5 * h * g[6];
}

/* Marks the soft rows that hold carried bodies (soft_open() leaves them), or clears the marks. The unknown of a carried body
 * is its whole acceleration here, so these rows must see the accelerations of both bodies, as rigid rows do. Otherwise they
 * would hold the carried body against the world. */
static void mark_carrying_rows(const ali3_model *m, ali3_data *d, bool mark)
{
  for (int row = m->frozen->rigid; row < m->frozen->rows; row++)
    d->soft.rigid_now[row] = mark && d->solve.c[row] < LAW_OPEN;
}

/* Accelerations of the marked rows other than those that hold, into `before`. Returns their largest multiplier, which must
 * vanish: these rows only keep pivots positive, and their forces are loads. */
static double keep_row_accelerations(const ali3_model *m, ali3_data *d, bool hold, double *before)
{
  double largest = 0.0;
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      const int row = stored_row(j, k);
      if (!d->soft.rigid_now[row] || (hold && k == 0 && is_to_hold(j))) continue;
      before[row] = link_jw(m, d, d->here.J, j, k) + d->solve.bias[row];
      largest = fmax(largest, fabs(d->rule.h * d->solve.z[row]));
    }
  }
  return largest;
}

/* lambda += h x of the rows that hold. */
static void add_held(const ali3_model *m, ali3_data *d, double *change, double *size)
{
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (!is_to_hold(j)) continue;
    d->now.lambda[j->first] += d->rule.h * d->solve.z[j->first];
    *change = fmax(*change, fabs(d->rule.h * d->solve.z[j->first]));
    *size = fmax(*size, fabs(d->now.lambda[j->first]));
  }
}

/* M q'' + J'lambda + Psi_q mu = Q and J q'' = gamma by the same factors: with S = h (J M^-1 J' + c/h),
 *   a = M^-1 (Q - J'lambda),  S x = J a - gamma,  q'' = a - delta J'x,  lambda += h x,  until x vanishes.
 *
 * hold: the rows of cylinders that hold are rigid, too. */
static void solve_accelerations(const ali3_model *m, ali3_data *d, bool hold)
{
  double h = d->rule.h, first = -1.0, soft = INFINITY;
  double *before = d->soft.rate_seen; /* not in use before the first iteration of a step */
  mark_carrying_rows(m, d, true);
  for (int row = m->frozen->rigid; row < m->frozen->rows; row++) before[row] = 0.0;
  for (int pass = 0; pass < PASSES; pass++) {
    stage_links(m, d, KERNEL_link_push_lambda);
    for (int b = 0; b < m->bodies; b++) start_acceleration(m, d, b);
    project_acceleration_after(m, d, before);
    double change = 0.0, size = 0.0;
    for (int i = 0; i < m->frozen->rigid; i++) {
      d->now.lambda[i] += h * d->solve.z[i];
      change = fmax(change, fabs(h * d->solve.z[i]));
      size = fmax(size, fabs(d->now.lambda[i]));
    }
    if (hold) add_held(m, d, &change, &size);
    if (first < 0.0) first = change;
    /* A direction in which a body without mass is out of balance has no acceleration: the rows stay as they are. */
    const double left = keep_row_accelerations(m, d, hold, before);
    const bool settles = left > 1e-15 * fmax(size, first) && left < 0.99 * soft;
    soft = left;
    if (!(change > 1e-15 * fmax(size, first)) && !settles) break;
  }
  mark_carrying_rows(m, d, false);
}

/* Pressures with which the cylinders that hold keep their coordinates at the present rate: their rows are rigid for one solve.
 * False: a pivot is not positive. */
static bool hold_by_oil(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  set_soft_loads(m, d);
  for (int i = f->rigid_links; i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    if (is_to_hold(j)) d->solve.c[j->first] = m->options.compliance * penalty_entry(m, d, j, 0);
  }
  if (!stage_condense(m, d)) return false;
  solve_accelerations(m, d, true);
  for (int i = f->rigid_links; i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    double pressure[2];
    if (!is_to_hold(j)) continue;
    cylinder_hold(j->law[0].actuator, -d->now.lambda[j->first], pressure);
    cylinder_begin(j->law[0].actuator, d->solve.Phi[j->first], pressure, d->now.own + j->own);
  }
  for (int i = 0; i < f->rows; i++) d->now.lambda[i] = 0.0;
  return true;
}

/* With gamma above 1/2 an acceleration that a stiff row removes within the first step is a jump in the formulas of the step.
 * The mechanism therefore starts as after a step, with velocities and accelerations that stiff rows hold. False: a pivot is
 * not positive. */
static bool hold_stiff(const ali3_model *m, ali3_data *d, void (*project)(const ali3_model *, ali3_data *))
{
  if (!d->soft.some_stiff || d->rule.v_a == 0.0) return true;
  soft_start(m, d);
  soft_laws(m, d, 0);
  for (int row = m->frozen->rigid; row < m->frozen->rows; row++) {
    d->soft.rigid_now[row] &= d->soft.stiff[row];
    d->soft.rigid_rate[row] = 0.0;
  }
  soft_open(m, d);
  if (!stage_condense(m, d)) return false;
  project(m, d);
  return true;
}

/* Measures the changes of velocities. */
static void measure_velocities(const ali3_model *m, ali3_data *d, const double (*rate)[6])
{
  ali3_initial *o = &d->initial;
  for (int b = 0; b < m->bodies; b++) {
    const struct body_state x = stored_state(m, d->now.x, b);
    double y[BODY_Y], dv[3], dw[3];
    body_velocity(&x, y);
    v3_sub(dv, y, rate[b]);
    v3_sub(dw, y + 3, rate[b] + 3);
    o->moved_velocity = fmax(o->moved_velocity, sqrt(v3_dot(dv, dv)));
    o->moved_angular_velocity = fmax(o->moved_angular_velocity, sqrt(v3_dot(dw, dw)));
  }
  rates_compare(m, d, rate);
}

/* The change of a given velocity above which the reset fails. Beside bodies without mass, and where a run goes on with another
 * model, velocities follow from the masses, and only the option limits them. */
static double largest_rate_change(const ali3_model *m, const ali3_data *d, const struct start_given *given)
{
  if (m->options.assembly_velocity > 0.0) return m->options.assembly_velocity;
  return given || m->frozen->tree->carried ? INFINITY : RATE_PART * d->initial.rate_given;
}

/* A pivot is not positive: writes the joint or body into the report. */
static int refuse_singular(const ali3_model *m, ali3_data *d)
{
  d->report.position = largest_row(m, d, d->solve.Phi);
  carried_report(m, d);
  return d->report.status = ALI3_E_SINGULAR;
}

/* along: (bodies) see rates_given() */
static int find_start(const ali3_model *m, ali3_data *d, const struct start_given *given, double (*rate)[6],
                      bool *along)
{
  if (!rates_given(m, !given, rate, along)) return d->report.status = ALI3_E_MEMORY;
  start_from_model(m, d, given, (const double(*)[6])rate);
  for (int b = 0; b < m->bodies; b++)
    if (along[b]) memset(rate[b], 0, sizeof rate[b]); /* nobody gave it */
  if (d->solve.carried_rhs)
    memset(d->solve.carried_rhs, 0, (size_t)(m->frozen->tree->slots * BODY_Y) * sizeof *d->solve.carried_rhs);
  outside_values_copy(m, &d->outside.start, &d->outside.now);
  stage_rows(m, d);
  penalty_set(m, d,
              0.0); /* an absolute alpha may be far too weak for dt, and the passes would not converge */
  int status = assemble(m, d);
  const bool project = !given || given->given_rates;
  if (status == ALI3_OK && project && !rates_project(m, d, !given, rate)) status = ALI3_E_MEMORY;
  const bool hold = begin_states(m, d, given);
  if (status == ALI3_OK && !stage_condense(m, d)) status = ALI3_E_SINGULAR;
  if (status == ALI3_OK) {
    d->redundant = m->options.alpha == 0.0 && redundancy_found(m, d);
    penalty_find_stiff(m, d);
    if (!penalty_find_mobility(m, d)) status = ALI3_E_SINGULAR;
  }
  if (status == ALI3_OK && !stability_judge(m, d)) status = ALI3_E_STIFF;
  if (status == ALI3_E_SINGULAR) return refuse_singular(m, d);
  if (status < 0) return d->report.status = status;
  /* Make velocities consistent. */
  inner_turns_start(m, d);
  stage_turns(m, d, 0.0);
  if (!velocities_meet_constraints(m, d)) return d->report.status = ALI3_E_SINGULAR;
  if (violation_at_start(m, d)) return d->report.status = ALI3_E_VIOLATED;
  if (!hold_stiff(m, d, project_velocity)) return d->report.status = ALI3_E_SINGULAR;
  /* Solve for accelerations and multipliers. */
  if (hold && !hold_by_oil(m, d)) return d->report.status = ALI3_E_SINGULAR;
  set_soft_loads(m, d);
  if ((m->frozen->tree->carried || d->soft.some_stiff || hold) && !stage_condense(m, d))
    return d->report.status = ALI3_E_SINGULAR;
  solve_accelerations(m, d, false);
  if (d->solve.carried_rhs)
    memset(d->solve.carried_rhs, 0, (size_t)(m->frozen->tree->slots * BODY_Y) * sizeof *d->solve.carried_rhs);
  memcpy(d->now.reaction, d->now.lambda, (size_t)m->frozen->rows * sizeof *d->now.reaction);
  if (d->redundant) project_unfelt(m, d, d->now.reaction, 2);
  if (!hold_stiff(m, d, project_acceleration)) return d->report.status = ALI3_E_SINGULAR;
  /* Fill the report and the data that steps need. */
  measure_velocities(m, d, (const double(*)[6])rate);
  if (d->initial.rate_changed > largest_rate_change(m, d, given)) return d->report.status = ALI3_E_ASSEMBLE;
  project_residuals(m, d);
  project_norms(m, d);
  if (m->options.alpha > 0.0) penalty_set(m, d, m->options.alpha);
  inner_begin(m, d);
  if (d->coarse[0]) extrapolate_lengths(m, d);
  links_roll(m, d);
  if (!isfinite(d->report.position + d->report.velocity + d->report.acceleration) || !start_is_finite(m, d))
    return d->report.status = ALI3_E_ASSEMBLE;
  sensors_begin(m, d);
  bool moved = d->initial.moved_position > 1e-9 || d->initial.moved_orientation > 1e-9 ||
               d->initial.moved_velocity > 1e-9 || d->initial.moved_angular_velocity > 1e-9;
  return d->report.status = moved ? ALI3_MOVED : ALI3_OK;
}

int start_find(const ali3_model *m, ali3_data *d, const struct start_given *given)
{
  double(*rate)[6] = calloc((size_t)m->bodies + 1, sizeof *rate);
  bool *along = calloc((size_t)m->bodies + 1, sizeof *along);
  int status = rate && along ? find_start(m, d, given, rate, along) : ALI3_E_MEMORY;
  free(rate);
  free(along);
  d->started = status >= 0;
  d->at_start = false;
  return status;
}
