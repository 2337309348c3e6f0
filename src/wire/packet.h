/* SPDX-License-Identifier: MIT
 * Binary packets of a fixed layout, for controllers that speak neither OSC nor Modbus: what stands where, and where it is sent.
 * Shared by who reads the configuration, who sends, and who prints the map. Pure. */
#ifndef WIRE_PACKET_H
#define WIRE_PACKET_H

#include "wire/serial.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers first, integers in two's complement, floats of IEEE 754; then what is no number; then checksums of the bytes before.
 * 0 bytes: as many as the field says. */
#define PACKET_TYPE_LIST(X)                                                                                  \
  X(PACKET_U8, "u8", 1)                                                                                      \
  X(PACKET_I8, "i8", 1)                                                                                      \
  X(PACKET_U16, "u16", 2)                                                                                    \
  X(PACKET_I16, "i16", 2)                                                                                    \
  X(PACKET_U24, "u24", 3)                                                                                    \
  X(PACKET_I24, "i24", 3)                                                                                    \
  X(PACKET_U32, "u32", 4)                                                                                    \
  X(PACKET_I32, "i32", 4)                                                                                    \
  X(PACKET_U64, "u64", 8)                                                                                    \
  X(PACKET_F32, "f32", 4)                                                                                    \
  X(PACKET_F64, "f64", 8)                                                                                    \
  X(PACKET_ZEROS, "zeros", 0)                                                                                \
  X(PACKET_BYTES, "bytes", 0)                                                                                \
  X(PACKET_SUM8, "sum8", 1)          /* sum modulo 256 */                                                    \
  X(PACKET_XOR8, "xor8", 1)          /* exclusive or */                                                      \
  X(PACKET_CRC16, "crc16_modbus", 2) /* CRC-16/MODBUS */                                                     \
  X(PACKET_CRC32, "crc32", 4)        /* of IEEE 802.3, that of zlib */
enum packet_type {
#define PACKET_ENUM(id, text, bytes) id,
  PACKET_TYPE_LIST(PACKET_ENUM)
#undef PACKET_ENUM
};

const char *packet_type_name(enum packet_type type);
int packet_type_size(enum packet_type type); /* bytes; 0: the field says */

static inline bool packet_is_number(enum packet_type type)
{
  return type <= PACKET_F64;
}
static inline bool packet_is_float(enum packet_type type)
{
  return type == PACKET_F32 || type == PACKET_F64;
}
static inline bool packet_is_signed(enum packet_type type)
{
  return type == PACKET_I8 || type == PACKET_I16 || type == PACKET_I24 || type == PACKET_I32;
}
static inline bool packet_is_checksum(enum packet_type type)
{
  return type >= PACKET_SUM8;
}

/* The range of a type, as doubles: above that of u64 by one. Of a float the largest finite ones. */
double packet_lowest(enum packet_type type);
double packet_highest(enum packet_type type);

/* Where a number comes from. */
enum packet_source {
  PACKET_SIGNAL,
  PACKET_VALUE, /* it is always the same */
  PACKET_COUNTER, /* number of the packet, from 0: counts those that could not be sent, so that they are missed; wraps */
  PACKET_TIME,  /* since the first frame, in units; wraps */
  PACKET_CYCLE, /* of the head of the frame; wraps */
  PACKET_STATE,
  PACKET_FLAGS,
  PACKET_FAULT,
};

struct packet_field {
  enum packet_type type;
  bool little;  /* least significant byte first */
  int at, size; /* first byte in the packet, bytes */

  enum packet_source source; /* of a number */
  int signal;                /* index in the signal table */
  double scale, offset;      /* of a signal: its value is scale * what is sent + offset; scale is not 0 */
  double value;              /* what is sent, of PACKET_VALUE; else where the table has nothing */
  double (*table)[2];        /* (pairs) whole value and what is sent for it, rising; NULL: no table */
  int pairs;
  uint64_t unit_ns; /* of PACKET_TIME */

  uint8_t *bytes; /* (size) of PACKET_BYTES */
  int from;       /* of a checksum: first byte it covers; it ends before itself */
};

/* What fits in an Ethernet frame of 1500 bytes over IPv4. */
enum { PACKET_BYTES_MAX = 1472, PACKETS_MAX = 16 };

struct packet {
  char *name;
  struct remote_place place;
  int divisor;                /* every n-th cycle */
  struct packet_field *field; /* (fields) one after the other, without gaps */
  int fields;
  int size; /* bytes */
};

/* "moog to 10.0.0.7:991", "rig on /dev/ttyUSB0 115200 8N1": for people. */
void packet_place_text(const struct packet *p, char *text, int size);

/* Of all packets; of NULL nothing. */
void packets_release(struct packet *packet, int packets);

#endif
