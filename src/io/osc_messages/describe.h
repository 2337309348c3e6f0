/* SPDX-License-Identifier: MIT
 * Describes every OSC address of a configuration: as rows of the map for people, and as OSCQuery for programs. Set-up
 * only. */
#ifndef OSC_MESSAGES_DESCRIBE_H
#define OSC_MESSAGES_DESCRIBE_H

#include "osc_messages/config.h"
#include "signals/signals.h"
#include "wire/io_map.h"

/* Adds the rows in the order of the map: commands and questions, inputs, streams. Returns false when out of memory. */
bool osc_io_map(const struct osc_config *config, const struct signals *signals, struct io_map *map);

/* Returns {"HOST_INFO": ..., "ROOT": ...}; ali3-exporter serves both. udp_port is the port that the endpoint listens
 * on. The caller frees the text. NULL when out of memory. */
char *osc_query_text(const struct osc_config *config, const struct signals *signals, int udp_port,
                     const char *instance);

#endif
