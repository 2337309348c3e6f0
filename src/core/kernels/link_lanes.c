/* SPDX-License-Identifier: MIT
 * Loop code: kernels of links. Every function processes LANES links at a time: one tile, by its shape (link_tiles.h). */
#include "kernels/link_mean.h"

/* Rows of the directions that follow a point. */
__attribute__((noinline)) static void rows_directions(struct links l, struct body_pair pair)
{
  num *Phi = per_row(l.d->solve.Phi, l), *J = jacobian_block(l.d->here.J, l) + TREE_UNIT;
  for (int k = 1; k < l.own->primitives; k++) {
    const struct primitive_values values = values_of_constant((const num *)l.own->constant, k);
    dot_turns(&pair, &values, Phi + 2 + k, J + PAIR_TURNS * (2 + k));
  }
}

/* Rows of points and directions. Out of line, like all rows: after a failed step another kernel recomputes the rows of its
 * start, and an inlined copy may round differently. */
__attribute__((noinline)) static void rows_point(struct links l)
{
  enum { R = 3 };
  struct pair_room room;
  const struct body_pair pair = pair_of_tile(l, R, &room);
  coincide_turns(&pair, (const num(*)[3])l.own->constant, per_row(l.d->solve.Phi, l),
                 jacobian_block(l.d->here.J, l) + TREE_UNIT);
  if (l.own->primitives > 1) rows_directions(l, pair);
}

/* Rows of any primitives. */
__attribute__((noinline)) static void rows_any(struct links l)
{
  if (l.own->lane_by_lane) {
    by_lane_rows(l.m, l.d, l.tile);
    return;
  }
  enum { R = 3, Q = 7 };
  struct pair_room room;
  const bool turns = l.own->primitive[l.own->primitives - 1] == ROW_ROTATION;
  const struct body_pair pair = pair_of_tile(l, turns ? Q : R, &room);
  /* one primitive after the other */
  const num *constant = (const num *)l.own->constant;
  num *Phi = per_row(l.d->solve.Phi, l), *J = jacobian_block(l.d->here.J, l), separate[3];
  point_separation(&pair, (const num(*)[3])constant, separate);
  for (int k = 0; k < l.own->primitives; k++) {
    struct primitive_values values = values_of_constant(constant, k);
    int count = primitive_count(l.own->primitive[k]);
    if (l.own->primitive[k] == ROW_ANGLE) add_angle(l, &values);
    primitive_rows(l.own->primitive[k], &pair, &values, separate, Phi, J);
    Phi += count;
    J += PAIR * count;
  }
  if (l.own->drives) by_lane_position(l.m, l.d, l.tile);
}

INLINE void link_rows_of(struct links l, struct shape s)
{
  if (s.point)
    rows_point(l);
  else
    rows_any(l);
  if (l.t->used < LANES) {
    clear_unused(l, per_row(l.d->solve.Phi, l), s.rows);
    clear_unused(l, jacobian_block(l.d->here.J, l) + unit_columns(s), s.rows * s.sides * stored_columns(s));
  }
}

/* Difference of the point values that the two bodies stored. */
INLINE void point_values_apart(struct links l, num o[3])
{
  const num *a = per_row(l.d->solve.point_value[0], l), *b = per_row(l.d->solve.point_value[1], l);
  for (int k = 0; k < 3; k++) o[k] = b[k] - a[k];
  if (l.t->used < LANES) clear_unused(l, o, 3);
}

/* Difference of the two points: point values are positions relative to r. */
INLINE void positions_apart(struct links l, num o[3])
{
  const num *a = (const num *)(l.d->now.x + l.own->side[0].at[LINK_X]),
            *b = (const num *)(l.d->now.x + l.own->side[1].at[LINK_X]);
  const num *value_a = per_row(l.d->solve.point_value[0], l),
            *value_b = per_row(l.d->solve.point_value[1], l);
  for (int k = 0; k < 3; k++) o[k] = (b[k] - a[k]) + (value_b[k] - value_a[k]);
  if (l.t->used < LANES) clear_unused(l, o, 3);
}

INLINE void link_rows_end_of(struct links l, struct shape s)
{
  num Phi[3];
  if (!bodies_have_points(l, s)) {
    link_rows_of(l, s);
    return;
  }
  positions_apart(l, Phi);
  v3_copy(per_row(l.d->solve.Phi, l), Phi);
}

