/* SPDX-License-Identifier: MIT
 * Set-up. See factor_parts.h, factor.h. */
#include "mechanics/factor_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double COLUMN_ROUNDING = 1e-13; /* a column with a smaller norm is rounding, and becomes 0 */

struct front {
  struct factor *f;
  int bodies, rows, width; /* width: 6 bodies */
  int *body;
  double *a;   /* (rows, width) */
  int *row;    /* (rows) numbers */
  int *next;   /* (rows) next row that begins with this column */
  int *begin;  /* (width) first row that begins with a column; -1 */
  int *active; /* rows that are not reduced yet */
  int actives;
  int *stair, *lead; /* (rows) reduced rows, and the columns they begin with, ascending */
  int stairs;
  double *sum; /* (width) */
};

struct block *block_new(int bodies, int rows)
{
  size_t numbers = (size_t)rows * (size_t)bodies * GEOMETRY_V;
  struct block *b = malloc(sizeof *b + numbers * sizeof *b->a + (size_t)(bodies + rows) * sizeof *b->body);
  if (!b) return NULL;
  *b = (struct block){.bodies = bodies, .rows = rows, .a = (double *)(b + 1)};
  b->body = (int *)(b->a + numbers);
  b->row = b->body + bodies;
  return b;
}

static void front_free(struct front *t)
{
  free(t->body);
  free(t->a);
  free(t->row);
  free(t->next);
  free(t->begin);
  free(t->active);
  free(t->stair);
  free(t->lead);
  free(t->sum);
}

struct body_position {
  int position, body;
};

static int by_order_position(const void *a, const void *b)
{
  const struct body_position *x = a, *y = b;
  return (x->position > y->position) - (x->position < y->position);
}

/* Collects the bodies of the blocks, in the order of elimination. */
static bool collect_bodies(struct front *t, struct waiting *w, const struct block *first)
{
  /* The sum over the blocks is an upper bound of the number of bodies. */
  int most = 0;
  for (const struct block *b = first; b; b = b->next) most += b->bodies;
  struct body_position *list = malloc((size_t)most * sizeof *list);
  t->body = malloc((size_t)most * sizeof *t->body);
  if (!list || !t->body) {
    free(list);
    return false;
  }
  /* List each body once. */
  for (const struct block *b = first; b; b = b->next) {
    t->rows += b->rows;
    for (int i = 0; i < b->bodies; i++) {
      if (w->column[b->body[i]] >= 0) continue;
      w->column[b->body[i]] = 0;
      list[t->bodies++] = (struct body_position){t->f->position[b->body[i]], b->body[i]};
    }
  }
  /* Columns follow the order of elimination, so those of the front's own body come first. */
  qsort(list, (size_t)t->bodies, sizeof *list, by_order_position);
  for (int i = 0; i < t->bodies; i++) {
    t->body[i] = list[i].body;
    w->column[list[i].body] = GEOMETRY_V * i;
  }
  t->width = GEOMETRY_V * t->bodies;
  free(list);
  return true;
}

static int first_column(const double *row, int width)
{
  int c = 0;
  while (c < width && row[c] == 0.0) c++;
  return c;
}

/* Collects the rows of all blocks, and frees the blocks. */
static bool collect_rows(struct front *t, struct waiting *w, struct block *first)
{
  size_t rows = (size_t)t->rows, width = (size_t)t->width;
  t->a = calloc(rows * width, sizeof *t->a);
  t->row = malloc(rows * sizeof *t->row);
  t->next = malloc(rows * sizeof *t->next);
  t->begin = malloc(width * sizeof *t->begin);
  t->active = malloc(rows * sizeof *t->active);
  t->stair = malloc(rows * sizeof *t->stair);
  t->lead = malloc(rows * sizeof *t->lead);
  t->sum = malloc(width * sizeof *t->sum);
  bool ok = t->a && t->row && t->next && t->begin && t->active && t->stair && t->lead && t->sum;
  for (int c = 0; ok && c < t->width; c++) t->begin[c] = -1;
  int r = 0;
  for (struct block *b = first, *next; b; b = next) {
    next = b->next;
    for (int i = 0; ok && i < b->rows; i++, r++) {
      double *to = t->a + (size_t)r * width;
      const double *from = b->a + (size_t)i * (size_t)b->bodies * GEOMETRY_V;
      for (int k = 0; k < b->bodies; k++, from += GEOMETRY_V)
        memcpy(to + w->column[b->body[k]], from, GEOMETRY_V * sizeof *to);
      t->row[r] = b->row[i];
      int c = first_column(to, t->width);
      if (c == t->width) continue; /* only zeros */
      t->next[r] = t->begin[c];
      t->begin[c] = r;
    }
    free(b);
  }
  return ok;
}

