/* SPDX-License-Identifier: MIT
 * Takes a datagram apart. It is taken whole or, if any part of it is malformed, not at all; no byte beyond its end is looked
 * at, and nothing is allocated. liblo has a decoder, too, but one that allocates, and reads beyond the end of a blob. */
#ifndef OSC_PARSE_H
#define OSC_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OSC_IN_MAX = 4096,                  /* bytes of a datagram; longer ones are refused whole */
  OSC_MESSAGES_MAX = OSC_IN_MAX / 12, /* a size of 4 bytes, "/" and "," of 4 each */
  OSC_ARGUMENTS_MAX = OSC_IN_MAX,     /* T and F are of no bytes but their tag's */
};

struct osc_raw {           /* a message */
  const char *address;     /* with its zero */
  const char *types;       /* without the comma */
  const uint8_t *datagram; /* that it stands in, from the first byte on */
  size_t arguments, end;   /* where its arguments begin, and end, in the datagram */
  bool known; /* all types are of those below: the arguments are whole, and end where the message does */
  size_t bytes;
};

struct osc_datagram {
  int messages;
  struct osc_raw message[OSC_MESSAGES_MAX];
};

/* False: malformed. Types are i f h d s b T F. Otherwise the message is kept as one of types unknown. */
bool osc_parse(const uint8_t *bytes, size_t n, struct osc_datagram *d);

/* The arguments of one message. */
struct osc_arguments {
  const char *types;
  int count;
  const uint8_t *datagram;
  size_t end;                     /* of the last one, in the datagram */
  uint16_t at[OSC_ARGUMENTS_MAX]; /* where each begins, in the datagram; not aligned for 64-bit values */
};
_Static_assert(OSC_IN_MAX <= UINT16_MAX, "at[] holds every offset");
void osc_arguments(const struct osc_raw *m, struct osc_arguments *a); /* m->known */

/* They are of these types; alternatives stand behind bars: "i|ii". */
bool osc_types_are(const struct osc_arguments *a, const char *types);
/* Arguments 0 <= i < count. An argument of another type reads as 0, as an empty text or as bytes of the same message. */
bool osc_is_number(char type);                                                /* f d i T F: T is 1, F is 0 */
double osc_number(const struct osc_arguments *a, int i);                      /* of any of these */
int32_t osc_integer(const struct osc_arguments *a, int i);                    /* i */
int64_t osc_long(const struct osc_arguments *a, int i);                       /* h */
const char *osc_string(const struct osc_arguments *a, int i);                 /* s */
size_t osc_blob(const struct osc_arguments *a, int i, const uint8_t **bytes); /* b: its length */

#endif
