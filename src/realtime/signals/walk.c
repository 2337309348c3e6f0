/* SPDX-License-Identifier: MIT
 * Set-up only. */
#include "signals/signals_parts.h"

#include <stdlib.h>
#include <string.h>

char *walk_join(struct walk *w, const char *a, const char *b, const char *c, const char *d)
{
  const char *const part[] = {a, b, c, d};
  size_t length[4], all = 0;
  for (int i = 0; i < 4; i++) all += length[i] = strlen(part[i]);
  char *o = malloc(all + 1), *end = o;
  if (!o) {
    w->ok = false;
    return NULL;
  }
  for (int i = 0; i < 4; i++) end = (char *)memcpy(end, part[i], length[i]) + length[i];
  *end = 0;
  return o;
}

void walk_group_of_two(struct walk *w, const char *prefix, const char *quantity, const char *unit,
                       const char *beyond, const char *const *component, int n)
{
  if (w->write) {
    struct signals *s = w->s;
    s->group[w->groups] = (struct signal_group){walk_join(w, prefix, quantity, "", ""), w->count, n};
    for (int i = 0; i < n; i++)
      s->signal[w->count + i] = (struct signal){component ? walk_join(w, prefix, quantity, ".", component[i])
                                                          : walk_join(w, prefix, quantity, "", ""),
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
