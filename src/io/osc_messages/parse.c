/* SPDX-License-Identifier: MIT */
#include "osc_messages/parse.h"

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

/* Positions in a datagram are offsets from its first byte. Every check compares such an offset with the end of the
 * datagram or of its part, so that each access has its bound in one function; tests/prove/eva_osc.c relies on this
 * form. */

/* The offset after a text and its padding, if both lie before `end`; else 0. */
/*@ assigns \nothing;
    ensures by_wp: \result == 0 || (begin < \result <= end && bytes[\result - 1] == 0); */
static size_t text_end(const uint8_t *bytes, size_t begin, size_t end)
{
  size_t at = begin;
  /*@ loop invariant by_wp: begin <= at;
      loop assigns at;
      loop variant end - at; */
  while (at < end && bytes[at] != 0) at++;
  /*@ loop invariant by_wp: begin <= at;
      loop assigns at;
      loop variant end - at; */
  do {
    if (at >= end || bytes[at] != 0) return 0;
    at++;
  } while (at % 4 != 0); /* a text is padded to a multiple of 4 */
  return at;
}

/* The offset after an argument; 0 if the argument does not lie before `end`. */
static size_t argument_end(char type, const uint8_t *bytes, size_t begin, size_t end)
{
  uint64_t behind = begin;
  switch (type) {
  case 'i':
  case 'f':
    behind += 4;
    break;
  case 'h':
  case 'd':
    behind += 8;
    break;
  case 's':
    return text_end(bytes, begin, end);
  case 'b':
    if (begin + 4 > end) return 0;
    behind += 4 + (((uint64_t)get_u32(bytes + begin) + 3) & ~(uint64_t)3);
    break;
  default: /* T, F, N, I */
    break;
  }
  return behind <= end ? (size_t)behind : 0;
}

static bool tags_are_known(const uint8_t *bytes, size_t begin, size_t end)
{
  for (size_t at = begin; at < end && bytes[at] != 0; at++)
    if (!strchr("ifhdsbTFNI", bytes[at])) return false;
  return true;
}

static bool take_message(struct osc_datagram *d, const uint8_t *bytes, size_t begin, size_t end)
{
  const size_t tags = text_end(bytes, begin, end);
  if (bytes[begin] != '/' || tags == 0 || tags > end || d->messages >= OSC_MESSAGES_MAX) return false;
  /* Old senders leave out the type tags of a message without arguments: its types are the zero that ends its address. */
  size_t types = tags - 1, arguments = tags;
  if (tags < end) {
    if (bytes[tags] != ',') return false;
    types = tags + 1;
    arguments = text_end(bytes, tags, end);
  }
  if (arguments == 0) return false;
  struct osc_raw m = {.address = (const char *)bytes + begin,
                      .types = (const char *)bytes + types,
                      .datagram = bytes,
                      .arguments = arguments,
                      .end = arguments,
                      .known = tags_are_known(bytes, types, arguments),
                      .bytes = end - begin};
  for (size_t at = types; m.known && at < arguments && bytes[at] != 0; at++) {
    m.end = argument_end((char)bytes[at], bytes, m.end, end);
    if (m.end == 0) return false;
  }
  if (m.known && m.end != end) return false;
  /*@ assert inside: \initialized(m.address) && \initialized(m.types) && \initialized(bytes + (0 .. m.arguments - 1)) &&
        \initialized(bytes + (0 .. m.end - 1)); */
  d->message[d->messages++] = m;
  return true;
}

static bool take_element(struct osc_datagram *d, const uint8_t *bytes, size_t begin, size_t end, int depth)
{
  if (begin + 8 > end || end % 4 != 0) return false;
  if (memcmp(bytes + begin, "#bundle", 8) != 0) return take_message(d, bytes, begin, end);
  if (begin + 16 > end || depth == NESTING_MAX) return false;
  /*@ loop widen_hints d->messages, OSC_MESSAGES_MAX; */
  for (size_t at = begin + 16; at < end;) {
    if (at + 4 > end) return false;
    const uint64_t behind = (uint64_t)at + 4 + get_u32(bytes + at);
    if (behind > end || !take_element(d, bytes, at + 4, (size_t)behind, depth + 1)) return false;
    at = (size_t)behind;
  }
  return true;
}

