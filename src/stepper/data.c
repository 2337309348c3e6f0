/* SPDX-License-Identifier: MIT
 * ali3_data as one block, and reading out of it. The sizing run is the layout run over a null base. */
#include "base/arena.h"
#include "math/euler.h"
#include "stepper/stepper.h"

#include <stdlib.h>
#include <string.h>

static void place_kept(struct kept *k, struct arena *a, size_t bodies, size_t rows)
{
  k->x = arena_take(a, bodies, sizeof *k->x);
  k->mu = arena_take(a, bodies, sizeof *k->mu);
  k->lambda = arena_take(a, rows, sizeof *k->lambda);
  k->reaction = arena_take(a, rows, sizeof *k->reaction);
  k->mean = arena_take(a, rows, sizeof *k->mean);
}

static void place_outside(const ali3_model *m, struct outside *o, struct arena *a)
{
  o->external = arena_take(a, (size_t)m->bodies, sizeof *o->external);
  o->vector = arena_take(a, (size_t)m->loads, sizeof *o->vector);
  o->value = arena_take(a, (size_t)m->forces, sizeof *o->value);
}

static void place(const ali3_model *m, struct arena *a, ali3_data *d)
{
  size_t n = (size_t)m->bodies, rows = (size_t)m->frozen->rows;
  place_kept(&d->now, a, n, rows);
  place_kept(&d->last, a, n, rows);
  d->start = d->last;
  if (step_is_composite(m)) place_kept(&d->start, a, n, rows);
  if (m->options.extrapolate) place_kept(&d->coarse, a, n, rows);
  d->frame = arena_take(a, n, sizeof *d->frame);
  d->delta = arena_take(a, n, sizeof *d->delta);
  d->c = arena_take(a, rows, sizeof *d->c);
  d->external = arena_take(a, n, sizeof *d->external);
  d->vector = arena_take(a, (size_t)m->loads, sizeof *d->vector);
  d->value = arena_take(a, (size_t)m->forces, sizeof *d->value);
  if (step_interpolates(m)) {
    place_outside(m, &d->start_outside, a);
    place_outside(m, &d->end_outside, a);
  }
  d->tangent = arena_take(a, (size_t)m->frozen->rolling, sizeof *d->tangent);
  d->turn_start = arena_take(a, (size_t)m->joints, sizeof *d->turn_start);
  d->Phi = arena_take(a, rows, sizeof *d->Phi);
  d->J = arena_take(a, m->frozen->jacobian, sizeof *d->J);
  d->Jf = arena_take(a, m->frozen->jacobian, sizeof *d->Jf);
  d->law = arena_take(a, rows, sizeof *d->law);
  d->Phi_last = arena_take(a, rows, sizeof *d->Phi_last);
  d->gives = arena_take(a, rows, sizeof *d->gives);
  d->rate_seen = arena_take(a, rows, sizeof *d->rate_seen);
  d->lambda_seen = arena_take(a, rows, sizeof *d->lambda_seen);
  d->rate_last = arena_take(a, rows, sizeof *d->rate_last);
  d->hold = arena_take(a, rows, sizeof *d->hold);
  d->stiff = arena_take(a, rows, sizeof *d->stiff);
  d->held = arena_take(a, rows, sizeof *d->held);
  d->from = arena_take(a, (size_t)m->frozen->drives, sizeof *d->from);
  d->aim = arena_take(a, (size_t)m->frozen->drives, sizeof *d->aim);
  d->beta = arena_take(a, (size_t)m->frozen->tree->unknowns, sizeof *d->beta);
  d->z = arena_take(a, (size_t)m->frozen->tree->unknowns, sizeof *d->z);
  if (m->frozen->tree->unknowns > m->frozen->rows) {
    d->z_kept = arena_take(a, (size_t)m->frozen->tree->unknowns, sizeof *d->z_kept);
    d->response = arena_take(a, n, sizeof *d->response);
  }
  if (m->frozen->tree->carried) d->pull = arena_take(a, n, sizeof *d->pull);
  d->w = arena_take(a, n, sizeof *d->w);
  d->increment = arena_take(a, n, sizeof *d->increment);
  d->turn = arena_take(a, (size_t)m->joints, sizeof *d->turn);
  tree_work_place(m->frozen->tree, &d->work, a);
}

size_t ali3_data_size(const ali3_model *m)
{
  struct ali3_data nowhere;
  struct arena a = {0};
  if (!m->frozen) return 0;
  arena_take(&a, 1, sizeof nowhere);
  place(m, &a, &nowhere);
  return a.used;
}

ali3_data *ali3_data_place(const ali3_model *m, void *block, size_t size)
{
  if (!m->frozen || !block || size < ali3_data_size(m) || (size_t)block % ARENA_ALIGN) return NULL;
  memset(block, 0, size);
  struct arena a = {.base = block};
  ali3_data *d = arena_take(&a, 1, sizeof *d);
  place(m, &a, d);
  atomic_init(&d->failed_node, -1);
  d->report.worst_body = d->report.worst_joint = d->report.worst_force = -1;
  return d;
}

