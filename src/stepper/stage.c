/* SPDX-License-Identifier: MIT
 * Loop code: running stages, and those shared by the step and the initial state. Items of a stage never
 * depend on each other, so shares change nothing in the result. */
#include "math/vec3.h"
#include "stepper/stepper.h"

#include <string.h>

#include <math.h>

enum { WORTH_WAKING = 20000 }; /* flops, about 5 us: below that a barrier costs more than it saves */

struct job {
  const ali3_model *m;
  ali3_data *d;
  stage_item *item;
  int first, end;
};

static void run_share(void *arg, int share, int shares)
{
  const struct job *job = arg;
  long long count = job->end - job->first;
  int first = job->first + (int)(count * share / shares),
      end = job->first + (int)(count * (share + 1) / shares);
  for (int i = first; i < end; i++) job->item(job->m, job->d, i);
}

void stage_each(const ali3_model *m, ali3_data *d, stage_item *item, int first, int end, double flops)
{
  struct job job = {m, d, item, first, end};
  const ali3_exec *e = d->exec;
  if (e && e->shares > 1 && flops >= WORTH_WAKING)
    e->run(e->context, run_share, &job);
  else
    run_share(&job, 0, 1);
}

void stage_view(const ali3_data *d, const struct joint_rows *j, struct joint_view *v)
{
  for (int k = 0; k < 2; k++) v->turn[k] = j->joint[k] < 0 ? 0.0 : d->turn[j->joint[k]];
  v3_copy(v->tangent, j->rolling < 0 ? body_ground.r : d->tangent[j->rolling]);
  for (int side = 0; side < j->sides; side++) {
    int b = j->body[side];
    v->x[side] = b == ALI3_GROUND ? &body_ground : &d->now.x[b];
    v->f[side] = b == ALI3_GROUND ? &body_ground_frame : &d->frame[b];
  }
}

void stage_unwrap(const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < m->joints; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    struct joint_view v;
    double angle, rate;
    if (j->coordinate[0].kind != COORDINATE_ANGLE) continue;
    stage_view(d, j, &v);
    rows_coordinate(j, &v, &angle, &rate);
    d->turn[i] += remainder(angle - d->turn[i], 2.0 * 3.14159265358979323846);
  }
}

/* The columns of body b in the first row of sliding begin with its direction. */
void stage_roll(const ali3_model *m, ali3_data *d)
{
  for (int i = m->frozen->rigid_links; m->frozen->rolling && i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (j->rolling >= 0) v3_copy(d->tangent[j->rolling], stage_block(j, d->J) + BODY_Y * (j->sides + 1));
  }
}

void stage_name_worst(const ali3_model *m, ali3_data *d, int link)
{
  d->report.worst_joint = link < m->joints ? link : -1;
  d->report.worst_force = link >= m->joints ? m->frozen->force_of[link - m->joints] : -1;
}

static void link_rows(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  struct joint_view v;
  stage_view(d, j, &v);
  rows_evaluate(j, &v, d->Phi + j->first, stage_block(j, d->J));
  if (j->drive >= 0) d->Phi[j->first] -= d->aim[j->drive].position;
}

void stage_rows(const ali3_model *m, ali3_data *d)
{
  stage_each(m, d, link_rows, 0, m->frozen->links, 60.0 * m->frozen->rows);
}

static void node_condense(const ali3_model *m, ali3_data *d, int i)
{
  _Static_assert(offsetof(struct body_delta, n) == offsetof(struct tree_delta, n), "same layout");
  const struct tree *t = m->frozen->tree;
  const struct tree_matrix matrix = {.J = d->Jf, .delta = d->delta, .stride = sizeof *d->delta, .c = d->c};
  if (!tree_condense_node(t, &d->work, &matrix, t->order[i]))
    atomic_store_explicit(&d->failed_node, t->order[i], memory_order_relaxed);
}

bool stage_condense(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  atomic_store_explicit(&d->failed_node, -1, memory_order_relaxed);
  memcpy(d->Jf, d->J, m->frozen->jacobian * sizeof *d->J);
  for (int level = 0; level < t->levels; level++)
    stage_each(m, d, node_condense, t->level_first[level], t->level_first[level + 1], t->level_flops[level]);
  return atomic_load_explicit(&d->failed_node, memory_order_relaxed) < 0;
}

static void node_up(const ali3_model *m, ali3_data *d, int i)
{
  tree_up_node(m->frozen->tree, &d->work, d->beta, m->frozen->tree->order[i]);
}

static void node_down(const ali3_model *m, ali3_data *d, int i)
{
  tree_down_node(m->frozen->tree, &d->work, d->z, m->frozen->tree->order[i]);
}

static const double SWEEP = 0.2; /* work of one sweep of a node, relative to its condensation */

static void sweep(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  if (!d->exec) {
    tree_sweep(t, &d->work, d->beta, d->z);
    return;
  }
  for (int l = 0; l < t->levels; l++)
    stage_each(m, d, node_up, t->level_first[l], t->level_first[l + 1], SWEEP * t->level_flops[l]);
  for (int l = t->levels - 1; l >= 0; l--)
    stage_each(m, d, node_down, t->level_first[l], t->level_first[l + 1], SWEEP * t->level_flops[l]);
}

