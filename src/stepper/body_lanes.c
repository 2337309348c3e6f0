/* SPDX-License-Identifier: MIT
 * Loop code: kernels of bodies. Every function does LANES bodies at a time: the tile `tile` of the tree. */
#include "stepper/kernels.h"

#define INLINED __attribute__((always_inline)) static inline

/* What a kernel looks up once: what it stores could be there for all the compiler knows, and it would look again. */
struct stage {
  ali3_data *d;
  const struct body_tile *tile;
  const bool *acted;
  bool soft; /* there are soft rows */
  double *constant, *x, *last, *frame, *delta, *w, *push, *mu, *increment;
  struct rule_lanes {
    num v_d, v_v, v_a, a_d, a_v, a_a;
  } rule;
  num dt, leap; /* q ahead = q + dt (q' + leap q'') */
  num gravity[3];
};

INLINED struct stage stage_of(const ali3_model *m, ali3_data *d)
{
  const struct rule *r = &d->rule;
  /* at the start the accelerations may be those of stiff springs let go: nothing to follow for a whole step */
  const double leap = d->some_stiff && d->report.step == 0 ? 0.0 : 0.5 * r->dt;
  return (struct stage){
      .d = d,
      .tile = m->frozen->body_tile,
      .acted = d->acted,
      .soft = m->frozen->rows > m->frozen->rigid,
      .constant = m->frozen->constant,
      .x = d->now.x,
      .last = d->last.x,
      .frame = d->frame,
      .delta = d->delta,
      .w = d->w,
      .push = d->push,
      .mu = d->now.mu,
      .increment = d->increment,
      .rule = {num_all(r->v_d), num_all(r->v_v), num_all(r->v_a), num_all(r->a_d), num_all(r->a_v),
               num_all(r->a_a)},
      .dt = num_all(r->dt),
      .leap = num_all(leap),
      .gravity = {num_all(m->gravity[0]), num_all(m->gravity[1]), num_all(m->gravity[2])},
  };
}

/* What it knows of the bodies of a tile. */
struct bodies {
  const struct body_tile *t;
  size_t slot;
  struct body_state *x;
  num *last;
  struct body_frame *f;
  const struct body_delta *delta;
  num *w;
};

static inline num *numbers(double *base, size_t slot, size_t count)
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

/* Any ends, or none. Out of line, so that what lies side by side stays in registers. */
__attribute__((noinline)) static void gather_apart(const struct body_tile *own, const double *push,
                                                   num f[BODY_Y])
{
  for (int y = 0; y < BODY_Y; y++) f[y] = num_all(0.0);
  for (int e = 0; e < own->ends; e++) {
    num apart[BODY_Y];
    const num *from = (const num *)(push + own->end[e].push->at);
    if (!own->end[e].aligned) {
      if (LANES > 1 && own->end[e].mix)
        num_mix_all(push, own->end[e].mix, 1, 0, BODY_Y, apart);
      else
        num_pick_all(push, own->end[e].push, 0, BODY_Y, apart);
      from = apart;
    }
    for (int y = 0; y < BODY_Y; y++) f[y] += from[y];
  }
}

/* f = sum of push over the ends. It begins with the first one: 0 + x is x, but for the sign of a zero. */
INLINED void gather(const struct body_tile *own, const double *push, num f[BODY_Y])
{
  if (!own->aligned) {
    num apart[BODY_Y];
    gather_apart(own, push, apart);
    for (int y = 0; y < BODY_Y; y++) f[y] = apart[y];
    return;
  }
  const num *first = (const num *)(push + own->push[0]);
  for (int y = 0; y < BODY_Y; y++) f[y] = first[y];
  if (own->ends == 1) return;
  const num *second = (const num *)(push + own->push[1]);
  for (int y = 0; y < BODY_Y; y++) f[y] += second[y];
  for (int e = 2; e < own->ends; e++) {
    const num *more = (const num *)(push + own->end[e].push->at);
    for (int y = 0; y < BODY_Y; y++) f[y] += more[y];
  }
}

/* y = w - delta f, or w + e: with the Jacobian of the factors, since where rows are redundant z has a large part that
 * loads no body by that one, and would by any other. */
