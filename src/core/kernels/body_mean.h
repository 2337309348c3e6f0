/* SPDX-License-Identifier: MIT
 * Loop code: bodies of the energy-momentum step, for sources built in lanes. 0 and 1 are the ends of an inner step dt, w are
 * rates in body axes, D = R1'R0:
 *
 *   r1 = r0 + dt/2 (v0 + v1),   p1 = p0 (1, dt/4 (w0 + w1)) / norm                 Cayley's rotation
 *   m (v1 - v0)/dt = F,         J w1/dt = R1' (R0 J w0/dt + T)
 *
 * Cayley's rotation turns by less than the rates say. A fast body (kernels/spin.h) twists by dt/2 a.(w0 + w1) about its axis a
 * and swings by dt/2 (w0 + w1) across it, in axes that do not twist. This rotation keeps its energy, too. Rows of points and
 * directions on the axis still do no work.
 *
 * F and T are the mean loads of the step, T in world axes (dynamics/mean.h). The Euler parameters have norm 1, so w has no
 * component along p, and there are no multipliers of the normalisation. */
#ifndef KERNELS_BODY_MEAN_H
#define KERNELS_BODY_MEAN_H

#include "kernels/body_tiles.h"

/* The rotation of a body in an inner step; it takes the place of struct body_spin. */
struct body_turn {
  num start[3], end[3];    /* rad/s, w0 and w1 of the iterate */
  num momentum[3];         /* N m, R0 J w0/dt, world axes */
  num moved[3], before[3]; /* m, the last increment of r; rad/s, w1 before it */
  num fast, axis[3];       /* 1: a fast body; its axis, or 0 */
};
_Static_assert(sizeof(struct body_turn) == TURN_NUMBERS * sizeof(num), "no padding");

INLINED struct body_turn *body_turn_at(const struct stage *s, const struct bodies *b)
{
  return (struct body_turn *)numbers_at(s->d->spin, b->slot, TURN_NUMBERS);
}

/* t = dt/4 (w0 + w1), the tangent of half of the half rotation. */
INLINED void half_turn(const struct stage *s, const struct body_turn *turn, num t[3])
{
  for (int i = 0; i < 3; i++) t[i] = s->quarter * (turn->start[i] + turn->end[i]);
}

/* p1 of fast bodies. */
__attribute__((noinline)) static void twist_pose(const struct stage *s, const struct body_turn *turn,
                                                 const num p0[4], num p1[4])
{
  const num half_dt = s->quarter + s->quarter, *a = turn->axis;
  num start[3], end[3], swing[3], back[3], by[4], middle[4], turned[4], fast[4], c, sine;
  const num twist = half_dt * (spin_split(a, turn->start, start) + spin_split(a, turn->end, end));
  num_sine_cosine(0.25 * twist, &sine, &c);
  const num whole = c * c - sine * sine, side = 2.0 * c * sine; /* of half the twist */
  spin_back(a, whole, side, start, swing);
  spin_back(a, whole, -side, end, back);
  for (int i = 0; i < 3; i++) swing[i] = half_dt * (swing[i] + back[i]);
  spin_exponential(swing, by);
  spin_turned(p0, a, c, sine, middle);
  p_mul(turned, middle, by);
  spin_turned(turned, a, c, sine, fast);
  p_normalise(fast);
  for (int i = 0; i < 4; i++) p1[i] = num_select(num_greater(turn->fast, num_all(0.5)), fast[i], p1[i]);
}

INLINED void turn_pose(const struct stage *s, int tile, const struct body_turn *turn, const num p0[4],
                       num p1[4])
{
  num by[4] = {num_all(1.0)};
  half_turn(s, turn, by + 1);
  p_mul(p1, p0, by);
  p_normalise(p1);
  if (s->fast[tile]) twist_pose(s, turn, p0, p1);
}

/* Whether a lane is fast. A body with points off its axis keeps Cayley's rotation, with which rows at these points do no work. */
__attribute__((noinline)) static bool mean_is_fast(const struct stage *s, const struct bodies *b,
                                                   const struct body_state *from, struct body_turn *turn)
{
  const struct spin_tile o = {.m = s->m, .d = s->d, .t = b->t};
  num w[3];
  p_to_rotation(w, from->p, from->pd);
  const num_mask fast =
      spin_axes(&o, from, w, turn->axis) &
      num_greater(num_all(0.5), spin_numbers(s->m->frozen->axes, b->t, AXES_NUMBERS)[AXES_OFF]);
  turn->fast = num_select(fast, num_all(1.0), num_all(0.0));
  return num_some(fast);
}

