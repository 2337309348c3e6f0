/* SPDX-License-Identifier: MIT
 * Frama-C's Eva on src/io/osc_messages/parse.c: a datagram of any bytes, with every length from SHORTEST to LONGEST. The buffer before the
 * datagram is not initialised and ends with it, so that every read outside the datagram is an alarm.
 *
 * Eva knows intervals of values, but no relations between them. So the proof has three parts, and each accepts every value that
 * the part before it may produce:
 *   osc_parse()      its assertion is a property of every message that it stores, at the one place that stores
 *   osc_arguments()  for any message with this property; its assertion is a property of every argument
 *   accessors        for any argument with this property, of any type
 * The zero of a text inside the datagram is a relation: the contract of text_end() states it, and the plug-in WP proves it. */
#include "osc_messages/parse.h"
#include <__fc_builtin.h>

enum { BLOB_DATAGRAM = 260 }; /* the length for read_blob() */

static size_t any_size(size_t least, size_t most)
{
  return (size_t)Frama_C_unsigned_long_long_interval(least, most);
}

static void parse_datagram(const uint8_t *bytes, size_t n)
{
  struct osc_datagram d;
  const bool well_formed = osc_parse(bytes, n, &d);
  /*@ check messages: 0 <= d.messages <= OSC_MESSAGES_MAX; */
  /*@ check refused_whole: well_formed || d.messages == 0; */
}

static void list_arguments(const uint8_t *bytes, size_t n)
{
  struct osc_arguments a;
  struct osc_raw m = {.address = (const char *)bytes + any_size(0, n - 1),
                      .types = (const char *)bytes + any_size(0, n - 1),
                      .datagram = bytes,
                      .arguments = any_size(0, n),
                      .end = any_size(0, n),
                      .known = true};
  osc_arguments(&m, &a);
  /*@ check arguments: 0 <= a.count <= OSC_ARGUMENTS_MAX; */
}

static void read_argument(const uint8_t *bytes, size_t n)
{
  struct osc_arguments a = {.types = (const char *)bytes + any_size(0, n - 1),
                            .count = 1,
                            .datagram = bytes,
                            .end = any_size(0, n),
                            .at = {(uint16_t)any_size(0, n)}};
  const uint8_t *blob;
  (void)osc_number(&a, 0);
  (void)osc_integer(&a, 0);
  (void)osc_long(&a, 0);
  const char *string = osc_string(&a, 0);
  /*@ check string: \initialized(string); */
  const size_t size = osc_blob(&a, 0, &blob);
  /*@ check blob_size: size <= n; */
  /*@ check blob_begin: \valid_read(blob) || size == 0; */
}

/* A blob lies inside the datagram to its last byte. The proof is for one length, because the place of the blob has to be
 * exact. */
static void read_blob(const uint8_t *bytes, size_t n)
{
  static const char TYPES[] = "b";
  /*@ loop unroll OSC_IN_MAX + 1; */
  for (size_t at = 0; at <= n; at++) {
    struct osc_arguments a = {
        .types = TYPES, .count = 1, .datagram = bytes, .end = any_size(0, n), .at = {(uint16_t)at}};
    const uint8_t *blob;
    const size_t size = osc_blob(&a, 0, &blob);
    /*@ check blob_inside: size == 0 || \valid_read(blob + (0 .. size - 1)); */
  }
}

static void prove(size_t n)
{
  uint8_t buffer[OSC_IN_MAX];
  uint8_t *bytes = buffer + (OSC_IN_MAX - n);
  if (n > 0) Frama_C_make_unknown((char *)bytes, n);
  parse_datagram(bytes, n);
  if (n == 0) return; /* no message */
  list_arguments(bytes, n);
  read_argument(bytes, n);
  if (n == BLOB_DATAGRAM) read_blob(bytes, n);
}

static void refuse_long(void)
{
  const uint8_t nothing[1];
  struct osc_datagram d;
  const bool well_formed = osc_parse(nothing, any_size(OSC_IN_MAX + 1, SIZE_MAX), &d);
  /*@ check refused: !well_formed && d.messages == 0; */
}

int main(void)
{
  refuse_long();
  /*@ loop unroll OSC_IN_MAX + 2; */
  for (size_t n = SHORTEST; n <= LONGEST; n++) prove(n);
  return 0;
}
