/* SPDX-License-Identifier: MIT
 * Loop code: kernels of links. Every function does LANES links at a time: the tile `tile` of the tree. Most links join two
 * bodies: for them the loops over sides are laid out flat. */
#include "dynamics/primitives.h"
#include "stepper/kernels.h"

/* What a stage knows of the links of a tile. */
struct links {
  const struct tree_tile *t;
  const struct link_tile *own;
};

static inline struct links links_of(const ali3_model *m, int tile)
{
  return (struct links){&m->frozen->tree->tile[tile], &m->frozen->link_tile[tile]};
}

/* A number per row, and the Jacobian. */
static inline num *per_row(double *base, const struct tree_tile *t)
{
  return (num *)(base + t->at);
}

static inline num *block(double *J, const struct tree_tile *t)
{
  return (num *)(J + t->jacobian);
}

/* Out of line, so that what lies side by side stays in registers. */
__attribute__((noinline)) static void pick_bodies(const struct tree_body *body, const double *base,
                                                  int numbers, int first, int end, num *o)
{
  struct lane_at from[LANES];
  for (int l = 0; l < LANES; l++) {
    from[l].at = (size_t)body[l].first * (size_t)numbers + (size_t)body[l].lane;
    from[l].stride = (size_t)body[l].width;
  }
  num_pick_all(base, from, (size_t)first, (size_t)end, o);
}

/* Numbers first .. end-1 of what each body has `numbers` of, for the bodies of a side; if they do not lie side by side, in
 * `room`, from `first` on. */
static inline const num *of_side(const struct link_tile *own, int side, const double *base, int numbers,
                                 int first, int end, num *room)
{
  const struct tree_body *body = own->side[side];
  if (own->aligned[side]) return (const num *)(base + (size_t)body->first * (size_t)numbers);
  pick_bodies(body, base, numbers, first, end, room);
  return room;
}

/* w, or what else has 7 numbers for each body, of all sides */
static inline void take_sides(const struct link_tile *own, int sides, const double *w,
                              num o[ROWS_SIDES][BODY_Y])
{
  for (int side = 0; side < sides; side++) {
    num room[BODY_Y];
    const num *from = of_side(own, side, w, BODY_Y, 0, BODY_Y, room);
    for (int y = 0; y < BODY_Y; y++) o[side][y] = from[y];
  }
}

static inline num dot(const num *a, const num *b)
{
  num sum = a[0] * b[0];
  for (int y = 1; y < BODY_Y; y++) sum += a[y] * b[y];
  return sum;
}

/* Row of J times w; the sides do not wait for each other. */
static inline num times(const num *row, int sides, num w[ROWS_SIDES][BODY_Y])
{
  num sum = dot(row, w[0]);
  for (int side = 1; side < sides; side++) sum += dot(row + BODY_Y * side, w[side]);
  return sum;
}

/* push = J'v of each end */
static inline void push_sides(int rows, int sides, const num *J, const num *v, num *restrict o)
{
  num own[ROWS_MAX];
  for (int k = 0; k < rows; k++) own[k] = v[k];
  for (int y = 0; y < BODY_Y * sides; y++) {
    num sum = J[y] * own[0];
    for (int k = 1; k < rows; k++) sum += J[BODY_Y * sides * k + y] * own[k];
    o[y] = sum;
  }
}

/* The same with the constant columns left out. */
static inline void push_point(int rows, const num *J, const num *v, num *restrict o)
{
  num own[ROWS_MAX];
  for (int k = 0; k < rows; k++) own[k] = v[k];
  for (int k = 0; k < 3; k++) {
    o[k] = -own[k];
    o[BODY_Y + k] = own[k];
  }
  for (int side = 0; side < 2; side++)
    for (int y = BODY_Y * side + 3; y < BODY_Y * side + BODY_Y; y++) {
      num sum = J[y] * own[0];
      for (int k = 1; k < rows; k++) sum += J[PAIR * k + y] * own[k];
      o[y] = sum;
    }
}

