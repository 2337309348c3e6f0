/* SPDX-License-Identifier: MIT
 * Loop code: how the columns answer unit multipliers of the closures, all rows side by side in the lanes. */
#include "articulated/limbs.h"

#if LANES > 1
#include <string.h>

/* o += a x b for one vector and vectors in lanes */
static inline void cross_add(num o[3], const double a[3], const num b[3])
{
  const num A[3] = {num_all(a[0]), num_all(a[1]), num_all(a[2])};
  num c[3];
  v3_cross(c, A, b);
  for (int i = 0; i < 3; i++) o[i] += c[i];
}

static inline num dot_all(const double a[3], const num b[3])
{
  const num A[3] = {num_all(a[0]), num_all(a[1]), num_all(a[2])};
  return v3_dot(A, b);
}

/* V of one chunk of rows: J' of each row, taken inward. load: (count, 6) of this chunk, all chunks side by side. */
static void carry_inward(const struct limbs *l, struct limbs_work *w, int chunk)
{
  const size_t width = (size_t)l->chunks;
  num *V = (num *)w->V;
  for (int i = l->count - 1; i > 0; i--) {
    const struct limb *b = &l->limb[i];
    if (!b->loaded) continue;
    const struct limb_at *at = &w->at[i];
    /* columns take their part, and the rest goes on inward */
    num *own = (num *)w->load + 6 * ((size_t)i * width + (size_t)chunk), n[3], f[3];
    memcpy(n, own, sizeof n);
    memcpy(f, own + 3, sizeof f);
    for (int k = b->columns - 1; k >= 0; k--) {
      const struct limb_column *c = &at->column[k];
      const num v = dot_all(c->s, limb_turns(b, k) ? n : f), x = c->inverse * v;
      V[(size_t)(b->column + k) * width + (size_t)chunk] = v;
      for (int j = 0; j < 3; j++) {
        n[j] = num_fma(-x, num_all(c->Un[j]), n[j]);
        f[j] = num_fma(-x, num_all(c->Uf[j]), f[j]);
      }
    }
    if (b->parent == 0) continue;
    num *parent = (num *)w->load + 6 * ((size_t)b->parent * width + (size_t)chunk);
    for (int j = 0; j < 3; j++) {
      parent[j] += n[j];
      parent[3 + j] += f[j];
    }
    cross_add(parent, at->r, f);
  }
}

/* S = V'V/d, lower triangle and the rest of the last chunk of each row. */
static void square_response(const struct limbs *l, struct limbs_work *w)
{
  const size_t width = (size_t)l->chunks;
  num *S = (num *)w->S;
  memset(S, 0, (size_t)l->rows * width * sizeof *S);
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    for (int k = 0; b->loaded && k < b->columns; k++) {
      const double *V = w->V + (size_t)(b->column + k) * width * LANES;
      const double inverse = w->at[i].column[k].inverse;
      for (int row = 0; row < l->rows; row++) {
        const double x = inverse * V[row];
        if (x == 0.0) continue;
        num *o = S + (size_t)row * width;
        for (size_t j = 0; j <= (size_t)row / LANES; j++) o[j] += x * ((const num *)V)[j];
      }
    }
  }
}

limb_response LANE_NAME(limb_response);

void LANE_NAME(limb_response)(const struct limbs *l, struct limbs_work *w)
{
  for (int i = 0; i < l->chunks; i++) carry_inward(l, w, i);
  square_response(l, w);
}
#else
typedef int nothing_for_one_lane; /* closures take all lanes */
#endif
