/* SPDX-License-Identifier: MIT
 * Set-up only: nested dissection of the graph. Region 0 is all of it, and each component that joints connect is a region in it. A
 * region with more than a few bodies is parted into two halves, which are regions, and a separator, its other vertices. */
#ifndef DCA_DISSECT_H
#define DCA_DISSECT_H

#include "dca/order.h"

struct regions {
  int count;
  int *parent; /* (count) the region that it is in; -1: none */
  int *of;     /* (vertices) the smallest region that has the vertex */
};

/* joint_first, joint_of: joints of each body. stays: bodies that belong to no half. False: out of memory. */
bool dissect(const struct tree_graph *g, const int *joint_first, const int *joint_of, const bool *stays,
             struct regions *o);
void regions_free(struct regions *o);

#endif
