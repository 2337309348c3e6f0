/* SPDX-License-Identifier: MIT
 * ali3_data as one block, and the getters. The sizing run is the layout run with a null base. */
#include "actuators/cylinder.h"
#include "actuators/tyre.h"
#include "actuators/winding.h"
#include "base/arena.h"
#include "dynamics/spin.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/explicit.h"
#include "stepper/violation.h"

#include <ali3/model.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *take_doubles(struct arena *a, size_t count)
{
  return arena_take(a, count, sizeof(double));
}

/* Rows of arrays that only soft rows use. */
static size_t soft_rows_of(const struct frozen *f)
{
  return f->rows > f->rigid ? (size_t)f->rows : 0;
}

static void place_state(const struct frozen *f, struct state *o, struct arena *a)
{
  size_t slots = (size_t)f->tree->slots, rows = (size_t)f->rows;
  o->x = take_doubles(a, X_NUMBERS * slots);
  o->mu = take_doubles(a, slots);
  o->lambda = take_doubles(a, rows);
  o->reaction = take_doubles(a, rows);
  o->mean = take_doubles(a, soft_rows_of(f));
  o->own = take_doubles(a, (size_t)f->own);
}

static void place_linearisation(const struct frozen *f, struct linearisation *o, struct arena *a)
{
  o->J = take_doubles(a, f->tree->jacobian + 1);
  o->frame = take_doubles(a, FRAME_NUMBERS * (size_t)f->tree->slots);
}

static void place_outside_values(const ali3_model *m, struct outside_values *o, struct arena *a)
{
  o->wrench = take_doubles(a, WRENCH_NUMBERS * (size_t)m->frozen->tree->slots);
  o->vector = arena_take(a, (size_t)m->loads, sizeof *o->vector);
  o->command = take_doubles(a, (size_t)m->forces);
}

static void place_soft(const ali3_model *m, struct soft_rows *o, struct arena *a)
{
  const size_t rows = soft_rows_of(m->frozen);
  const bool mean = m->options.method == ALI3_METHOD_ENERGY; /* it also reads Phi_last of rigid rows: 0 */
  o->law = take_doubles(a, rows);
  o->Phi_last = take_doubles(a, mean ? (size_t)m->frozen->rows : rows);
  o->rate_last = take_doubles(a, rows);
  o->rate = take_doubles(a, rows);
  o->rate_seen = take_doubles(a, rows);
  o->lambda_seen = take_doubles(a, rows);
  o->piece = arena_take(a, rows, sizeof *o->piece);
  o->rigid_rate = take_doubles(a, rows);
  o->rigid_now = arena_take(a, rows, sizeof *o->rigid_now);
}

static void place_solve(const struct frozen *f, struct solve *o, struct arena *a)
{
  size_t n = (size_t)f->tree->slots, rows = (size_t)f->rows, unknowns = (size_t)f->tree->unknowns;
  o->delta = take_doubles(a, DELTA_NUMBERS * n);
  o->c = take_doubles(a, rows);
  o->Phi = take_doubles(a, rows);
  o->bias = take_doubles(a, rows);
  o->w = take_doubles(a, BODY_Y * n);
  for (int i = 0; i < 2; i++) o->point_value[i] = take_doubles(a, f->point_loads > 0 ? rows : 0);
  if (f->tree->carried) o->carried_rhs = take_doubles(a, BODY_Y * n);
  o->beta = take_doubles(a, unknowns);
  o->z = take_doubles(a, unknowns);
  /* for refined solves */
  if (f->tree->ill_conditioned) {
    o->z_first = take_doubles(a, unknowns);
    o->response = take_doubles(a, BODY_Y * n);
  }
  o->increment = take_doubles(a, n);
  o->travel = take_doubles(a, n);
  for (int i = 0; i < 2; i++) o->residual[i] = take_doubles(a, (size_t)f->residuals);
  tree_work_place(f->tree, &o->work, a);
}

/* Every method keeps as many states as it needs. */
static void place_states(const ali3_model *m, struct explicit_states *o, struct arena *a)
{
  if (!data_is_explicit(m)) return;
  const size_t numbers = explicit_numbers(m);
  for (int i = 0; i < explicit_kept(m->options.method); i++) o->x[i] = take_doubles(a, numbers);
  o->left = take_doubles(a, X_NUMBERS * (size_t)m->frozen->tree->slots);
  struct explicit_base *base[] = {&o->base, &o->step_base};
  for (int i = 0; i < 2; i++) {
    base[i]->x = take_doubles(a, numbers);
    base[i]->lambda = take_doubles(a, (size_t)m->frozen->rows);
  }
}

