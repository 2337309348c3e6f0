/* SPDX-License-Identifier: MIT
 * The kernels of all instruction sets that this machine has, with one lane and with all, against the scalar functions of
 * dynamics/: tiles made by hand, with another body or link at random in every lane. */
#include "common/random.h"
#include "common/states.h"
#include "math/euler.h"
#include "stepper/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 10, ENDS = 3, W = ISA_LANES_MAX, TILES = 3, A = 0, B = 1, LINKS = 2 };
static const double TOLERANCE = 1e-13; /* they differ in fused multiplications */

/* Two tiles of bodies, one of links between them, and the ground. */
struct scene {
  int lanes, slots;
  struct tree tree;
  struct tree_tile tile[TILES];
  struct tree_body body[2 * W + 1]; /* as the tree has them, last the ground */
  struct tree_body side[ROWS_SIDES][W], bodies[ROWS_SIDES * W];
  int item[TILES * W];
  struct lane_at push[TILES][ENDS][W];
  struct body_end end[TILES][ENDS];
  struct body_tile body_tile[TILES];
  struct link_tile link_tile[TILES];
  struct joint_rows link[W];
  struct frozen f;
  ali3_model m;
  ali3_data d;
  bool held[ROWS_MAX * W], acted[TILES];
  struct reference aim[W];
  double turn[2 * W];
  double *constant; /* of the links */
  void *block[32];
  int blocks;
  struct random random;
  char what[120];
};

static void close_to(const struct scene *s, const char *name, int lane, int i, double got, double wanted)
{
  if (!(fabs(got - wanted) <= TOLERANCE * (1.0 + fabs(wanted))))
    fail_msg("%s: %s, lane %d, number %d: %.17g, not %.17g", s->what, name, lane, i, got, wanted);
}

static double *numbers(struct scene *s, size_t count, bool random)
{
  size_t size = (count * sizeof(double) + 63) / 64 * 64;
  double *o = aligned_alloc(64, size);
  assert_non_null(o);
  memset(o, 0, size);
  if (random) random_vector(&s->random, o, (int)count);
  s->block[s->blocks++] = o;
  return o;
}

static struct tree_body ground_of(const struct scene *s)
{
  return (struct tree_body){s->slots - 1, 1, 0};
}

static void get(double *o, const double *from, struct tree_body at, int count)
{
  for (int i = 0; i < count; i++) o[i] = from[at.first * count + i * at.width + at.lane];
}

static void put(double *to, const double *from, struct tree_body at, int count)
{
  for (int i = 0; i < count; i++) to[at.first * count + i * at.width + at.lane] = from[i];
}

static struct tree_body body_at(const struct scene *s, int tile, int lane)
{
  return (struct tree_body){s->tile[tile].slot, s->lanes, lane};
}

static void place_bodies(struct scene *s)
{
  ali3_data *d = &s->d;
  size_t n = (size_t)s->slots;
  d->now.x = numbers(s, n * X_NUMBERS, false);
  d->last.x = numbers(s, n * X_NUMBERS, false);
  d->frame = d->frame_f = d->frame_to = numbers(s, n * FRAME_NUMBERS, false);
  d->delta = numbers(s, n * DELTA_NUMBERS, true);
  d->now.mu = numbers(s, n, true);
  d->external = numbers(s, n * LOAD_NUMBERS, true);
  d->load = numbers(s, n * LOAD_NUMBERS, true);
  d->acted = s->acted;
  d->w = numbers(s, n * BODY_Y, true);
  d->pull = numbers(s, n * BODY_Y, true);
  d->response = numbers(s, n * BODY_Y, true);
  d->increment = numbers(s, n, false);
  s->f.constant = numbers(s, n * BODY_NUMBERS, true);
  for (int tile = A; tile <= B; tile++)
    for (int lane = 0; lane < s->lanes; lane++) {
      struct body_state x, last;
      struct body_frame f;
      state_random(&s->random, &last, &f, 1.1);
      state_random(&s->random, &x, &f, 0.9);
      put(d->last.x, (const double *)&last, body_at(s, tile, lane), X_NUMBERS);
      put(d->now.x, (const double *)&x, body_at(s, tile, lane), X_NUMBERS);
      put(d->frame, (const double *)&f, body_at(s, tile, lane), FRAME_NUMBERS);
    }
  const double none[BODY_Y] = {0};
  put(d->now.x, (const double *)&body_ground, ground_of(s), X_NUMBERS);
  put(d->frame, (const double *)&body_ground_frame, ground_of(s), FRAME_NUMBERS);
  put(d->w, none, ground_of(s), BODY_Y);
  put(d->response, none, ground_of(s), BODY_Y);
}

