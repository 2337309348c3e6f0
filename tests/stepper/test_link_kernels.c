/* SPDX-License-Identifier: MIT
 * The kernels of links of all instruction sets that this machine has, with one lane and with all, against the scalar functions
 * of dynamics/. */
#include "check.h"
#include "math/euler.h"
#include "stepper/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
      bool ground = b->first == scene_ground(s).first;
      s->link[lane].body[side] = ground ? ALI3_GROUND : b->first / s->lanes * W + b->lane;
    }
}

/* How the bodies of the links lie: lane by lane; on side 0 the ground, or one body, for all; on side 1 in other lanes, and
 * with the ground among them; and that link by link. */
enum arrangement { SIDE_BY_SIDE, GROUNDED, ON_A_HUB, CROSSED, APART, ALONE, ARRANGEMENTS };

static struct tree_body body_arranged(const struct scene *s, enum arrangement how, int side, int lane)
{
  if (!side && how == GROUNDED) return scene_ground(s);
  if (!side && how == ON_A_HUB) return scene_body(s, side, s->lanes / 2);
  if (!side || how == SIDE_BY_SIDE || how == GROUNDED || how == ON_A_HUB) return scene_body(s, side, lane);
  return how != CROSSED && lane % 4 == 3 ? scene_ground(s) : scene_body(s, side, s->lanes - 1 - lane);
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
  double *constant = scene_numbers(s, (size_t)((7 + 6 * kind->primitives) * s->lanes), false);
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
    scene_get(y, w, s->side[side][lane], BODY_Y);
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
    scene_get((double *)&x, s->d.now.x, s->side[side][lane], X_NUMBERS);
    scene_get(w, s->d.w, s->side[side][lane], BODY_Y);
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
    scene_get((double *)&o->x[side], s->d.now.x, s->side[side][lane], X_NUMBERS);
    scene_get((double *)&o->f[side], s->d.frame, s->side[side][lane], FRAME_NUMBERS);
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
      scene_close(s, "Phi", lane, i, s->d.Phi[i * s->lanes + lane], used ? Phi[i] : 0.0);
    for (int i = 0; i < rows * s->tile[LINKS].sides * BODY_Y; i++)
      scene_close(s, "J", lane, i, s->d.J[i * s->lanes + lane], used ? J[i] : 0.0);
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
      scene_close(s, name, lane, i, d->beta[row], wanted);                                                   \
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
    scene_close(s, "left of the velocity", lane, 0, d->left[0][lane], velocity);
    scene_close(s, "left of the acceleration", lane, 0, d->left[1][lane], acceleration);
  }
}

static void check_push(struct scene *s, const double *J, const double *v, int rows)
{
  for (int lane = 0; lane < s->lanes; lane++)
    for (int y = 0; y < s->tile[LINKS].sides * BODY_Y; y++) {
      double sum = 0.0;
      for (int i = 0; i < rows; i++)
        sum += J[(s->tile[LINKS].sides * BODY_Y * i + y) * s->lanes + lane] * v[i * s->lanes + lane];
      scene_close(s, "push", lane, y, s->d.push[y * s->lanes + lane], sum);
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
  for (int i = 0; i < rows * s->lanes; i++)
    scene_close(s, "Phi", i % s->lanes, i / s->lanes, d->Phi[i], Phi[i]);
  random_vector(&s->random, d->Phi, rows * s->lanes);
  k->link_push_rows(&s->m, d, (const int[]){LINKS},
                    1); /* with J or without, as that of rigid ones is anyhow */
  check_push(s, d->J, d->now.lambda, rows);
  for (int i = 0; i < rows * s->lanes; i++)
    scene_close(s, "Phi", i % s->lanes, i / s->lanes, d->Phi[i], Phi[i]);
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
    scene_close(s, "lambda", i % s->lanes, i / s->lanes, d->now.lambda[i], lambda[i] + d->z[i]);
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

TEST(links_are_as_one_by_one)
{
  scene_everywhere(links);
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

TEST(a_spring_without_length_pulls_nowhere)
{
  scene_everywhere(no_length);
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
      s.side[side][lane] = scene_body(&s, side % 2, side < 2 ? lane : lanes - 1 - lane);
  }
  look_at_sides(&s);
  name_bodies(&s, ROWS_SIDES);
  check_links(&s, k->links, 1);
  scene_free(&s);
}

TEST(gears_and_drives_are_done_one_by_one)
{
  scene_everywhere(gears);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_are_as_one_by_one),
      cmocka_unit_test(a_spring_without_length_pulls_nowhere),
      cmocka_unit_test(gears_and_drives_are_done_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
