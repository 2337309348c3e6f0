/* SPDX-License-Identifier: MIT
 * Loop code: single bodies and links, gathered from their tiles; forces with states of their own. */
#include "kernels/elements.h"
#include "actuators/cylinder.h"
#include "actuators/tyre.h"
#include "actuators/winding.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

void link_view_fill(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, struct link_view *o)
{
  for (int k = 0; k < 2; k++) o->v.turn[k] = j->joint[k] < 0 ? 0.0 : d->turn[j->joint[k]];
  v3_copy(o->v.tangent, j->rolling < 0 ? body_ground.r : d->tangent[j->rolling]);
  for (int side = 0; side < j->sides; side++) {
    o->x[side] = stored_state(m, d->now.x, j->body[side]);
    o->f[side] = stored_frame(m, d, j->body[side]);
    o->v.x[side] = &o->x[side];
    o->v.f[side] = &o->f[side];
  }
}

void link_view_last(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, struct link_view *o)
{
  link_view_fill(m, d, j, o);
  for (int k = 0; k < 2; k++) o->v.turn[k] = j->joint[k] < 0 ? 0.0 : d->turn_last[j->joint[k]];
  for (int side = 0; side < j->sides; side++) {
    o->x[side] = stored_state(m, d->last.x, j->body[side]);
    body_frame_update(&o->f[side], &o->x[side]);
  }
}

/* In the first row of sliding, the columns of body b begin with its direction. */
void links_roll(const ali3_model *m, ali3_data *d)
{
  for (int i = m->frozen->rigid_links; m->frozen->rolling && i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (j->rolling < 0) continue;
    const double *J = d->here.J + j->jacobian + BODY_Y * (j->sides + 1) * j->stride;
    for (int k = 0; k < 3; k++) d->tangent[j->rolling][k] = J[k * j->stride];
  }
}

void link_name_worst(const ali3_model *m, ali3_report *report, int link)
{
  report->worst_joint = link < m->joints ? link : -1;
  report->worst_force = link >= m->joints ? m->frozen->force_of[link - m->joints] : -1;
}

void body_end_loads(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y])
{
  const struct body_tile *tile = &m->frozen->body_tile[m->frozen->tile_of[body]];
  const struct tree_body *at = stored_body(m, body);
  for (int y = 0; y < BODY_Y; y++) o[y] = 0.0;
  for (int e = 0; e < tile->ends; e++) {
    const int lane = tile->end[e].lane ? (int)tile->end[e].lane[at->lane] : at->lane;
    const double *from = d->solve.end_load + tile->end[e].load + lane;
    for (int y = 0; y < BODY_Y && lane < at->width; y++) o[y] += from[y * at->width];
  }
  for (int i = 0; i < tile->rows; i++)
    for (int y = 0; y < BODY_Y; y++) o[y] += d->solve.end_load[tile->row[i * at->width + at->lane] + y];
}

double link_jw(const ali3_model *m, const ali3_data *d, const double *J, const struct joint_rows *j, int k)
{
  const int unit = stored_unit(j);
  double sum = 0.0;
  for (int side = 0; side < j->sides; side++) {
    const double *row = J + stored_row_at(j, unit, k, side);
    double w[BODY_Y];
    stored_get(m, d->solve.w, BODY_Y, j->body[side], w);
    if (k < unit) sum += side ? w[k] : -w[k];
    for (int y = unit; y < BODY_Y; y++) sum += row[y * j->stride] * w[y];
  }
  return sum;
}

void body_add_loads(const ali3_model *m, const struct outside_values *outside, int body, const double R[9],
                    double part, struct wrench *o)
{
  const struct frozen *f = m->frozen;
  for (int e = f->loads_first[body]; e < f->loads_first[body + 1]; e++) {
    const struct load *l = &m->load[f->loads[e]];
    const double *set = outside->vector[f->loads[e]];
    double vector[3], arm[3], moment[3];
    v3_copy(vector, set);
    if (l->spec.body_axes) m3_mul(vector, R, set);
    if (l->spec.type == ALI3_LOAD_TORQUE) {
      v3_axpy(o->torque, part, vector);
      continue;
    }
    v3_axpy(o->force, part, vector);
    m3_mul(arm, R, l->spec.point);
    v3_cross(moment, arm, vector);
    v3_axpy(o->torque, part, moment);
  }
}

