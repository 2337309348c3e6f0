/* SPDX-License-Identifier: MIT
 * Loop code: inner steps of explicit methods in joint coordinates (articulated/limbs.h). Inner joints are exact at every stage,
 * and only the rows of closures are projected. Soft rows act as loads, by the kernels of links, on bodies that the state fills
 * in. The factors at the end of the step belong to the projected positions. */
#include "kernels/elements.h"
#include "stepper/explicit.h"
#include "stepper/inner.h"
#include "stepper/soft.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

void jointed_begin(const ali3_model *m, ali3_data *d)
{
  limbs_begin(m->frozen->limbs, &d->joints.work);
}

static const struct limb_passes *passes_of(const ali3_model *m)
{
  return m->frozen->limbs->kernels->pass;
}

void jointed_from_bodies(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  for (int i = 1; i < l->count; i++) {
    const struct body_state body = stored_state(m, d->now.x, l->limb[i].body),
                            parent = stored_state(m, d->now.x, l->limb[l->limb[i].parent].body);
    limbs_from_body(l, i, &body, &parent, d->joints.now);
  }
}

/* --- the state --- */

/* Angles of inner joints, with full turns. */
static void count_turns(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    if (b->motion == LIMB_REVOLUTE)
      d->turn[b->joint] = d->turn_last[b->joint] + b->sign * d->joints.now[b->x];
  }
}

void jointed_advance(const ali3_model *m, ali3_data *d)
{
  const struct explicit_states *s = &d->states;
  const struct limb_sum sum = {.terms = s->terms,
                               .term = s->term,
                               .weight = s->weight,
                               .at = s->at,
                               .span = s->span,
                               .dt = d->rule.dt};
  limbs_advance(m->frozen->limbs, d->joints.last, &sum, d->joints.now);
  count_turns(m, d);
}

double jointed_fastest2(const ali3_model *m, const ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  double fastest = 0.0;
  for (int i = 1; i < l->count; i++)
    fastest = fmax(fastest, v3_dot(d->joints.work.at[i].w, d->joints.work.at[i].w));
  return 0.25 * fastest;
}

double jointed_change(const ali3_model *m, const ali3_data *d, const double *other)
{
  const int n = m->frozen->limbs->coordinates;
  double largest = 0.0;
  for (int i = 2 * n; i < 3 * n; i++) largest = fmax(largest, fabs(d->joints.now[i] - other[i]));
  return largest;
}

/* Bodies and frames at the state, as a load of the state computes them. numbers: without q'' or with it. */
static void put_bodies(const ali3_model *m, ali3_data *d, int numbers)
{
  const struct limbs *l = m->frozen->limbs;
  for (int i = 1; i < l->count; i++) {
    const struct limb_at *at = &d->joints.work.at[i];
    struct body_state x;
    limb_body(&l->limb[i], at, m->gravity, &x);
    const struct tree_body *lane = stored_body(m, l->limb[i].body);
    double *to = d->now.x + stored_at(lane, X_NUMBERS);
    for (int k = 0; k < numbers; k++, to += lane->width) *to = ((const double *)&x)[k];
  }
  stage_bodies(m, d, KERNEL_body_frame);
}

/* --- factors --- */

static bool factorise_poses(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  for (int i = 0, row = 0; i < l->closures; i++)
    for (int k = 0; k < l->link[l->closure[i]].count; k++)
      w->c[row++] = l->give[i] * d->solve.c[stored_row(&l->link[l->closure[i]], k)] / d->rule.h;
  return passes_of(m)->inertia(l, w->at) && closures_factor(l, w);
}

static void find_rates(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  passes_of(m)->rates(l, d->joints.now, m->gravity, d->joints.work.at);
}

static void find_poses(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  passes_of(m)->pose(l, d->joints.now, d->joints.work.at);
  closures_rows(l, &d->joints.work, d->turn);
}

bool jointed_factorise(const ali3_model *m, ali3_data *d)
{
  data_mark_phase(d, ALI3_PHASE_ROWS);
  find_poses(m, d);
  find_rates(m, d);
  closures_bias(m->frozen->limbs, &d->joints.work);
  data_mark_phase(d, ALI3_PHASE_CONDENSE);
  const bool good = factorise_poses(m, d);
  data_mark_phase(d, ALI3_PHASE_SWEEP);
  return good;
}

