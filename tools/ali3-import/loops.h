/* SPDX-License-Identifier: MIT
 * What the readers of loops share: loops.c for YAML, loops_srdf.c for SRDF. */
#ifndef IMPORT_LOOPS_H
#define IMPORT_LOOPS_H

#include "notes.h"
#include "robot.h"

/* The file that is read, for messages. */
struct loops_file {
  struct robot *robot;
  struct notes *notes;
  const char *name;
};

/* A fixed loop without links, about z. NULL: out of memory, reported. */
struct loop *loops_add(const struct loops_file *f, int line);
/* The link of a name, or the child of the joint of that name; NONE: there is neither. */
int loops_find_link(const struct loops_file *f, const char *name);
/* Two links must differ. */
bool loops_check(const struct loops_file *f, const struct loop *loop);
/* Elements loop_constraint of an SRDF file. */
bool loops_read_srdf(const struct loops_file *f);

#endif
