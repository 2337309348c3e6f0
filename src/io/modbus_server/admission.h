/* SPDX-License-Identifier: MIT
 * Distributes the connections of the Modbus server among hosts. No host holds more than half of the places, readers
 * never hold all of them, and a reader gives way to a writer. A silent connection gives way sooner: a PLC that restarts
 * leaves connections open that nobody closes. Pure: no socket, no clock. */
#ifndef ALI3_MODBUS_ADMISSION_H
#define ALI3_MODBUS_ADMISSION_H

#include "wire/peers.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  ADMISSION_MAX = 16,
  ADMISSION_OWN_SILENT_MS =
      1000, /* silence after which a connection gives way to another one of its own host */
  /* Silence after which a connection gives way to a host without a connection. */
  ADMISSION_OTHER_SILENT_MS = 5000,
};

struct admission {
  bool taken;
  uint8_t host[PEER_ADDRESS];
  enum access access;
  uint64_t heard_ns; /* time of the last request, or of the connection if there was none */
};

/* Chooses the place for a newcomer that connects at newcomer->heard_ns. The caller disconnects its present holder.
 * Returns -1 if there is no place.
 *   1. A host with half of the places (one at least) gets the place of its own connection that is silent for longest, for at
 *      least ADMISSION_OWN_SILENT_MS. A reader gets the place of a reader only.
 *   2. A free place; a reader does not get the last one if all other places are readers'.
 *   3. A writer gets the place of the reader that is silent for longest.
 *   4. A host without a connection gets the place of the connection that is silent for longest, for at least
 *      ADMISSION_OTHER_SILENT_MS. A reader gets the place of a reader only. */
int admission_choose(const struct admission *held, int count, const struct admission *newcomer);

#endif
