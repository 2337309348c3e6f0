/* SPDX-License-Identifier: MIT
 * The file of --miss-log: a JSON line for each miss. For one ordinary thread. */
#ifndef JOURNAL_MISS_FILE_H
#define JOURNAL_MISS_FILE_H

#include "log/rate_limit.h"
#include "telemetry/miss.h"

#include <stdbool.h>

enum { MISS_FILE_RATE = 100 }; /* lines a second */

struct miss_file {
  const char *path; /* NULL: no file; all functions then do nothing */
  int fd;
  uint64_t most;   /* bytes; a line beyond this size starts a new file, and the old one becomes PATH.1 */
  bool complained; /* the log has a message about the failure */
  bool torn;       /* the last line is incomplete */
  uint64_t lost;   /* records that could not be written */
  struct rate_limit rate;
};

/* Opens the file for appending, with a limit of `mb` megabytes; keeps its contents. On failure returns false with a
 * line in the log. */
bool miss_file_open(struct miss_file *f, const char *path, int mb);
/* Reopens the path after somebody has renamed the file; keeps the old file if that fails. */
void miss_file_reopen(struct miss_file *f);
void miss_file_close(struct miss_file *f);

/* Writes a judged record. The first line that cannot be written is logged, all are counted. */
void miss_file_write(struct miss_file *f, const struct miss *m, const struct histograms *levels,
                     uint64_t now_ns);
/* Call once a tick, and at the end with last = true: logs how many records were left out, at the end how many were
 * lost. */
void miss_file_tick(struct miss_file *f, uint64_t now_ns, bool last);

#endif
