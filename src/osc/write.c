/* SPDX-License-Identifier: MIT */
#include "osc/write.h"

#include <endian.h>
#include <string.h>

uint8_t *osc_put_u32(uint8_t *at, uint32_t v)
{
  v = htobe32(v);
  memcpy(at, &v, sizeof v);
  return at + sizeof v;
}

uint8_t *osc_put_u64(uint8_t *at, uint64_t v)
{
  v = htobe64(v);
  memcpy(at, &v, sizeof v);
  return at + sizeof v;
}

uint8_t *osc_put_number(uint8_t *at, double v, bool doubles)
{
  if (doubles) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return osc_put_u64(at, bits);
  }
  const float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return osc_put_u32(at, bits);
}

/* Room for n bytes more; NULL: there is none, now or ever after. */
static uint8_t *take(struct osc_writer *w, size_t n)
{
  if (w->size > OSC_DATAGRAM || n > OSC_DATAGRAM - w->size) {
    w->size = OSC_DATAGRAM + 1;
    return NULL;
  }
  uint8_t *at = w->bytes + w->size;
  w->size += n;
  return at;
}

/* A text of two parts, with its zeros. */
static void put_text(struct osc_writer *w, const char *a, const char *b)
{
  const size_t na = strlen(a), nb = strlen(b), padded = ((na + nb) / 4 + 1) * 4;
  uint8_t *at = take(w, padded);
  if (!at) return;
  memset(at, 0, padded);
  memcpy(at, a, na);      /* NOLINT(bugprone-not-null-terminated-result): the zeros are there */
  memcpy(at + na, b, nb); /* NOLINT(bugprone-not-null-terminated-result): likewise */
}

void osc_write(struct osc_writer *w, const char *prefix, const char *address, const char *types)
{
  w->size = 0;
  put_text(w, prefix, address);
  put_text(w, ",", types);
}

void osc_write_i(struct osc_writer *w, int32_t v)
{
  uint8_t *at = take(w, sizeof v);
  if (at) osc_put_u32(at, (uint32_t)v);
}

void osc_write_h(struct osc_writer *w, int64_t v)
{
  uint8_t *at = take(w, sizeof v);
  if (at) osc_put_u64(at, (uint64_t)v);
}

void osc_write_f(struct osc_writer *w, double v)
{
  uint8_t *at = take(w, sizeof(float));
  if (at) osc_put_number(at, v, false);
}

void osc_write_s(struct osc_writer *w, const char *s)
{
  put_text(w, s, "");
}

bool osc_written(const struct osc_writer *w)
{
  return w->size <= OSC_DATAGRAM;
}
