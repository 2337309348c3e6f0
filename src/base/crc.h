/* SPDX-License-Identifier: MIT
 * Checksums of packets and frames. Pure. */
#ifndef BASE_CRC_H
#define BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3, as in zlib: crc32_ieee("123456789") is 0xcbf43926. */
static inline uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
  /* one entry for each value of four bits */
  static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                     0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < n; i++) {
    crc ^= data[i];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

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
