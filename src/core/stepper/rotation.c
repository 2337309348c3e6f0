/* SPDX-License-Identifier: MIT
 * Loop code: rotations that an inner step does not resolve. A steady rotation about an axis is exact at any rate (spin.h). An
 * inner step does not resolve a rotation in which
 *
 *   - a body turns by more than an eighth of a turn, and its centre of mass, its inertia or a point of a link is off its axis,
 *     so that forces and points turn with it; extrapolated, and if drives prescribe rates: a quarter of a turn; explicit
 *     methods: also by more than the angle at which an oscillation grows
 *   - a body turns by more than this on a universal joint whose shafts are not in line
 *   - the rate of a body, in its own axes, or that of a joint changes by more than a quarter of a turn per inner step
 *
 * A bushing passes half a turn if the real part of its relative rotation changes its sign. Its rotation vector then jumps. The
 * energy method may stay at half a turn, because the bushing stores the same energy on both sides. The force of a spring or end
 * stop whose points pass each other jumps, too. */
#include "dynamics/region.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/violation.h"

#include <math.h>
#include <stddef.h>

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
  if (turn > o->turn * (joint < 0 ? 1.0 : 1.001)) *o = (struct turned){turn, body, joint, -1};
}

double rotation_most(const ali3_model *m)
{
  if (!data_is_explicit(m)) return m->options.extrapolate || m->frozen->drives > 0 ? TURN : 0.5 * TURN;
  const double dt = m->options.dt;
  const struct mode circle = {.stiffness = 1.0 / (dt * dt)}; /* 1 rad in the step */
  return fmin(TURN, region_longest_step(m->options.method, circle) / dt);
}

static bool turns_off_axis(const ali3_model *m, int body)
{
  double axes[AXES_NUMBERS];
  stored_get(m, m->frozen->axes, AXES_NUMBERS, body, axes);
  return axes[AXES_OFF] > 0.5 || m->frozen->carried[body];
}

/* |p'|^2 of a body. It does not copy the state, because most bodies are slow. */
static double rate_squared(const ali3_model *m, const double *x, int body)
{
  const struct tree_body *b = stored_body(m, body);
  const double *pd =
      x + stored_at(b, X_NUMBERS) + offsetof(struct body_state, pd) / sizeof(double) * (size_t)b->width;
  double sum = 0.0;
  for (int i = 0; i < 4; i++, pd += b->width) sum += *pd * *pd;
  return sum;
}

