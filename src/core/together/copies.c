/* SPDX-License-Identifier: MIT
 * Loop code: a step of several runs side by side. Every decision that a step makes for a whole mechanism is made for each copy
 * (norm_note_copies(), project_position_by_copy(), step_is_good()). A run whose verdict is not plainly good makes its step by
 * itself, from the state before. */
#include "base/float_mode.h"
#include "kernels/elements.h"
#include "math/vec3.h"
#include "stepper/inner.h"
#include "stepper/sensor.h"
#include "stepper/stage.h"
#include "stepper/violation.h"
#include "together/copies_parts.h"

#include <math.h>
#include <string.h>

/* --- numbers of one run, from and to its lane --- */

static const struct tree_body *body_in_lane(const struct copies *k, int copy, int body)
{
  return &k->model->frozen->tree->body[copy * k->of[0]->bodies + body];
}

static const struct joint_rows *link_in_lane(const struct copies *k, int copy, int link)
{
  return &k->model->frozen->link[k->link_of[copy * k->of[0]->frozen->links + link]];
}

static void load_bodies(const struct copies *k, int copy, double *to, const double *from, int numbers)
{
  for (int b = 0; b < k->of[0]->bodies; b++) {
    const struct tree_body *own = &k->of[0]->frozen->tree->body[b], *o = body_in_lane(k, copy, b);
    const double *a = from + stored_at(own, numbers);
    double *z = to + stored_at(o, numbers);
    for (int i = 0; i < numbers; i++) z[i * o->width] = a[i * own->width];
  }
}

static void store_bodies(const struct copies *k, int copy, double *to, const double *from, int numbers)
{
  for (int b = 0; b < k->of[0]->bodies; b++) {
    const struct tree_body *own = &k->of[0]->frozen->tree->body[b], *o = body_in_lane(k, copy, b);
    double *a = to + stored_at(own, numbers);
    const double *z = from + stored_at(o, numbers);
    for (int i = 0; i < numbers; i++) a[i * own->width] = z[i * o->width];
  }
}

/* Rows of links from `first` on. */
static void load_lane_rows(const struct copies *k, int copy, int first, double *to, const double *from)
{
  const struct frozen *f = k->of[0]->frozen;
  for (int i = first; i < f->links; i++) {
    const struct joint_rows *own = &f->link[i], *o = link_in_lane(k, copy, i);
    for (int r = 0; r < own->count; r++) to[stored_row(o, r)] = from[stored_row(own, r)];
  }
}

static void store_lane_rows(const struct copies *k, int copy, int first, double *to, const double *from)
{
  const struct frozen *f = k->of[0]->frozen;
  for (int i = first; i < f->links; i++) {
    const struct joint_rows *own = &f->link[i], *o = link_in_lane(k, copy, i);
    for (int r = 0; r < own->count; r++) to[stored_row(own, r)] = from[stored_row(o, r)];
  }
}

/* The states of forces lie in the order of their links. */
static int own_of(const struct frozen *f, int link)
{
  int end = f->own;
  for (int i = f->rigid_links; i < f->links; i++)
    if (f->link[i].own > f->link[link].own && f->link[i].own < end) end = f->link[i].own;
  return end - f->link[link].own;
}

/* Everything that a state has. store: from the lane to the run. */
static void load_lane_state(const struct copies *k, int copy, struct state *to, const struct state *from)
{
  const struct frozen *f = k->of[0]->frozen;
  load_bodies(k, copy, to->x, from->x, X_NUMBERS);
  load_bodies(k, copy, to->mu, from->mu, 1);
  load_lane_rows(k, copy, 0, to->lambda, from->lambda);
  load_lane_rows(k, copy, 0, to->reaction, from->reaction);
  if (f->jumps) load_lane_rows(k, copy, f->rigid_links, to->mean, from->mean);
  for (int i = f->rigid_links; i < f->links && f->own > 0; i++)
    if (f->link[i].own >= 0)
      memcpy(to->own + link_in_lane(k, copy, i)->own, from->own + f->link[i].own,
             (size_t)own_of(f, i) * sizeof *to->own);
}

