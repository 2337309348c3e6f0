/* SPDX-License-Identifier: MIT
 * Numbers and heads of CSV files. */
#ifndef ALI3_COMMON_CSV_H
#define ALI3_COMMON_CSV_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a CSV file. */
enum csv_header { CSV_NAMES, CSV_UNITS, CSV_NO_HEADER };
#define CSV_HEADER_WORDS "names, units or none"

static inline bool csv_header_from(const char *word, enum csv_header *header)
{
  static const char *const words[] = {"names", "units", "none"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(word, words[i]) != 0) continue;
    *header = (enum csv_header)i;
    return true;
  }
  return false;
}

/* A column of the first line: "time", or "time [s]". */
static inline void csv_column(FILE *out, enum csv_header header, const char *name, const char *unit)
{
  if (header == CSV_UNITS && unit && *unit)
    fprintf(out, "%s [%s]", name, unit);
  else
    fputs(name, out);
}

/* The shortest of 15, 16 and 17 digits that read back to equal bits: 0.1 instead of 0.10000000000000001. */
static inline void csv_number(FILE *out, double value)
{
  char text[32];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, out);
}

#endif
