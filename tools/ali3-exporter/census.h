/* SPDX-License-Identifier: MIT
 * Who is there: one sample of every daemon whose shared memory is present, copied out of it. What the pages
 * show is a census and nothing else. */
#ifndef ALI3_EXPORTER_CENSUS_H
#define ALI3_EXPORTER_CENSUS_H

#include "telemetry/watch.h"

enum { CENSUS_MAX = 32 }; /* the newest; bounds the size of every page */

struct present {
  char name[64];
  struct sample sample; /* its t is NULL, or points to block */
  struct telemetry block;
};

struct census {
  const char *only; /* the one instance wanted, counted even when it is not there; NULL: all that are */
  uint64_t taken_ns;
  int count;
  struct present one[CENSUS_MAX]; /* those that run first, each newest first */
};

/* Looks at all daemons anew, unless the last look is less than 10 ms old: however many clients ask, the
 * memory that the loop writes is read at most 100 times a second. */
void census_take(struct census *c);
/* NULL: not there. */
const struct present *census_find(const struct census *c, const char *name);

#endif
