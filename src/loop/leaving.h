/* SPDX-License-Identifier: MIT
 * The end of a loop that has a platform to park first. */
#ifndef LOOP_LEAVING_H
#define LOOP_LEAVING_H

#include <stdint.h>

struct leaving {
  uint64_t by;      /* cycle by which the loop ends, parked or not; 0: it was not told to end */
  uint64_t at_last; /* the latest that `by` may become, however long the platform moves */
};

#endif
