/* SPDX-License-Identifier: MIT
 * This file checks every length that a client claims against the bytes present, so that no later code has to trust one:
 * libmodbus 3.1.6 ignores the protocol id and the length of a frame. */
#include "modbus_server/mbap.h"

enum {
  LENGTH_END = 6, /* bytes up to the end of the length field, which counts the bytes after it */
  LENGTH_MIN = 2, /* unit and function */
  LENGTH_MAX = MBAP_ADU_MAX - LENGTH_END,

  READ_BITS_MAX = 2000,
  READ_REGISTERS_MAX = 125,
  WRITE_BITS_MAX = 1968,
  WRITE_REGISTERS_MAX = 123,
  BOTH_WRITE_MAX = 121, /* maximum of a write-and-read */

  MEI_DEVICE_IDENTIFICATION = 14,
};

static uint16_t read_word(const uint8_t *p)
{
  return (uint16_t)(p[0] << 8 | p[1]);
}

static int parse_read(struct mbap_request *r, const uint8_t *pdu, size_t n, int max)
{
  if (n != 5) return MBAP_ILLEGAL_VALUE;
  r->read_address = read_word(pdu + 1);
  r->read_count = read_word(pdu + 3);
  return r->read_count >= 1 && r->read_count <= max ? 0 : MBAP_ILLEGAL_VALUE;
}

static int parse_single_write(struct mbap_request *r, const uint8_t *pdu, size_t n)
{
  if (n != 5) return MBAP_ILLEGAL_VALUE;
  r->write_address = read_word(pdu + 1);
  r->write_count = 1;
  r->data = pdu + 3;
  if (r->function != MBAP_WRITE_COIL) return 0;
  return read_word(r->data) == 0xff00 || read_word(r->data) == 0 ? 0 : MBAP_ILLEGAL_VALUE;
}

/* address 2, count 2, bytes 1, values of `bits` bits each. The bytes must fill the PDU exactly. */
static int parse_block_write(struct mbap_request *r, const uint8_t *at, const uint8_t *end, int bits, int max)
{
  if (end - at < 5) return MBAP_ILLEGAL_VALUE;
  r->write_address = read_word(at);
  r->write_count = read_word(at + 2);
  r->data = at + 5;
  if (r->write_count < 1 || r->write_count > max) return MBAP_ILLEGAL_VALUE;
  const int bytes = (int)(end - r->data); /* exactly the bytes that the values need */
  if (at[4] != bytes || r->write_count > 8 * bytes / bits) return MBAP_ILLEGAL_VALUE;
  return r->write_count > 8 * (bytes - 1) / bits ? 0 : MBAP_ILLEGAL_VALUE;
}

/* address 2, and-mask 2, or-mask 2 */
static int parse_mask_write(struct mbap_request *r, const uint8_t *pdu, size_t n)
{
  if (n != 7) return MBAP_ILLEGAL_VALUE;
  r->write_address = read_word(pdu + 1);
  r->write_count = 1;
  r->data = pdu + 3;
  return 0;
}

static int parse_write_and_read(struct mbap_request *r, const uint8_t *pdu, size_t n)
{
  if (n < 10) return MBAP_ILLEGAL_VALUE;
  int e = parse_read(r, pdu, 5, READ_REGISTERS_MAX);
  return e ? e : parse_block_write(r, pdu + 5, pdu + n, 16, BOTH_WRITE_MAX);
}

/* Returns 0, or the exception to answer. */
static int parse_pdu(struct mbap_request *r, const uint8_t *pdu, size_t n)
{
  /* Each function has its own layout and limit of values. */
  switch (r->function) {
  case MBAP_READ_COILS:
  case MBAP_READ_DISCRETE:
    return parse_read(r, pdu, n, READ_BITS_MAX);
  case MBAP_READ_HOLDING:
  case MBAP_READ_INPUT:
    return parse_read(r, pdu, n, READ_REGISTERS_MAX);
  case MBAP_WRITE_COIL:
  case MBAP_WRITE_REGISTER:
    return parse_single_write(r, pdu, n);
  case MBAP_WRITE_COILS:
    return parse_block_write(r, pdu + 1, pdu + n, 1, WRITE_BITS_MAX);
  case MBAP_WRITE_REGISTERS:
    return parse_block_write(r, pdu + 1, pdu + n, 16, WRITE_REGISTERS_MAX);
  case MBAP_MASK_WRITE:
    return parse_mask_write(r, pdu, n);
  case MBAP_WRITE_AND_READ:
    return parse_write_and_read(r, pdu, n);
  case MBAP_REPORT_SERVER:
    return n == 1 ? 0 : MBAP_ILLEGAL_VALUE;
  case MBAP_ENCAPSULATED:
    if (n < 2 || pdu[1] != MEI_DEVICE_IDENTIFICATION) return MBAP_ILLEGAL_FUNCTION;
    r->data = pdu + 2;
    return n == 4 ? 0 : MBAP_ILLEGAL_VALUE;
  default:
    return MBAP_ILLEGAL_FUNCTION;
  }
}

enum mbap_verdict mbap_next(const uint8_t *bytes, size_t n, struct mbap_request *r)
{
  if (n >= 4 && read_word(bytes + 2) != 0) return MBAP_BAD;
  if (n < LENGTH_END) return MBAP_MORE;
  size_t length = read_word(bytes + 4);
  if (length < LENGTH_MIN || length > LENGTH_MAX) return MBAP_BAD;
  /* Function codes from 128 on are answers. A client sends none, and an exception to one would look like a normal
   * answer. */
  if (n > MBAP_HEADER && bytes[MBAP_HEADER] >= 128) return MBAP_BAD;
  if (n < LENGTH_END + length) return MBAP_MORE;

  mbap_pdu(bytes + MBAP_HEADER, length - 1, r);
  r->length = LENGTH_END + length;
  return MBAP_FRAME;
}

void mbap_pdu(const uint8_t *pdu, size_t n, struct mbap_request *r)
{
  *r = (struct mbap_request){.length = n, .function = pdu[0], .data = pdu};
  r->exception = (uint8_t)parse_pdu(r, pdu, n);
  if (r->exception != 0) r->read_count = r->write_count = 0; /* a refused request reads and writes nothing */
}

uint16_t mbap_register(const struct mbap_request *r, int i)
{
  return read_word(r->data + 2 * (ptrdiff_t)i);
}

uint16_t mbap_written(const struct mbap_request *r, int i, uint16_t old)
{
  if (r->function != MBAP_MASK_WRITE) return mbap_register(r, i);
  const uint16_t keep = read_word(r->data), set = read_word(r->data + 2);
  return (uint16_t)((old & keep) | (set & ~keep));
}

bool mbap_coil(const struct mbap_request *r, int i)
{
  if (r->function == MBAP_WRITE_COIL) return r->data[0] != 0;
  return r->data[i / 8] >> (i % 8) & 1;
}
