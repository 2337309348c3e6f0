/* SPDX-License-Identifier: MIT
 * An event of the ring as JSON, in words. */
#ifndef ALI3_VIEW_EVENTS_H
#define ALI3_VIEW_EVENTS_H

#include "frames/layout.h"

#include <jansson.h>

/* A new reference. */
json_t *events_json(const struct frames_event *e);

#endif
