/* SPDX-License-Identifier: MIT
 * Reads a whole file that a person names. Set-up and reload only. */
#ifndef YAML_TEXT_FILE_H
#define YAML_TEXT_FILE_H

#include "yaml/report.h"

#include <stdbool.h>

enum { TEXT_FILE_MB = 64 }; /* a larger file is refused */

/* Reads `path` into s->text, which ends with a 0 and is to be freed also after a failure. Never waits for a FIFO or a device:
 * a regular file is read, anything else is refused. pipe: a pipe is read to its end, however long the writer takes.
 * Returns false with the reason in why[size]. */
bool text_file_read(struct source *s, const char *path, bool pipe, char *why, size_t size);

#endif
