/* SPDX-License-Identifier: MIT */
#include "collect.h"

#include "rt/clock.h"

#include <string.h>

int misses_newest(const struct miss_log *log, struct miss m[static MISS_LOG])
{
  const uint64_t written = counter_get(&log->written);
  int n = 0;
  for (uint64_t k = 1; k <= MISS_LOG && k <= written; k++) n += miss_log_read(log, written - k, &m[n]);
  return n;
}

void picture_take(struct picture *p, struct watch *w)
{
  watch_look(w, &p->sample, &p->block);
  p->now_ns = clock_now_ns();
  if (!p->sample.t) return;
  p->seen = true;
  p->misses = misses_newest(&p->block.misses, p->miss);
  if (p->values) values_read(p->values, &p->block);
}

const char *sort_name(enum sort sort)
{
  return sort == SORT_MAX ? "max" : sort == SORT_LAST ? "last" : "listed";
}

const struct histogram *book_row(const struct histograms *b, int row)
{
#define ROW(name, text) &b->name,
  const struct histogram *const rows[] = {BOOK_LIST(ROW)};
#undef ROW
  return rows[row];
}

const char *book_row_name(int row)
{
#define NAME(name, text) #name,
  static const char *const names[] = {BOOK_LIST(NAME)};
#undef NAME
  return names[row];
}

/* Largest first; equal rows keep their order. */
static void sort_rows(const uint64_t *value, int n, int *row)
{
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at > 0 && value && value[row[at - 1]] < value[i]; at--) row[at] = row[at - 1];
    row[at] = i;
  }
}

void book_order(const struct histograms *b, enum sort sort, int row[static BOOK_ROWS])
{
  uint64_t value[BOOK_ROWS];
  for (int i = 0; i < BOOK_ROWS; i++) {
    const struct histogram *h = book_row(b, i);
    value[i] = counter_get(sort == SORT_MAX ? &h->max_ns : &h->last_ns);
  }
  sort_rows(sort == SORT_LISTED ? NULL : value, BOOK_ROWS, row);
}

int level_order(const struct histograms *b, enum sort sort, int row[static LEVELS_MAX])
{
  uint64_t value[LEVELS_MAX];
  const int n = (int)b->levels;
  for (int i = 0; i < n; i++) {
    const struct stopwatch *busy = &b->level[i].busy;
    value[i] = counter_get(sort == SORT_MAX ? &busy->max_ns : &busy->last_ns);
  }
  sort_rows(sort == SORT_LISTED ? NULL : value, n, row);
  return n;
}

double level_share(const struct histograms *b, int row)
{
  uint64_t sum = 0;
  for (uint64_t i = 0; i < b->levels; i++)
    if (b->level[i].nodes == 0) sum += counter_get(&b->level[i].busy.sum_ns);
  return sum ? (double)counter_get(&b->level[row].busy.sum_ns) / (double)sum : 0.0;
}