/* With the usual numbers of rows and sides as constants. */
static void push_of(const ali3_model *m, ali3_data *d, int tile, double *jacobian, double *rows)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  const num *J = block(jacobian, t), *v = per_row(rows, t);
  num *o = (num *)(d->push + t->load);
  if (m->frozen->link_tile[tile].point) {
    switch (t->rows) {
    case 3:
      push_point(3, J, v, o);
      return;
    case 4:
      push_point(4, J, v, o);
      return;
    case 5:
      push_point(5, J, v, o);
      return;
    default:
      push_point(6, J, v, o);
      return;
    }
  }
  switch (t->sides == 2 ? t->rows : 0) {
  case 1:
    push_sides(1, 2, J, v, o);
    break;
  case 2:
    push_sides(2, 2, J, v, o);
    break;
  case 3:
    push_sides(3, 2, J, v, o);
    break;
  case 4:
    push_sides(4, 2, J, v, o);
    break;
  case 5:
    push_sides(5, 2, J, v, o);
    break;
  case 6:
    push_sides(6, 2, J, v, o);
    break;
  default:
    push_sides(t->rows, t->sides, J, v, o);
  }
}

static inline void products_of(const struct links *l, int sides, const num *J, const double *w,
                               num o[ROWS_MAX])
{
  num own[ROWS_SIDES][BODY_Y];
  take_sides(l->own, sides, w, own);
  for (int k = 0; k < l->t->rows; k++) o[k] = times(J + BODY_Y * sides * k, sides, own);
}

__attribute__((noinline)) static void products_any(const struct links *l, double *J, const double *w,
                                                   num o[ROWS_MAX])
{
  products_of(l, l->t->sides, block(J, l->t), w, o);
}

/* Likewise, with the constant columns left out. */
static inline void products_point(const struct links *l, const num *J, const double *w, num o[ROWS_MAX])
{
  num own[ROWS_SIDES][BODY_Y];
  take_sides(l->own, 2, w, own);
  for (int k = 0; k < l->t->rows; k++, J += PAIR) {
    num a = J[3] * own[0][3], b = J[BODY_Y + 3] * own[1][3];
    for (int y = 4; y < BODY_Y; y++) {
      a += J[y] * own[0][y];
      b += J[BODY_Y + y] * own[1][y];
    }
    o[k] = a + b;
  }
  for (int k = 0; k < 3; k++) o[k] += own[1][k] - own[0][k];
}

/* o = J w of all rows */
static inline void products(const struct links *l, double *J, const double *w, num o[ROWS_MAX])
{
  if (l->own->point)
    products_point(l, block(J, l->t), w, o);
  else if (l->t->sides == 2)
    products_of(l, 2, block(J, l->t), w, o);
  else
    products_any(l, J, w, o);
}

/* What the bodies of lanes not in use make of their rows. */
static void clear_unused(const struct tree *t, const struct tree_tile *tile, num *v, int count)
{
#if LANES > 1
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < count && t->item[tile->item_first + l] < 0; i++) v[i][l] = 0.0;
#else
  (void)t, (void)tile, (void)v, (void)count;
#endif
}

static inline struct primitive_place place_of(const num *constant, int primitive)
{
  const num *u = constant + 7 + 6 * primitive;
  return (struct primitive_place){
      .point = (const num(*)[3])constant, .length = constant[6], .u = u, .v = u + 3};
}

/* The bodies of a link: numbers of x before `numbers`, and frames. */
struct pair_room {
  struct body_state x[2];
  struct body_frame f[2];
};
static inline struct body_pair pair_of(const struct link_tile *own, const ali3_data *d, int numbers,
                                       struct pair_room *room)
{
  struct body_pair pair;
  for (int side = 0; side < 2; side++) {
    pair.x[side] =
        (const struct body_state *)of_side(own, side, d->now.x, X_NUMBERS, 0, numbers, (num *)&room->x[side]);
    pair.f[side] = (const struct body_frame *)of_side(own, side, d->frame, FRAME_NUMBERS, 0, FRAME_NUMBERS,
                                                      (num *)&room->f[side]);
  }
  return pair;
}

