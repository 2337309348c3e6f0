/* SPDX-License-Identifier: MIT
 * Loop code: kernels of bodies. Every function processes LANES bodies at a time: one tile of the tree. */
#include "kernels/body_mean.h"

/* q' and q'' from q. With beta 1/4 and gamma 1/2 the formulas are (15) and (16). q, q', q'' are consecutive arrays of 7
 * numbers. */
INLINED void integrate(const struct rule_lanes *r, const num *last, num *now)
{
  for (int i = 0; i < 7; i++) {
    num a = last[7 + i], b = last[14 + i], d = now[i] - last[i];
    now[7 + i] = num_fma(r->v_a, b, num_fma(r->v_v, a, r->v_d * d));
    now[14 + i] = num_fma(r->a_a, b, num_fma(r->a_v, a, r->a_d * d));
  }
}

INLINED struct spin_tile spin_tile_of(const struct stage *s, const struct bodies *b)
{
  return (struct spin_tile){.m = s->m, .d = s->d, .t = b->t};
}

/* q' and q'' from q, with the formulas of spin.h for fast bodies. */
INLINED void integrate_fast(const struct stage *s, const struct bodies *b, bool fast)
{
  integrate(&s->rule, b->last, (num *)b->x);
  if (!fast) return;
  const struct spin_tile o = spin_tile_of(s, b);
  spin_integrate(&o, (const struct body_state *)b->last, b->delta, b->x);
}

INLINED void body_predict_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num *now = (num *)b.x, *last = b.last;
  for (int i = 0; i < 7; i++) now[i] = num_fma(s->dt, num_fma(s->leap, last[14 + i], last[7 + i]), last[i]);
  const struct spin_tile o = spin_tile_of(s, &b);
  const struct body_state *from = (const struct body_state *)last;
  s->fast[tile] = may_be_fast(s, b.t, from) && spin_predict(&o, num_lane(s->leap, 0), from, b.x);
  integrate_fast(s, &b, s->fast[tile]);
  keep_frame(b.f, b.x);
}

INLINED void body_frame_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  keep_frame(b.f, b.x);
}

/* A sum of explicit methods: q and q' at the start, and weights times q' and q'' of earlier states. */
INLINED void body_advance_of(const struct stage *s, int tile)
{
  enum { Q = 14 };
  const struct explicit_states *states = &s->d->states;
  const struct bodies b = bodies_of(s, tile);
  num *now = (num *)b.x, sum[Q];
  for (int i = 0; i < Q; i++) sum[i] = b.last[i];
  for (int k = 0; k < states->terms; k++) {
    const num *rate = (const num *)(states->term[k] + b.slot * X_NUMBERS) + 7,
              weight = num_all(states->weight[k]);
    for (int i = 0; i < Q; i++) sum[i] = num_fma(weight, rate[i], sum[i]);
  }
  for (int i = 0; i < Q; i++) now[i] = sum[i];
  const struct body_state *from = (const struct body_state *)b.last;
  if (may_be_fast(s, b.t, from)) {
    const struct spin_tile o = spin_tile_of(s, &b);
    spin_advance(&o, from, b.x);
  }
  keep_frame(b.f, b.x);
}

INLINED void body_change_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  const num *other = (const num *)(s->d->states.term[0] + b.slot * X_NUMBERS), *now = (const num *)b.x;
  num largest = num_all(0.0);
  for (int i = 14; i < X_NUMBERS; i++)
    largest = num_max(num_max(now[i] - other[i], other[i] - now[i]), largest);
  *numbers_at(s->increment, b.slot, 1) = largest;
}

/* w = -delta (g + J'lambda) in the pose x, f. */
INLINED void free_of(const struct stage *s, const struct bodies *b, int tile, bool fast,
                     const struct body_state *x, const struct body_frame *f, num mu)
{
  const num *constant = numbers_at(s->constant, b->slot, BODY_NUMBERS);
  num rhs[BODY_Y], load[BODY_Y], mu_total = num_fma(b->delta->alpha, f->s - 1.0, mu);
  body_rhs(constant[BODY_MASS], constant + BODY_INERTIA, b->t->diagonal, x, f, s->gravity, mu_total, rhs);
  struct wrench by_lane;
  if (s->acted[tile]) /* a wrench of 0 does not change the bits */
    body_add_wrench(f, wrench_of(s, b, tile, false, &by_lane), rhs);
  ends_load(b->t, s->end_load, s->lambda, f->R, load);
  for (int y = 0; y < BODY_Y; y++) rhs[y] -= load[y];
  num w[BODY_Y];
  if (b->t->carried) {
    num *o = numbers_at(s->d->solve.carried_rhs, b->slot, BODY_Y);
    for (int y = 0; y < BODY_Y; y++) {
      w[y] = num_all(0.0);
      o[y] = rhs[y];
    }
  } else {
    body_apply_delta_as(b->t->diagonal, b->delta, rhs, w);
  }
  if (fast) {
    const struct spin_tile o = spin_tile_of(s, b);
    spin_free(&o, x, b->delta, w);
  }
  put_w(b, w);
  ends_point_value(POINT_FREE, b->t, s->point_value, x, f, factored_frame(s, b), w);
}

