/* SPDX-License-Identifier: MIT
 * Loop code: kernels of bodies. Every function does LANES bodies at a time: the tile `tile` of the tree. */
#include "stepper/kernels.h"

/* What a stage knows of the bodies of a tile. */
struct bodies {
  const struct tree_tile *t;
  struct body_state *x;
  struct body_frame *f;
  num *w;
};

static inline num *numbers(double *base, const struct tree_tile *t, int count)
{
  return (num *)(base + (size_t)t->slot * (size_t)count);
}

static inline struct bodies bodies_of(const ali3_model *m, const ali3_data *d, int tile)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  return (struct bodies){.t = t,
                         .x = (struct body_state *)numbers(d->now.x, t, X_NUMBERS),
                         .f = (struct body_frame *)numbers(d->frame, t, FRAME_NUMBERS),
                         .w = numbers(d->w, t, BODY_Y)};
}

static inline const struct body_delta *delta_of(const ali3_data *d, const struct tree_tile *t)
{
  return (const struct body_delta *)numbers(d->delta, t, DELTA_NUMBERS);
}

/* Out of line, so that what lies side by side stays in registers. */
__attribute__((noinline)) static void pick_push(const double *push, const struct lane_at *from, num o[BODY_Y])
{
  num_pick_all(push, from, 0, BODY_Y, o);
}

/* f = sum of push over the ends */
static inline void gather(const ali3_model *m, const ali3_data *d, int tile, num f[BODY_Y])
{
  const struct body_tile *own = &m->frozen->body_tile[tile];
  for (int y = 0; y < BODY_Y; y++) f[y] = num_all(0.0);
  for (const struct body_end *e = own->end; e < own->end + own->ends; e++) {
    num apart[BODY_Y];
    const num *push = (const num *)(d->push + e->push->at);
    if (!e->aligned) {
      pick_push(d->push, e->push, apart);
      push = apart;
    }
    for (int y = 0; y < BODY_Y; y++) f[y] += push[y];
  }
}

/* y = w - delta f, or w + e, and what becomes of it: with the Jacobian of the factors, since where rows are redundant z has a
 * large part that loads no body by that one, and would by any other. `then` is inlined twice, so that y stays in
 * registers. */
typedef void correction(ali3_data *d, const struct bodies *b, const num y[BODY_Y]);
__attribute__((always_inline)) static inline void correct(const ali3_model *m, ali3_data *d, int tile,
                                                          correction *then)
{
  const struct bodies b = bodies_of(m, d, tile);
  num y[BODY_Y];
  if (b.t->carried) {
    const num *e = (const num *)(d->z + b.t->at);
    for (int k = 0; k < BODY_Y; k++) y[k] = b.w[k] + e[k];
    then(d, &b, y);
  } else {
    num f[BODY_Y], df[BODY_Y];
    gather(m, d, tile, f);
    body_apply_delta(delta_of(d, b.t), f, df);
    for (int k = 0; k < BODY_Y; k++) y[k] = b.w[k] - df[k];
    then(d, &b, y);
  }
}

/* q' and q'' from q; with beta 1/4 and gamma 1/2 these are (15) and (16). q, q', q'' are 7 numbers each, one
 * after the other. */
static inline void integrate(const struct rule *r, const num *last, num *now)
{
  for (int i = 0; i < 7; i++) {
    num a = last[7 + i], b = last[14 + i], d = now[i] - last[i];
    now[7 + i] = r->v_d * d + r->v_v * a + r->v_a * b;
    now[14 + i] = r->a_d * d + r->a_v * a + r->a_a * b;
  }
}

static void body_predict(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  const struct rule r = d->rule;
  num *now = (num *)b.x, *last = numbers(d->last.x, b.t, X_NUMBERS);
  /* at the start the accelerations may be those of stiff springs let go: nothing to follow for a whole step */
  double leap = d->some_stiff && d->report.step == 0 ? 0.0 : 0.5 * r.dt;
  for (int i = 0; i < X_NUMBERS; i++) last[i] = now[i];
  for (int i = 0; i < 7; i++) now[i] = last[i] + r.dt * (last[7 + i] + leap * last[14 + i]);
  integrate(&r, last, now);
  body_frame_update(b.f, b.x);
}

static void body_frame(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  body_frame_update(b.f, b.x);
}

/* w = -delta (g + J'lambda) */
static void body_free(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  const struct body_delta *delta = delta_of(d, b.t);
  const num *constant = numbers(m->frozen->constant, b.t, BODY_NUMBERS), *mu = numbers(d->now.mu, b.t, 1);
  num g[BODY_Y], f[BODY_Y], mu_total = *mu + delta->alpha * (b.f->s - 1.0);
  gather(m, d, tile, f);
  body_unbalanced(constant[BODY_MASS], constant + BODY_INERTIA, b.x, b.f, m->gravity, mu_total, g);
  if (d->acted[tile]) { /* without a load it comes to the same bits either way */
    double *loads = m->frozen->body_tile[tile].loaded ? d->load : d->external;
    body_unload(b.f, (const struct body_load *)numbers(loads, b.t, LOAD_NUMBERS), g);
  }
  if (b.t->carried) {
    num *pull = numbers(d->pull, b.t, BODY_Y);
    for (int y = 0; y < BODY_Y; y++) {
      b.w[y] = num_all(0.0);
      pull[y] = -(g[y] + f[y]);
    }
    return;
  }
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + f[y]);
  body_apply_delta(delta, g, b.w);
}

