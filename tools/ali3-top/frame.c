/* SPDX-License-Identifier: MIT
 * The layout of the screen. */
#include "panes/panes.h"

#include <stdio.h>

enum { TWO_COLUMNS = 120, BARS_LEAST = 6, BARS_MOST = 20, GAP = 1 };

struct table {
  pane_draw *draw;
  int wanted; /* rows with the heading; 0: nothing to show */
  int rows;   /* rows that it gets */
};

static struct area nothing_of(const struct area *a, int columns)
{
  return area_part(a, 0, 0, columns, 0);
}

static int wanted_rows(pane_draw *draw, const struct picture *p, const struct view *v, const struct area *a,
                       int columns)
{
  const struct area none = nothing_of(a, columns);
  const int rows = draw(p, v, &none, &none, 0);
  return rows > 0 ? rows + 1 : 0;
}

static void draw_table(const struct picture *p, const struct view *v, pane_draw *draw, const struct area *a,
                       int scroll)
{
  const struct area heading = area_part(a, 0, 0, a->columns, 1);
  const struct area body = area_part(a, 0, 1, a->columns, a->rows - 1);
  const int rows = draw(p, v, &heading, &body, -scroll);
  if (rows <= body.rows) return;
  char more[32];
  const int n = snprintf(more, sizeof more, " %d of %d", body.rows, rows);
  area_put(&heading, a->columns - n, 0, STYLE_FAINT, more);
}

/* Gives rows to the tables in their order, and keeps two rows for each later table. Returns the number of rows used. */
static int plan_rows(const struct picture *p, const struct view *v, struct table *t, int n,
                     const struct area *a, int columns, int rows)
{
  int used = 0;
  for (int i = 0; i < n; i++) t[i].wanted = wanted_rows(t[i].draw, p, v, a, columns);
  for (int i = 0; i < n; i++) {
    int reserved = 0;
    for (int k = i + 1; i > 0 && k < n; k++) reserved += t[k].wanted ? 2 : 0;
    int most = rows - used - reserved;
    if (most < 2) most = rows - used;
    t[i].rows = t[i].wanted < most ? t[i].wanted : most;
    if (t[i].rows < 2) t[i].rows = 0;
    used += t[i].rows;
  }
  return used;
}

/* Draws the tables one below the other, as planned. */
static void draw_tables(const struct picture *p, const struct view *v, const struct table *t, int n,
                        const struct area *a)
{
  int row = 0;
  for (int i = 0; i < n; i++) {
    const struct area part = area_part(a, 0, row, a->columns, t[i].rows);
    if (t[i].rows > 0) draw_table(p, v, t[i].draw, &part, 0);
    row += t[i].rows;
  }
}

/* Bars get a third of the rows or their minimum; the tables get the rest. */
static int rows_for_tables(const struct area *a)
{
  return a->rows - (a->rows / 3 > BARS_LEAST ? a->rows / 3 : BARS_LEAST);
}

static struct area draw_bars_above(const struct picture *p, const struct view *v, const struct area *a,
                                   int used)
{
  const int rows = a->rows - used < BARS_MOST ? a->rows - used : BARS_MOST;
  const struct area top = area_part(a, 0, 0, a->columns, rows);
  histograms_draw(p, v, &top);
  return area_part(a, 0, rows, a->columns, a->rows - rows);
}

static void draw_one_column(const struct picture *p, const struct view *v, const struct area *a)
{
  struct table t[] = {{.draw = phases_draw},  {.draw = values_draw},   {.draw = misses_draw},
                      {.draw = inputs_draw},  {.draw = platform_draw}, {.draw = rig_draw},
                      {.draw = devices_draw}, {.draw = levels_draw},   {.draw = counters_draw}};
  enum { TABLES = sizeof t / sizeof *t };
  const int used = plan_rows(p, v, t, TABLES, a, a->columns, rows_for_tables(a));
  const struct area rest = draw_bars_above(p, v, a, used);
  draw_tables(p, v, t, TABLES, &rest);
}

