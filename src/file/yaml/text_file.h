/* SPDX-License-Identifier: MIT
 * Reads a whole file. Set-up and reload only. */
#ifndef YAML_TEXT_FILE_H
#define YAML_TEXT_FILE_H

#include "yaml/report.h"

#include <stdbool.h>

enum { TEXT_FILE_MB = 64 }; /* a larger file is refused */

/* Reads `path` into s->text, which ends with a 0. The caller frees it, also after a failure. Only a regular file is read, so
 * that the call never waits for a FIFO or a device. pipe: also reads a pipe to its end, and waits for the writer. False with
 * the reason in why[size]. */
bool text_file_read(struct source *s, const char *path, bool pipe, char *why, size_t size);

/* The path of a file that another file names. A relative path begins in the folder of the other file. To be freed; NULL when
 * out of memory. */
char *path_beside(const char *file, const char *path);

#endif
