/* SPDX-License-Identifier: MIT
 * What is served: one page for a request, made of a census. Knows no network. */
#ifndef ALI3_EXPORTER_PAGES_H
#define ALI3_EXPORTER_PAGES_H

#include "census.h"

#include <stddef.h>

struct request {
  const char *method, *path;
  const char *name;      /* of ?name=; NULL: not given */
  const char *attribute; /* of ?ATTRIBUTE, a word in capitals without a value; NULL: not given */
  bool bad_query;        /* anything else stood in the query, or a name that is none */
  bool has_body;
};

struct page {
  unsigned status; /* of HTTP */
  const char *type;
  char *text; /* to be freed; NULL: out of memory */
  size_t size;
};

void page_make(const struct request *r, const struct census *c, struct page *page);

#endif
