/* SPDX-License-Identifier: MIT
 * Set-up. Modes of the undamped motion, K x = omega^2 M x, and poles of a linearisation.
 *
 * With M = L L' the problem is that of the symmetric matrix L^-1 K L^-T. Motions that move no mass follow the others without
 * inertia: with Z such motions, K is replaced by K - K Z (Z'K Z)^-1 Z'K on the rest. */
#include "base/float_mode.h"
#include "linear/system.h"
#include "math/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double VALUE_WITHOUT_MASS = 1e-10; /* an eigenvalue of the scaled M below it is 0 */
static const double WITHOUT_FORCE = 1e-9;       /* stiffness relative to the largest one that counts as 0 */

struct ali3_modes {
  int count, bodies;
  ali3_mode *mode; /* (count) */
  double *shape;   /* (count, bodies, 6) world axes */
};

/* The room of a search, (n, n) each but the last ones. */
struct modes_work {
  ali3_freedoms *f;
  struct point p;
  struct system s;
  double *V; /* rows: motions of modal mass 1, first those without mass */
  double *A, *X;
  double *size, *lambda, *room, *column; /* (n) */
};

static bool allocate_modes(struct modes_work *w)
{
  const size_t n = (size_t)w->f->n + 1;
  w->V = calloc(n * n, sizeof *w->V);
  w->A = calloc(n * n, sizeof *w->A);
  w->X = calloc(n * n, sizeof *w->X);
  w->size = calloc(n, sizeof *w->size);
  w->lambda = calloc(n, sizeof *w->lambda);
  w->room = calloc(n, sizeof *w->room);
  w->column = calloc(n, sizeof *w->column);
  return w->V && w->A && w->X && w->size && w->lambda && w->room && w->column;
}

static void free_modes_work(struct modes_work *w)
{
  system_free(&w->s);
  point_free(&w->p);
  ali3_freedoms_free(w->f);
  free(w->V);
  free(w->A);
  free(w->X);
  free(w->size);
  free(w->lambda);
  free(w->room);
  free(w->column);
}

static double symmetric_element(const double *K, int n, int r, int c)
{
  return 0.5 * (K[r * n + c] + K[c * n + r]);
}

/* V: row i is a motion of modal mass 1, orthogonal to the others in M; the first ones move no mass and have length 1 in the
 * scaled coordinates. Returns the number of those, -1: no convergence. */
static int weigh_motions(struct modes_work *w)
{
  const int n = w->f->n;
  /* scale freedoms to a unit diagonal, so that their units have no effect */
  double largest = 0.0;
  for (int i = 0; i < n; i++) largest = fmax(largest, w->s.M[i * (n + 1)]);
  for (int i = 0; i < n; i++) {
    const double mass = w->s.M[i * (n + 1)];
    w->size[i] = 1.0 / sqrt(mass > 1e-14 * largest ? mass : largest > 0.0 ? largest : 1.0);
  }
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) w->A[r * n + c] = w->size[r] * w->s.M[r * n + c] * w->size[c];
  if (!spectrum_symmetric(w->A, n, w->X, w->lambda, w->room)) return -1;
  int massless = 0;
  for (int i = 0; i < n; i++) {
    const bool none = w->lambda[i] < VALUE_WITHOUT_MASS;
    massless += none;
    for (int k = 0; k < n; k++)
      w->V[i * n + k] = w->X[i * n + k] * w->size[k] / (none ? 1.0 : sqrt(w->lambda[i]));
  }
  return massless;
}

/* a K b for two motions. */
static double product_in(const double *K, int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int r = 0; r < n; r++) {
    double row = 0.0;
    for (int c = 0; c < n; c++) row += 0.5 * (K[r * n + c] + K[c * n + r]) * b[c];
    sum += a[r] * row;
  }
  return sum;
}

/* Adds motions without mass to all others, so that no force acts on them. One after the other: each takes part as its stiffness
 * says. */
static void relax_massless(struct modes_work *w, int massless)
{
  const int n = w->f->n;
  for (int z = 0; z < massless; z++) {
    double *own = w->V + z * n;
    const double k = product_in(w->s.K, n, own, own);
    if (!(k > 0.0)) continue;
    for (int i = z + 1; i < n; i++) {
      double *other = w->V + i * n;
      const double part = product_in(w->s.K, n, own, other) / k;
      for (int c = 0; c < n; c++) other[c] -= part * own[c];
    }
  }
}

/* o (n, n) := V_m K V_m' for the motions with mass, of which there are `count`, from row `first` of V. */
static void reduce_stiffness(const struct modes_work *w, int first, int count, double *half, double *o)
{
  const int n = w->f->n;
  for (int i = 0; i < count; i++) {
    const double *v = w->V + (first + i) * n;
    double *to = half + i * n;
    for (int c = 0; c < n; c++) to[c] = 0.0;
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) to[c] += v[r] * symmetric_element(w->s.K, n, r, c);
  }
  for (int i = 0; i < count; i++)
    for (int k = 0; k <= i; k++) {
      const double *a = half + i * n, *b = w->V + (first + k) * n;
      double sum = 0.0;
      for (int c = 0; c < n; c++) sum += a[c] * b[c];
      o[i * count + k] = o[k * count + i] = sum;
    }
}