/* push = J'v if the body kernels do not evaluate it */
INLINE void push_rest(struct links l, struct shape s, double *jacobian, const num *v)
{
  if (!bodies_have_points(l, s)) push_rows(l, s, jacobian_block(jacobian, l), v);
}

/* o = J w of velocities and accelerations; accelerations of links with points include the velocity terms */
INLINE void times_state(struct links l, struct shape s, num o[ROWS_MAX])
{
  if (bodies_have_points(l, s))
    point_values_apart(l, o);
  else
    times_jacobian(l, s, l.d->here.J, l.d->solve.w, o);
}

INLINE void link_push_lambda_of(struct links l, struct shape s)
{
  push_rows(l, s, jacobian_block(l.d->here.J, l), per_row(l.d->now.lambda, l));
}

INLINE void link_rows_push_of(struct links l, struct shape s)
{
  link_rows_of(l, s);
  push_rest(l, s, l.d->here.J, per_row(l.d->now.lambda, l));
}

/* push += J'lambda of the directions that follow a point, and their Phi. */
__attribute__((noinline)) static void push_directions(struct links l, struct body_pair pair, num *load)
{
  num *Phi = per_row(l.d->solve.Phi, l);
  const num *lambda = per_row(l.d->now.lambda, l);
  for (int k = 1; k < l.own->primitives; k++) {
    const struct primitive_values values = values_of_constant((const num *)l.own->constant, k);
    num J[PAIR_TURNS];
    dot_turns(&pair, &values, Phi + 2 + k, J);
    for (int side = 0; side < 2; side++)
      for (int y = 0; y < TURNS; y++) load[BODY_Y * side + 3 + y] += J[TURNS * side + y] * lambda[2 + k];
  }
}

/* A coinciding point has end loads without a stored J. */
INLINE void link_push_rows_of(struct links l, struct shape s)
{
  if (bodies_have_points(l, s)) return;
  if (!s.point || l.t->soft) {
    link_rows_push_of(l, s);
    return;
  }
  enum { R = 3 };
  struct pair_room room;
  const struct body_pair pair = pair_of_tile(l, R, &room);
  const num *lambda = per_row(l.d->now.lambda, l);
  num load[PAIR], Phi[3];
  coincide_push(&pair, (const num(*)[3])l.own->constant, lambda, Phi, load);
  v3_copy(per_row(l.d->solve.Phi, l), Phi);
  if (s.rows > 3) push_directions(l, pair, load);
  if (l.t->used < LANES) clear_unused(l, per_row(l.d->solve.Phi, l), s.rows);
  for (int side = 0; side < 2; side++) put_end_load(l, side, load + BODY_Y * side);
}

/* Soft rows, drives and new factors need Phi and J of link_rows(). */
INLINE void link_mean_rows_of(struct links l, struct shape s)
{
  num unread[ROWS_MAX], *Phi = per_row(l.d->solve.Phi, l);
  if (bodies_have_points(l, s)) return;
  const bool rows = l.t->soft || l.own->lane_by_lane || l.own->drives || l.m->frozen->switches;
  if (rows) link_rows_of(l, s);
  put_mean(l, s, rows ? unread : Phi);
  if (!rows && l.t->used < LANES) clear_unused(l, Phi, s.rows);
}

INLINE void link_rest_lambda_of(struct links l, struct shape s)
{
  push_rest(l, s, l.d->here.J, per_row(l.d->now.lambda, l));
}

INLINE void link_rest_z_of(struct links l, struct shape s)
{
  push_rest(l, s, l.d->factored.J, per_row(l.d->solve.z, l));
}

INLINE void link_push_z_of(struct links l, struct shape s)
{
  push_rows(l, s, jacobian_block(l.d->here.J, l), per_row(l.d->solve.z, l));
}

INLINE void link_step_of(struct links l, struct shape s)
{
  const num *from = per_row(l.d->solve.z, l);
  num *lambda = per_row(l.d->now.lambda, l), z[ROWS_MAX];
  for (int k = 0; k < s.rows; k++) z[k] = from[k];
  for (int k = 0; k < s.rows; k++) lambda[k] += z[k];
  push_rest(l, s, l.d->factored.J, z);
}

/* Rigid rows: beta = Phi + J w. A law L(Phi, Phi'), with Phi' = J q' of the integrator, is satisfied by
 *   beta = (L - lambda)/k' + J w,   compliance 1/k',   k' = k + c v_d for L = k Phi + c Phi' */
