/* SPDX-License-Identifier: MIT
 * The rig of a motion platform: where it really is, how far that is from the command, and which permissives it has. */
#include "panes/panes.h"

#include "words.h"

enum { NAME = 8, FIELD = 14, LEG = 6, LENGTH = 12, OFF = 12, ROWS = 2 + PLATFORM_DOF };

/* Every permissive by name; those that are missing stand out. */
static void draw_permissives(const struct telemetry *t, const struct area *a, int row)
{
  const unsigned met = rig_bits(t->live.rig.permissives);
  int column = area_put(a, 0, row, STYLE_PLAIN, "permissives") + 2;
  if (t->permissives == 0) area_put(a, column, row, STYLE_FAINT, "none");
  for (uint32_t i = 0; i < t->permissives; i++) {
    const bool good = met >> i & 1;
    column = area_print(a, column, row, good ? STYLE_GOOD : STYLE_BAD, "%s%s", good ? "" : "NO ",
                        t->permissive[i]) +
             2;
  }
}

static enum style rig_style(unsigned flags)
{
  if (flags & RIG_TRIPS) return STYLE_BAD;
  return flags & RIG_WARNS || !(flags & RIG_PERMITS) ? STYLE_WARN : STYLE_GOOD;
}

int rig_draw(const struct picture *p, const struct view *v, const struct area *heading,
             const struct area *body, int first)
{
  (void)v;
  const struct telemetry *t = &p->block;
  const struct rig_output *r = &t->live.rig;
  const unsigned flags = rig_bits(r->flags);
  char text[WORDS_PLATFORM];
  if (!t->rig) return 0;
  area_print(heading, 0, 0, STYLE_TITLE, "%-*s%*s%*s%*s%*s", NAME, "rig", FIELD, "is", FIELD, "off by",
             LEG + LENGTH, t->cranks ? "crank" : "leg", OFF, "off by");
  /* Flags in one row, permissives in the next. */
  area_put(body, 0, first, rig_style(flags), flags ? words_rig(flags, text) : "no report");
  draw_permissives(t, body, first + 1);
  /* A coordinate and a leg in each row: there are six of each. */
  for (int i = 0; i < PLATFORM_DOF; i++) {
    const int row = first + 2 + i;
    area_put(body, 0, row, STYLE_PLAIN, platform_coordinate_name[i]);
    area_print(body, NAME, row, STYLE_PLAIN, "%*s", FIELD, words_coordinate(i, r->pose[i]).text);
    area_print(body, NAME + FIELD, row, STYLE_PLAIN, "%*s", FIELD,
               words_coordinate(i, r->pose_error[i]).text);
    area_print(body, NAME + 2 * FIELD, row, STYLE_PLAIN, "%*d%*.4f%*.4f %s", LEG, i + 1, LENGTH, r->legs[i],
               OFF, r->leg_error[i], t->cranks ? "rad" : "m");
  }
  return ROWS;
}
