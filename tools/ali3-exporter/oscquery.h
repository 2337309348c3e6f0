/* SPDX-License-Identifier: MIT
 * The OSC address space of one daemon, as the OSCQuery proposal has it: the node at a path, an attribute of it, and
 * HOST_INFO. Read from what the daemon has put beside its telemetry. */
#ifndef ALI3_EXPORTER_OSCQUERY_H
#define ALI3_EXPORTER_OSCQUERY_H

#include "pages.h"

/* only: the instance; NULL: the one started last. */
void oscquery_page(const struct request *r, const char *only, struct page *page);
/* Of a description; NULL: the daemon there has none. Does not look for one. */
void oscquery_of(const struct request *r, const char *description, struct page *page);

#endif
