/* SPDX-License-Identifier: MIT
 * Loop code: the arrays and numbers that kernels of bodies share, for sources built in lanes. */
#ifndef KERNELS_BODY_TILES_H
#define KERNELS_BODY_TILES_H

#include "kernels/body_ends.h"
#include "kernels/spin.h"

/* The values that a kernel reads once. The compiler cannot know that the kernel's stores leave them unchanged, and would
 * reload them otherwise. */
struct stage {
  const ali3_model *m;
  ali3_data *d;
  const struct body_tile *tile;
  const bool *acted;
  bool *fast;
  bool soft;  /* there are soft rows */
  bool again; /* bodies do not move; only their right-hand sides are recomputed */
  double *constant, *x, *last, *frame, *delta, *w, *end_load, *wrench, *mu, *increment, *travel;
  double *factored, *spare; /* frames of the factors; destination of frames of moved bodies */
  double *lambda, *z, *const *point_value;
  struct rule_lanes {
    num v_d, v_v, v_a, a_d, a_v, a_a;
  } rule;
  num dt, leap;        /* q ahead = q + dt (q' + leap q'') */
  num fast2, steady2;  /* |p'|^2 of a body that may be fast, and in a steady tile */
  num quick2;          /* |p'|^2 of a body whose joints need a prediction of their angles: ali3_data.quick */
  num quarter, per_dt; /* dt/4, 1/dt */
  num per_h;           /* 1/h: delta / h is the inverse of the mass matrix */
  num gravity[3];
};

INLINED struct stage stage_of(const ali3_model *m, ali3_data *d)
{
  const struct rule *r = &d->rule;
  /* the initial accelerations may come from released stiff springs; a whole step must not extrapolate them */
  const double leap = d->soft.some_stiff && d->report.step == 0 ? 0.0 : 0.5 * r->dt;
  return (struct stage){
      .m = m,
      .d = d,
      .tile = m->frozen->body_tile,
      .acted = d->outside.acted,
      .fast = d->fast,
      .again = d->outside.again,
      .soft = m->frozen->rows > m->frozen->rigid,
      .constant = m->frozen->constant,
      .x = d->now.x,
      .last = d->last.x,
      .frame = d->here.frame,
      .factored = d->factored.frame,
      .spare = d->spare.frame,
      .lambda = d->now.lambda,
      .z = d->solve.z,
      .point_value = d->solve.point_value,
      .delta = d->solve.delta,
      .w = d->solve.w,
      .end_load = d->solve.end_load,
      .wrench = outside_in_force(d)->wrench,
      .mu = d->now.mu,
      .increment = d->solve.increment,
      .travel = d->solve.travel,
      /* numbers in all lanes */
      .rule = {num_all(r->v_d), num_all(r->v_v), num_all(r->v_a), num_all(r->a_d), num_all(r->a_v),
               num_all(r->a_a)},
      .dt = num_all(r->dt),
      .leap = num_all(leap),
      .fast2 = num_all(d->limits.fast2),
      .steady2 = num_all(d->limits.steady2),
      .quick2 = num_all(d->limits.quick2),
      .quarter = num_all(0.25 * r->dt),
      .per_dt = num_all(1.0 / r->dt),
      .per_h = num_all(1.0 / r->h),
      .gravity = {num_all(m->gravity[0]), num_all(m->gravity[1]), num_all(m->gravity[2])},
  };
}

/* The arrays and numbers of the bodies in a tile. */
struct bodies {
  const struct body_tile *t;
  size_t slot;
  struct body_state *x;
  num *last;
  struct body_frame *f;
  const struct body_delta *delta;
  num *w;
};

static inline num *numbers_at(double *base, size_t slot, size_t count)
{
  return (num *)(base + slot * count);
}

static inline void *at_byte(double *base, size_t at)
{
  return (char *)base + at;
}

INLINED struct bodies bodies_of(const struct stage *s, int tile)
{
  const struct body_tile *t = &s->tile[tile];
  return (struct bodies){.t = t,
                         .slot = (size_t)t->slot,
                         .x = at_byte(s->x, 3 * t->y),
                         .last = at_byte(s->last, 3 * t->y),
                         .f = at_byte(s->frame, t->frame),
                         .delta = at_byte(s->delta, t->delta),
                         .w = at_byte(s->w, t->y)};
}

INLINED const struct body_frame *factored_frame(const struct stage *s, const struct bodies *b)
{
  return at_byte(s->factored, b->t->frame);
}

INLINED struct body_frame *spare_frame(const struct stage *s, const struct bodies *b)
{
  return at_byte(s->spare, b->t->frame);
}

/* Some body of a tile may be fast: it turns by more than the limit of spin.h at the start of the inner step. */
INLINED bool may_be_fast(const struct stage *s, const struct body_tile *t, const struct body_state *start)
{
  const num turn2 = p_dot(start->pd, start->pd);
  if (!num_some(num_greater(turn2, t->steady ? s->steady2 : s->fast2))) return false;
  if (num_some(num_greater(turn2, s->quick2)))
    atomic_store_explicit(&s->d->quick, true, memory_order_relaxed);
  return true;
}

/* Out of line: after a failed step body_frame recomputes the frames of the step's start, and an inlined copy may round
 * differently. */
__attribute__((noinline)) static void keep_frame(struct body_frame *f, const struct body_state *x)
{
  body_frame_update(f, x);
}

INLINED void put_w(const struct bodies *b, const num w[BODY_Y])
{
  for (int k = 0; k < BODY_Y; k++) b->w[k] = w[k];
}

/* The correction w - delta f of a velocity or acceleration. */
INLINED void put_w_points(const struct stage *s, const struct bodies *b, enum point_value what,
                          const num w[BODY_Y])
{
  put_w(b, w);
  ends_point_value(what, b->t, s->point_value, b->x, b->f, NULL, w);
}

/* y = w - delta f, or w + e, with the Jacobian of the factors. With redundant rows z has a large null-space part, which
 * cancels only in the Jacobian that was factorised. */
INLINED void correct(const struct stage *s, const struct bodies *b, num y[BODY_Y])
{
  if (b->t->carried) {
    const num *e = (const num *)(s->d->solve.z + b->t->at);
    for (int k = 0; k < BODY_Y; k++) y[k] = b->w[k] + e[k];
  } else {
    num f[BODY_Y];
    ends_load(b->t, s->end_load, s->z, factored_frame(s, b)->R, f);
    body_less_delta(b->t->diagonal, b->delta, f, b->w, y);
  }
}

/* Force and torque on the bodies of a tile from outside. Loads of the model turn with their bodies, so a tile with such loads
 * evaluates its bodies lane by lane, into `by_lane`. */
INLINED const struct wrench *wrench_of(const struct stage *s, const struct bodies *b, int tile, bool mean,
                                       struct wrench *by_lane)
{
  if (!b->t->loaded) return (const struct wrench *)numbers_at(s->wrench, b->slot, WRENCH_NUMBERS);
  by_lane_wrench(s->m, s->d, tile, mean, (double *)by_lane);
  return by_lane;
}

#endif
