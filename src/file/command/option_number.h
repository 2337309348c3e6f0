/* SPDX-License-Identifier: MIT
 * Numbers on the command line of all tools: the complete text is one number within bounds. */
#ifndef TOOLS_OPTION_NUMBER_H
#define TOOLS_OPTION_NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Returns false if the text is no number or out of bounds; NaN is out of all bounds. */
static inline bool option_number(const char *text, double least, double most, double *out)
{
  char *end;
  *out = strtod(text, &end);
  return end != text && !*end && *out >= least && *out <= most;
}

static inline bool option_count(const char *text, long least, long most, long *out)
{
  char *end;
  errno = 0;
  *out = strtol(text, &end, 10);
  return end != text && !*end && !errno && *out >= least && *out <= most;
}

#endif
