/* SPDX-License-Identifier: MIT
 * Set-up only. The code notes the children's elements one by one, children ascending. From these notes it writes
 * the list of sums in the order in which the kernels compute. */
#include "dca/sum_lists.h"

#include <stdlib.h>
#include <string.h>

bool lists_open(struct lists *s, size_t largest)
{
  size_t elements = largest * (largest + 1) / 2 + 1;
  s->count = calloc(elements, sizeof(int));
  for (int k = 0; k < 2; k++) s->source[k] = calloc(elements, sizeof(int));
  return s->count && s->source[0] && s->source[1];
}

void lists_close(struct lists *s)
{
  free(s->list.item);
  free(s->more.item);
  free(s->count);
  free(s->source[0]);
  free(s->source[1]);
}

/* Index of an element in the lower triangle of the whole front. */
static int source_element(int row, int column)
{
  return tree_triangle(row) + column;
}

/* Notes that child element `source` adds to an element of the front. The first two go to source[], all others to
 * `more`. */
static bool add_source(struct lists *s, const struct tree *t, const struct tree_group *o, int row, int column,
                       int source)
{
  int i = source_element(row, column), k = s->count[i]++;
  if (k < 2) {
    s->source[k][i] = source;
    return true;
  }
  return list_push(&s->more, (int)tree_offset(t, o, row, column)) && list_push(&s->more, source);
}

static bool note_sources(struct lists *s, const struct tree *t, const struct tree_group *o)
{
  int next_source = 0;
  bool good = true;
  memset(s->count, 0, (size_t)tree_triangle(o->pivot + o->boundary) * sizeof *s->count);
  s->more.count = 0;
  for (int r = o->child_first; r < o->child_end; r++) {
    const struct tree_contribution *c = &t->contribution[r];
    int source = o->merged ? next_source : (int)c->update->at;
    for (int i = 0; i < c->boundary; i++)
      for (int k = 0; k <= i && good; k++, source += o->width > 1 ? o->width : (int)c->update->stride) {
        int a = c->to[i], b = c->to[k];
        if (a >= 0 && b >= 0) good = add_source(s, t, o, a > b ? a : b, a > b ? b : a, source);
      }
    next_source = source;
  }
  return good;
}

/* Lists the elements with `kind` sources. kind 2 includes elements with more sources. */
static bool sum_of_kind(struct lists *s, const struct tree *t, const struct tree_group *o, int kind,
                        int *count)
{
  bool good = true;
  for (int row = 0; row < o->pivot + o->boundary; row++)
    for (int column = 0; column <= row && good; column++) {
      int i = source_element(row, column);
      if ((s->count[i] < 2 ? s->count[i] : 2) != kind) continue;
      ++*count;
      good = list_push(&s->list, (int)tree_offset(t, o, row, column));
      for (int k = 0; k < kind && good; k++) good = list_push(&s->list, s->source[k][i]);
    }
  /* In a lone front, rows beyond the boundary have no source. */
  for (int column = 0; column < o->pivot && kind == 0; column++)
    for (int row = o->pivot + o->boundary; row < o->pivot + o->padded && good; row++, ++*count)
      good = list_push(&s->list, (int)tree_offset(t, o, row, column));
  return good;
}

static bool sum_by_elements(struct lists *s, const struct tree *t, struct tree_group *o)
{
  struct tree_sum *sum = &o->sum;
  bool good = sum_of_kind(s, t, o, 0, &sum->none) && sum_of_kind(s, t, o, 1, &sum->one) &&
              sum_of_kind(s, t, o, 2, &sum->two);
  for (int i = 0; i < s->more.count && good; i++) good = list_push(&s->list, s->more.item[i]);
  sum->more = s->more.count / 2;
  return good;
}

/* Lists the block that begins at `row` and `column`. The number of children, two at most, is equal for all
 * of its elements. */
static bool sum_block(struct lists *s, const struct tree_group *o, int row, int column)
{
  int count = s->count[source_element(row, column)];
  bool good = list_push(&s->list, count);
  for (int i = row; i < row + o->even; i++)
    for (int k = column; k < column + o->even && k <= i; k++)
      for (int n = 0; n < count && good; n++) good = list_push(&s->list, s->source[n][source_element(i, k)]);
  return good;
}

static bool sum_by_blocks(struct lists *s, const struct tree_group *o)
{
  bool good = true;
  for (int row = 0; row < o->pivot + o->boundary; row += o->even)
    for (int column = 0; column <= row && good; column += o->even) good = sum_block(s, o, row, column);
  return good;
}

/* Lists the children that add to one element of the vector: their number and their offsets. */
static bool push_element(struct lists *s, const struct tree *t, const struct tree_group *o, int element)
{
  int count = s->list.count;
  bool good = list_push(&s->list, 0);
  for (int r = o->child_first; r < o->child_end; r++) {
    const struct tree_contribution *c = &t->contribution[r];
    for (int i = 0; i < c->boundary && !c->leaf && good; i++) {
      if (c->to[i] != element) continue;
      good = list_push(&s->list, (int)(c->vector->at + (size_t)i * c->vector->stride));
      s->list.item[count] += good;
    }
  }
  return good;
}

/* The rows of a block lie together, so an even front lists only the first row of each block. */
static bool lay_up(struct lists *s, const struct tree *t, struct tree_group *o)
{
  bool good = true;
  o->up = s->list.count;
  for (int element = 0; element < o->pivot + o->boundary && good; element += o->even ? o->even : 1)
    good = push_element(s, t, o, element);
  return good;
}