static double *row_of_front(const struct front *t, int r)
{
  return t->a + (size_t)r * (size_t)t->width;
}

static void activate_row(struct front *t, int column)
{
  for (int r = t->begin[column]; r >= 0; r = t->next[r]) t->active[t->actives++] = r;
}

static double column_norm(const struct front *t, int column)
{
  double square = 0.0;
  for (int i = 0; i < t->actives; i++) {
    double x = row_of_front(t, t->active[i])[column];
    square += x * x;
  }
  return sqrt(square);
}

static struct reflection *reflection_new(struct factor *f, int count)
{
  /* Room for one more reflection. */
  if (f->reflected.count == f->reflected.room) {
    size_t room = 2 * f->reflected.room + 64;
    void *list = realloc(f->reflected.list, room * sizeof *f->reflected.list);
    if (!list) return NULL;
    f->reflected.list = list;
    f->reflected.room = room;
  }
  /* Room for its rows and its vector. */
  if (f->reflected.used + (size_t)count > f->reflected.space) {
    size_t space = 2 * f->reflected.space + (size_t)count + 256;
    void *row = realloc(f->reflected.row, space * sizeof *f->reflected.row);
    if (row) f->reflected.row = row;
    void *v = realloc(f->reflected.v, space * sizeof *f->reflected.v);
    if (v) f->reflected.v = v;
    if (!row || !v) return NULL;
    f->reflected.space = space;
  }
  /* Add a reflection, whose numbers the caller fills in. */
  struct reflection *o = &f->reflected.list[f->reflected.count++];
  *o = (struct reflection){.count = count, .at = f->reflected.used};
  f->reflected.used += (size_t)count;
  return o;
}

/* sum := v'A right of the column, then A -= beta v sum; the first row of v is the pivot. */
static void apply_reflections(struct front *t, const struct reflection *h, const int *of, int column)
{
  const double *v = t->f->reflected.v + h->at;
  for (int c = column + 1; c < t->width; c++) t->sum[c] = 0.0;
  for (int i = 0; i < h->count; i++) {
    const double *a = row_of_front(t, of[i]), k = v[i];
    for (int c = column + 1; c < t->width; c++) t->sum[c] += k * a[c];
  }
  for (int i = 0; i < h->count; i++) {
    double *a = row_of_front(t, of[i]), k = h->beta * v[i];
    for (int c = column + 1; c < t->width; c++) a[c] -= k * t->sum[c];
  }
}

/* Reflects the active rows so that the column has one number, +-norm. That row goes to the stairs, and the others stay active.
 * False: out of memory. */
static bool reflect_columns(struct front *t, int column, double norm)
{
  int count = 0, active_rows = t->actives;
  int *active = t->active;
  for (int i = 0; i < t->actives; i++) { /* rows with a number in the column come first */
    if (row_of_front(t, active[i])[column] == 0.0) continue;
    int r = active[i];
    active[i] = active[count];
    active[count++] = r;
  }
  double *pivot = row_of_front(t, active[0]);
  if (count > 1) {
    struct reflection *h = reflection_new(t->f, count);
    if (!h) return false;
    double *v = t->f->reflected.v + h->at, first = pivot[column];
    for (int i = 0; i < count; i++) {
      double *a = row_of_front(t, active[i]);
      v[i] = a[column];
      a[column] = 0.0;
      t->f->reflected.row[h->at + (size_t)i] = t->row[active[i]];
    }
    v[0] = first > 0.0 ? first + norm : first - norm;
    h->beta = 1.0 / (norm * fabs(v[0])); /* 2 / v'v */
    apply_reflections(t, h, active, column);
    pivot[column] = first > 0.0 ? -norm : norm;
  }
  t->stair[t->stairs] = active[0];
  t->lead[t->stairs++] = column;
  active[0] = active[active_rows - 1];
  t->actives = active_rows - 1;
  return true;
}

static void swap_columns(struct front *t, int a, int b, int *column)
{
  int name = column[a];
  column[a] = column[b];
  column[b] = name;
  for (int i = 0; i < t->actives + t->stairs; i++) {
    double *row = row_of_front(t, i < t->actives ? t->active[i] : t->stair[i - t->actives]), x = row[a];
    row[a] = row[b];
    row[b] = x;
  }
}

