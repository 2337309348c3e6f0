/* SPDX-License-Identifier: MIT
 * What the readers of a model's elements share while it is built: mechanism.c has bodies and joints, forces.c
 * what is in the list of forces. Set-up only. */
#ifndef CONFIG_BUILDER_H
#define CONFIG_BUILDER_H

#include "config/values.h"

/* Pose at the start, for what is given in the world: at, axis. */
struct frame_at_start {
  double position[3], rotation[9];
};

struct builder {
  ali3_model *model;
  const struct node *mapping; /* the "model" mapping */
  struct names *bodies;
  struct frame_at_start *frame; /* (bodies of the model) */
  struct places *places;
  struct report *report;
};

/* What the model layer had against an element, at the key that it names. */
void report_problem(const struct builder *b, const struct node *element);

/* Keeps the place of element `index` of the model; negative: it was refused, and that is reported. */
void keep_place(const struct builder *b, struct place_list *list, int index, const struct node *element);

/* Two keys of an element that stand for each other, if both are there. */
void report_both(const struct builder *b, const struct node *element, const char *key, const char *other);

/* Reads one element of the list of forces into the model. Bodies and joints have been read before. */
void forces_add(const struct builder *b, const struct node *n);

#endif