static void place_rows(struct scene *s, int rows, int sides)
{
  ali3_data *d = &s->d;
  size_t all = (size_t)(rows * s->lanes), hub = (size_t)(2 * BODY_Y * s->lanes);
  int push = sides * BODY_Y * s->lanes;
  s->tile[LINKS].rows = rows;
  s->tile[LINKS].sides = sides;
  d->Phi = numbers(s, all, false);
  d->J = numbers(s, all * (size_t)(sides * BODY_Y), false);
  d->Jf = numbers(s, all * (size_t)(sides * BODY_Y), true);
  d->c = numbers(s, all, true);
  d->law = numbers(s, all, true);
  d->hold = numbers(s, all, true);
  d->bias = numbers(s, all, false);
  for (int i = 0; i < 2; i++) d->left[i] = numbers(s, all, false);
  d->now.lambda = numbers(s, all, true);
  d->beta = numbers(s, all + hub, true);
  d->z = numbers(s, all + hub, true);
  d->z_kept = numbers(s, all + hub, false);
  d->push = numbers(s, (size_t)push + 1, true);
  d->push[push] = 0.0;
  d->held = s->held;
  d->aim = s->aim;
  d->turn = s->turn;
  random_vector(&s->random, (double *)s->aim, 3 * W);
  random_vector(&s->random, s->turn, 2 * W);
  for (int i = 0; i < rows * s->lanes; i++) s->held[i] = random_below(&s->random, 2);
  for (int tile = A; tile <= B; tile++) s->tile[tile].at = (int)all + tile * BODY_Y * s->lanes;
}

/* Each body tile with ends on both sides of the links, in turn; together: lane by lane, or else one that some lanes lack
 * and others have elsewhere. */
static void place_ends(struct scene *s, int ends, bool together)
{
  for (int tile = A; tile <= B; tile++) {
    for (int e = 0; e < ends; e++) {
      bool aligned = together || e != ends / 2;
      for (int lane = 0; lane < s->lanes; lane++) {
        const int side = (tile + e) % 2 * BODY_Y * s->lanes, other = s->lanes - 1 - lane;
        const struct lane_at here = {(size_t)(side + (aligned ? lane : other)), (size_t)s->lanes},
                             nothing = {(size_t)(s->tile[LINKS].sides * BODY_Y * s->lanes), 0};
        s->push[tile][e][lane] = aligned || lane % 3 != 1 ? here : nothing;
      }
      s->end[tile][e] = (struct body_end){.aligned = aligned, .push = s->push[tile][e]};
    }
    s->acted[tile] = true;
    s->body_tile[tile] = (struct body_tile){.ends = ends,
                                            .end = s->end[tile],
                                            .at = s->tile[tile].at,
                                            .aligned = together && ends > 0,
                                            .loaded = tile == B};
    for (int e = 0; e < ends && e < 2; e++) s->body_tile[tile].push[e] = s->push[tile][e]->at;
    body_tile_place(&s->body_tile[tile], s->tile[tile].slot);
  }
}

/* Bodies along their principal axes. */
static void make_diagonal(struct scene *s)
{
  for (int tile = A; tile <= B; tile++) {
    s->body_tile[tile].diagonal = true;
    for (int i = 0; i < 9; i++)
      for (int lane = 0; lane < s->lanes && i % 4; lane++) {
        struct tree_body at = body_at(s, tile, lane);
        s->d.delta[at.first * DELTA_NUMBERS + (1 + i) * at.width + lane] = 0.0;
        s->f.constant[at.first * BODY_NUMBERS + (BODY_INERTIA + i) * at.width + lane] = 0.0;
      }
  }
}

static void scene_make(struct scene *s, int lanes, int rows, int sides, int seed)
{
  *s = (struct scene){.lanes = lanes, .slots = 2 * lanes + 1, .random = {(uint64_t)seed}};
  s->tree = (struct tree){.tile = s->tile, .item = s->item, .lanes = lanes};
  s->tree.body = s->body;
  s->tree.bodies = 2 * W;
  s->body[2 * W] = ground_of(s);
  s->f.tree = &s->tree;
  s->f.body_tile = s->body_tile;
  s->f.link_tile = s->link_tile;
  s->f.link = s->link;
  s->m.frozen = &s->f;
  random_vector(&s->random, s->m.gravity, 3);
  for (int t = 0; t < TILES; t++)
    s->tile[t] = (struct tree_tile){.width = lanes, .used = lanes, .slot = t * lanes, .item_first = t * W};
  for (int lane = 0; lane < lanes; lane++) {
    s->item[LINKS * W + lane] = lane;
    for (int t = A; t <= B; t++) s->body[t * W + lane] = body_at(s, t, lane);
  }
  s->d.rule = (struct rule){0.01, 0.02, 3.0, -0.4, 0.05, 6.0, -0.7, -0.8};
  place_bodies(s);
  place_rows(s, rows, sides);
  place_ends(s, 2, false);
}

static void scene_free(struct scene *s)
{
  for (int i = 0; i < s->blocks; i++) free(s->block[i]);
}

/* All that a kernel may change of a body, and what it needs. */
struct one {
  struct body_state x, last;
  struct body_frame f;
  struct body_delta delta;
  struct body_load load;
  double constant[BODY_NUMBERS], mu, w[BODY_Y], pull[BODY_Y], response[BODY_Y], increment;
  double push[BODY_Y];                            /* the sum */
  double z[BODY_Y], beta[BODY_Y], z_kept[BODY_Y]; /* of a hub */
  bool carried;
};

