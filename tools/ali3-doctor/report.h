/* SPDX-License-Identifier: MIT
 * The report: a table for people or one JSON object for programs. */
#ifndef ALI3_DOCTOR_REPORT_H
#define ALI3_DOCTOR_REPORT_H

#include "host.h"
#include "verdict.h"

struct report {
  const struct host *host;
  const struct findings *all;
  const struct measure_plan *plan;
  const struct measured *m; /* NULL: nothing was measured */
  const char *unmeasured;   /* why not */
  long long hwlat_us;       /* -1: did not run */
  enum verdict verdict;
};

void report_text(const struct report *r, FILE *out);
/* Returns false when out of memory. */
bool report_json(const struct report *r, FILE *out);

#endif
