/* SPDX-License-Identifier: MIT
 * Loop code: single bodies and links, taken out of their tiles. */
#include "math/vec3.h"
#include "stepper/storage.h"

enum { Q_NUMBERS = 7 }; /* with which a body_state begins; then q' */

void stage_view(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, struct link_view *o)
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

void stage_rate(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double *rate)
{
  struct body_state x[ROWS_SIDES];
  struct joint_view v;
  double J[STORED_J];
  for (int side = 0; side < j->sides; side++) {
    stored_some(m, d->now.x, X_NUMBERS, j->body[side], 2 * Q_NUMBERS, (double *)&x[side]);
    v.x[side] = &x[side];
  }
  rows_rate(j, &v, stored_jacobian(j, d->J, J), rate);
}

void stage_unwrap(const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < m->joints; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (j->coordinate[0].kind != COORDINATE_ANGLE) continue;
    struct body_frame f[2];
    struct body_pair pair = {.f = {&f[0], &f[1]}}; /* an angle needs no more */
    for (int side = 0; side < 2; side++) f[side] = stored_frame(m, d, j->body[side]);
    d->turn[i] = coordinate_value(&j->coordinate[0], &pair, d->turn[i]);
  }
}

/* The columns of body b in the first row of sliding begin with its direction. */
void stage_roll(const ali3_model *m, ali3_data *d)
{
  for (int i = m->frozen->rigid_links; m->frozen->rolling && i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (j->rolling < 0) continue;
    const double *J = d->J + j->jacobian + BODY_Y * (j->sides + 1) * j->stride;
    for (int k = 0; k < 3; k++) d->tangent[j->rolling][k] = J[k * j->stride];
  }
}

void stage_name_worst(const ali3_model *m, ali3_data *d, int link)
{
  d->report.worst_joint = link < m->joints ? link : -1;
  d->report.worst_force = link >= m->joints ? m->frozen->force_of[link - m->joints] : -1;
}

void stage_push(const struct joint_rows *j, const double *J, const double *v, double *push)
{
  J += j->jacobian;
  push += j->load;
  for (int i = 0; i < j->sides * BODY_Y; i++, J += j->stride, push += j->stride) {
    double sum = 0.0;
    for (int k = 0; k < j->count; k++) sum += J[k * j->sides * BODY_Y * j->stride] * v[stored_row(j, k)];
    *push = sum;
  }
}

void stage_pushed(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y])
{
  const struct body_tile *tile = &m->frozen->body_tile[m->frozen->tile_of[body]];
  int lane = stored_body(m, body)->lane;
  for (int y = 0; y < BODY_Y; y++) o[y] = 0.0;
  for (int e = 0; e < tile->ends; e++) {
    const struct lane_at *from = &tile->end[e].push[lane];
    for (size_t y = 0; y < BODY_Y; y++) o[y] += d->push[from->at + y * from->stride];
  }
}

double stage_jw(const ali3_model *m, const ali3_data *d, const double *J, const struct joint_rows *j, int k)
{
  double sum = 0.0;
  J += j->jacobian + (size_t)(k * j->sides * BODY_Y * j->stride);
  for (int side = 0; side < j->sides; side++) {
    double w[BODY_Y];
    stored_get(m, d->w, BODY_Y, j->body[side], w);
    for (int y = 0; y < BODY_Y; y++, J += j->stride) sum += *J * w[y];
  }
  return sum;
}

void stage_load(const ali3_model *m, const ali3_data *d, int body, struct body_load *o)
{
  const struct frozen *f = m->frozen;
  const struct body_frame frame = stored_frame(m, d, body);
  stored_get(m, d->external, LOAD_NUMBERS, body, (double *)o);
  for (int e = f->load_first[body]; e < f->load_first[body + 1]; e++) {
    const struct load *l = &m->load[f->load[e]];
    double vector[3], arm[3], moment[3];
    v3_copy(vector, d->vector[f->load[e]]);
    if (l->body_axes) m3_mul(vector, frame.R, d->vector[f->load[e]]);
    if (l->type == ALI3_LOAD_TORQUE) {
      v3_axpy(o->torque, 1.0, vector);
      continue;
    }
    v3_axpy(o->force, 1.0, vector);
    m3_mul(arm, frame.R, l->point);
    v3_cross(moment, arm, vector);
    v3_axpy(o->torque, 1.0, moment);
  }
}

static void tile_loads(const ali3_model *m, ali3_data *d, int i)
{
  const struct tree *t = m->frozen->tree;
  const struct tree_tile *tile = &t->tile[t->body_tile[i]];
  if (!m->frozen->body_tile[t->body_tile[i]].loaded) return;
  for (int lane = 0; lane < tile->width; lane++) {
    int body = stored_item(t, tile, lane);
    struct body_load load;
    if (body < 0) continue;
    stage_load(m, d, body, &load);
    stored_set(m, d->load, LOAD_NUMBERS, body, (const double *)&load);
  }
}

void stage_loads(const ali3_model *m, ali3_data *d)
{
  if (m->loads > 0) stage_each(m, d, tile_loads, 0, m->frozen->tree->body_tiles, 60.0 * m->loads);
}