static void one_take(const struct scene *s, int tile, int lane, struct one *o)
{
  const ali3_data *d = &s->d;
  struct tree_body at = body_at(s, tile, lane);
  get((double *)&o->x, d->now.x, at, X_NUMBERS);
  get((double *)&o->last, d->last.x, at, X_NUMBERS);
  get((double *)&o->f, d->frame, at, FRAME_NUMBERS);
  get((double *)&o->delta, d->delta, at, DELTA_NUMBERS);
  get((double *)&o->load, s->body_tile[tile].loaded ? d->load : d->external, at, LOAD_NUMBERS);
  get(o->constant, s->f.constant, at, BODY_NUMBERS);
  get(&o->mu, d->now.mu, at, 1);
  get(o->w, d->w, at, BODY_Y);
  get(o->pull, d->pull, at, BODY_Y);
  get(o->response, d->response, at, BODY_Y);
  get(&o->increment, d->increment, at, 1);
  for (int y = 0; y < BODY_Y; y++) {
    int hub = s->tile[tile].at + y * s->lanes + lane;
    o->z[y] = d->z[hub];
    o->beta[y] = d->beta[hub];
    o->z_kept[y] = d->z_kept[hub];
    o->push[y] = 0.0;
    for (int e = 0; e < s->body_tile[tile].ends; e++) {
      const struct lane_at *from = &s->push[tile][e][lane];
      o->push[y] += d->push[from->at + (size_t)y * from->stride];
    }
  }
  o->carried = s->tile[tile].carried;
}

typedef void scalar(const struct scene *s, struct one *o);

static void corrected(const struct one *o, double y[BODY_Y])
{
  body_apply_delta(&o->delta, o->push, y);
  for (int k = 0; k < BODY_Y; k++) y[k] = o->w[k] + (o->carried ? o->z[k] : -y[k]);
}

static void integrate(const struct rule *r, struct one *o)
{
  double *now = (double *)&o->x;
  const double *last = (const double *)&o->last;
  for (int i = 0; i < 7; i++) {
    double d = now[i] - last[i];
    now[7 + i] = r->v_d * d + r->v_v * last[7 + i] + r->v_a * last[14 + i];
    now[14 + i] = r->a_d * d + r->a_v * last[7 + i] + r->a_a * last[14 + i];
  }
}

static void predict(const struct scene *s, struct one *o)
{
  double dt = s->d.rule.dt, leap = s->d.some_stiff ? 0.0 : 0.5 * dt;
  double *now = (double *)&o->x;
  const double *last = (const double *)&o->last;
  for (int i = 0; i < 7; i++) now[i] = last[i] + dt * (last[7 + i] + leap * last[14 + i]);
  integrate(&s->d.rule, o);
  body_frame_update(&o->f, &o->x);
}

static void frame(const struct scene *s, struct one *o)
{
  (void)s;
  body_frame_update(&o->f, &o->x);
}

static void free_increment(const struct scene *s, struct one *o)
{
  struct body b = {.mass = o->constant[BODY_MASS]};
  double g[BODY_Y];
  memcpy(b.inertia, o->constant + BODY_INERTIA, sizeof b.inertia);
  body_residual(&b, &o->x, &o->f, s->m.gravity, &o->load, o->mu + o->delta.alpha * (o->f.s - 1.0), g);
  for (int y = 0; y < BODY_Y; y++) g[y] = -(g[y] + o->push[y]);
  if (o->carried)
    for (int y = 0; y < BODY_Y; y++) {
      o->w[y] = 0.0;
      o->pull[y] = g[y];
    }
  else
    body_apply_delta(&o->delta, g, o->w);
}

static void step(const struct scene *s, struct one *o)
{
  double y[BODY_Y];
  corrected(o, y);
  o->increment = 0.0;
  for (int k = 0; k < BODY_Y; k++) o->increment += y[k] * y[k];
  o->mu += o->delta.alpha * (o->f.s - 1.0 + 2.0 * y[6]);
  body_move(&o->x, &o->f, y);
  integrate(&s->d.rule, o);
  body_frame_update(&o->f, &o->x);
}

static void position_free(const struct scene *s, struct one *o)
{
  (void)s;
  for (int y = 0; y < BODY_Y; y++) o->w[y] = y < 6 ? 0.0 : -0.5 * (o->f.s - 1.0);
}

static void position_set(const struct scene *s, struct one *o)
{
  (void)s;
  double y[BODY_Y];
  corrected(o, y);
  o->increment = 0.0;
  for (int k = 0; k < BODY_Y; k++) o->increment = fmax(o->increment, fabs(y[k]));
  body_move(&o->x, &o->f, y);
  body_frame_update(&o->f, &o->x);
}

static void velocity_free(const struct scene *s, struct one *o)
{
  (void)s;
  body_velocity(&o->x, o->w);
  o->w[6] = 0.0;
}

