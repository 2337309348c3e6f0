/* SPDX-License-Identifier: MIT
 * Set-up: initial velocities from those that a person gave, for some bodies or joints. Given rates are met exactly where the
 * joints allow it; the other bodies follow by kinematics, whatever they weigh:
 *
 *   given     the rate of a joint moves its body b on body a; a velocity or an angular velocity of a body that is not 0 is given
 *   along     a body between such a joint and a body that moves goes along with that body, and is not given
 *   weighted  the projection onto the constraints changes given velocities by WEIGHT of what it changes others
 *
 * If given rates contradict each other or the joints, nothing changes. The projection with the masses of the bodies follows
 * (reset.c), and finds nothing to change where the rates agree. */
#include "assembly/assembly.h"
#include "kernels/elements.h"
#include "stepper/project.h"
#include "stepper/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WEIGHT = 1e-8, /* by which given velocities yield, relative to others */
    MET = 1e-12,                   /* per second, of rows */
    STAYS = 1e-3;                  /* relative change of a given velocity */
enum { PASSES = 200, ROUNDS = 3, FOLLOWED = 4 };

/* Velocity of the centre of mass and angular velocity of a body, world axes. The ground is at rest. */
static void world_rates(const ali3_model *m, const double (*rate)[6], int body, double v[3], double w[3])
{
  struct body_frame f;
  struct body_state x = {0};
  v3_copy(v, body_ground.r);
  v3_copy(w, body_ground.r);
  if (body == ALI3_GROUND) return;
  memcpy(x.p, m->body[body].spec.orientation, sizeof x.p);
  body_frame_update(&f, &x);
  v3_copy(v, rate[body]);
  m3_mul(w, f.R, rate[body] + 3);
}

/* The rate of the joint moves the body on `side` against the body on the other side. */
static void move_side(const ali3_model *m, const struct joint *j, int side, double (*rate)[6])
{
  const int own = j->body[side], other = j->body[1 - side];
  double v[3], w[3], axis[3], arm[3], turn[3], along = side ? j->spec.velocity : -j->spec.velocity;
  struct body_frame f[2] = {body_ground_frame, body_ground_frame};
  struct body_state x[2] = {body_ground, body_ground};
  for (int s = 0; s < 2; s++) {
    if (j->body[s] == ALI3_GROUND) continue;
    v3_copy(x[s].r, m->body[j->body[s]].spec.position);
    memcpy(x[s].p, m->body[j->body[s]].spec.orientation, sizeof x[s].p);
    body_frame_update(&f[s], &x[s]);
  }
  world_rates(m, (const double(*)[6])rate, other, v, w);
  m3_mul(axis, f[0].R, j->axis[0]);
  /* the other body takes it along */
  m3_mul(arm, f[side].R, j->point[side]);
  for (int i = 0; i < 3; i++) arm[i] += x[side].r[i] - x[1 - side].r[i]; /* to the point of the joint */
  v3_cross(turn, w, arm);
  for (int i = 0; i < 3; i++) v[i] += turn[i];
  if (j->spec.type == ALI3_JOINT_REVOLUTE)
    v3_axpy(w, along, axis);
  else
    v3_axpy(v, along, axis);
  /* from the point to the centre of mass */
  m3_mul(arm, f[side].R, j->point[side]);
  v3_cross(turn, w, arm);
  for (int i = 0; i < 3; i++) rate[own][i] = v[i] - turn[i];
  m3_tmul(rate[own] + 3, f[side].R, w);
}

/* Another joint with a rate, not taken yet, moves the body. */
static bool moves_later(const ali3_model *m, const bool *taken, int joint, int body)
{
  for (int i = 0; i < m->joints && body != ALI3_GROUND; i++) {
    const int *side = m->joint[i].body, moved = side[1] == ALI3_GROUND ? side[0] : side[1];
    if (i != joint && m->joint[i].spec.velocity != 0.0 && !taken[i] && moved == body) return true;
  }
  return false;
}

double rates_open(const ali3_model *m, ali3_data *d)
{
  double largest = 0.0;
  stage_bodies(m, d, KERNEL_body_velocity_whole);
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    double rate = j->drive >= 0 ? d->outside.aim[j->drive].rate : 0.0;
    for (int k = 0; k < j->count; k++) largest = fmax(largest, fabs(link_jw(m, d, d->here.J, j, k) - rate));
  }
  return largest;
}

