/* SPDX-License-Identifier: MIT
 * A census: one sample of every daemon whose shared memory is present. All pages are made from a census. */
#ifndef ALI3_EXPORTER_CENSUS_H
#define ALI3_EXPORTER_CENSUS_H

#include "telemetry/watch.h"

enum { CENSUS_MAX = 32 }; /* the newest daemons; bounds the size of every page */

struct present {
  char name[64];
  struct sample sample; /* its t is NULL or points to `block` */
  struct telemetry block;
};

struct census {
  const char *only; /* the only instance to count, present or not; NULL: all present ones */
  uint64_t taken_ns;
  char none[256]; /* why there is none, if the count is 0 */
  int count;
  struct present one[CENSUS_MAX]; /* running ones first, each group newest first */
};

/* Looks at all daemons again unless the last look is less than 10 ms old: the memory that the loop writes is read at
 * most 100 times a second, whatever the number of clients. */
void census_take(struct census *c);
/* Returns NULL if it is not present. */
const struct present *census_find(const struct census *c, const char *name);

#endif
