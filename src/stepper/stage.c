/* SPDX-License-Identifier: MIT
 * Loop code: the stages shared by the step and the initial state. A stage runs over bodies, joints or one
 * tree level; items of a stage never depend on each other, so shares change nothing in the result. */
#include "math/euler.h"
#include "stepper/stepper.h"

#include <math.h>

enum { WORTH_WAKING = 20000 }; /* flops, about 5 us: below that a barrier costs more than it saves */

void stage_run(struct stage *s, stage_work *work, double flops)
{
  const ali3_exec *e = s->d->exec;
  if (e && e->shares > 1 && flops >= WORTH_WAKING)
    e->run(e->context, work, s);
  else
    work(s, 0, 1);
}

void stage_view(const ali3_data *d, const struct joint_rows *j, struct joint_view *v)
{
  for (int side = 0; side < 2; side++) {
    int b = j->body[side];
    v->x[side] = b == ALI3_GROUND ? &body_ground : &d->now.x[b];
    v->f[side] = b == ALI3_GROUND ? &body_ground_frame : &d->frame[b];
  }
}

static void work_rows(void *arg, int share, int shares)
{
  struct stage *s = arg;
  int first, end;
  stage_range(s->m->frozen->links, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    const struct joint_rows *j = &s->m->frozen->link[i];
    struct joint_view v;
    stage_view(s->d, j, &v);
    rows_evaluate(j, &v, s->d->Phi + j->first, s->d->J + 2 * BODY_Y * (size_t)j->first);
  }
}

void stage_rows(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  stage_run(&s, work_rows, 60.0 * m->frozen->rows);
}

static struct tree_matrix matrix(const ali3_data *d)
{
  _Static_assert(offsetof(struct body_delta, n) == offsetof(struct tree_delta, n), "same layout");
  return (struct tree_matrix){.J = d->J, .delta = d->delta, .stride = sizeof *d->delta, .c = d->c};
}

static void work_condense(void *arg, int share, int shares)
{
  struct stage *s = arg;
  const struct tree *t = s->m->frozen->tree;
  struct tree_matrix matrix_now = matrix(s->d);
  int first, end, base = t->level_first[s->level];
  stage_range(t->level_first[s->level + 1] - base, share, shares, &first, &end);
  for (int i = first; i < end; i++)
    if (!tree_condense_node(t, &s->d->work, &matrix_now, t->order[base + i]))
      atomic_store_explicit(&s->d->failed_node, t->order[base + i], memory_order_relaxed);
}

bool stage_condense(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  atomic_store_explicit(&d->failed_node, -1, memory_order_relaxed);
  for (int level = 0; level < t->levels; level++) {
    struct stage s = {.m = m, .d = d, .level = level};
    stage_run(&s, work_condense, t->level_flops[level]);
  }
  return atomic_load_explicit(&d->failed_node, memory_order_relaxed) < 0;
}

static void work_up(void *arg, int share, int shares)
{
  struct stage *s = arg;
  const struct tree *t = s->m->frozen->tree;
  int first, end, base = t->level_first[s->level];
  stage_range(t->level_first[s->level + 1] - base, share, shares, &first, &end);
  for (int i = first; i < end; i++) tree_up_node(t, &s->d->work, s->d->beta, t->order[base + i]);
}

static void work_down(void *arg, int share, int shares)
{
  struct stage *s = arg;
  const struct tree *t = s->m->frozen->tree;
  int first, end, base = t->level_first[s->level];
  stage_range(t->level_first[s->level + 1] - base, share, shares, &first, &end);
  for (int i = first; i < end; i++) tree_down_node(t, &s->d->work, s->d->z, t->order[base + i]);
}

void stage_solve(const ali3_model *m, ali3_data *d)
{
  const struct tree *t = m->frozen->tree;
  if (!d->exec) {
    tree_sweep(t, &d->work, d->beta, d->z);
    return;
  }
  for (int level = 0; level < t->levels; level++) {
    struct stage s = {.m = m, .d = d, .level = level};
    stage_run(&s, work_up, 0.2 * t->level_flops[level]);
  }
  for (int level = t->levels - 1; level >= 0; level--) {
    struct stage s = {.m = m, .d = d, .level = level};
    stage_run(&s, work_down, 0.2 * t->level_flops[level]);
  }
}

void stage_gather(const ali3_model *m, const ali3_data *d, int body, const double *v, double o[BODY_Y])
{
  const struct frozen *f = m->frozen;
  for (int y = 0; y < BODY_Y; y++) o[y] = 0.0;
  for (int e = f->end_first[body]; e < f->end_first[body + 1]; e++) {
    const struct joint_rows *j = &f->link[f->end[e] / 2];
    const double *J = d->J + 2 * BODY_Y * (size_t)j->first + BODY_Y * (f->end[e] % 2);
    for (int i = 0; i < j->count; i++, J += 2 * BODY_Y)
      for (int y = 0; y < BODY_Y; y++) o[y] += J[y] * v[j->first + i];
  }
}

