/* SPDX-License-Identifier: MIT
 * Boxes over the screen: the keys, and the list of instances. */
#include "panes/panes.h"

#include <string.h>

struct area box_draw(const struct area *a, int columns, int rows)
{
  static const wchar_t lines[] = L"\u2500\u2502\u250c\u2510\u2514\u2518", ascii[] = L"-|++++";
  const wchar_t *sign = a->canvas->utf8 ? lines : ascii;
  const struct area outer =
      area_part(a, (a->columns - columns - 4) / 2, (a->rows - rows - 2) / 2, columns + 4, rows + 2);
  const int right = outer.columns - 1, bottom = outer.rows - 1;
  area_clear(&outer);
  for (int x = 0; x <= right; x++) {
    area_cell(&outer, x, 0, STYLE_TITLE, sign[0]);
    area_cell(&outer, x, bottom, STYLE_TITLE, sign[0]);
  }
  for (int y = 0; y <= bottom; y++) {
    area_cell(&outer, 0, y, STYLE_TITLE, y == 0 ? sign[2] : y == bottom ? sign[4] : sign[1]);
    area_cell(&outer, right, y, STYLE_TITLE, y == 0 ? sign[3] : y == bottom ? sign[5] : sign[1]);
  }
  return area_part(&outer, 2, 1, outer.columns - 4, outer.rows - 2);
}

void help_draw(const struct area *a)
{
  static const char *const lines[] = {
      "q        quit; the last refresh gives the exit status",
      "v V      next, previous view; 1 to 9, 0: overview, histograms, phases,",
      "         levels, misses, inputs, devices, counters, platform, figures",
      "         on the complete screen",
      "h        choose the distributions to draw",
      "s        order of the tables: as listed, by max, by last",
      "r        clear maxima and distributions of the daemon",
      "p blank  freeze the picture, continue",
      "n N      next, previous instance; i: pick one",
      "w        choose signals by name; their values get a pane and a view",
      "arrows   scroll a view; Ctrl-L: redraw the screen",
      "",
      "Bars: both axes are logarithmic. m median, p 99.9 %, M maximum,",
      "T period. Marked maxima are less than 5 s old, or above the period.",
      "wait: time until a worker began its share; busy: slowest share.",
      "Any key closes this.",
  };
  enum { LINES = sizeof lines / sizeof *lines };
  /* As many rows as there are lines. */
  const struct area within = box_draw(a, 68, LINES);
  for (int i = 0; i < LINES; i++) area_put(&within, 0, i, STYLE_PLAIN, lines[i]);
}

void instances_draw(const struct view *v, const char *current, const struct area *a)
{
  const int room = a->rows - 4 > 1 ? a->rows - 4 : 1;
  const int n = v->instances < room ? v->instances : room;
  const struct area within = box_draw(a, 64, (n > 0 ? n : 1) + 1);
  area_put(&within, 0, 0, STYLE_FAINT, "up, down, Enter; Esc closes");
  if (v->instances == 0) area_put(&within, 0, 1, STYLE_WARN, "no daemon is present");
  const int top = v->chosen >= n ? v->chosen - n + 1 : 0;
  for (int i = 0; i < n; i++) {
    const int k = top + i;
    const bool shown = strcmp(v->instance[k], current) == 0;
    area_print(&within, 0, 1 + i, k == v->chosen ? STYLE_INVERSE : STYLE_PLAIN, "%s%s", v->instance[k],
               shown ? " (shown)" : "");
  }
}