static void velocity_set(const struct scene *s, struct one *o)
{
  (void)s;
  double y[BODY_Y];
  corrected(o, y);
  body_set_velocity(&o->x, &o->f, y);
  memcpy(o->w, y, sizeof y);
}

static void velocity_refine(const struct scene *s, struct one *o)
{
  double y[BODY_Y];
  corrected(o, y);
  if (s->f.rows > s->f.rigid) body_set_velocity(&o->x, &o->f, y);
  memcpy(o->w, y, sizeof y);
  o->w[6] = 0.0;
}

static void velocity_whole(const struct scene *s, struct one *o)
{
  (void)s;
  body_velocity(&o->x, o->w);
}

static void acceleration_free(const struct scene *s, struct one *o)
{
  (void)s;
  body_acceleration(&o->x, o->w);
  o->w[6] = -p_dot(o->x.pd, o->x.pd);
}

static void acceleration_set(const struct scene *s, struct one *o)
{
  (void)s;
  double y[BODY_Y];
  corrected(o, y);
  body_set_acceleration(&o->x, &o->f, y);
  memcpy(o->w, y, sizeof y);
}

static void acceleration_whole(const struct scene *s, struct one *o)
{
  (void)s;
  body_acceleration(&o->x, o->w);
}

static void response(const struct scene *s, struct one *o)
{
  (void)s;
  double g[BODY_Y];
  body_apply_delta(&o->delta, o->carried ? o->z : o->push, g);
  for (int y = 0; y < BODY_Y; y++) {
    o->response[y] = o->carried ? -o->z[y] : g[y];
    if (!o->carried) continue;
    o->beta[y] = o->pull[y] - (g[y] + o->push[y]);
    o->z_kept[y] = o->z[y];
  }
}

#define BODY_KERNEL(kernel, scalar)                                                                          \
  {                                                                                                          \
#kernel, offsetof(struct step_body_kernels, kernel), scalar                                              \
  }
static const struct {
  const char *name;
  size_t kernel;
  scalar *wanted;
} body_kernel[] = {
    BODY_KERNEL(body_predict, predict),
    BODY_KERNEL(body_frame, frame),
    BODY_KERNEL(body_free, free_increment),
    BODY_KERNEL(body_free_rest, free_increment),
    BODY_KERNEL(body_step, step),
    BODY_KERNEL(body_turn, step),
    BODY_KERNEL(body_position_free, position_free),
    BODY_KERNEL(body_position_set, position_set),
    BODY_KERNEL(body_velocity_free, velocity_free),
    BODY_KERNEL(body_velocity_set, velocity_set),
    BODY_KERNEL(body_velocity_refine, velocity_refine),
    BODY_KERNEL(body_velocity_whole, velocity_whole),
    BODY_KERNEL(body_acceleration_free, acceleration_free),
    BODY_KERNEL(body_acceleration_set, acceleration_set),
    BODY_KERNEL(body_acceleration_whole, acceleration_whole),
    BODY_KERNEL(body_response, response),
};

static void check_bodies(struct scene *s, const struct step_kernels *k, size_t i, int tile)
{
  const char *name = body_kernel[i].name;
  struct one wanted[W], got;
  for (int lane = 0; lane < s->lanes; lane++) {
    one_take(s, tile, lane, &wanted[lane]);
    body_kernel[i].wanted(s, &wanted[lane]);
  }
  (*(step_kernel *const *)((const char *)k->bodies + body_kernel[i].kernel))(&s->m, &s->d, &tile, 1);
  for (int lane = 0; lane < s->lanes; lane++) {
    const double *a = (const double *)&got, *b = (const double *)&wanted[lane];
    one_take(s, tile, lane, &got);
    for (int n = 0; n < (int)(offsetof(struct one, carried) / sizeof *a); n++)
      close_to(s, name, lane, n, a[n], b[n]);
  }
}

/* Links of every lane alike in kind: all but coordinates and sliding. */
static const struct kind {
  int rows, primitives;
  enum primitive_kind primitive[ROWS_PRIMITIVES];
} kinds[] = {
    {3, 1, {ROW_COINCIDE}},
    {4, 2, {ROW_COINCIDE, ROW_DOT}},
    {5, 3, {ROW_COINCIDE, ROW_DOT, ROW_DOT}},
    {6, 4, {ROW_COINCIDE, ROW_DOT, ROW_DOT, ROW_DOT}},
    {4, 4, {ROW_IN_PLANE, ROW_IN_PLANE, ROW_DOT, ROW_DOT}},
    {1, 1, {ROW_DISTANCE}},
    {1, 1, {ROW_LENGTH}},
    {1, 1, {ROW_GAP}},
    {5, 3, {ROW_COINCIDE, ROW_IN_PLANE, ROW_LENGTH}},
    {2, 2, {ROW_IN_PLANE, ROW_DISTANCE}},
};

