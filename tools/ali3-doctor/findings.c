/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct finding *finding_add(struct findings *all, const char *id, const char *why, enum finding_state state,
                            const char *found, ...)
{
  assert(all->count < FINDINGS_MAX);
  struct finding *f = &all->list[all->count++];
  *f = (struct finding){.id = id, .why = why, .state = state};
  va_list list;
  va_start(list, found);
  vsnprintf(f->found, sizeof f->found, found, list);
  va_end(list);
  return f;
}

void finding_fix(struct finding *f, const char *fix, ...)
{
  va_list list;
  va_start(list, fix);
  vsnprintf(f->fix, sizeof f->fix, fix, list);
  va_end(list);
}

const char *finding_word(enum finding_state state)
{
  static const char *const word[] = {[FINDING_OK] = "ok",
                                     [FINDING_INFO] = "info",
                                     [FINDING_UNKNOWN] = "unknown",
                                     [FINDING_WARN] = "warn",
                                     [FINDING_BAD] = "bad"};
  return word[state];
}