static bool is_given(const double v[3])
{
  return v3_dot(v, v) > 0.0;
}

/* The state of rates_given(). known: bodies whose velocity is given, or which go along. */
struct giving {
  const ali3_model *m;
  double (*rate)[6];
  bool *along, *taken, *known;
  int *through,
      *queue; /* (bodies) search: the joint by which it reached the body, -1: not yet; bodies reached */
};

/* The side of a joint that its rate moves. */
static int moved_side(const struct joint *j)
{
  return j->body[1] == ALI3_GROUND ? 0 : 1;
}

static void give_rate(const struct giving *o, int joint)
{
  const struct joint *j = &o->m->joint[joint];
  const int side = moved_side(j);
  move_side(o->m, j, side, o->rate);
  o->taken[joint] = o->known[j->body[side]] = true;
}

/* Takes every joint whose other body has its velocity; all: whose other body gets none, too. False: there was none. */
static bool take_joints(const struct giving *o, bool all)
{
  bool some = false;
  for (int i = 0; i < o->m->joints; i++) {
    const struct joint *j = &o->m->joint[i];
    const int other = j->body[1 - moved_side(j)];
    if (j->spec.velocity == 0.0 || o->taken[i] || moves_later(o->m, o->taken, i, other)) continue;
    if (!all && other != ALI3_GROUND && !o->known[other]) continue;
    give_rate(o, i);
    some = true;
    if (all) break;
  }
  return some;
}

/* The nearest body with a velocity, over joints without a rate of their own; -1: none. */
static int search_known(const struct giving *o, int body)
{
  int reached = 0;
  for (int b = 0; b < o->m->bodies; b++) o->through[b] = -1;
  o->queue[reached++] = body;
  for (int at = 0; at < reached; at++)
    for (int i = 0; i < o->m->joints; i++) {
      const struct joint *j = &o->m->joint[i];
      const int side = j->body[0] == o->queue[at] ? 1 : j->body[1] == o->queue[at] ? 0 : -1;
      if (side < 0 || j->spec.velocity != 0.0 || j->body[side] == ALI3_GROUND) continue;
      const int next = j->body[side];
      if (next == body || o->through[next] >= 0 || moves_later(o->m, o->taken, i, next)) continue;
      o->through[next] = i;
      if (o->known[next]) return next;
      o->queue[reached++] = next;
    }
  return -1;
}

/* Carries the bodies between a joint that is not taken and the nearest body with a velocity. False: there are none. */
static bool take_along(const struct giving *o)
{
  for (int i = 0; i < o->m->joints; i++) {
    const struct joint *j = &o->m->joint[i];
    const int other = j->body[1 - moved_side(j)];
    if (j->spec.velocity == 0.0 || o->taken[i] || other == ALI3_GROUND || o->known[other]) continue;
    int from = search_known(o, other);
    if (from < 0) continue;
    while (from != other) {
      const struct joint *by = &o->m->joint[o->through[from]];
      const int side = by->body[0] == from ? 1 : 0;
      from = by->body[side];
      move_side(o->m, by, side, o->rate);
      o->along[from] = o->known[from] = true;
    }
    return true;
  }
  return false;
}

bool rates_given(const ali3_model *m, bool joints, double (*rate)[6], bool *along)
{
  struct giving o = {m,
                     rate,
                     along,
                     calloc((size_t)m->joints + 1, sizeof *o.taken),
                     calloc((size_t)m->bodies + 1, sizeof *o.known),
                     calloc((size_t)m->bodies + 1, sizeof *o.through),
                     calloc((size_t)m->bodies + 1, sizeof *o.queue)};
  const bool good = o.taken && o.known && o.through && o.queue;
  for (int b = 0; good && b < m->bodies; b++) {
    v3_copy(rate[b], m->body[b].spec.velocity);
    v3_copy(rate[b] + 3, m->body[b].spec.angular_velocity);
    o.known[b] = is_given(rate[b]) || is_given(rate[b] + 3);
  }
  /* joint after joint, each after those that move its other body */
  while (good && joints && (take_joints(&o, false) || take_along(&o) || take_joints(&o, true))) continue;
  free(o.taken);
  free(o.known);
  free(o.through);
  free(o.queue);
  return good;
}

