/* SPDX-License-Identifier: MIT
 * The recursion of paper 5 as it is printed, (9) to (40) and (78) to (86): compounds with two handles, in
 * accelerations. x below is q'', or the increment or velocity of a projection.
 *
 * (27) subtracts numbers of the size of alpha. The error against the dense matrix goes with alpha^2; at alpha = 1e6
 * the accelerations lose six digits. So this is an oracle of the formulas, not an engine; multipliers.c is. */
#include "formulations/handles.h"
#include "formulations/index1.h"
#include "integrators/linear.h"

#include <string.h>

enum { Y = HANDLE };

/* o = A^-1 of a symmetric positive definite (7, 7). */
static bool invert_block(double *o, const double *A)
{
  double L[HANDLE_BLOCK];
  memcpy(L, A, sizeof L);
  if (!chol_factor(L, Y, Y)) return false;
  for (int i = 0; i < Y; i++) {
    double *column = o + Y * i; /* symmetric: a row is a column */
    memset(column, 0, Y * sizeof *column);
    column[i] = 1;
    chol_solve(L, Y, Y, column);
  }
  return true;
}

/* The rows of a joint on a body, (count, 7); how many. */
static int joint_rows_of(const struct handle_solver *o, int joint, int body, double *rows)
{
  const struct absolute_joint *j = &o->absolute->joint[joint];
  for (int i = 0; i < j->count; i++)
    memcpy(rows + Y * i, o->Phi_q + (j->first + i) * o->p->n + Y * body, Y * sizeof *rows);
  return j->count;
}

/* ---- matrices of a configuration ---- */

static void factor_pair(const struct handle_solver *o, struct compound *c) /* (9) (10) */
{
  const int rows = joint_rows_of(o, c->joint, c->body[0], c->row[0]);
  joint_rows_of(o, c->joint, c->body[1], c->row[1]);
  memcpy(c->M11, o->P + HANDLE_BLOCK * c->body[0], sizeof c->M11);
  memcpy(c->M22, o->P + HANDLE_BLOCK * c->body[1], sizeof c->M22);
  memset(c->M12, 0, sizeof c->M12);
  add_block(c->M11, o->alpha, c->row[0], true, c->row[0], Y, rows, Y);
  add_block(c->M22, o->alpha, c->row[1], true, c->row[1], Y, rows, Y);
  add_block(c->M12, o->alpha, c->row[0], true, c->row[1], Y, rows, Y);
}

/* C^-1 = I/alpha + Phi_A M22A^-1 Phi_A' + Phi_B M11B^-1 Phi_B'; its factors (20) */
static bool factor_joint(const struct handle_solver *o, struct compound *c, int rows)
{
  memset(c->C, 0, sizeof c->C);
  for (int side = 0; side < 2; side++) {
    double turned[Y * ABSOLUTE_JOINT], columns[Y * ABSOLUTE_JOINT] = {0};
    transpose_block(turned, c->row[side], rows, Y);
    add_block(columns, 1, c->inverse[side], false, turned, Y, Y, rows);
    add_block(c->C, 1, c->row[side], false, columns, rows, Y, rows);
  }
  for (int i = 0; i < rows; i++) c->C[i * rows + i] += 1 / o->alpha;
  return chol_factor(c->C, rows, rows);
}

/* o = C rows, (rows, 7) */
static void apply_joint(double *o, const struct compound *c, const double *of_rows, int rows)
{
  for (int j = 0; j < Y; j++) {
    double column[2 * ABSOLUTE_JOINT];
    for (int i = 0; i < rows; i++) column[i] = of_rows[Y * i + j];
    chol_solve(c->C, rows, rows, column);
    for (int i = 0; i < rows; i++) o[Y * i + j] = column[i];
  }
}

