/* SPDX-License-Identifier: MIT
 * Between the files that make up rt/realtime.h. */
#ifndef RT_REALTIME_NOTE_H
#define RT_REALTIME_NOTE_H

#include "rt/realtime.h"

/* Appends one refusal to grant->reason; what does not fit ends in "...". */
__attribute__((format(printf, 2, 3))) void realtime_note(struct realtime_grant *grant, const char *format,
                                                         ...);

#endif
