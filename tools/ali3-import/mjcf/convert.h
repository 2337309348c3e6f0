/* SPDX-License-Identifier: MIT
 * From a model of libmujoco to a robot: what the files of this folder share. */
#ifndef IMPORT_MJCF_CONVERT_H
#define IMPORT_MJCF_CONVERT_H

#include "import.h"
#include "library.h"

struct convert {
  struct robot *robot;
  const struct import *options;
  struct notes *notes;
  const mjModel *m;
  struct mjcf_lines lines;
  int *link;          /* (nbody) link of each body */
  int *joint;         /* (njnt) joint of each joint */
  double (*shift)[3]; /* (nbody) origin of the body in its link */
};

/* Name in the model; "" without one. `address` is one of the arrays name_...adr of the model. */
const char *model_name(const struct convert *c, const int *address, int index);
/* A name that no other element has: that of the file, or `word` and the index. NULL: out of memory. */
const char *given_name(const struct convert *c, const int *address, int index, const char *word);
/* A frame in a body, in the axes of its link. */
struct frame frame_in_link(const struct convert *c, int body, const mjtNum *place, const mjtNum *quaternion);
/* Adds a link at a frame of a body, fixed to it. NONE: out of memory, reported. */
int add_frame_link(struct convert *c, const char *name, int body, const struct frame *at, int line);
bool convert_no_memory(struct convert *c);

/* bodies.c: links, joints and shapes. */
bool convert_bodies(struct convert *c);
/* constraints.c: equality constraints become loops and followers. */
bool convert_equalities(struct convert *c);
/* actuators.c: which joints have motors, and with which range. */
void convert_actuators(struct convert *c);
/* keyframes.c: the start is the keyframe that --pose names, if there is one. */
bool convert_keyframe(struct convert *c);
/* losses.c: a note for everything that a model of ali3d does not have. */
void note_losses(struct convert *c);

#endif