/* change: part of the inner step between both ends. */
static void judge_turning_body(const ali3_model *m, ali3_data *d, int b, double dt, double change)
{
  double start[3], end[3];
  rates_of_body(m, d, b, start, end);
  const double turn = dt * sqrt(fmax(v3_dot(start, start), v3_dot(end, end))),
               bends = dt * rates_apart(start, end) / change;
  if (turn > rotation_most(m) && turns_off_axis(m, b)) note_unresolved_turn(&d->turned, turn, b, -1);
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

/* A universal joint whose shafts turn at different rates. */
static void judge_universal(const ali3_model *m, ali3_data *d, int joint, double dt)
{
  const struct joint_rows *j = &m->frozen->link[joint];
  if (m->joint[joint].spec.type != ALI3_JOINT_UNIVERSAL) return;
  double a[3], b[3];
  side_rate(m, d, j->body[0], a);
  side_rate(m, d, j->body[1], b);
  const double turn = dt * sqrt(v3_dot(b, b));
  if (turn > rotation_most(m) && dt * rates_apart(a, b) > BENT)
    note_unresolved_turn(&d->turned, turn, -1, joint);
}

static void judge_turning_joint(const ali3_model *m, ali3_data *d, int joint, double dt, double change)
{
  const struct joint_rows *j = &m->frozen->link[joint];
  judge_universal(m, d, joint, dt);
  if (j->coordinate[0].kind != COORDINATE_ANGLE) return;
  /* the change of the rate of its coordinate */
  struct link_view start, end;
  double value, before, after;
  link_view_last(m, d, j, &start);
  link_view_fill(m, d, j, &end);
  rows_coordinate(j, &start.v, &value, &before);
  rows_coordinate(j, &end.v, &value, &after);
  if (dt * fabs(after - before) / change > TURN)
    note_unresolved_turn(&d->turned, dt * fmax(fabs(before), fabs(after)), -1, joint);
}

void rotation_judge(const ali3_model *m, ali3_data *d)
{
  const double dt = m->options.dt / d->substeps, change = d->rule.dt / dt;
  const double least =
      0.99 * fmin(TURN, rotation_most(m)) / (2.0 * dt); /* |p'| of the slowest turn to judge */
  for (int b = 0; b < m->bodies; b++)
    if (fmax(rate_squared(m, d->last.x, b), rate_squared(m, d->now.x, b)) > least * least)
      judge_turning_body(m, d, b, dt, change);
  for (int j = 0; j < m->joints; j++) judge_turning_joint(m, d, j, dt, change);
}

/* A fast body whose axis of rotation moves in the body, or is not the axis that the body spins about. */
static void blame_bent_body(const ali3_model *m, ali3_data *d, int b, double dt, double least)
{
  const struct body_state x = stored_state(m, d->now.x, b);
  double axes[AXES_NUMBERS], w[3], wd[3], across[3];
  stored_get(m, m->frozen->axes, AXES_NUMBERS, b, axes);
  p_to_rotation(w, x.p, x.pd);
  p_to_rotation(wd, x.p, x.pdd);
  v3_copy(across, w);
  v3_axpy(across, -v3_dot(axes, w), axes);
  const double turn = dt * sqrt(v3_dot(w, w)), bends = dt * dt * sqrt(v3_dot(wd, wd)),
               leans = dt * sqrt(v3_dot(across, across));
  if (turn > TURN && fmax(bends, leans) > least) note_unresolved_turn(&d->turned, turn, b, -1);
}

void rotation_blame(const ali3_model *m, ali3_data *d)
{
  static const double MOVES = 0.05; /* rad */
  const double dt = m->options.dt / d->substeps;
  d->turned = (struct turned){0.0, -1, -1, -1};
  for (int b = 0; b < m->bodies; b++) {
    const struct body_state x = stored_state(m, d->now.x, b);
    const double turn = 2.0 * dt * sqrt(p_dot(x.pd, x.pd));
    if (turn > rotation_most(m) && turns_off_axis(m, b)) note_unresolved_turn(&d->turned, turn, b, -1);
  }
  for (int j = 0; j < m->joints; j++) judge_universal(m, d, j, dt);
  for (int b = 0; b < m->bodies && !(d->turned.turn > 0.0); b++) blame_bent_body(m, d, b, dt, MOVES);
  rotation_status(d);
}

int rotation_status(ali3_data *d)
{
  const struct turned *o = &d->turned;
  d->report.turn = o->turn;
  if (!(o->turn > 0.0)) return ALI3_OK;
  d->report.worst_body = o->body;
  d->report.worst_joint = o->joint;
  d->report.worst_force = o->force;
  return ALI3_UNRESOLVED;
}

/* The real part of the rotation of b in a since the start of the run. x: states */
static double relative_real(const ali3_model *m, const double *x, const struct joint_rows *j)
{
  const struct body_state a = stored_state(m, x, j->body[0]), b = stored_state(m, x, j->body[1]);
  const double *start = j->primitive[j->primitives - 1].v, back[4] = {a.p[0], -a.p[1], -a.p[2], -a.p[3]};
  double now[4];
  p_mul(now, back, b.p);
  return now[0] * sqrt(fmax(1.0 - v3_dot(start, start), 0.0)) + v3_dot(now + 1, start);
}

static bool bushing_passes(const ali3_model *m, const ali3_data *d, const double *before,
                           const struct joint_rows *j)
{
  static const double AT = 1e-3; /* half of the angle from there, rad */
  const double now = relative_real(m, d->now.x, j);
  return now * relative_real(m, before, j) <= 0.0 || fabs(now) <= AT;
}

/* From point a to point b of a line: world axes, then the axes of both bodies. */
static void line_at(const ali3_model *m, const double *x, const struct joint_rows *j, double d[3][3])
{
  double R[2][9], at[2][3];
  for (int side = 0; side < 2; side++) {
    const struct body_state body = stored_state(m, x, j->body[side]);
    p_rotation(R[side], body.p);
    m3_mul(at[side], R[side], j->point[side]);
    for (int i = 0; i < 3; i++) at[side][i] += body.r[i];
  }
  v3_sub(d[0], at[1], at[0]);
  for (int side = 0; side < 2; side++) m3_tmul(d[1 + side], R[side], d[0]);
}

/* The way from a to b passes the origin: its nearest point is within NEAR of the longer one. */
static bool passes_origin(const double a[3], const double b[3])
{
  static const double NEAR = 0.02;
  double way[3], nearest[3];
  v3_sub(way, b, a);
  const double square = v3_dot(way, way), part = square > 0.0 ? -v3_dot(a, way) / square : 0.0;
  if (part < 0.0 || part > 1.0) return false;
  for (int i = 0; i < 3; i++) nearest[i] = a[i] + part * way[i];
  return v3_dot(nearest, nearest) < NEAR * NEAR * fmax(v3_dot(a, a), v3_dot(b, b));
}

/* The points of a line pass each other, and its force at the length 0 is not 0. A line that turns with a body rests in the axes
 * of that body. */
static bool line_passes(const ali3_model *m, const ali3_data *d, const double *before,
                        const struct joint_rows *j)
{
  double from[3][3], to[3][3];
  const bool jumps = j->law[0].kind == LAW_LIMITS ? j->law[0].lower > 0.0 : j->length > 0.0;
  if (j->primitive[0].kind != ROW_LENGTH || !jumps) return false;
  line_at(m, before, j, from);
  line_at(m, d->now.x, j, to);
  return passes_origin(from[0], to[0]) && passes_origin(from[1], to[1]) && passes_origin(from[2], to[2]);
}

void rotation_judge_elements(const ali3_model *m, ali3_data *d, const double *before)
{
  static const double HALF_TURN = 3.14159265358979323846;
  for (int i = m->frozen->rigid_links; m->frozen->ranges && i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (!(rows_turn(j) ? bushing_passes : line_passes)(m, d, before, j)) continue;
    d->turned = (struct turned){HALF_TURN, -1, -1, m->frozen->force_of[i - m->joints]};
    return;
  }
}