static bool lay_down(struct lists *s, const struct tree *t, struct tree_group *o)
{
  bool good = true;
  o->down = s->list.count;
  for (int r = o->gather_first; r < o->gather_end && good; r++)
    good = list_push(&s->list, (int)t->gather[r].vector->at);
  return good;
}

static bool has_kernels(int size)
{
  return size == 3 || size == 5;
}

int lists_even_leaf(const struct tree *t, const struct tree_group *o)
{
  int rows = o->couple_first < o->couple_end ? t->couple[o->couple_first].rows : 0;
  bool even = o->unit_columns && !o->as_lone && o->aligned && o->used == o->width && has_kernels(rows);
  for (int i = o->couple_first; i < o->couple_end; i++)
    even &=
        t->couple[i].aligned && t->couple[i].rows == rows && t->couple[i].stride == 2 * (TREE_Y - TREE_UNIT);
  return even ? rows : 0;
}

static int even_joint_rows(const struct tree *t, const struct tree_group *o)
{
  bool even = !o->supernode && !o->as_lone && o->aligned && o->sum.aligned &&
              o->couple_first == o->couple_end && o->child_end - o->child_first <= 2 &&
              has_kernels(o->pivot) && o->boundary * o->pivot <= TREE_EVEN;
  for (int r = o->gather_first; r < o->gather_end; r++) even &= t->gather[r].size == o->pivot;
  return even ? o->pivot : 0;
}

static enum unit_row unit_of_row(const struct tree_couple *c, int row)
{
  if (c->stores_all) return UNIT_NONE;
  if (row >= TREE_UNIT) return UNIT_ZERO;
  return (enum unit_row)((c->unit[0] > 0 ? UNIT_PLUS : UNIT_MINUS) + row);
}

/* The rows of the Jacobian that a lone leaf reads: offset, stride, unit_of_row(). */
static bool lay_lone_leaf(struct lists *s, const struct tree *t, struct tree_group *o)
{
  bool good = true;
  o->up = s->list.count;
  for (int a = o->couple_first; a < o->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    for (int i = 0; i < c->rows && good; i++)
      good = list_push(&s->list, (int)(c->J->at + (size_t)(i * c->stride) * c->J->stride)) &&
             list_push(&s->list, (int)c->J->stride) && list_push(&s->list, (int)unit_of_row(c, i));
  }
  while (good && s->list.count < o->up + 3 * o->padded) good = list_push(&s->list, 0);
  return good;
}

/* The numbers that children add to the vector of a lone group: pivot, then boundary. */
static bool lay_lone_up(struct lists *s, const struct tree *t, struct tree_group *o)
{
  bool good = true;
  o->up = s->list.count;
  for (int c = o->child_first; c < o->child_end && good; c++) {
    const struct tree_contribution *r = &t->contribution[c];
    const int first = s->list.count;
    o->whole |= r->whole;
    if (r->leaf || r->whole) continue;
    for (int i = 0; i < o->pivot + o->padded && good; i++) good = list_push(&s->list, (int)t->vector_size);
    for (int i = 0; i < r->boundary && good; i++)
      if (r->to[i] >= 0)
        s->list.item[first + r->to[i]] = (int)(r->vector->at + (size_t)i * r->vector->stride);
  }
  return good;
}

/* The solution on the boundary of a lone group, row by row. */
static bool lay_lone_down(struct lists *s, const struct tree *t, struct tree_group *o)
{
  bool good = true;
  o->down = s->list.count;
  for (int r = o->gather_first; r < o->gather_end; r++) {
    const struct tree_gather *gather = &t->gather[r];
    for (int i = 0; i < gather->size && good; i++)
      good = list_push(&s->list, (int)(gather->vector->at + (size_t)i * gather->vector->stride));
  }
  while (good && s->list.count < o->down + o->padded) good = list_push(&s->list, (int)t->vector_size);
  return good;
}

/* The sums of a lone group whose children all add numbers one by one. */
static bool lay_lone_sum(struct lists *s, const struct tree *t, struct tree_group *o)
{
  o->sum.aligned = true;
  for (int r = o->child_first; r < o->child_end; r++)
    o->sum.aligned &= t->contribution[r].into && !t->contribution[r].whole;
  if (!o->sum.aligned) return true;
  o->sum.first = s->list.count;
  return note_sources(s, t, o) && sum_by_elements(s, t, o);
}

bool lists_lay(struct lists *s, const struct tree *t, struct tree_group *o)
{
  bool good = true;
  if (o->width == 1 && o->kind == TREE_LEAF) return lay_lone_leaf(s, t, o);
  if (o->width == 1) return lay_lone_sum(s, t, o) && lay_lone_up(s, t, o) && lay_lone_down(s, t, o);
  o->sum.aligned = o->kind != TREE_LEAF;
  for (int r = o->child_first; r < o->child_end; r++) o->sum.aligned &= t->contribution[r].aligned;
  if (o->kind == TREE_JOINT) o->even = even_joint_rows(t, o);
  if (o->sum.aligned) {
    good = note_sources(s, t, o);
    o->sum.first = s->list.count;
    good = good && (o->even ? sum_by_blocks(s, o) : sum_by_elements(s, t, o));
    if (!o->leaf_children) good = good && lay_up(s, t, o);
  }
  if (o->near) good = good && lay_down(s, t, o);
  return good;
}