ali3_data *ali3_data_new(const ali3_model *m)
{
  size_t size = ali3_data_size(m);
  if (!size) return NULL;
  void *block = aligned_zalloc(size);
  ali3_data *d = ali3_data_place(m, block, size);
  if (d) d->owned = true;
  return d;
}

void ali3_data_free(ali3_data *d)
{
  if (d && d->owned) free(d);
}

void ali3_data_set_exec(ali3_data *d, const ali3_exec *exec)
{
  d->exec = exec;
}

void ali3_data_set_probe(ali3_data *d, const ali3_probe *probe)
{
  d->probe = probe;
}

void ali3_set_load(const ali3_model *m, ali3_data *d, int body, const double force[3], const double torque[3])
{
  (void)m;
  v3_copy(d->external[body].force, force);
  v3_copy(d->external[body].torque, torque);
}

void ali3_set_load_vector(const ali3_model *m, ali3_data *d, int load, const double vector[3])
{
  (void)m;
  v3_copy(d->vector[load], vector);
}

void ali3_set_value(const ali3_model *m, ali3_data *d, int force, double value)
{
  (void)m;
  d->value[force] = value;
}

const ali3_report *ali3_report_get(const ali3_data *d)
{
  return &d->report;
}
const ali3_initial *ali3_initial_get(const ali3_data *d)
{
  return &d->initial;
}

void ali3_body_get(const ali3_model *m, const ali3_data *d, int body, ali3_body_state *o)
{
  (void)m;
  const struct body_state *x = &d->now.x[body];
  double y[BODY_Y];
  v3_copy(o->position, x->r);
  memcpy(o->orientation, x->p, sizeof o->orientation);
  v3_copy(o->velocity, x->rd);
  body_velocity(x, y);
  v3_copy(o->angular_velocity, y + 3);
  v3_copy(o->acceleration, x->rdd);
  body_acceleration(x, y);
  v3_copy(o->angular_acceleration, y + 3);
}

void ali3_joint_get(const ali3_model *m, const ali3_data *d, int joint, ali3_joint_state *o)
{
  const struct joint_rows *j = &m->frozen->link[joint];
  struct joint_view v;
  double wrapped;
  stage_view(d, j, &v);
  rows_reaction(j, &v, stage_block(j, d->J), d->now.reaction + j->first, o->force, o->torque);
  rows_coordinate(j, &v, &wrapped, &o->velocity);
  o->position = j->coordinate[0].kind == COORDINATE_ANGLE ? d->turn[joint] : wrapped;
}

void ali3_force_get(const ali3_model *m, const ali3_data *d, int force, ali3_force_state *o)
{
  const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[force]];
  ali3_force_type type = m->force[force].spec.type;
  struct joint_view v;
  double rate[ROWS_MAX] = {0}, lambda[ROWS_MAX] = {0};
  stage_view(d, j, &v);
  rows_rate(j, &v, stage_block(j, d->J), rate);
  for (int k = 0, row = j->first; k < j->count; k++, row++)
    lambda[k] = j->soft && law_jumps(&j->law[k]) && d->stiff[row] ? d->now.mean[row] : d->now.reaction[row];
  rows_reaction(j, &v, stage_block(j, d->J), lambda, o->force, o->torque);
  bool single = type != ALI3_FORCE_BUSHING, contact = ali3_force_type_is_contact(type);
  bool actuator = type == ALI3_FORCE_MOTOR || type == ALI3_FORCE_DRIVE;
  double zero = contact ? 0.0 : j->length;
  if (j->drive >= 0) zero = d->aim[j->drive].position;
  o->position = single ? zero + d->Phi[j->first] : 0.0;
  o->rate = single ? rate[0] : 0.0;
  o->value = single ? (contact || actuator ? 0.0 - lambda[0] : lambda[0]) : 0.0; /* never -0 */
  o->target = j->drive >= 0 ? zero : 0.0;
}

void ali3_energy_get(const ali3_model *m, const ali3_data *d, ali3_energy *o)
{
  *o = (ali3_energy){0};
  for (int i = 0; i < m->bodies; i++) {
    const struct body *b = &m->body[i];
    double y[BODY_Y], Jw[3];
    body_velocity(&d->now.x[i], y);
    m3_mul(Jw, b->inertia, y + 3);
    o->kinetic += 0.5 * (b->mass * v3_dot(y, y) + v3_dot(y + 3, Jw));
    o->potential -= b->mass * v3_dot(m->gravity, d->now.x[i].r);
  }
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) o->potential += law_energy(&j->law[k], d->Phi[j->first + k]);
  }
  o->total = o->kinetic + o->potential;
}