INLINE void link_beta_of(struct links l, struct shape s)
{
  const ali3_data *d = l.d;
  num sum[ROWS_MAX], *beta = per_row(d->solve.beta, l);
  if (bodies_have_points(l, s)) {
    positions_apart(l, beta);
    return;
  }
  times_jacobian(l, s, d->factored.J, d->solve.w, sum);
  if (l.t->soft) {
    const num *c = per_row(d->solve.c, l), *law = per_row(d->soft.law, l),
              *lambda = per_row(d->now.lambda, l);
    for (int k = 0; k < s.rows; k++) sum[k] += c[k] * (law[k] - lambda[k]);
  } else {
    const num *Phi = per_row(d->solve.Phi, l);
    for (int k = 0; k < s.rows; k++) sum[k] += Phi[k];
  }
  for (int k = 0; k < s.rows; k++) beta[k] = sum[k];
}

INLINE void link_position_beta_of(struct links l, struct shape s)
{
  num sum[ROWS_MAX], *beta = per_row(l.d->solve.beta, l);
  const num *Phi = per_row(l.d->solve.Phi, l);
  times_jacobian(l, s, l.d->factored.J, l.d->solve.w, sum);
  for (int k = 0; k < s.rows; k++) {
    beta[k] = sum[k];
    if (!l.t->soft) beta[k] += Phi[k];
  }
}

/* A soft row resists the correction, not the motion: J (w - y). w differs from y = y' or y'' in n alone. A held soft row
 * counts as a rigid one. beta: of the row as a rigid one. second: y = y''. */
__attribute__((noinline)) static void resist_motion(struct links l, bool second, num *beta)
{
  const ali3_data *d = l.d;
  const int columns = l.own->point ? TURNS : BODY_Y;
  const num *J = jacobian_block(d->here.J, l);
  const num *x[ROWS_SIDES], *w[ROWS_SIDES];
  num n[ROWS_SIDES], state[ROWS_SIDES * X_NUMBERS], room[ROWS_SIDES * BODY_Y];
  enum { P = 3, PD = 10, PDD = 17 };
  of_sides(l, l.t->sides, d->now.x, LINK_X, P, X_NUMBERS, state, x);
  of_sides(l, l.t->sides, d->solve.w, LINK_Y, BODY_Y - 1, BODY_Y, room, w);
  for (int side = 0; side < l.t->sides; side++)
    n[side] = w[side][BODY_Y - 1] - p_dot(x[side] + P, x[side] + (second ? PDD : PD));
  for (int k = 0; k < l.t->rows; k++) {
    num sum = num_all(0.0);
    for (int side = 0; side < l.t->sides; side++, J += columns) sum += J[BODY_Y - 1] * n[side];
    beta[k] = num_select(num_flags(d->soft.rigid_now + l.t->at + k * LANES), beta[k], sum);
  }
}

/* A rigid row requires J y' = 0, or the rate of a drive's target. A held row has a rate of its own. */
INLINE void link_velocity_beta_of(struct links l, struct shape s)
{
  const ali3_data *d = l.d;
  num sum[ROWS_MAX], *beta = per_row(d->solve.beta, l);
  times_state(l, s, sum);
  if (l.t->soft) {
    const num *hold = per_row(d->soft.rigid_rate, l);
    for (int k = 0; k < s.rows; k++) sum[k] -= hold[k];
  }
  for (int k = 0; k < s.rows; k++) beta[k] = sum[k];
  if (l.t->soft) resist_motion(l, false, beta);
  if (!s.point && l.own->drives) by_lane_aim(l.m, l.d, l.tile, false);
}

INLINE void link_unfelt_beta_of(struct links l, struct shape s)
{
  const ali3_data *d = l.d;
  const num *c = per_row(d->solve.c, l), *z = per_row(d->solve.z, l);
  num sum[ROWS_MAX], *beta = per_row(d->solve.beta, l);
  times_state(l, s, sum);
  for (int k = 0; k < s.rows; k++) {
    beta[k] = sum[k];
    if (!l.t->soft) beta[k] += c[k] * z[k];
  }
}

/* Bias of the directions that follow a point. */
__attribute__((noinline)) static void bias_directions(struct links l, struct body_pair pair, num *bias)
{
  struct pair_motion motion;
  for (int side = 0; side < 2; side++) body_velocity(pair.x[side], motion.y[side]);
  for (int k = 1; k < l.own->primitives; k++) {
    const struct primitive_values values = values_of_constant((const num *)l.own->constant, k);
    primitive_bias(ROW_DOT, &pair, &values, &motion, bias + 2 + k);
  }
}

