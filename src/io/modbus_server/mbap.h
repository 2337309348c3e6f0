/* SPDX-License-Identifier: MIT
 * The frame of Modbus TCP: finds the next request at the head of a byte buffer and checks its form.
 *
 * Pure functions: no socket, no clock, no state, no allocation. They do not know which addresses exist. */
#ifndef ALI3_MODBUS_MBAP_H
#define ALI3_MODBUS_MBAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MBAP_HEADER = 7,    /* transaction 2, protocol 2, length 2, unit 1 */
  MBAP_ADU_MAX = 260, /* longest frame of the specification */
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
  MBAP_REPORT_SERVER = 17,
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
  MBAP_MORE,  /* no complete frame yet: read on */
  MBAP_BAD,   /* not Modbus: the position in the stream is lost, close the connection */
  MBAP_FRAME, /* one complete frame; the request is filled in */
};

/* One parsed request. Counts are in registers or bits, 0 if the function does not read or does not write. */
struct mbap_request {
  size_t length; /* bytes of the complete frame with its header */
  uint8_t function;
  /* 0, or the exception to answer if the PDU does not match its function; the fields below are then invalid */
  uint8_t exception;
  uint16_t read_address, read_count;
  uint16_t write_address, write_count;
  const uint8_t *data; /* inside the buffer: values to write; identification: code, object; mask: and, or */
};

/* Parses the first frame of the n bytes of a stream. */
enum mbap_verdict mbap_next(const uint8_t *bytes, size_t n, struct mbap_request *r);

/* Parses a PDU, n >= 1 bytes from the function code on, as on a serial line. Its length is r->length. */
void mbap_pdu(const uint8_t *pdu, size_t n, struct mbap_request *r);

/* Value i < write_count of a request that writes registers (not by a mask), or of one that writes coils. */
uint16_t mbap_register(const struct mbap_request *r, int i);
bool mbap_coil(const struct mbap_request *r, int i);
/* The new value of a register that holds `old`, for a request that writes registers or masks one. */
uint16_t mbap_written(const struct mbap_request *r, int i, uint16_t old);

#endif
