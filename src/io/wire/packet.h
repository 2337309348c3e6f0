/* SPDX-License-Identifier: MIT
 * Binary packets of a fixed layout, for controllers that speak neither OSC nor Modbus: their fields, and where they go or
 * come from. Used by the configuration, the endpoint and the map. Pure. */
#ifndef WIRE_PACKET_H
#define WIRE_PACKET_H

#include "wire/serial.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers first: integers in two's complement, floats of IEEE 754. Then other bytes, then checksums of the preceding
 * bytes. 0 bytes: the field gives its size. */
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
  X(PACKET_CRC32, "crc32", 4)        /* CRC-32 of IEEE 802.3, as in zlib */
enum packet_type {
#define PACKET_ENUM(id, text, bytes) id,
  PACKET_TYPE_LIST(PACKET_ENUM)
#undef PACKET_ENUM
};

const char *packet_type_name(enum packet_type type);
int packet_type_size(enum packet_type type); /* in bytes; 0: the field gives its size */

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

/* The range of a type, as doubles: for u64 the next double above its maximum, for a float the largest finite values. */
double packet_lowest(enum packet_type type);
double packet_highest(enum packet_type type);

/* The source of a number. */
enum packet_source {
  PACKET_SIGNAL, /* in a received packet: a channel of an input */
  PACKET_VALUE,  /* a constant; a received packet without it is refused */
  PACKET_COUNTER, /* number of the packet, from 0; a skipped packet counts, so that the receiver sees the gap; wraps */
  PACKET_TIME,  /* time since the first frame, in units; wraps */
  PACKET_CYCLE, /* cycle of the frame; wraps */
  PACKET_STATE,
  PACKET_FLAGS,
  PACKET_FAULT,
};

struct packet_field {
  enum packet_type type;
  bool little;  /* least significant byte first */
  int at, size; /* first byte in the packet, bytes */

  enum packet_source source; /* source of a number */
  int signal;                /* index in the signal table */
  double scale, offset;      /* for a signal: value = scale * number + offset; scale is not 0 */
  /* the constant of PACKET_VALUE; for other sources the number for a value that the table lacks */
  double value;
  double (*table)[2]; /* (pairs) integer value and the number sent for it, ascending; NULL: no table */
  int pairs;
  uint64_t unit_ns; /* unit of PACKET_TIME, ns */
  bool
      stands_in; /* while the motion of the platform is withheld, the number `stand_in` is sent for the signal */
  double stand_in;

  uint8_t *bytes; /* (size) content of PACKET_BYTES */
  int from;       /* first byte that a checksum covers; the last one is the byte before it */
};

/* An Ethernet frame of 1500 bytes over IPv4 holds this many bytes. */
enum { PACKET_BYTES_MAX = 1472, PACKETS_MAX = 16 };

struct packet {
  char *name;
  struct remote_config remote;
  bool received; /* place.host is its sender, place.port the port on which it arrives; false: it is sent */
  const struct packet
      *answers;  /* the sent packet at whose socket this one arrives, with its place; NULL: none */
  bool answered; /* a received packet answers this one */
  int divisor;   /* sent every n-th cycle */
  struct packet_field *field; /* (fields) in order, without gaps */
  int fields;
  int size; /* bytes */
};

/* "moog to 10.0.0.7:991", "echo from 10.0.0.7 on port 991", "echo from 10.0.0.7 in answer to moog",
 * "rig on /dev/ttyUSB0 115200 8N1": for people. */
void packet_place_text(const struct packet *p, char *text, int size);

/* Releases all packets; NULL is allowed. */
void packets_release(struct packet *packet, int packets);

#endif
