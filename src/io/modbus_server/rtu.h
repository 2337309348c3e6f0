/* SPDX-License-Identifier: MIT
 * The frame of Modbus RTU: finds the next request for this unit among the bytes of a line, on which requests to other
 * units and their answers also appear. Pure functions, like mbap.h.
 *
 * The standard separates frames by silence, but an ordinary thread sees bytes too late for that. Here a frame ends
 * where its function code says, with the right CRC. Silence only ends bytes that never became a frame. */
#ifndef ALI3_MODBUS_RTU_H
#define ALI3_MODBUS_RTU_H

#include "modbus_server/mbap.h"

enum {
  RTU_ADU_MAX = 256, /* longest frame of the specification: unit, PDU, CRC */
  RTU_BROADCAST = 0, /* unit of a broadcast: acted on, never answered */
};

enum rtu_verdict {
  RTU_MORE,  /* no complete frame yet: read on; at most RTU_ADU_MAX bytes are there */
  RTU_BAD,   /* no frame begins with the first byte: drop it */
  RTU_OTHER, /* a frame for or from another unit, of *length bytes */
  RTU_FRAME, /* a request for this unit, filled in; *length is its length with unit and CRC */
};

/* Judges the n > 0 bytes that have come. `quiet`: the line has been silent since. */
enum rtu_verdict rtu_next(const uint8_t *bytes, size_t n, int unit, bool quiet, struct mbap_request *r,
                          size_t *length);

#endif
