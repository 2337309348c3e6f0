/* SPDX-License-Identifier: MIT */
#include "coordinates/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct description *const lab_descriptions[] = {&description_natural, &description_absolute, NULL};

const struct description *lab_find_description(const char *name)
{
  for (int i = 0; lab_descriptions[i]; i++)
    if (strcmp(lab_descriptions[i]->name, name) == 0) return lab_descriptions[i];
  return NULL;
}

bool problem_refuse(struct lab_refusal *why, const char *element, int index, const char *format, ...)
{
  va_list arguments;
  why->element = element;
  why->index = index;
  va_start(arguments, format);
  vsnprintf(why->text, sizeof why->text, format, arguments);
  va_end(arguments);
  return false;
}

bool problem_make(struct problem *p, const struct description *kind, const ali3_model *m, const ali3_data *d,
                  struct lab_refusal *why)
{
  *p = (struct problem){.kind = kind, .model = m, .bodies = ali3_model_bodies(m)};
  *why = (struct lab_refusal){.element = "model", .index = -1};
  if (kind->make(p, d, why)) return true;
  problem_free(p);
  return false;
}

void problem_free(struct problem *p)
{
  if (p->kind) p->kind->release(p);
  free(p->M);
  free(p->f);
  free(p->q);
  free(p->qd);
  *p = (struct problem){0};
}
