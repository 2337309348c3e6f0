/* SPDX-License-Identifier: MIT */
#include "packets/encode.h"

#include "base/crc.h"

#include <math.h>
#include <string.h>

static void put_field_bits(const struct packet_field *f, uint64_t bits, uint8_t *out)
{
  for (int i = 0; i < f->size; i++) {
    const int place = f->little ? i : f->size - 1 - i;
    out[f->at + place] = (uint8_t)(bits >> (8 * i));
  }
}

/* Rounds to the nearest integer of the type; counts a clamped value. */
static uint64_t to_integer(enum packet_type type, double raw, int *clamped)
{
  const double low = packet_lowest(type), high = packet_highest(type), whole = round(raw);
  *clamped += whole < low || whole > high || whole >= 0x1p64;
  if (whole >= 0x1p64) return UINT64_MAX; /* no double lies between the type's maximum and 2^64 */
  const double in = whole < low ? low : whole > high ? high : whole;
  return in < 0.0 ? (uint64_t)(int64_t)in : (uint64_t)in;
}

/* Puts a finite number. */
static void put_field_number(const struct packet_field *f, double raw, int *clamped, uint8_t *out)
{
  if (f->type == PACKET_F64) {
    uint64_t bits;
    memcpy(&bits, &raw, sizeof bits);
    put_field_bits(f, bits, out);
  } else if (f->type == PACKET_F32) {
    const double high = packet_highest(PACKET_F32);
    const float single = (float)(raw > high ? high : raw < -high ? -high : raw);
    uint32_t bits;
    *clamped += fabs(raw) > high;
    memcpy(&bits, &single, sizeof bits);
    put_field_bits(f, bits, out);
  } else {
    put_field_bits(f, to_integer(f->type, raw, clamped), out);
  }
}

/* A count wraps in an integer field; in a float field it is a plain number. */
static void put_field_count(const struct packet_field *f, uint64_t count, int *clamped, uint8_t *out)
{
  if (packet_is_float(f->type))
    put_field_number(f, (double)count, clamped, out);
  else
    put_field_bits(f, count, out);
}

static double table_value(const struct packet_field *f, double value)
{
  const double whole = round(value);
  for (int i = 0; i < f->pairs; i++)
    if (f->table[i][0] == whole) return f->table[i][1];
  return f->value;
}

/* The number sent for a value of the loop; not finite if the value is not finite. */
static double field_number(const struct packet_field *f, double value)
{
  if (f->table) return isfinite(value) ? table_value(f, value) : value;
  return f->source == PACKET_SIGNAL ? (value - f->offset) / f->scale : value;
}

static bool put_field_value(const struct packet_field *f, double value, int *clamped, uint8_t *out)
{
  const double raw = field_number(f, value);
  if (!isfinite(raw)) return false;
  put_field_number(f, raw, clamped, out);
  return true;
}

static bool put_field(const struct packet_field *f, const struct frame *frame,
                      const struct packet_moment *moment, int *clamped, uint8_t *out)
{
  /* A value of the loop may be NaN or infinite; a count never is. */
  switch (f->source) {
  case PACKET_SIGNAL:
    if (f->stands_in && (frame->flags & FLAG_WITHHELD)) {
      put_field_number(f, f->stand_in, clamped, out);
      return true;
    }
    return put_field_value(f, frame->values[f->signal], clamped, out);
  case PACKET_STATE:
    return put_field_value(f, frame->state, clamped, out);
  case PACKET_FLAGS:
    return put_field_value(f, frame->flags, clamped, out);
  case PACKET_FAULT:
    return put_field_value(f, frame->fault, clamped, out);
  case PACKET_VALUE:
    put_field_number(f, f->value, clamped, out);
    return true;
  case PACKET_COUNTER:
    put_field_count(f, moment->number, clamped, out);
    return true;
  case PACKET_TIME:
    put_field_count(f, (frame->t_ns - moment->start_ns) / f->unit_ns, clamped, out);
    return true;
  case PACKET_CYCLE:
    put_field_count(f, frame->cycle, clamped, out);
    return true;
  }
  return false;
}

uint32_t packet_checksum(const struct packet_field *f, const uint8_t *out)
{
  const uint8_t *bytes = out + f->from;
  const size_t n = (size_t)(f->at - f->from);
  uint8_t sum = 0;
  switch (f->type) {
  case PACKET_CRC16:
    return crc16_modbus(bytes, n);
  case PACKET_CRC32:
    return crc32_ieee(bytes, n);
  case PACKET_XOR8:
    for (size_t i = 0; i < n; i++) sum ^= bytes[i];
    return sum;
  default:
    for (size_t i = 0; i < n; i++) sum = (uint8_t)(sum + bytes[i]);
    return sum;
  }
}

int packet_encode(const struct packet *p, const struct frame *frame, const struct packet_moment *moment,
                  uint8_t *out)
{
  int clamped = 0;
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    if (packet_is_checksum(f->type))
      put_field_bits(f, packet_checksum(f, out), out);
    else if (f->type == PACKET_BYTES)
      memcpy(out + f->at, f->bytes, (size_t)f->size);
    else if (f->type == PACKET_ZEROS)
      memset(out + f->at, 0, (size_t)f->size);
    else if (!put_field(f, frame, moment, &clamped, out))
      return PACKET_UNFIT;
  }
  return clamped;
}