static void store_lane_state(const struct copies *k, int copy, struct state *to, const struct state *from)
{
  const struct frozen *f = k->of[0]->frozen;
  store_bodies(k, copy, to->x, from->x, X_NUMBERS);
  store_bodies(k, copy, to->mu, from->mu, 1);
  store_lane_rows(k, copy, 0, to->lambda, from->lambda);
  store_lane_rows(k, copy, 0, to->reaction, from->reaction);
  if (f->jumps) store_lane_rows(k, copy, f->rigid_links, to->mean, from->mean);
  for (int i = f->rigid_links; i < f->links && f->own > 0; i++)
    if (f->link[i].own >= 0)
      memcpy(to->own + f->link[i].own, from->own + link_in_lane(k, copy, i)->own,
             (size_t)own_of(f, i) * sizeof *to->own);
}

/* Values from outside, and the targets of drives. */
static void load_lane_outside(struct copies *k, int copy)
{
  const ali3_model *one = k->of[copy];
  const ali3_data *run = k->run[copy];
  /* loads and commands, then drives */
  struct outside *o = &k->data->outside;
  load_bodies(k, copy, o->now.wrench, run->outside.now.wrench, WRENCH_NUMBERS);
  load_bodies(k, copy, o->start.wrench, run->outside.start.wrench, WRENCH_NUMBERS);
  for (int i = 0; i < one->loads; i++) {
    v3_copy(o->now.vector[copy * one->loads + i], run->outside.now.vector[i]);
    v3_copy(o->start.vector[copy * one->loads + i], run->outside.start.vector[i]);
  }
  for (int i = 0; i < one->forces; i++) {
    o->now.command[copy * one->forces + i] = run->outside.now.command[i];
    o->start.command[copy * one->forces + i] = run->outside.start.command[i];
  }
  for (int b = 0; b < one->bodies; b++)
    o->acted[k->model->frozen->tile_of[copy * one->bodies + b]] |=
        run->outside.acted[one->frozen->tile_of[b]];
  for (int i = one->joints; i < one->frozen->rigid_links; i++) {
    const int own = one->frozen->link[i].drive;
    if (own < 0) continue;
    o->from[link_in_lane(k, copy, i)->drive] = run->outside.from[own];
    o->aim[link_in_lane(k, copy, i)->drive] = run->outside.aim[own];
  }
}

void copies_load(struct copies *k, int copy)
{
  const ali3_model *one = k->of[copy];
  const struct frozen *f = one->frozen;
  const ali3_data *run = k->run[copy];
  ali3_data *d = k->data;
  load_lane_state(k, copy, &d->now, &run->now);
  load_bodies(k, copy, d->here.frame, run->here.frame, FRAME_NUMBERS);
  load_bodies(k, copy, d->solve.delta, run->solve.delta, DELTA_NUMBERS);
  load_lane_rows(k, copy, 0, d->solve.c, run->solve.c);
  load_lane_rows(k, copy, 0, d->solve.Phi, run->solve.Phi);
  /* the Jacobian, and soft rows */
  for (int i = 0; i < f->links; i++) {
    const struct joint_rows *own = &f->link[i], *o = link_in_lane(k, copy, i);
    const int unit = stored_unit(own), numbers = own->count * own->sides * (BODY_Y - unit);
    for (int e = unit; e < unit + numbers; e++)
      d->here.J[o->jacobian + (size_t)(e * o->stride)] =
          run->here.J[own->jacobian + (size_t)(e * own->stride)];
    for (int r = 0; r < own->count && own->soft; r++) {
      const int at = stored_row(o, r), from = stored_row(own, r);
      d->soft.mobility[at] = run->soft.mobility[from];
      d->soft.stiff[at] = run->soft.stiff[from];
      d->soft.rigid_now[at] = run->soft.rigid_now[from];
      d->soft.law[at] = run->soft.law[from];
    }
  }
  d->soft.some_stiff |= run->soft.some_stiff;
  memcpy(d->turn + copy * one->joints, run->turn, (size_t)one->joints * sizeof *run->turn);
  load_lane_outside(k, copy);
}

