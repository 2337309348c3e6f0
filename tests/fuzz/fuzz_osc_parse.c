/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as one datagram of OSC, for the parser alone. Every message and argument that it found is read to its end
 * and lies inside the datagram. */
#include "osc_messages/parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void need(bool holds)
{
  if (!holds) abort();
}

static bool is_inside(const void *at, size_t size, const uint8_t *bytes, size_t n)
{
  const uint8_t *first = at;
  return first >= bytes && first <= bytes + n && size <= (size_t)(bytes + n - first);
}

static void read_argument(const struct osc_arguments *a, int i, const uint8_t *bytes, size_t n)
{
  const uint8_t *blob;
  size_t size, sum = 0;
  switch (a->types[i]) {
  case 's':
    need(is_inside(osc_string(a, i), strlen(osc_string(a, i)) + 1, bytes, n));
    break;
  case 'b':
    size = osc_blob(a, i, &blob);
    need(is_inside(blob, size, bytes, n));
    for (size_t k = 0; k < size; k++) sum += blob[k];
    need(sum <= UINT8_MAX * size);
    break;
  case 'h':
    (void)osc_long(a, i);
    break;
  case 'N':
  case 'I': /* no value */
    break;
  default:
    need(osc_is_number(a->types[i]));
    (void)osc_number(a, i);
  }
}

static void read_message(const struct osc_raw *m, const uint8_t *bytes, size_t n)
{
  static struct osc_arguments a;
  need(m->address[0] == '/' && m->bytes <= n);
  need(is_inside(m->address, strlen(m->address) + 1, bytes, n));
  need(is_inside(m->types, strlen(m->types) + 1, bytes, n));
  need(m->arguments <= m->end && m->end <= n);
  if (!m->known) return;
  osc_arguments(m, &a);
  need(a.count == (int)strlen(m->types) && osc_types_are(&a, m->types));
  for (int i = 0; i < a.count; i++) read_argument(&a, i, bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static struct osc_datagram d;
  if (!osc_parse(bytes, n, &d)) need(d.messages == 0);
  need(d.messages >= 0 && d.messages <= OSC_MESSAGES_MAX);
  for (int i = 0; i < d.messages; i++) read_message(&d.message[i], bytes, n);
  return 0;
}
