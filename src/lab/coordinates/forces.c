/* SPDX-License-Identifier: MIT */
#include "coordinates/forces.h"

#include "actuators/cylinder.h"
#include "actuators/winding.h"
#include "coordinates/forces_parts.h"
#include "kernels/data.h"
#include "layout/frozen.h"

#include <math.h>
#include <string.h>

bool forces_check_bodies(const ali3_model *m, struct lab_refusal *why)
{
  for (int i = 0; i < m->bodies; i++)
    if (m->body[i].singular)
      return problem_refuse(why, "body", i,
                            "these coordinates need mass and inertia of every body; give both");
  return m->bodies > 0 || problem_refuse(why, "model", -1, "there is no body");
}

bool forces_load(const ali3_model *m)
{
  return m->loads > 0 || m->frozen->links > m->frozen->rigid_links;
}

/* ---- states of forces ---- */

enum { OWN_MOST = CYLINDER_STATES };
_Static_assert((int)OWN_MOST >= (int)WINDING_STATES, "the states of any force fit");

static int owns_of_link(const struct joint_rows *j)
{
  return j->own < 0 ? 0 : j->law[0].kind == LAW_CYLINDER ? CYLINDER_STATES : WINDING_STATES;
}

/* How much of a state of the core a unit of the scaled one is. */
static double own_scale(const struct joint_rows *j, int state)
{
  static const double CIRCLE = 0.78539816339744830962; /* area of a circle with the diameter 1 */
  const bool oil = j->law[0].kind == LAW_CYLINDER && state >= CYLINDER_OIL && state < CYLINDER_OIL + 2;
  return oil ? CIRCLE * j->law[0].actuator->bore * j->law[0].actuator->bore : 1;
}

static void unscale_own(const struct joint_rows *j, const double *scaled, double *own)
{
  for (int i = 0; i < owns_of_link(j); i++) own[i] = own_scale(j, i) * scaled[j->own + i];
}

int forces_owns(const ali3_model *m)
{
  return m->frozen->own;
}

void forces_own_read(const ali3_model *m, const ali3_data *d, double *own)
{
  for (int k = m->frozen->rigid_links; k < m->frozen->links; k++) {
    const struct joint_rows *j = &m->frozen->link[k];
    for (int i = 0; i < owns_of_link(j); i++) own[j->own + i] = d->now.own[j->own + i] / own_scale(j, i);
  }
}

bool forces_check_own(const ali3_model *m, struct lab_refusal *why)
{
  for (int i = 0; i < m->forces; i++) {
    if (m->force[i].spec.type == ALI3_FORCE_TYRE)
      return problem_refuse(why, "force", i, "the laboratory does not step the tread of a tyre");
    if (m->force[i].spec.type == ALI3_FORCE_WINDING && m->force[i].spec.inductance == 0)
      return problem_refuse(
          why, "force", i,
          "without inductance the current of an electric_motor has no rate; give inductance");
  }
  return true;
}

/* ---- a link at a state ---- */

struct link_state {
  const struct joint_rows *rows;
  struct joint_view view;
  struct body_state x[ROWS_SIDES];
  struct body_frame f[ROWS_SIDES];
  double Phi[ROWS_MAX], J[ROWS_MAX * ROWS_SIDES * BODY_Y], rate[ROWS_MAX];
  double own[OWN_MOST]; /* states of the force, as the core has them */
};

void force_view_set(const struct mover *at, const double *turn, const struct joint_rows *j,
                    struct joint_view *view, struct body_state x[ROWS_SIDES], struct body_frame f[ROWS_SIDES])
{
  *view = (struct joint_view){0};
  for (int k = 0; k < j->coordinates; k++) view->turn[k] = turn[j->joint[k]];
  for (int side = 0; side < j->sides; side++) {
    x[side] = body_ground;
    if (j->body[side] != ALI3_GROUND) {
      memset(&x[side], 0, sizeof x[side]);
      at->state(at->user, j->body[side], &x[side]);
    }
    body_frame_update(&f[side], &x[side]);
    view->x[side] = &x[side];
    view->f[side] = &f[side];
  }
}

static void set_view(const struct mover *at, const struct instant *now, const struct joint_rows *j,
                     struct link_state *o)
{
  o->rows = j;
  force_view_set(at, now->turn, j, &o->view, o->x, o->f);
}

static void evaluate_force_link(const struct mover *at, const struct instant *now, const struct joint_rows *j,
                                struct link_state *o)
{
  set_view(at, now, j, o);
  rows_evaluate(j, &o->view, o->Phi, o->J);
  rows_rate(j, &o->view, o->J, o->rate);
  if (j->own >= 0) unscale_own(j, now->own, o->own);
}

