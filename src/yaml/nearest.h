/* SPDX-License-Identifier: MIT
 * The word somebody may have meant. */
#ifndef YAML_NEAREST_H
#define YAML_NEAREST_H

#include <stddef.h>

/* The best of the candidates tried so far. */
struct nearest {
  const char *word; /* what was written */
  const char *best; /* NULL: none was near enough to be meant */
  size_t distance;
};

void nearest_try(struct nearest *n, const char *candidate);

#endif