/* The mass matrix of kinematics: all bodies weigh alike, given velocities far more. */
static void weigh_rates(const ali3_model *m, ali3_data *d, const double (*rate)[6])
{
  const double h = d->rule.h, per_length2 = 1.0 / (m->frozen->length * m->frozen->length);
  for (int b = 0; b < m->bodies; b++) {
    struct body_delta delta = stored_delta(m, d, b);
    delta.r = h * (is_given(rate[b]) ? WEIGHT : 1.0);
    memset(delta.th, 0, sizeof delta.th);
    for (int i = 0; i < 3; i++) delta.th[4 * i] = h * per_length2 * (is_given(rate[b] + 3) ? WEIGHT : 1.0);
    delta.n = h * WEIGHT * WEIGHT; /* rows that contradict each other must not stretch the Euler parameters */
    stored_set_delta(m, d, b, &delta);
  }
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++)
      d->solve.c[stored_row(j, k)] = m->options.compliance * penalty_entry(m, d, j, k);
  }
  penalty_open(m, d);
}

/* Relative to its amount, by how much a given velocity of a body differs from the present one. part: 0, or 3 for the rotation.
 * *now: its present amount. */
static double rate_change(const ali3_model *m, const ali3_data *d, const double (*rate)[6], int body,
                          int part, double *now)
{
  const struct body_state x = stored_state(m, d->now.x, body);
  double y[BODY_Y], off[3];
  body_velocity(&x, y);
  const double given = sqrt(v3_dot(rate[body] + part, rate[body] + part));
  v3_sub(off, y + part, rate[body] + part);
  *now = sqrt(v3_dot(y + part, y + part));
  return given > 0.0 ? sqrt(v3_dot(off, off)) / given : 0.0;
}

static bool all_stay(const ali3_model *m, const ali3_data *d, const double (*rate)[6])
{
  double now;
  bool stay = true;
  for (int b = 0; b < m->bodies; b++)
    for (int part = 0; part < 6; part += 3) stay = stay && rate_change(m, d, rate, b, part, &now) < STAYS;
  return stay;
}

/* Gives the given velocities back to their bodies, after a projection has changed them by the part WEIGHT. */
static void give_back_rates(const ali3_model *m, ali3_data *d, const double (*rate)[6])
{
  for (int b = 0; b < m->bodies; b++) {
    struct body_state x = stored_state(m, d->now.x, b);
    const struct body_frame f = stored_frame(m, d, b);
    double y[BODY_Y];
    body_velocity(&x, y);
    for (int part = 0; part < 6; part += 3)
      if (is_given(rate[b] + part)) v3_copy(y + part, rate[b] + part);
    body_set_velocity(&x, &f, y);
    stored_set_state(m, d->now.x, b, &x);
  }
}

/* rate = now, without velocities that are rounding beside the other one. True: it differs. */
static bool take_over(double length, const double now[6], double rate[6])
{
  static const double ROUNDING = 1e-9;
  const double v = sqrt(v3_dot(now, now)), w = length * sqrt(v3_dot(now + 3, now + 3)),
               least = ROUNDING * fmax(v, w);
  double off[6];
  for (int i = 0; i < 6; i++) {
    const double to = (i < 3 ? v : w) > least ? now[i] : 0.0;
    off[i] = (i < 3 ? 1.0 : length) * (to - rate[i]);
    rate[i] = to;
  }
  return sqrt(v3_dot(off, off)) + sqrt(v3_dot(off + 3, off + 3)) > least;
}

/* The bodies that joints with rates move, beside the present velocities of their other bodies, which a drive may move. now:
 * (bodies), overwritten. False: out of memory, or nothing has changed. */
static bool follow_rates(const ali3_model *m, const ali3_data *d, double (*rate)[6], double (*now)[6])
{
  bool *taken = calloc((size_t)m->joints + 1, sizeof *taken), more = taken, changed = false;
  /* the present velocities */
  for (int b = 0; b < m->bodies; b++) {
    const struct body_state x = stored_state(m, d->now.x, b);
    double y[BODY_Y];
    body_velocity(&x, y);
    memcpy(now[b], y, sizeof now[b]);
  }
  /* joint after joint, each after those that move its other body */
  while (more) {
    more = false;
    for (int i = 0; i < m->joints; i++) {
      const struct joint *j = &m->joint[i];
      const int side = moved_side(j), own = j->body[side];
      if (j->spec.velocity == 0.0 || taken[i] || moves_later(m, taken, i, j->body[1 - side])) continue;
      move_side(m, j, side, now);
      changed |= take_over(m->frozen->length, now[own], rate[own]);
      taken[i] = more = true;
    }
  }
  free(taken);
  return changed;
}

