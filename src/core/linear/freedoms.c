/* SPDX-License-Identifier: MIT
 * Set-up. See freedoms.h, and the first half of ali3/linear.h.
 *
 * The columns of T come one by one from the factor: a free column is 1, all others are 0, and the pivot columns follow. Then
 * columns are combined, so that the rates of the named joints are the first velocities: T := T S, inverse := S^-1. */
#include "linear/freedoms.h"

#include "base/float_mode.h"
#include "dynamics/kinematics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PIVOT_COUNTS_FROM = 1e-6; /* pivots of rows below it count as 0, as in mechanics.c */
static const double RATE_INDEPENDENT =
    1e-6; /* rate of a joint that is free, relative to its rate with all columns */

ali3_status linear_refuse(ali3_problem *problem, ali3_status status, const char *element, const char *format,
                          ...)
{
  if (!problem) return status;
  *problem = (ali3_problem){.status = status, .element = element, .field = ""};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem->text, sizeof problem->text, format, arguments);
  va_end(arguments);
  return status;
}

static ali3_status refuse_for_memory(ali3_problem *problem)
{
  return linear_refuse(problem, ALI3_E_MEMORY, "model", "out of memory");
}

/* y of a body from its v: r' = c' - R (w x middle). */
static void twist_from_v(const struct body_geometry *p, const double *v, double *y)
{
  double turn[3], moved[3];
  for (int i = 0; i < 3; i++) y[3 + i] = v[3 + i] / p->length;
  v3_cross(turn, y + 3, p->middle);
  m3_mul(moved, p->f.R, turn);
  v3_sub(y, v, moved);
}

/* One number of v of a body from its y. */
static double v_of_twist(const struct body_geometry *p, const double *y, int column)
{
  double turn[3], moved[3];
  if (column >= 3) return p->length * y[column];
  v3_cross(turn, y + 3, p->middle);
  m3_mul(moved, p->f.R, turn);
  return y[column] + moved[column];
}

/* --- making --- */

static bool choose_rows(ali3_freedoms *f, unsigned flags, const bool *released)
{
  const struct frozen *frozen = f->m->frozen;
  const size_t links = (size_t)frozen->rigid_links + 1;
  f->link = calloc(links, sizeof *f->link);
  f->first = calloc(links, sizeof *f->first);
  if (!f->link || !f->first) return false;
  int rows = 0;
  for (int i = 0; i < frozen->rigid_links; i++) {
    const bool drive = frozen->link[i].drive >= 0;
    const bool off = drive && released && released[frozen->force_of[i - f->m->joints]];
    f->link[i] = !off && !(drive && (flags & ALI3_DRIVES_FREE));
    f->first[i] = rows;
    if (f->link[i]) rows += frozen->link[i].count;
  }
  f->used = (struct rows_used){.link = f->link, .first = f->first, .rows = rows};
  return true;
}

/* Poses, factors, and the columns that are free. */
static bool factorise_rows(ali3_freedoms *f, const ali3_data *d, unsigned flags, const bool *released)
{
  const ali3_model *m = f->m;
  f->turn = malloc(((size_t)m->joints + 1) * sizeof *f->turn);
  if (!f->turn || !parts_new(&f->parts, m) || !geometry_new(&f->at, m, d, &f->parts)) return false;
  memcpy(f->turn, d->turn, (size_t)m->joints * sizeof *f->turn);
  f->at.turn = f->turn;
  if (!choose_rows(f, flags, released) || !factor_new(&f->factor, &f->at, &f->used, PIVOT_COUNTS_FROM))
    return false;
  for (int b = 0; b < f->bodies; b++) f->n += GEOMETRY_V - f->factor.pivots[b].rank;
  f->free_column = calloc((size_t)f->n + 1, sizeof *f->free_column);
  if (!f->free_column) return false;
  for (int b = 0, k = 0; b < f->bodies; b++)
    for (int c = f->factor.pivots[b].rank; c < GEOMETRY_V; c++)
      f->free_column[k++] = GEOMETRY_V * b + f->factor.pivots[b].column[c];
  return true;
}