/* Bias of points and directions. */
INLINE void bias_point(struct links l, int rows, num *bias)
{
  enum { WITHOUT_SECOND = 14 };
  struct pair_room room;
  num second[3];
  const struct body_pair pair = pair_of_tile(l, WITHOUT_SECOND, &room);
  separation_bias(&pair, (const num(*)[3])l.own->constant, second);
  v3_copy(bias, second);
  if (rows > 3) bias_directions(l, pair, bias);
}

/* Bias of any primitives. */
__attribute__((noinline)) static void bias_any(struct links l, num *bias)
{
  if (l.own->lane_by_lane) {
    by_lane_bias(l.m, l.d, l.tile, (double *)bias);
    return;
  }
  enum { WITHOUT_SECOND = 14 };
  struct pair_room room;
  struct pair_motion motion;
  const struct body_pair pair = pair_of_tile(l, WITHOUT_SECOND, &room);
  const num *constant = (const num *)l.own->constant;
  pair_motion(&motion, &pair, (const num(*)[3])constant);
  for (int k = 0; k < l.own->primitives; k++) {
    const struct primitive_values values = values_of_constant(constant, k);
    primitive_bias(l.own->primitive[k], &pair, &values, &motion, bias);
    bias += primitive_count(l.own->primitive[k]);
  }
}

INLINE void bias_of(struct links l, struct shape s, num *bias)
{
  if (s.point)
    bias_point(l, s.rows, bias);
  else
    bias_any(l, bias);
  if (l.t->used < LANES) clear_unused(l, bias, s.rows);
}

/* beta = J w_a - gamma */
INLINE void link_acceleration_beta_of(struct links l, struct shape s)
{
  const ali3_data *d = l.d;
  num sum[ROWS_MAX], *bias = per_row(d->solve.bias, l), *beta = per_row(d->solve.beta, l);
  if (bodies_have_points(l, s)) {
    point_values_apart(l, beta);
    return;
  }
  bias_of(l, s, bias);
  times_jacobian(l, s, d->here.J, d->solve.w, sum);
  for (int k = 0; k < s.rows; k++) beta[k] = sum[k] + bias[k];
  if (l.t->soft) resist_motion(l, true, beta);
  if (!s.point && l.own->drives) by_lane_aim(l.m, l.d, l.tile, true);
}

/* The residual of a drive is its distance from the target. */
__attribute__((noinline)) static void velocity_beta_any(struct links l)
{
  link_velocity_beta_of(l, (struct shape){l.t->rows, l.t->sides, false});
}

__attribute__((noinline)) static void acceleration_beta_any(struct links l)
{
  link_acceleration_beta_of(l, (struct shape){l.t->rows, l.t->sides, false});
}

INLINE num *residual_of(struct links l, int which)
{
  return (num *)(l.d->solve.residual[which] + l.own->residual);
}

/* The largest row of each link; NaN if a row is NaN. */
INLINE void store_largest(const num *row, int rows, num *residual)
{
  num largest = num_all(0.0), sum = num_all(0.0);
  for (int k = 0; k < rows; k++) {
    num own = num_max(row[k], -row[k]);
    largest = num_max(own, largest);
    sum += own;
  }
  *residual = largest + 0.0 * sum;
}

INLINE void link_velocity_residual_of(struct links l, struct shape s)
{
  const ali3_data *d = l.d;
  num row[ROWS_MAX];
  if (!s.point && l.own->drives) {
    velocity_beta_any(l);
    store_largest(per_row(d->solve.beta, l), s.rows, residual_of(l, 0));
    return;
  }
  times_state(l, s, row);
  store_largest(row, s.rows, residual_of(l, 0));
}

INLINE void link_acceleration_residual_of(struct links l, struct shape s)
{
  const ali3_data *d = l.d;
  num row[ROWS_MAX];
  if (!s.point && l.own->drives) {
    acceleration_beta_any(l);
    store_largest(per_row(d->solve.beta, l), s.rows, residual_of(l, 1));
    return;
  }
  const num *bias = per_row(d->solve.bias, l);
  times_state(l, s, row);
  for (int k = 0; !bodies_have_points(l, s) && k < s.rows; k++) row[k] += bias[k];
  store_largest(row, s.rows, residual_of(l, 1));
}