/* The bodies of all links by their numbers. */
static void name_bodies(struct scene *s, int sides)
{
  for (int lane = 0; lane < s->lanes; lane++)
    for (int side = 0; side < sides; side++) {
      const struct tree_body *b = &s->side[side][lane];
      bool ground = b->first == ground_of(s).first;
      s->link[lane].body[side] = ground ? ALI3_GROUND : b->first / s->lanes * W + b->lane;
    }
}

/* How the bodies of the links lie: lane by lane; on side 0 the ground, or one body, for all; on side 1 in other lanes, and
 * with the ground among them; and that link by link. */
enum arrangement { SIDE_BY_SIDE, GROUNDED, ON_A_HUB, CROSSED, APART, ALONE, ARRANGEMENTS };

static struct tree_body body_arranged(const struct scene *s, enum arrangement how, int side, int lane)
{
  if (!side && how == GROUNDED) return ground_of(s);
  if (!side && how == ON_A_HUB) return body_at(s, side, s->lanes / 2);
  if (!side || how == SIDE_BY_SIDE || how == GROUNDED || how == ON_A_HUB) return body_at(s, side, lane);
  return how != CROSSED && lane % 4 == 3 ? ground_of(s) : body_at(s, side, s->lanes - 1 - lane);
}

/* The sides of the tile, as the set-up would have them. */
static void look_at_sides(struct scene *s)
{
  struct link_tile *t = &s->link_tile[LINKS];
  t->tile = &s->tile[LINKS];
  t->shape = link_shape(s->tile[LINKS].rows, s->tile[LINKS].sides, t->point);
  t->beside = true;
  t->body = s->bodies;
  for (int side = 0; side < s->tile[LINKS].sides; side++) {
    t->side[side] = link_side(s->side[side], s->lanes);
    for (int lane = 0; lane < s->lanes; lane++) s->bodies[side * s->lanes + lane] = s->side[side][lane];
    t->beside &= t->side[side].how == SIDE_BESIDE;
  }
}

static void make_links(struct scene *s, const struct kind *kind, enum arrangement how)
{
  struct link_tile *t = &s->link_tile[LINKS];
  double *constant = numbers(s, (size_t)((7 + 6 * kind->primitives) * s->lanes), false);
  *t = (struct link_tile){.lane_by_lane = how == ALONE, .primitives = kind->primitives, .constant = constant};
  s->constant = constant;
  memcpy(t->primitive, kind->primitive, sizeof t->primitive);
  for (int lane = 0; lane < s->lanes; lane++) {
    struct joint_rows *j = &s->link[lane];
    double own[7 + 6 * ROWS_PRIMITIVES];
    int n = 7;
    *j = (struct joint_rows){.sides = 2,
                             .count = kind->rows,
                             .primitives = kind->primitives,
                             .joint = {-1, -1},
                             .drive = -1,
                             .rolling = -1};
    random_vector(&s->random, j->point[0], 6);
    j->length = random_between(&s->random, 0.5, 1.0);
    memcpy(own, j->point, 6 * sizeof *own);
    own[6] = j->length;
    for (int k = 0; k < kind->primitives; k++, n += 6) {
      j->primitive[k].kind = kind->primitive[k];
      random_unit(&s->random, j->primitive[k].u, 3);
      random_unit(&s->random, j->primitive[k].v, 3);
      memcpy(own + n, j->primitive[k].u, 3 * sizeof *own);
      memcpy(own + n + 3, j->primitive[k].v, 3 * sizeof *own);
    }
    for (int i = 0; i < n; i++) constant[i * s->lanes + lane] = own[i];
    for (int side = 0; side < 2; side++) s->side[side][lane] = body_arranged(s, how, side, lane);
  }
  look_at_sides(s);
  name_bodies(s, 2);
}

/* The constant columns in place, and left to themselves. */
static void share_points(struct scene *s, int rows)
{
  s->link_tile[LINKS].point = true;
  look_at_sides(s);
  for (int row = 0; row < rows; row++)
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < 3; i++)
        for (int lane = 0; lane < s->lanes; lane++) {
          int at = ((2 * row + side) * BODY_Y + i) * s->lanes + lane;
          s->d.J[at] = s->d.Jf[at] = row != i ? 0.0 : side ? 1.0 : -1.0;
        }
  for (int lane = s->tile[LINKS].used; lane < s->lanes; lane++) /* whose multipliers are 0 */
    for (int row = 0; row < rows; row++)
      s->d.now.lambda[row * s->lanes + lane] = s->d.z[row * s->lanes + lane] = 0.0;
}

static double product(const struct scene *s, const double *J, const double *w, int row, int lane)
{
  double sum = 0.0, y[BODY_Y];
  for (int side = 0; side < s->tile[LINKS].sides; side++) {
    get(y, w, s->side[side][lane], BODY_Y);
    for (int i = 0; i < BODY_Y; i++)
      sum += J[((s->tile[LINKS].sides * row + side) * BODY_Y + i) * s->lanes + lane] * y[i];
  }
  return sum;
}