/* Columns of T and the rates of joints along them; S is the unit matrix. */
static bool make_columns(ali3_freedoms *f)
{
  const size_t n = (size_t)f->n, numbers = (size_t)f->bodies * TWIST;
  f->T = malloc((numbers * n + 1) * sizeof *f->T);
  f->inverse = calloc(n * n + 1, sizeof *f->inverse);
  f->joint = calloc((size_t)f->m->joints * n + 1, sizeof *f->joint);
  double *zero = calloc((size_t)f->used.rows + 1, sizeof *zero), *v = malloc((numbers + 1) * sizeof *v);
  const bool ok = f->T && f->inverse && f->joint && zero && v;
  /* one free column is 1, the pivot columns follow */
  for (size_t k = 0; ok && k < n; k++) {
    memset(v, 0, numbers * sizeof *v);
    v[f->free_column[k]] = 1.0;
    factor_solve(&f->factor, zero, v);
    f->inverse[k * n + k] = 1.0;
    for (int b = 0; b < f->bodies; b++) {
      double y[TWIST];
      twist_from_v(&f->at.body[b], v + TWIST * b, y);
      for (int i = 0; i < TWIST; i++) freedoms_row(f, b, i)[k] = y[i];
    }
  }
  free(zero);
  free(v);
  return ok;
}

static void add_rate_of(ali3_freedoms *f, int body, const double *gradient, double *row)
{
  for (int i = 0; body != ALI3_GROUND && i < TWIST; i++)
    for (int k = 0; k < f->n && gradient[i] != 0.0; k++) row[k] += gradient[i] * freedoms_row(f, body, i)[k];
}

static void find_joint_rates(ali3_freedoms *f)
{
  for (int j = 0; j < f->m->joints; j++) {
    const struct joint_rows *rows = &f->m->frozen->link[j];
    const struct coordinate *c = &rows->coordinate[0];
    struct body_pair pair;
    double gradient[2][BODY_Y] = {{0}};
    if (rows->coordinates == 0 || c->kind == COORDINATE_NONE) continue;
    for (int side = 0; side < 2; side++) {
      const int body = rows->body[side];
      pair.x[side] = body == ALI3_GROUND ? &body_ground : &f->at.body[body].x;
      pair.f[side] = body == ALI3_GROUND ? &body_ground_frame : &f->at.body[body].f;
    }
    coordinate_gradient(c, &pair, 1.0, gradient[0], gradient[1]);
    for (int side = 0; side < 2; side++)
      add_rate_of(f, rows->body[side], gradient[side], f->joint + (size_t)j * (size_t)f->n);
  }
}

/* Columns a and b of an array of rows: a := a + factor b. */
static void add_column(double *rows, size_t count, size_t n, int a, int b, double factor)
{
  for (size_t i = 0; i < count; i++, rows += n) rows[a] += factor * rows[b];
}

static void scale_column(double *rows, size_t count, size_t n, int a, double factor)
{
  for (size_t i = 0; i < count; i++, rows += n) rows[a] *= factor;
}

static void exchange_columns(double *rows, size_t count, size_t n, int a, int b)
{
  for (size_t i = 0; i < count; i++, rows += n) {
    const double x = rows[a];
    rows[a] = rows[b];
    rows[b] = x;
  }
}

/* Combines columns so that the rate of a joint is velocity `at`, and all other columns leave that joint at rest. False: the rate
 * depends on the velocities before. */
static bool name_velocity(ali3_freedoms *f, int joint, int at)
{
  const size_t n = (size_t)f->n, numbers = (size_t)f->bodies * TWIST, joints = (size_t)f->m->joints;
  const double *row = f->joint + (size_t)joint * n;
  /* choose the column that moves the joint most */
  double all = 0.0;
  int best = at;
  for (int k = 0; k < f->n; k++) {
    all = fmax(all, fabs(row[k]));
    if (k > at && fabs(row[k]) > fabs(row[best])) best = k;
  }
  if (at >= f->n || !(fabs(row[best]) > RATE_INDEPENDENT * all) || all < 1e-9) return false;
  exchange_columns(f->T, numbers, n, at, best);
  exchange_columns(f->joint, joints, n, at, best);
  for (size_t k = 0; k < n; k++) { /* rows of S^-1 */
    const double x = f->inverse[(size_t)at * n + k];
    f->inverse[(size_t)at * n + k] = f->inverse[(size_t)best * n + k];
    f->inverse[(size_t)best * n + k] = x;
  }
  /* rate 1 there, 0 in all other columns */
  const double pivot = row[at];
  scale_column(f->T, numbers, n, at, 1.0 / pivot);
  scale_column(f->joint, joints, n, at, 1.0 / pivot);
  for (size_t k = 0; k < n; k++) f->inverse[(size_t)at * n + k] *= pivot;
  for (int c = 0; c < f->n; c++) {
    const double factor = row[c];
    if (c == at || factor == 0.0) continue;
    add_column(f->T, numbers, n, c, at, -factor);
    add_column(f->joint, joints, n, c, at, -factor);
    for (size_t k = 0; k < n; k++) f->inverse[(size_t)at * n + k] += factor * f->inverse[(size_t)c * n + k];
  }
  return true;
}