INLINED void body_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  free_of(s, &b, tile, s->fast[tile], b.x, b.f, *numbers_at(s->mu, b.slot, 1));
}

INLINED bool is_alone(const struct stage *s, int tile)
{
  return s->tile[tile].self_contained && !s->fast[tile];
}

INLINED void body_free_rest_of(const struct stage *s, int tile)
{
  if (!is_alone(s, tile)) body_free_of(s, tile);
}

/* dq = w - delta J'z, dmu = alpha (Psi + Psi_q dq); updates q and mu. */
INLINED void move(const struct stage *s, const struct bodies *b)
{
  num y[BODY_Y], *mu = numbers_at(s->mu, b->slot, 1);
  correct(s, b, y);
  num sum = y[0] * y[0];
  for (int k = 1; k < 3; k++) sum = num_fma(y[k], y[k], sum);
  *numbers_at(s->travel, b->slot, 1) = sum;
  for (int k = 3; k < BODY_Y; k++) sum = num_fma(y[k], y[k], sum);
  *numbers_at(s->increment, b->slot, 1) = sum;
  body_move(b->x, b->f, y);
  *mu = num_fma(b->delta->alpha, b->f->s - 1.0 + 2.0 * y[6], *mu);
}

INLINED void body_step_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  struct body_frame *f = spare_frame(s, &b);
  move(s, &b);
  integrate_fast(s, &b, s->fast[tile]);
  keep_frame(f, b.x);
  ends_point_value(POINT_POSITION, b.t, s->point_value, b.x, f, NULL, NULL);
}

/* No link reads q', q'' and R of a self-contained body before the end of the step. Out of line: a second run after late
 * inputs, which does not move the body, gives equal bits. */
__attribute__((noinline)) static void turn_alone(const struct stage *s, int tile)
{
  enum { Q = 7 };
  const struct bodies b = bodies_of(s, tile);
  struct body_frame *to = s->again ? b.f : spare_frame(s, &b), f;
  struct body_state x;
  if (!s->again) move(s, &b);
  for (int i = 0; i < Q; i++) ((num *)&x)[i] = ((num *)b.x)[i];
  integrate(&s->rule, b.last, (num *)&x);
  body_frame_update(&f, &x);
  to->s = f.s;
  to->inverse = f.inverse;
  free_of(s, &b, tile, false, &x, &f, *numbers_at(s->mu, b.slot, 1));
}

INLINED void body_turn_of(const struct stage *s, int tile)
{
  if (is_alone(s, tile))
    turn_alone(s, tile);
  else
    body_step_of(s, tile);
}

INLINED void body_load_of(const struct stage *s, int tile)
{
  if (!s->acted[tile]) return;
  const struct bodies b = bodies_of(s, tile);
  if (is_alone(s, tile) && s->again)
    turn_alone(s, tile);
  else
    free_of(s, &b, tile, s->fast[tile], b.x, b.f, *numbers_at(s->mu, b.slot, 1));
}

/* Positions: Phi_q dq = -Phi and Psi_q dq = -Psi, hence w = (0, 0, -Psi/2). */
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
  *numbers_at(s->increment, b.slot, 1) = largest;
  struct body_frame *f = spare_frame(s, &b);
  body_move(b.x, b.f, y);
  keep_frame(f, b.x);
  ends_point_value(POINT_POSITION, b.t, s->point_value, b.x, f, NULL, NULL);
}

/* Velocities, (40-54): w_v = M^^^-1 M^ q'* = (r', w, 0). */
INLINED void body_velocity_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  body_velocity(b.x, y);
  y[6] = num_all(0.0);
  put_w_points(s, &b, POINT_RATE, y);
}

INLINED void body_velocity_set_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  correct(s, &b, y);
  body_set_velocity(b.x, b.f, y);
  put_w_points(s, &b, POINT_RATE, y);
}

/* The next pass corrects these velocities again. It reads nothing from the state except the n that soft rows resist. */
INLINED void body_velocity_refine_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  correct(s, &b, y);
  if (s->soft) body_set_velocity(b.x, b.f, y);
  y[6] = num_all(0.0);
  put_w_points(s, &b, POINT_RATE, y);
}

INLINED void body_velocity_whole_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  body_velocity(b.x, y);
  put_w_points(s, &b, POINT_RATE, y);
}

/* Accelerations, (55-69): w_a = (r'', w', -p'.p'), the last from Psi_q p'' = nu. */
INLINED void body_acceleration_free_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  body_acceleration(b.x, y);
  y[6] = -p_dot(b.x->pd, b.x->pd);
  put_w_points(s, &b, POINT_SECOND, y);
}

/* q'' from the balance of forces at the state, M y'' = Q - J'lambda. The components along the constraints depend on q and q'
 * alone, and have their accuracy. The projection that follows corrects the components across the constraints. */