/* Set-up alone asks links with points for their loads, and a step writes `spin` before it reads it: they share memory. */
static void place_end_loads(const ali3_model *m, ali3_data *d, struct arena *a)
{
  const struct frozen *f = m->frozen;
  const size_t turning = m->options.method == ALI3_METHOD_ENERGY ? TURN_NUMBERS : SPIN_NUMBERS,
               spin = turning * (size_t)f->tree->slots, points = (size_t)f->point_loads,
               loads = (size_t)f->end_loads + ROW_NUMBERS;
  d->solve.end_load = take_doubles(a, loads + (spin > points ? spin : points));
  if (d->solve.end_load) d->spin = d->solve.end_load + loads;
}

/* The arrays that an inner step writes. */
static void place_inner(const ali3_model *m, ali3_data *d, struct arena *a)
{
  const struct frozen *f = m->frozen;
  place_state(f, &d->now, a);
  place_state(f, &d->last, a);
  place_linearisation(f, &d->here, a);
  place_linearisation(f, &d->spare, a);
  d->factored = d->here;
  place_solve(f, &d->solve, a);
  place_end_loads(m, d, a);
  place_soft(m, &d->soft, a);
  d->outside.aim = arena_take(a, (size_t)f->drives, sizeof *d->outside.aim);
  d->fast = arena_take(a, (size_t)f->tree->tiles, sizeof *d->fast);
  d->turn = take_doubles(a, (size_t)m->joints + 1);
  d->turn_last = take_doubles(a, (size_t)m->joints + 1);
}

/* The arrays that an inner step only reads. */
static void share_with_coarse(const ali3_data *d, ali3_data *coarse)
{
  struct reference *aim = coarse->outside.aim;
  coarse->outside = d->outside;
  coarse->outside.aim = aim;
  coarse->tangent = d->tangent;
  coarse->soft.mobility = d->soft.mobility;
  coarse->soft.stiff = d->soft.stiff;
}

static void place_coarse(const ali3_model *m, ali3_data *d, int i, struct arena *a)
{
  ali3_data nowhere = {0}, *coarse = arena_take(a, 1, sizeof *coarse);
  d->coarse[i] = coarse;
  if (!coarse) coarse = &nowhere;
  place_inner(m, coarse, a);
  share_with_coarse(d, coarse);
}

static void place_joints(const struct limbs *l, struct joint_states *o, struct arena *a)
{
  o->now = take_doubles(a, limbs_numbers(l));
  o->last = take_doubles(a, limbs_numbers(l));
  o->moved = take_doubles(a, (size_t)l->coordinates);
  limbs_place(l, &o->work, a);
}

static void place_data(const ali3_model *m, struct arena *a, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  place_inner(m, d, a);
  place_outside_values(m, &d->outside.now, a);
  place_outside_values(m, &d->outside.start, a);
  if (data_interpolates(m)) place_outside_values(m, &d->outside.end, a);
  d->outside.acted = arena_take(a, (size_t)f->tree->tiles, sizeof *d->outside.acted);
  d->outside.from = arena_take(a, (size_t)f->drives, sizeof *d->outside.from);
  d->tangent = arena_take(a, (size_t)f->rolling, sizeof *d->tangent);
  d->measured = take_doubles(a, f->measured);
  /* The start of the step, for ali3_unprepare() and a failed step. */
  d->Phi_start = take_doubles(a, (size_t)f->rows);
  d->J_start = take_doubles(a, (size_t)(f->rolling * STORED_J));
  d->turn_start = take_doubles(a, (size_t)m->joints);
  d->soft.mobility = take_doubles(a, soft_rows_of(f));
  d->soft.stiff = arena_take(a, soft_rows_of(f), sizeof *d->soft.stiff);
  for (int i = 0; i < 2 && m->options.extrapolate; i++) place_coarse(m, d, i, a);
  if (m->options.substeps > 1 || m->options.retry > 0) place_state(f, &d->start, a);
  place_states(m, &d->states, a);
  if (data_is_jointed(m)) place_joints(f->limbs, &d->joints, a);
}

