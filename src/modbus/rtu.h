/* SPDX-License-Identifier: MIT
 * The frame of Modbus RTU: finds the next request for us among the bytes of a line, on which other units are asked and answer,
 * too. Pure functions, as of mbap.h.
 *
 * By the standard frames are told apart by silence; an ordinary thread learns of bytes too late for that. Here a frame ends
 * where its function says so, with the right CRC; silence only ends what never became a frame. */
#ifndef ALI3_MODBUS_RTU_H
#define ALI3_MODBUS_RTU_H

#include "modbus/mbap.h"

enum {
  RTU_ADU_MAX = 256, /* the longest frame there is: unit, PDU, CRC */
  RTU_BROADCAST = 0, /* the unit that all are: acted on, never answered */
};

enum rtu_verdict {
  RTU_MORE,  /* no whole frame yet: read on; there are at most RTU_ADU_MAX bytes */
  RTU_BAD,   /* no frame begins with the first byte: drop it */
  RTU_OTHER, /* a frame of others, of *length bytes */
  RTU_FRAME, /* a request for us; its length with unit and CRC is *length, and the request is filled in */
};

/* Looks at the n > 0 bytes that have come. quiet: the line has fallen silent behind them. */
enum rtu_verdict rtu_next(const uint8_t *bytes, size_t n, int unit, bool quiet, struct mbap_request *r,
                          size_t *length);

#endif
