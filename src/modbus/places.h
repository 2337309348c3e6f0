/* SPDX-License-Identifier: MIT
 * Who gets a place among the connections of the Modbus server. No host holds more than half of the places, readers never hold
 * all of them, and a reader gives way to a writer. A connection that says nothing gives way sooner: a PLC that starts again
 * leaves connections behind that nobody closed. Pure: no socket, no clock. */
#ifndef ALI3_MODBUS_PLACES_H
#define ALI3_MODBUS_PLACES_H

#include "wire/peers.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  PLACES_MAX = 16,
  PLACES_OWN_SILENT_MS = 1000,   /* gives way to another connection of its own host, */
  PLACES_OTHER_SILENT_MS = 5000, /* and to a host that has none, after so long a silence */
};

struct place {
  bool taken;
  uint8_t host[PEER_ADDRESS];
  enum access access;
  uint64_t heard_ns; /* last request; the connection itself, where there was none */
};

/* The place for a newcomer who connects at newcomer->heard_ns; its holder, if it has one, is to be disconnected. -1: none.
 *   1. A host with half of the places (one at least) gets the place of its own connection that is silent for longest, for at
 *      least PLACES_OWN_SILENT_MS.
 *   2. A free place; not for a reader if then all places were readers'.
 *   3. A writer: the place of the reader that is silent for longest.
 *   4. A host without a connection: the place of the connection that is silent for longest, for at least PLACES_OTHER_SILENT_MS;
 *      for a reader, that of a reader. */
int places_choose(const struct place *place, int count, const struct place *newcomer);

#endif
