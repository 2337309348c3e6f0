/* SPDX-License-Identifier: MIT
 * A sample of a daemon as a JSON object, for all tools. */
#ifndef TELEMETRY_JSON_H
#define TELEMETRY_JSON_H

#include "telemetry/miss.h"
#include "telemetry/watch.h"

#include <jansson.h>

#define TELEMETRY_JSON_FLAGS JSON_REAL_PRECISION(9) /* for json_dump...() */

/* Returns a new reference. */
json_t *telemetry_json(const struct sample *s);
/* A new reference; null if the kernel's trace names nobody. */
json_t *culprit_json(const struct culprit *c);

#endif
