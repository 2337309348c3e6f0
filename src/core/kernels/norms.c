/* SPDX-License-Identifier: MIT
 * Loop code: norms of residuals and increments, and the links and bodies with the largest ones. */
#include "kernels/kernels.h"
#include "layout/storage.h"

#include <math.h>
#include <string.h>

static const struct norm_kernels *norm_kernels_of(const ali3_model *m)
{
  return m->frozen->kernels[1]->norms;
}

/* Returns the tile that contains row or body `number` of the storage, from a list of tiles in ascending order. */
static const struct tree_tile *tile_of(const struct tree *t, const int *tile, int count, bool joints,
                                       int number)
{
  int low = 0, high = count;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    const struct tree_tile *o = &t->tile[tile[middle]];
    if ((joints ? o->at : o->slot) <= number)
      low = middle;
    else
      high = middle;
  }
  return &t->tile[tile[low]];
}

double norm_largest(const ali3_model *m, const double *row)
{
  return norm_kernels_of(m)->largest(row, m->frozen->rigid);
}

double norm_sum(const ali3_model *m, const double *row)
{
  return norm_kernels_of(m)->sum(row, m->frozen->rows);
}

double norm_largest_residual(const ali3_model *m, const double *residual)
{
  return norm_kernels_of(m)->largest(residual, m->frozen->residuals);
}

bool norm_below(const ali3_model *m, const double *row, double limit)
{
  return norm_kernels_of(m)->find(row, 0, m->frozen->rigid, limit) < 0;
}

int norm_worst_link(const ali3_model *m, const double *row, double largest)
{
  const struct tree *t = m->frozen->tree;
  int at = 0, n = m->frozen->rigid, link = -1;
  if (largest == 0.0) return -1;
  for (; link < 0 && (at = norm_kernels_of(m)->find(row, at, n, isnan(largest) ? INFINITY : largest)) >= 0;
       at++) {
    const struct tree_tile *tile = tile_of(t, t->stored_joints.tile, t->rigid_tiles, true, at);
    link = stored_item(t, tile, (at - tile->at) % tile->width);
  }
  return link;
}

double norm_increment(const ali3_model *m, const double *increment)
{
  return sqrt(norm_kernels_of(m)->sum(increment, m->frozen->tree->slots));
}

int norm_worst_body(const ali3_model *m, const double *increment, int otherwise)
{
  const struct tree *t = m->frozen->tree;
  double largest = norm_kernels_of(m)->largest(increment, t->slots);
  int at = 0, body = -1;
  if (largest == 0.0) return m->bodies > 0 ? 0 : -1;
  if (isnan(largest)) largest = INFINITY;
  for (; body < 0 && (at = norm_kernels_of(m)->find(increment, at, t->slots, largest)) >= 0; at++) {
    const struct tree_tile *tile = tile_of(t, t->stored_bodies.tile, t->body_tiles, false, at);
    if (at < tile->slot + tile->width) body = stored_item(t, tile, at - tile->slot);
  }
  return body >= 0 ? body : otherwise;
}

/* --- each copy of a mechanism: all tiles have all lanes, so number i of an array belongs to copy i mod lanes --- */

void norm_largest_by_copy(const ali3_model *m, const double *a, int n, double o[ISA_LANES_MAX])
{
  norm_kernels_of(m)->largest_by_lane(a, n, o);
}

void norm_note_copies(const ali3_model *m, ali3_data *d, int k, bool goes_on)
{
  struct by_copy *o = d->copies;
  const int lanes = m->frozen->tree->lanes, slots = m->frozen->tree->slots / lanes * lanes;
  double sum[ISA_LANES_MAX] = {0.0};
  for (int i = 0; i < slots; i += lanes)
    for (int c = 0; c < lanes; c++) sum[c] += d->solve.increment[i + c];
  norm_largest_by_copy(m, d->solve.increment, slots, o->newton_body);
  for (int c = 0; c < o->copies; c++) {
    o->newton_last[c] = sqrt(sum[c]);
    o->newton_body[c] = sqrt(o->newton_body[c]);
    if (k == 0) o->newton_first[c] = o->newton_largest[c] = 0.0;
    if (k <= d->newton.refreshed) o->newton_first[c] = fmax(o->newton_first[c], o->newton_last[c]);
    if (goes_on) o->newton_largest[c] = fmax(o->newton_largest[c], o->newton_last[c]);
  }
  if (!goes_on) memcpy(o->increment, d->solve.increment, (size_t)slots * sizeof *o->increment);
}
