/* SPDX-License-Identifier: MIT */
#include "coordinates/forces_mean.h"

#include "coordinates/force_view.h"
#include "dynamics/mean.h"
#include "layout/frozen.h"

#include <math.h>
#include <string.h>

/* A link at both ends of the step. */
struct link_span {
  const struct joint_rows *rows;
  struct link_end {
    struct joint_view view;
    struct body_state x[ROWS_SIDES];
    struct body_frame f[ROWS_SIDES];
    double Phi[ROWS_MAX], rate[ROWS_MAX];
  } end[2];
};

static void set_link_end(const struct joint_rows *j, const struct mover *at, const double *turn,
                         struct link_end *o)
{
  double J[ROWS_MAX * ROWS_SIDES * BODY_Y];
  force_view_set(at, turn, j, &o->view, o->x, o->f);
  rows_evaluate(j, &o->view, o->Phi, J);
  rows_rate(j, &o->view, J, o->rate);
}

static void set_link_span(const struct joint_rows *j, const struct forces_span *span, struct link_span *o)
{
  o->rows = j;
  set_link_end(j, span->start, span->turn, &o->end[0]);
  set_link_end(j, span->end, span->turn, &o->end[1]);
}

/* o (6 bodies) += factor times the mean load of the multipliers. */
static void add_mean_load(const struct link_span *s, const double *lambda, double factor, double *o)
{
  const struct joint_rows *j = s->rows;
  double load[ROWS_SIDES][BODY_Y];
  rows_mean_load(j, &s->end[0].view, &s->end[1].view, lambda, load);
  for (int side = 0; side < j->sides; side++)
    for (int i = 0; j->body[side] != ALI3_GROUND && i < FORCES_MEAN_BODY; i++)
      o[FORCES_MEAN_BODY * j->body[side] + i] += factor * load[side][i];
}

void forces_mean_rows(const ali3_model *m, const struct forces_span *span, double *J)
{
  const int n = FORCES_MEAN_BODY * m->bodies;
  memset(J, 0, sizeof *J * (size_t)(forces_rows(m) * n));
  for (int i = 0; i < forces_rows(m); i++) {
    const double unit = 1;
    struct link_span s;
    set_link_span(&m->frozen->link[m->joints + i], span, &s);
    add_mean_load(&s, &unit, 1, J + i * n);
  }
}

/* Mean force of row k over the step; L: of the rows before it. */
static double mean_force_of_row(const struct link_span *s, const double *L, int k, double length)
{
  const struct law *law = &s->rows->law[k];
  const double *x0 = s->end[0].Phi, *x1 = s->end[1].Phi;
  double slope, rate[ROWS_MAX];
  for (int i = 0; i < s->rows->count; i++) rate[i] = 0.5 * (s->end[0].rate[i] + s->end[1].rate[i]);
  switch (law->kind) {
  case LAW_VALUE: /* no input acts */
  case LAW_SWAY:
    return 0;
  case LAW_FRICTION:
    return law_friction(law, 1, (x1[k] - x0[k]) / length, 0);
  case LAW_SLIP:
    return law_friction(law, fmax(0, -L[0]), rate[k], rate[k == 1 ? 2 : 1]);
  case LAW_LIMITS:
    return law_mean(law, x0[k], x1[k], length, false, &slope);
  default:
    return law_average(law, x0[k], x1[k], length, &slope);
  }
}

/* R -= half the load at one end. */
static void take_constant_load(const ali3_load_spec *l, const struct mover *at, double *R)
{
  struct body_state x = {0};
  double rotation[9], vector[3], arm[3], moment[3], *o = R + FORCES_MEAN_BODY * l->body;
  at->state(at->user, l->body, &x);
  p_rotation(rotation, x.p);
  v3_copy(vector, l->vector);
  if (l->body_axes) m3_mul(vector, rotation, l->vector);
  if (l->type == ALI3_LOAD_TORQUE) {
    v3_axpy(o + 3, -0.5, vector);
    return;
  }
  m3_mul(arm, rotation, l->point);
  v3_cross(moment, arm, vector);
  v3_axpy(o, -0.5, vector);
  v3_axpy(o + 3, -0.5, moment);
}

void forces_mean_take(const ali3_model *m, const struct forces_span *span, double *R)
{
  for (int i = 0; i < m->loads; i++) {
    take_constant_load(&m->load[i].spec, span->start, R);
    take_constant_load(&m->load[i].spec, span->end, R);
  }
  /* A multiplier drives the coordinate down, so it stands in R with its own sign. */
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    struct link_span s;
    double L[ROWS_MAX];
    set_link_span(&m->frozen->link[i], span, &s);
    for (int k = 0; k < s.rows->count; k++) L[k] = mean_force_of_row(&s, L, k, span->length);
    add_mean_load(&s, L, 1, R);
  }
}