bool osc_parse(const uint8_t *bytes, size_t n, struct osc_datagram *d)
{
  d->messages = 0;
  if (n <= OSC_IN_MAX && take_element(d, bytes, 0, n, 0)) return true;
  d->messages = 0;
  return false;
}

void osc_arguments(const struct osc_raw *m, struct osc_arguments *a)
{
  size_t at = m->arguments;
  a->types = m->types;
  a->datagram = m->datagram;
  a->end = m->end;
  a->count = 0;
  /*@ loop widen_hints a->count, OSC_ARGUMENTS_MAX; */
  for (const char *t = m->types; t < (const char *)m->datagram + m->arguments && *t; t++) {
    if (a->count >= OSC_ARGUMENTS_MAX) break; /* never happens: a type tag takes a byte of the datagram */
    /*@ assert inside: \initialized(m->datagram + (0 .. at - 1)); */
    a->at[a->count++] = (uint16_t)at;
    at = argument_end(*t, m->datagram, at, m->end);
    if (at == 0) break; /* never happens: osc_parse() has checked every argument */
  }
}

/* The bytes of an argument; zeros if the argument has another type and fewer than `size` bytes. */
static const uint8_t *bytes_of(const struct osc_arguments *a, int i, size_t size)
{
  static const uint8_t ZEROS[8];
  const size_t at = a->at[i];
  return at + size <= a->end ? a->datagram + at : ZEROS;
}

/* An h whose value fits into an i is an i. */
static bool type_is(const struct osc_arguments *a, int i, char type)
{
  if (a->types[i] == type) return true;
  return type == 'i' && a->types[i] == 'h' && osc_long(a, i) == osc_integer(a, i);
}

bool osc_types_are(const struct osc_arguments *a, const char *types)
{
  const size_t n = strlen(a->types);
  for (;; types++) {
    const size_t length = strcspn(types, "|");
    size_t same = 0;
    while (length == n && same < n && type_is(a, (int)same, types[same])) same++;
    if (length == n && same == n) return true;
    types += length;
    if (!*types) return false;
  }
}

bool osc_is_number(char type)
{
  return type == 'f' || type == 'd' || osc_is_integer(type) || type == 'T' || type == 'F';
}

bool osc_is_integer(char type)
{
  return type == 'i' || type == 'h';
}

double osc_number(const struct osc_arguments *a, int i)
{
  union {
    float f;
    double d;
    uint32_t u;
    uint64_t w;
  } v;
  /* f, d, i and h have bytes; T and F have none. */
  switch (a->types[i]) {
  case 'f':
    v.u = get_u32(bytes_of(a, i, 4));
    return (double)v.f;
  case 'd':
    v.w = get_u64(bytes_of(a, i, 8));
    return v.d;
  case 'i':
    return osc_integer(a, i);
  case 'h':
    return (double)osc_long(a, i);
  default:
    return a->types[i] == 'T' ? 1.0 : 0.0;
  }
}

int32_t osc_integer(const struct osc_arguments *a, int i)
{
  return a->types[i] == 'h' ? (int32_t)osc_long(a, i) : (int32_t)get_u32(bytes_of(a, i, 4));
}

int64_t osc_long(const struct osc_arguments *a, int i)
{
  return (int64_t)get_u64(bytes_of(a, i, 8));
}

const char *osc_string(const struct osc_arguments *a, int i)
{
  const size_t at = a->at[i];
  if (a->types[i] != 's' || at >= a->end || text_end(a->datagram, at, a->end) == 0) return "";
  return (const char *)a->datagram + at;
}

size_t osc_blob(const struct osc_arguments *a, int i, const uint8_t **bytes)
{
  const size_t begin = (size_t)a->at[i] + 4;
  const uint64_t size = get_u32(bytes_of(a, i, 4));
  if (begin >= a->end || size > a->end || begin + size > a->end) {
    *bytes = a->datagram + a->end;
    return 0;
  }
  *bytes = a->datagram + begin;
  return (size_t)size;
}