/* --- loads --- */

static void load_limb(struct limb_at *o, const struct limb *b, const double moment[3], const double force[3])
{
  double c[3], turned[3];
  m3_mul(c, o->R, b->centre);
  v3_cross(turned, c, force);
  for (int k = 0; k < 3; k++) {
    o->load[0][k] += moment[k] + turned[k];
    o->load[1][k] += force[k];
  }
}

/* -J'lambda of a soft link. */
static void load_link(const ali3_model *m, ali3_data *d, const struct joint_rows *j)
{
  const struct limbs *l = m->frozen->limbs;
  double room[STORED_J];
  const double *J = stored_jacobian(j, d->here.J, room);
  for (int side = 0; side < j->sides; side++) {
    double force[3] = {0, 0, 0}, own[3] = {0, 0, 0}, moment[3];
    if (j->body[side] == ALI3_GROUND) continue;
    const int limb = l->limb_of[j->body[side]];
    struct limb_at *o = &d->joints.work.at[limb];
    for (int k = 0; k < j->count; k++) {
      const double *row = J + BODY_Y * (j->sides * k + side), lambda = d->now.lambda[stored_row(j, k)];
      v3_axpy(force, -lambda, row);
      v3_axpy(own, -lambda, row + 3);
    }
    m3_mul(moment, o->R, own);
    load_limb(o, &l->limb[limb], moment, force);
  }
}

static void find_limb_loads(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  const struct limbs *l = f->limbs;
  /* loads of the model and from outside */
  bool acted = false;
  for (int i = 0; i < f->tree->body_tiles; i++) acted |= d->outside.acted[f->tree->stored_bodies.tile[i]];
  if (f->rows > f->rigid || acted) put_bodies(m, d, X_NUMBERS - BODY_Y);
  for (int i = 1; i < l->count; i++) {
    struct limb_at *o = &d->joints.work.at[i];
    struct wrench load;
    memset(o->load, 0, sizeof o->load);
    if (!acted || !d->outside.acted[f->tile_of[l->limb[i].body]]) continue;
    body_wrench(m, d, l->limb[i].body, false, &load);
    load_limb(o, &l->limb[i], load.torque, load.force);
  }
  if (f->rows == f->rigid) return;
  stage_soft_links(m, d, KERNEL_link_rows);
  soft_forces(m, d);
  for (int i = f->rigid_links; i < f->links; i++) load_link(m, d, &f->link[i]);
}

/* --- closures: the three values that drives give to their rows --- */

enum derivative { POSITION, RATE, ACCELERATION };

static double wanted_value(const ali3_data *d, const struct joint_rows *j, enum derivative which)
{
  if (j->drive < 0) return 0.0;
  const struct reference *aim = &d->outside.aim[j->drive];
  return which == POSITION ? aim->position : which == RATE ? aim->rate : aim->acceleration;
}

/* Excess of the rows over the wanted values, (rows). */
static void find_residuals(const ali3_model *m, const ali3_data *d, enum derivative which, bool deviations,
                           double *o)
{
  const struct limbs *l = m->frozen->limbs;
  const struct limbs_work *w = &d->joints.work;
  for (int i = 0, row = 0; i < l->closures; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    const double less = wanted_value(d, j, which);
    for (int k = 0; k < j->count; k++, row++)
      o[row] = (which == POSITION ? w->row[row].Phi
                : which == RATE   ? closure_rate(w, row)
                                  : closure_acceleration(w, row, deviations)) -
               less;
  }
}

/* Multipliers of the closures in the order of their rows, from or to an array of the model's rows. */
static void copy_multipliers(const ali3_model *m, double *rows, double *closures, bool back)
{
  const struct limbs *l = m->frozen->limbs;
  for (int i = 0, row = 0; i < l->closures; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    for (int k = 0; k < j->count; k++, row++) {
      double *at = &rows[stored_row(j, k)];
      if (back)
        *at = closures[row];
      else
        closures[row] = *at;
    }
  }
}