/* All numbers of the state, for forces and reactions. */
static void store_whole(struct copies *k, int copy)
{
  const struct frozen *f = k->of[0]->frozen;
  ali3_data *run = k->run[copy];
  const ali3_data *d = k->data;
  store_lane_state(k, copy, &run->now, &d->now);
  store_bodies(k, copy, run->here.frame, d->here.frame, FRAME_NUMBERS);
  store_lane_rows(k, copy, 0, run->solve.Phi, d->solve.Phi);
  if (f->rows > f->rigid) store_lane_rows(k, copy, f->rigid_links, run->soft.law, d->soft.law);
  for (int i = 0; i < f->links; i++) {
    const struct joint_rows *own = &f->link[i], *o = link_in_lane(k, copy, i);
    const int unit = stored_unit(own), numbers = own->count * own->sides * (BODY_Y - unit);
    for (int e = unit; e < unit + numbers; e++)
      run->here.J[own->jacobian + (size_t)(e * own->stride)] =
          d->here.J[o->jacobian + (size_t)(e * o->stride)];
  }
}

/* The state before the step, or with the same start after it, completes the data of a run that has its bodies alone. */
static void complete_run(struct copies *k, int copy, const struct state *from, const double *Phi)
{
  const ali3_model *one = k->of[copy];
  ali3_data *run = k->run[copy];
  store_lane_state(k, copy, &run->now, from);
  stage_bodies(one, run, KERNEL_body_frame);
  stage_rows(one, run);
  store_lane_rows(k, copy, 0, run->solve.Phi, Phi);
}

/* --- the verdict --- */

/* Numbers that decide about each copy. */
struct verdicts {
  double position[ISA_LANES_MAX], velocity[ISA_LANES_MAX], acceleration[ISA_LANES_MAX], bias[ISA_LANES_MAX],
      reaction[ISA_LANES_MAX], Phi[ISA_LANES_MAX];
};

static void measure_copies(const struct copies *k, struct verdicts *o)
{
  const ali3_model *m = k->model;
  const ali3_data *d = k->data;
  norm_largest_by_copy(m, d->solve.Phi, m->frozen->rigid, o->position);
  norm_largest_by_copy(m, d->solve.residual[0], m->frozen->residuals, o->velocity);
  norm_largest_by_copy(m, d->solve.residual[1], m->frozen->residuals, o->acceleration);
  norm_largest_by_copy(m, d->now.reaction, m->frozen->rows, o->reaction);
  norm_largest_by_copy(m, d->solve.Phi, m->frozen->rows, o->Phi);
  if (m->frozen->loops) norm_largest_by_copy(m, d->solve.bias, m->frozen->rigid, o->bias);
}

/* True only if inner_iterate(), hold_reactions() and violation_judge() find nothing. A sum in another order has another rounding,
 * so a norm near its limit is in doubt. */
static bool step_is_good(const struct copies *k, int copy, const struct verdicts *v)
{
  static const double SURE = 1.0 - 1e-9;
  const ali3_model *m = k->of[copy];
  const struct by_copy *n = &k->by;
  const double last = n->newton_last[copy], least = fmin(1.0, m->frozen->length);
  if (!isfinite(last + v->position[copy] + v->velocity[copy] + v->acceleration[copy] + v->reaction[copy] +
                v->Phi[copy]))
    return false;
  /* the iterations */
  const bool rests = last < SURE * (m->frozen->switches ? INNER_HARMLESS : INNER_FLOOR);
  const bool converges = last < SURE * INNER_WELL_BELOW * n->newton_largest[copy] &&
                         n->newton_body[copy] < SURE * INNER_FELT && last < SURE * n->newton_first[copy];
  if (!rests && !converges) return false;
  /* open rows, then reactions near a singular position */
  if (v->position[copy] > SURE * VIOLATION_POSITION * least ||
      v->velocity[copy] * m->options.dt > SURE * VIOLATION_VELOCITY * least)
    return false;
  const double acceleration = v->acceleration[copy] / INNER_SMALL;
  return !m->frozen->loops || acceleration <= sqrt(v3_dot(m->gravity, m->gravity)) ||
         acceleration <= v->bias[copy];
}

