/* SPDX-License-Identifier: MIT
 * Numbers in registers of 16 bits: types, word orders, units, and which signal stands where. Used by the Modbus server, by
 * the client that polls devices, and by whoever prints the map. Pure. */
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

/* The bytes of a 32-bit number ABCD, A the most significant, as they follow each other in two registers; 64 bits likewise. */
#define WIRE_ORDER_LIST(X)                                                                                   \
  X(WIRE_ABCD, "abcd") /* high word first */                                                                 \
  X(WIRE_CDAB, "cdab") /* low word first */                                                                  \
  X(WIRE_BADC, "badc") /* high word first, the bytes of each word swapped */                                 \
  X(WIRE_DCBA, "dcba") /* low word first, likewise */
enum wire_order {
#define WIRE_ENUM(id, text) id,
  WIRE_ORDER_LIST(WIRE_ENUM)
#undef WIRE_ENUM
};

const char *wire_type_name(enum wire_type type);
const char *wire_order_name(enum wire_order order);
int wire_registers(enum wire_type type); /* that a number takes; 1 for a bit */

/* A number on the wire: in SI units it is scale * what the registers hold + offset. */
struct wire {
  enum wire_type type;
  enum wire_order order;
  double scale, offset; /* scale is not 0 */
};

/* How a value fits into its registers. */
enum wire_fit {
  WIRE_NO_VALUE, /* the registers say "no value": NaN, the largest unsigned or the smallest signed integer, the bit 0 */
  WIRE_CLAMPED, /* the registers hold the end of their range that is next to the value */
  WIRE_FITS,
};

/* Writes the registers of a value in SI units. An integer is rounded, and clamped to its range. NaN is no value; for a float,
 * nor is a value that is infinite or too large for it. A bit is 1 where the value is not 0. */
enum wire_fit wire_put(const struct wire *w, double value, uint16_t *at);

/* The value in SI units that registers hold; NaN or infinite only where a float on the wire is. */
double wire_get(const struct wire *w, const uint16_t *at);

/* The four tables of a Modbus device, by the functions that read them. */
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
  bool input; /* it is a channel of an input: what stands on the wire goes to the loop. Else the other way */
  enum wire_table table;
  int address; /* zero-based, of its first register or of its bit */
  struct wire wire;
  double
      safe; /* what is written in place of the signal, in SI units, while the mechanism does not run; NaN: the signal */
};

/* A map: sorted by table and address, without overlaps. */
struct wiring {
  struct wired *item; /* (count) */
  int count;
};

#endif