/* Multipliers of the closures: (S + c) lambda = g + c times the last ones, of which the first are `before`, or 0. */
static void solve_closures(const ali3_model *m, ali3_data *d, const double *before, int solves)
{
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  for (int i = 0; i < solves; i++) {
    const double *last = i > 0 ? w->lambda : before;
    for (int k = 0; k < l->rows; k++) w->lambda[k] = last ? w->rhs[k] + w->c[k] * last[k] : w->rhs[k];
    closures_solve(l, w, w->lambda);
  }
}

/* See find_reactions() of explicit.c. stage: multipliers of the last stage, or NULL in a stage. */
void jointed_accelerations(const ali3_model *m, ali3_data *d, double *stage)
{
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  find_limb_loads(m, d);
  passes_of(m)->bias(l, w->at);
  /* closures */
  if (l->rows > 0) {
    find_residuals(m, d, ACCELERATION, false, w->rhs);
    closures_free(l, w, w->rhs);
    copy_multipliers(m, d->now.lambda, w->before, false);
    if (stage && d->redundant)
      solve_closures(m, d, NULL, 2);
    else
      solve_closures(m, d, w->before, stage ? 1 : explicit_solves(m->options.method));
    copy_multipliers(m, d->now.lambda, w->lambda, true);
    if (stage && d->redundant && explicit_keeps_stage(m->options.method)) {
      copy_multipliers(m, stage, w->before, false);
      solve_closures(m, d, w->before, 1);
    }
    closures_load(l, w, w->lambda, 1.0);
  }
  passes_of(m)->outward(l, w->at);
  limbs_accelerate(l, w->at, m->gravity, d->joints.now);
}

/* --- the end of an inner step --- */

static double largest_residual(const double *a, int n)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i]) <= largest)) largest = fabs(a[i]);
  return largest;
}

/* Moves positions or velocities onto the rows, whose residuals are in rhs. Returns the largest change. */
static double move_onto_rows(const ali3_model *m, ali3_data *d, bool rates)
{
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  closures_solve(l, w, w->rhs);
  closures_load(l, w, w->rhs, 0.0);
  passes_of(m)->outward(l, w->at);
  return limbs_add(l, w->at, rates, d->joints.now);
}

/* The first pass has the factors of the last stage. */
static bool close_positions(const ali3_model *m, ali3_data *d, double *increment)
{
  static const double ROWS_MET = 1e-10;
  enum { PASSES = 3 };
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  *increment = 0.0;
  for (int i = 0; i < PASSES && l->rows > 0; i++) {
    find_residuals(m, d, POSITION, false, w->rhs);
    if (i > 0 && largest_residual(w->rhs, l->rows) < ROWS_MET) break;
    if (i > 0 && !factorise_poses(m, d)) return false;
    *increment = fmax(*increment, move_onto_rows(m, d, false));
    find_poses(m, d);
  }
  return true;
}

bool jointed_project(const ali3_model *m, ali3_data *d, double *increment)
{
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  data_mark_phase(d, ALI3_PHASE_PROJECT);
  if (l->rows > 0) find_poses(m, d);
  if (!close_positions(m, d, increment)) return false;
  for (int i = 0; i < l->coordinates; i++) d->joints.moved[i] = d->joints.now[i] - d->joints.last[i];
  /* poses from the state as it is saved */
  count_turns(m, d);
  limbs_rebase(l, d->joints.now);
  find_poses(m, d);
  data_mark_phase(d, ALI3_PHASE_CONDENSE);
  if (!factorise_poses(m, d)) return false;
  data_mark_phase(d, ALI3_PHASE_PROJECT);
  find_rates(m, d);
  for (int i = 0; i < (inner_is_quick(d) ? 2 : 1) && l->rows > 0; i++) {
    find_residuals(m, d, RATE, false, w->rhs);
    move_onto_rows(m, d, true);
    find_rates(m, d);
  }
  closures_bias(l, w);
  return true;
}

