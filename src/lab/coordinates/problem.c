/* SPDX-License-Identifier: MIT */
#include "coordinates/problem.h"
#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

bool problem_check_loads(const ali3_model *m, struct lab_refusal *why)
{
  if (m->loads > 0)
    return problem_refuse(why, "load", 0, "the laboratory knows no load but weight; an input is a load, too");
  if (m->forces > 0)
    return problem_refuse(why, "force", 0, "the laboratory knows no force but weight, found a %s",
                          ali3_force_type_name(m->force[0].spec.type));
  for (int i = 0; i < m->bodies; i++)
    if (m->body[i].singular)
      return problem_refuse(why, "body", i,
                            "these coordinates need mass and inertia of every body; give both");
  return m->bodies > 0 || problem_refuse(why, "model", -1, "there is no body");
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
