/* SPDX-License-Identifier: MIT
 * The list of loops, for the readers of their files. */
#include "loops.h"

int loops_find_link(const struct loops_file *f, const char *name)
{
  const int link = robot_find_link(f->robot, name),
            joint = link == NONE ? robot_find_joint(f->robot, name) : NONE;
  return joint != NONE ? f->robot->joint[joint].child : link;
}

struct loop *loops_add(const struct loops_file *f, int line)
{
  struct robot *r = f->robot;
  if (!robot_grow(r, (void **)&r->loop, r->loops, &r->loop_room, sizeof *r->loop)) {
    note_error(f->notes, 0, "out of memory");
    return NULL;
  }
  struct loop *loop = &r->loop[r->loops++];
  *loop = (struct loop){.line = line, .type = "fixed", .axis = {0, 0, 1}};
  return loop;
}

bool loops_check(const struct loops_file *f, const struct loop *loop)
{
  if (loop->link[0] != loop->link[1]) return true;
  return note_error(f->notes, 0, "%s:%d: expected two links, found '%.100s' twice", f->name, loop->line,
                    f->robot->link[loop->link[0]].name);
}