static void link_rows(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  if (l.own->lane_by_lane) {
    by_lane_rows(m, d, tile);
    return;
  }
  enum { R = 3 };
  struct pair_room room;
  const struct body_pair pair = pair_of(l.own, d, R, &room);
  const num *constant = (const num *)(m->frozen->link_constant + l.own->constant);
  num *Phi = per_row(d->Phi, l.t), *J = block(d->J, l.t), separate[3];
  if (l.own->point) {
    coincide_turns(&pair, (const num(*)[3])constant, Phi, J);
    for (int k = 1; k < l.own->primitives; k++) {
      const struct primitive_place place = place_of(constant, k);
      dot_turns(&pair, &place, Phi + 2 + k, J + PAIR * (2 + k));
    }
  } else {
    separation(&pair, (const num(*)[3])constant, separate);
    for (int k = 0; k < l.own->primitives; k++) {
      const struct primitive_place place = place_of(constant, k);
      int count = primitive_count(l.own->primitive[k]);
      primitive_rows(l.own->primitive[k], &pair, &place, separate, Phi, J);
      Phi += count;
      J += PAIR * count;
    }
  }
  if (l.own->drives) by_lane_position(m, d, tile);
  if (l.t->used < LANES) {
    clear_unused(m->frozen->tree, l.t, per_row(d->Phi, l.t), l.t->rows);
    clear_unused(m->frozen->tree, l.t, block(d->J, l.t), l.t->rows * PAIR);
  }
}

static void link_push_lambda(const ali3_model *m, ali3_data *d, int tile)
{
  push_of(m, d, tile, d->J, d->now.lambda);
}

static void link_rows_push(const ali3_model *m, ali3_data *d, int tile)
{
  link_rows(m, d, tile);
  link_push_lambda(m, d, tile);
}

static void link_push_z(const ali3_model *m, ali3_data *d, int tile)
{
  push_of(m, d, tile, d->Jf, d->z);
}

static void link_step(const ali3_model *m, ali3_data *d, int tile)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  num *lambda = per_row(d->now.lambda, t), *z = per_row(d->z, t);
  push_of(m, d, tile, d->Jf, d->z);
  for (int k = 0; k < t->rows; k++) lambda[k] += z[k];
}

/* Rigid rows: beta = Phi + J w. A law L(Phi, Phi'), with Phi' = J q' of the integrator, is met by
 *   beta = (L - lambda)/k' + J w,   compliance 1/k',   k' = k + c v_d for L = k Phi + c Phi' */
static void link_beta(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  num sum[ROWS_MAX], *beta = per_row(d->beta, l.t);
  const num *Phi = per_row(d->Phi, l.t), *c = per_row(d->c, l.t), *law = per_row(d->law, l.t),
            *lambda = per_row(d->now.lambda, l.t);
  products(&l, d->Jf, d->w, sum);
  if (l.t->soft) {
    for (int k = 0; k < l.t->rows; k++) beta[k] = sum[k] + c[k] * (law[k] - lambda[k]);
  } else {
    for (int k = 0; k < l.t->rows; k++) beta[k] = sum[k] + Phi[k];
  }
}

static void link_position_beta(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  num sum[ROWS_MAX], *beta = per_row(d->beta, l.t);
  const num *Phi = per_row(d->Phi, l.t);
  products(&l, d->Jf, d->w, sum);
  for (int k = 0; k < l.t->rows; k++) {
    beta[k] = sum[k];
    if (!l.t->soft) beta[k] += Phi[k];
  }
}

/* A soft row resists the correction, not the motion: J (w - y), and w differs from y = y' or y'' in n alone; if it
 * is held it is as a rigid one. beta: as of rigid rows. second: y = y''. */
static void resist(const struct links *l, ali3_data *d, bool second, num *beta)
{
  const num *J = block(d->J, l->t);
  num n[ROWS_SIDES];
  for (int side = 0; side < l->t->sides; side++) {
    num room[X_NUMBERS], w[BODY_Y];
    enum { P = 3, PD = 10, PDD = 17 };
    const num *x = of_side(l->own, side, d->now.x, X_NUMBERS, P, X_NUMBERS, room);
    n[side] = of_side(l->own, side, d->w, BODY_Y, BODY_Y - 1, BODY_Y, w)[BODY_Y - 1] -
              p_dot(x + P, x + (second ? PDD : PD));
  }
  for (int k = 0; k < l->t->rows; k++) {
    num sum = num_all(0.0);
    for (int side = 0; side < l->t->sides; side++, J += BODY_Y) sum += J[BODY_Y - 1] * n[side];
    beta[k] = num_select(num_flags(d->held + l->t->at + k * LANES), beta[k], sum);
  }
}

/* A rigid row asks for J y' = 0, or the rate at which a drive aims; a held one has a rate of its own. */
static void link_velocity_beta(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  num sum[ROWS_MAX], *beta = per_row(d->beta, l.t);
  const num *hold = per_row(d->hold, l.t);
  products(&l, d->J, d->w, sum);
  for (int k = 0; k < l.t->rows; k++) {
    beta[k] = sum[k];
    if (l.t->soft) beta[k] -= hold[k];
  }
  if (l.t->soft) resist(&l, d, false, beta);
  if (l.own->drives) by_lane_aim(m, d, tile, false);
}