static bool factor_merge(const struct handle_solver *o, struct compound *c) /* (20), (27) to (30) */
{
  const struct compound *A = &o->plan.compound[c->a], *B = &o->plan.compound[c->b];
  const int rows = joint_rows_of(o, c->joint, A->body[1], c->row[0]);
  double M21[HANDLE_BLOCK], turned[HANDLE_BLOCK], side[2][ABSOLUTE_JOINT * Y] = {{0}},
                                                                           Cside[2][ABSOLUTE_JOINT * Y];
  joint_rows_of(o, c->joint, B->body[0], c->row[1]);
  if (!invert_block(c->inverse[0], A->M22) || !invert_block(c->inverse[1], B->M11) ||
      !factor_joint(o, c, rows))
    return false;
  memset(c->XA, 0, sizeof c->XA);
  memset(c->XB, 0, sizeof c->XB);
  add_block(c->XA, 1, A->M12, false, c->inverse[0], Y, Y, Y);
  add_block(c->XB, 1, B->M12, true, c->inverse[1], Y, Y, Y); /* M21B M11B^-1 */
  /* Phi_A XA' and Phi_B XB' */
  transpose_block(turned, c->XA, Y, Y);
  add_block(side[0], 1, c->row[0], false, turned, rows, Y, Y);
  transpose_block(turned, c->XB, Y, Y);
  add_block(side[1], 1, c->row[1], false, turned, rows, Y, Y);
  for (int i = 0; i < 2; i++) apply_joint(Cside[i], c, side[i], rows);

  memcpy(c->M11, A->M11, sizeof c->M11);
  transpose_block(M21, A->M12, Y, Y);
  add_block(c->M11, -1, c->XA, false, M21, Y, Y, Y); /* here six digits go */
  add_block(c->M11, 1, side[0], true, Cside[0], Y, rows, Y);
  memset(c->M12, 0, sizeof c->M12);
  add_block(c->M12, 1, side[0], true, Cside[1], Y, rows, Y);
  memcpy(c->M22, B->M22, sizeof c->M22);
  add_block(c->M22, -1, c->XB, false, B->M12, Y, Y, Y);
  add_block(c->M22, 1, side[1], true, Cside[1], Y, rows, Y);
  return true;
}

/* One more body b: K = (M22A + alpha Phi_A'Phi_A)^-1 */
static bool factor_append(const struct handle_solver *o, struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a];
  const int rows = joint_rows_of(o, c->joint, A->body[1], c->row[0]);
  double M[HANDLE_BLOCK], couple[HANDLE_BLOCK] = {0}, M21[HANDLE_BLOCK]; /* couple: alpha Phi_A'Phi_b */
  joint_rows_of(o, c->joint, c->body[1], c->row[1]);
  memcpy(M, A->M22, sizeof M);
  add_block(M, o->alpha, c->row[0], true, c->row[0], Y, rows, Y);
  if (!invert_block(c->inverse[0], M)) return false;
  add_block(couple, o->alpha, c->row[0], true, c->row[1], Y, rows, Y);
  memset(c->XA, 0, sizeof c->XA);
  memset(c->XB, 0, sizeof c->XB);
  add_block(c->XA, 1, A->M12, false, c->inverse[0], Y, Y, Y);
  add_block(c->XB, 1, couple, true, c->inverse[0], Y, Y, Y);

  transpose_block(M21, A->M12, Y, Y);
  memcpy(c->M11, A->M11, sizeof c->M11);
  add_block(c->M11, -1, c->XA, false, M21, Y, Y, Y);
  memset(c->M12, 0, sizeof c->M12);
  add_block(c->M12, -1, c->XA, false, couple, Y, Y, Y);
  memcpy(c->M22, o->P + HANDLE_BLOCK * c->body[1], sizeof c->M22);
  add_block(c->M22, o->alpha, c->row[1], true, c->row[1], Y, rows, Y);
  add_block(c->M22, -1, c->XB, false, couple, Y, Y, Y);
  return true;
}

/* Numbers of the handles of a compound: 14, or 7 where both are one body. */
static int handle_size(const struct compound *A)
{
  return A->kind == COMPOUND_SINGLE ? Y : 2 * Y;
}

static void join_blocks(const struct compound *A, double *M)
{
  const int size = handle_size(A);
  for (int i = 0; i < Y; i++)
    for (int j = 0; j < Y; j++) {
      M[i * size + j] = A->M11[Y * i + j];
      if (size == Y) continue;
      M[i * size + Y + j] = A->M12[Y * i + j];
      M[(Y + j) * size + i] = A->M12[Y * i + j];
      M[(Y + i) * size + Y + j] = A->M22[Y * i + j];
    }
}

