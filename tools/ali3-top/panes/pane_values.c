/* SPDX-License-Identifier: MIT
 * The values of chosen signals: number, sparkline, least and largest, and below the channels of an input its condition. */
#include "panes/panes.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER = 13, UNIT = 7, WIDE = 100, SHORT_SPARK = 8, SPARK_LEAST = 72 };

/* Columns of a row; those of small terminals have less. */
struct value_columns {
  int name, spark;
  bool range; /* least and largest value */
};

static struct value_columns columns_for(int columns)
{
  struct value_columns c = {.range = columns >= SPARK_LEAST};
  c.spark = columns >= WIDE ? VALUES_SPARK : c.range ? SHORT_SPARK : 0;
  const int rest = columns - NUMBER - UNIT - (c.spark ? c.spark + 1 : 0) - (c.range ? 2 * NUMBER : 0);
  c.name = rest > 40 ? 40 : rest;
  return c;
}

/* The end of a long name tells more than its begin. */
static void put_value_name(const struct area *a, int row, int width, const char *name)
{
  const int length = (int)strlen(name);
  if (length <= width)
    area_put(a, 0, row, STYLE_PLAIN, name);
  else if (width > 1)
    area_print(a, 0, row, STYLE_PLAIN, "<%s", name + length - width + 1);
}

static void spark_range(const struct values *v, const struct value_row *row, int first, double *low,
                        double *high)
{
  double mean;
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = first; i < VALUES_SPARK; i++) {
    if (!value_spark(v, row, i, &mean) || !isfinite(mean)) continue;
    *low = fmin(*low, mean);
    *high = fmax(*high, mean);
  }
}

/* The newest `columns` means, from their least to their largest. A constant value is a line at the bottom. */
static void put_spark(const struct area *a, int column, int y, int columns, const struct values *v,
                      const struct value_row *row)
{
  static const wchar_t blocks[] = L"\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588", ascii[] = L"_.,-~=*#";
  const wchar_t *sign = a->canvas->utf8 ? blocks : ascii;
  const int first = VALUES_SPARK - columns;
  double low, high, mean;
  spark_range(v, row, first, &low, &high);
  for (int i = first; i < VALUES_SPARK; i++) {
    if (!value_spark(v, row, i, &mean)) continue;
    if (!isfinite(mean)) {
      area_cell(a, column + i - first, y, STYLE_BAD, L'!');
      continue;
    }
    /* Halves, because high - low may be beyond the largest double. */
    const double height = 0.5 * high > 0.5 * low ? (0.5 * mean - 0.5 * low) / (0.5 * high - 0.5 * low) : 0.0;
    area_cell(a, column + i - first, y, STYLE_BAR, sign[(int)fmin(7.0, 8.0 * height)]);
  }
}

static void put_value_row(const struct area *a, int y, const struct value_columns *c, const struct values *v,
                          const struct value_row *row, bool limited)
{
  const enum style style = !isfinite(row->value) ? STYLE_BAD : limited ? STYLE_WARN : STYLE_PLAIN;
  put_value_name(a, y, c->name, value_name(v, row));
  area_print(a, c->name + 1, y, style, "%*s", NUMBER - 1, words_number(row->value).text);
  area_print(a, c->name + NUMBER + 1, y, STYLE_FAINT, "%-*s", UNIT - 1, value_unit(v, row));
  int column = c->name + NUMBER + UNIT;
  if (c->spark) put_spark(a, column, y, c->spark, v, row);
  column += c->spark ? c->spark + 1 : 0;
  if (c->range && row->min <= row->max)
    area_print(a, column, y, STYLE_PLAIN, "%*s%*s", NUMBER - 1, words_number(row->min).text, NUMBER,
               words_number(row->max).text);
}

static void put_input(const struct area *a, int y, const struct picture *p, int input)
{
  const struct input_words w = words_input(p, input);
  area_print(a, 2, y, w.trouble ? STYLE_WARN : STYLE_FAINT, "%s", w.text);
}