/* A body is fast from 0.1 rad in an inner step on, a steady body (AXES_STEADY) from 1e-4 rad on. Below half a radian a joint
 * angle is the nearest to its last one. Explicit methods resolve less: rotation_judge() sees them from 0.1 rad on. */
static double turn_limit(const ali3_model *m, double angle)
{
  const double rate = 0.5 * angle * m->options.substeps / m->options.dt;
  return rate * rate;
}

static struct turn_limits limits_of(const ali3_model *m)
{
  return (struct turn_limits){turn_limit(m, 0.1), turn_limit(m, 1e-4),
                              turn_limit(m, data_is_explicit(m) ? 0.1 : 0.5)};
}

/* Fills unused lanes and the ground: bodies at rest in the origin, and only numbers that every kernel can process without
 * exceptions. */
static void fill_unused_lanes(const ali3_model *m, ali3_data *d)
{
  static const struct body_delta one = {
      .r = 1.0, .th = {1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0}, .n = 1.0, .alpha = 1.0};
  const struct tree *t = m->frozen->tree;
  const size_t state = X_NUMBERS * (size_t)t->slots * sizeof *d->now.x;
  stored_set_state(m, d->now.x, ALI3_GROUND, &body_ground);
  stored_set(m, d->here.frame, FRAME_NUMBERS, ALI3_GROUND, (const double *)&body_ground_frame);
  stored_set(m, d->spare.frame, FRAME_NUMBERS, ALI3_GROUND, (const double *)&body_ground_frame);
  for (int i = 0; i < t->body_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->stored_bodies.tile[i]];
    d->outside.acted[t->stored_bodies.tile[i]] = m->frozen->body_tile[t->stored_bodies.tile[i]].loaded;
    for (int lane = 0; lane < tile->width; lane++) {
      if (stored_item(t, tile, lane) >= 0) continue;
      const struct tree_body at = {.first = tile->slot, .width = tile->width, .lane = lane};
      stored_put(d->now.x, &at, X_NUMBERS, (const double *)&body_ground);
      stored_put(d->here.frame, &at, FRAME_NUMBERS, (const double *)&body_ground_frame);
      stored_put(d->spare.frame, &at, FRAME_NUMBERS, (const double *)&body_ground_frame);
      stored_put(d->solve.delta, &at, DELTA_NUMBERS, (const double *)&one);
    }
  }
  /* unused lanes of rows */
  for (int i = 0; i < t->joint_tiles; i++) {
    const struct tree_tile *tile = &t->tile[t->stored_joints.tile[i]];
    for (int lane = 0; lane < tile->width; lane++)
      for (int k = 0; k < tile->rows && stored_item(t, tile, lane) < 0; k++)
        d->solve.c[tile->at + k * tile->width + lane] = 1.0;
  }
  memcpy(d->last.x, d->now.x, state);
  if (d->start.x) memcpy(d->start.x, d->now.x, state);
  if (data_is_jointed(m)) return;
  for (int i = 0; i < EXPLICIT_STATES && d->states.x[i]; i++) memcpy(d->states.x[i], d->now.x, state);
  if (d->states.left) memcpy(d->states.left, d->now.x, state);
  if (d->states.base.x) memcpy(d->states.base.x, d->now.x, state);
  if (d->states.step_base.x) memcpy(d->states.step_base.x, d->now.x, state);
}

size_t ali3_data_size(const ali3_model *m)
{
  struct ali3_data nowhere = {0};
  struct arena a = {0};
  if (!m || !m->frozen) return 0;
  arena_take(&a, 1, sizeof nowhere);
  place_data(m, &a, &nowhere);
  return a.used;
}

ali3_data *ali3_data_place(const ali3_model *m, void *block, size_t size)
{
  if (!m || !m->frozen || !block || size < ali3_data_size(m) || (size_t)block % ARENA_ALIGN) return NULL;
  memset(block, 0, size);
  /* layout, and the numbers that stay */
  struct arena a = {.base = block};
  ali3_data *d = arena_take(&a, 1, sizeof *d);
  place_data(m, &a, d);
  fill_unused_lanes(m, d);
  if (data_is_jointed(m)) jointed_begin(m, d);
  d->limits = limits_of(m);
  d->substeps = m->options.substeps;
  for (int i = 0; i < 2 && d->coarse[i]; i++) {
    fill_unused_lanes(m, d->coarse[i]);
    d->coarse[i]->limits = d->limits;
  }
  atomic_init(&d->solve.failed_group, -1);
  d->report.worst_body = d->report.worst_joint = d->report.worst_force = -1;
  violation_none(&d->violation);
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
  if (d) d->exec = exec;
}

