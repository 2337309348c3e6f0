/* SPDX-License-Identifier: MIT
 * Set-up only. */
#include "frames/settings.h"

#include <stdio.h>
#include <stdlib.h>

char *record_settings_text(const struct record_settings *s)
{
#define WHEN_TEXT(id, text) text,
  static const char *const when[] = {RECORD_WHEN_LIST(WHEN_TEXT)};
#undef WHEN_TEXT
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  if (s->enabled) {
    fprintf(out, "when %s\nsignals %s\ntype %s\ndivisor %d\n", when[s->when], s->signals,
            s->single ? "f32" : "f64", s->divisor);
    if (s->trigger) fprintf(out, "trigger %s\n", s->trigger);
    fprintf(out, "before %.15g\nafter %.15g\nsplit %.15g\nkeep %.15g\nmin-free %.15g\ncompress %d\n",
            s->before, s->after, s->split, s->keep, s->min_free, s->compress);
  }
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}
