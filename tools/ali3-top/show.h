/* SPDX-License-Identifier: MIT
 * Text forms of a sample. Each function writes to `out` and keeps nothing. */
#ifndef ALI3_TOP_SHOW_H
#define ALI3_TOP_SHOW_H

#include "collect.h"

#include <stdio.h>

/* A block of about 40 lines. */
void show_block(const struct picture *p, FILE *out);
/* One line without its end. */
void show_line(const struct sample *s, FILE *out);
/* One JSON object and a line end; on a single line if `compact`. */
void show_json(const struct sample *s, bool compact, FILE *out);

#endif
