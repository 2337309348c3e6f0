/* SPDX-License-Identifier: MIT */
#include "dca/stored.h"
#include "dynamics/leaf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = LEAF_NUMBERS + 1 }; /* one more than the tree needs */

int variants(struct variant o[VARIANTS])
{
  int count = 0;
  for (int isa = 0; isa < ISA_COUNT; isa++) {
    if (!isa_supported((enum isa)isa)) continue;
    o[count++] = (struct variant){(enum isa)isa, isa_lanes((enum isa)isa)};
    o[count++] = (struct variant){(enum isa)isa, 1};
  }
  return count;
}

const char *variant_name(struct variant v)
{
  static char name[32];
  snprintf(name, sizeof name, "%s, lanes %d", isa_name(v.isa), v.lanes);
  return name;
}

static void *must(void *p)
{
  if (!p) abort();
  return p;
}

/* The kernels read vectors in whole lanes, so arrays are aligned. */
static double *aligned(size_t count)
{
  double *p = must(aligned_zalloc((count + 1) * sizeof *p));
  for (size_t i = 0; i < count; i++) p[i] = NAN;
  return p;
}

static void fill_joints(struct stored *s, const struct tree_tile *o)
{
  const struct tree *t = s->tree;
  for (int l = 0; l < o->width; l++) {
    int j = t->item[o->item_first + l];
    const int unit = o->unit_columns ? TREE_UNIT : 0;
    for (int i = 0; i < o->rows * o->sides; i++)
      for (int y = unit; y < TREE_Y; y++)
        s->J[o->jacobian + (size_t)((i * (TREE_Y - unit) + y) * o->width + l)] =
            j < 0 ? 0.0 : graph_block(s->graph, j, s->graph->first[j], 0)[TREE_Y * i + y];
    for (int i = 0; i < o->rows; i++) {
      s->c[o->at + i * o->width + l] = j < 0 ? 1.0 : s->graph->c[s->graph->first[j] + i];
      s->beta[o->at + i * o->width + l] = 0.0;
    }
  }
}

static void fill_bodies(struct stored *s, const struct tree_tile *o)
{
  static const struct tree_delta unit = {1.0, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, 1.0};
  for (int l = 0; l < o->width; l++) {
    int b = s->tree->item[o->item_first + l];
    const struct tree_delta *d = b < 0 ? &unit : &s->graph->delta[b];
    double *to = s->delta + o->slot * NUMBERS + l;
    to[LEAF_R * o->width] = d->r;
    for (int i = 0; i < 9; i++) to[(LEAF_TH + i) * o->width] = d->th[i];
    to[LEAF_N * o->width] = d->n;
    for (int i = 0; i < TREE_Y && o->kind == TREE_HUB; i++) s->beta[o->at + i * o->width + l] = 0.0;
  }
}

void stored_fill(struct stored *s)
{
  for (int i = 0; i < s->tree->tiles; i++) {
    const struct tree_tile *o = &s->tree->tile[i];
    if (o->kind == TREE_JOINT)
      fill_joints(s, o);
    else
      fill_bodies(s, o);
  }
}

void stored_new(struct stored *s, const struct graph *g, struct variant v)
{
  struct arena sizing = {0};
  struct tree *t = must(tree_build(&g->g, v.lanes, isa_lanes(v.isa)));
  *s = (struct stored){.graph = g, .variant = v, .tree = t, .solver = tree_solver(t, v.isa)};
  tree_work_place(t, &s->work, &sizing);
  struct arena arena = {.base = s->block = must(aligned_zalloc(sizing.used))};
  tree_work_place(t, &s->work, &arena);
  for (size_t i = 0; i < t->front_size; i++) s->work.front[i] = NAN;
  for (size_t i = 0; i < t->vector_size; i++) s->work.vector[i] = NAN;
  s->J = aligned(t->jacobian);
  s->delta = aligned((size_t)(t->slots * NUMBERS));
  s->c = aligned((size_t)t->rows);
  s->beta = aligned((size_t)t->unknowns);
  s->x = aligned((size_t)t->unknowns);
  s->matrix = (struct tree_matrix){.J = s->J, .delta = s->delta, .numbers = NUMBERS, .c = s->c};
  stored_fill(s);
}

void stored_free(struct stored *s)
{
  tree_free(s->tree);
  free(s->block);
  free(s->J);
  free(s->delta);
  free(s->c);
  free(s->beta);
  free(s->x);
}

int stored_condense(struct stored *s)
{
  return tree_condense_groups(&s->solver, &s->work, &s->matrix, 0, s->solver.tree->groups);
}

void stored_sweep(struct stored *s, const double *rows, double (*pull)[TREE_Y], double *z,
                  double (*e)[TREE_Y])
{
  const struct tree *t = s->tree;
  const struct graph *g = s->graph;
  for (int j = 0; j < g->g.joints; j++)
    for (int row = g->first[j], k = 0; row < g->first[j + 1]; row++, k++)
      s->beta[t->joint[j].row + k * t->joint[j].width] = rows[row];
  for (int b = 0; b < g->g.bodies && pull; b++)
    for (int y = 0; y < TREE_Y && t->carried_at[b] >= 0; y++)
      s->beta[t->carried_at[b] + y * t->body[b].width] = pull[b][y];
  tree_up_groups(&s->solver, &s->work, s->beta, 0, s->solver.tree->groups);
  tree_down_groups(&s->solver, &s->work, s->x, 0, s->solver.tree->groups);
  for (int j = 0; j < g->g.joints; j++)
    for (int row = g->first[j], k = 0; row < g->first[j + 1]; row++, k++)
      z[row] = s->x[t->joint[j].row + k * t->joint[j].width];
  for (int b = 0; b < g->g.bodies; b++)
    for (int y = 0; y < TREE_Y && t->hub_at[b] >= 0; y++) e[b][y] = s->x[t->hub_at[b] + y * t->body[b].width];
}

double tree_utilisation(const struct tree *t, bool wide)
{
  double used = 0.0, lanes = 0.0;
  for (int i = 0; i < t->groups; i++) {
    used += t->group[i].used;
    lanes += wide ? t->lanes : t->group[i].width;
  }
  return used / lanes;
}
