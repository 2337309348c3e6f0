/* SPDX-License-Identifier: MIT
 * Numbers in registers of 16 bits: types, word orders, scales, and the register of each signal. Used by the Modbus
 * server, the Modbus client and the map. Pure. */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_TYPE_LIST(X)                                                                                    \
  X(WIRE_F32, "f32", 2)                                                                                      \
  X(WIRE_F64, "f64", 4)                                                                                      \
  X(WIRE_U16, "u16", 1)                                                                                      \
  X(WIRE_I16, "i16", 1)                                                                                      \
  X(WIRE_U32, "u32", 2)                                                                                      \
  X(WIRE_I32, "i32", 2)                                                                                      \
  X(WIRE_BIT, "bit", 1)
enum wire_type {
#define WIRE_ENUM(id, text, registers) id,
  WIRE_TYPE_LIST(WIRE_ENUM)
#undef WIRE_ENUM
};

/* The sequence in two registers of the bytes of a 32-bit number ABCD, A the most significant. Numbers of 64 bits have
 * four registers in the corresponding sequence. */
#define WIRE_ORDER_LIST(X)                                                                                   \
  X(WIRE_ABCD, "abcd") /* high word first */                                                                 \
  X(WIRE_CDAB, "cdab") /* low word first */                                                                  \
  X(WIRE_BADC, "badc") /* high word first, the bytes of each word swapped */                                 \
  X(WIRE_DCBA, "dcba") /* low word first, the bytes of each word swapped */
enum wire_order {
#define WIRE_ENUM(id, text) id,
  WIRE_ORDER_LIST(WIRE_ENUM)
#undef WIRE_ENUM
};

const char *wire_type_name(enum wire_type type);
const char *wire_order_name(enum wire_order order);
int wire_registers(enum wire_type type); /* registers of a number; 1 for a bit */

/* A number on the wire: value in SI units = scale * number + offset. */
struct wire {
  enum wire_type type;
  enum wire_order order;
  double scale, offset; /* scale is not 0 */
};

/* The result of encoding a value. */
enum wire_fit {
  /* no number fits: NaN, the largest unsigned or smallest signed integer, or the bit 0 is in the registers */
  WIRE_NO_VALUE,
  WIRE_CLAMPED, /* the registers hold the nearest end of their range */
  WIRE_FITS,
};

/* Encodes a value in SI units. An integer is rounded and clamped to its range. NaN has no value; in a float an infinite
 * or too large value has none either. A bit is 1 if the value is not 0. */
enum wire_fit wire_put(const struct wire *w, double value, uint16_t *at);

/* The least and the largest value in SI units that the registers can hold. Returns false for a float or a bit. */
bool wire_range(const struct wire *w, double *least, double *largest);

/* Decodes registers to SI units. The result is NaN or infinite only for a float that is. */
double wire_get(const struct wire *w, const uint16_t *at);

/* The four tables of a Modbus device and the functions that access them. */
#define WIRE_TABLE_LIST(X)                                                                                   \
  X(TABLE_COIL, "coil")         /* FC 1, 5, 15: bits, read and written */                                    \
  X(TABLE_DISCRETE, "discrete") /* FC 2: bits, read */                                                       \
  X(TABLE_HOLDING, "holding")   /* FC 3, 6, 16, 22, 23: registers, read and written */                       \
  X(TABLE_INPUT, "input")       /* FC 4: registers, read */
enum wire_table {
#define WIRE_ENUM(id, text) id,
  WIRE_TABLE_LIST(WIRE_ENUM)
#undef WIRE_ENUM
};
const char *wire_table_name(enum wire_table table);

/* A signal in a table of a Modbus device. */
struct wired {
  int signal; /* index in the signal table */
  /* An input channel: the loop gets the register's number. false: the register shows the signal. */
  bool input;
  enum wire_table table;
  int address; /* zero-based address of its first register or bit */
  struct wire wire;
  /* SI value that is written instead of the signal while the mechanism does not run; NaN: the signal. */
  double safe;
};

/* A map: sorted by table and address, disjoint. */
struct wiring {
  struct wired *item; /* (count) */
  int count;
};

#endif
