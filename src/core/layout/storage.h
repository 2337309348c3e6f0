/* SPDX-License-Identifier: MIT
 * Copies single bodies and links out of the storage of tiles, and back. Kernels read the tiles directly. RT. */
#ifndef LAYOUT_STORAGE_H
#define LAYOUT_STORAGE_H

#include "layout/frozen.h"

/* ALI3_GROUND has a storage of its own. */
static inline const struct tree_body *stored_body(const ali3_model *m, int body)
{
  const struct tree *t = m->frozen->tree;
  return &t->body[body == ALI3_GROUND ? t->bodies : body];
}

/* Index of number 0 of a body, in an array with `numbers` for each body. */
static inline size_t stored_at(const struct tree_body *b, int numbers)
{
  return (size_t)b->first * (size_t)numbers + (size_t)b->lane;
}

static inline size_t stored_slot(const ali3_model *m, int body)
{
  return stored_at(stored_body(m, body), 1);
}

/* Copies the first `count` numbers of a body. */
static inline void stored_some(const ali3_model *m, const double *a, int numbers, int body, int count,
                               double *o)
{
  const struct tree_body *b = stored_body(m, body);
  const double *from = a + stored_at(b, numbers);
  for (int i = 0; i < count; i++, from += b->width) o[i] = *from;
}

static inline void stored_get(const ali3_model *m, const double *a, int numbers, int body, double *o)
{
  stored_some(m, a, numbers, body, numbers, o);
}

static inline void stored_put(double *a, const struct tree_body *b, int numbers, const double *from)
{
  double *o = a + stored_at(b, numbers);
  for (int i = 0; i < numbers; i++, o += b->width) *o = from[i];
}

static inline void stored_set(const ali3_model *m, double *a, int numbers, int body, const double *from)
{
  stored_put(a, stored_body(m, body), numbers, from);
}

/* x: bodies of a struct state. */
static inline struct body_state stored_state(const ali3_model *m, const double *x, int body)
{
  struct body_state o;
  stored_get(m, x, X_NUMBERS, body, (double *)&o);
  return o;
}

static inline void stored_set_state(const ali3_model *m, double *x, int body, const struct body_state *from)
{
  stored_set(m, x, X_NUMBERS, body, (const double *)from);
}

_Static_assert(sizeof(struct body_state) == X_NUMBERS * sizeof(double), "no padding");
_Static_assert(sizeof(struct body_frame) == FRAME_NUMBERS * sizeof(double), "no padding");
_Static_assert(sizeof(struct body_delta) == DELTA_NUMBERS * sizeof(double), "no padding");
_Static_assert(sizeof(struct wrench) == WRENCH_NUMBERS * sizeof(double), "no padding");

/* Index of row k of a link. */
static inline int stored_row(const struct joint_rows *j, int k)
{
  return j->first + k * j->stride;
}

enum { STORED_J = ROWS_MAX * ROWS_SIDES * BODY_Y }; /* room for the Jacobian of a link */

/* Columns of the Jacobian of a link that are constant and not stored. */
static inline int stored_unit(const struct joint_rows *j)
{
  return rows_share_point(j) ? TREE_UNIT : 0;
}

/* Number 0 of a row of a Jacobian at a side; the first `unit` numbers are not stored. */
static inline size_t stored_row_at(const struct joint_rows *j, int unit, int k, int side)
{
  return j->jacobian + (size_t)((k * j->sides + side) * (BODY_Y - unit) * j->stride);
}

/* The Jacobian of a link in one piece, (count, sides, 7): in place if it is contiguous, otherwise copied into `room`. */
static inline const double *stored_jacobian(const struct joint_rows *j, const double *J,
                                            double room[STORED_J])
{
  const int unit = stored_unit(j);
  double *o = room;
  if (j->stride == 1 && unit == 0) return J + j->jacobian;
  for (int k = 0; k < j->count; k++)
    for (int side = 0; side < j->sides; side++, o += BODY_Y) {
      const double *from = J + stored_row_at(j, unit, k, side);
      for (int y = 0; y < unit; y++) o[y] = y != k ? 0.0 : side ? 1.0 : -1.0;
      for (int y = unit; y < BODY_Y; y++) o[y] = from[y * j->stride];
    }
  return room;
}

/* The body or link of a lane; -1: the lane is not in use. Lane 0 is always in use. */
static inline int stored_item(const struct tree *t, const struct tree_tile *tile, int lane)
{
  return t->item[tile->item_first + lane];
}

#endif
