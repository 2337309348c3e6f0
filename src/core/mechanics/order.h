/* SPDX-License-Identifier: MIT
 * Set-up. The order in which bodies are eliminated: minimum degree, hubs last. */
#ifndef MECHANICS_ORDER_H
#define MECHANICS_ORDER_H

#include <stdbool.h>

/* A set of bodies that share rows. */
struct clique {
  int count;
  int body[4]; /* all different */
};

/* position (bodies): place of each body in the order, 0 first. Deterministic. False: out of memory. */
bool order_bodies(int bodies, const struct clique *clique, int cliques, int *position);

#endif
