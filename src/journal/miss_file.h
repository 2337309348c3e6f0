/* SPDX-License-Identifier: MIT
 * The misses in a file, a line of JSON for each: --miss-log. For one ordinary thread. */
#ifndef JOURNAL_MISS_FILE_H
#define JOURNAL_MISS_FILE_H

#include "journal/rate_limit.h"
#include "telemetry/miss.h"

#include <stdbool.h>

enum { MISS_FILE_RATE = 100 }; /* lines a second */

struct miss_file {
  const char *path; /* NULL: no file, and all functions do nothing */
  int fd;
  uint64_t most;   /* bytes; a line that would exceed it begins a new file, and the old one becomes PATH.1 */
  bool complained; /* the log was told that it cannot be written */
  bool torn;       /* the last line is not whole */
  uint64_t lost;   /* records that could not be written */
  struct rate_limit rate;
};

/* Opens for appending, up to `mb` megabytes; what is in the file stays. False with a line in the log if that
 * cannot be done. */
bool miss_file_open(struct miss_file *f, const char *path, int mb);
/* Opens the path anew, for whoever has renamed the file; keeps the old one where that fails. */
void miss_file_reopen(struct miss_file *f);
void miss_file_close(struct miss_file *f);

/* A record, judged. A line that cannot be written is said once in the log, and counted. */
void miss_file_write(struct miss_file *f, const struct miss *m, const struct histograms *levels,
                     uint64_t now_ns);
/* Once a tick, and at the end: says how many records were left out. At the end the log says how many were
 * lost. */
void miss_file_tick(struct miss_file *f, uint64_t now_ns, bool last);

#endif
