/* SPDX-License-Identifier: MIT
 * Loop code: rotations that an inner step does not resolve. A steady rotation about an axis is exact at any rate (spin.h). An
 * inner step does not resolve a rotation in which
 *
 *   - a body turns by more than a quarter of a turn, and its centre of mass, its inertia or a point of a link is off its axis,
 *     so that forces and points turn with it; explicit methods: by more than the angle at which an oscillation grows
 *   - a body turns by more than a quarter of a turn on a universal joint whose shafts are not in line
 *   - the rate of a body, in its own axes, or that of a joint changes by more than a quarter of a turn per inner step */
#include "dynamics/region.h"
#include "math/vec3.h"
#include "stepper/elements.h"
#include "stepper/violation.h"

#include <math.h>

static const double TURN = 1.57, /* rad */
    BENT = 0.1;                  /* rad per inner step, difference of the rates of two shafts */

/* Rates of a body in its own axes, at the start and at the end of the inner step. */
static void rates_of_body(const ali3_model *m, const ali3_data *d, int b, double start[3], double end[3])
{
  const struct body_state a = stored_state(m, d->last.x, b), c = stored_state(m, d->now.x, b);
  p_to_rotation(start, a.p, a.pd);
  p_to_rotation(end, c.p, c.pd);
}

static double rates_apart(const double a[3], const double b[3])
{
  double o[3];
  v3_sub(o, a, b);
  return sqrt(v3_dot(o, o));
}

/* Marks the element if it turns further than all before. Bodies are judged before joints, which turn as far. */
static void note_unresolved_turn(struct turned *o, double turn, int body, int joint)
{
  if (turn > o->turn * (joint < 0 ? 1.0 : 1.001)) *o = (struct turned){turn, body, joint};
}

/* The turn in an inner step above which points off the axis are not resolved. */
static double turn_most(const ali3_model *m, double dt)
{
  if (!data_is_explicit(m)) return TURN;
  const struct mode circle = {.stiffness = 1.0 / (dt * dt)}; /* 1 rad in the inner step */
  return fmin(TURN, region_longest_step(m->options.method, circle) / dt);
}

/* change: part of the inner step between both ends. */
static void judge_turning_body(const ali3_model *m, ali3_data *d, int b, double dt, double change)
{
  double axes[AXES_NUMBERS], start[3], end[3];
  rates_of_body(m, d, b, start, end);
  stored_get(m, m->frozen->axes, AXES_NUMBERS, b, axes);
  const double turn = dt * sqrt(fmax(v3_dot(start, start), v3_dot(end, end))),
               bends = dt * rates_apart(start, end) / change;
  if (turn > turn_most(m, dt) && (axes[AXES_OFF] > 0.5 || m->frozen->carried[b]))
    note_unresolved_turn(&d->turned, turn, b, -1);
  if (turn > TURN && bends > TURN) note_unresolved_turn(&d->turned, turn, b, -1);
}

/* World rates of a side of a joint. */
static void side_rate(const ali3_model *m, const ali3_data *d, int body, double o[3])
{
  const struct body_state x = stored_state(m, d->now.x, body);
  const struct body_frame f = stored_frame(m, d, body);
  double own[3];
  p_to_rotation(own, x.p, x.pd);
  m3_mul(o, f.R, own);
}

static void judge_turning_joint(const ali3_model *m, ali3_data *d, int joint, double dt, double change)
{
  const struct joint_rows *j = &m->frozen->link[joint];
  if (m->joint[joint].spec.type == ALI3_JOINT_UNIVERSAL) {
    double a[3], b[3];
    side_rate(m, d, j->body[0], a);
    side_rate(m, d, j->body[1], b);
    const double turn = dt * sqrt(v3_dot(b, b));
    if (turn > TURN && dt * rates_apart(a, b) > BENT) note_unresolved_turn(&d->turned, turn, -1, joint);
  }
  if (j->coordinate[0].kind != COORDINATE_ANGLE) return;
  /* the change of the rate of its coordinate */
  struct link_view start, end;
  double place, before, after;
  link_view_last(m, d, j, &start);
  link_view_fill(m, d, j, &end);
  rows_coordinate(j, &start.v, &place, &before);
  rows_coordinate(j, &end.v, &place, &after);
  if (dt * fabs(after - before) / change > TURN)
    note_unresolved_turn(&d->turned, dt * fmax(fabs(before), fabs(after)), -1, joint);
}

void rotation_judge(const ali3_model *m, ali3_data *d)
{
  const double dt = m->options.dt / d->substeps, change = d->rule.dt / dt;
  for (int b = 0; b < m->bodies; b++) judge_turning_body(m, d, b, dt, change);
  for (int j = 0; j < m->joints; j++) judge_turning_joint(m, d, j, dt, change);
}

int rotation_status(ali3_data *d)
{
  const struct turned *o = &d->turned;
  d->report.turn = o->turn;
  if (!(o->turn > 0.0)) return ALI3_OK;
  d->report.worst_body = o->body;
  d->report.worst_joint = o->joint;
  return ALI3_UNRESOLVED;
}