/* A step that was made in lanes becomes that of the run. */
static bool accept_step(struct copies *k, int copy, const struct verdicts *v)
{
  const ali3_model *one = k->of[copy];
  ali3_data *run = k->run[copy], *d = k->data;
  if (!step_is_good(k, copy, v) || run->report.held > 0) return false;
  double *before = run->last.x;
  run->last.x = run->now.x;
  run->now.x = before;
  store_bodies(k, copy, run->now.x, d->now.x, X_NUMBERS);
  run->turned = (struct turned){0.0, -1, -1, -1};
  rotation_judge_elements(one, run, run->last.x);
  if (run->turned.turn > 0.0) {
    run->now.x = run->last.x;
    run->last.x = before;
    return false;
  }
  /* the report */
  store_bodies(k, copy, run->solve.increment, k->by.increment, 1);
  run->report.increment = norm_increment(one, run->solve.increment);
  run->report.position = v->position[copy];
  run->report.velocity = v->velocity[copy];
  run->report.acceleration = v->acceleration[copy];
  run->report.turn = 0.0;
  run->report.retried = false;
  violation_none(&run->violation);
  memcpy(run->turn, d->turn + copy * one->joints, (size_t)one->joints * sizeof *run->turn);
  /* values from outside */
  if (run->outside.changed) outside_values_copy(one, &run->outside.start, &run->outside.now);
  run->outside.changed = run->outside.fresh = false;
  for (int i = one->joints; i < one->frozen->rigid_links; i++)
    if (one->frozen->link[i].drive >= 0)
      run->outside.from[one->frozen->link[i].drive] = run->outside.aim[one->frozen->link[i].drive] =
          d->outside.aim[link_in_lane(k, copy, i)->drive];
  if (k->whole) store_whole(k, copy);
  run->report.step++;
  run->report.time = (double)run->report.step * one->options.dt;
  run->report.status = ALI3_OK;
  sensors_take(one, run);
  return true;
}

/* --- the step --- */

/* False: all runs are to make the step alone, from the state in *before. */
static bool step_in_lanes(struct copies *k, const struct state **before)
{
  const ali3_model *m = k->model;
  ali3_data *d = k->data;
  int status;
  /* inputs, then the inner step */
  bool fresh = k->run[0]->outside.fresh;
  for (int c = 0; c < k->by.copies; c++)
    if (k->run[c]->outside.fresh != fresh) return false;
  for (int c = 0; c < k->by.copies && fresh; c++) load_lane_outside(k, c);
  d->outside.fresh = fresh;
  *before = &d->last;
  inner_aim(m, d, m->options.dt, false);
  if (!inner_prepare(m, d, true)) return false;
  inner_aim(m, d, m->options.dt, true);
  inner_iterate(m, d, &status);
  if (status == ALI3_E_SINGULAR || inner_is_quick(d)) return false;
  inner_turns_end(m, d);
  return true;
}

static void end_lanes(struct copies *k)
{
  ali3_data *d = k->data;
  for (int i = 0; i < k->model->frozen->drives; i++) d->outside.from[i] = d->outside.aim[i];
  outside_values_copy(k->model, &d->outside.start, &d->outside.now);
  d->report.step++;
  d->report.time = (double)d->report.step * k->model->options.dt;
}

static FLOAT_MODE_BODY bool step_copies(struct copies *k, int *status)
{
  static const double STAYS = 0.95, PAYS = 0.5; /* of recent steps */
  ali3_data *d = k->data;
  struct verdicts v;
  bool taken[ISA_LANES_MAX] = {false};
  int lone = 0;
  memcpy(k->Phi, d->solve.Phi, (size_t)k->model->frozen->rows * sizeof *k->Phi);
  const struct state *before = &d->now;
  const bool good = step_in_lanes(k, &before);
  if (good) measure_copies(k, &v);
  for (int c = 0; c < k->by.copies; c++) {
    taken[c] = good && accept_step(k, c, &v);
    if (taken[c]) status[c] = ALI3_OK;
    if (!taken[c]) complete_run(k, c, before, k->Phi);
  }
  end_lanes(k);
  for (int c = 0; c < k->by.copies; c++) {
    if (taken[c]) continue;
    status[c] = ali3_step(k->of[c], k->run[c]);
    if (status[c] < 0) k->lone = INFINITY;
    copies_load(k, c);
    lone++;
  }
  k->lone = STAYS * k->lone + lone;
  k->together = STAYS * k->together + k->by.copies;
  if (isfinite(k->lone) &&
      (k->lone < PAYS * k->together || k->together < 100.0 * k->by.copies * (1.0 - STAYS)))
    return true;
  for (int c = 0; c < k->by.copies; c++)
    if (taken[c]) complete_run(k, c, &d->now, d->solve.Phi);
  return false;
}

bool copies_step(struct copies *k, int *status)
{
  const uint64_t mode = float_mode_enter();
  const bool goes_on = step_copies(k, status);
  float_mode_leave(mode);
  return goes_on;
}