/* Oil flows past the piston, and through a valve that does not move. */
static void cylinder_rates(const struct link_state *s, double *rate)
{
  const ali3_force_spec *c = s->rows->law[0].actuator;
  double flow[2], pressure[2];
  cylinder_flows(c, s->own, s->Phi[0], flow);
  cylinder_pressures(c, s->own, s->Phi[0], pressure);
  const double leak = c->leakage * (pressure[0] - pressure[1]);
  rate[CYLINDER_OIL] = flow[0] - leak;
  rate[CYLINDER_OIL + 1] = flow[1] + leak;
}

/* L i' = -R i - k w, but not beyond the limit. */
static void winding_rates(const struct link_state *s, double *rate)
{
  const ali3_force_spec *w = s->rows->law[0].actuator;
  const double i = s->own[WINDING_CURRENT];
  const double change = -(w->resistance * i + w->constant * s->rate[0]) / w->inductance;
  const bool limited = fabs(i) >= w->max_current && change * i > 0;
  rate[WINDING_CURRENT] = limited ? 0 : change;
}

void forces_own_rates(const ali3_model *m, const struct instant *now, const struct mover *at, double *rate)
{
  memset(rate, 0, sizeof *rate * (size_t)m->frozen->own);
  for (int k = m->frozen->rigid_links; k < m->frozen->links; k++) {
    const struct joint_rows *j = &m->frozen->link[k];
    struct link_state s;
    if (j->own < 0) continue;
    evaluate_force_link(at, now, j, &s);
    (j->law[0].kind == LAW_CYLINDER ? cylinder_rates : winding_rates)(&s, rate + j->own);
    for (int i = 0; i < owns_of_link(j); i++) rate[j->own + i] /= own_scale(j, i);
  }
}

/* o += factor times the generalised force of row k of a link. */
static void spread_row(const struct link_state *s, const struct mover *at, int k, double factor, double *o)
{
  const struct joint_rows *j = s->rows;
  for (int side = 0; side < j->sides; side++) {
    double y[BODY_Y];
    if (j->body[side] == ALI3_GROUND) continue;
    for (int i = 0; i < BODY_Y; i++) y[i] = factor * s->J[BODY_Y * (j->sides * k + side) + i];
    at->load(at->user, j->body[side], &s->x[side], y, o);
  }
}

/* ---- laws of soft rows ---- */

/* Force of row k, whose law may need that of the first row: L (rows so far). */
static double force_of_row(const struct link_state *s, const double *L, int k)
{
  const struct law *law = &s->rows->law[k];
  double slope;
  switch (law->kind) {
  case LAW_VALUE: /* no input acts */
    return 0;
  case LAW_FRICTION:
    return law_friction(law, law->asked ? 0 : 1, s->rate[k], 0);
  case LAW_SLIP: /* two rows share the pressure of the first */
    return law_friction(law, fmax(0, -L[0]), s->rate[k], s->rate[k == 1 ? 2 : 1]);
  default:
    return law_force(law, s->own, s->Phi[k], s->rate[k], 0, &slope);
  }
}

static void add_constant_load(const ali3_model *m, int index, const struct mover *at, double *f)
{
  const ali3_load_spec *l = &m->load[index].spec;
  struct body_state x = {0};
  double R[9], vector[3], y[BODY_Y] = {0};
  at->state(at->user, l->body, &x);
  p_rotation(R, x.p);
  v3_copy(vector, l->vector); /* in body axes */
  if (!l->body_axes) m3_tmul(vector, R, l->vector);
  if (l->type == ALI3_LOAD_TORQUE) {
    v3_copy(y + 3, vector);
  } else {
    m3_mul(y, R, vector);
    v3_cross(y + 3, l->point, vector);
  }
  at->load(at->user, l->body, &x, y, f);
}

void forces_add(const ali3_model *m, const struct instant *now, const struct mover *at, double *f)
{
  for (int i = 0; i < m->loads; i++) add_constant_load(m, i, at, f);
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    struct link_state s;
    double L[ROWS_MAX];
    evaluate_force_link(at, now, j, &s);
    for (int k = 0; k < j->count; k++) {
      L[k] = force_of_row(&s, L, k);
      if (L[k] != 0) spread_row(&s, at, k, -L[k], f);
    }
  }
}

/* o += (k stiffness + c damping) of a row, along its gradient. */
static void add_row_slopes(const struct link_state *s, const struct mover *at, int row, double slope, int n,
                           double *gradient, double *o)
{
  memset(gradient, 0, sizeof *gradient * (size_t)n);
  spread_row(s, at, row, 1, gradient);
  for (int i = 0; i < n; i++)
    for (int j = 0; gradient[i] != 0 && j < n; j++) o[i * n + j] += slope * gradient[i] * gradient[j];
}