/* The row below the last channel of an input that is chosen. */
static bool ends_input(const struct values *v, uint32_t i)
{
  return v->row[i].input >= 0 && (i + 1 == v->rows || v->row[i + 1].input != v->row[i].input);
}

static void put_values_heading(const struct area *a, const struct values *v)
{
  const struct value_columns c = columns_for(a->columns);
  const int column = c.name + NUMBER + UNIT;
  area_print(a, 0, 0, STYLE_TITLE, "%-*s%*s %-*s", c.name, "signal", NUMBER, "value", UNIT - 1, "unit");
  if (v->slot && c.spark)
    area_print(a, column, 0, STYLE_TITLE, "%.3g s",
               (double)v->span * (double)c.spark * (double)v->ring.head.period_ns * 1e-9);
  if (c.range)
    area_print(a, column + c.spark + 1, 0, STYLE_TITLE, "%*s%*s", NUMBER - 1, "min", NUMBER, "max");
}

int values_draw(const struct picture *p, const struct view *view, const struct area *heading,
                const struct area *body, int first)
{
  const struct values *v = p->values;
  if (!v || (!v->globs && view->kind != VIEW_VALUES)) return 0;
  const struct value_columns c = columns_for(body->columns);
  int row = first;
  put_values_heading(heading, v);
  /* Why there are none, or fewer than expected. */
  if (!v->globs) area_put(body, 0, row++, STYLE_FAINT, "no signal is chosen: w chooses signals by name");
  if (v->problem[0]) row += area_wrap(body, 0, row, 2, STYLE_WARN, v->problem);
  for (uint32_t i = 0; v->slot && i < v->rows; i++) {
    const struct input_words channel = words_channel(p, &v->row[i]);
    put_value_row(body, row++, &c, v, &v->row[i], channel.trouble);
    if (channel.text[0]) area_put(body, 2, row++, channel.trouble ? STYLE_WARN : STYLE_FAINT, channel.text);
    if (v->row[i].broken)
      area_print(body, 2, row++, STYLE_BAD, "not finite in %" PRIu64 " of %" PRIu64 " cycles",
                 v->row[i].broken, v->taken);
    if (ends_input(v, i)) put_input(body, row++, p, v->row[i].input);
  }
  if (v->lost)
    area_print(body, 0, row++, STYLE_WARN, "%" PRIu64 " cycles were gone before they could be read", v->lost);
  return row - first;
}

void prompt_draw(const struct picture *p, const struct view *view, const struct area *a)
{
  const struct values *v = p->values;
  const struct area within = box_draw(a, 68, a->rows - 4 < 20 ? a->rows - 4 : 20);
  area_put(&within, 0, 0, STYLE_FAINT, "signals, with * and ?, commas between; Enter shows them, Esc closes");
  /* The end of a long line is where the keys act. */
  const int length = (int)strlen(view->typed), room = within.columns - 3;
  const int end =
      area_print(&within, 0, 1, STYLE_TITLE, "> %s", view->typed + (length > room ? length - room : 0));
  area_cell(&within, end, 1, STYLE_INVERSE, L' ');
  if (!v || !v->opened) {
    area_wrap(&within, 0, 3, 0, STYLE_WARN, v && v->problem[0] ? v->problem : "there is no daemon");
    return;
  }
  /* Signals that match, or begin with the last name. */
  const char *comma = strrchr(view->typed, ','), *last = comma ? comma + 1 : view->typed;
  int row = 3;
  uint32_t matches = 0;
  for (uint32_t i = 0; i < v->ring.head.signals; i++) {
    const char *name = frames_signal_name(&v->ring, i);
    const bool match = values_match(&v->ring, view->typed, i);
    matches += match;
    if (match || strncmp(name, last, strlen(last)) == 0)
      area_put(&within, 0, row++, match ? STYLE_GOOD : STYLE_FAINT, name);
  }
  area_print(&within, 0, 2, matches ? STYLE_GOOD : STYLE_WARN, "%" PRIu32 " of %" PRIu32 " signals match",
             matches, v->ring.head.signals);
}
