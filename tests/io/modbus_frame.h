/* SPDX-License-Identifier: MIT
 * Makes Modbus TCP requests for tests, byte by byte as in the specification and with no help from what is
 * tested. */
#ifndef TESTS_IO_MODBUS_FRAME_H
#define TESTS_IO_MODBUS_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FRAME_MAX = 600, FRAME_UNIT = 17 }; /* any unit is served: take one nobody would think of */

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

/* FC 15, at most 16 coils */
static inline size_t frame_coils(uint8_t *frame, int transaction, int address, unsigned bits, int count)
{
  uint8_t pdu[8] = {15}, *at = frame_word(frame_word(pdu + 1, address), count);
  *at++ = (uint8_t)((count + 7) / 8);
  *at++ = (uint8_t)bits;
  if (count > 8) *at++ = (uint8_t)(bits >> 8);
  return frame_pdu(frame, transaction, pdu, (size_t)(at - pdu));
}

#endif
