/* SPDX-License-Identifier: MIT */
#include "wire/wire.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *wire_type_name(enum wire_type type)
{
  static const char *const name[] = {
#define WIRE_NAME(id, text, registers) [id] = (text),
      WIRE_TYPE_LIST(WIRE_NAME)
#undef WIRE_NAME
  };
  return name[type];
}

int wire_registers(enum wire_type type)
{
  static const int registers[] = {
#define WIRE_REGISTERS(id, text, n) [id] = (n),
      WIRE_TYPE_LIST(WIRE_REGISTERS)
#undef WIRE_REGISTERS
  };
  return registers[type];
}

#define WIRE_NAME(id, text) [id] = (text),
const char *wire_order_name(enum wire_order order)
{
  static const char *const name[] = {WIRE_ORDER_LIST(WIRE_NAME)};
  return name[order];
}

const char *wire_table_name(enum wire_table table)
{
  static const char *const name[] = {WIRE_TABLE_LIST(WIRE_NAME)};
  return name[table];
}
#undef WIRE_NAME

static uint16_t swap_word_bytes(uint16_t v)
{
  return (uint16_t)(v << 8 | v >> 8);
}

/* A number in one register has no word order, and its bytes are never swapped. */
static bool swaps_bytes(enum wire_order order, int n)
{
  return n > 1 && (order == WIRE_BADC || order == WIRE_DCBA);
}

/* The low 16 n bits to n registers, or back: both directions are one walk. */
static void put_words(enum wire_order order, uint64_t bits, int n, uint16_t *at)
{
  const bool low_first = order == WIRE_CDAB || order == WIRE_DCBA;
  for (int i = 0; i < n; i++) {
    const int place = low_first ? i : n - 1 - i;
    const uint16_t word = (uint16_t)(bits >> (16 * i));
    at[place] = swaps_bytes(order, n) ? swap_word_bytes(word) : word;
  }
}

static uint64_t get_words(enum wire_order order, const uint16_t *at, int n)
{
  const bool low_first = order == WIRE_CDAB || order == WIRE_DCBA;
  uint64_t bits = 0;
  for (int i = 0; i < n; i++) {
    const uint16_t word = at[low_first ? i : n - 1 - i];
    bits |= (uint64_t)(swaps_bytes(order, n) ? swap_word_bytes(word) : word) << (16 * i);
  }
  return bits;
}

/* Integers: their range and the value that stands for "no value". */
struct range {
  double low, high;
  int64_t none;
};
static struct range integer_range(enum wire_type type)
{
  switch (type) {
  case WIRE_U16:
    return (struct range){0, UINT16_MAX, UINT16_MAX};
  case WIRE_I16:
    return (struct range){INT16_MIN, INT16_MAX, INT16_MIN};
  case WIRE_U32:
    return (struct range){0, UINT32_MAX, UINT32_MAX};
  default:
    return (struct range){INT32_MIN, INT32_MAX, INT32_MIN};
  }
}

static enum wire_fit put_integer(const struct wire *w, double raw, uint16_t *at)
{
  const struct range r = integer_range(w->type);
  const bool none = isnan(raw), in = raw >= r.low - 0.5 && raw < r.high + 0.5;
  const double clamped = raw < r.low ? r.low : raw > r.high ? r.high : raw;
  put_words(w->order, (uint64_t)(none ? r.none : llround(clamped)), wire_registers(w->type), at);
  return none ? WIRE_NO_VALUE : in ? WIRE_FITS : WIRE_CLAMPED;
}

static enum wire_fit fit_of_number(bool value)
{
  return value ? WIRE_FITS : WIRE_NO_VALUE;
}

enum wire_fit wire_put(const struct wire *w, double value, uint16_t *at)
{
  const double raw = (value - w->offset) / w->scale;
  uint32_t bits32;
  uint64_t bits64;
  float f;
  /* NaN becomes NaN in a float, and "no value" in an integer. */
  switch (w->type) {
  case WIRE_F32:
    f = fabs(raw) <= (double)FLT_MAX ? (float)raw : NAN;
    memcpy(&bits32, &f, sizeof bits32);
    put_words(w->order, bits32, 2, at);
    return fit_of_number(isfinite(f));
  case WIRE_F64:
    memcpy(&bits64, &(double){isfinite(raw) ? raw : (double)NAN}, sizeof bits64);
    put_words(w->order, bits64, 4, at);
    return fit_of_number(isfinite(raw));
  case WIRE_BIT:
    at[0] = isfinite(raw) && raw != 0.0;
    return fit_of_number(isfinite(raw));
  default:
    return put_integer(w, raw, at);
  }
}

double wire_get(const struct wire *w, const uint16_t *at)
{
  const uint64_t bits = get_words(w->order, at, wire_registers(w->type));
  double raw;
  float f;
  /* Interpret the bits as a number of the type. */
  switch (w->type) {
  case WIRE_F32:
    memcpy(&f, &(uint32_t){(uint32_t)bits}, sizeof f);
    raw = (double)f;
    break;
  case WIRE_F64:
    memcpy(&raw, &bits, sizeof raw);
    break;
  case WIRE_BIT:
    raw = at[0] != 0;
    break;
  case WIRE_I16:
    raw = (int16_t)bits;
    break;
  case WIRE_I32:
    raw = (int32_t)bits;
    break;
  default:
    raw = (double)bits;
  }
  return w->scale * raw + w->offset;
}

bool wire_range(const struct wire *w, double *least, double *largest)
{
  static const struct {
    double least, largest;
  } raw[] = {[WIRE_U16] = {0.0, UINT16_MAX},
             [WIRE_I16] = {INT16_MIN, INT16_MAX},
             [WIRE_U32] = {0.0, UINT32_MAX},
             [WIRE_I32] = {INT32_MIN, INT32_MAX}};
  if (w->type != WIRE_U16 && w->type != WIRE_I16 && w->type != WIRE_U32 && w->type != WIRE_I32) return false;
  const double a = w->scale * raw[w->type].least + w->offset, b = w->scale * raw[w->type].largest + w->offset;
  *least = a < b ? a : b;
  *largest = a < b ? b : a;
  return true;
}
