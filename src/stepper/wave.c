/* SPDX-License-Identifier: MIT
 * Set-up of the orders, and loop code to run them. */
#include "stepper/wave.h"
#include "stepper/storage.h"

#include <stdlib.h>

enum { STAGES = 5, BODIES_FIRST = 0, SHORT = 1, LONG = 2 };

#define BODY(kernel) offsetof(struct step_body_kernels, kernel)
#define LINK(kernel) offsetof(struct step_link_kernels, kernel)

/* Kernels of one or two at each stage; bodies and links take turns. */
static const struct {
  int order; /* frozen.wave[order] */
  int stages;
  struct {
    int kernels;
    size_t kernel[2];
  } stage[STAGES];
} list[WAVES] = {
    [WAVE_PREDICT] = {BODIES_FIRST, 2, {{1, {BODY(body_predict)}}, {1, {LINK(link_rows)}}}},
    [WAVE_FIRST] = {SHORT,
                    3,
                    {{1, {LINK(link_push_lambda)}}, {1, {BODY(body_free)}}, {1, {LINK(link_beta)}}}},
    [WAVE_NEXT] = {LONG,
                   5,
                   {{1, {LINK(link_step)}},
                    {1, {BODY(body_step)}},
                    {1, {LINK(link_rows_push)}},
                    {1, {BODY(body_free)}},
                    {1, {LINK(link_beta)}}}},
    [WAVE_LAST] = {LONG,
                   5,
                   {{1, {LINK(link_step)}},
                    {1, {BODY(body_step)}},
                    {1, {LINK(link_rows)}},
                    {1, {BODY(body_velocity_free)}},
                    {1, {LINK(link_velocity_beta)}}}},
    [WAVE_AGAIN] = {SHORT,
                    3,
                    {{1, {LINK(link_push_z)}},
                     {2, {BODY(body_velocity_set), BODY(body_velocity_again)}},
                     {1, {LINK(link_velocity_beta)}}}},
    [WAVE_TURN] = {LONG,
                   5,
                   {{1, {LINK(link_push_z)}},
                    {1, {BODY(body_velocity_set)}},
                    {1, {LINK(link_velocity_left)}},
                    {1, {BODY(body_acceleration_free)}},
                    {1, {LINK(link_acceleration_beta)}}}},
    [WAVE_DONE] = {SHORT,
                   3,
                   {{1, {LINK(link_push_z)}},
                    {1, {BODY(body_acceleration_set)}},
                    {1, {LINK(link_acceleration_left)}}}},
};

/* Tiles of the other kind with which a tile has something to do. */
struct graph {
  const struct frozen *f;
  int *first, *other; /* (tiles + 1), () */
  int *waits;         /* (STAGES, tiles) neighbours that are not done with the stage before */
  struct wave_order *o;
};

static int body_tile_of(const struct frozen *f, int link, int side)
{
  int body = f->link[link].body[side];
  return body == ALI3_GROUND ? -1 : f->tile_of[body];
}

/* All pairs of neighbours, each once: calls for link tile a and body tile b. */
static void each_pair(struct graph *g, void (*take)(struct graph *g, int a, int b), int *seen)
{
  const struct tree *t = g->f->tree;
  for (int i = 0; i < t->tiles; i++) seen[i] = -1;
  for (int i = 0; i < t->joint_tiles; i++) {
    int a = t->joint_tile[i];
    for (int lane = 0; lane < t->tile[a].width; lane++) {
      int link = stored_item(t, &t->tile[a], lane);
      for (int side = 0; link >= 0 && side < t->tile[a].sides; side++) {
        int b = body_tile_of(g->f, link, side);
        if (b < 0 || seen[b] == a) continue;
        seen[b] = a;
        take(g, a, b);
      }
    }
  }
}

static void count_pair(struct graph *g, int a, int b)
{
  g->first[a + 1]++;
  g->first[b + 1]++;
}

static void list_pair(struct graph *g, int a, int b)
{
  g->other[g->first[a + 1]++] = b;
  g->other[g->first[b + 1]++] = a;
}

