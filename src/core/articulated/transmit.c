/* SPDX-License-Identifier: MIT
 * Loop code: the loads that inner joints transmit, after an evaluation, and the multipliers of their rows. At a state in joint
 * coordinates the directions of these rows are at right angles to each other, so that each multiplier is one product. */
#include "articulated/limbs.h"

#include <math.h>

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

void limbs_transmit(const struct limbs *l, struct limbs_work *w, const double *lambda)
{
  for (int i = 1; i < l->count; i++) own_wrench(&l->limb[i], &w->at[i]);
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
void limb_multipliers(const struct limbs *l, const struct limbs_work *w, int limb, double *lambda)
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
