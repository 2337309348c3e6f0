/* SPDX-License-Identifier: MIT
 * MJCF: the order of the stages. */
#include "mjcf.h"

#include "convert.h"

static bool convert_model(struct convert *c)
{
  const mjModel *m = c->m;
  struct robot *r = c->robot;
  r->name = robot_text(r, *m->names ? m->names : "robot");
  const bool weightless = m->opt.disableflags & mjDSBL_GRAVITY;
  for (int i = 0; i < 3; i++) r->gravity[i] = weightless ? 0.0 : m->opt.gravity[i];
  c->link = robot_take(r, (size_t)m->nbody, sizeof *c->link);
  c->joint = robot_take(r, (size_t)m->njnt + 1, sizeof *c->joint);
  c->shift = robot_take(r, (size_t)m->nbody, sizeof *c->shift);
  if (!r->name || !c->link || !c->joint || !c->shift) return convert_no_memory(c);
  if (!convert_bodies(c) || !convert_keyframe(c) || !convert_equalities(c)) return false;
  convert_actuators(c);
  note_losses(c);
  return true;
}

bool mjcf_read(struct robot *r, const struct import *o, struct notes *n)
{
  struct convert c = {.robot = r, .options = o, .notes = n};
  mjModel *m = mujoco_load(o->file, n);
  if (!m) return false;
  c.m = m;
  r->format = FORMAT_MJCF;
  mjcf_lines_read(&c.lines, r, o->file);
  const bool good = convert_model(&c);
  mujoco_free(m);
  return good;
}