double stage_jw(const ali3_data *d, const struct joint_rows *j, int row)
{
  const double *J = d->J + 2 * BODY_Y * (size_t)(j->first + row);
  double sum = 0.0;
  for (int side = 0; side < 2; side++, J += BODY_Y) {
    if (j->body[side] == ALI3_GROUND) continue;
    const double *w = d->w[j->body[side]];
    for (int y = 0; y < BODY_Y; y++) sum += J[y] * w[y];
  }
  return sum;
}

void stage_load(const ali3_model *m, const ali3_data *d, int body, struct body_load *o)
{
  const struct frozen *f = m->frozen;
  for (int i = 0; i < 3; i++) {
    o->force[i] = f->load[body].force[i] + d->external[body].force[i];
    o->torque[i] = f->load[body].torque[i] + d->external[body].torque[i];
  }
  for (int e = f->point_load_first[body]; e < f->point_load_first[body + 1]; e++) {
    const struct load *l = &m->load[f->point_load[e]];
    double arm[3], moment[3];
    m3_mul(arm, d->frame[body].R, l->point);
    v3_cross(moment, arm, l->vector);
    v3_axpy(o->torque, 1.0, moment);
  }
}

double stage_law(const ali3_data *d, const struct joint_rows *j)
{
  struct joint_view v;
  double rate;
  stage_view(d, j, &v);
  rows_rate(j, &v, d->J + 2 * BODY_Y * (size_t)j->first, &rate);
  return j->law.stiffness * d->Phi[j->first] + j->law.damping * rate;
}

/* A soft row resists the correction, not the motion: J (w - y), and w differs from y = y' or y'' in n alone.
 */
static double soft_correction(const ali3_data *d, const struct joint_rows *j, const double n[2])
{
  const double *J = d->J + 2 * BODY_Y * (size_t)j->first;
  double sum = 0.0;
  for (int side = 0; side < 2; side++)
    if (j->body[side] != ALI3_GROUND) sum += J[BODY_Y * side + 6] * (d->w[j->body[side]][6] - n[side]);
  return sum;
}

/* w - delta J' z of one body, with the current J */
static void corrected(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y])
{
  double f[BODY_Y], df[BODY_Y];
  stage_gather(m, d, body, d->z, f);
  body_apply_delta(&d->delta[body], f, df);
  for (int y = 0; y < BODY_Y; y++) o[y] = d->w[body][y] - df[y];
}

/* Rigid rows: beta = Phi + J w. A law lambda = k Phi + c Phi', with Phi' = J q' of the integrator, is met by
 *   beta = (k Phi + c Phi' - lambda)/k' + J w,   compliance 1/k',   k' = k + 2 c/dt */
static void work_beta(void *arg, int share, int shares)
{
  struct stage *s = arg;
  ali3_data *d = s->d;
  int first, end;
  stage_range(s->m->frozen->links, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    const struct joint_rows *j = &s->m->frozen->link[i];
    for (int k = 0; k < j->count; k++) d->beta[j->first + k] = d->Phi[j->first + k] + stage_jw(d, j, k);
    if (j->soft) {
      double law = stage_law(d, j);
      d->beta[j->first] += d->c[j->first] * (law - d->now.lambda[j->first]) - d->Phi[j->first];
    }
  }
}

void stage_beta(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  stage_run(&s, work_beta, 28.0 * m->frozen->rows);
}

/* Phi_q dq = -Phi and Psi_q dq = -Psi, nothing else: w = (0, 0, -Psi/2) */
static void work_position_free(void *arg, int share, int shares)
{
  struct stage *s = arg;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    for (int y = 0; y < BODY_Y; y++) s->d->w[i][y] = 0.0;
    s->d->w[i][6] = -0.5 * (s->d->frame[i].s - 1.0);
  }
}

static void work_position_beta(void *arg, int share, int shares)
{
  struct stage *s = arg;
  ali3_data *d = s->d;
  int first, end;
  stage_range(s->m->frozen->links, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    const struct joint_rows *j = &s->m->frozen->link[i];
    for (int k = 0; k < j->count; k++)
      d->beta[j->first + k] = stage_jw(d, j, k) + (j->soft ? 0.0 : d->Phi[j->first + k]);
  }
}

static void work_position_set(void *arg, int share, int shares)
{
  struct stage *s = arg;
  ali3_data *d = s->d;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    double y[BODY_Y];
    corrected(s->m, d, i, y);
    d->increment[i] = 0.0;
    for (int k = 0; k < BODY_Y; k++) d->increment[i] = fmax(d->increment[i], fabs(y[k]));
    body_move(&d->now.x[i], &d->frame[i], y);
    body_frame_update(&d->frame[i], &d->now.x[i]);
  }
}

double stage_position(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  double largest = 0.0;
  stage_run(&s, work_position_free, 10.0 * m->bodies);
  stage_run(&s, work_position_beta, 28.0 * m->frozen->rows);
  stage_solve(m, d);
  stage_run(&s, work_position_set, 120.0 * m->bodies + 28.0 * m->frozen->rows);
  for (int b = 0; b < m->bodies; b++) largest = fmax(largest, d->increment[b]);
  return largest;
}

