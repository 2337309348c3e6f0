/* SPDX-License-Identifier: MIT
 * Text forms of a sample. Each function writes to `out` and keeps nothing. */
#ifndef ALI3_TOP_SHOW_H
#define ALI3_TOP_SHOW_H

#include "collect.h"

#include <jansson.h>
#include <stdio.h>

/* A block of about 40 lines. */
void show_block(const struct picture *p, FILE *out);
/* One line without its end. */
void show_line(const struct picture *p, FILE *out);
/* One JSON object and a line end; on a single line if `compact`. */
void show_json(const struct picture *p, bool compact, FILE *out);

/* The chosen signals, if any: lines of the block; in the line, each value behind its name; a JSON object, a new
 * reference. */
void show_values(const struct picture *p, FILE *out);
void show_values_line(const struct picture *p, FILE *out);
json_t *values_json(const struct values *v);

#endif
