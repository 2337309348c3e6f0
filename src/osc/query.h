/* SPDX-License-Identifier: MIT
 * The address space as OSCQuery describes it: {"HOST_INFO": ..., "ROOT": ...}. ali3-exporter serves both. Set-up only. */
#ifndef OSC_QUERY_H
#define OSC_QUERY_H

#include "osc/osc.h"

/* To be freed; NULL when out of memory. udp_port: that listened on. */
char *osc_query_text(const struct osc_config *config, const struct signals *signals, int udp_port,
                     const char *instance);

#endif
