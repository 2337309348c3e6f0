/* SPDX-License-Identifier: MIT
 * Asking a daemon to begin its maxima and distributions anew: the one thing here that is not just looking. */
#ifndef ALI3_TOP_RESET_H
#define ALI3_TOP_RESET_H

#include "telemetry/telemetry.h"

/* Sends SIGUSR1 to the process of the block. In text what was done, or why not and what to do; false then. */
bool reset_send(const struct telemetry *t, char *text, size_t size);

#endif