/* What is resisted of a row that gives way. */
static double resisted(const struct scene *s, int row, int lane, bool second)
{
  double sum = 0.0, w[BODY_Y];
  for (int side = 0; side < s->tile[LINKS].sides; side++) {
    struct body_state x;
    get((double *)&x, s->d.now.x, s->side[side][lane], X_NUMBERS);
    get(w, s->d.w, s->side[side][lane], BODY_Y);
    sum += s->d.J[((s->tile[LINKS].sides * row + side) * BODY_Y + 6) * s->lanes + lane] *
           (w[6] - p_dot(x.p, second ? x.pdd : x.pd));
  }
  return sum;
}

struct looked_at {
  struct body_state x[ROWS_SIDES];
  struct body_frame f[ROWS_SIDES];
  struct joint_view v;
};
static void look(const struct scene *s, int lane, struct looked_at *o)
{
  o->v = (struct joint_view){.turn = {s->turn[2 * lane], s->turn[2 * lane + 1]}};
  for (int side = 0; side < s->tile[LINKS].sides; side++) {
    get((double *)&o->x[side], s->d.now.x, s->side[side][lane], X_NUMBERS);
    get((double *)&o->f[side], s->d.frame, s->side[side][lane], FRAME_NUMBERS);
    o->v.x[side] = &o->x[side];
    o->v.f[side] = &o->f[side];
  }
}

static void check_rows(struct scene *s, const struct step_link_kernels *k, int rows)
{
  double Phi[ROWS_MAX], J[ROWS_MAX * ROWS_SIDES * BODY_Y];
  struct looked_at at;
  k->link_rows(&s->m, &s->d, (const int[]){LINKS}, 1);
  for (int lane = 0; lane < s->lanes; lane++) {
    bool used = lane < s->tile[LINKS].used;
    look(s, lane, &at);
    rows_evaluate(&s->link[lane], &at.v, Phi, J);
    if (s->link_tile[LINKS].drives) Phi[0] -= s->aim[lane].position;
    for (int i = 0; i < rows; i++)
      close_to(s, "Phi", lane, i, s->d.Phi[i * s->lanes + lane], used ? Phi[i] : 0.0);
    for (int i = 0; i < rows * s->tile[LINKS].sides * BODY_Y; i++)
      close_to(s, "J", lane, i, s->d.J[i * s->lanes + lane], used ? J[i] : 0.0);
  }
}

static void check_betas(struct scene *s, const struct step_link_kernels *k, int rows)
{
  ali3_data *d = &s->d;
  bool soft = s->tile[LINKS].soft;
  double drives = s->link_tile[LINKS].drives;
  double bias[ROWS_MAX], before[ROWS_MAX * W];
  struct looked_at at;
#define EACH_ROW(name, wanted)                                                                               \
  for (int lane = 0; lane < s->tile[LINKS].used; lane++) {                                                   \
    look(s, lane, &at);                                                                                      \
    rows_bias(&s->link[lane], &at.v, bias);                                                                  \
    for (int i = 0, row = lane; i < rows; i++, row += s->lanes)                                              \
      close_to(s, name, lane, i, d->beta[row], wanted);                                                      \
  }
  k->link_beta(&s->m, d, (const int[]){LINKS}, 1);
  EACH_ROW("beta", product(s, d->Jf, d->w, i, lane) +
                       (soft ? d->c[row] * (d->law[row] - d->now.lambda[row]) : d->Phi[row]))
  k->link_position_beta(&s->m, d, (const int[]){LINKS}, 1);
  EACH_ROW("position", product(s, d->Jf, d->w, i, lane) + (soft ? 0.0 : d->Phi[row]))
  k->link_velocity_beta(&s->m, d, (const int[]){LINKS}, 1);
  EACH_ROW("velocity", soft && !d->held[row] ? resisted(s, i, lane, false)
                                             : product(s, d->J, d->w, i, lane) -
                                                   (soft ? d->hold[row] : drives * d->aim[lane].rate))
  k->link_acceleration_beta(&s->m, d, (const int[]){LINKS}, 1);
  EACH_ROW("acceleration", soft && !d->held[row] ? resisted(s, i, lane, true)
                                                 : product(s, d->J, d->w, i, lane) + bias[i] -
                                                       drives * d->aim[lane].acceleration)
  memcpy(before, d->beta, (size_t)(rows * s->lanes) * sizeof *before);
  k->link_residual(&s->m, d, (const int[]){LINKS}, 1);
  EACH_ROW("residual", before[row] - d->c[row] * d->z[row] - product(s, d->Jf, d->response, i, lane))
  for (int i = 0; i < rows * s->lanes; i++) assert_true(d->z_kept[i] == d->z[i]);
}

