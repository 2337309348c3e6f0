/* SPDX-License-Identifier: MIT
 * The file of --report. It is written beside its place and renamed at the end, so that a run that starts or crashes
 * leaves the last report intact. A pipe, or any other file that is not regular, is opened at the start and written
 * directly. */
#ifndef JOURNAL_REPORT_FILE_H
#define JOURNAL_REPORT_FILE_H

#include "journal/report.h"

struct report_file {
  const char *path; /* as given; NULL: no report */

  /* private */
  char target[4096]; /* after links */
  FILE *out;         /* opened directly; NULL: written beside it */
};

/* path NULL: no report; "-": standard output. Returns false if it could not be written (errno), which is better known
 * before a long run. */
bool report_file_open(struct report_file *f, const char *path);
/* Returns false if it cannot be written (errno). */
bool report_file_save(struct report_file *f, const struct report *r);
void report_file_close(struct report_file *f);

#endif
