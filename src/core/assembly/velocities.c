/* SPDX-License-Identifier: MIT
 * Set-up: velocities onto the constraints. Each pass of the stepper's projection leaves a part of the rates of the rows: much
 * where masses are very uneven, and in long lattices for thousands of passes. The passes are an affine map; so the combination of
 * the last ones that changes least in a pass takes the slow parts out (reduced rank extrapolation: Mesina, Comput. Methods Appl.
 * Mech. Eng. 10, 1977). */
#include "assembly/assembly.h"
#include "kernels/elements.h"
#include "stepper/project.h"
#include "stepper/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ON_CONSTRAINT = 1e-12; /* velocities with smaller residuals stay */
enum {
  PASSES = 100,
  MOST_PASSES = 5000,
  FIRST = PASSES / 2, /* first pass that is saved; few mechanisms need as many */
  SAVED = 20,
};

/* Velocities after each of SAVED passes, and before the first. The numbers of a body: v, and the rate of its Euler parameters
 * times the length of the mechanism. */
struct history {
  size_t numbers;
  double *v[SAVED + 1], *change[SAVED]; /* change[SAVED - 1] is room for the answer */
};

static bool history_new(const ali3_model *m, struct history *o)
{
  o->numbers = 7 * (size_t)m->bodies;
  double *all = calloc((2 * SAVED + 1) * o->numbers + 1, sizeof *all);
  for (int i = 0; i <= SAVED; i++) o->v[i] = all ? all + (size_t)i * o->numbers : NULL;
  for (int i = 0; i < SAVED; i++) o->change[i] = all ? all + (size_t)(SAVED + 1 + i) * o->numbers : NULL;
  return all;
}

static void velocities_get(const ali3_model *m, ali3_data *d, double *v)
{
  for (int b = 0; b < m->bodies; b++, v += 7) {
    const struct body_state x = stored_state(m, d->now.x, b);
    memcpy(v, x.rd, sizeof x.rd);
    for (int i = 0; i < 4; i++) v[3 + i] = m->frozen->length * x.pd[i];
  }
}

static void velocities_set(const ali3_model *m, ali3_data *d, const double *v)
{
  for (int b = 0; b < m->bodies; b++, v += 7) {
    struct body_state x = stored_state(m, d->now.x, b);
    memcpy(x.rd, v, sizeof x.rd);
    for (int i = 0; i < 4; i++) x.pd[i] = v[3 + i] / m->frozen->length;
    stored_set_state(m, d->now.x, b, &x);
  }
}

static double vector_dot(const double *a, const double *b, size_t n)
{
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void vector_axpy(double *o, double k, const double *a, size_t n)
{
  for (size_t i = 0; i < n; i++) o[i] += k * a[i];
}

/* o = v[i + 1] - v[i] */
static void step_between(const struct history *h, int i, double *o)
{
  for (size_t k = 0; k < h->numbers; k++) o[k] = h->v[i + 1][k] - h->v[i][k];
}

/* v[0] + sum x[i] (v[i + 1] - v[i]), with the x for which a further pass would change it least. Is in change[SAVED - 1]. */
static double *least_change(struct history *h)
{
  static const double DEPENDENT = 1e-10; /* least part of a column that the others do not have */
  double R[SAVED - 1][SAVED - 1], x[SAVED - 1];
  const size_t n = h->numbers;
  double *o = h->change[SAVED - 1];
  int columns = 0;
  /* The columns are the changes of the changes, made orthogonal one by one. */
  for (; columns < SAVED - 1; columns++) {
    double *q = h->change[columns];
    step_between(h, columns, q);
    for (size_t k = 0; k < n; k++) q[k] = h->v[columns + 2][k] - h->v[columns + 1][k] - q[k];
    const double whole = sqrt(vector_dot(q, q, n));
    for (int j = 0; j < columns; j++) {
      R[j][columns] = vector_dot(h->change[j], q, n);
      vector_axpy(q, -R[j][columns], h->change[j], n);
    }
    const double left = sqrt(vector_dot(q, q, n));
    if (!(left > DEPENDENT * whole)) break;
    R[columns][columns] = left;
    for (size_t k = 0; k < n; k++) q[k] /= left;
  }
  /* The first change is what they are to take away. */
  step_between(h, 0, o);
  for (int j = 0; j < columns; j++) {
    x[j] = -vector_dot(h->change[j], o, n);
    vector_axpy(o, x[j], h->change[j], n);
  }
  for (int j = columns - 1; j >= 0; j--) {
    for (int k = j + 1; k < columns; k++) x[j] -= R[j][k] * x[k];
    x[j] /= R[j][j];
  }
  /* The columns have done their work: one of them holds the changes now. */
  memcpy(o, h->v[0], n * sizeof *o);
  for (int j = 0; j < columns; j++) {
    step_between(h, j, h->change[0]);
    vector_axpy(o, x[j], h->change[0], n);
  }
  return o;
}

/* Sets the combination. It may open rows by parts that the next passes take away; one that opens them far has met rounding. */
static void history_extrapolate(const ali3_model *m, ali3_data *d, struct history *h, double left)
{
  velocities_set(m, d, least_change(h));
  if (!(rates_open(m, d) < 100.0 * left)) velocities_set(m, d, h->v[SAVED]);
}

/* Ends where the rates decrease no longer: they contradict each other, or are rounding. Without memory it combines nothing. */
static void pass_by_pass(const ali3_model *m, ali3_data *d)
{
  struct history history = {0};
  bool has_room = false;
  double left, midway = INFINITY;
  for (int pass = 0; pass < MOST_PASSES && (left = rates_open(m, d)) > ON_CONSTRAINT; pass++) {
    if (pass > 0 && pass % PASSES == 0 && !(left < 0.95 * midway)) break;
    if (pass % PASSES == PASSES / 2) midway = left;
    if (pass == FIRST) has_room = history_new(m, &history);
    const int saved = has_room ? (pass - FIRST) % (SAVED + 1) : -1;
    if (saved >= 0) velocities_get(m, d, history.v[saved]);
    if (saved == SAVED) history_extrapolate(m, d, &history, left);
    project_velocity(m, d);
  }
  free(history.v[0]);
}

bool velocities_meet_constraints(const ali3_model *m, ali3_data *d)
{
  const bool carried = m->frozen->tree->carried;
  if (carried) {
    if (!carried_velocities(m, d)) return false;
    penalty_open(m, d);
    if (!stage_condense(m, d)) return false;
  }
  pass_by_pass(m, d);
  return !carried || carried_velocities(m, d);
}