INLINED void correct(const struct stage *s, const struct bodies *b, num y[BODY_Y])
{
  if (b->t->carried) {
    const num *e = (const num *)(s->d->z + b->t->at);
    for (int k = 0; k < BODY_Y; k++) y[k] = b->w[k] + e[k];
  } else {
    num f[BODY_Y];
    gather(b->t, s->push, f);
    body_less_delta(b->t->diagonal, b->delta, f, b->w, y);
  }
}

/* q' and q'' from q; with beta 1/4 and gamma 1/2 these are (15) and (16). q, q', q'' are 7 numbers each, one after the
 * other. */
INLINED void integrate(const struct rule_lanes *r, const num *last, num *now)
{
  for (int i = 0; i < 7; i++) {
    num a = last[7 + i], b = last[14 + i], d = now[i] - last[i];
    now[7 + i] = r->v_d * d + r->v_v * a + r->v_a * b;
    now[14 + i] = r->a_d * d + r->a_v * a + r->a_a * b;
  }
}

INLINED void body_predict_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num *now = (num *)b.x, *last = b.last;
  for (int i = 0; i < 7; i++) now[i] = last[i] + s->dt * (last[7 + i] + s->leap * last[14 + i]);
  integrate(&s->rule, last, now);
  body_frame_update(b.f, b.x);
}

INLINED void body_frame_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  body_frame_update(b.f, b.x);
}

/* w = -delta (g + J'lambda) */
INLINED void body_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  const num *constant = numbers(s->constant, b.slot, BODY_NUMBERS);
  num pull[BODY_Y], f[BODY_Y], mu_total = *numbers(s->mu, b.slot, 1) + b.delta->alpha * (b.f->s - 1.0);
  body_pull(constant[BODY_MASS], constant + BODY_INERTIA, b.t->diagonal, b.x, b.f, s->gravity, mu_total,
            pull);
  if (s->acted[tile]) { /* without a load it comes to the same bits either way */
    double *loads = b.t->loaded ? s->d->load : s->d->external;
    body_add_load(b.f, (const struct body_load *)numbers(loads, b.slot, LOAD_NUMBERS), pull);
  }
  gather(b.t, s->push, f);
  for (int y = 0; y < BODY_Y; y++) pull[y] -= f[y];
  if (b.t->carried) {
    num *o = numbers(s->d->pull, b.slot, BODY_Y);
    for (int y = 0; y < BODY_Y; y++) {
      b.w[y] = num_all(0.0);
      o[y] = pull[y];
    }
    return;
  }
  body_apply_delta_as(b.t->diagonal, b.delta, pull, b.w);
}

/* dq = w - delta J'z, dmu = alpha (Psi + Psi_q dq) */
INLINED void body_step_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y], *mu = numbers(s->mu, b.slot, 1);
  correct(s, &b, y);
  num sum = y[0] * y[0];
  for (int k = 1; k < BODY_Y; k++) sum += y[k] * y[k];
  *numbers(s->increment, b.slot, 1) = sum;
  *mu += b.delta->alpha * (b.f->s - 1.0 + 2.0 * y[6]);
  body_move(b.x, b.f, y);
  integrate(&s->rule, b.last, (num *)b.x);
  body_frame_update(b.f, b.x);
}

/* Positions: Phi_q dq = -Phi and Psi_q dq = -Psi, nothing else: w = (0, 0, -Psi/2). */
INLINED void body_position_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  for (int y = 0; y < BODY_Y - 1; y++) b.w[y] = num_all(0.0);
  b.w[6] = -0.5 * (b.f->s - 1.0);
}

INLINED void body_position_set_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y], largest = num_all(0.0);
  correct(s, &b, y);
  for (int k = 0; k < BODY_Y; k++) largest = num_max(num_max(y[k], -y[k]), largest);
  *numbers(s->increment, b.slot, 1) = largest;
  body_move(b.x, b.f, y);
  body_frame_update(b.f, b.x);
}

