/* SPDX-License-Identifier: MIT
 * Set-up. See residual.h. */
#include "mechanics/residual.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 64 };

static size_t residual_words(const struct factor *f)
{
  return f->reflected.count / BITS + 1;
}

static void list_reflections(struct residual *s)
{
  const struct factor *f = s->f;
  for (size_t i = 0; i < f->reflected.used; i++) s->first[f->reflected.row[i] + 1]++;
  for (int r = 0; r < f->rows; r++) s->first[r + 1] += s->first[r];
  for (size_t h = 0; h < f->reflected.count; h++) {
    const struct reflection *o = &f->reflected.list[h];
    for (int i = 0; i < o->count; i++) s->of[s->first[f->reflected.row[o->at + (size_t)i]]++] = h;
  }
  for (int r = f->rows; r > 0; r--) s->first[r] = s->first[r - 1]; /* the loop above moved them to the ends */
  s->first[0] = 0;
}

bool residual_new(struct residual *s, const struct factor *f)
{
  size_t rows = (size_t)f->rows + 2;
  *s = (struct residual){.f = f,
                         .first = calloc(rows, sizeof *s->first),
                         .of = calloc(f->reflected.used + 1, sizeof *s->of),
                         .pending = calloc(residual_words(f), sizeof *s->pending),
                         .y = calloc(rows, sizeof *s->y),
                         .touched = calloc(rows, sizeof *s->touched),
                         .is_touched = calloc(rows, sizeof *s->is_touched)};
  if (s->first && s->of && s->pending && s->y && s->touched && s->is_touched) {
    list_reflections(s);
    return true;
  }
  residual_free(s);
  return false;
}

void residual_free(struct residual *s)
{
  free(s->first);
  free(s->of);
  free(s->pending);
  free(s->y);
  free(s->touched);
  free(s->is_touched);
  *s = (struct residual){0};
}

static void expect_rows(struct residual *s, int row)
{
  for (size_t i = s->first[row]; i < s->first[row + 1]; i++)
    s->pending[s->of[i] / BITS] |= UINT64_C(1) << (s->of[i] % BITS);
}

static void touch_rows(struct residual *s, int row)
{
  if (s->is_touched[row]) return;
  s->is_touched[row] = true;
  s->touched[s->count++] = row;
  expect_rows(s, row);
}

static void apply_step(struct residual *s, size_t h)
{
  const struct reflection *o = &s->f->reflected.list[h];
  for (int i = 0; i < o->count; i++) touch_rows(s, s->f->reflected.row[o->at + (size_t)i]);
  factor_reflect(s->f, h, s->y);
}

/* Applies pending reflections in their order, or in reverse. A reflection that becomes pending either comes later, or is behind
 * already and is dropped. */
static void go_along(struct residual *s, bool back)
{
  const size_t count = residual_words(s->f);
  for (size_t n = 0; n < count; n++) {
    const size_t w = back ? count - 1 - n : n;
    for (int k = 0; k < BITS && s->pending[w]; k++) {
      const int bit = back ? BITS - 1 - k : k;
      if (!(s->pending[w] >> bit & 1)) continue;
      apply_step(s, w * BITS + (size_t)bit);
    }
  }
  memset(s->pending, 0, count * sizeof *s->pending);
}

void residual_of(struct residual *s, int row)
{
  for (int i = 0; i < s->count; i++) {
    s->y[s->touched[i]] = 0.0;
    s->is_touched[s->touched[i]] = false;
  }
  s->count = 0;
  s->y[row] = 1.0;
  touch_rows(s, row);
  go_along(s, false);
  for (int i = 0; i < s->count; i++) {
    if (s->f->is_pivot[s->touched[i]]) s->y[s->touched[i]] = 0.0;
    expect_rows(s, s->touched[i]);
  }
  go_along(s, true);
}
