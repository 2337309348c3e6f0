/* SPDX-License-Identifier: MIT */
#include "packets/decode.h"

#include "packets/encode.h"

#include <math.h>
#include <string.h>

static uint64_t get_field_bits(const struct packet_field *f, const uint8_t *bytes)
{
  uint64_t bits = 0;
  for (int i = 0; i < f->size; i++) {
    const int place = f->little ? f->size - 1 - i : i;
    bits = bits << 8 | bytes[f->at + place];
  }
  return bits;
}

/* The number as it was sent, without scale and offset. */
static double get_field_number(const struct packet_field *f, const uint8_t *bytes)
{
  const uint64_t bits = get_field_bits(f, bytes);
  if (f->type == PACKET_F64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (f->type == PACKET_F32) {
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
  }
  const int width = 8 * f->size;
  const bool negative = packet_is_signed(f->type) && (bits >> (width - 1) & 1);
  return negative ? (double)bits - ldexp(1.0, width) : (double)bits;
}

static enum decode_result decode_number(const struct packet_field *f, const uint8_t *bytes, double *value,
                                        struct decoded *out)
{
  const double number = get_field_number(f, bytes);
  switch (f->source) {
  case PACKET_SIGNAL:
    *value = f->scale * number + f->offset;
    return isfinite(*value) ? DECODE_GOOD : DECODE_NUMBER;
  case PACKET_VALUE:
    return number == f->value ? DECODE_GOOD : DECODE_CONTENT;
  case PACKET_COUNTER:
    out->counter = (uint32_t)get_field_bits(f, bytes);
    out->counted = (uint32_t)(f->size < 4 ? 8 * f->size : 32);
    return DECODE_GOOD;
  default:
    return DECODE_CONTENT;
  }
}

/* The layout may have fields before the checksum that differ, too; the checksum decides first, as it names the cause. */
static bool has_right_checksums(const struct packet *p, const uint8_t *bytes)
{
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    if (packet_is_checksum(f->type) && get_field_bits(f, bytes) != packet_checksum(f, bytes)) return false;
  }
  return true;
}

enum decode_result packet_decode(const struct packet *p, const uint8_t *bytes, size_t n, struct decoded *out)
{
  struct decoded result = {.counted = 0};
  if (n != (size_t)p->size) return DECODE_SIZE;
  if (!has_right_checksums(p, bytes)) return DECODE_CHECKSUM;
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    enum decode_result good = DECODE_GOOD;
    if (f->type == PACKET_BYTES && memcmp(bytes + f->at, f->bytes, (size_t)f->size) != 0)
      good = DECODE_CONTENT;
    if (packet_is_number(f->type)) good = decode_number(f, bytes, &result.value[i], &result);
    if (good != DECODE_GOOD) return good;
  }
  *out = result;
  return DECODE_GOOD;
}
