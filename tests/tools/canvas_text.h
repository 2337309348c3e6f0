/* SPDX-License-Identifier: MIT */
#ifndef TEST_CANVAS_TEXT_H
#define TEST_CANVAS_TEXT_H

#include "canvas.h"

#include <stddef.h>
#include <stdint.h>

static inline size_t encode_utf8(wchar_t c, char out[static 4])
{
  const uint32_t v = (uint32_t)c;
  if (v < 0x80) {
    out[0] = (char)v;
    return 1;
  }
  if (v < 0x800) {
    out[0] = (char)(0xc0 | v >> 6);
    out[1] = (char)(0x80 | (v & 0x3f));
    return 2;
  }
  out[0] = (char)(0xe0 | v >> 12);
  out[1] = (char)(0x80 | (v >> 6 & 0x3f));
  out[2] = (char)(0x80 | (v & 0x3f));
  return 3;
}

/* A row in UTF-8, without trailing blanks. */
static inline void canvas_text(const struct canvas *c, int row, char *text, size_t size)
{
  const struct cell *cell = c->cell + (size_t)row * (size_t)c->columns;
  int end = c->columns;
  while (end > 0 && cell[end - 1].c == L' ') end--;
  size_t used = 0;
  for (int i = 0; i < end && used + 4 < size; i++) used += encode_utf8(cell[i].c, text + used);
  text[used] = '\0';
}

#endif
