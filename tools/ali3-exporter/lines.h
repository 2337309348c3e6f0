/* SPDX-License-Identifier: MIT
 * Lines in the text format of Prometheus. */
#ifndef ALI3_EXPORTER_LINES_H
#define ALI3_EXPORTER_LINES_H

#include "census.h"

#include <stdio.h>

void write_heading(const char *type, const char *name, const char *help, FILE *out);
/* Writes a value between the quotes of a label. */
void write_label(const char *value, FILE *out);
/* Writes one line; `key` NULL: no second label. */
void write_line(const char *name, const struct present *p, const char *key, const char *label, double v,
                FILE *out);

#endif
