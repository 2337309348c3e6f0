/* SPDX-License-Identifier: MIT */
#include "page/wire.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are little endian");
_Static_assert(sizeof(struct wire_frame) == 40 && sizeof(struct wire_loop) == 24, "layout of records");

enum { WIRE_HEADER = 8, WIRE_ALIGNMENT = 8, WIRE_ROOM = 4096 };

void wire_free(struct record_bytes *w)
{
  free(w->byte);
  *w = (struct record_bytes){0};
}

/* Room for `count` more bytes; NULL: out of memory. */
static unsigned char *extend_wire(struct record_bytes *w, size_t count)
{
  if (w->failed) return NULL;
  if (count > w->room - w->count) {
    size_t room = w->room ? w->room : WIRE_ROOM;
    while (room - w->count < count) room *= 2;
    unsigned char *byte = realloc(w->byte, room);
    w->failed = !byte;
    if (!byte) return NULL;
    w->byte = byte;
    w->room = room;
  }
  unsigned char *at = w->byte + w->count;
  w->count += count;
  return at;
}

void wire_bytes(struct record_bytes *w, const void *bytes, size_t count)
{
  unsigned char *at = extend_wire(w, count);
  if (at && count) memcpy(at, bytes, count);
}

void wire_pad(struct record_bytes *w)
{
  static const unsigned char zero[WIRE_ALIGNMENT] = {0};
  wire_bytes(w, zero, (WIRE_ALIGNMENT - w->count % WIRE_ALIGNMENT) % WIRE_ALIGNMENT);
}

size_t wire_begin(struct record_bytes *w, enum wire_kind kind)
{
  const size_t begin = w->count;
  const unsigned char header[WIRE_HEADER] = {0, 0, 0, 0, (unsigned char)kind, WIRE_VERSION};
  wire_bytes(w, header, sizeof header);
  return begin;
}

void wire_end(struct record_bytes *w, size_t begin)
{
  wire_pad(w);
  const uint32_t bytes = (uint32_t)(w->count - begin);
  if (!w->failed) memcpy(w->byte + begin, &bytes, sizeof bytes);
}

void wire_floats(struct record_bytes *w, const double *value, const uint32_t *index, uint32_t count)
{
  unsigned char *at = extend_wire(w, count * sizeof(float));
  for (uint32_t i = 0; at && i < count; i++) {
    const float x = (float)value[index[i]];
    memcpy(at + i * sizeof x, &x, sizeof x);
  }
}

void wire_json(struct record_bytes *w, enum wire_kind kind, json_t *object)
{
  const size_t begin = wire_begin(w, kind);
  char *text = json_dumps(object, JSON_COMPACT);
  if (text)
    wire_bytes(w, text, strlen(text));
  else
    w->failed = true;
  free(text);
  json_decref(object);
  /* A text is padded with spaces, which JSON ignores, so that its end needs no length. */
  while (!w->failed && w->count % WIRE_ALIGNMENT) wire_bytes(w, " ", 1);
  wire_end(w, begin);
}
