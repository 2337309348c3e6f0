/* SPDX-License-Identifier: MIT
 * Set-up. See basis.h. */
#include "mechanics/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool basis_new(struct basis *b, int blocks, int room)
{
  const size_t rows = (size_t)room + 1, all = rows * (size_t)blocks + 1;
  *b = (struct basis){.blocks = blocks,
                      .room = room,
                      .q = calloc(BASIS_BLOCK * all, sizeof *b->q),
                      .l = calloc(rows * rows, sizeof *b->l),
                      .y = calloc(rows, sizeof *b->y),
                      .block = calloc(all, sizeof *b->block),
                      .block_count = calloc(rows, sizeof *b->block_count),
                      .used = calloc((size_t)blocks + 1, sizeof *b->used)};
  if (b->q && b->l && b->y && b->block && b->block_count && b->used) return true;
  basis_free(b);
  return false;
}

void basis_free(struct basis *b)
{
  free(b->q);
  free(b->l);
  free(b->y);
  free(b->block);
  free(b->block_count);
  free(b->used);
  *b = (struct basis){0};
}

static const double *vector_of(const struct basis *b, int i)
{
  return b->q + (size_t)i * (size_t)b->blocks * BASIS_BLOCK;
}

/* The product of vector i with a row, and the row minus that much of the vector. */
static double subtract_part(struct basis *b, int i, double *row)
{
  const double *q = vector_of(b, i);
  const int *block = b->block + (size_t)i * (size_t)b->blocks, count = b->block_count[i];
  double part = 0.0;
  for (int k = 0; k < count; k++)
    for (int c = BASIS_BLOCK * block[k]; b->used[block[k]] && c < BASIS_BLOCK * (block[k] + 1); c++)
      part += q[c] * row[c];
  b->work += 2.0 * count;
  if (part == 0.0) return 0.0;
  for (int k = 0; k < count; k++) {
    b->used[block[k]] = true;
    for (int c = BASIS_BLOCK * block[k]; c < BASIS_BLOCK * (block[k] + 1); c++) row[c] -= part * q[c];
  }
  b->work += 4.0 * BASIS_BLOCK * count;
  return part;
}

double basis_project(struct basis *b, double *row)
{
  double square = 0.0;
  for (int k = 0; k < b->blocks; k++) {
    b->used[k] = false;
    for (int c = BASIS_BLOCK * k; c < BASIS_BLOCK * (k + 1); c++) b->used[k] |= row[c] != 0.0;
  }
  memset(b->y, 0, ((size_t)b->count + 1) * sizeof *b->y);
  /* the second pass removes the rounding errors of the first */
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < b->count; i++) b->y[i] += subtract_part(b, i, row);
  for (int c = 0; c < BASIS_BLOCK * b->blocks; c++) square += row[c] * row[c];
  b->work += 2.0 * BASIS_BLOCK * b->blocks;
  return sqrt(square);
}

void basis_add(struct basis *b, const double *row, double norm)
{
  const size_t at = (size_t)b->count * (size_t)b->blocks;
  double *q = b->q + at * BASIS_BLOCK, *l = b->l + (size_t)b->count * (size_t)b->room;
  int *count = &b->block_count[b->count];
  *count = 0;
  for (int c = 0; c < BASIS_BLOCK * b->blocks; c++) q[c] = row[c] / norm;
  for (int k = 0; k < b->blocks; k++)
    if (b->used[k]) b->block[at + (size_t)(*count)++] = k;
  memcpy(l, b->y, (size_t)b->count * sizeof *l);
  l[b->count++] = norm;
}

double basis_largest_factor(struct basis *b)
{
  double largest = 0.0;
  for (int i = b->count - 1; i >= 0; i--) {
    const double *l = b->l + (size_t)i * (size_t)b->room, factor = b->y[i] / l[i];
    if (factor == 0.0) continue;
    for (int j = 0; j < i; j++) b->y[j] -= factor * l[j];
    b->work += 2.0 * i;
    largest = fmax(largest, fabs(factor));
  }
  return largest;
}
