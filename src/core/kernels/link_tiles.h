/* SPDX-License-Identifier: MIT
 * Loop code: building blocks of the link kernels, for sources built in lanes. All functions are inline. A tile of a known
 * shape has it as a constant, so that the compiler unrolls the loops. Every shape adds in the same order. */
#ifndef KERNELS_LINK_TILES_H
#define KERNELS_LINK_TILES_H

#include "dynamics/primitives.h"
#include "kernels/kernels.h"

#define INLINE static inline __attribute__((always_inline))

struct shape {
  int rows, sides;
  bool point;
};

/* A tile of links. */
struct links {
  const ali3_model *m;
  ali3_data *d;
  int tile; /* in tree.tile */
  const struct link_tile *own;
  const struct tree_tile *t;
};

INLINE struct links links_of(const ali3_model *m, ali3_data *d, const struct link_tile *all, int tile)
{
  return (struct links){m, d, tile, &all[tile], all[tile].tile};
}

/* Defines `kernel`: it calls kernel_of(links, shape) for each tile, one run of tiles of equal shape after the other. */
#define LINK_STRETCH(kernel, name, rows, sides, point)                                                       \
  __attribute__((noinline)) static const int *kernel##_##name(const ali3_model *m, ali3_data *d,             \
                                                              const int *tile, const int *end)               \
  {                                                                                                          \
    const struct link_tile *all = m->frozen->link_tile;                                                      \
    struct links l = links_of(m, d, all, *tile);                                                             \
    do kernel##_of(l, (struct shape){rows, sides, point});                                                   \
    while (++tile < end && (l = links_of(m, d, all, *tile)).own->shape == LINK_##name);                      \
    return tile;                                                                                             \
  }
#define LINK_CASE(kernel, name, rows, sides, point)                                                          \
  case LINK_##name:                                                                                          \
    tile = kernel##_##name(m, d, tile, end);                                                                 \
    break;
#define LINK_ALL(X, kernel)                                                                                  \
  LINK_SHAPES(X, kernel) X(kernel, PAIR, l.t->rows, 2, false) X(kernel, OTHER, l.t->rows, l.t->sides, false)
#define EACH_TILE(kernel, flops)                                                                             \
  LINK_ALL(LINK_STRETCH, kernel)                                                                             \
  static void kernel(const ali3_model *m, ali3_data *d, const int *tile, int count)                          \
  {                                                                                                          \
    for (const int *end = tile + count; tile < end;) {                                                       \
      switch (m->frozen->link_tile[*tile].shape) {                                                           \
        LINK_ALL(LINK_CASE, kernel)                                                                          \
      }                                                                                                      \
    }                                                                                                        \
  }

/* Arrays with one number per row, and the Jacobian. */
INLINE num *per_row(double *base, struct links l)
{
  return (num *)(base + l.t->at);
}

INLINE num *jacobian_block(double *J, struct links l)
{
  return (num *)(J + l.t->jacobian);
}

/* Columns that the Jacobian of a tile does not store, and those that it stores. */
INLINE int unit_columns(struct shape s)
{
  return s.point ? TREE_UNIT : 0;
}
INLINE int stored_columns(struct shape s)
{
  return BODY_Y - unit_columns(s);
}

/* Stores the load on the bodies of a side. */
INLINE void put_end_load(struct links l, int side, const num load[BODY_Y])
{
  const struct link_side *own = &l.own->side[side];
  double *o = l.d->solve.end_load + own->load_at;
  if (own->load == LOAD_TILE)
    for (int y = 0; y < BODY_Y; y++) ((num *)o)[y] = load[y];
  else if (own->load == LOAD_ROWS)
    num_put_rows(load, BODY_Y, o);
}

/* Numbers per body of each field. */
static const int link_numbers[LINK_FIELDS] = {BODY_Y, X_NUMBERS, FRAME_NUMBERS};

/* Gathers one body for each lane. All bodies are in tiles of this width. */
static inline void collect_wide(const double *const from[LANES], int first, int end, num *room)
{
  for (int f = first; f < end; f++) {
    num v = num_all(0.0);
    for (int l = 0; l < LANES; l++) num_lane(v, l) = from[l][f * LANES];
    room[f] = v;
  }
}

/* Gathers bodies that are not aligned with the lanes. Out of line, so that aligned bodies stay in registers. */
__attribute__((noinline)) static void collect_side(const struct link_tile *own, int side, const double *base,
                                                   enum link_field field, int first, int end, num *room)
{
  const struct tree_body *body = own->body + LANES * side;
  const double *from[LANES];
  struct lane_at at[LANES];
  if (LANES > 1 && own->side[side].how == SIDE_SHUFFLED) {
    num_shuffle_all(base, own->side[side].shuffle, (size_t)link_numbers[field], (size_t)first,
                    (size_t)(end - first), room + first);
    return;
  }
  if (own->side[side].how == SIDE_SAME) {
    const double *one = base + own->side[side].at[field] + first * body->width;
    for (int f = first; f < end; f++, one += body->width) room[f] = num_all(*one);
    return;
  }
  /* body by body */
  for (int l = 0; l < LANES; l++) {
    at[l].at = (size_t)body[l].first * (size_t)link_numbers[field] + (size_t)body[l].lane;
    at[l].stride = (size_t)body[l].width;
    from[l] = base + at[l].at;
  }
  if (own->side[side].how == SIDE_WIDE)
    collect_wide(from, first, end, room);
  else
    num_pick_all(base, at, (size_t)first, (size_t)(end - first), room + first);
}

/* Locates a field of the bodies of each side, at least numbers first .. end-1. room: (sides, numbers of the field). */
INLINE void of_sides(struct links l, int sides, const double *base, enum link_field field, int first, int end,
                     num *room, const num **at)
{
  for (int side = 0; side < sides; side++) at[side] = (const num *)(base + l.own->side[side].at[field]);
  if (l.own->aligned) return;
  for (int side = 0; side < sides; side++, room += link_numbers[field]) {
    if (l.own->side[side].how == SIDE_BESIDE) continue;
    collect_side(l.own, side, base, field, first, end, room);
    at[side] = room;
  }
}

/* J'v of one side of the rows of a coinciding point, without the constant columns of J. */
INLINE void push_point(int rows, int side, const num *J, const num *v, num load[BODY_Y])
{
  for (int k = 0; k < 3; k++) load[k] = side ? v[k] : -v[k];
  for (int y = 3; y < BODY_Y; y++) {
    load[y] = J[y] * v[0];
    for (int k = 1; k < rows; k++) load[y] = num_fma(J[PAIR_TURNS * k + y], v[k], load[y]);
  }
}

/* End loads J'v. */
INLINE void push_rows(struct links l, struct shape s, const num *J, const num *v)
{
  for (int side = 0; side < s.sides; side++, J += stored_columns(s)) {
    num load[BODY_Y];
    if (s.point) {
      push_point(s.rows, side, J, v, load);
    } else {
      for (int y = 0; y < BODY_Y; y++) load[y] = J[y] * v[0];
      for (int k = 1; k < s.rows; k++)
        for (int y = 0; y < BODY_Y; y++) load[y] = num_fma(J[BODY_Y * s.sides * k + y], v[k], load[y]);
    }
    put_end_load(l, side, load);
  }
}

/* Scalar product of a and b from component `first` on. */
INLINE num dot_from(int first, const num *a, const num *b)
{
  num sum = a[first] * b[first];
  for (int y = first + 1; y < BODY_Y; y++) sum = num_fma(a[y], b[y], sum);
  return sum;
}

/* o = J y for all rows, with y of each side. The sides have separate sums and do not wait for each other. */
INLINE void times_own(struct shape s, const num *J, const num *const *own, num o[ROWS_MAX])
{
  const int unit = unit_columns(s), columns = stored_columns(s);
  for (int k = 0; k < s.rows; k++, J += columns * s.sides) {
    o[k] = dot_from(unit, J, own[0]);
    for (int side = 1; side < s.sides; side++) o[k] += dot_from(unit, J + columns * side, own[side]);
  }
  for (int k = 0; s.point && k < 3; k++) o[k] += own[1][k] - own[0][k];
}

/* o = J w for all rows. w is an array with 7 numbers per body. */
INLINE void times_jacobian(struct links l, struct shape s, double *jacobian, const double *w, num o[ROWS_MAX])
{
  const num *own[ROWS_SIDES];
  num room[ROWS_SIDES * BODY_Y];
  of_sides(l, s.sides, w, LINK_Y, 0, BODY_Y, room, own);
  times_own(s, jacobian_block(jacobian, l), own, o);
}

/* Clears the results of unused lanes. */
INLINE void clear_unused(struct links l, num *v, int count)
{
#if LANES > 1
  const int *item = l.m->frozen->tree->item + l.t->item_first;
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < count && item[lane] < 0; i++) v[i][lane] = 0.0;
#else
  (void)l, (void)v, (void)count;
#endif
}