/* dq = w - delta J'z, dmu = alpha (Psi + Psi_q dq) */
static inline void step_by(ali3_data *d, const struct bodies *b, const num y[BODY_Y])
{
  num *mu = numbers(d->now.mu, b->t, 1);
  num sum = y[0] * y[0];
  for (int k = 1; k < BODY_Y; k++) sum += y[k] * y[k];
  *numbers(d->increment, b->t, 1) = sum;
  *mu += delta_of(d, b->t)->alpha * (b->f->s - 1.0 + 2.0 * y[6]);
  body_move(b->x, b->f, y);
  integrate(&d->rule, numbers(d->last.x, b->t, X_NUMBERS), (num *)b->x);
  body_frame_update(b->f, b->x);
}

static void body_step(const ali3_model *m, ali3_data *d, int tile)
{
  correct(m, d, tile, step_by);
}

/* Positions: Phi_q dq = -Phi and Psi_q dq = -Psi, nothing else: w = (0, 0, -Psi/2). */
static void body_position_free(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  for (int y = 0; y < BODY_Y - 1; y++) b.w[y] = num_all(0.0);
  b.w[6] = -0.5 * (b.f->s - 1.0);
}

static inline void position_by(ali3_data *d, const struct bodies *b, const num y[BODY_Y])
{
  num largest = num_all(0.0);
  for (int k = 0; k < BODY_Y; k++) largest = num_max(num_max(y[k], -y[k]), largest);
  *numbers(d->increment, b->t, 1) = largest;
  body_move(b->x, b->f, y);
  body_frame_update(b->f, b->x);
}

static void body_position_set(const ali3_model *m, ali3_data *d, int tile)
{
  correct(m, d, tile, position_by);
}

/* Velocities, (40-54): w_v = M^^^-1 M^ q'* = (r', w, 0). */
static void body_velocity_free(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  num y[BODY_Y];
  body_velocity(b.x, y);
  for (int k = 0; k < BODY_Y - 1; k++) b.w[k] = y[k];
  b.w[6] = num_all(0.0);
}

static inline void velocity_by(ali3_data *d, const struct bodies *b, const num y[BODY_Y])
{
  (void)d;
  body_set_velocity(b->x, b->f, y);
  for (int k = 0; k < BODY_Y; k++) b->w[k] = y[k];
}

static void body_velocity_set(const ali3_model *m, ali3_data *d, int tile)
{
  correct(m, d, tile, velocity_by);
}

static void body_velocity_again(const ali3_model *m, ali3_data *d, int tile)
{
  bodies_of(m, d, tile).w[BODY_Y - 1] = num_all(0.0);
}

static void body_velocity_whole(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  body_velocity(b.x, b.w);
}

/* Accelerations, (55-69): w_a = (r'', w', -p'.p'), the last from Psi_q p'' = nu. */
static void body_acceleration_free(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  num y[BODY_Y];
  body_acceleration(b.x, y);
  for (int k = 0; k < BODY_Y - 1; k++) b.w[k] = y[k];
  b.w[6] = -p_dot(b.x->pd, b.x->pd);
}

static inline void acceleration_by(ali3_data *d, const struct bodies *b, const num y[BODY_Y])
{
  (void)d;
  body_set_acceleration(b->x, b->f, y);
  for (int k = 0; k < BODY_Y; k++) b->w[k] = y[k];
}

static void body_acceleration_set(const ali3_model *m, ali3_data *d, int tile)
{
  correct(m, d, tile, acceleration_by);
}

static void body_acceleration_whole(const ali3_model *m, ali3_data *d, int tile)
{
  const struct bodies b = bodies_of(m, d, tile);
  body_acceleration(b.x, b.w);
}

/* y = delta J'z of a body; of a carried one less its unknown e, and what is left of delta^-1 e + J'z = pull */
static void body_response(const ali3_model *m, ali3_data *d, int tile)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  num f[BODY_Y], g[BODY_Y], *response = numbers(d->response, t, BODY_Y);
  gather(m, d, tile, f);
  if (!t->carried) {
    body_apply_delta(delta_of(d, t), f, response);
    return;
  }
  const num *e = (const num *)(d->z + t->at), *pull = numbers(d->pull, t, BODY_Y);
  num *beta = (num *)(d->beta + t->at), *kept = (num *)(d->z_kept + t->at);
  body_apply_delta(delta_of(d, t), e, g);
  for (int y = 0; y < BODY_Y; y++) {
    beta[y] = pull[y] - (g[y] + f[y]);
    response[y] = -e[y];
    kept[y] = e[y];
  }
}

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
    .body_velocity_again = body_velocity_again,
    .body_velocity_whole = body_velocity_whole,
    .body_acceleration_free = body_acceleration_free,
    .body_acceleration_set = body_acceleration_set,
    .body_acceleration_whole = body_acceleration_whole,
    .body_response = body_response,
};