static bool build_graph(struct graph *g)
{
  size_t tiles = (size_t)g->f->tree->tiles;
  int *seen = calloc(tiles + 1, sizeof *seen);
  g->first = calloc(tiles + 2, sizeof *g->first);
  g->waits = calloc(STAGES * (tiles + 1), sizeof *g->waits);
  bool ok = seen && g->first && g->waits;
  if (ok) {
    each_pair(g, count_pair, seen);
    for (size_t i = 0; i < tiles; i++) g->first[i + 1] += g->first[i];
    g->other = calloc((size_t)g->first[tiles] + 1, sizeof *g->other);
    ok = g->other != NULL;
  }
  if (ok) {
    for (size_t i = tiles; i > 0; i--) g->first[i] = g->first[i - 1]; /* ends become places to fill */
    each_pair(g, list_pair, seen);
  }
  free(seen);
  return ok;
}

/* Tile t does its stage; those that waited for it alone go on. */
static void advance(struct graph *g, int t, int stage, int stages)
{
  g->o->beat[g->o->beats++] = (struct wave_beat){stage, t};
  if (stage + 1 == stages) return;
  int neighbours = g->first[t + 1] - g->first[t];
  for (int i = g->first[t]; i < g->first[t + 1]; i++)
    if (--g->waits[(stage + 1) * g->f->tree->tiles + g->other[i]] == 0)
      advance(g, g->other[i], stage + 1, stages);
  if (neighbours == 0 && stage + 2 < stages) advance(g, t, stage + 2, stages);
}

static bool build_order(struct graph *g, int stages, bool bodies_first, struct wave_order *o)
{
  const struct tree *t = g->f->tree;
  const int *start = bodies_first ? t->body_tile : t->joint_tile;
  int count = bodies_first ? t->body_tiles : t->joint_tiles, others = t->tiles - count;
  o->beat = calloc((size_t)stages * (size_t)t->tiles + 1, sizeof *o->beat);
  if (!o->beat) return false;
  g->o = o;
  for (int stage = 1; stage < stages; stage++)
    for (int i = 0; i < t->tiles; i++) g->waits[stage * t->tiles + i] = g->first[i + 1] - g->first[i];
  for (int i = 0; i < count; i++) advance(g, start[i], 0, stages);
  const int *rest = bodies_first ? t->joint_tile : t->body_tile;
  for (int i = 0; i < others; i++) /* those without neighbours wait for nothing */
    if (g->first[rest[i] + 1] == g->first[rest[i]]) advance(g, rest[i], 1, stages);
  return true;
}

bool wave_build(struct frozen *f)
{
  struct graph g = {.f = f};
  bool ok = build_graph(&g) && build_order(&g, 2, true, &f->wave[BODIES_FIRST]) &&
            build_order(&g, 3, false, &f->wave[SHORT]) && build_order(&g, 5, false, &f->wave[LONG]);
  free(g.first);
  free(g.other);
  free(g.waits);
  return ok;
}

void wave_free(struct frozen *f)
{
  for (int i = 0; i < 3; i++) free(f->wave[i].beat);
}

bool wave_applies(const ali3_model *m, const ali3_data *d)
{
  const struct frozen *f = m->frozen;
  return f->rigid_links == f->links && m->loads == 0 && !stage_is_shared(d, 28.0 * f->true_rows);
}

void wave_run(const ali3_model *m, ali3_data *d, enum wave wave)
{
  const struct frozen *f = m->frozen;
  const struct tree *t = f->tree;
  const struct wave_order *o = &f->wave[list[wave].order];
  step_kernel *kernel[STAGES][2][2]; /* stage, first or second, of tiles with one lane or all */
  bool bodies = list[wave].order == BODIES_FIRST;
  for (int s = 0; s < list[wave].stages; s++, bodies = !bodies)
    for (int k = 0; k < list[wave].stage[s].kernels; k++)
      for (int wide = 0; wide < 2; wide++) {
        const char *table =
            bodies ? (const char *)f->kernels[wide]->bodies : (const char *)f->kernels[wide]->links;
        kernel[s][k][wide] = *(step_kernel *const *)(const void *)(table + list[wave].stage[s].kernel[k]);
      }
  if (wave == WAVE_PREDICT || wave == WAVE_NEXT || wave == WAVE_LAST) stage_turn_over(d);
  for (const struct wave_beat *b = o->beat; b < o->beat + o->beats; b++) {
    bool wide = t->tile[b->tile].width > 1;
    kernel[b->stage][0][wide](m, d, b->tile);
    if (list[wave].stage[b->stage].kernels > 1) kernel[b->stage][1][wide](m, d, b->tile);
  }
}
