/* SPDX-License-Identifier: MIT
 * Set-up. See conflicts.h.
 *
 * Let N be the projection on the left null space of J. A prescribed rate u contradicts itself by N u. The rate of row i, less
 * the rate that all other rows imply for it, is (N u)_i / N_ii, and |N_ji| is the share of row j in it. */
#include "mechanics/conflicts.h"

#include "mechanics/residual.h"

#include <math.h>
#include <stdlib.h>

/* The rates of drives, divided by the norms of their rows. */
static void prescribed_rate(const struct geometry *g, const ali3_data *d, const struct rows_used *used,
                            double *y)
{
  const struct frozen *f = g->m->frozen;
  for (int i = 0; i < f->drives; i++) {
    int link = f->drive[i].link;
    struct geometry_rows rows;
    if (!used->link[link]) continue;
    geometry_rows(g, link, &rows);
    y[used->first[link]] = d->outside.aim[i].rate / rows.norm[0];
  }
}

/* The force whose row is `row`; -1: a joint has it. link_of: (rows). */
static int force_of(const struct geometry *g, const int *link_of, int row)
{
  const int own = link_of[row] - g->m->joints;
  return own >= 0 ? g->m->frozen->force_of[own] : -1;
}

/* The drive or gear of another row with the largest share; of equal shares the one with the lowest index; -1: none. */
static int partner_drive(const struct geometry *g, const struct residual *share, const int *link_of, int own)
{
  double largest = 1e-6;
  int found = -1;
  for (int i = 0; i < share->count; i++) {
    const int row = share->touched[i], force = force_of(g, link_of, row);
    const double x = fabs(share->y[row]);
    if (row == own || force < 0 || !(x > 1e-6)) continue;
    if (x > largest * (1.0 + 1e-9) || (x > largest * (1.0 - 1e-9) && force < found)) {
      largest = x;
      found = force;
    }
  }
  return found;
}

static void list_links(const struct geometry *g, const struct rows_used *used, int *link_of)
{
  for (int i = 0; i < g->m->frozen->rigid_links; i++)
    for (int k = 0; k < g->m->frozen->link[i].count; k++) link_of[used->first[i] + k] = i;
}

bool conflicts_find(struct conflicts *o, const struct geometry *g, const ali3_data *d, const struct factor *f,
                    const struct rows_used *used, const bool *redundant)
{
  const struct frozen *frozen = g->m->frozen;
  double *u = calloc((size_t)used->rows + 1, sizeof *u);
  int *link_of = calloc((size_t)used->rows + 1, sizeof *link_of);
  struct residual share;
  bool ok = residual_new(&share, f);
  *o = (struct conflicts){.list = calloc((size_t)g->m->forces + 1, sizeof *o->list)};
  ok = ok && u && link_of && o->list;
  /* u: the part of the prescribed rates that no motion of the mechanism can follow. */
  if (ok) {
    list_links(g, used, link_of);
    prescribed_rate(g, d, used, u);
    factor_residual(f, u);
  }
  /* For each redundant drive, find its contradiction, and the drive with the largest share in it. */
  for (int i = 0; ok && i < g->m->forces; i++) {
    if (!redundant[i]) continue;
    const int link = frozen->force_link[i], row = used->first[link];
    struct geometry_rows rows;
    geometry_rows(g, link, &rows);
    residual_of(&share, row);
    const double own = share.y[row];
    o->list[o->count++] = (ali3_mechanics_conflict){i, partner_drive(g, &share, link_of, row),
                                                    own > 0.0 ? u[row] / own * rows.norm[0] : 0.0};
  }
  residual_free(&share);
  free(link_of);
  free(u);
  return ok;
}

void conflicts_free(struct conflicts *o)
{
  free(o->list);
  *o = (struct conflicts){0};
}
