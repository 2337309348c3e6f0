/* SPDX-License-Identifier: MIT
 * Tables of the phases of the cycle and the levels of the step. */
#include "panes/panes.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME = 9, NARROW = 8, BROAD = 9, CYCLE = 10, AGO = 10, NODES = 6, SHARE = 7 };
static const double fresh_s = 5.0; /* a newer maximum is highlighted */

/* Writes a row of a table from left to right. */
struct pen {
  const struct area *area;
  int row, column, field;
};

static void put_column(struct pen *pen, int size, enum style style, const char *text)
{
  area_print(pen->area, pen->column, pen->row, style, "%*s", size, text);
  pen->column += size;
}

static void put_us(struct pen *pen, enum style style, const _Atomic uint64_t *ns, bool there)
{
  put_column(pen, pen->field, there ? style : STYLE_FAINT, there ? words_us(counter_get(ns)).text : "-");
}

static void put_headings(struct pen *pen, const char *name, const char *const *heading, int n)
{
  area_put(pen->area, pen->column, pen->row, STYLE_TITLE, name);
  pen->column += NAME;
  for (int i = 0; i < n; i++) put_column(pen, pen->field, STYLE_TITLE, heading[i]);
}

static double seconds_since(const struct telemetry *t, uint64_t cycle)
{
  return t->live.cycle > cycle ? (double)(t->live.cycle - cycle) * (double)t->period_ns * 1e-9 : 0.0;
}

static enum style max_style(const struct telemetry *t, uint64_t max_ns, uint64_t cycle)
{
  if (max_ns > t->period_ns) return STYLE_BAD;
  return seconds_since(t, cycle) < fresh_s ? STYLE_MARK : STYLE_PLAIN;
}

/* The cycle of the maximum, and its age if there is room. */
static void put_cycle(struct pen *pen, const struct telemetry *t, uint64_t cycle, bool ago)
{
  char text[80];
  put_column(pen, CYCLE, STYLE_PLAIN, words_cycle(cycle).text);
  if (!ago) return;
  snprintf(text, sizeof text, "%s ago", words_duration(seconds_since(t, cycle)).text);
  put_column(pen, AGO, STYLE_FAINT, text);
}

int phases_draw(const struct picture *p, const struct view *v, const struct area *heading,
                const struct area *body, int first)
{
  static const char *const columns[] = {"last", "median", "p99", "p99.9", "max"};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  const struct telemetry *t = &p->block;
  const int field = body->columns >= NAME + COLUMNS * BROAD + CYCLE ? BROAD : NARROW;
  const bool ago = body->columns >= NAME + COLUMNS * field + CYCLE + AGO;
  struct pen top = {.area = heading, .field = field};
  put_headings(&top, "phase, us", columns, COLUMNS);
  put_column(&top, CYCLE, STYLE_TITLE, "at cycle");

  /* One row for each distribution. */
  int order[BOOK_ROWS];
  book_order(&t->histograms, v->sort, order);
  int rows = 0;
  for (int i = 0; i < BOOK_ROWS; i++) {
    const struct histogram *h = book_row(&t->histograms, order[i]);
    const bool there = counter_get(&h->count) > 0;
    const uint64_t max_ns = counter_get(&h->max_ns), cycle = counter_get(&h->max_cycle);
    struct pen pen = {.area = body, .row = first + rows, .field = field};
    if (order[i] == BOOK_ROW_platform && !t->platform) continue;
    rows++;
    area_put(body, 0, pen.row, STYLE_PLAIN, book_row_name(order[i]));
    pen.column = NAME;
    put_us(&pen, STYLE_PLAIN, &h->last_ns, there);
    static const double part[] = {0.5, 0.99, 0.999};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
      put_column(&pen, field, there ? STYLE_PLAIN : STYLE_FAINT,
                 there ? words_us_of(histogram_percentile_us(h, part[k])).text : "-");
    put_us(&pen, max_style(t, max_ns, cycle), &h->max_ns, there);
    if (there) put_cycle(&pen, t, cycle, ago);
  }
  return rows;
}

/* The columns of the levels that have values and room. */
struct level_columns {
  bool wait, nodes, mean, ago;
  int field;
};

static struct level_columns choose_columns(const struct telemetry *t, int room)
{
  struct level_columns c = {.wait = t->workers > 0, .field = NARROW};
  int left = room - NAME - SHARE - (c.wait ? 4 : 2) * NARROW - CYCLE;
  c.mean = left >= NARROW;
  left -= c.mean ? NARROW : 0;
  c.nodes = left >= NODES;
  left -= c.nodes ? NODES : 0;
  c.ago = left >= AGO;
  return c;
}

static void put_level(struct pen *pen, const struct telemetry *t, int row, const struct level_columns *c)
{
  const struct book_level *level = &t->histograms.level[row];
  const uint64_t count = counter_get(&level->busy.count), cycle = counter_get(&level->busy.max_cycle);
  const bool busy = count > 0, waited = counter_get(&level->wait.count) > 0;
  char text[24];
  area_put(pen->area, 0, pen->row, STYLE_PLAIN, level->name);
  pen->column = NAME;
  snprintf(text, sizeof text, "%" PRIu32, level->nodes);
  if (c->nodes) put_column(pen, NODES, STYLE_PLAIN, level->nodes ? text : "");
  snprintf(text, sizeof text, "%.1f %%", 100.0 * level_share(&t->histograms, row));
  put_column(pen, SHARE, STYLE_PLAIN, text);
  /* Times: wait, then work. */
  if (c->wait) {
    put_us(pen, STYLE_PLAIN, &level->wait.last_ns, waited);
    put_us(pen, max_style(t, counter_get(&level->wait.max_ns), counter_get(&level->wait.max_cycle)),
           &level->wait.max_ns, waited);
  }
  put_us(pen, STYLE_PLAIN, &level->busy.last_ns, busy);
  if (c->mean)
    put_column(pen, pen->field, busy ? STYLE_PLAIN : STYLE_FAINT,
               busy ? words_us(counter_get(&level->busy.sum_ns) / count).text : "-");
  put_us(pen, max_style(t, counter_get(&level->busy.max_ns), cycle), &level->busy.max_ns, busy);
  if (busy) put_cycle(pen, t, cycle, c->ago);
}

int levels_draw(const struct picture *p, const struct view *v, const struct area *heading,
                const struct area *body, int first)
{
  const struct telemetry *t = &p->block;
  const struct level_columns c = choose_columns(t, body->columns);
  struct pen top = {.area = heading, .field = c.field};
  put_headings(&top, "level, us", NULL, 0);
  if (c.nodes) put_column(&top, NODES, STYLE_TITLE, "nodes");
  put_column(&top, SHARE, STYLE_TITLE, "share");
  if (c.wait) {
    put_column(&top, c.field, STYLE_TITLE, "wait");
    put_column(&top, c.field, STYLE_TITLE, "max");
  }
  put_column(&top, c.field, STYLE_TITLE, "busy");
  if (c.mean) put_column(&top, c.field, STYLE_TITLE, "mean");
  put_column(&top, c.field, STYLE_TITLE, "max");
  put_column(&top, CYCLE, STYLE_TITLE, "at cycle");

  /* One row for each level. */
  int order[LEVELS_MAX];
  const int n = level_order(&t->histograms, v->sort, order);
  for (int i = 0; i < n; i++) {
    struct pen pen = {.area = body, .row = first + i, .field = c.field};
    put_level(&pen, t, order[i], &c);
  }
  return n;
}
