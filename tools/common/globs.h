/* SPDX-License-Identifier: MIT
 * Signals that a list of patterns chooses, such as 'time,body.*.position.*'. */
#ifndef ALI3_COMMON_GLOBS_H
#define ALI3_COMMON_GLOBS_H

#include <stdbool.h>

/* name(of, i): name i of `count`. */
struct globs_names {
  const char *(*name)(const void *of, int i);
  const void *of;
  int count;
};

/* Indices of the names that comma-separated patterns match, ascending, to be freed; globs NULL: all. *chosen: their number. NULL
 * after saying on stderr what is wrong; `program` and `option` begin the message. */
int *globs_choose(const struct globs_names *n, const char *globs, const char *program, const char *option,
                  int *chosen);

#endif
