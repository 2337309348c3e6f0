/* SPDX-License-Identifier: MIT
 * The runs side by side, for copies_make.c and copies.c. */
#ifndef TOGETHER_COPIES_PARTS_H
#define TOGETHER_COPIES_PARTS_H

#include "layout/layout.h"
#include "together/copies.h"

struct copies {
  struct by_copy by;
  const ali3_model *of[ISA_LANES_MAX];
  ali3_data *run[ISA_LANES_MAX];
  ali3_model *model; /* all copies */
  ali3_data *data;
  int *link_of;          /* (copies, links) the link of the model of all */
  bool whole;            /* data of the runs get all numbers after a step */
  double *Phi;           /* (rows) at the start of the step */
  double lone, together; /* recent steps of runs alone and in lanes */
};

/* RT. Numbers of a run into its lane: its state, and the values from outside. */
void copies_load(struct copies *k, int copy);

#endif