/* Numbers of a primitive of a tile. */
INLINE struct primitive_values values_of_constant(const num *constant, int primitive)
{
  const num *u = constant + 7 + 6 * primitive;
  return (struct primitive_values){
      .point = (const num(*)[3])constant, .length = constant[6], .u = u, .v = u + 3};
}

/* A number of the joint of each lane. */
INLINE num turns_of(struct links l, const double *of)
{
  num turn = num_all(0.0);
  for (int lane = 0; lane < LANES; lane++) num_lane(turn, lane) = of[l.own->joint[lane]];
  return turn;
}

static inline void add_angle(struct links l, struct primitive_values *o)
{
  o->angle = (const num *)l.own->angle;
  o->zero = o->angle[ANGLE_NUMBERS];
  o->turn = turns_of(l, l.d->turn);
  o->turn_last = turns_of(l, l.d->turn_last);
}

/* The bodies of a link: the first `numbers` numbers of x, and frames. */
struct pair_room {
  struct body_state x[2];
  struct body_frame f[2];
};
INLINE struct body_pair pair_of_tile(struct links l, int numbers, struct pair_room *room)
{
  const num *x[2], *f[2];
  of_sides(l, 2, l.d->now.x, LINK_X, 0, numbers, (num *)room->x, x);
  of_sides(l, 2, l.d->here.frame, LINK_FRAME, 0, FRAME_NUMBERS, (num *)room->f, f);
  return (struct body_pair){.x = {(const struct body_state *)x[0], (const struct body_state *)x[1]},
                            .f = {(const struct body_frame *)f[0], (const struct body_frame *)f[1]}};
}

/* Whether the body kernels evaluate the points of the links. */
INLINE bool bodies_have_points(struct links l, struct shape s)
{
  return s.point && s.rows == 3 && l.own->has_points;
}

#endif
