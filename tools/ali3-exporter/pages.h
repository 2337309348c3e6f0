/* SPDX-License-Identifier: MIT
 * The pages: made from a request and a census. Knows no network. */
#ifndef ALI3_EXPORTER_PAGES_H
#define ALI3_EXPORTER_PAGES_H

#include "census.h"

#include <stddef.h>

struct request {
  const char *method, *path;
  const char *name;      /* of ?name=; NULL: not given */
  const char *attribute; /* from ?ATTRIBUTE, a word in capitals without a value; NULL: not given */
  bool bad_query;        /* the query had something else, or an invalid name */
  bool has_body;
};

struct page {
  unsigned status; /* HTTP status */
  const char *type;
  char *text; /* the caller frees it; NULL: out of memory */
  size_t size;
};

void page_make(const struct request *r, const struct census *c, struct page *page);

#endif
