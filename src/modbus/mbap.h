/* SPDX-License-Identifier: MIT
 * The frame of Modbus TCP: finds the next request at the head of a byte buffer and says whether it is well
 * formed.
 *
 * Pure functions: no socket, no clock, no state, no allocation. What lies behind an address is not known
 * here. */
#ifndef ALI3_MODBUS_MBAP_H
#define ALI3_MODBUS_MBAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MBAP_HEADER = 7,    /* transaction 2, protocol 2, length 2, unit 1 */
  MBAP_ADU_MAX = 260, /* the longest frame there is */
};

enum mbap_function {
  MBAP_READ_COILS = 1,
  MBAP_READ_DISCRETE = 2,
  MBAP_READ_HOLDING = 3,
  MBAP_READ_INPUT = 4,
  MBAP_WRITE_COIL = 5,
  MBAP_WRITE_REGISTER = 6,
  MBAP_WRITE_COILS = 15,
  MBAP_WRITE_REGISTERS = 16,
  MBAP_MASK_WRITE = 22,
  MBAP_WRITE_AND_READ = 23,
  MBAP_ENCAPSULATED = 43, /* only with MEI type 14, device identification */
};

enum mbap_exception {
  MBAP_ILLEGAL_FUNCTION = 1,
  MBAP_ILLEGAL_ADDRESS = 2,
  MBAP_ILLEGAL_VALUE = 3,
  MBAP_DEVICE_FAILURE = 4,
  MBAP_BUSY = 6,
};

enum mbap_verdict {
  MBAP_MORE,  /* no whole frame yet: read on */
  MBAP_BAD,   /* not Modbus: the stream has lost its frames and cannot be trusted again */
  MBAP_FRAME, /* one whole frame; the request is filled in */
};

/* One request, taken apart. Counts are in registers or bits, 0 where the function does not read or does not
 * write. */
struct mbap_request {
  size_t length; /* bytes of the whole frame, header included */
  uint8_t function;
  uint8_t
      exception; /* 0, or what to answer: the PDU does not match its function; nothing below is then valid */
  uint16_t read_address, read_count;
  uint16_t write_address, write_count;
  const uint8_t
      *data; /* inside the buffer: the values to write; of an identification: code, object; of a mask:
                        and, or */
};

/* Looks at the n bytes of a stream that begin with a frame. */
enum mbap_verdict mbap_next(const uint8_t *bytes, size_t n, struct mbap_request *r);

/* Takes a PDU by itself apart, n >= 1 bytes from the function on, as it comes on a serial line. Its length is r->length. */
void mbap_pdu(const uint8_t *pdu, size_t n, struct mbap_request *r);

/* Value i < write_count of a request that writes registers, but for masks, and of one that writes coils. */
uint16_t mbap_register(const struct mbap_request *r, int i);
bool mbap_coil(const struct mbap_request *r, int i);
/* What a request that writes registers, by a mask or not, makes of one that holds `old`. */
uint16_t mbap_written(const struct mbap_request *r, int i, uint16_t old);

#endif
