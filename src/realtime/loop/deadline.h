/* SPDX-License-Identifier: MIT
 * The deadline of the last cycle, as far as the next cycle depends on it. */
#ifndef LOOP_DEADLINE_H
#define LOOP_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

struct deadline {
  bool missed;            /* the last cycle ended after the nominal start of the next */
  bool late;              /* this cycle begins late because the last one did not end in time */
  uint64_t late_since_ns; /* start of the first of several cycles made up for at once; 0: none */
  int grace_left;         /* cycles left in which a miss does not count */
};

#endif
