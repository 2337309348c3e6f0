/* SPDX-License-Identifier: MIT
 * The oracle of the recursion: (9), (11) and (12) of a tree as one dense system, and random trees to try both on. */
#ifndef RECURSIVE_ORACLE_H
#define RECURSIVE_ORACLE_H

#include "recursive/recursion.h"

enum { ORACLE_BODIES = 12 };

/* The dense solution: accelerations of bodies, (bodies, d). Directions that nothing determines are 0. False: the
 * equations contradict each other, or there is no memory. */
bool oracle_accelerations(const struct tree *t, double *acceleration);

/* A random tree of ORACLE_BODIES bodies with d = 6: every third body at most lacks mass, wholly or with rank 3, and hangs
 * on a full one; joints have 1 to 3 freedoms. Loads are made consistent with (28b). `body`: (ORACLE_BODIES). The same seed
 * gives the same tree. */
void oracle_random_tree(unsigned seed, struct tree *t, struct tree_body *body);

/* Largest difference of the accelerations of full bodies between recursion and oracle, relative to the largest; NaN where
 * one of them fails. skipped: how many bodies the recursion skipped. */
double oracle_difference(const struct tree *t, int *skipped);

#endif
