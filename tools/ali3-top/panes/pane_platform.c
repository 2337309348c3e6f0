/* SPDX-License-Identifier: MIT
 * The motion platform: its pose, its target, and its legs between their ends. */
#include "panes/panes.h"

#include "words.h"

#include <math.h>
#include <stdio.h>

enum { NAME = 8, FIELD = 14, LEG = 4, LENGTH = 12, BAR_LEAST = 9, BAR_MOST = 41, ROWS = 1 + PLATFORM_DOF };
static const double near_the_end = 0.95;

static enum style platform_style(uint32_t state)
{
  switch (state) {
  case PLATFORM_NEUTRAL:
  case PLATFORM_RUN:
    return STYLE_GOOD;
  case PLATFORM_FAULT:
  case PLATFORM_STOP:
    return STYLE_BAD;
  default:
    return STYLE_WARN;
  }
}

/* A mark on a line between two ends. */
static void draw_bar(const struct area *a, int column, int row, int size, double at)
{
  const bool utf8 = a->canvas->utf8;
  const double part = fmin(fmax(0.5 * (at + 1.0), 0.0), 1.0);
  const enum style style = fabs(at) > 1.0 ? STYLE_BAD : fabs(at) > near_the_end ? STYLE_WARN : STYLE_BAR;
  for (int i = 0; i < size; i++) area_cell(a, column + i, row, STYLE_FAINT, utf8 ? L'\u2500' : L'-');
  area_cell(a, column + size / 2, row, STYLE_FAINT, utf8 ? L'\u253c' : L'+');
  area_cell(a, column, row, STYLE_FAINT, utf8 ? L'\u251c' : L'|');
  area_cell(a, column + size - 1, row, STYLE_FAINT, utf8 ? L'\u2524' : L'|');
  if (isnan(at)) return; /* unknown */
  area_cell(a, column + (int)lround(part * (size - 1)), row, style, utf8 ? L'\u2588' : L'#');
}

static void draw_leg(const struct telemetry *t, int leg, const struct area *a, int row)
{
  const double at = t->live.platform.legs[leg];
  const double value = t->leg_min + 0.5 * (at + 1.0) * (t->leg_max - t->leg_min);
  int column = NAME + 2 * FIELD + 2;
  const int room = a->columns - column - LEG - LENGTH;
  column = area_print(a, column, row, STYLE_PLAIN, "%*d", LEG - 1, leg + 1) + 1;
  if (room >= BAR_LEAST) {
    const int size = room < BAR_MOST ? room : BAR_MOST;
    draw_bar(a, column, row, size, at);
    column += size;
  }
  area_print(a, column, row, STYLE_PLAIN, "%9.4f %s", value, t->cranks ? "rad" : "m");
}

int platform_draw(const struct picture *p, const struct view *v, const struct area *heading,
                  const struct area *body, int first)
{
  (void)v;
  const struct telemetry *t = &p->block;
  const struct platform_live *l = &t->live.platform;
  char flags[WORDS_PLATFORM];
  if (!t->platform) return 0;
  area_print(heading, 0, 0, STYLE_TITLE, "%-*s%*s%*s%*s", NAME, "platform", FIELD, "is", FIELD, "wanted",
             LEG + 4, t->cranks ? "crank" : "leg");
  /* State, mode and flags in one row. */
  int column = area_put(body, 0, first, platform_style(l->state), platform_state_name(l->state)) + 2;
  column = area_put(body, column, first, STYLE_PLAIN, platform_mode_name(l->mode)) + 2;
  const bool withheld = l->state == PLATFORM_UNKNOWN;
  area_put(body, column, first, STYLE_PLAIN,
           withheld ? "outputs withheld until arm" : words_platform(l->flags, flags));
  /* A coordinate and a leg in each row: there are six of each. */
  for (int i = 0; i < PLATFORM_DOF; i++) {
    const int row = first + 1 + i;
    area_put(body, 0, row, STYLE_PLAIN, platform_coordinate_name[i]);
    area_print(body, NAME, row, STYLE_PLAIN, "%*s", FIELD, words_coordinate(i, l->pose[i]).text);
    area_print(body, NAME + FIELD, row, STYLE_FAINT, "%*s", FIELD, words_coordinate(i, l->target[i]).text);
    draw_leg(t, i, body, row);
  }
  return ROWS;
}
