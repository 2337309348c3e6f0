/* SPDX-License-Identifier: MIT
 * All single figures of the daemon, from the list of telemetry/fields.h. */
#include "panes/panes.h"
#include "telemetry/fields.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME = 22, VALUE = 16, UNIT = 3 };

static struct words words_value(const struct field_value *v)
{
  struct words w = {"-"};
  if (v->type == VALUE_FLAG)
    snprintf(w.text, sizeof w.text, "%s", v->integer ? "yes" : "no");
  else if (v->type == VALUE_INTEGER)
    snprintf(w.text, sizeof w.text, "%" PRId64, v->integer);
  else if (v->type == VALUE_REAL)
    snprintf(w.text, sizeof w.text, "%.9g", v->number);
  return w;
}

int figures_draw(const struct picture *p, const struct view *v, const struct area *heading,
                 const struct area *body, int first)
{
  (void)v;
  area_print(heading, 0, 0, STYLE_TITLE, "%-*s%*s", NAME, "figure", VALUE, "value");
  for (int i = 0; i < telemetry_fields; i++) {
    const struct telemetry_field *f = &telemetry_field[i];
    const struct field_value value = telemetry_value(&p->block, f);
    const int row = first + i;
    area_put(body, 0, row, STYLE_PLAIN, *f->key ? f->key : f->metric);
    /* A text may be long: it takes the room of number, unit and meaning. */
    if (value.type == VALUE_TEXT && *value.text) {
      area_put(body, NAME + 1, row, STYLE_PLAIN, value.text);
      continue;
    }
    area_print(body, NAME, row,
               value.type == VALUE_NONE || value.type == VALUE_TEXT ? STYLE_FAINT : STYLE_PLAIN, "%*s %-*s",
               VALUE, words_value(&value).text, UNIT, f->unit);
    area_put(body, NAME + VALUE + UNIT + 2, row, STYLE_FAINT,
             value.integer && value.text ? value.text : f->text);
  }
  return telemetry_fields;
}