/* y = delta J'z of a body; of a carried one less its unknown e, and what is left of delta^-1 e + J'z = pull */
static void body_response(const ali3_model *m, ali3_data *d, int b)
{
  double f[BODY_Y], g[BODY_Y];
  stage_gather(m, d->Jf, b, d->z, f);
  if (!stage_carried(m, b)) {
    body_apply_delta(&d->delta[b], f, d->response[b]);
    return;
  }
  int at = m->frozen->tree->carried_at[b];
  body_apply_delta(&d->delta[b], d->z + at, g);
  for (int y = 0; y < BODY_Y; y++) {
    d->beta[at + y] = d->pull[b][y] - (g[y] + f[y]);
    d->response[b][y] = -d->z[at + y];
    d->z_kept[at + y] = d->z[at + y];
  }
}

/* beta - S z of the rows of a link, with z kept aside */
static void link_residual(const ali3_model *m, ali3_data *d, int link)
{
  const struct joint_rows *j = &m->frozen->link[link];
  const double *J = stage_block(j, d->Jf);
  for (int k = 0, row = j->first; k < j->count; k++, row++) {
    double sum = d->beta[row] - d->c[row] * d->z[row];
    for (int side = 0; side < j->sides; side++, J += BODY_Y) {
      if (j->body[side] == ALI3_GROUND) continue;
      const double *y = d->response[j->body[side]];
      for (int i = 0; i < BODY_Y; i++) sum -= J[i] * y[i];
    }
    d->beta[row] = sum;
    d->z_kept[row] = d->z[row];
  }
}

void stage_solve(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  for (int b = 0; t->carried && b < m->bodies; b++)
    if (t->carried_at[b] >= 0) memcpy(d->beta + t->carried_at[b], d->pull[b], sizeof d->pull[b]);
  sweep(m, d);
  if (!d->response) return; /* no hubs: as good as it gets */
  stage_each(m, d, body_response, 0, m->bodies, 40.0 * m->bodies + 14.0 * m->frozen->rows);
  stage_each(m, d, link_residual, 0, m->frozen->links, 30.0 * m->frozen->rows);
  sweep(m, d);
  for (int i = 0; i < (t->carried ? t->unknowns : t->rows); i++) d->z[i] += d->z_kept[i];
}

void stage_add_end(const struct joint_rows *j, int side, const double *J, const double *v, double o[BODY_Y])
{
  const double *row = J + j->jacobian + BODY_Y * side;
  for (int i = 0; i < j->count; i++, row += BODY_Y * j->sides)
    for (int y = 0; y < BODY_Y; y++) o[y] += row[y] * v[i];
}

void stage_gather(const ali3_model *m, const double *J, int body, const double *v, double o[BODY_Y])
{
  const struct frozen *f = m->frozen;
  for (int y = 0; y < BODY_Y; y++) o[y] = 0.0;
  for (int e = f->end_first[body]; e < f->end_first[body + 1]; e++) {
    const struct joint_rows *j = &f->link[f->end[e] / ROWS_SIDES];
    stage_add_end(j, f->end[e] % ROWS_SIDES, J, v + j->first, o);
  }
}

void stage_corrected(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y])
{
  double f[BODY_Y], df[BODY_Y];
  if (stage_carried(m, body)) {
    const double *e = d->z + m->frozen->tree->carried_at[body];
    for (int y = 0; y < BODY_Y; y++) o[y] = d->w[body][y] + e[y];
    return;
  }
  stage_gather(m, d->Jf, body, d->z, f);
  body_apply_delta(&d->delta[body], f, df);
  for (int y = 0; y < BODY_Y; y++) o[y] = d->w[body][y] - df[y];
}

double stage_jw(const ali3_data *d, const double *J, const struct joint_rows *j, int row)
{
  J += j->jacobian + (size_t)(BODY_Y * j->sides * row);
  double sum = 0.0;
  for (int side = 0; side < j->sides; side++, J += BODY_Y) {
    if (j->body[side] == ALI3_GROUND) continue;
    const double *w = d->w[j->body[side]];
    for (int y = 0; y < BODY_Y; y++) sum += J[y] * w[y];
  }
  return sum;
}

void stage_load(const ali3_model *m, const ali3_data *d, int body, struct body_load *o)
{
  const struct frozen *f = m->frozen;
  const double *R = d->frame[body].R;
  *o = d->external[body];
  for (int e = f->load_first[body]; e < f->load_first[body + 1]; e++) {
    const struct load *l = &m->load[f->load[e]];
    double vector[3], arm[3], moment[3];
    v3_copy(vector, d->vector[f->load[e]]);
    if (l->body_axes) m3_mul(vector, R, d->vector[f->load[e]]);
    if (l->type == ALI3_LOAD_TORQUE) {
      v3_axpy(o->torque, 1.0, vector);
      continue;
    }
    v3_axpy(o->force, 1.0, vector);
    m3_mul(arm, R, l->point);
    v3_cross(moment, arm, vector);
    v3_axpy(o->torque, 1.0, moment);
  }
}
