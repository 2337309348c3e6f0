/* SPDX-License-Identifier: MIT
 * The end of a loop that must park a platform first. */
#ifndef LOOP_LEAVING_H
#define LOOP_LEAVING_H

#include <stdint.h>

struct leaving {
  uint64_t by;      /* cycle at which the loop ends, parked or not; 0: no order to end */
  uint64_t at_last; /* latest value that `by` may get, however long the platform moves */
};

#endif