/* Values and misses are long lines: they get the complete width, and up to a third of the rows if other tables need rows. */
static void draw_two_columns(const struct picture *p, const struct view *v, const struct area *a)
{
  struct table left[] = {{.draw = phases_draw}, {.draw = inputs_draw},  {.draw = platform_draw},
                         {.draw = rig_draw},    {.draw = devices_draw}, {.draw = counters_draw}};
  struct table right[] = {{.draw = levels_draw}}, below[] = {{.draw = values_draw}, {.draw = misses_draw}};
  enum { LEFT = sizeof left / sizeof *left, BELOW = sizeof below / sizeof *below };
  /* Plan the rows: bars above, upper tables in two columns, misses below them. */
  const int rows = rows_for_tables(a), columns = a->columns / 2;
  const int wanted =
      wanted_rows(values_draw, p, v, a, a->columns) + wanted_rows(misses_draw, p, v, a, a->columns);
  const int upper = rows - (wanted < rows / 3 ? wanted : rows / 3);
  const int west = plan_rows(p, v, left, LEFT, a, columns - GAP, upper);
  const int east = plan_rows(p, v, right, 1, a, a->columns - columns, upper);
  const int used = west > east ? west : east;
  const int south = plan_rows(p, v, below, BELOW, a, a->columns, rows - used);

  /* Draw from the top. */
  const struct area rest = draw_bars_above(p, v, a, used + south);
  const struct area left_area = area_part(&rest, 0, 0, columns - GAP, used);
  const struct area right_area = area_part(&rest, columns, 0, a->columns - columns, used);
  const struct area below_area = area_part(&rest, 0, used, a->columns, south);
  draw_tables(p, v, left, LEFT, &left_area);
  draw_tables(p, v, right, 1, &right_area);
  draw_tables(p, v, below, BELOW, &below_area);
}

static void draw_overview(const struct picture *p, const struct view *v, const struct area *a)
{
  if (a->columns >= TWO_COLUMNS)
    draw_two_columns(p, v, a);
  else
    draw_one_column(p, v, a);
}

static void draw_single(const struct picture *p, struct view *v, pane_draw *draw, const struct area *a)
{
  const int rows = wanted_rows(draw, p, v, a, a->columns);
  const int most = rows > a->rows ? rows - a->rows : 0;
  if (v->scroll > most) v->scroll = most;
  draw_table(p, v, draw, a, v->scroll);
  if (rows == 0) area_put(a, 0, 1, STYLE_FAINT, "none");
}

static void draw_body(const struct picture *p, struct view *v, const struct area *a)
{
  static pane_draw *const single[VIEWS] = {
      [VIEW_PHASES] = phases_draw,     [VIEW_LEVELS] = levels_draw,   [VIEW_MISSES] = misses_draw,
      [VIEW_INPUTS] = inputs_draw,     [VIEW_DEVICES] = devices_draw, [VIEW_COUNTERS] = counters_draw,
      [VIEW_PLATFORM] = platform_draw, [VIEW_RIG] = rig_draw,         [VIEW_FIGURES] = figures_draw,
      [VIEW_VALUES] = values_draw};
  if (v->kind == VIEW_OVERVIEW)
    draw_overview(p, v, a);
  else if (v->kind == VIEW_HISTOGRAMS)
    histograms_draw(p, v, a);
  else
    draw_single(p, v, single[v->kind], a);
}

static const char *view_name(enum view_kind kind)
{
#define NAME(id, text) [id] = (text),
  static const char *const names[] = {VIEW_LIST(NAME)};
#undef NAME
  return names[kind];
}

static void draw_status(const struct view *v, const struct area *a)
{
  for (int x = 0; x < a->columns; x++) area_cell(a, x, 0, STYLE_INVERSE, L' ');
  if (v->message[0]) {
    area_print(a, 0, 0, STYLE_INVERSE, " %s", v->message);
    return;
  }
  area_print(a, 0, 0, STYLE_INVERSE, " %sq quit  v %s  h bars  s %s  r reset  p %s  n next  i list  ? help",
             v->held ? "HELD  " : "", view_name(v->kind), sort_name(v->sort), v->held ? "go on" : "hold");
}

void frame_draw(const struct picture *p, struct view *v, struct canvas *c)
{
  const struct area all = area_of(c);
  area_clear(&all);
  const struct area main = area_part(&all, 0, 0, all.columns, all.rows - 1);
  const struct area status = area_part(&all, 0, all.rows - 1, all.columns, 1);
  const int wanted = header_draw(p, &main);
  const struct area body = area_part(&main, 0, wanted, main.columns, main.rows - wanted);
  if (p->seen) draw_body(p, v, &body);
  if (v->overlay == OVERLAY_HELP) help_draw(&main);
  if (v->overlay == OVERLAY_PROMPT) prompt_draw(p, v, &main);
  if (v->overlay == OVERLAY_INSTANCES) instances_draw(v, p->seen ? p->block.instance : "", &main);
  draw_status(v, &status);
}
