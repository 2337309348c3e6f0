/* SPDX-License-Identifier: MIT
 * ali3d --flat, --flat-inputs and --modes. */
#ifndef DAEMON_MODEL_REPORT_H
#define DAEMON_MODEL_REPORT_H

#include "settings/settings.h"

/* Writes the model as bytes, and its inputs as JSON. NULL: not wanted. Returns the exit status. */
int flat_files(const char *model, const char *inputs, const struct settings *settings);
/* Prints the table of the modes. Returns the exit status. */
int print_modes(const struct settings *settings);

#endif
