/* SPDX-License-Identifier: MIT
 * The signals that a query chooses, and the head of its stream. */
#ifndef ALI3_VIEW_STREAM_PARTS_H
#define ALI3_VIEW_STREAM_PARTS_H

#include "stream.h"

/* Fills in value, values, dense, dense_values and rate. False: out of memory. */
bool choice_make(struct stream *s);
/* The JSON of the head; a new reference. */
json_t *choice_head(const struct stream *s);
/* True for the signals of position and orientation of bodies. */
bool choice_is_pose(const char *name);

#endif
