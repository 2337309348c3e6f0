/* SPDX-License-Identifier: MIT
 * The places of the elements of the model in the files, for messages after the reading. */
#ifndef YAML_PLACES_H
#define YAML_PLACES_H

#include <stdbool.h>

/* Counted from 1, columns in characters; line 0: the file as a whole; line < 0: an option, report_option_place(). */
struct place {
  int line, column;
  int origin; /* index + 1 in report.origins of the part that brought the place into the tree; 0: the file itself */
};

struct place_list { /* in the order of the model */
  struct place *at;
  int count, room;
};

struct places {
  char *file;                  /* file of the model; NULL: out of memory */
  struct place model, gravity; /* gravity: line 0 if the file does not have it */
  struct place_list body, joint, force;
};

/* The place of element `index`, which was just added to the model. False: out of memory. */
bool places_add(struct place_list *l, int index, struct place at);
/* Line 0: the place is not known. */
struct place places_get(const struct place_list *l, int index);
void places_free(struct places *p);

#endif