/* The largest row of each link, of rigid ones. */
static void check_left(struct scene *s, const struct step_link_kernels *k, int rows)
{
  ali3_data *d = &s->d;
  double drives = s->link_tile[LINKS].drives, bias[ROWS_MAX];
  struct looked_at at;
  if (s->tile[LINKS].soft) return;
  k->link_velocity_left(&s->m, d, (const int[]){LINKS}, 1);
  k->link_acceleration_beta(&s->m, d, (const int[]){LINKS}, 1); /* for bias */
  k->link_acceleration_left(&s->m, d, (const int[]){LINKS}, 1);
  for (int lane = 0; lane < s->tile[LINKS].used; lane++) {
    double velocity = 0.0, acceleration = 0.0;
    look(s, lane, &at);
    rows_bias(&s->link[lane], &at.v, bias);
    for (int i = 0; i < rows; i++) {
      double Jw = product(s, d->J, d->w, i, lane);
      velocity = fmax(velocity, fabs(Jw - drives * d->aim[lane].rate));
      acceleration = fmax(acceleration, fabs(Jw + bias[i] - drives * d->aim[lane].acceleration));
    }
    close_to(s, "left of the velocity", lane, 0, d->left[0][lane], velocity);
    close_to(s, "left of the acceleration", lane, 0, d->left[1][lane], acceleration);
  }
}

static void check_push(struct scene *s, const double *J, const double *v, int rows)
{
  for (int lane = 0; lane < s->lanes; lane++)
    for (int y = 0; y < s->tile[LINKS].sides * BODY_Y; y++) {
      double sum = 0.0;
      for (int i = 0; i < rows; i++)
        sum += J[(s->tile[LINKS].sides * BODY_Y * i + y) * s->lanes + lane] * v[i * s->lanes + lane];
      close_to(s, "push", lane, y, s->d.push[y * s->lanes + lane], sum);
    }
}

static void check_links(struct scene *s, const struct step_link_kernels *k, int rows)
{
  double lambda[ROWS_MAX * W], Phi[ROWS_MAX * W];
  ali3_data *d = &s->d;
  check_rows(s, k, rows);
  check_betas(s, k, rows);
  check_left(s, k, rows);
  k->link_push_lambda(&s->m, d, (const int[]){LINKS}, 1);
  check_push(s, d->J, d->now.lambda, rows);
  random_vector(&s->random, d->push, s->tile[LINKS].sides * BODY_Y * s->lanes);
  k->link_rows_push(&s->m, d, (const int[]){LINKS, LINKS}, 2);
  check_push(s, d->J, d->now.lambda, rows);
  random_vector(&s->random, d->push, s->tile[LINKS].sides * BODY_Y * s->lanes);
  memcpy(Phi, d->Phi, (size_t)(rows * s->lanes) * sizeof *Phi);
  random_vector(&s->random, d->Phi, rows * s->lanes);
  k->link_rows_end(&s->m, d, (const int[]){LINKS}, 1);
  for (int i = 0; i < rows * s->lanes; i++) close_to(s, "Phi", i % s->lanes, i / s->lanes, d->Phi[i], Phi[i]);
  random_vector(&s->random, d->Phi, rows * s->lanes);
  k->link_push_rows(&s->m, d, (const int[]){LINKS},
                    1); /* with J or without, as that of rigid ones is anyhow */
  check_push(s, d->J, d->now.lambda, rows);
  for (int i = 0; i < rows * s->lanes; i++) close_to(s, "Phi", i % s->lanes, i / s->lanes, d->Phi[i], Phi[i]);
  random_vector(&s->random, d->push, s->tile[LINKS].sides * BODY_Y * s->lanes);
  k->link_rest_lambda(&s->m, d, (const int[]){LINKS}, 1);
  check_push(s, d->J, d->now.lambda, rows);
  k->link_push_z(&s->m, d, (const int[]){LINKS}, 1);
  check_push(s, d->Jf, d->z, rows);
  random_vector(&s->random, d->push, s->tile[LINKS].sides * BODY_Y * s->lanes);
  k->link_rest_z(&s->m, d, (const int[]){LINKS}, 1);
  check_push(s, d->Jf, d->z, rows);
  memcpy(lambda, d->now.lambda, (size_t)(rows * s->lanes) * sizeof *lambda);
  k->link_step(&s->m, d, (const int[]){LINKS}, 1);
  check_push(s, d->Jf, d->z, rows);
  for (int i = 0; i < rows * s->lanes; i++)
    close_to(s, "lambda", i % s->lanes, i / s->lanes, d->now.lambda[i], lambda[i] + d->z[i]);
}

/* Every instruction set of this machine, with one lane and with all. */
typedef void check(const struct step_kernels *k, int lanes, int seed, const char *isa);

static void everywhere(check *what)
{
  for (int i = 0; i < ISA_COUNT; i++) {
    enum isa isa = (enum isa)i;
    for (int seed = 1; seed <= SEEDS && isa_supported(isa); seed++) {
      what(step_kernels(isa, 1), 1, seed, isa_name(isa));
      what(step_kernels(isa, isa_lanes(isa)), isa_lanes(isa), seed, isa_name(isa));
    }
  }
}

