/* SPDX-License-Identifier: MIT
 * Set-up. See system.h. */
#include "linear/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Row i of body b in an array (bodies, 6, n). */
static const double *row_of(const double *motion, size_t n, int body, int i)
{
  return motion + ((size_t)body * TWIST + (size_t)i) * n;
}

/* o += a b', o (n, n) */
static void add_dyad(size_t n, const double *a, const double *b, double *o)
{
  for (size_t r = 0; r < n; r++) {
    const double factor = a[r];
    double *to = o + r * n;
    if (factor == 0.0) continue;
    for (size_t c = 0; c < n; c++) to[c] += factor * b[c];
  }
}

/* sum (n) := row r of a matrix over `sides` bodies times a motion (bodies, 6, n). False: the row is 0. */
static bool multiply_row(const double *H, const int *body, int sides, size_t n, const double *motion,
                         double *sum)
{
  bool some = false;
  memset(sum, 0, n * sizeof *sum);
  for (int c = 0; c < TWIST * sides; c++) {
    if (H[c] == 0.0 || body[c / TWIST] == ALI3_GROUND) continue;
    const double *from = row_of(motion, n, body[c / TWIST], c % TWIST);
    for (size_t k = 0; k < n; k++) sum[k] += H[c] * from[k];
    some = true;
  }
  return some;
}

/* o += T'H motion for a square matrix H over `sides` bodies, whose rows are `width` numbers long. */
static void add_product(const struct system *s, const double *H, int width, const int *body, int sides,
                        const double *motion, double *sum, double *o)
{
  for (int r = 0; r < TWIST * sides; r++)
    if (body[r / TWIST] != ALI3_GROUND && multiply_row(H + r * width, body, sides, s->n, motion, sum))
      add_dyad(s->n, freedoms_row(s->p->f, body[r / TWIST], r % TWIST), sum, o);
}

static void mass_matrix(const ali3_model *m, int body, double M[TWIST * TWIST])
{
  const ali3_body_spec *spec = &m->body[body].spec;
  memset(M, 0, TWIST * TWIST * sizeof *M);
  for (int i = 0; i < 3; i++) {
    M[(TWIST + 1) * i] = spec->mass;
    for (int c = 0; c < 3; c++) M[TWIST * (3 + i) + 3 + c] = spec->inertia[3 * i + c];
  }
}

/* o += T' (derivative by q or by v) motion, over links and bodies. */
static void add_slopes(const struct system *s, bool by_velocity, const double *motion, double *sum, double *o)
{
  const ali3_model *m = s->p->m;
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (by_velocity && !s->link[i].damped) continue;
    add_product(s, by_velocity ? s->link[i].C[0] : s->link[i].K[0], LINK_TWISTS, j->body, j->sides, motion,
                sum, o);
  }
  for (int b = 0; b < m->bodies; b++)
    add_product(s, by_velocity ? s->body[b].C[0] : s->body[b].K[0], TWIST, &b, 1, motion, sum, o);
}

static void add_inertia(const struct system *s, const double *motion, double *sum, double *o)
{
  double M[TWIST * TWIST];
  for (int b = 0; b < s->p->m->bodies; b++) {
    mass_matrix(s->p->m, b, M);
    add_product(s, M, TWIST, &b, 1, motion, sum, o);
  }
}

/* rows (used.rows, n) -= the derivatives of the rigid rows, one of struct link_slopes, times a motion. which: 0 rate, 1
 * change_q, 2 change_v. */
static void subtract_rows(const struct system *s, int which, const double *motion, double *sum, double *rows)
{
  const struct point *p = s->p;
  for (int i = 0; i < p->m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &p->m->frozen->link[i];
    const struct link_slopes *l = &s->link[i];
    for (int k = 0; p->f->link[i] && k < j->count; k++) {
      const double *H = which == 0 ? l->rate[k] : which == 1 ? l->change_q[k] : l->change_v[k];
      if (!multiply_row(H, j->body, j->sides, s->n, motion, sum)) continue;
      double *to = rows + (size_t)(p->f->first[i] + k) * s->n;
      for (size_t c = 0; c < s->n; c++) to[c] -= sum[c];
    }
  }
}

