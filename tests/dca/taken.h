/* SPDX-License-Identifier: MIT
 * What each group of a tree takes, and from which place of whom: its pulls, couples and branches. The tree says nothing
 * of vertices in the fronts of its groups; from the last group to the first they are found out here: what each place
 * of each vector stands for. */
#ifndef DCA_TAKEN_H
#define DCA_TAKEN_H

#include "dca/view.h"

void check_taken(const struct view *v);

/* The group, and the lane in it, of a child; NOBODY: the lane has none. */
int find_child(const struct view *v, const struct tree_group *o, const struct tree_branch *r, int lane,
               int *lane_below);

#endif
