/* SPDX-License-Identifier: MIT
 * --platform: the figures of the motion platform for commissioning, as a table, as JSON, or as a drawing. */
#ifndef DAEMON_PLATFORM_REPORT_H
#define DAEMON_PLATFORM_REPORT_H

#include "config/settings.h"
#include "daemon/options.h"

/* Prints to standard output. Returns an exit status. */
int platform_report(const struct settings *s, enum platform_format format);

#endif
