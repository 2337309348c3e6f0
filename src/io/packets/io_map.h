/* SPDX-License-Identifier: MIT
 * Describes packets for the programmer of the receiver: every field with its offset, type and meaning. Set-up only. */
#ifndef PACKETS_IO_MAP_H
#define PACKETS_IO_MAP_H

#include "signals/signals.h"
#include "wire/io_map.h"
#include "wire/packet.h"

/* Adds a row for every field. Returns false when out of memory. */
bool packets_io_map(const struct packet *packet, int packets, const struct signals *signals,
                    struct io_map *map);

#endif