static void bodies(const struct step_kernels *k, int lanes, int seed, const char *isa)
{
  for (size_t i = 0; i < sizeof body_kernel / sizeof *body_kernel; i++)
    for (int variant = 0; variant < 16 * (ENDS + 1); variant++) {
      struct scene s;
      scene_make(&s, lanes, 1, 2, seed);
      snprintf(s.what, sizeof s.what, "%s, %d lanes, seed %d, variant %d", isa, lanes, seed, variant);
      place_ends(&s, variant / 16, variant / 4 % 2);
      if (variant / 8 % 2) make_diagonal(&s);
      for (int tile = A; tile <= B; tile++) s.tile[tile].carried = s.body_tile[tile].carried = variant % 2;
      s.d.some_stiff = variant % 2;
      s.f.rows = seed % 2;
      check_bodies(&s, k, i, variant / 2 % 2);
      scene_free(&s);
    }
}

static void links(const struct step_kernels *k, int lanes, int seed, const char *isa)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (int variant = 0; variant < 8 * ARRANGEMENTS; variant++) {
      struct scene s;
      enum arrangement how = (enum arrangement)(variant / 4 % ARRANGEMENTS);
      scene_make(&s, lanes, kinds[i].rows, 2, seed);
      snprintf(s.what, sizeof s.what, "%s, %d lanes, seed %d, kind %zu, variant %d", isa, lanes, seed, i,
               variant);
      s.tile[LINKS].soft = variant % 2;
      if (variant % 4 > 1 && lanes > 1) s.item[LINKS * W + --s.tile[LINKS].used] = -1;
      make_links(&s, &kinds[i], how);
      bool shared = variant >= 4 * ARRANGEMENTS;
      if (shared && (how == ALONE || !rows_share_point(&s.link[0]))) {
        scene_free(&s);
        continue;
      }
      if (shared) share_points(&s, kinds[i].rows);
      check_links(&s, k->links, kinds[i].rows);
      scene_free(&s);
    }
}

static void bodies_are_as_one_by_one(void **state)
{
  (void)state;
  everywhere(bodies);
}

static void links_are_as_one_by_one(void **state)
{
  (void)state;
  everywhere(links);
}

/* Springs whose points meet have no direction, in their lane and in no other. */
static void no_length(const struct step_kernels *k, int lanes, int seed, const char *isa)
{
  static const struct kind spring = {1, 1, {ROW_LENGTH}};
  struct scene s;
  scene_make(&s, lanes, 1, 2, seed);
  snprintf(s.what, sizeof s.what, "%s, %d lanes, seed %d", isa, lanes, seed);
  make_links(&s, &spring, SIDE_BY_SIDE);
  for (int i = 0; i < 6; i++) s.constant[i * lanes] = s.link[0].point[i / 3][i % 3] = 0.0;
  for (int i = 0; i < 3; i++) s.d.now.x[i * lanes] = s.d.now.x[lanes * X_NUMBERS + i * lanes] = 1.0;
  check_rows(&s, k->links, 1);
  check_betas(&s, k->links, 1);
  scene_free(&s);
}

static void a_spring_without_length_pulls_nowhere(void **state)
{
  (void)state;
  everywhere(no_length);
}

/* Four bodies in a row, and an aim for each. */
static void gears(const struct step_kernels *k, int lanes, int seed, const char *isa)
{
  struct scene s;
  struct link_tile *t = &s.link_tile[LINKS];
  scene_make(&s, lanes, 1, ROWS_SIDES, seed);
  snprintf(s.what, sizeof s.what, "%s, %d lanes, seed %d", isa, lanes, seed);
  *t = (struct link_tile){.lane_by_lane = true, .drives = true};
  for (int lane = 0; lane < lanes; lane++) {
    struct joint_rows *j = &s.link[lane];
    *j = (struct joint_rows){.sides = ROWS_SIDES, .count = 1, .primitives = 1, .coordinates = 2};
    j->primitive[0].kind = ROW_COORDINATE;
    j->drive = lane;
    j->rolling = -1;
    for (int c = 0; c < 2; c++) {
      struct coordinate *x = &j->coordinate[c];
      random_vector(&s.random, x->point[0], 6);
      random_unit(&s.random, x->axis, 3);
      v3_perpendicular(x->axis, x->u0, x->u1);
      random_unit(&s.random, x->v0, 3);
      x->kind = (lane + c) % 2 ? COORDINATE_ANGLE : COORDINATE_SLIDE;
      j->ratio[c] = random_between(&s.random, -2.0, 2.0);
      j->joint[c] = 2 * lane + c;
      j->slot[c][0] = 2 * c;
      j->slot[c][1] = 2 * c + 1;
    }
    for (int side = 0; side < ROWS_SIDES; side++)
      s.side[side][lane] = body_at(&s, side % 2, side < 2 ? lane : lanes - 1 - lane);
  }
  look_at_sides(&s);
  name_bodies(&s, ROWS_SIDES);
  check_links(&s, k->links, 1);
  scene_free(&s);
}

static void gears_and_drives_are_done_one_by_one(void **state)
{
  (void)state;
  everywhere(gears);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_as_one_by_one),
      cmocka_unit_test(links_are_as_one_by_one),
      cmocka_unit_test(a_spring_without_length_pulls_nowhere),
      cmocka_unit_test(gears_and_drives_are_done_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
