/* SPDX-License-Identifier: MIT
 * Packets for whoever programs the other side: every field with its place, type and meaning. Set-up only. */
#ifndef PACKETS_SHEET_H
#define PACKETS_SHEET_H

#include "signals/signals.h"
#include "wire/packet.h"
#include "wire/sheet.h"

/* Adds a row for every field. False when out of memory. */
bool packets_sheet(const struct packet *packet, int packets, const struct signals *signals,
                   struct sheet *sheet);

#endif
