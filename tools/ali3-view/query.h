/* SPDX-License-Identifier: MIT
 * What a request asks for, from the texts of its query. Everything that a stranger sends passes here first. */
#ifndef ALI3_VIEW_QUERY_H
#define ALI3_VIEW_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#define QUERY_HISTORY_MOST 3600.0 /* s */

enum { QUERY_NAME = 64, QUERY_SIGNALS = 2048, QUERY_DENSE_MOST = 64 };

#define QUERY_RATE_LEAST 1.0
#define QUERY_RATE_MOST  100.0

struct query {
  char name[QUERY_NAME]; /* instance; "": the newest */
  bool pose, platform, loop, events;
  char signals[QUERY_SIGNALS]; /* names or globs with commas: values of every frame */
  char dense[QUERY_SIGNALS];   /* names or globs with commas: values of every cycle */
  double rate;                 /* Hz */
  double seek;                 /* s since the first cycle of a recording; below 0: from the start */
  double speed;                /* of a recording; 1: as recorded */
  double history;              /* s before the begin, from which `dense` gets its values, too */
  int shape;                   /* whose mesh is wanted; -1: none */
};

/* pose and 30 Hz */
struct query query_default(void);
/* One key of a query, with its value. False: there is no such key, or its value is not allowed; `why` gets the reason. The texts
 * are not NUL-terminated. */
bool query_add(struct query *q, const char *key, size_t key_size, const char *value, size_t value_size,
               char *why, size_t why_size);
/* True if a name is one of these names or globs with commas. */
bool query_matches(const char *globs, const char *name);

#endif
