/* SPDX-License-Identifier: MIT
 * Whether cycles ended in time, as far as the next cycle depends on it. */
#ifndef LOOP_DEADLINE_H
#define LOOP_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

struct deadline {
  bool missed;            /* the last cycle ended after the nominal start of the next */
  bool late;              /* this cycle begins late because the one before did not end in time */
  uint64_t late_since_ns; /* start of the first of the cycles that are made up for in one go; 0: none are */
  int grace_left;         /* cycles still to come in which a miss does not count */
};

#endif
