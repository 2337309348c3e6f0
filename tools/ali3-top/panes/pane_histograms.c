/* SPDX-License-Identifier: MIT
 * Bars with two logarithmic axes, so that one cycle in a million is visible. */
#include "bins.h"
#include "panes/panes.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GUTTER = 6, AROUND = 3, WIDE = 150, ROOMY = 62 };

/* A marked position on the axis. */
struct mark {
  wchar_t sign;
  const char *brief, *full;
  double us;
};
enum { MARKS = 3 };

static void make_marks(const struct histogram *h, struct mark mark[static MARKS])
{
  mark[0] = (struct mark){L'm', "m", "m median", histogram_percentile_us(h, 0.5)};
  mark[1] = (struct mark){L'p', "p", "p 99.9 %", histogram_percentile_us(h, 0.999)};
  mark[2] = (struct mark){L'M', "M", "M max", (double)counter_get(&h->max_ns) * 1e-3};
}

static void draw_title(const struct area *a, const char *name, const struct histogram *h,
                       const struct mark *mark)
{
  const bool roomy = a->columns >= ROOMY;
  int x = area_print(a, 0, 0, STYLE_TITLE, roomy ? "%s, us" : "%s", name);
  if (counter_get(&h->count) == 0) {
    area_put(a, x, 0, STYLE_FAINT, ": none yet");
    return;
  }
  for (int i = 0; i < MARKS; i++) {
    x = area_put(a, x + 2, 0, STYLE_MARK, roomy ? mark[i].full : mark[i].brief);
    x = area_print(a, x + 1, 0, STYLE_PLAIN, "%s", words_us_of(mark[i].us).text);
  }
  char of[32];
  const int size = snprintf(of, sizeof of, "  of %" PRIu64, counter_get(&h->count));
  if (x + size <= a->columns) area_put(a, x, 0, STYLE_FAINT, of);
}

static wchar_t bar_sign(const struct canvas *c, int eighths)
{
  static const wchar_t blocks[] = L" \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588",
                       ascii[] = L" ...:::##";
  return eighths <= 0 ? L' ' : (c->utf8 ? blocks : ascii)[eighths < 8 ? eighths : 8];
}

static void draw_histogram_bars(const struct area *a, const struct bins *b, double period_ns)
{
  for (int x = 0; x < b->columns; x++) {
    const int height = bins_eighths(b, x, a->rows);
    const enum style style = x > bins_column(b, period_ns) ? STYLE_BAD : STYLE_BAR;
    for (int y = 0; y < a->rows; y++) {
      const int eighths = height - 8 * (a->rows - 1 - y);
      if (eighths > 0) area_cell(a, x, y, style, bar_sign(a->canvas, eighths));
    }
  }
}

/* Labels every other row with its count, from the top. */
static void draw_scale(const struct area *a, const struct bins *b)
{
  for (int y = 0; y < a->rows; y += 2) {
    const double count = bins_count_at(b, a->rows - y, a->rows);
    if (count >= 0.95) area_print(a, 0, y, STYLE_FAINT, "%*s", GUTTER - 1, words_count(count).text);
  }
}

static void draw_axis(const struct area *a, const struct bins *b, const struct mark *mark, double period_ns)
{
  const bool utf8 = a->canvas->utf8;
  for (int x = 0; x < b->columns; x++) area_cell(a, x, 0, STYLE_FAINT, utf8 ? L'\u2500' : L'-');
  /* Draw ticks, with a text if the previous text leaves room. */
  double tick[TICKS_MAX];
  const int ticks = bins_ticks(b->low_ns, b->high_ns, tick);
  int free = 0;
  for (int i = 0; i < ticks; i++) {
    const struct words text = words_tick(tick[i]);
    const int size = (int)strlen(text.text), at = bins_column(b, tick[i]);
    int x = at - size / 2;
    if (x < 0) x = 0;
    if (x + size > a->columns) x = a->columns - size;
    area_cell(a, at, 0, STYLE_FAINT, utf8 ? L'\u252c' : L'+');
    if (x < free) continue;
    area_put(a, x, 1, STYLE_FAINT, text.text);
    free = x + size + 1;
  }
  /* Draw period and marks over the ticks. */
  if (period_ns >= b->low_ns && period_ns < b->high_ns)
    area_cell(a, bins_column(b, period_ns), 0, STYLE_BAD, L'T');
  for (int i = 0; i < MARKS; i++) area_cell(a, bins_column(b, 1e3 * mark[i].us), 0, STYLE_MARK, mark[i].sign);
}

static void draw_one(const struct picture *p, int row, const struct area *a)
{
  const struct histogram *h = book_row(&p->block.histograms, row);
  const double period_ns = (double)p->block.period_ns;
  struct mark mark[MARKS];
  make_marks(h, mark);
  draw_title(a, book_row_name(row), h, mark);
  if (counter_get(&h->count) == 0 || a->rows <= AROUND || a->columns <= GUTTER) return;
  struct bins b;
  bins_make(&b, h, a->columns - GUTTER);
  const struct area scale = area_part(a, 0, 1, GUTTER, a->rows - AROUND);
  const struct area bars = area_part(a, GUTTER, 1, b.columns, a->rows - AROUND);
  const struct area axis = area_part(a, GUTTER, a->rows - 2, b.columns, 2);
  draw_scale(&scale, &b);
  draw_histogram_bars(&bars, &b, period_ns);
  draw_axis(&axis, &b, mark, period_ns);
}

void histograms_draw(const struct picture *p, const struct view *v, const struct area *a)
{
  int row[HISTOGRAMS_MAX];
  const int n = view_histograms(v, a->columns >= WIDE, row);
  const int columns = a->columns / n;
  for (int i = 0; i < n; i++) {
    const struct area part = area_part(a, i * columns, 0, columns - (i + 1 < n ? 2 : 0), a->rows);
    draw_one(p, row[i], &part);
  }
}