/* Velocities, (40-54): w_v = M^^^-1 M^ q'* = (r', w, 0). */
INLINED void body_velocity_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  body_velocity(b.x, y);
  for (int k = 0; k < BODY_Y - 1; k++) b.w[k] = y[k];
  b.w[6] = num_all(0.0);
}

INLINED void body_velocity_set_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  correct(s, &b, y);
  body_set_velocity(b.x, b.f, y);
  for (int k = 0; k < BODY_Y; k++) b.w[k] = y[k];
}

/* What the next pass corrects again. Of the state it needs nothing, but for the n that soft rows resist. */
INLINED void body_velocity_refine_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  correct(s, &b, y);
  if (s->soft) body_set_velocity(b.x, b.f, y);
  for (int k = 0; k < BODY_Y - 1; k++) b.w[k] = y[k];
  b.w[6] = num_all(0.0);
}

INLINED void body_velocity_whole_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  body_velocity(b.x, b.w);
}

/* Accelerations, (55-69): w_a = (r'', w', -p'.p'), the last from Psi_q p'' = nu. */
INLINED void body_acceleration_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  body_acceleration(b.x, y);
  for (int k = 0; k < BODY_Y - 1; k++) b.w[k] = y[k];
  b.w[6] = -p_dot(b.x->pd, b.x->pd);
}

INLINED void body_acceleration_set_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  correct(s, &b, y);
  body_set_acceleration(b.x, b.f, y);
  for (int k = 0; k < BODY_Y; k++) b.w[k] = y[k];
}

INLINED void body_acceleration_whole_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  body_acceleration(b.x, b.w);
}

/* y = delta J'z of a body; of a carried one less its unknown e, and what is left of delta^-1 e + J'z = pull */
INLINED void body_response_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num f[BODY_Y], g[BODY_Y], *response = numbers(s->d->response, b.slot, BODY_Y);
  gather(b.t, s->push, f);
  if (!b.t->carried) {
    body_apply_delta_as(b.t->diagonal, b.delta, f, response);
    return;
  }
  const num *e = (const num *)(s->d->z + b.t->at), *pull = numbers(s->d->pull, b.slot, BODY_Y);
  num *beta = (num *)(s->d->beta + b.t->at), *kept = (num *)(s->d->z_kept + b.t->at);
  body_apply_delta_as(b.t->diagonal, b.delta, e, g);
  for (int y = 0; y < BODY_Y; y++) {
    beta[y] = pull[y] - (g[y] + f[y]);
    response[y] = -e[y];
    kept[y] = e[y];
  }
}

#define EACH_TILE(kernel)                                                                                    \
  static void kernel(const ali3_model *m, ali3_data *d, const int *tile, int count)                          \
  {                                                                                                          \
    const struct stage s = stage_of(m, d);                                                                   \
    for (int i = 0; i < count; i++) kernel##_of(&s, tile[i]);                                                \
  }
EACH_TILE(body_predict)
EACH_TILE(body_frame)
EACH_TILE(body_free)
EACH_TILE(body_step)
EACH_TILE(body_position_free)
EACH_TILE(body_position_set)
EACH_TILE(body_velocity_free)
EACH_TILE(body_velocity_set)
EACH_TILE(body_velocity_refine)
EACH_TILE(body_velocity_whole)
EACH_TILE(body_acceleration_free)
EACH_TILE(body_acceleration_set)
EACH_TILE(body_acceleration_whole)
EACH_TILE(body_response)

extern const struct step_body_kernels LANE_NAME(step_body_kernels);
const struct step_body_kernels LANE_NAME(step_body_kernels) = {
    .body_predict = body_predict,
    .body_frame = body_frame,
    .body_free = body_free,
    .body_step = body_step,
    .body_position_free = body_position_free,
    .body_position_set = body_position_set,
    .body_velocity_free = body_velocity_free,
    .body_velocity_set = body_velocity_set,
    .body_velocity_refine = body_velocity_refine,
    .body_velocity_whole = body_velocity_whole,
    .body_acceleration_free = body_acceleration_free,
    .body_acceleration_set = body_acceleration_set,
    .body_acceleration_whole = body_acceleration_whole,
    .body_response = body_response,
};