INLINED void body_mean_predict_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  const struct body_state *from = (const struct body_state *)b.last;
  const num *constant = numbers_at(s->constant, b.slot, BODY_NUMBERS);
  struct body_turn *turn = body_turn_at(s, &b);
  const num leap = s->leap + s->leap; /* dt, or 0 */
  num change[3], own[3], world[3], R0[9];
  s->fast[tile] = may_be_fast(s, b.t, from) && mean_is_fast(s, &b, from, turn);
  /* velocities, then positions from their means */
  for (int i = 0; i < 3; i++) {
    b.x->rd[i] = from->rd[i] + leap * from->rdd[i];
    b.x->r[i] = from->r[i] + 2.0 * s->quarter * (from->rd[i] + b.x->rd[i]);
  }
  p_to_rotation(turn->start, from->p, from->pd);
  p_to_rotation(change, from->p, from->pdd);
  for (int i = 0; i < 3; i++) turn->end[i] = turn->start[i] + leap * change[i];
  turn_pose(s, tile, turn, from->p, b.x->p);
  keep_frame(b.f, b.x);
  p_from_rotation(b.x->pd, b.x->p, b.f->inverse, turn->end, num_all(0.0)); /* for link_turn() and soft rows */
  /* angular momentum at the start */
  p_rotation_by(R0, from->p, num_all(1.0));
  m3_mul_as(b.t->diagonal, own, constant + BODY_INERTIA, turn->start);
  m3_mul(world, R0, own);
  for (int i = 0; i < 3; i++) turn->momentum[i] = s->per_dt * world[i];
}

/* w = -delta (g + J_mean'lambda) in the pose x, f. */
INLINED void mean_free(const struct stage *s, const struct bodies *b, int tile, const struct body_state *x,
                       const struct body_frame *f)
{
  const num *constant = numbers_at(s->constant, b->slot, BODY_NUMBERS);
  const struct body_state *from = (const struct body_state *)b->last;
  const struct body_turn *turn = body_turn_at(s, b);
  num world[6], rhs[BODY_Y], w[BODY_Y], own[3], spin[3];
  /* forces and moments in world axes, without rows */
  for (int i = 0; i < 3; i++) {
    world[i] = constant[BODY_MASS] * (s->gravity[i] - s->per_dt * (x->rd[i] - from->rd[i]));
    world[3 + i] = turn->momentum[i];
  }
  if (s->acted[tile]) {
    struct wrench by_lane;
    const struct wrench *wrench = wrench_of(s, b, tile, true, &by_lane);
    for (int i = 0; i < 3; i++) {
      world[i] += wrench->force[i];
      world[3 + i] += wrench->torque[i];
    }
  }
  /* rows */
  num load[BODY_Y];
  ends_load(b->t, s->end_load, NULL, NULL, load);
  if (b->t->has_points) {
    num Rm[9], R0[9];
    p_rotation_by(R0, from->p, num_all(1.0));
    for (int i = 0; i < 9; i++) Rm[i] = 0.5 * (R0[i] + f->R[i]);
    ends_mean_points(b->t, s->lambda, Rm, load);
  }
  for (int i = 0; i < 6; i++) world[i] -= load[i];
  /* moments in body axes */
  m3_mul_as(b->t->diagonal, spin, constant + BODY_INERTIA, turn->end);
  m3_tmul(own, f->R, world + 3);
  for (int i = 0; i < 3; i++) {
    rhs[i] = world[i];
    rhs[3 + i] = own[i] - s->per_dt * spin[i];
  }
  rhs[6] = num_all(0.0);
  if (b->t->carried) {
    num *o = numbers_at(s->d->solve.carried_rhs, b->slot, BODY_Y);
    for (int y = 0; y < BODY_Y; y++) {
      w[y] = num_all(0.0);
      o[y] = rhs[y];
    }
  } else {
    body_apply_delta_as(b->t->diagonal, b->delta, rhs, w);
  }
  put_w(b, w);
  ends_point_value(POINT_FREE, b->t, s->point_value, x, f, factored_frame(s, b), w);
}

INLINED void body_mean_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  mean_free(s, &b, tile, b.x, b.f);
}