void ali3_data_set_probe(ali3_data *d, const ali3_probe *probe)
{
  if (d) d->probe = probe;
}

void ali3_set_wrench(const ali3_model *m, ali3_data *d, int body, const double force[3],
                     const double torque[3])
{
  assert(body >= 0 && body < m->bodies);
  const double wrench[WRENCH_NUMBERS] = {force[0], force[1], force[2], torque[0], torque[1], torque[2]};
  stored_set(m, d->outside.now.wrench, WRENCH_NUMBERS, body, wrench);
  data_refresh(d);
  for (int i = 0; i < WRENCH_NUMBERS; i++) d->outside.acted[m->frozen->tile_of[body]] |= wrench[i] != 0.0;
}

void ali3_set_load(const ali3_model *m, ali3_data *d, int load, const double vector[3])
{
  (void)m;
  assert(load >= 0 && load < m->loads);
  v3_copy(d->outside.now.vector[load], vector);
  data_refresh(d);
}

void ali3_set_command(const ali3_model *m, ali3_data *d, int force, double value)
{
  (void)m;
  assert(force >= 0 && force < m->forces);
  d->outside.now.command[force] = value;
  data_refresh(d);
}

const ali3_report *ali3_data_report(const ali3_data *d)
{
  return &d->report;
}
ali3_extrapolation ali3_data_extrapolation(const ali3_data *d)
{
  return (ali3_extrapolation){d->combines, d->stopped};
}

bool ali3_force_settled(const ali3_model *m, const ali3_data *d, int force)
{
  assert(force >= 0 && force < m->forces);
  const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[force]];
  bool settled = false;
  for (int k = 0; k < j->count && j->soft && d->combines; k++) settled |= d->soft.stiff[stored_row(j, k)];
  return settled;
}

const ali3_violation *ali3_data_violation(const ali3_data *d)
{
  return &d->violation;
}
const ali3_initial *ali3_data_initial(const ali3_data *d)
{
  return &d->initial;
}

void ali3_body_get(const ali3_model *m, const ali3_data *d, int body, ali3_body_state *o)
{
  assert(body >= ALI3_GROUND && body < m->bodies);
  const struct body_state x = stored_state(m, d->now.x, body);
  double y[BODY_Y];
  v3_copy(o->position, x.r);
  memcpy(o->orientation, x.p, sizeof o->orientation);
  v3_copy(o->velocity, x.rd);
  body_velocity(&x, y);
  v3_copy(o->angular_velocity, y + 3);
  v3_copy(o->acceleration, x.rdd);
  body_acceleration(&x, y);
  v3_copy(o->angular_acceleration, y + 3);
}

void ali3_joint_get(const ali3_model *m, const ali3_data *d, int joint, ali3_joint_state *o)
{
  assert(joint >= 0 && joint < m->joints);
  const struct joint_rows *j = &m->frozen->link[joint];
  struct link_view view;
  double room[STORED_J], Phi[ROWS_MAX], lambda[ROWS_MAX];
  const double *J = room;
  memset(o, 0, sizeof *o); /* with the bytes behind `held`: equal states have equal bytes */
  link_view_fill(m, d, j, &view);
  for (int k = 0; k < j->count; k++) lambda[k] = d->now.reaction[stored_row(j, k)];
  if (data_is_jointed(m) ||
      m->frozen->link_tile[m->frozen->tree->tile_of_joint[joint]]
          .has_points) /* a step does not store J of links with points, or of rigid links in joint coordinates */
    rows_evaluate(j, &view.v, Phi, room);
  else
    J = stored_jacobian(j, d->here.J, room);
  rows_reaction(j, &view.v, J, lambda, o->force, o->torque);
  rows_coordinate(j, &view.v, &o->position, &o->velocity);
  o->held = d->report.held > 0;
}

/* The multiplier of a motor equals its law except for the rounding of the iterations. Users see the value that was set. */
static double motor_multiplier(const ali3_data *d, int row, double lambda)
{
  const double law = d->soft.law[row];
  return fabs(lambda - law) <= 1e-12 * (1.0 + fabs(law)) ? law : lambda;
}

