/* SPDX-License-Identifier: MIT
 * Makes Modbus TCP requests for tests, byte by byte from the specification and without the tested code. */
#ifndef TESTS_IO_MODBUS_FRAME_H
#define TESTS_IO_MODBUS_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FRAME_MAX = 600, FRAME_UNIT = 17 }; /* any unit is served: an unusual one */

static inline uint8_t *frame_word(uint8_t *at, int v)
{
  at[0] = (uint8_t)(v >> 8);
  at[1] = (uint8_t)v;
  return at + 2;
}

/* The frame around a PDU of n bytes. */
static inline size_t frame_pdu(uint8_t *frame, int transaction, const uint8_t *pdu, size_t n)
{
  uint8_t *at = frame_word(frame, transaction);
  at = frame_word(at, 0);
  at = frame_word(at, (int)n + 1);
  *at++ = FRAME_UNIT;
  memcpy(at, pdu, n);
  return n + 7;
}

/* FC 1-6: function, address, and a count or a value. */
static inline size_t frame_short(uint8_t *frame, int transaction, int function, int address, int value)
{
  uint8_t pdu[5] = {(uint8_t)function};
  frame_word(frame_word(pdu + 1, address), value);
  return frame_pdu(frame, transaction, pdu, sizeof pdu);
}

/* FC 16 */
static inline size_t frame_write(uint8_t *frame, int transaction, int address, const uint16_t *value,
                                 int count)
{
  uint8_t pdu[253] = {16}, *at = frame_word(frame_word(pdu + 1, address), count);
  *at++ = (uint8_t)(2 * count);
  for (int i = 0; i < count; i++) at = frame_word(at, value[i]);
  return frame_pdu(frame, transaction, pdu, (size_t)(at - pdu));
}

/* FC 23 */
static inline size_t frame_write_and_read(uint8_t *frame, int transaction, int read, int reads, int address,
                                          const uint16_t *value, int count)
{
  uint8_t pdu[253] = {23}, *at = frame_word(frame_word(pdu + 1, read), reads);
  at = frame_word(frame_word(at, address), count);
  *at++ = (uint8_t)(2 * count);
  for (int i = 0; i < count; i++) at = frame_word(at, value[i]);
  return frame_pdu(frame, transaction, pdu, (size_t)(at - pdu));
}

/* FC 22 */
static inline size_t frame_mask(uint8_t *frame, int transaction, int address, int keep, int set)
{
  uint8_t pdu[7] = {22};
  frame_word(frame_word(frame_word(pdu + 1, address), keep), set);
  return frame_pdu(frame, transaction, pdu, sizeof pdu);
}

/* FC 15, at most 16 coils */
static inline size_t frame_coils(uint8_t *frame, int transaction, int address, unsigned bits, int count)
{
  uint8_t pdu[8] = {15}, *at = frame_word(frame_word(pdu + 1, address), count);
  *at++ = (uint8_t)((count + 7) / 8);
  *at++ = (uint8_t)bits;
  if (count > 8) *at++ = (uint8_t)(bits >> 8);
  return frame_pdu(frame, transaction, pdu, (size_t)(at - pdu));
}

/* A float in two registers, high word first, and back. */
static inline void frame_put_float(uint16_t *at, double v)
{
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  at[0] = (uint16_t)(bits >> 16);
  at[1] = (uint16_t)bits;
}
static inline float frame_get_float(const uint16_t *at)
{
  uint32_t bits = (uint32_t)at[0] << 16 | at[1];
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* CRC of n bytes of a serial line: the polynomial, bit by bit. */
static inline uint16_t frame_crc(const uint8_t *bytes, size_t n)
{
  uint16_t crc = 0xffff;
  for (size_t i = 0; i < 8 * n; i++) {
    if (i % 8 == 0) crc = (uint16_t)(crc ^ bytes[i / 8]);
    int out = crc & 1;
    crc = (uint16_t)(crc >> 1);
    if (out) crc = (uint16_t)(crc ^ 0xa001);
  }
  return crc;
}

/* Makes an RTU frame for a unit from a TCP frame of n bytes. Returns its length. */
static inline size_t frame_rtu(uint8_t *rtu, int unit, const uint8_t *frame, size_t n)
{
  size_t length = n - 6;
  memmove(rtu, frame + 6, length);
  rtu[0] = (uint8_t)unit;
  uint16_t crc = frame_crc(rtu, length);
  rtu[length] = (uint8_t)crc;
  rtu[length + 1] = (uint8_t)(crc >> 8);
  return length + 2;
}

#endif
