/* SPDX-License-Identifier: MIT */
#include "coordinates/forces_mean.h"

#include "coordinates/forces_parts.h"
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

/* The rows of links first .. end - 1. */
static void fill_mean_rows(const ali3_model *m, int first, int end, const struct forces_span *span, double *J)
{
  const int n = FORCES_MEAN_BODY * m->bodies;
  for (int i = first; i < end; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    struct link_span s;
    set_link_span(j, span, &s);
    for (int k = 0; k < j->count; k++, J += n) {
      double unit[ROWS_MAX] = {0};
      unit[k] = 1;
      memset(J, 0, sizeof *J * (size_t)n);
      add_mean_load(&s, unit, 1, J);
    }
  }
}

void forces_mean_rows(const ali3_model *m, const struct forces_span *span, double *J)
{
  fill_mean_rows(m, m->joints, m->frozen->rigid_links, span, J);
}

void forces_mean_soft(const ali3_model *m, const struct forces_span *span, double *J)
{
  fill_mean_rows(m, m->frozen->rigid_links, m->frozen->links, span, J);
}

int forces_soft_links(const ali3_model *m)
{
  return m->frozen->links - m->frozen->rigid_links;
}

int forces_soft_link(const ali3_model *m, int link, int body[ROWS_SIDES])
{
  const struct joint_rows *j = &m->frozen->link[m->frozen->rigid_links + link];
  for (int side = 0; side < ROWS_SIDES; side++) body[side] = side < j->sides ? j->body[side] : ALI3_GROUND;
  return j->count;
}

int forces_soft_rows(const ali3_model *m)
{
  int rows = 0;
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) rows += m->frozen->link[i].count;
  return rows;
}

/* Mean force of row k over the step, and *slope, its derivative by the coordinate at the end; L: of the rows before it. */
static double mean_force_of_row(const struct link_span *s, const double *L, int k, double length,
                                double *slope)
{
  const struct law *law = &s->rows->law[k];
  const double *x0 = s->end[0].Phi, *x1 = s->end[1].Phi;
  double rate[ROWS_MAX], stiffness, damping, normal = 1, across = 0;
  for (int i = 0; i < s->rows->count; i++) rate[i] = 0.5 * (s->end[0].rate[i] + s->end[1].rate[i]);
  *slope = 0;
  switch (law->kind) {
  case LAW_VALUE: /* no input acts */
  case LAW_SWAY:
    return 0;
  case LAW_FRICTION:
    rate[k] = (x1[k] - x0[k]) / length;
    normal = law->asked ? 0 : 1;
    break;
  case LAW_SLIP:
    normal = fmax(0, -L[0]);
    across = rate[k == 1 ? 2 : 1];
    break;
  case LAW_LIMITS:
    return law_mean(law, x0[k], x1[k], length, false, slope);
  default:
    return law_average(law, x0[k], x1[k], length, slope);
  }
  law_slopes(law, NULL, x1[k], rate[k], normal, across, &stiffness, &damping);
  *slope = damping / length;
  return law_friction(law, normal, rate[k], across);
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

void forces_mean_take(const ali3_model *m, const struct forces_span *span, const double *force, double *R)
{
  for (int i = 0; i < m->loads; i++) {
    take_constant_load(&m->load[i].spec, span->start, R);
    take_constant_load(&m->load[i].spec, span->end, R);
  }
  /* A multiplier drives the coordinate down, so it stands in R with its own sign. */
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    struct link_span s;
    set_link_span(&m->frozen->link[i], span, &s);
    add_mean_load(&s, force, 1, R);
    force += s.rows->count;
  }
}

void forces_mean_laws(const ali3_model *m, const struct forces_span *span, double *force, double *slope)
{
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    struct link_span s;
    set_link_span(&m->frozen->link[i], span, &s);
    for (int k = 0; k < s.rows->count; k++)
      force[k] = mean_force_of_row(&s, force, k, span->length, &slope[k]);
    force += s.rows->count;
    slope += s.rows->count;
  }
}