void body_wrench(const ali3_model *m, const ali3_data *d, int body, bool mean, struct wrench *o)
{
  const struct outside_values *outside = outside_in_force(d);
  const struct body_state start = stored_state(m, d->last.x, body);
  struct body_frame frame = stored_frame(m, d, body);
  const int poses = mean ? 2 : 1;
  stored_get(m, outside->wrench, WRENCH_NUMBERS, body, (double *)o);
  /* loads of the model, at the state and then at the start */
  for (int pose = 0; pose < poses; pose++) {
    if (pose == 1) body_frame_update(&frame, &start);
    body_add_loads(m, outside, body, frame.R, 1.0 / poses, o);
  }
}

void state_copy(const ali3_model *m, struct state *to, const struct state *from)
{
  size_t slots = (size_t)m->frozen->tree->slots, rows = (size_t)m->frozen->rows;
  memcpy(to->x, from->x, X_NUMBERS * slots * sizeof *to->x);
  memcpy(to->mu, from->mu, slots * sizeof *to->mu);
  memcpy(to->lambda, from->lambda, rows * sizeof *to->lambda);
  memcpy(to->reaction, from->reaction, rows * sizeof *to->reaction);
  if (m->frozen->jumps) memcpy(to->mean, from->mean, rows * sizeof *to->mean);
  if (m->frozen->own > 0) memcpy(to->own, from->own, (size_t)m->frozen->own * sizeof *to->own);
}

void outside_values_copy(const ali3_model *m, struct outside_values *to, const struct outside_values *from)
{
  memcpy(to->wrench, from->wrench, WRENCH_NUMBERS * (size_t)m->frozen->tree->slots * sizeof *to->wrench);
  memcpy(to->vector, from->vector, (size_t)m->loads * sizeof *to->vector);
  memcpy(to->command, from->command, (size_t)m->forces * sizeof *to->command);
}

/* --- forces with states of their own: every iteration of an inner step computes the states at the end from the states at the
 * start and from the coordinate at both --- */

static struct cylinder_way cylinder_way_of(const ali3_model *m, const ali3_data *d,
                                           const struct joint_rows *j)
{
  const int row = j->first, force = m->frozen->force_of[j - m->frozen->link - m->joints];
  return (struct cylinder_way){.x0 = d->soft.Phi_last[row],
                               .rate0 = d->soft.rate_last[row],
                               .x = d->solve.Phi[row],
                               .dt = d->at_start ? 0.0 : d->rule.dt,
                               .command = outside_in_force(d)->command[force]};
}

static struct winding_way winding_way_of(const ali3_model *m, const ali3_data *d, const struct joint_rows *j)
{
  const int row = j->first, force = m->frozen->force_of[j - m->frozen->link - m->joints];
  return (struct winding_way){.rate0 = d->soft.rate_last[row],
                              .rate = d->soft.rate[row],
                              .dt = d->at_start ? 0.0 : d->rule.dt,
                              .voltage = outside_in_force(d)->command[force]};
}

/* The states at the start of the inner step; a reset has no step. */
static const double *states_before(const ali3_data *d, const struct joint_rows *j)
{
  return link_own(d->at_start ? &d->now : &d->last, j);
}

/* The multiplier at the end of the inner step, or its mean over the step for the method energy, at the position and rate of the
 * iterate. *slope: its derivative by the coordinate over the step. */
double actuated_cylinder(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double rate,
                         double *slope)
{
  const ali3_force_spec *spec = j->law[0].actuator;
  const struct cylinder_way way = cylinder_way_of(m, d, j);
  const double *from = states_before(d, j);
  double own[CYLINDER_STATES], flowing, still;
  cylinder_step(spec, &way, from, own, &flowing);
  /* An oil spring that the step does not resolve follows its end: its mean would leave a pressure that alternates. */
  if (d->rule.mean && !d->soft.stiff[j->first]) return cylinder_mean(spec, &way, from, own, flowing, slope);
  *slope = flowing + d->rule.v_d * spec->damping[0];
  return cylinder_force(spec, own, way.x, rate, 0.0, &still);
}