/* Motion of all bodies in a mode, world axes, and the body that moves most. */
static int shape_of(const struct modes_work *w, const double *x, double *shape)
{
  const ali3_model *m = w->p.m;
  const int n = w->f->n;
  double most = -1.0;
  int body = 0;
  /* y = T x of each body, then its size */
  for (int b = 0; b < m->bodies; b++) {
    double y[TWIST], *to = shape + TWIST * b, size = 0.0;
    for (int i = 0; i < TWIST; i++) {
      const double *row = freedoms_row(w->f, b, i);
      y[i] = 0.0;
      for (int k = 0; k < n; k++) y[i] += row[k] * x[k];
    }
    v3_copy(to, y);
    m3_mul(to + 3, w->p.frame[b].R, y + 3);
    for (int i = 0; i < TWIST; i++)
      size += to[i] * to[i] * (i < 3 ? 1.0 : m->frozen->length * m->frozen->length);
    if (!(size > most)) continue;
    most = size;
    body = b;
  }
  return body;
}

static bool fill_modes(struct modes_work *w, int massless, ali3_modes *o)
{
  const int n = w->f->n, count = n - massless;
  relax_massless(w, massless);
  /* X: half of the product, A: the reduced stiffness */
  reduce_stiffness(w, massless, count, w->X, w->A);
  if (!spectrum_symmetric(w->A, count, w->X, w->lambda, w->room)) return false;
  double largest = 0.0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(w->lambda[i]));
  for (int i = 0; i < count; i++) {
    ali3_mode *mode = &o->mode[i];
    for (int c = 0; c < n; c++) w->column[c] = 0.0;
    for (int k = 0; k < count; k++)
      for (int c = 0; c < n; c++) w->column[c] += w->X[i * count + k] * w->V[(massless + k) * n + c];
    mode->stiffness = fabs(w->lambda[i]) > WITHOUT_FORCE * largest ? w->lambda[i] : 0.0;
    const double omega = sqrt(fmax(0.0, mode->stiffness));
    mode->frequency = omega / (2.0 * 3.14159265358979323846);
    mode->damping = omega > 0.0 ? product_in(w->s.C, n, w->column, w->column) / (2.0 * omega) : 0.0;
    mode->body = shape_of(w, w->column, o->shape + (size_t)i * (size_t)o->bodies * TWIST);
  }
  o->count = count;
  return true;
}

static FLOAT_MODE_BODY ali3_modes *find_modes(const ali3_model *m, const ali3_data *d, unsigned flags,
                                              ali3_problem *problem)
{
  struct modes_work w = {.f = freedoms_find(m, d, NULL, 0, flags, NULL, problem)};
  if (!w.f) return NULL;
  const size_t n = (size_t)w.f->n;
  /* Equations along the freedoms, and room. */
  ali3_modes *o = calloc(1, sizeof *o);
  bool ok = o && point_new(&w.p, m, d, w.f, POINT_BALANCED) && system_new(&w.s, &w.p) && allocate_modes(&w);
  if (ok) {
    o->bodies = m->bodies;
    o->mode = calloc(n + 1, sizeof *o->mode);
    o->shape = calloc(n * (size_t)m->bodies * TWIST + 1, sizeof *o->shape);
    ok = o->mode && o->shape;
  }
  if (!ok) linear_refuse(problem, ALI3_E_MEMORY, "model", "out of memory");
  if (ok) {
    const int massless = weigh_motions(&w);
    ok = massless >= 0 && fill_modes(&w, massless, o);
    if (!ok) linear_refuse(problem, ALI3_E_DIVERGED, "model", "the search for modes did not converge");
  }
  free_modes_work(&w);
  if (ok) return o;
  ali3_modes_free(o);
  return NULL;
}

ali3_modes *ali3_modes_new(const ali3_model *m, const ali3_data *d, unsigned flags, ali3_problem *problem)
{
  const uint64_t mode = float_mode_enter();
  ali3_modes *o = find_modes(m, d, flags, problem);
  float_mode_leave(mode);
  return o;
}

void ali3_modes_free(ali3_modes *s)
{
  if (!s) return;
  free(s->mode);
  free(s->shape);
  free(s);
}

int ali3_modes_count(const ali3_modes *s)
{
  return s ? s->count : 0;
}

ali3_status ali3_modes_get(const ali3_modes *s, int i, ali3_mode *out)
{
  if (!s || !out || i < 0 || i >= s->count) return ALI3_E_ARGUMENT;
  *out = s->mode[i];
  return ALI3_OK;
}

ali3_status ali3_modes_shape(const ali3_modes *s, int i, int body, double twist[6])
{
  if (!s || !twist || i < 0 || i >= s->count || body < 0 || body >= s->bodies) return ALI3_E_ARGUMENT;
  memcpy(twist, s->shape + ((size_t)i * (size_t)s->bodies + (size_t)body) * TWIST, TWIST * sizeof *twist);
  return ALI3_OK;
}

/* --- poles --- */

static int rising_magnitude(const void *a, const void *b)
{
  const double *x = a, *y = b, p = x[0] * x[0] + x[1] * x[1], q = y[0] * y[0] + y[1] * y[1];
  if (p != q) return p < q ? -1 : 1;
  return x[1] > y[1] ? -1 : x[1] < y[1];
}

static FLOAT_MODE_BODY ali3_status find_poles(const ali3_linear *l, double (*pole)[2])
{
  const size_t numbers = (size_t)l->states * (size_t)l->states;
  double *A = malloc((numbers + 1) * sizeof *A);
  if (!A) return ALI3_E_MEMORY;
  memcpy(A, l->A, numbers * sizeof *A);
  const bool found = spectrum_general(A, l->states, pole);
  free(A);
  if (!found) return ALI3_E_DIVERGED;
  qsort(pole, (size_t)l->states, sizeof *pole, rising_magnitude);
  return ALI3_OK;
}

ali3_status ali3_linear_poles(const ali3_linear *l, double *pole)
{
  if (!l || !l->A || !pole) return ALI3_E_ARGUMENT;
  const uint64_t mode = float_mode_enter();
  const ali3_status status = find_poles(l, (double(*)[2])pole);
  float_mode_leave(mode);
  return status;
}