void forces_add_slopes(const ali3_model *m, const struct instant *now, const struct mover *at, double k,
                       double c, int n, double *gradient, double *o)
{
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    struct link_state s;
    double L[ROWS_MAX];
    evaluate_force_link(at, now, j, &s);
    for (int row = 0; row < j->count; row++) {
      /* the slopes of the law, as they are at the state */
      double stiffness = 0, damping = 0;
      const bool slips = j->law[row].kind == LAW_SLIP;
      L[row] = force_of_row(&s, L, row);
      if (j->law[row].kind == LAW_VALUE || j->law[row].kind == LAW_SWAY) continue;
      law_slopes(&j->law[row], s.own, s.Phi[row], s.rate[row],
                 slips               ? fmax(0, -L[0])
                 : j->law[row].asked ? 0
                                     : 1,
                 slips ? s.rate[row == 1 ? 2 : 1] : 0, &stiffness, &damping);
      const double slope = k * stiffness + c * damping;
      if (slope > 0) add_row_slopes(&s, at, row, slope, n, gradient, o);
    }
  }
}

double forces_energy(const ali3_model *m, const struct instant *now, const struct mover *at)
{
  double energy = 0;
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    struct link_state s;
    evaluate_force_link(at, now, &m->frozen->link[i], &s);
    for (int k = 0; k < s.rows->count; k++) energy += law_energy(&s.rows->law[k], s.own, s.Phi[k]);
  }
  return energy;
}

/* ---- drives and gears ---- */

static const struct joint_rows *rigid_row(const ali3_model *m, int row)
{
  return &m->frozen->link[m->joints + row];
}

int forces_rows(const ali3_model *m)
{
  return m->frozen->rigid_links - m->joints;
}

int forces_row_owner(const ali3_model *m, int row, int body[4])
{
  const struct joint_rows *j = rigid_row(m, row);
  for (int side = 0; side < ROWS_SIDES; side++) body[side] = side < j->sides ? j->body[side] : ALI3_GROUND;
  return m->frozen->force_of[row];
}

void forces_row_motion(const ali3_model *m, int row, double time, double motion[3])
{
  const int index = rigid_row(m, row)->drive;
  memset(motion, 0, 3 * sizeof *motion);
  if (index < 0) return;
  const struct drive *drive = &m->frozen->drive[index];
  motion[0] = drive->at_start;
  if (drive->motion.external) return;
  const struct reference x = motion_at(&drive->motion, time);
  motion[0] = x.position;
  motion[1] = x.rate;
  motion[2] = x.acceleration;
}

void forces_row_values(const ali3_model *m, const struct instant *now, const struct mover *at, int n,
                       double *Phi, double *Phi_q)
{
  for (int i = 0; i < forces_rows(m); i++) {
    struct link_state s;
    double motion[3];
    evaluate_force_link(at, now, rigid_row(m, i), &s);
    forces_row_motion(m, i, now->time, motion);
    Phi[i] = s.Phi[0] - motion[0];
    spread_row(&s, at, 0, 1, Phi_q + (size_t)i * (size_t)n);
  }
}

double forces_row_value(const ali3_model *m, int row, const struct instant *now, const struct mover *at)
{
  struct link_state s;
  evaluate_force_link(at, now, rigid_row(m, row), &s);
  return s.Phi[0];
}

void forces_row_bias(const ali3_model *m, const struct instant *now, const struct mover *at, double *bias)
{
  for (int i = 0; i < forces_rows(m); i++) {
    struct link_state s;
    double motion[3];
    set_view(at, now, rigid_row(m, i), &s);
    rows_bias(s.rows, &s.view, &bias[i]);
    forces_row_motion(m, i, now->time, motion);
    bias[i] -= motion[2];
  }
}

void forces_row_time(const struct problem *p, double time, double *o)
{
  memset(o, 0, sizeof *o * (size_t)p->m);
  for (int i = 0; i < p->driven_rows; i++) {
    double motion[3];
    forces_row_motion(p->model, i, time, motion);
    o[p->driven + i] = -motion[1];
  }
}

void forces_follow_turns(const ali3_model *m, const struct mover *at, double *turn)
{
  for (int i = 0; i < m->joints; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    struct link_state s;
    double rate;
    if (j->coordinate[0].kind != COORDINATE_ANGLE) continue;
    set_view(at, &(struct instant){.turn = turn}, j, &s);
    s.view.turn[0] = turn[i];
    rows_coordinate(j, &s.view, &turn[i], &rate);
  }
}
