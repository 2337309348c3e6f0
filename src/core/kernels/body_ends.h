/* SPDX-License-Identifier: MIT
 * Loop code: the ends of links at bodies, for sources built in lanes. A link writes its load on a body into `end_load`. If a
 * point of a link coincides with a point of another body, the body needs only the force, which is z or lambda of three rows.
 * The body kernel computes the rest of the load. It gives the rows three numbers, the point value. A step thus need not recompute
 * or read the Jacobian of these rows. */
#ifndef KERNELS_BODY_ENDS_H
#define KERNELS_BODY_ENDS_H

#include "dynamics/kinematics.h"
#include "kernels/kernels.h"

#define INLINED __attribute__((always_inline)) static inline

/* Adds the load of a force at the point of an end, with the frame R: the first line of the table of kinematics.h, with k the
 * force. v: z or lambda. */
INLINED void end_add_point(const struct body_end *e, const double *v, const num *R, num f[BODY_Y])
{
  const num *a = (const num *)e->point, *F = (const num *)(v + e->row);
  const double sign = e->side ? 1.0 : -1.0;
  num force[3], local[3], turn[3];
  for (int i = 0; i < 3; i++) force[i] = sign * F[i];
  m3_tmul(local, R, force);
  v3_cross(turn, a, local);
  for (int i = 0; i < 3; i++) {
    f[i] += force[i];
    f[3 + i] += turn[i];
  }
  f[6] += 2.0 * v3_dot(a, local);
}

/* Adds the sum of the ends that the pattern of a copy finds in rows. */
static void ends_add_apart(const struct body_tile *own, const double *end_load, num f[BODY_Y])
{
  const struct body_end *e = own->end + own->ends - own->separate, *end = own->end + own->ends;
  num sum[BODY_Y];
  for (int y = 0; y < BODY_Y; y++) sum[y] = ((const num *)(end_load + e->load))[y];
  for (e++; e < end; e++)
    for (int y = 0; y < BODY_Y; y++) sum[y] += ((const num *)(end_load + e->load))[y];
  for (int y = 0; y < BODY_Y; y++) f[y] += sum[y];
}

/* Any number of ends, or none. Out of line, so that the aligned case stays in registers. */
__attribute__((noinline)) static void ends_separate(const struct body_tile *own, const double *end_load,
                                                    const double *v, const num *R, num f[BODY_Y])
{
  for (int y = 0; y < BODY_Y; y++) f[y] = num_all(0.0);
  for (const struct body_end *e = own->end; e < own->end + own->ends - own->separate; e++) {
    const num *from = (const num *)(end_load + e->load);
    if (e->point && v) end_add_point(e, v, R, f);
    if (e->point) continue;
    if (e->lane)
      for (int y = 0; y < BODY_Y; y++) f[y] += num_shuffle(from[y], num_all(0.0), num_lanes(e->lane));
    else
      for (int y = 0; y < BODY_Y; y++) f[y] += from[y];
  }
  if (own->rows > 0) num_add_rows(end_load, own->row, own->rows, BODY_Y, f);
  if (own->separate > 0) ends_add_apart(own, end_load, f);
}

/* f = sum over the ends of J'v, with v = z or lambda and the frames R. v NULL: the sum leaves points out. The sum begins
 * with the first end instead of 0; the result differs only in the sign of a zero. */
INLINED void ends_load(const struct body_tile *own, const double *end_load, const double *v, const num *R,
                       num f[BODY_Y])
{
  if (own->all_points) {
    for (int y = 0; y < BODY_Y; y++) f[y] = num_all(0.0);
    for (const struct body_end *e = own->end; v && e < own->end + own->ends; e++) end_add_point(e, v, R, f);
    return;
  }
  if (!own->aligned || own->has_points) {
    num separate[BODY_Y];
    ends_separate(own, end_load, v, R, separate);
    for (int y = 0; y < BODY_Y; y++) f[y] = separate[y];
    return;
  }
  /* aligned bodies: end by end */
  const num *first = (const num *)(end_load + own->end->load);
  for (int y = 0; y < BODY_Y; y++) f[y] = first[y];
  for (const struct body_end *e = own->end + 1; e < own->end + own->ends; e++) {
    const num *more = (const num *)(end_load + e->load);
    for (int y = 0; y < BODY_Y; y++) f[y] += more[y];
  }
}

/* f += the load J_mean'v of all ends with a point, in world axes, with Rm the mean of R at both ends of the step. */
INLINED void ends_mean_points(const struct body_tile *own, const double *v, const num *Rm, num f[BODY_Y])
{
  for (const struct body_end *e = own->end; e < own->end + own->ends; e++) {
    if (!own->all_points && !e->point) continue;
    const num *F = (const num *)(v + e->row);
    const double sign = e->side ? 1.0 : -1.0;
    num arm[3], turn[3];
    m3_mul(arm, Rm, (const num *)e->point);
    v3_cross(turn, arm, F);
    for (int i = 0; i < 3; i++) {
      f[i] += sign * F[i];
      f[3 + i] += sign * turn[i];
    }
  }
}

/* The contribution of a body to the rows of a point, in solve.point_value. */
enum point_value {
  POINT_POSITION, /* A a */
  POINT_FREE,     /* A a + J w, J in the frame of the factors */
  POINT_RATE,     /* J y */
  POINT_SECOND,   /* J y + velocity terms of x */
};

/* o = J y for the rows of a point. */
INLINED void point_value_rate(const struct body_frame *f, const num y[BODY_Y], const num a[3], num o[3])
{
  vector_rate(o, f, y, a);
  for (int i = 0; i < 3; i++) o[i] += y[i];
}

/* y: w, velocity or acceleration of the body. factors: frame of the factors, for POINT_FREE. */
INLINED void ends_point_value(enum point_value what, const struct body_tile *own,
                              double *const point_value[2], const struct body_state *x,
                              const struct body_frame *f, const struct body_frame *factors,
                              const num y[BODY_Y])
{
  if (!own->has_points) return;
  for (const struct body_end *e = own->end; e < own->end + own->ends; e++) {
    if (!own->all_points && !e->point) continue;
    const num *a = (const num *)e->point;
    num *o = (num *)(point_value[e->side] + e->row), at[3], more[3];
    if (what == POINT_POSITION || what == POINT_FREE)
      world_vector(at, f, a);
    else
      point_value_rate(f, y, a, at);
    if (what == POINT_FREE) point_value_rate(factors, y, a, more);
    if (what == POINT_SECOND) vector_bias(more, x, a);
    const bool both = what == POINT_FREE || what == POINT_SECOND;
    for (int i = 0; both && i < 3; i++) at[i] += more[i];
    v3_copy(o, at);
  }
}

#endif
