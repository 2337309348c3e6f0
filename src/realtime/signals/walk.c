/* SPDX-License-Identifier: MIT
 * Set-up only. */
#include "signals/signals_parts.h"

#include <stdarg.h>
#include <stdio.h>

char *walk_text(struct walk *w, const char *format, ...)
{
  char *o = NULL;
  va_list a;
  va_start(a, format);
  if (vasprintf(&o, format, a) < 0) o = NULL;
  va_end(a);
  if (!o) w->ok = false;
  return o;
}

void walk_group_of_two(struct walk *w, const char *prefix, const char *quantity, const char *unit,
                       const char *beyond, const char *const *component, int n)
{
  if (w->write) {
    struct signals *s = w->s;
    s->group[w->groups] = (struct signal_group){walk_text(w, "%s%s", prefix, quantity), w->count, n};
    for (int i = 0; i < n; i++)
      s->signal[w->count + i] =
          (struct signal){component ? walk_text(w, "%s%s.%s", prefix, quantity, component[i])
                                    : walk_text(w, "%s%s", prefix, quantity),
                          i < 3 ? unit : beyond};
  }
  w->groups++;
  w->count += n;
}

void walk_group(struct walk *w, const char *prefix, const char *quantity, const char *unit,
                const char *const *component, int n)
{
  walk_group_of_two(w, prefix, quantity, unit, unit, component, n);
}

const char *const walk_xyz[3] = {"x", "y", "z"};
const char *const walk_e0123[4] = {"e0", "e1", "e2", "e3"};
const char *const walk_one_to_six[PLATFORM_LEGS] = {"1", "2", "3", "4", "5", "6"};
