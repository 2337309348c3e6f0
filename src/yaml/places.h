/* SPDX-License-Identifier: MIT
 * Where in the files the elements of the model were written, for messages about them later. */
#ifndef YAML_PLACES_H
#define YAML_PLACES_H

#include <stdbool.h>

/* Counted from 1, columns in characters; line 0: the file as a whole. */
struct place {
  int line, column;
};

struct place_list { /* in the order of the model */
  struct place *at;
  int count, room;
};

struct places {
  char *file;                  /* that the model was read from; NULL: out of memory */
  struct place model, gravity; /* gravity: line 0 where it is not given */
  struct place_list body, joint, force;
};

/* The place of element `index`, which was just added to the model. False: out of memory. */
bool places_add(struct place_list *l, int index, struct place at);
/* Line 0: not known. */
struct place places_get(const struct place_list *l, int index);
void places_free(struct places *p);

#endif
