/* SPDX-License-Identifier: MIT
 * Every OSC address of a configuration, described: as rows of the map for people, and as OSCQuery has it for programs. Set-up
 * only. */
#ifndef OSC_DESCRIBE_H
#define OSC_DESCRIBE_H

#include "osc/osc.h"
#include "wire/io_map.h"

/* Adds the rows in the order: commands and questions, inputs, streams. False when out of memory. */
bool osc_io_map(const struct osc_config *config, const struct signals *signals, struct io_map *map);

/* {"HOST_INFO": ..., "ROOT": ...}, both of which ali3-exporter serves. To be freed; NULL when out of memory. udp_port: that
 * listened on. */
char *osc_query_text(const struct osc_config *config, const struct signals *signals, int udp_port,
                     const char *instance);

#endif
