/* SPDX-License-Identifier: MIT
 * Loop code: the loads that inner joints transmit, after an evaluation, and the multipliers of their rows. At a state in joint
 * coordinates the directions of these rows are at right angles to each other, so that each multiplier is one product. */
#include "articulated/limbs.h"

#include <math.h>
#include <string.h>

/* Adds a load on a limb. */
static void add_limb_wrench(struct limb_at *o, const double n[3], const double f[3], double k)
{
  v3_axpy(o->n, k, n);
  v3_axpy(o->f, k, f);
}

/* n, f = M a - Q of the body alone. */
static void own_wrench(const struct limb *b, struct limb_at *o)
{
  double al[3], ac[3], w[3], own[3], Jw[3], Jal[3], part[3], lever[3];
  for (int i = 0; i < 3; i++) {
    al[i] = o->al[i] + o->dal[i];
    ac[i] = o->ac[i] + o->dac[i];
  }
  v3_cross(part, o->w, o->first);
  v3_cross(lever, o->w, part);
  v3_cross(part, al, o->first);
  for (int i = 0; i < 3; i++) o->f[i] = b->mass * ac[i] + (part[i] + lever[i]) - o->load[1][i];
  /* moments in body axes */
  m3_tmul(w, o->R, o->w);
  m3_tmul(own, o->R, al);
  const double *A = b->inertia, J[9] = {A[0], A[1], A[2], A[1], A[3], A[4], A[2], A[4], A[5]};
  m3_mul(Jw, J, w);
  m3_mul(Jal, J, own);
  v3_cross(part, w, Jw);
  for (int i = 0; i < 3; i++) Jal[i] += part[i];
  m3_mul(own, o->R, Jal);
  v3_cross(part, o->first, ac);
  for (int i = 0; i < 3; i++) o->n[i] = own[i] + part[i] - o->load[0][i];
}

static void transmit_wrenches(const struct limbs *l, struct limbs_work *w, const double *lambda, bool inertia)
{
  for (int i = 1; i < l->count; i++) {
    if (inertia)
      own_wrench(&l->limb[i], &w->at[i]);
    else
      for (int k = 0; k < 3; k++) w->at[i].n[k] = w->at[i].f[k] = 0.0;
  }
  for (int k = 0; k < l->rows; k++)
    for (int side = 0; side < w->row[k].sides; side++)
      add_limb_wrench(&w->at[w->row[k].limb[side]], w->row[k].n[side], w->row[k].f[side], lambda[k]);
  for (int i = l->count - 1; i > 0; i--) {
    const struct limb_at *o = &w->at[i];
    double moment[3];
    v3_cross(moment, o->r, o->f);
    for (int k = 0; k < 3; k++) moment[k] += o->n[k];
    if (l->limb[i].parent > 0) add_limb_wrench(&w->at[l->limb[i].parent], moment, o->f, 1.0);
  }
}

/* The wrench on a limb is -J'lambda, with J of its side. */
static void limb_multipliers(const struct limbs *l, const struct limbs_work *w, int limb, double *lambda)
{
  const struct limb *b = &l->limb[limb];
  const struct limb_at *own = &w->at[limb], *parent = &w->at[b->parent];
  const bool is_b = b->sign > 0.0;
  const struct limb_at *side_a = is_b ? parent : own, *side_b = is_b ? own : parent;
  const struct joint_rows *j = &l->link[b->joint];
  double n[3], point[3], d[3], U[3], V[3], N[3];
  v3_copy(n, own->n);
  /* from P_a, the point of the limb, to P_b */
  for (int i = 0; i < 3; i++) point[i] = j->point[1][i] + l->limb[b->parent].centre[i];
  m3_mul(d, parent->R, point);
  for (int i = 0; i < 3; i++) d[i] += parent->o[i] - own->o[i];
  for (int k = 0, row = 0; k < j->primitives; k++) {
    const struct primitive *p = &j->primitive[k];
    switch (p->kind) {
    case ROW_COINCIDE:
      for (int i = 0; i < 3; i++) lambda[row++] = -b->sign * own->f[i];
      break;
    case ROW_IN_PLANE:
      m3_mul(U, side_a->R, p->u);
      lambda[row] = -b->sign * v3_dot(U, own->f);
      v3_cross(N, U, d);
      if (!is_b) v3_axpy(n, lambda[row], N);
      row++;
      break;
    default: /* ROW_DOT */
      m3_mul(U, side_a->R, p->u);
      m3_mul(V, side_b->R, p->v);
      v3_cross(N, V, U);
      lambda[row++] = -b->sign * v3_dot(N, n) / v3_dot(N, N);
      break;
    }
  }
}