INLINED void body_mean_free_rest_of(const struct stage *s, int tile)
{
  if (!s->tile[tile].self_contained) body_mean_free_of(s, tile);
}

/* The increment y moves r and turns R by th. v and w change by what Newton's linearisation of (1) demands. */
INLINED void mean_move(const struct stage *s, int tile, const struct bodies *b)
{
  struct body_turn *turn = body_turn_at(s, b);
  const struct body_state *from = (const struct body_state *)b->last;
  const num gain = 2.0 * s->per_dt;
  num y[BODY_Y], t[3], across[3], sum = num_all(0.0);
  correct(s, b, y);
  /* size of the increment, and translation */
  for (int k = 0; k < 3; k++) sum += y[k] * y[k];
  *numbers_at(s->travel, b->slot, 1) = sum;
  for (int k = 3; k < BODY_Y - 1; k++) sum += y[k] * y[k];
  *numbers_at(s->increment, b->slot, 1) = sum;
  for (int i = 0; i < 3; i++) {
    b->x->r[i] += y[i];
    b->x->rd[i] += gain * y[i];
    turn->moved[i] = y[i];
    turn->before[i] = turn->end[i];
  }
  /* rotation */
  half_turn(s, turn, t);
  v3_cross(across, t, y + 3);
  const num along = v3_dot(t, y + 3);
  if (s->fast[tile]) {
    const num_mask fast = num_greater(turn->fast, num_all(0.5));
    for (int i = 0; i < 3; i++)
      turn->end[i] += gain * (y[3 + i] + num_select(fast, num_all(0.0), across[i] + along * t[i]));
  } else {
    for (int i = 0; i < 3; i++) turn->end[i] += gain * (y[3 + i] + across[i] + along * t[i]);
  }
  turn_pose(s, tile, turn, from->p, b->x->p);
}

/* Frame and q' of the iterate, and q'' as the mean over the step, which predicts the next step until a projection replaces it. */
INLINED void mean_settle(const struct stage *s, const struct bodies *at, struct body_frame *f)
{
  const struct bodies b = *at;
  const struct body_turn *turn = body_turn_at(s, at);
  const struct body_state *from = (const struct body_state *)b.last;
  num change[3];
  keep_frame(f, b.x);
  p_from_rotation(b.x->pd, b.x->p, f->inverse, turn->end, num_all(0.0));
  for (int i = 0; i < 3; i++) {
    b.x->rdd[i] = s->per_dt * (b.x->rd[i] - from->rd[i]);
    change[i] = s->per_dt * (turn->end[i] - turn->start[i]);
  }
  p_from_rotation(b.x->pdd, b.x->p, f->inverse, change, -p_dot(b.x->pd, b.x->pd));
  ends_point_value(POINT_POSITION, b.t, s->point_value, b.x, f, NULL, NULL);
}

INLINED void body_mean_step_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  mean_move(s, tile, &b);
  mean_settle(s, &b, spare_frame(s, &b));
}

/* Takes the last increment back. */
INLINED void body_mean_back_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  struct body_turn *turn = body_turn_at(s, &b);
  const num gain = 2.0 * s->per_dt;
  for (int i = 0; i < 3; i++) {
    b.x->r[i] -= turn->moved[i];
    b.x->rd[i] -= gain * turn->moved[i];
    turn->end[i] = turn->before[i];
  }
  turn_pose(s, tile, turn, ((const struct body_state *)b.last)->p, b.x->p);
  mean_settle(s, &b, b.f);
}

/* As turn_alone(). */
__attribute__((noinline)) static void mean_turn_alone(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  struct body_frame *to = s->again ? b.f : spare_frame(s, &b), f;
  if (!s->again) mean_move(s, tile, &b);
  body_frame_update(&f, b.x);
  to->s = f.s;
  to->inverse = f.inverse;
  mean_free(s, &b, tile, b.x, &f);
}

INLINED void body_mean_turn_of(const struct stage *s, int tile)
{
  if (s->tile[tile].self_contained)
    mean_turn_alone(s, tile);
  else
    body_mean_step_of(s, tile);
}

INLINED void body_mean_load_of(const struct stage *s, int tile)
{
  if (!s->acted[tile]) return;
  const struct bodies b = bodies_of(s, tile);
  if (s->tile[tile].self_contained && s->again)
    mean_turn_alone(s, tile);
  else
    mean_free(s, &b, tile, b.x, b.f);
}

#endif
