/* SPDX-License-Identifier: MIT
 * Loop code: single bodies and links, gathered from their tiles. */
#include "stepper/elements.h"
#include "math/vec3.h"

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
  double sum = 0.0;
  J += j->jacobian + (size_t)(k * j->sides * BODY_Y * j->stride);
  for (int side = 0; side < j->sides; side++) {
    double w[BODY_Y];
    stored_get(m, d->solve.w, BODY_Y, j->body[side], w);
    for (int y = 0; y < BODY_Y; y++, J += j->stride) sum += *J * w[y];
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
