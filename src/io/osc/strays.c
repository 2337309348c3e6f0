/* SPDX-License-Identifier: MIT
 * Tells the log about messages and datagrams that nobody takes, and about their senders. */
#include "osc/in_parts.h"

#include <stdio.h>
#include <string.h>

/* Copies at most n bytes of the network, up to a zero, with question marks in place of what a terminal would not show. */
static void copy_shown(char *to, size_t size, const void *text, size_t n)
{
  const size_t length = strnlen(text, n < size ? n : size - 1);
  memcpy(to, text, length);
  to[length] = '\0';
  for (char *c = to; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
}

static void push_stray(struct osc_in *in, struct stray *s, const struct inet_address *from)
{
  clients_address_text(&from->name.any, s->client);
  ring_push(&in->port->strays, s);
}

void osc_tell_stray(struct osc_in *in, enum stray_kind kind, const struct osc_raw *m, const char *expected,
                    const struct inet_address *from)
{
  struct stray s = {.kind = kind};
  copy_shown(s.address, sizeof s.address, m->address, OSC_IN_MAX);
  copy_shown(s.types, sizeof s.types, m->types, OSC_IN_MAX);
  snprintf(s.expected, sizeof s.expected, "%s", expected);
  push_stray(in, &s, from);
}

void osc_tell_types(struct osc_in *in, const struct request *r, const char *expected)
{
  const struct osc_raw m = {.address = r->address, .types = r->a->types};
  osc_tell_stray(in, STRAY_TYPES, &m, expected, &r->from.at);
}

void osc_tell_name(struct osc_in *in, const struct request *r, const char *name)
{
  const struct osc_raw m = {.address = r->address, .types = r->a->types};
  char shown[80];
  copy_shown(shown, sizeof shown, name, OSC_IN_MAX);
  osc_tell_stray(in, STRAY_NAME, &m, shown, &r->from.at);
}

void osc_tell_malformed(struct osc_in *in, const uint8_t *bytes, size_t n, const char *stop,
                        const struct inet_address *from)
{
  struct stray s = {.kind = STRAY_MALFORMED};
  copy_shown(s.address, sizeof s.address, bytes, n < OSC_IN_MAX ? n : OSC_IN_MAX);
  if (stop)
    snprintf(s.expected, sizeof s.expected, "the %s in it acts", stop);
  else if (n > OSC_IN_MAX)
    snprintf(s.expected, sizeof s.expected, "%zu bytes, more than %d", n, OSC_IN_MAX);
  else if (n % 4 != 0)
    snprintf(s.expected, sizeof s.expected, "%zu bytes, not a multiple of 4", n);
  else
    snprintf(s.expected, sizeof s.expected, "a part is cut off, too long, unpadded or nested too deeply");
  push_stray(in, &s, from);
}
