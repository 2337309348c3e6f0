/* SPDX-License-Identifier: MIT
 * Asks a daemon to clear its maxima and distributions; the only function here that does more than look. */
#ifndef ALI3_TOP_RESET_H
#define ALI3_TOP_RESET_H

#include "telemetry/telemetry.h"

/* Sends SIGUSR1 to the process of the block. Returns false if it could not; `text` tells the result, or the reason and
 * the remedy. */
bool reset_send(const struct telemetry *t, char *text, size_t size);

#endif
