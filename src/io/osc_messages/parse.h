/* SPDX-License-Identifier: MIT
 * Parses a datagram. The parser accepts it whole or, if any part is malformed, not at all. It reads no byte beyond the
 * end and allocates nothing. liblo's decoder allocates and reads beyond the end of a blob. */
#ifndef OSC_MESSAGES_PARSE_H
#define OSC_MESSAGES_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OSC_IN_MAX = 4096,                  /* bytes of a datagram; a longer one is refused */
  OSC_MESSAGES_MAX = OSC_IN_MAX / 12, /* a message has at least 12 bytes: its size, and 8 of its own */
  OSC_ARGUMENTS_MAX = OSC_IN_MAX,     /* T, F, N and I take one byte, their type tag */
};

struct osc_raw {           /* one message */
  const char *address;     /* zero-terminated */
  const char *types;       /* without the comma */
  const uint8_t *datagram; /* the datagram, from its first byte */
  size_t arguments, end;   /* offsets in the datagram */
  bool known;              /* all types are known: the arguments are complete and end with the message */
  size_t bytes;
};

struct osc_datagram {
  int messages;
  struct osc_raw message[OSC_MESSAGES_MAX];
};

/* Returns false if the datagram is malformed. Known types are i f h d s b T F N I. A message with other types is kept with
 * known = false. A message that ends behind its address has no arguments. */
bool osc_parse(const uint8_t *bytes, size_t n, struct osc_datagram *d);

/* The arguments of one message. */
struct osc_arguments {
  const char *types;
  int count;
  const uint8_t *datagram;
  size_t end;                     /* end of the last argument, an offset in the datagram */
  uint16_t at[OSC_ARGUMENTS_MAX]; /* offset of each argument; 64-bit values are not aligned */
};
_Static_assert(OSC_IN_MAX <= UINT16_MAX, "at[] holds every offset");
void osc_arguments(const struct osc_raw *m, struct osc_arguments *a); /* m->known */

/* True if the arguments have these types; a bar separates alternatives: "i|ii". An h whose value fits counts as i. */
bool osc_types_are(const struct osc_arguments *a, const char *types);
/* Read argument i, 0 <= i < count. An argument of another type gives 0, an empty text, or other bytes of its message. */
bool osc_is_number(char type);                                /* f d i h T F: T is 1, F is 0 */
bool osc_is_integer(char type);                               /* i h */
double osc_number(const struct osc_arguments *a, int i);      /* f d i h T F */
int32_t osc_integer(const struct osc_arguments *a, int i);    /* i h: the low 32 bits of an h */
int64_t osc_long(const struct osc_arguments *a, int i);       /* h */
const char *osc_string(const struct osc_arguments *a, int i); /* s */
size_t osc_blob(const struct osc_arguments *a, int i, const uint8_t **bytes); /* b: its length */

#endif
