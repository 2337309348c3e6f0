/* SPDX-License-Identifier: MIT
 * Packets for whoever programs the other side: every field with its place, type and meaning. Set-up only. */
#ifndef PACKETS_SHEET_H
#define PACKETS_SHEET_H

#include "signals/signals.h"
#include "wire/packet.h"

#include <stdio.h>

/* A table for people. */
void packet_sheet_print(const struct packet *packet, int packets, const struct signals *signals, FILE *out);
/* A list of JSON objects, [{"packet": ..., "at": ...}, ...], a line for each field. */
void packet_sheet_print_json(const struct packet *packet, int packets, const struct signals *signals,
                             FILE *out);

#endif
