/* SPDX-License-Identifier: MIT
 * --platform: the figures of the motion platform for commissioning, as a table, as JSON, as a drawing, or as a model. */
#ifndef DAEMON_PLATFORM_REPORT_H
#define DAEMON_PLATFORM_REPORT_H

#include "daemon/options.h"
#include "settings/settings.h"

/* Prints to standard output. file: the name of the configuration, for comments. Returns an exit status. */
int platform_report(const struct settings *s, const char *file, enum platform_format format);

#endif
