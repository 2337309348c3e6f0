/* SPDX-License-Identifier: MIT
 * The word of a list that is nearest to a word with a slip. */
#ifndef YAML_NEAREST_H
#define YAML_NEAREST_H

#include <stddef.h>

/* The best of the candidates tried so far. */
struct nearest {
  const char *word; /* the word of the file */
  const char *best; /* NULL: no candidate was near enough */
  size_t distance;
};

void nearest_try(struct nearest *n, const char *candidate);

#endif