static bool name_velocities(ali3_freedoms *f, const int *joint, int joints, ali3_problem *problem)
{
  f->named_joint = malloc(((size_t)joints + 1) * sizeof *f->named_joint);
  if (!f->named_joint) {
    refuse_for_memory(problem);
    return false;
  }
  /* one joint after the other: each takes a column of those that are left */
  for (int i = 0; i < joints; i++) {
    const char *name = ali3_model_joint_name(f->m, joint[i]);
    if (!name || f->m->frozen->link[joint[i]].coordinate[0].kind == COORDINATE_NONE) {
      linear_refuse(problem, ALI3_E_ARGUMENT, "joint",
                    "%s%s%s has no coordinate: expected a revolute or prismatic joint",
                    name ? "joint \"" : "", name ? name : "an index out of range", name ? "\"" : "");
      return false;
    }
    f->named_joint[f->named++] = joint[i];
    if (name_velocity(f, joint[i], i)) continue;
    linear_refuse(
        problem, ALI3_E_ARGUMENT, "joint",
        "the rate of joint \"%s\" is not independent: drives, or the joints named before it, determine it",
        name);
    return false;
  }
  return true;
}

ali3_freedoms *freedoms_find(const ali3_model *m, const ali3_data *d, const int *joint, int joints,
                             unsigned flags, const bool *released, ali3_problem *problem)
{
  /* Check the arguments. */
  if (!m || !m->frozen || !d || !d->started || d->prepared || joints < 0 || (joints > 0 && !joint)) {
    linear_refuse(problem, ALI3_E_ARGUMENT, "model",
                  "expected a frozen model, and data after a reset or a whole step");
    return NULL;
  }
  ali3_freedoms *f = calloc(1, sizeof *f);
  if (f) *f = (ali3_freedoms){.m = m, .bodies = m->bodies};
  if (!f || !factorise_rows(f, d, flags, released)) {
    refuse_for_memory(problem);
    ali3_freedoms_free(f);
    return NULL;
  }
  if (f->n > ALI3_FREEDOMS_MOST) {
    linear_refuse(problem, ALI3_E_ARGUMENT, "model",
                  "the mechanism has %d freedoms; the analysis takes up to %d", f->n, ALI3_FREEDOMS_MOST);
    ali3_freedoms_free(f);
    return NULL;
  }
  /* Make the columns, and combine them. */
  bool ok = make_columns(f);
  if (!ok) refuse_for_memory(problem);
  if (ok) {
    find_joint_rates(f);
    ok = name_velocities(f, joint, joints, problem);
  }
  if (ok) return f;
  ali3_freedoms_free(f);
  return NULL;
}

/* --- solves --- */

void freedoms_particular(const ali3_freedoms *f, double *rate, double *v, double *y)
{
  /* the rows of the factor have norm 1 */
  for (int i = 0; i < f->m->frozen->rigid_links; i++) {
    struct geometry_rows rows;
    if (!f->link[i]) continue;
    geometry_rows(&f->at, i, &rows);
    for (int k = 0; k < rows.count; k++) rate[f->first[i] + k] /= rows.norm[k];
  }
  factor_transform(&f->factor, rate);
  memset(v, 0, (size_t)f->bodies * TWIST * sizeof *v);
  factor_solve(&f->factor, rate, v);
  for (int b = 0; b < f->bodies; b++) twist_from_v(&f->at.body[b], v + TWIST * b, y + TWIST * b);
}

void freedoms_multipliers(const ali3_freedoms *f, double *load, double *lambda)
{
  /* loads dual to v: about the middle of the body, moments over its length */
  for (int b = 0; b < f->bodies; b++) {
    const struct body_geometry *p = &f->at.body[b];
    double *own = load + TWIST * b, force[3], moment[3];
    m3_tmul(force, p->f.R, own);
    v3_cross(moment, p->middle, force);
    for (int i = 0; i < 3; i++) own[3 + i] = (own[3 + i] - moment[i]) / p->length;
  }
  memset(lambda, 0, (size_t)f->used.rows * sizeof *lambda);
  factor_solve_transposed(&f->factor, load, lambda);
  for (int i = 0; i < f->m->frozen->rigid_links; i++) {
    struct geometry_rows rows;
    if (!f->link[i]) continue;
    geometry_rows(&f->at, i, &rows);
    for (int k = 0; k < rows.count; k++) lambda[f->first[i] + k] /= rows.norm[k];
  }
}