/* The torque depends on the rate alone. */
double actuated_winding(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double *slope)
{
  const ali3_force_spec *spec = j->law[0].actuator;
  const struct winding_way way = winding_way_of(m, d, j);
  const double *from = states_before(d, j);
  double own[WINDING_STATES];
  winding_step(spec, &way, from, own, slope);
  *slope *= d->rule.v_d;
  if (!d->rule.mean || d->soft.stiff[j->first]) return -winding_torque(spec, own);
  *slope *= 0.5;
  return -0.5 * (winding_torque(spec, from) + winding_torque(spec, own));
}

static struct tyre_motion tyre_motion_of(const struct joint_rows *j, const double *rate)
{
  return (struct tyre_motion){.sliding = {rate[stored_row(j, 1)], rate[stored_row(j, 2)]},
                              .rolling = rate[stored_row(j, 3)]};
}

static struct tyre_way tyre_way_of(const ali3_data *d, const struct joint_rows *j)
{
  return (struct tyre_way){.start = tyre_motion_of(j, d->soft.rate_last),
                           .end = tyre_motion_of(j, d->soft.rate),
                           .load = fmax(0.0, -soft_mean(d, j->first)),
                           .dt = d->at_start ? 0.0 : d->rule.dt};
}

/* The mean multiplier over the step of a row of sliding. *slope: its derivative by the coordinate over the step. *tight: the
 * derivative by the mean rate relative to the mobility. */
double actuated_tyre(const ali3_data *d, const struct joint_rows *j, int k, double *slope, double *tight)
{
  const struct tyre_way way = tyre_way_of(d, j);
  double own[TYRE_STATES], mean[2], slopes[2];
  tyre_step(j->law[k].actuator, &way, states_before(d, j), own, mean, slopes);
  *slope = d->rule.v_d * slopes[k - 1];
  *tight = *slope * soft_mobility(d, stored_row(j, k)) / d->rule.gamma;
  return -mean[k - 1];
}

/* Write the states at the end of the inner step. True: a corner was crossed. */
static bool advance_cylinder(const ali3_model *m, ali3_data *d, const struct joint_rows *j)
{
  const ali3_force_spec *spec = j->law[0].actuator;
  const struct cylinder_way way = cylinder_way_of(m, d, j);
  double *own = d->now.own + j->own, slope;
  cylinder_step(spec, &way, d->last.own + j->own, own, &slope);
  return cylinder_crosses(spec, &way, d->last.own + j->own, own);
}

static bool advance_winding(const ali3_model *m, ali3_data *d, const struct joint_rows *j)
{
  const struct winding_way way = winding_way_of(m, d, j);
  double *own = d->now.own + j->own, slope;
  winding_step(j->law[0].actuator, &way, d->last.own + j->own, own, &slope);
  return winding_crosses(j->law[0].actuator, d->last.own + j->own, own);
}

/* Loses what sliding takes, and what the radial damper takes: its work over the way less the change of the stored energy. */
static bool advance_tyre(ali3_data *d, const struct joint_rows *j)
{
  const struct law *radial = &j->law[0];
  const struct tyre_way way = tyre_way_of(d, j);
  const int row = j->first;
  const double x0 = d->soft.Phi_last[row], x = d->solve.Phi[row];
  double *own = d->now.own + j->own, mean[2], slopes[2], slope;
  tyre_step(j->law[1].actuator, &way, d->last.own + j->own, own, mean, slopes);
  own[ACTUATOR_LOST] += law_mean(radial, x0, x, d->rule.dt, d->soft.stiff[row], &slope) * (x - x0) -
                        (law_energy(radial, NULL, x) - law_energy(radial, NULL, x0));
  return way.start.rolling * way.end.rolling < 0.0;
}

bool actuated_advance(const ali3_model *m, ali3_data *d, const struct joint_rows *j)
{
  if (j->law[0].kind == LAW_CYLINDER) return advance_cylinder(m, d, j);
  return j->law[0].kind == LAW_WINDING ? advance_winding(m, d, j) : advance_tyre(d, j);
}
