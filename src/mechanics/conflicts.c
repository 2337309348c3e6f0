/* SPDX-License-Identifier: MIT
 * Set-up. See conflicts.h.
 *
 * With N the projection on the left null space of J, a rate u that the rows prescribe contradicts itself
 * by N u. What row i prescribes, less what all others ask of it, is (N u)_i / N_ii; |N_ji| is the share of
 * row j in that. */
#include "mechanics/conflicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the drives prescribe, divided like their rows. */
static void prescribed(const struct geometry *g, const ali3_data *d, const struct rows_used *used, double *y)
{
  const struct frozen *f = g->m->frozen;
  for (int i = 0; i < f->drives; i++) {
    int link = f->drive[i].link;
    struct geometry_rows rows;
    if (!used->link[link]) continue;
    geometry_rows(g, link, &rows);
    y[used->first[link]] = d->aim[i].rate / rows.norm[0];
  }
}

/* The drive or gear, other than the one of the row, with the largest share; -1: none. */
static int partner(const struct geometry *g, const struct rows_used *used, const double *share, int own)
{
  const struct frozen *f = g->m->frozen;
  double largest = 1e-6;
  int found = -1;
  for (int i = g->m->joints; i < f->rigid_links; i++) {
    if (!used->link[i] || used->first[i] == own) continue;
    double x = fabs(share[used->first[i]]);
    if (!(x > largest)) continue;
    largest = x;
    found = f->force_of[i - g->m->joints];
  }
  return found;
}

bool conflicts_find(struct conflicts *o, const struct geometry *g, const ali3_data *d, const struct factor *f,
                    const struct rows_used *used, const bool *redundant)
{
  const struct frozen *frozen = g->m->frozen;
  double *u = calloc((size_t)used->rows + 1, sizeof *u),
         *share = calloc((size_t)used->rows + 1, sizeof *share);
  *o = (struct conflicts){.list = calloc((size_t)g->m->forces + 1, sizeof *o->list)};
  bool ok = u && share && o->list;
  if (ok) {
    prescribed(g, d, used, u);
    factor_residual(f, u);
  }
  for (int i = 0; ok && i < g->m->forces; i++) {
    int link = frozen->force_link[i], row = link < frozen->rigid_links ? used->first[link] : -1;
    struct geometry_rows rows;
    if (!redundant[i]) continue;
    memset(share, 0, (size_t)used->rows * sizeof *share);
    share[row] = 1.0;
    factor_residual(f, share);
    geometry_rows(g, link, &rows);
    o->list[o->count++] = (ali3_mechanics_conflict){
        i, partner(g, used, share, row), share[row] > 0.0 ? u[row] / share[row] * rows.norm[0] : 0.0};
  }
  free(u);
  free(share);
  return ok;
}

void conflicts_free(struct conflicts *o)
{
  free(o->list);
  *o = (struct conflicts){0};
}
