/* SPDX-License-Identifier: MIT */
#include "coordinates/problem.h"

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

/* Angles of revolute joints at the start, with full turns. */
static bool read_turns(struct problem *p, const ali3_data *d)
{
  const int joints = ali3_model_joints(p->model);
  p->turn = calloc((size_t)joints + 1, sizeof *p->turn);
  for (int i = 0; p->turn && i < joints; i++) {
    ali3_joint_state joint;
    ali3_joint_get(p->model, d, i, &joint);
    p->turn[i] = joint.position;
  }
  return p->turn;
}

/* Coordinates and velocities are all that a problem integrates. */
static bool refuse_actuators(const ali3_model *m, struct lab_refusal *why)
{
  for (int i = 0; i < ali3_model_forces(m); i++) {
    const ali3_force_type type = ali3_model_force_type(m, i);
    if (type == ALI3_FORCE_CYLINDER || type == ALI3_FORCE_WINDING)
      return problem_refuse(why, "force", i, "the laboratory does not step the states of a %s",
                            ali3_force_type_name(type));
  }
  return true;
}

bool problem_make(struct problem *p, const struct description *kind, const ali3_model *m, const ali3_data *d,
                  struct lab_refusal *why)
{
  *p = (struct problem){.kind = kind, .model = m, .bodies = ali3_model_bodies(m)};
  *why = (struct lab_refusal){.element = "model", .index = -1};
  if (!refuse_actuators(m, why)) return false;
  const bool good = read_turns(p, d) || problem_refuse(why, "model", -1, "out of memory");
  if (good && kind->make(p, d, why)) return true;
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
  free(p->turn);
  *p = (struct problem){0};
}

struct instant problem_start(const struct problem *p)
{
  return (struct instant){.turn = p->turn};
}
