/* SPDX-License-Identifier: MIT
 * Checksums of packets and frames. Pure. */
#ifndef BASE_CRC_H
#define BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3, as in zlib: crc32_ieee("123456789") is 0xcbf43926. */
uint32_t crc32_ieee(const uint8_t *data, size_t n);

/* CRC-16/MODBUS: crc16_modbus("123456789") is 0x4b37. Sent low byte first. */
static inline uint16_t crc16_modbus(const uint8_t *data, size_t n)
{
  unsigned crc = 0xffff;
  for (size_t i = 0; i < n; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
  }
  return (uint16_t)crc;
}

#endif