/* Eliminates the six columns of the body, the largest column first. */
static bool eliminate_own(struct front *t, struct pivots *o, double limit)
{
  for (int c = 0; c < GEOMETRY_V; c++) activate_row(t, c);
  /* Choosing the largest remaining column reveals the rank. */
  for (int done = 0; done < GEOMETRY_V; done++) {
    double norm = 0.0;
    int best = done;
    for (int c = done; c < GEOMETRY_V; c++) {
      double x = column_norm(t, c);
      if (x > norm) best = c;
      if (x > norm) norm = x;
    }
    /* The remaining columns are below the limit, and become 0. */
    if (!(norm > limit)) {
      o->dropped = fmax(o->dropped, norm);
      for (int i = 0; i < t->actives; i++)
        for (int c = done; c < GEOMETRY_V; c++) row_of_front(t, t->active[i])[c] = 0.0;
      return true;
    }
    /* Reflect onto that column. */
    if (best != done) swap_columns(t, done, best, o->column);
    if (!reflect_columns(t, done, norm)) return false;
    o->smallest = fmin(o->smallest, norm);
    o->rank++;
  }
  return true;
}

static bool keep_pivots(struct front *t, struct pivots *o)
{
  size_t width = (size_t)t->width;
  o->bodies = t->bodies;
  o->body = malloc((size_t)t->bodies * sizeof *o->body);
  o->R = malloc((size_t)(o->rank + 1) * width * sizeof *o->R);
  if (!o->body || !o->R) return false;
  memcpy(o->body, t->body, (size_t)t->bodies * sizeof *o->body);
  for (int i = 0; i < o->rank; i++) {
    memcpy(o->R + (size_t)i * width, row_of_front(t, t->stair[i]), width * sizeof *o->R);
    o->row[i] = t->row[t->stair[i]];
    t->f->is_pivot[o->row[i]] = true;
  }
  t->stairs = 0;
  return true;
}

/* Reduces the columns of the other bodies to a staircase, in their order and without a limit on the rank. */
static bool make_stairs(struct front *t)
{
  for (int c = GEOMETRY_V; c < t->width; c++) {
    activate_row(t, c);
    if (t->actives == 0) continue;
    double norm = column_norm(t, c);
    if (norm > COLUMN_ROUNDING) {
      if (!reflect_columns(t, c, norm)) return false;
    } else {
      for (int i = 0; i < t->actives; i++) row_of_front(t, t->active[i])[c] = 0.0;
    }
  }
  return true;
}

/* Passes on the rows that begin with one body as a block. */
static bool hand_on(struct front *t, struct waiting *w)
{
  for (int first = 0, end; first < t->stairs; first = end) {
    int at = t->lead[first] / GEOMETRY_V, body = t->body[at];
    for (end = first; end < t->stairs && t->lead[end] / GEOMETRY_V == at;) end++;
    struct block *b = block_new(t->bodies - at, end - first);
    if (!b) return false;
    size_t width = (size_t)b->bodies * GEOMETRY_V;
    memcpy(b->body, t->body + at, (size_t)b->bodies * sizeof *b->body);
    for (int i = 0; i < b->rows; i++) {
      int r = t->stair[first + i];
      memcpy(b->a + (size_t)i * width, row_of_front(t, r) + GEOMETRY_V * at, width * sizeof *b->a);
      b->row[i] = t->row[r];
    }
    b->next = w->first[body];
    w->first[body] = b;
  }
  return true;
}

bool front_eliminate(struct factor *f, struct waiting *w, int body, double limit)
{
  struct pivots *o = &f->pivots[body];
  struct front t = {.f = f};
  *o = (struct pivots){.smallest = 1.0};
  for (int c = 0; c < GEOMETRY_V; c++) o->column[c] = c;
  if (!w->first[body]) return true;
  bool ok = collect_bodies(&t, w, w->first[body]);
  if (ok) {
    ok = collect_rows(&t, w, w->first[body]);
    w->first[body] = NULL;
  }
  for (int i = 0; i < t.bodies; i++) w->column[t.body[i]] = -1;
  ok = ok && eliminate_own(&t, o, limit) && keep_pivots(&t, o) && make_stairs(&t) && hand_on(&t, w);
  front_free(&t);
  return ok;
}
