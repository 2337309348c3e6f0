/* SPDX-License-Identifier: MIT
 * Loop code: links of the energy-momentum step, for sources built in lanes: loads along the means of the world vectors at both
 * ends of the inner step (dynamics/mean.h). */
#ifndef KERNELS_LINK_MEAN_H
#define KERNELS_LINK_MEAN_H

#include "dynamics/mean.h"
#include "kernels/link_tiles.h"

/* The bodies of a tile at both ends of the inner step. */
struct mean_room {
  struct pair_room end;
  struct body_state last[2];
  struct body_frame start[2];
};

INLINE struct mean_pair mean_of_tile(struct links l, struct mean_room *room)
{
  enum { Q = 7 };
  struct mean_pair o;
  const num *last[2];
  o.end = pair_of_tile(l, Q, &room->end);
  of_sides(l, 2, l.d->last.x, LINK_X, 0, Q, (num *)room->last, last);
  for (int side = 0; side < 2; side++) {
    o.start.x[side] = (const struct body_state *)last[side];
    o.start.f[side] = &room->start[side];
    p_rotation_by(room->start[side].R, o.start.x[side]->p, num_all(1.0));
  }
  return o;
}

/* load (2, 7) = J_mean'lambda, and Phi at the end of rigid rows. */
INLINE void mean_loads(struct links l, const num *lambda, num *Phi, num (*load)[BODY_Y])
{
  struct mean_room room;
  struct mean_points points;
  const struct mean_pair pair = mean_of_tile(l, &room);
  const num *constant = (const num *)l.own->constant;
  for (int side = 0; side < 2; side++)
    for (int y = 0; y < BODY_Y; y++) load[side][y] = num_all(0.0);
  mean_points(&pair, (const num(*)[3])constant, &points);
  /* one primitive after the other */
  num stores = num_all(0.0);
  for (int lane = 0; lane < LANES; lane++) num_lane(stores, lane) = l.own->stores[lane];
  for (int k = 0; k < l.own->primitives; k++) {
    struct primitive_values values = values_of_constant(constant, k);
    const enum primitive_kind kind = l.own->primitive[k];
    num lengths = num_all(0.0);
    if (kind == ROW_ANGLE) add_angle(l, &values);
    if (kind == ROW_LENGTH)
      lengths = *per_row(l.d->soft.Phi_last, l) + *per_row(l.d->solve.Phi, l) + 2.0 * values.length;
    mean_primitive(kind, &pair, &values, &points, lengths, stores, lambda, Phi, load);
    lambda += primitive_count(kind);
    Phi += primitive_count(kind);
  }
}

/* Loads of a coinciding point and directions, with a known number of rows. */
INLINE void mean_loads_point(struct links l, int rows, const num *lambda, num *Phi, num (*load)[BODY_Y])
{
  struct mean_room room;
  struct mean_points points;
  const struct mean_pair pair = mean_of_tile(l, &room);
  const num *constant = (const num *)l.own->constant;
  for (int side = 0; side < 2; side++)
    for (int y = 0; y < BODY_Y; y++) load[side][y] = num_all(0.0);
  mean_points(&pair, (const num(*)[3])constant, &points);
  const num none = num_all(0.0);
  struct primitive_values values = values_of_constant(constant, 0);
  mean_primitive(ROW_COINCIDE, &pair, &values, &points, none, none, lambda, Phi, load);
  for (int k = 3; k < rows; k++) {
    values = values_of_constant(constant, k - 2);
    mean_primitive(ROW_DOT, &pair, &values, &points, none, none, lambda + k, Phi + k, load);
  }
}

INLINE void put_mean(struct links l, struct shape s, num *Phi)
{
  num load[ROWS_SIDES][BODY_Y];
  const num *lambda = per_row(l.d->now.lambda, l);
  if (l.own->lane_by_lane)
    by_lane_mean(l.m, l.d, l.tile, (double *)load);
  else if (s.point)
    mean_loads_point(l, s.rows, lambda, Phi, load);
  else
    mean_loads(l, lambda, Phi, load);
  for (int side = 0; side < s.sides; side++) put_end_load(l, side, load[side]);
}

INLINE void link_mean_lambda_of(struct links l, struct shape s)
{
  num Phi[ROWS_MAX];
  if (!bodies_have_points(l, s)) put_mean(l, s, Phi);
}

#endif