INLINED void body_balance_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  const num *constant = numbers_at(s->constant, b.slot, BODY_NUMBERS);
  num rhs[BODY_Y], load[BODY_Y], y[BODY_Y];
  if (b.t->carried) {
    body_acceleration_free_of(s, tile);
    return;
  }
  /* forces on the body at rest */
  struct body_state still = *b.x;
  for (int i = 0; i < 3; i++) still.rdd[i] = num_all(0.0);
  for (int i = 0; i < 4; i++) still.pdd[i] = num_all(0.0);
  body_rhs(constant[BODY_MASS], constant + BODY_INERTIA, b.t->diagonal, &still, b.f, s->gravity, num_all(0.0),
           rhs);
  struct wrench by_lane;
  if (s->acted[tile]) body_add_wrench(b.f, wrench_of(s, &b, tile, false, &by_lane), rhs);
  ends_load(b.t, s->end_load, s->lambda, b.f->R, load);
  for (int k = 0; k < BODY_Y; k++) rhs[k] -= load[k];
  body_apply_delta_as(b.t->diagonal, b.delta, rhs, y);
  for (int k = 0; k < BODY_Y - 1; k++) y[k] *= s->per_h;
  y[6] = -p_dot(b.x->pd, b.x->pd);
  put_w_points(s, &b, POINT_SECOND, y);
}

/* The multipliers stretch the Euler parameters by delta f in n, which bodies do not feel: see project_unfelt(). */
INLINED void body_acceleration_felt_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num load[BODY_Y], y[BODY_Y];
  body_acceleration(b.x, y);
  ends_load(b.t, s->end_load, s->lambda, b.f->R, load);
  y[6] = -p_dot(b.x->pd, b.x->pd) - s->per_h * b.delta->n * load[6];
  put_w_points(s, &b, POINT_SECOND, y);
}

INLINED void body_stretch_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num load[BODY_Y], y[BODY_Y];
  for (int k = 0; k < BODY_Y; k++) y[k] = num_all(0.0);
  if (!b.t->carried) {
    ends_load(b.t, s->end_load, s->z, factored_frame(s, &b)->R, load);
    y[6] = b.delta->n * load[6];
  }
  put_w_points(s, &b, POINT_RATE, y);
}

INLINED void body_acceleration_set_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  correct(s, &b, y);
  body_set_acceleration(b.x, b.f, y);
  put_w_points(s, &b, POINT_SECOND, y);
}

/* The next pass corrects these accelerations again. The state keeps its own. */
INLINED void body_acceleration_refine_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  correct(s, &b, y);
  put_w_points(s, &b, POINT_SECOND, y);
}

INLINED void body_acceleration_whole_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num y[BODY_Y];
  body_acceleration(b.x, y);
  put_w_points(s, &b, POINT_SECOND, y);
}

/* Removes the force that soft rows lost from the accelerations. */
INLINED void body_settle_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num f[BODY_Y], change[BODY_Y], y[BODY_Y];
  if (b.t->carried) return;
  ends_load(b.t, s->end_load, NULL, b.f->R, f);
  body_apply_delta_as(b.t->diagonal, b.delta, f, change);
  body_acceleration(b.x, y);
  for (int k = 0; k < BODY_Y - 1; k++) y[k] += change[k] * s->per_h;
  body_set_acceleration(b.x, b.f, y);
}

/* y = delta J'z of a body. A carried body subtracts its unknown e, and its beta is the residual of delta^-1 e + J'z = rhs. */
INLINED void body_response_of(const struct stage *s, int tile)
{
  const struct bodies b = bodies_of(s, tile);
  num f[BODY_Y], g[BODY_Y], *response = numbers_at(s->d->solve.response, b.slot, BODY_Y);
  ends_load(b.t, s->end_load, s->z, factored_frame(s, &b)->R, f);
  if (!b.t->carried) {
    body_apply_delta_as(b.t->diagonal, b.delta, f, response);
    return;
  }
  const num *e = (const num *)(s->d->solve.z + b.t->at),
            *rhs = numbers_at(s->d->solve.carried_rhs, b.slot, BODY_Y);
  num *beta = (num *)(s->d->solve.beta + b.t->at), *first = (num *)(s->d->solve.z_first + b.t->at);
  body_apply_delta_as(b.t->diagonal, b.delta, e, g);
  for (int y = 0; y < BODY_Y; y++) {
    beta[y] = rhs[y] - (g[y] + f[y]);
    response[y] = -e[y];
    first[y] = e[y];
  }
}

#define EACH_TILE(kernel, flops)                                                                             \
  static void kernel(const ali3_model *m, ali3_data *d, const int *tile, int count)                          \
  {                                                                                                          \
    const struct stage s = stage_of(m, d);                                                                   \
    for (int i = 0; i < count; i++) kernel##_of(&s, tile[i]);                                                \
  }
BODY_KERNELS(EACH_TILE)

extern step_kernel *const LANE_NAME(body_kernels)[BODY_KERNEL_COUNT];
step_kernel *const LANE_NAME(body_kernels)[BODY_KERNEL_COUNT] = {BODY_KERNELS(KERNEL_ENTRY)};
