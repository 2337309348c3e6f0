/* SPDX-License-Identifier: MIT
 * Shared by the files of rt/realtime.h. */
#ifndef RT_REALTIME_PARTS_H
#define RT_REALTIME_PARTS_H

#include "rt/realtime.h"

/* Appends a refusal to grant->reason; a text that does not fit ends in "...". */
__attribute__((format(printf, 2, 3))) void realtime_note(struct realtime_grant *grant, const char *format,
                                                         ...);

#endif
