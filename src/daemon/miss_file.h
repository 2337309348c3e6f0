/* SPDX-License-Identifier: MIT
 * The misses in a file, a line of JSON for each: --miss-log. For one ordinary thread. */
#ifndef DAEMON_MISS_FILE_H
#define DAEMON_MISS_FILE_H

#include "daemon/rate.h"
#include "rt/miss.h"

#include <stdbool.h>

enum { MISS_FILE_RATE = 100 }; /* lines a second */

struct miss_file {
  const char *path; /* NULL: no file, and all functions do nothing */
  int fd;
  bool complained; /* the log was told that it cannot be written */
  bool torn;       /* the last line is not whole */
  struct rate rate;
};

/* Opens for appending; what is in the file stays. False with a line in the log if that cannot be done. */
bool miss_file_open(struct miss_file *f, const char *path);
/* Opens the path anew, for whoever has renamed the file; keeps the old one where that fails. */
void miss_file_reopen(struct miss_file *f);
void miss_file_close(struct miss_file *f);

/* A record, judged. A line that cannot be written is said once in the log. */
void miss_file_write(struct miss_file *f, const struct miss *m, const struct book *levels, uint64_t now_ns);
/* Once a tick, and at the end: says how many records were left out. */
void miss_file_tick(struct miss_file *f, uint64_t now_ns, bool last);

#endif
