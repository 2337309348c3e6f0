/* SPDX-License-Identifier: MIT
 * Lines of the text format of Prometheus. */
#ifndef ALI3_EXPORTER_LINES_H
#define ALI3_EXPORTER_LINES_H

#include "census.h"

#include <stdio.h>

void write_heading(const char *type, const char *name, const char *help, FILE *out);
/* Within a label's quotes. */
void write_label(const char *value, FILE *out);
/* One line; `key` NULL: no second label. */
void write_line(const char *name, const struct present *p, const char *key, const char *label, double v,
                FILE *out);

#endif