/* The angles of revolute joints that close loops, the nearest to the last ones. */
static void turn_closures(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  for (int i = 0; i < l->closures && l->closure[i] < m->joints; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    struct link_view view;
    double rate;
    if (j->coordinate[0].kind != COORDINATE_ANGLE) continue;
    link_view_fill(m, d, j, &view);
    view.v.turn[0] = d->turn_last[l->closure[i]];
    rows_coordinate(j, &view.v, &d->turn[l->closure[i]], &rate);
  }
}

static size_t residual_place(const ali3_model *m, int link)
{
  const struct tree *t = m->frozen->tree;
  const int tile = t->tile_of_joint[link];
  return (size_t)(m->frozen->link_tile[tile].residual +
                  (m->frozen->link[link].first - t->tile[tile].at) % t->tile[tile].width);
}

/* Residuals of the closures; inner joints have none. */
static void report_rows(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  const struct limbs *l = f->limbs;
  struct limbs_work *w = &d->joints.work;
  /* rates and accelerations of each closure, then all of its rows */
  memset(d->solve.Phi, 0, (size_t)f->rigid * sizeof *d->solve.Phi);
  memset(d->solve.bias, 0, (size_t)f->rigid * sizeof *d->solve.bias);
  for (int i = 0; i < 2; i++)
    memset(d->solve.residual[i], 0, (size_t)f->residuals * sizeof *d->solve.residual[i]);
  for (int which = RATE; which <= ACCELERATION; which++) {
    find_residuals(m, d, (enum derivative)which, true, w->rhs);
    for (int i = 0, row = 0; i < l->closures; i++) {
      const struct joint_rows *j = &l->link[l->closure[i]];
      d->solve.residual[which - RATE][residual_place(m, l->closure[i])] =
          largest_residual(w->rhs + row, j->count);
      row += j->count;
    }
  }
  for (int i = 0, row = 0; i < l->closures; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    for (int k = 0; k < j->count; k++, row++) {
      d->solve.Phi[stored_row(j, k)] = w->row[row].Phi - wanted_value(d, j, POSITION);
      d->solve.bias[stored_row(j, k)] = w->row[row].bias;
    }
  }
}

/* The norm of project_unfelt(): c of the rows, and J_n delta_n J_n' of the bodies. */
static void find_norm(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  double *norm = d->joints.work.norm;
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    for (int k = 0; b->joint >= 0 && k < l->link[b->joint].count; k++)
      norm[b->row + k] = sqrt(d->solve.c[stored_row(&l->link[b->joint], k)]);
    norm[l->inner_rows + l->rows + i] = sqrt(stored_delta(m, d, b->body).n);
  }
  for (int i = 0, row = l->inner_rows; i < l->closures; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    for (int k = 0; k < j->count; k++) norm[row++] = sqrt(d->solve.c[stored_row(j, k)]);
  }
}

/* Multipliers of all rigid rows; with redundant rows the smallest ones. */
static void find_joint_reactions(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  limbs_multipliers(l, w, w->lambda, true, w->multipliers);
  if (d->redundant && l->rows > 0) {
    find_norm(m, d);
    limbs_smallest(l, w, w->multipliers);
  }
  for (int i = 1; i < l->count; i++) {
    if (l->limb[i].joint < 0) continue;
    const struct joint_rows *j = &l->link[l->limb[i].joint];
    for (int k = 0; k < j->count; k++) d->now.lambda[stored_row(j, k)] = w->multipliers[l->limb[i].row + k];
  }
  copy_multipliers(m, d->now.lambda, w->multipliers + l->inner_rows, true);
}

double jointed_end(const ali3_model *m, ali3_data *d)
{
  const double missed =
      limbs_missed(m->frozen->limbs, d->joints.last, d->joints.now, d->joints.moved, d->rule.dt);
  put_bodies(m, d, X_NUMBERS);
  turn_closures(m, d);
  if (d->intermediate) return missed;
  find_joint_reactions(m, d);
  report_rows(m, d);
  return missed;
}

double jointed_doubt(const ali3_model *m, ali3_data *d)
{
  const struct limbs *l = m->frozen->limbs;
  struct limbs_work *w = &d->joints.work;
  if (l->rows == 0) return 0.0;
  find_residuals(m, d, ACCELERATION, true, w->rhs);
  closures_solve(l, w, w->rhs);
  return largest_residual(w->rhs, l->rows);
}
