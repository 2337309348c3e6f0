/* SPDX-License-Identifier: MIT
 * The scheduling of a program that may not disturb the daemons. */
#ifndef ALI3_COMMON_STEP_BACK_H
#define ALI3_COMMON_STEP_BACK_H

#include <stddef.h>

/* Never real-time and at low priority, whatever the parent was. Threads inherit it. Writes what was read back: "SCHED_OTHER, nice
 * 5". */
void step_back(char *said, size_t size);

#endif