/* J_n'lambda of each limb: twice the sum of the products of force and way from the centre of mass, over its joints. */
static void find_stretches(const struct limbs *l, const struct limbs_work *w, const double *lambda, double *o)
{
  for (int i = 0; i < l->count; i++) o[i] = 0.0;
  for (int i = 1; i < l->count; i++) { /* inner joints push limb and parent by f and -f */
    const struct limb *b = &l->limb[i];
    const struct limb_at *own = &w->at[i], *parent = &w->at[b->parent];
    double centre[3], way[3];
    if (b->joint < 0) continue;
    m3_mul(centre, own->R, b->centre);
    o[i] += 2.0 * v3_dot(own->f, centre);
    m3_mul(centre, parent->R, l->limb[b->parent].centre);
    for (int k = 0; k < 3; k++) way[k] = own->r[k] - centre[k];
    o[b->parent] += 2.0 * v3_dot(own->f, way);
  }
  for (int k = 0; k < l->rows; k++)
    for (int side = 0; side < w->row[k].sides; side++)
      o[w->row[k].limb[side]] += 2.0 * lambda[k] * v3_dot(w->row[k].f[side], w->row[k].way[side]);
  o[0] = 0.0;
}

void limbs_multipliers(const struct limbs *l, struct limbs_work *w, const double *lambda, bool inertia,
                       double *o)
{
  transmit_wrenches(l, w, lambda, inertia);
  for (int i = 1; i < l->count; i++)
    if (l->limb[i].joint >= 0) limb_multipliers(l, w, i, o + l->limb[i].row);
  for (int k = 0; k < l->rows; k++) o[l->inner_rows + k] = lambda[k];
  find_stretches(l, w, lambda, o + l->inner_rows + l->rows);
}

/* To length 1 in the norm; 0 stays. */
static void scale_to_norm(double *v, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += v[i] * v[i];
  const double k = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
  for (int i = 0; i < n; i++) v[i] *= k;
}

static void remove_part(const double *unit, int n, double *v)
{
  double along = 0.0;
  for (int i = 0; i < n; i++) along += unit[i] * v[i];
  for (int i = 0; i < n; i++) v[i] -= along * unit[i];
}

/* a'c b of two multipliers of the closures */
static double closure_product(const struct limbs *l, const struct limbs_work *w, const double *a,
                              const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < l->rows; i++) sum += a[i] * w->c[i] * b[i];
  return sum;
}

static void add_closures(const struct limbs *l, double *to, double factor, const double *from)
{
  for (int i = 0; i < l->rows; i++) to[i] += factor * from[i];
}

/* Multipliers n of the closures that load no limb, n'c n = 1, apart from those that are found. (S + c)^-1 c is symmetric in this
 * product: it keeps n with S n = 0, and divides all others by 1 + s/c, with s = n'S n / n'n. Below CLEAN the others are gone.
 * False: of row k such a part is not left. A row that is only nearly redundant, as in a pass of a singular position, has s/c
 * above FELT. */
static bool find_unfelt(const struct limbs *l, struct limbs_work *w, int k, int found, double *n)
{
  enum { POWERS = 8 };
  static const double CLEAN = 1e-6, FELT = 1e-3, NOTHING = 1e-10;
  double *load = w->rhs, most = INFINITY, left = w->c[k];
  const double least = NOTHING * left;
  for (int i = 0; i < l->rows; i++) n[i] = i == k;
  for (int power = 0; power < POWERS && left > least && most > CLEAN * left; power++) {
    /* apart from those that are found */
    for (int i = 0; i < found; i++) {
      const double *other = w->unloading + (ptrdiff_t)i * l->rows;
      add_closures(l, n, -closure_product(l, w, other, n), other);
    }
    /* n = (S + c)^-1 c n */
    for (int i = 0; i < l->rows; i++) load[i] = w->c[i] * n[i];
    memcpy(n, load, (size_t)l->rows * sizeof *n);
    closures_solve(l, w, n);
    left = closure_product(l, w, n, n);
    most = -left; /* n'S n */
    for (int i = 0; i < l->rows; i++) most += n[i] * load[i];
  }
  if (!(left > least && most < FELT * left)) return false;
  for (int i = 0; i < l->rows; i++) n[i] /= sqrt(left);
  return true;
}

void limbs_smallest(const struct limbs *l, struct limbs_work *w, double *all)
{
  static const double DEPENDS = 1e5;
  const int n = (int)limbs_multiplied(l);
  int found = 0;
  for (int i = 0; i < n; i++) all[i] *= w->norm[i];
  for (int k = 0; k < l->rows && found < LIMB_UNFELT_MOST; k++) {
    /* the factor has the reciprocals of its diagonal */
    const double inverse = w->S[k * l->padded + k];
    double *own = w->unloading + (ptrdiff_t)found * l->rows, *v = w->unfelt + (ptrdiff_t)found * n;
    if (inverse * inverse * DEPENDS * w->c[k] < 1.0) continue;
    if (!find_unfelt(l, w, k, found, own)) continue;
    limbs_multipliers(l, w, own, false, v);
    for (int i = 0; i < n; i++) v[i] *= w->norm[i];
    for (int i = 0; i < found; i++) remove_part(w->unfelt + (ptrdiff_t)i * n, n, v);
    scale_to_norm(v, n);
    remove_part(v, n, all);
    found++;
  }
  for (int i = 0; i < n; i++) all[i] = w->norm[i] > 0.0 ? all[i] / w->norm[i] : 0.0;
}