static void bias_of(const ali3_model *m, const ali3_data *d, const struct links *l, num *bias)
{
  enum { WITHOUT_SECOND = 14 };
  struct pair_room room;
  struct pair_motion motion;
  const struct body_pair pair = pair_of(l->own, d, WITHOUT_SECOND, &room);
  const num *constant = (const num *)(m->frozen->link_constant + l->own->constant);
  num *o = bias;
  bool apart = false;
  for (int k = 0; k < l->own->primitives; k++)
    apart |= l->own->primitive[k] != ROW_COINCIDE && l->own->primitive[k] != ROW_DOT;
  pair_motion(&motion, &pair, (const num(*)[3])constant, apart);
  for (int k = 0; k < l->own->primitives; k++) {
    const struct primitive_place place = place_of(constant, k);
    primitive_bias(l->own->primitive[k], &pair, &place, &motion, o);
    o += primitive_count(l->own->primitive[k]);
  }
  if (l->t->used < LANES) clear_unused(m->frozen->tree, l->t, bias, l->t->rows);
}

/* beta = J w_a - gamma */
static void link_acceleration_beta(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  num sum[ROWS_MAX], *bias = per_row(d->bias, l.t), *beta = per_row(d->beta, l.t);
  if (l.own->lane_by_lane)
    by_lane_bias(m, d, tile, (double *)bias);
  else
    bias_of(m, d, &l, bias);
  products(&l, d->J, d->w, sum);
  for (int k = 0; k < l.t->rows; k++) beta[k] = sum[k] + bias[k];
  if (l.t->soft) resist(&l, d, true, beta);
  if (l.own->drives) by_lane_aim(m, d, tile, true);
}

/* The largest of the rows of each link, or what is no number. */
static inline void leave(const struct links *l, const num *row, num *left)
{
  num largest = num_all(0.0), sum = num_all(0.0);
  for (int k = 0; k < l->t->rows; k++) {
    num own = num_max(row[k], -row[k]);
    largest = num_max(own, largest);
    sum += own;
  }
  *left = largest + 0.0 * sum;
}

static void link_velocity_left(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  num row[ROWS_MAX];
  if (l.own->drives) {
    link_velocity_beta(m, d, tile);
    leave(&l, per_row(d->beta, l.t), per_row(d->left[0], l.t));
    return;
  }
  products(&l, d->J, d->w, row);
  leave(&l, row, per_row(d->left[0], l.t));
}

static void link_acceleration_left(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  num row[ROWS_MAX];
  const num *bias = per_row(d->bias, l.t);
  if (l.own->drives) {
    link_acceleration_beta(m, d, tile);
    leave(&l, per_row(d->beta, l.t), per_row(d->left[1], l.t));
    return;
  }
  products(&l, d->J, d->w, row);
  for (int k = 0; k < l.t->rows; k++) row[k] += bias[k];
  leave(&l, row, per_row(d->left[1], l.t));
}

/* beta - S z, with z kept aside */
static void link_residual(const ali3_model *m, ali3_data *d, int tile)
{
  const struct links l = links_of(m, tile);
  num sum[ROWS_MAX], *beta = per_row(d->beta, l.t), *kept = per_row(d->z_kept, l.t);
  const num *z = per_row(d->z, l.t), *c = per_row(d->c, l.t);
  products(&l, d->Jf, d->response, sum);
  for (int k = 0; k < l.t->rows; k++) {
    beta[k] = beta[k] - c[k] * z[k] - sum[k];
    kept[k] = z[k];
  }
}

extern const struct step_link_kernels LANE_NAME(step_link_kernels);
const struct step_link_kernels LANE_NAME(step_link_kernels) = {
    .link_rows = link_rows,
    .link_rows_push = link_rows_push,
    .link_push_lambda = link_push_lambda,
    .link_push_z = link_push_z,
    .link_step = link_step,
    .link_beta = link_beta,
    .link_position_beta = link_position_beta,
    .link_velocity_beta = link_velocity_beta,
    .link_acceleration_beta = link_acceleration_beta,
    .link_velocity_left = link_velocity_left,
    .link_acceleration_left = link_acceleration_left,
    .link_residual = link_residual,
};