/* (40-54): S s = J w_v, w_v = M^^^-1 M^ q'* = (r', w, 0); q' = w_v - delta J' s */
static void work_velocity_free(void *arg, int share, int shares)
{
  struct stage *s = arg;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    body_velocity(&s->d->now.x[i], s->d->w[i]);
    s->d->w[i][6] = 0.0;
  }
}

static void work_velocity_beta(void *arg, int share, int shares)
{
  struct stage *s = arg;
  ali3_data *d = s->d;
  int first, end;
  stage_range(s->m->frozen->links, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    const struct joint_rows *j = &s->m->frozen->link[i];
    struct joint_view v;
    stage_view(d, j, &v);
    if (j->soft) {
      double n[2] = {p_dot(v.x[0]->p, v.x[0]->pd), p_dot(v.x[1]->p, v.x[1]->pd)};
      d->beta[j->first] = soft_correction(d, j, n);
    } else {
      for (int k = 0; k < j->count; k++) d->beta[j->first + k] = stage_jw(d, j, k);
    }
  }
}

static void work_velocity_set(void *arg, int share, int shares)
{
  struct stage *s = arg;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    double y[BODY_Y];
    corrected(s->m, s->d, i, y);
    body_set_velocity(&s->d->now.x[i], &s->d->frame[i], y);
  }
}

void stage_velocity(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  stage_run(&s, work_velocity_free, 60.0 * m->bodies);
  stage_run(&s, work_velocity_beta, 28.0 * m->frozen->rows);
  stage_solve(m, d);
  stage_run(&s, work_velocity_set, 80.0 * m->bodies + 28.0 * m->frozen->rows);
}

/* (55-69): S k = J w_a - gamma, w_a = (r'', w', -p'.p'), the last from (Psi_q p'' = nu); q'' = w_a - delta J'
 * k */
static void work_acceleration_free(void *arg, int share, int shares)
{
  struct stage *s = arg;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    body_acceleration(&s->d->now.x[i], s->d->w[i]);
    s->d->w[i][6] = -p_dot(s->d->now.x[i].pd, s->d->now.x[i].pd);
  }
}

static void work_acceleration_beta(void *arg, int share, int shares)
{
  struct stage *s = arg;
  ali3_data *d = s->d;
  int first, end;
  stage_range(s->m->frozen->links, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    const struct joint_rows *j = &s->m->frozen->link[i];
    struct joint_view v;
    double bias[ROWS_MAX];
    stage_view(d, j, &v);
    if (j->soft) {
      double n[2] = {p_dot(v.x[0]->p, v.x[0]->pdd), p_dot(v.x[1]->p, v.x[1]->pdd)};
      d->beta[j->first] = soft_correction(d, j, n);
    } else {
      rows_bias(j, &v, bias);
      for (int k = 0; k < j->count; k++) d->beta[j->first + k] = stage_jw(d, j, k) + bias[k];
    }
  }
}

static void work_acceleration_set(void *arg, int share, int shares)
{
  struct stage *s = arg;
  int first, end;
  stage_range(s->m->bodies, share, shares, &first, &end);
  for (int i = first; i < end; i++) {
    double y[BODY_Y];
    corrected(s->m, s->d, i, y);
    body_set_acceleration(&s->d->now.x[i], &s->d->frame[i], y);
  }
}

void stage_acceleration(const ali3_model *m, ali3_data *d)
{
  struct stage s = {.m = m, .d = d};
  stage_run(&s, work_acceleration_free, 60.0 * m->bodies);
  stage_run(&s, work_acceleration_beta, 80.0 * m->frozen->rows);
  stage_solve(m, d);
  stage_run(&s, work_acceleration_set, 80.0 * m->bodies + 28.0 * m->frozen->rows);
}

/* |Phi|, |J q'|, |J q'' - gamma|: maxima over the rows, in the order of the rows. */
void stage_norms(const ali3_model *m, ali3_data *d)
{
  ali3_report *r = &d->report;
  r->position = r->velocity = r->acceleration = 0.0;
  r->worst_joint = -1;
  for (int i = 0; i < m->bodies; i++) body_velocity(&d->now.x[i], d->w[i]);
  for (int i = 0; i < m->joints; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      double position = fabs(d->Phi[j->first + k]);
      if (!(position <= r->position)) { /* so that NaN is kept */
        r->position = position;
        r->worst_joint = i;
      }
      r->velocity = fmax(r->velocity, fabs(stage_jw(d, j, k)));
    }
  }
  struct stage s = {.m = m, .d = d};
  for (int i = 0; i < m->bodies; i++) body_acceleration(&d->now.x[i], d->w[i]);
  work_acceleration_beta(&s, 0, 1);
  for (int i = 0; i < m->frozen->rigid; i++) r->acceleration = fmax(r->acceleration, fabs(d->beta[i]));
}