/* The part of the state of a force with states of its own. rate, lambda: of its rows. */
static void take_own(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int force,
                     const double *rate, const double *lambda, ali3_force_state *o)
{
  const double *own = link_own(&d->now, j);
  memset(&o->supplied, 0, sizeof *o - offsetof(ali3_force_state, supplied));
  if (!own) return;
  o->supplied = own[ACTUATOR_SUPPLIED];
  o->lost = own[ACTUATOR_LOST];
  /* the type */
  if (m->force[force].spec.type == ALI3_FORCE_TYRE) {
    const struct tyre_motion motion = {.sliding = {rate[1], rate[2]}, .rolling = rate[3]};
    tyre_slip(&motion, &o->slip, &o->slip_angle);
    o->along = 0.0 - lambda[1];
    o->across = 0.0 - lambda[2];
    return;
  }
  if (j->law[0].kind == LAW_WINDING) {
    o->current = own[WINDING_CURRENT];
    o->voltage = own[WINDING_VOLTAGE];
    return;
  }
  cylinder_pressures(&m->force[force].spec, own, o->position, o->pressure);
  cylinder_flows(&m->force[force].spec, own, o->position, o->flow);
  o->spool = own[CYLINDER_SPOOL];
}

void ali3_force_get(const ali3_model *m, const ali3_data *d, int force, ali3_force_state *o)
{
  assert(force >= 0 && force < m->forces);
  const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[force]];
  ali3_force_type type = m->force[force].spec.type;
  struct link_view view;
  double room[STORED_J], Phi[ROWS_MAX], rate[ROWS_MAX] = {0}, lambda[ROWS_MAX] = {0};
  const double *J = stored_jacobian(j, d->here.J, room);
  link_view_fill(m, d, j, &view);
  if (data_is_jointed(m) && !j->soft) {
    rows_evaluate(j, &view.v, Phi, room);
    J = room;
  }
  rows_rate(j, &view.v, J, rate);
  for (int k = 0, row = j->first; k < j->count; k++, row += j->stride)
    lambda[k] =
        j->soft && law_jumps(&j->law[k]) && d->soft.stiff[row] ? d->now.mean[row] : d->now.reaction[row];
  if (type == ALI3_FORCE_MOTOR) lambda[0] = motor_multiplier(d, j->first, lambda[0]);
  rows_reaction(j, &view.v, J, lambda, o->force, o->torque);
  bool single = type != ALI3_FORCE_BUSHING, contact = ali3_force_type_is_contact(type);
  bool actuator = ali3_force_type_takes_command(type) && type != ALI3_FORCE_BRAKE;
  double zero = contact ? 0.0 : j->length;
  if (j->drive >= 0) zero = d->outside.aim[j->drive].position;
  o->position = single ? zero + d->solve.Phi[j->first] : 0.0;
  o->rate = single ? rate[0] : 0.0;
  o->value = single ? (contact || actuator ? 0.0 - lambda[0] : lambda[0]) : 0.0; /* never -0 */
  o->target = j->drive >= 0 ? zero : 0.0;
  take_own(m, d, j, force, rate, lambda, o);
}

void ali3_energy_get(const ali3_model *m, const ali3_data *d, ali3_energy *o)
{
  /* bodies, then springs and oil */
  *o = (ali3_energy){0};
  for (int i = 0; i < m->bodies; i++) {
    const struct body *b = &m->body[i];
    const struct body_state x = stored_state(m, d->now.x, i);
    double y[BODY_Y], Jw[3];
    body_velocity(&x, y);
    m3_mul(Jw, b->spec.inertia, y + 3);
    o->kinetic += 0.5 * (b->spec.mass * v3_dot(y, y) + v3_dot(y + 3, Jw));
    o->potential -= b->spec.mass * v3_dot(m->gravity, x.r);
  }
  for (int i = m->frozen->rigid_links; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    const double *own = link_own(&d->now, j);
    for (int k = 0; k < j->count; k++)
      o->potential += law_energy(&j->law[k], own, d->solve.Phi[stored_row(j, k)]);
    if (!own) continue;
    o->supplied += own[ACTUATOR_SUPPLIED];
    o->lost += own[ACTUATOR_LOST];
  }
  o->total = o->kinetic + o->potential;
}