/* beta - S z; keeps a copy of z */
INLINE void link_residual_of(struct links l, struct shape s)
{
  const ali3_data *d = l.d;
  num sum[ROWS_MAX], *beta = per_row(d->solve.beta, l), *first = per_row(d->solve.z_first, l);
  const num *z = per_row(d->solve.z, l), *c = per_row(d->solve.c, l);
  times_jacobian(l, s, d->factored.J, d->solve.response, sum);
  for (int k = 0; k < s.rows; k++) {
    beta[k] = beta[k] - c[k] * z[k] - sum[k];
    first[k] = z[k];
  }
}

INLINE void link_rate_of(struct links l, struct shape s)
{
  enum { P = 3, SECOND = 14 }; /* from p to q'' */
  num room[ROWS_SIDES * X_NUMBERS], y[ROWS_SIDES][BODY_Y], o[ROWS_MAX], *rate = per_row(l.d->soft.rate, l);
  const num *x[ROWS_SIDES], *own[ROWS_SIDES];
  of_sides(l, s.sides, l.d->now.x, LINK_X, P, SECOND, room, x);
  for (int side = 0; side < s.sides; side++) {
    body_velocity((const struct body_state *)x[side], y[side]);
    own[side] = y[side];
  }
  times_own(s, jacobian_block(l.d->here.J, l), own, o);
  for (int k = 0; k < s.rows; k++) rate[k] = o[k];
}

/* Rate of a joint angle. R: rotations of a and b. */
static inline num angle_rate(const num *angle, const struct body_pair *v, const num *Ra, const num *Rb)
{
  num axis[3], w[3], world[3], own[3];
  v3_cross(axis, angle + ANGLE_U0, angle + ANGLE_U1);
  p_to_rotation(w, v->x[1]->p, v->x[1]->pd);
  m3_mul(world, Rb, w);
  m3_tmul(own, Ra, world);
  p_to_rotation(w, v->x[0]->p, v->x[0]->pd);
  return v3_dot(axis, own) - v3_dot(axis, w);
}

/* The way of the joint angles since the start of the inner step, from the mean of the rates. */
__attribute__((noinline)) static num turn_ahead(struct links l)
{
  enum { WITHOUT_SECOND = 14 };
  struct body_state room[2];
  num sum = num_all(0.0);
  double *const of[2] = {l.d->last.x, l.d->now.x};
  for (int end = 0; end < 2; end++) {
    const num *x[2];
    num R[2][9];
    of_sides(l, 2, of[end], LINK_X, 0, WITHOUT_SECOND, (num *)room, x);
    const struct body_pair pair = {.x = {(const struct body_state *)x[0], (const struct body_state *)x[1]}};
    for (int side = 0; side < 2; side++) p_rotation(R[side], pair.x[side]->p);
    sum += angle_rate((const num *)l.own->angle, &pair, R[0], R[1]);
  }
  return 0.5 * l.d->turn_span * sum;
}

INLINE void link_turn_of(struct links l, struct shape s)
{
  (void)s;
  const int *link = l.m->frozen->tree->item + l.t->item_first;
  if (!l.own->angle || link[0] >= l.m->joints) return; /* only revolute joints have an angle of their own */
  struct pair_room room;
  const num *f[2];
  of_sides(l, 2, l.d->here.frame, LINK_FRAME, 0, FRAME_S, (num *)room.f, f);
  const struct body_pair pair = {.f = {(const struct body_frame *)f[0], (const struct body_frame *)f[1]}};
  const num *angle = (const num *)l.own->angle;
  num expected = turns_of(l, l.d->turn_last);
  if (l.d->turn_span > 0.0) expected += turn_ahead(l);
  const num turn = coordinate_angle(angle, angle[ANGLE_NUMBERS], &pair, expected);
  /* A drive or a spring of the joint has its angle, too, but another share may compute it. */
  for (int lane = 0; lane < LANES; lane++)
    if (link[lane] >= 0 && link[lane] == l.own->joint[lane]) l.d->turn[link[lane]] = num_lane(turn, lane);
}

LINK_KERNELS(EACH_TILE)

extern step_kernel *const LANE_NAME(link_kernels)[LINK_KERNEL_COUNT];
step_kernel *const LANE_NAME(link_kernels)[LINK_KERNEL_COUNT] = {LINK_KERNELS(KERNEL_ENTRY)};
