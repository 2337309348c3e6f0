/* SPDX-License-Identifier: MIT
 * Where --report goes. A file is written beside its place and renamed at the end: a run that starts, or
 * crashes, leaves the report of the last run intact. A pipe, or any other file that is not regular, is opened
 * at the start and written in place. */
#ifndef JOURNAL_REPORT_FILE_H
#define JOURNAL_REPORT_FILE_H

#include "journal/report.h"

struct report_file {
  const char *path; /* as it was given; NULL: none is wanted */

  /* private */
  char target[4096]; /* behind links */
  FILE *out;         /* written in place; NULL: beside it */
};

/* path NULL: no report is wanted; "-": standard output. False if it could not be written (errno): better
 * known before a long run. */
bool report_file_open(struct report_file *f, const char *path);
/* False if it cannot be written (errno). */
bool report_file_save(struct report_file *f, const struct report *r);
void report_file_close(struct report_file *f);

#endif
