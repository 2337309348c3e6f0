/* SPDX-License-Identifier: MIT */
#include "io/osc_parse.h"

#include <endian.h>
#include <string.h>

enum { NESTING_MAX = 4 };

static uint32_t get_u32(const uint8_t *at)
{
  uint32_t v;
  memcpy(&v, at, sizeof v);
  return be32toh(v);
}

static uint64_t get_u64(const uint8_t *at)
{
  uint64_t v;
  memcpy(&v, at, sizeof v);
  return be64toh(v);
}

/* Bytes of a text with its zeros, all of which have to be there; 0 if they are not within n bytes. */
static size_t text_size(const uint8_t *at, size_t n)
{
  const uint8_t *nul = n ? memchr(at, 0, n) : NULL;
  if (!nul) return 0;
  const size_t size = ((size_t)(nul - at) & ~(size_t)3) + 4;
  if (size > n) return 0;
  for (const uint8_t *p = nul; p < at + size; p++)
    if (*p) return 0;
  return size;
}

/* Bytes of an argument; -1: it is not whole within n bytes. */
static long argument_size(char type, const uint8_t *at, size_t n)
{
  size_t size = 0;
  switch (type) {
  case 'i':
  case 'f':
    size = 4;
    break;
  case 'h':
  case 'd':
    size = 8;
    break;
  case 's':
    size = text_size(at, n);
    if (size == 0) return -1;
    break;
  case 'b':
    if (n < 4 || get_u32(at) > n - 4) return -1;
    size = 4 + (((size_t)get_u32(at) + 3) & ~(size_t)3);
    break;
  default: /* T, F */
    break;
  }
  return size <= n ? (long)size : -1;
}

static bool take_message(struct osc_datagram *d, const uint8_t *bytes, size_t n)
{
  const size_t address = text_size(bytes, n);
  if (bytes[0] != '/' || address == 0 || address == n || bytes[address] != ',') return false;
  const size_t tags = text_size(bytes + address, n - address);
  if (tags == 0 || d->messages == OSC_MESSAGES_MAX) return false;
  struct osc_raw m = {.address = (const char *)bytes,
                      .types = (const char *)bytes + address + 1,
                      .end = bytes + address + tags,
                      .bytes = n};
  m.known = m.types[strspn(m.types, "ifhdsbTF")] == '\0';
  for (const char *t = m.types; m.known && *t; t++) {
    const long size = argument_size(*t, m.end, (size_t)(bytes + n - m.end));
    if (size < 0) return false;
    m.end += size;
  }
  if (m.known && m.end != bytes + n) return false;
  d->message[d->messages++] = m;
  return true;
}

static bool take(struct osc_datagram *d, const uint8_t *bytes, size_t n, int depth)
{
  if (n < 8 || n % 4 != 0) return false;
  if (memcmp(bytes, "#bundle", 8) != 0) return take_message(d, bytes, n);
  if (n < 16 || depth == NESTING_MAX) return false;
  for (size_t at = 16; at < n;) {
    const uint32_t size = get_u32(bytes + at);
    at += 4;
    if (size > n - at || !take(d, bytes + at, size, depth + 1)) return false;
    at += size;
  }
  return true;
}

bool osc_parse(const uint8_t *bytes, size_t n, struct osc_datagram *d)
{
  d->messages = 0;
  if (n <= OSC_IN_MAX && take(d, bytes, n, 0)) return true;
  d->messages = 0;
  return false;
}

void osc_arguments(const struct osc_raw *m, struct osc_arguments *a)
{
  const uint8_t *at = (const uint8_t *)m->types - 1;
  at += text_size(at, (size_t)(m->end - at));
  a->types = m->types;
  a->count = 0;
  for (const char *t = m->types; *t; t++) {
    a->at[a->count++] = at;
    at += argument_size(*t, at, (size_t)(m->end - at));
  }
}

bool osc_types_are(const struct osc_arguments *a, const char *types)
{
  return strcmp(a->types, types) == 0;
}

bool osc_is_number(char type)
{
  return type == 'f' || type == 'd' || type == 'i' || type == 'T' || type == 'F';
}

double osc_number(const struct osc_arguments *a, int i)
{
  union {
    float f;
    double d;
    uint32_t u;
    uint64_t w;
  } v;
  switch (a->types[i]) {
  case 'f':
    v.u = get_u32(a->at[i]);
    return (double)v.f;
  case 'd':
    v.w = get_u64(a->at[i]);
    return v.d;
  case 'i':
    return osc_integer(a, i);
  default:
    return a->types[i] == 'T' ? 1.0 : 0.0;
  }
}

int32_t osc_integer(const struct osc_arguments *a, int i)
{
  return (int32_t)get_u32(a->at[i]);
}

int64_t osc_long(const struct osc_arguments *a, int i)
{
  return (int64_t)get_u64(a->at[i]);
}

const char *osc_string(const struct osc_arguments *a, int i)
{
  return (const char *)a->at[i];
}

size_t osc_blob(const struct osc_arguments *a, int i, const uint8_t **bytes)
{
  *bytes = a->at[i] + 4;
  return get_u32(a->at[i]);
}