/* motion (bodies, 6, n) with J motion = rows, column by column. False: out of memory. */
static bool solve_rows(const struct system *s, const double *rows, double *motion)
{
  const size_t count = (size_t)s->p->f->used.rows, numbers = (size_t)s->p->m->bodies * TWIST;
  double *rate = malloc((count + 2 * numbers + 1) * sizeof *rate);
  if (!rate) return false;
  double *v = rate + count, *y = v + numbers;
  for (size_t k = 0; k < s->n; k++) {
    for (size_t r = 0; r < count; r++) rate[r] = rows[r * s->n + k];
    freedoms_particular(s->p->f, rate, v, y);
    for (size_t i = 0; i < numbers; i++) motion[i * s->n + k] = y[i];
  }
  free(rate);
  return true;
}

/* A motion (bodies, 6, n) solves the rigid rows, and its part along the columns of named joints is free: sets it, so that the
 * rate of each of these coordinates (or its second derivative) does not change. which: as above, for the motion `by`, and once
 * more for `by2` with change_v; by2 may be NULL. */
static void hold_coordinates(const struct system *s, int which, const double *by, const double *by2,
                             double *sum, double *motion)
{
  const struct point *p = s->p;
  for (int i = 0; i < p->f->named; i++) {
    const int joint = p->f->named_joint[i], *body = p->m->frozen->link[joint].body;
    const size_t numbers = (size_t)p->m->bodies * TWIST;
    struct link_slopes l;
    struct link_state row;
    double gradient[2 * TWIST];
    /* change: of the rate, or of its derivative, by the motions and along the gradient of the coordinate */
    point_coordinate_slopes(p, joint, &l, &row);
    for (int c = 0; c < 2 * TWIST; c++) gradient[c] = row.J[BODY_Y * (c / TWIST) + c % TWIST];
    double *change = sum + s->n;
    memset(change, 0, s->n * sizeof *change);
    const double *H[3] = {which == 0   ? l.rate[0]
                          : which == 1 ? l.change_q[0]
                                       : l.change_v[0],
                          l.change_v[0], gradient};
    const double *of[3] = {by, by2, motion};
    for (int part = 0; part < 3; part++) {
      if (!of[part]) continue;
      multiply_row(H[part], body, 2, s->n, of[part], sum);
      for (size_t k = 0; k < s->n; k++) change[k] += sum[k];
    }
    for (size_t r = 0; r < numbers; r++)
      for (size_t k = 0; k < s->n; k++) motion[r * s->n + k] -= p->f->T[r * s->n + (size_t)i] * change[k];
  }
}

/* xi' = u - P (w x) T xi; the coordinate of a named joint has its rate. */
static bool find_drift(struct system *s)
{
  const size_t numbers = (size_t)s->p->m->bodies * TWIST, n = s->n;
  double *y = calloc(numbers + 2 * n + 1, sizeof *y);
  if (!y) return false;
  for (size_t k = 0; k < n; k++) {
    for (int b = 0; b < s->p->m->bodies; b++) {
      double own[BODY_Y], turn[3];
      body_velocity(&s->p->x[b], own);
      for (int i = 0; i < 3; i++) turn[i] = freedoms_row(s->p->f, b, 3 + i)[k];
      v3_cross(y + TWIST * b + 3, own + 3, turn);
    }
    freedoms_project(s->p->f, y, y + numbers, y + numbers + n);
    for (size_t i = (size_t)s->p->f->named; i < n; i++) s->drift[i * n + k] = y[numbers + n + i];
  }
  free(y);
  return true;
}

