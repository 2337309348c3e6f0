/* SPDX-License-Identifier: MIT
 * Set-up. See factor.h. */
#include "mechanics/factor.h"

#include "mechanics/factor_parts.h"
#include "mechanics/order.h"

#include <stdlib.h>
#include <string.h>

/* Adds the rows of a link to the list of the first of its bodies. */
static bool add_link(struct factor *f, struct waiting *w, const struct geometry *g, int link, int first)
{
  struct geometry_rows rows;
  geometry_rows(g, link, &rows);
  struct block *b = block_new(rows.sides, rows.count);
  if (!b) return false;
  int side[ROWS_SIDES];
  for (int s = 0; s < rows.sides; s++) { /* sort by position */
    int at = s;
    for (; at > 0 && f->position[rows.body[side[at - 1]]] > f->position[rows.body[s]]; at--)
      side[at] = side[at - 1];
    side[at] = s;
  }
  for (int s = 0; s < rows.sides; s++) b->body[s] = rows.body[side[s]];
  for (int k = 0; k < rows.count; k++) {
    b->row[k] = first + k;
    for (int s = 0; s < rows.sides; s++)
      memcpy(b->a + (size_t)(GEOMETRY_V * (k * rows.sides + s)), rows.J[k] + GEOMETRY_V * side[s],
             GEOMETRY_V * sizeof *b->a);
  }
  b->next = w->first[b->body[0]];
  w->first[b->body[0]] = b;
  return true;
}

static bool find_order(struct factor *f, const struct geometry *g, const struct rows_used *used)
{
  const struct frozen *frozen = g->m->frozen;
  struct clique *clique = calloc((size_t)frozen->rigid_links + 1, sizeof *clique);
  int cliques = 0;
  for (int i = 0; clique && i < frozen->rigid_links; i++) {
    const struct joint_rows *j = &frozen->link[i];
    struct clique *c = &clique[cliques];
    if (!used->link[i]) continue;
    for (int side = 0; side < j->sides; side++)
      if (j->body[side] != ALI3_GROUND) c->body[c->count++] = j->body[side];
    cliques++;
  }
  bool ok = clique && order_bodies(f->bodies, clique, cliques, f->position);
  for (int b = 0; ok && b < f->bodies; b++) f->order[f->position[b]] = b;
  free(clique);
  return ok;
}

bool factor_new(struct factor *f, const struct geometry *g, const struct rows_used *used, double limit)
{
  /* Allocate the result and the lists of waiting rows. */
  size_t bodies = (size_t)g->m->bodies + 1;
  *f = (struct factor){.bodies = g->m->bodies, .rows = used->rows};
  struct waiting w = {.first = calloc(bodies, sizeof *w.first), .column = malloc(bodies * sizeof *w.column)};
  f->order = calloc(bodies, sizeof *f->order);
  f->position = calloc(bodies, sizeof *f->position);
  f->pivots = calloc(bodies, sizeof *f->pivots);
  f->is_pivot = calloc((size_t)used->rows + 1, sizeof *f->is_pivot);
  bool ok = w.first && w.column && f->order && f->position && f->pivots && f->is_pivot;
  /* Each row waits at the first of its bodies in the order. */
  ok = ok && find_order(f, g, used);
  for (int b = 0; ok && b < f->bodies; b++) w.column[b] = -1;
  for (int i = 0; ok && i < g->m->frozen->rigid_links; i++)
    if (used->link[i]) ok = add_link(f, &w, g, i, used->first[i]);
  /* Eliminate body by body. */
  for (int i = 0; ok && i < f->bodies; i++) ok = front_eliminate(f, &w, f->order[i], limit);
  /* After a failure, free the waiting rows. */
  for (int b = 0; !ok && w.first && b < f->bodies; b++)
    for (struct block *next, *i = w.first[b]; i; i = next) {
      next = i->next;
      free(i);
    }
  free(w.first);
  free(w.column);
  if (!ok) factor_free(f);
  return ok;
}

void factor_free(struct factor *f)
{
  for (int b = 0; f->pivots && b < f->bodies; b++) {
    free(f->pivots[b].body);
    free(f->pivots[b].R);
  }
  free(f->pivots);
  free(f->order);
  free(f->position);
  free(f->is_pivot);
  free(f->reflected.list);
  free(f->reflected.row);
  free(f->reflected.v);
  *f = (struct factor){0};
}

void factor_reflect(const struct factor *f, size_t reflection, double *y)
{
  const struct reflection *h = &f->reflected.list[reflection];
  const int *row = f->reflected.row + h->at;
  const double *v = f->reflected.v + h->at;
  double sum = 0.0;
  for (int i = 0; i < h->count; i++) sum += v[i] * y[row[i]];
  sum *= h->beta;
  for (int i = 0; i < h->count; i++) y[row[i]] -= sum * v[i];
}

void factor_transform(const struct factor *f, double *y)
{
  for (size_t i = 0; i < f->reflected.count; i++) factor_reflect(f, i, y);
}

/* y := Q y; y (rows). */
static void factor_transform_back(const struct factor *f, double *y)
{
  for (size_t i = f->reflected.count; i > 0; i--) factor_reflect(f, i - 1, y);
}

void factor_residual(const struct factor *f, double *y)
{
  factor_transform(f, y);
  for (int r = 0; r < f->rows; r++)
    if (f->is_pivot[r]) y[r] = 0.0;
  factor_transform_back(f, y);
}

/* x of the column of one pivot row, from the columns that follow. */
static double solve_row(const struct pivots *p, int row, double y, const double *own, const double *x)
{
  const double *R = p->R + (size_t)row * (size_t)p->bodies * GEOMETRY_V;
  for (int c = row + 1; c < GEOMETRY_V; c++) y -= R[c] * own[c];
  for (int b = 1; b < p->bodies; b++) {
    const double *other = x + (size_t)p->body[b] * GEOMETRY_V;
    for (int c = 0; c < GEOMETRY_V; c++) y -= R[GEOMETRY_V * b + c] * other[c];
  }
  return y / R[row];
}

void factor_solve(const struct factor *f, const double *y, double *x)
{
  for (int i = f->bodies - 1; i >= 0; i--) {
    const struct pivots *p = &f->pivots[f->order[i]];
    double *to = x + (size_t)f->order[i] * GEOMETRY_V, own[GEOMETRY_V];
    for (int c = 0; c < GEOMETRY_V; c++) own[c] = to[p->column[c]];
    for (int r = p->rank - 1; r >= 0; r--) own[r] = solve_row(p, r, y[p->row[r]], own, x);
    for (int c = 0; c < GEOMETRY_V; c++) to[p->column[c]] = own[c];
  }
}

void factor_solve_transposed(const struct factor *f, double *load, double *y)
{
  /* R'(Q'y) = load, in the order of elimination */
  for (int i = 0; i < f->bodies; i++) {
    const struct pivots *p = &f->pivots[f->order[i]];
    double *own = load + (size_t)f->order[i] * GEOMETRY_V;
    for (int r = 0; r < p->rank; r++) {
      const double *R = p->R + (size_t)r * (size_t)p->bodies * GEOMETRY_V;
      const double z = y[p->row[r]] = own[p->column[r]] / R[r];
      for (int c = r + 1; c < GEOMETRY_V; c++) own[p->column[c]] -= R[c] * z;
      for (int b = 1; b < p->bodies; b++) {
        double *other = load + (size_t)p->body[b] * GEOMETRY_V;
        for (int c = 0; c < GEOMETRY_V; c++) other[c] -= R[GEOMETRY_V * b + c] * z;
      }
    }
  }
  factor_transform_back(f, y);
}
