/* SPDX-License-Identifier: MIT
 * A second, independent reading of the OSC format for tests: writes and reads messages and bundles without
 * liblo. */
#ifndef TESTS_OSC_WIRE_H
#define TESTS_OSC_WIRE_H

#include <endian.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

static inline size_t wire_u32(uint8_t *at, uint32_t v)
{
  v = htobe32(v);
  memcpy(at, &v, 4);
  return 4;
}

static inline size_t wire_u64(uint8_t *at, uint64_t v)
{
  v = htobe64(v);
  memcpy(at, &v, 8);
  return 8;
}

static inline size_t wire_string(uint8_t *at, const char *s)
{
  size_t n = (strlen(s) / 4 + 1) * 4;
  memset(at, 0, n);
  memcpy(at, s, strlen(s) + 1);
  return n;
}

/* Writes a message. Types without the comma: i int, h int64_t, f and d double, s const char *. Returns its length. */
static inline size_t wire_message(uint8_t *at, const char *address, const char *types, ...)
{
  char tags[256] = ",";
  strncat(tags, types, sizeof tags - 2);
  size_t n = wire_string(at, address);
  n += wire_string(at + n, tags);
  va_list list;
  va_start(list, types);
  for (const char *t = types; *t; t++) {
    union {
      float f;
      double d;
      uint32_t u;
      uint64_t w;
    } v;
    switch (*t) {
    case 'i':
      n += wire_u32(at + n, (uint32_t)va_arg(list, int));
      break;
    case 'h':
      n += wire_u64(at + n, (uint64_t)va_arg(list, int64_t));
      break;
    case 's':
      n += wire_string(at + n, va_arg(list, const char *));
      break;
    case 'd':
      v.d = va_arg(list, double);
      n += wire_u64(at + n, v.w);
      break;
    case 'f':
      v.f = (float)va_arg(list, double);
      n += wire_u32(at + n, v.u);
      break;
    }
  }
  va_end(list);
  return n;
}

static inline size_t wire_bundle(uint8_t *at)
{
  memcpy(at, "#bundle", 8);
  return 8 + wire_u64(at + 8, 1);
}

static inline uint32_t wire_get_u32(const uint8_t *at)
{
  uint32_t v;
  memcpy(&v, at, 4);
  return be32toh(v);
}

static inline uint64_t wire_get_u64(const uint8_t *at)
{
  uint64_t v;
  memcpy(&v, at, 8);
  return be64toh(v);
}

static inline double wire_get_f(const uint8_t *at)
{
  uint32_t u = wire_get_u32(at);
  float f;
  memcpy(&f, &u, 4);
  return (double)f;
}

static inline double wire_get_d(const uint8_t *at)
{
  uint64_t u = wire_get_u64(at);
  double d;
  memcpy(&d, &u, 8);
  return d;
}

/* The arguments of the message to `address` with these types, in a message or a flat bundle; NULL if there is none. */
static inline const uint8_t *wire_find(const uint8_t *bytes, size_t n, const char *address, const char *types)
{
  if (n >= 16 && memcmp(bytes, "#bundle", 8) == 0) {
    for (size_t at = 16; at + 4 <= n;) {
      size_t size = wire_get_u32(bytes + at);
      at += 4;
      const uint8_t *found = size <= n - at ? wire_find(bytes + at, size, address, types) : NULL;
      if (found) return found;
      at += size;
    }
    return NULL;
  }
  size_t tags = (strlen(address) / 4 + 1) * 4;
  if (n < tags + 4 || strcmp((const char *)bytes, address) != 0 || bytes[tags] != ',') return NULL;
  if (strcmp((const char *)bytes + tags + 1, types) != 0) return NULL;
  return bytes + tags + ((strlen(types) + 1) / 4 + 1) * 4;
}

#endif
