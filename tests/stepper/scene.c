/* SPDX-License-Identifier: MIT */
#include "stepper/scene.h"
#include "check.h"
#include "dynamics/spin.h"

#include "common/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-13; /* they differ in fused multiplications */

void scene_close(const struct scene *s, const char *name, int lane, int i, double got, double wanted)
{
  if (!(fabs(got - wanted) <= TOLERANCE * (1.0 + fabs(wanted))))
    fail_msg("%s: %s, lane %d, number %d: %.17g, not %.17g", s->what, name, lane, i, got, wanted);
}

double *scene_numbers(struct scene *s, size_t count, bool random)
{
  size_t size = (count * sizeof(double) + 63) / 64 * 64;
  double *o = aligned_alloc(64, size);
  assert_non_null(o);
  memset(o, 0, size);
  if (random) random_vector(&s->random, o, (int)count);
  s->block[s->blocks++] = o;
  return o;
}

struct tree_body scene_ground(const struct scene *s)
{
  return (struct tree_body){s->slots - 1, 1, 0};
}

void scene_get(double *o, const double *from, struct tree_body at, int count)
{
  for (int i = 0; i < count; i++) o[i] = from[at.first * count + i * at.width + at.lane];
}

void scene_put(double *to, const double *from, struct tree_body at, int count)
{
  for (int i = 0; i < count; i++) to[at.first * count + i * at.width + at.lane] = from[i];
}

struct tree_body scene_body(const struct scene *s, int tile, int lane)
{
  return (struct tree_body){s->tile[tile].slot, s->lanes, lane};
}

static void place_bodies(struct scene *s)
{
  ali3_data *d = &s->d;
  size_t n = (size_t)s->slots;
  d->now.x = scene_numbers(s, n * X_NUMBERS, false);
  d->last.x = scene_numbers(s, n * X_NUMBERS, false);
  d->frame = d->frame_f = d->frame_to = scene_numbers(s, n * FRAME_NUMBERS, false);
  d->delta = scene_numbers(s, n * DELTA_NUMBERS, true);
  d->now.mu = scene_numbers(s, n, true);
  d->external = scene_numbers(s, n * LOAD_NUMBERS, true);
  d->load = scene_numbers(s, n * LOAD_NUMBERS, true);
  d->acted = s->acted;
  d->fast = s->fast;
  d->spin = scene_numbers(s, n * SPIN_NUMBERS, true);
  s->f.axes = scene_numbers(s, n * AXES_NUMBERS, false);
  d->w = scene_numbers(s, n * BODY_Y, true);
  d->pull = scene_numbers(s, n * BODY_Y, true);
  d->response = scene_numbers(s, n * BODY_Y, true);
  d->increment = scene_numbers(s, n, false);
  s->f.constant = scene_numbers(s, n * BODY_NUMBERS, true);
  for (int tile = A; tile <= B; tile++)
    for (int lane = 0; lane < s->lanes; lane++) {
      struct body_state x, last;
      struct body_frame f;
      state_random(&s->random, &last, &f, 1.1);
      state_random(&s->random, &x, &f, 0.9);
      scene_put(d->last.x, (const double *)&last, scene_body(s, tile, lane), X_NUMBERS);
      scene_put(d->now.x, (const double *)&x, scene_body(s, tile, lane), X_NUMBERS);
      scene_put(d->frame, (const double *)&f, scene_body(s, tile, lane), FRAME_NUMBERS);
    }
  const double none[BODY_Y] = {0};
  scene_put(d->now.x, (const double *)&body_ground, scene_ground(s), X_NUMBERS);
  scene_put(d->frame, (const double *)&body_ground_frame, scene_ground(s), FRAME_NUMBERS);
  scene_put(d->w, none, scene_ground(s), BODY_Y);
  scene_put(d->response, none, scene_ground(s), BODY_Y);
}

static void place_rows(struct scene *s, int rows, int sides)
{
  ali3_data *d = &s->d;
  size_t all = (size_t)(rows * s->lanes), hub = (size_t)(2 * BODY_Y * s->lanes);
  int push = sides * BODY_Y * s->lanes;
  s->tile[LINKS].rows = rows;
  s->tile[LINKS].sides = sides;
  d->Phi = scene_numbers(s, all, false);
  d->J = scene_numbers(s, all * (size_t)(sides * BODY_Y), false);
  d->Jf = scene_numbers(s, all * (size_t)(sides * BODY_Y), true);
  d->c = scene_numbers(s, all, true);
  d->law = scene_numbers(s, all, true);
  d->hold = scene_numbers(s, all, true);
  d->bias = scene_numbers(s, all, false);
  for (int i = 0; i < 2; i++) d->left[i] = scene_numbers(s, all, false);
  d->now.lambda = scene_numbers(s, all, true);
  d->beta = scene_numbers(s, all + hub, true);
  d->z = scene_numbers(s, all + hub, true);
  d->z_kept = scene_numbers(s, all + hub, false);
  d->push = scene_numbers(s, (size_t)push + 1, true);
  d->push[push] = 0.0;
  d->held = s->held;
  d->aim = s->aim;
  d->turn = s->turn;
  random_vector(&s->random, (double *)s->aim, 3 * W);
  random_vector(&s->random, s->turn, 2 * W);
  for (int i = 0; i < rows * s->lanes; i++) s->held[i] = random_below(&s->random, 2);
  for (int tile = A; tile <= B; tile++) s->tile[tile].at = (int)all + tile * BODY_Y * s->lanes;
}

void scene_place_ends(struct scene *s, int ends, bool together)
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

void scene_make(struct scene *s, int lanes, int rows, int sides, int seed)
{
  *s = (struct scene){.lanes = lanes, .slots = 2 * lanes + 1, .random = {(uint64_t)seed}};
  s->tree = (struct tree){.tile = s->tile, .item = s->item, .lanes = lanes};
  s->tree.body = s->body;
  s->tree.bodies = 2 * W;
  s->body[2 * W] = scene_ground(s);
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
    for (int t = A; t <= B; t++) s->body[t * W + lane] = scene_body(s, t, lane);
  }
  s->d.rule = (struct rule){0.01, 0.02, 3.0, -0.4, 0.05, 6.0, -0.7, -0.8};
  place_bodies(s);
  place_rows(s, rows, sides);
  scene_place_ends(s, 2, false);
}

void scene_free(struct scene *s)
{
  for (int i = 0; i < s->blocks; i++) free(s->block[i]);
}

void scene_everywhere(check *what)
{
  for (int i = 0; i < ISA_COUNT; i++) {
    enum isa isa = (enum isa)i;
    for (int seed = 1; seed <= SEEDS && isa_supported(isa); seed++) {
      what(step_kernels(isa, 1), 1, seed, isa_name(isa));
      what(step_kernels(isa, isa_lanes(isa)), isa_lanes(isa), seed, isa_name(isa));
    }
  }
}