/* How velocities and accelerations follow the position of a mechanism that moves, and their part in K and C. */
static bool add_motion(struct system *s, double *sum)
{
  const size_t n = s->n, numbers = (size_t)s->p->m->bodies * TWIST, rows = (size_t)s->p->f->used.rows;
  s->drift = calloc(n * n + 1, sizeof *s->drift);
  s->N = calloc(numbers * n + 1, sizeof *s->N);
  s->N_q = calloc(numbers * n + 1, sizeof *s->N_q);
  s->N_v = calloc(numbers * n + 1, sizeof *s->N_v);
  double *rhs = calloc(rows * n + 1, sizeof *rhs);
  bool ok = s->drift && s->N && s->N_q && s->N_v && rhs;
  /* J N = -(d J y/dq) T, then the same for accelerations */
  if (ok) subtract_rows(s, 0, s->p->f->T, sum, rhs);
  ok = ok && solve_rows(s, rhs, s->N);
  if (ok) {
    hold_coordinates(s, 0, s->p->f->T, NULL, sum, s->N);
    memset(rhs, 0, rows * n * sizeof *rhs);
    subtract_rows(s, 1, s->p->f->T, sum, rhs);
    subtract_rows(s, 2, s->N, sum, rhs);
  }
  ok = ok && solve_rows(s, rhs, s->N_q);
  if (ok) {
    hold_coordinates(s, 1, s->p->f->T, s->N, sum, s->N_q);
    memset(rhs, 0, rows * n * sizeof *rhs);
    subtract_rows(s, 2, s->p->f->T, sum, rhs);
  }
  ok = ok && solve_rows(s, rhs, s->N_v) && find_drift(s);
  if (ok) hold_coordinates(s, 2, s->p->f->T, NULL, sum, s->N_v);
  free(rhs);
  if (!ok) return false;
  add_slopes(s, true, s->N, sum, s->K);
  add_inertia(s, s->N_q, sum, s->K);
  add_inertia(s, s->N_v, sum, s->C);
  return true;
}

bool system_new(struct system *s, const struct point *p)
{
  const size_t n = (size_t)p->f->n;
  *s = (struct system){.p = p, .n = n};
  s->M = calloc(n * n + 1, sizeof *s->M);
  s->K = calloc(n * n + 1, sizeof *s->K);
  s->C = calloc(n * n + 1, sizeof *s->C);
  s->link = malloc(((size_t)p->m->frozen->links + 1) * sizeof *s->link);
  s->body = malloc(((size_t)p->m->bodies + 1) * sizeof *s->body);
  double *sum = malloc((2 * n + 1) * sizeof *sum), error = 0.0;
  bool ok = s->M && s->K && s->C && s->link && s->body && sum;
  /* Derivatives of links and bodies, and their sums. */
  for (int i = 0; ok && i < p->m->frozen->links; i++) {
    point_link_slopes(p, i, &s->link[i]);
    error = fmax(error, s->link[i].error);
  }
  for (int b = 0; ok && b < p->m->bodies; b++) point_body_slopes(p, b, &s->body[b]);
  if (ok) {
    add_inertia(s, p->f->T, sum, s->M);
    add_slopes(s, false, p->f->T, sum, s->K);
    add_slopes(s, true, p->f->T, sum, s->C);
    double largest = 1e-300;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(s->K[i]));
    s->error = 1e-13 + error / largest;
    ok = !p->moves || add_motion(s, sum);
  }
  free(sum);
  if (!ok) system_free(s);
  return ok;
}

void system_free(struct system *s)
{
  free(s->M);
  free(s->K);
  free(s->C);
  free(s->drift);
  free(s->N);
  free(s->N_q);
  free(s->N_v);
  free(s->link);
  free(s->body);
  *s = (struct system){0};
}

/* o += H motion of the bodies that a matrix joins; a motion is (bodies, 6). */
static void apply_matrix(const double *H, int width, const int *body, int sides, const double *motion,
                         double *o)
{
  for (int r = 0; r < TWIST * sides; r++)
    for (int c = 0; body[r / TWIST] != ALI3_GROUND && c < TWIST * sides; c++)
      if (body[c / TWIST] != ALI3_GROUND)
        o[TWIST * body[r / TWIST] + r % TWIST] +=
            H[r * width + c] * motion[TWIST * body[c / TWIST] + c % TWIST];
}

void system_apply(const struct system *s, const double *q, const double *v, const double *a, double *o)
{
  const ali3_model *m = s->p->m;
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    apply_matrix(s->link[i].K[0], LINK_TWISTS, j->body, j->sides, q, o);
    if (s->link[i].damped) apply_matrix(s->link[i].C[0], LINK_TWISTS, j->body, j->sides, v, o);
  }
  for (int b = 0; b < m->bodies; b++) {
    double M[TWIST * TWIST];
    mass_matrix(m, b, M);
    apply_matrix(s->body[b].K[0], TWIST, &b, 1, q, o);
    apply_matrix(s->body[b].C[0], TWIST, &b, 1, v, o);
    apply_matrix(M, TWIST, &b, 1, a, o);
  }
}