void freedoms_project(const ali3_freedoms *f, const double *y, double *room, double *o)
{
  const size_t n = (size_t)f->n;
  for (size_t k = 0; k < n; k++) {
    const int body = f->free_column[k] / GEOMETRY_V, column = f->free_column[k] % GEOMETRY_V;
    room[k] = v_of_twist(&f->at.body[body], y + TWIST * body, column);
  }
  for (size_t i = 0; i < n; i++) {
    o[i] = 0.0;
    for (size_t k = 0; k < n; k++) o[i] += f->inverse[i * n + k] * room[k];
  }
}

/* --- the public functions --- */

static FLOAT_MODE_BODY ali3_freedoms *find_in_mode(const ali3_model *m, const ali3_data *d, const int *joint,
                                                   int joints, unsigned flags, ali3_problem *problem)
{
  return freedoms_find(m, d, joint, joints, flags, NULL, problem);
}

ali3_freedoms *ali3_freedoms_new(const ali3_model *m, const ali3_data *d, const int *joint, int joints,
                                 unsigned flags, ali3_problem *problem)
{
  const uint64_t mode = float_mode_enter();
  ali3_freedoms *f = find_in_mode(m, d, joint, joints, flags, problem);
  float_mode_leave(mode);
  return f;
}

void ali3_freedoms_free(ali3_freedoms *f)
{
  if (!f) return;
  free(f->T);
  free(f->inverse);
  free(f->free_column);
  free(f->joint);
  free(f->named_joint);
  free(f->turn);
  free(f->link);
  free(f->first);
  parts_free(&f->parts);
  geometry_free(&f->at);
  factor_free(&f->factor);
  free(f);
}

int ali3_freedoms_count(const ali3_freedoms *f)
{
  return f ? f->n : 0;
}

ali3_status ali3_freedoms_jacobian(const ali3_freedoms *f, int body, const double point[3], double *J)
{
  if (!f || !point || !J || body < ALI3_GROUND || body >= f->bodies) return ALI3_E_ARGUMENT;
  const size_t n = (size_t)f->n;
  memset(J, 0, TWIST * n * sizeof *J);
  if (body == ALI3_GROUND) return ALI3_OK;
  const double *R = f->at.body[body].f.R;
  for (size_t k = 0; k < n; k++) {
    double w[3], turn[3], moved[3];
    for (int i = 0; i < 3; i++) w[i] = freedoms_row(f, body, 3 + i)[k];
    v3_cross(turn, w, point);
    m3_mul(moved, R, turn);
    m3_mul(turn, R, w);
    for (int i = 0; i < 3; i++) {
      J[(size_t)i * n + k] = freedoms_row(f, body, i)[k] + moved[i];
      J[(size_t)(3 + i) * n + k] = turn[i];
    }
  }
  return ALI3_OK;
}

ali3_status ali3_freedoms_twist(const ali3_freedoms *f, int body, double *T)
{
  const double centre[3] = {0};
  return ali3_freedoms_jacobian(f, body, centre, T);
}

ali3_status ali3_freedoms_joint(const ali3_freedoms *f, int joint, double *row)
{
  if (!f || !row || joint < 0 || joint >= f->m->joints) return ALI3_E_ARGUMENT;
  if (f->m->frozen->link[joint].coordinate[0].kind == COORDINATE_NONE) return ALI3_E_ARGUMENT;
  memcpy(row, f->joint + (size_t)joint * (size_t)f->n, (size_t)f->n * sizeof *row);
  return ALI3_OK;
}

ali3_status ali3_freedoms_mass(const ali3_freedoms *f, double *M)
{
  if (!f || !M) return ALI3_E_ARGUMENT;
  const size_t n = (size_t)f->n;
  double *weighted = malloc((n + 1) * sizeof *weighted);
  if (!weighted) return ALI3_E_MEMORY;
  memset(M, 0, n * n * sizeof *M);
  for (int b = 0; b < f->bodies; b++) {
    const ali3_body_spec *spec = &f->m->body[b].spec;
    for (int i = 0; i < TWIST; i++) {
      /* row i of M_body T */
      const double *T = freedoms_row(f, b, i);
      for (size_t k = 0; k < n; k++) weighted[k] = i < 3 ? spec->mass * T[k] : 0.0;
      for (int c = 0; i >= 3 && c < 3; c++)
        for (size_t k = 0; k < n; k++)
          weighted[k] += spec->inertia[3 * (i - 3) + c] * freedoms_row(f, b, 3 + c)[k];
      /* M += row' (M_body T) */
      for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < n && T[r] != 0.0; k++) M[r * n + k] += T[r] * weighted[k];
    }
  }
  free(weighted);
  return ALI3_OK;
}
