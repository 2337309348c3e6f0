/* SPDX-License-Identifier: MIT
 * A sample of a daemon as a JSON object: the same for all tools. */
#ifndef IO_TELEMETRY_JSON_H
#define IO_TELEMETRY_JSON_H

#include "io/watch.h"

#include <jansson.h>

#define TELEMETRY_JSON_FLAGS JSON_REAL_PRECISION(9) /* for json_dump...() */

/* A new reference. */
json_t *telemetry_json(const struct sample *s);

#endif