/* Phi of the joints that hold a compound, (rows, size), and Psi of them on the body that takes it in, (rows, 7);
 * rows. */
static int hold_rows(const struct handle_solver *o, struct compound *c)
{
  const struct compound *A = &o->plan.compound[c->a];
  const int size = handle_size(A);
  int rows = 0;
  for (int i = 0; i < c->joints; i++) {
    double block[ABSOLUTE_JOINT * Y];
    const int at = size == Y ? 0 : c->handle[i], count = joint_rows_of(o, c->hold[i], A->body[at], block);
    for (int r = 0; r < count; r++) {
      double *row = c->Phi + (rows + r) * size;
      memset(row, 0, sizeof *row * (size_t)size);
      memcpy(row + Y * at, block + Y * r, Y * sizeof *row);
    }
    if (c->kind == COMPOUND_ABSORB) joint_rows_of(o, c->hold[i], c->body[0], c->Psi + Y * rows);
    rows += count;
  }
  return rows;
}

static bool factor_absorb(struct handle_solver *o, struct compound *c) /* (84) (86) */
{
  const struct compound *A = &o->plan.compound[c->a];
  const int size = handle_size(A), rows = hold_rows(o, c);
  double CPsi[2 * ABSOLUTE_JOINT * Y], column[2 * Y];
  /* M of both bodies, factorised; M^-1 Phi' column by column. */
  join_blocks(A, c->M);
  if (!chol_factor(c->M, size, size)) return false;
  for (int r = 0; r < rows; r++) {
    memcpy(column, c->Phi + r * size, sizeof *column * (size_t)size);
    chol_solve(c->M, size, size, column);
    for (int i = 0; i < size; i++) c->MPhi[i * rows + r] = column[i];
  }
  /* C = Phi M^-1 Phi' + 1/alpha */
  memset(c->C, 0, sizeof c->C);
  add_block(c->C, 1, c->Phi, false, c->MPhi, rows, size, rows);
  for (int i = 0; i < rows; i++) c->C[i * rows + i] += 1 / o->alpha;
  if (!chol_factor(c->C, rows, rows)) return false;
  /* Add the terms of the compound to the body that absorbs it. */
  apply_joint(CPsi, c, c->Psi, rows);
  add_block(o->P + HANDLE_BLOCK * c->body[0], 1, c->Psi, true, CPsi, Y, rows, Y);
  return true;
}

static bool factor_root(const struct handle_solver *o, struct compound *c) /* (35), (37), (40) */
{
  const struct compound *A = &o->plan.compound[c->a];
  const int size = handle_size(A), rows = hold_rows(o, c);
  join_blocks(A, c->M);
  add_block(c->M, o->alpha, c->Phi, true, c->Phi, size, rows, size);
  return chol_factor(c->M, size, size);
}

static bool factor_compound(struct handle_solver *o, struct compound *c)
{
  switch (c->kind) {
  case COMPOUND_SINGLE:
    memcpy(c->M11, o->P + HANDLE_BLOCK * c->body[0], sizeof c->M11);
    return true;
  case COMPOUND_PAIR:
    factor_pair(o, c);
    return true;
  case COMPOUND_MERGE:
    return factor_merge(o, c);
  case COMPOUND_APPEND:
    return factor_append(o, c);
  case COMPOUND_ABSORB:
    return factor_absorb(o, c);
  default:
    return factor_root(o, c);
  }
}

bool handles_factor(void *own, const struct index1_matrices *a)
{
  const double *M = a->M, *Phi_q = a->Phi_q, alpha = a->alpha;
  struct handle_solver *o = own;
  const int n = o->p->n;
  o->alpha = alpha;
  o->Phi_q = Phi_q;
  for (int b = 0; b < o->p->bodies; b++) {
    const double *norm = Phi_q + (o->absolute->rows + b) * n + Y * b;
    for (int i = 0; i < Y; i++)
      for (int j = 0; j < Y; j++)
        o->P[HANDLE_BLOCK * b + Y * i + j] = M[(Y * b + i) * n + Y * b + j] + alpha * norm[i] * norm[j];
  }
  for (int i = 0; i < o->plan.count; i++)
    if (!factor_compound(o, &o->plan.compound[i])) return false;
  return true;
}