/* Projects until the rows close and given velocities stay. False: they cannot stay, or a pivot is not positive. */
static bool project_given(const ali3_model *m, ali3_data *d, const double (*rate)[6])
{
  weigh_rates(m, d, rate);
  bool good = stage_condense(m, d);
  for (int round = 0; good && round < ROUNDS; round++) {
    double open = INFINITY, before = INFINITY;
    give_back_rates(m, d, rate);
    for (int pass = 0; pass < PASSES && open > MET && (pass < 2 || open < 0.5 * before); pass++) {
      before = open;
      project_velocity(m, d);
      open = rates_open(m, d);
    }
    good = all_stay(m, d, rate);
  }
  return good;
}

/* project_given(). If the other bodies of joints with rates move after it, then once more, from the start, with these rates
 * beside the motion that the bodies have without them, which is that of drives. start: the state; other: (bodies),
 * overwritten. */
static bool project_joints(const ali3_model *m, ali3_data *d, const double *start, double (*rate)[6],
                           double (*other)[6])
{
  bool good = project_given(m, d, (const double(*)[6])rate);
  if (!follow_rates(m, d, rate, other)) return good;
  memcpy(other, rate, (size_t)m->bodies * sizeof *other);
  for (int i = 0; i < m->joints; i++) {
    const struct joint *j = &m->joint[i];
    if (j->spec.velocity != 0.0) memset(other[j->body[moved_side(j)]], 0, sizeof *other);
  }
  memcpy(d->now.x, start, X_NUMBERS * (size_t)m->frozen->tree->slots * sizeof *start);
  project_given(m, d, (const double(*)[6])other);
  follow_rates(m, d, rate, other);
  for (int i = 0; i < FOLLOWED; i++) {
    good = project_given(m, d, (const double(*)[6])rate);
    if (!follow_rates(m, d, rate, other)) break;
  }
  return good;
}

bool rates_project(const ali3_model *m, ali3_data *d, bool joints, double (*rate)[6])
{
  bool some = false;
  for (int b = 0; b < m->bodies; b++) some = some || is_given(rate[b]) || is_given(rate[b] + 3);
  if (!some || m->frozen->tree->carried || !(rates_open(m, d) > MET)) return true;
  /* save the state, and the masses and compliances of the model */
  const size_t slots = (size_t)m->frozen->tree->slots, rows = (size_t)m->frozen->rows;
  double *x = malloc((X_NUMBERS + DELTA_NUMBERS) * slots * sizeof *x + rows * sizeof *x);
  double(*other)[6] = calloc((size_t)m->bodies, sizeof *other);
  const bool memory = x && other;
  if (memory) {
    double *delta = x + X_NUMBERS * slots, *c = delta + DELTA_NUMBERS * slots;
    memcpy(x, d->now.x, X_NUMBERS * slots * sizeof *x);
    memcpy(delta, d->solve.delta, DELTA_NUMBERS * slots * sizeof *x);
    memcpy(c, d->solve.c, rows * sizeof *x);
    const bool good =
        joints ? project_joints(m, d, x, rate, other) : project_given(m, d, (const double(*)[6])rate);
    if (!good) memcpy(d->now.x, x, X_NUMBERS * slots * sizeof *x);
    memcpy(d->solve.delta, delta, DELTA_NUMBERS * slots * sizeof *x);
    memcpy(d->solve.c, c, rows * sizeof *x);
  }
  free(other);
  free(x);
  return memory;
}

/* The given velocity that changed most, relative to it. */
void rates_compare(const ali3_model *m, ali3_data *d, const double (*rate)[6])
{
  ali3_initial *o = &d->initial;
  double worst = STAYS, now;
  for (int b = 0; b < m->bodies; b++)
    for (int part = 0; part < 6; part += 3) {
      const double change = rate_change(m, d, rate, b, part, &now);
      if (!(change > worst)) continue;
      worst = change;
      o->body_rate = b;
      o->rate_turns = part == 3;
      o->rate_given = sqrt(v3_dot(rate[b] + part, rate[b] + part));
      o->rate_possible = now;
      o->rate_changed = change * o->rate_given;
    }
}
