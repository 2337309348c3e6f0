/* SPDX-License-Identifier: MIT
 * The OSC address space of one daemon, by the OSCQuery proposal: a node, an attribute of it, and HOST_INFO. The daemon
 * has put it beside its telemetry. */
#ifndef ALI3_EXPORTER_OSCQUERY_H
#define ALI3_EXPORTER_OSCQUERY_H

#include "pages.h"

/* only: the instance; NULL: the newest. */
void oscquery_page(const struct request *r, const char *only, struct page *page);
/* Makes the page from a description; NULL: the daemon has none. */
void oscquery_of(const struct request *r, const char *description, struct page *page);

#endif
