/* SPDX-License-Identifier: MIT */
#include "coordinates/problem_make.h"

#include "coordinates/forces.h"

#include <ali3/stepper.h>
#include <stdlib.h>

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

/* States of forces, scaled. */
static bool read_own_states(struct problem *p, const ali3_data *d)
{
  p->owns = forces_owns(p->model);
  p->own_start = calloc((size_t)p->owns + 1, sizeof *p->own_start);
  if (p->own_start) forces_own_read(p->model, d, p->own_start);
  return p->own_start;
}

bool problem_make(struct problem *p, const struct description *kind, const ali3_model *m, const ali3_data *d,
                  struct lab_refusal *why)
{
  *p = (struct problem){.kind = kind, .model = m, .bodies = ali3_model_bodies(m)};
  *why = (struct lab_refusal){.element = "model", .index = -1};
  if (!forces_check_own(m, why)) return false;
  const bool good =
      (read_turns(p, d) && read_own_states(p, d)) || problem_refuse(why, "model", -1, "out of memory");
  if (good && kind->make(p, d, why)) return true;
  problem_free(p);
  return false;
}
