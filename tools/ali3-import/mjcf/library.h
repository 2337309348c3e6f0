/* SPDX-License-Identifier: MIT
 * libmujoco, opened at run time: its functions, and the lines of a file in MJCF. */
#ifndef IMPORT_MJCF_LIBRARY_H
#define IMPORT_MJCF_LIBRARY_H

#include "notes.h"
#include "robot.h"

#include <mujoco/mujoco.h>

/* Loads and compiles a file. NULL: an error was reported, also if the library is missing or of another version. The caller gives
 * the model to mujoco_free(). Not for two threads: the library reports warnings through one function. */
mjModel *mujoco_load(const char *file, struct notes *n);
void mujoco_free(mjModel *m);

/* Elements of the file whose lines notes name. */
enum mjcf_kind { MJCF_BODY, MJCF_JOINT, MJCF_EQUALITY, MJCF_ACTUATOR, MJCF_GEOM, MJCF_SITE, MJCF_KINDS };

/* One element of the file. */
struct mjcf_element {
  const char *name; /* "" without a name */
  int line;
};

struct mjcf_lines {
  struct mjcf_element *element[MJCF_KINDS];
  int count[MJCF_KINDS], room[MJCF_KINDS];
};

/* Lists the elements of a file, in memory of the robot. Files that it includes are not read. */
void mjcf_lines_read(struct mjcf_lines *o, struct robot *r, const char *file);
/* Line of the element `index` of `count` ones in the model, or of that name; 0: the file does not show it. */
int mjcf_line(const struct mjcf_lines *o, enum mjcf_kind kind, int index, int count, const char *name);

#endif
