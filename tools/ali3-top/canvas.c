/* SPDX-License-Identifier: MIT */
#include "canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1024 };

bool canvas_resize(struct canvas *c, int columns, int rows)
{
  const size_t cells = (size_t)columns * (size_t)rows;
  free(c->cell);
  c->cell = malloc((cells ? cells : 1) * sizeof *c->cell);
  c->columns = c->cell ? columns : 0;
  c->rows = c->cell ? rows : 0;
  const struct area all = area_of(c);
  area_clear(&all);
  return c->cell != NULL;
}

void canvas_free(struct canvas *c)
{
  free(c->cell);
  *c = (struct canvas){0};
}

struct area area_of(struct canvas *c)
{
  return (struct area){.canvas = c, .columns = c->columns, .rows = c->rows};
}

static int clamp_offset(int v, int most)
{
  return v < 0 ? 0 : v > most ? most : v;
}

struct area area_part(const struct area *a, int column, int row, int columns, int rows)
{
  struct area part = *a;
  const int left = clamp_offset(column, a->columns), top = clamp_offset(row, a->rows);
  part.column += left;
  part.row += top;
  part.columns = clamp_offset(columns, a->columns - left);
  part.rows = clamp_offset(rows, a->rows - top);
  return part;
}

void area_cell(const struct area *a, int column, int row, enum style style, wchar_t c)
{
  if (column < 0 || column >= a->columns || row < 0 || row >= a->rows) return;
  struct canvas *canvas = a->canvas;
  canvas->cell[(size_t)(a->row + row) * (size_t)canvas->columns + (size_t)(a->column + column)] =
      (struct cell){c, style};
}

void area_clear(const struct area *a)
{
  for (int row = 0; row < a->rows; row++)
    for (int column = 0; column < a->columns; column++) area_cell(a, column, row, STYLE_PLAIN, L' ');
}

/* Decodes one UTF-8 character of at most three bytes; '?' for others. */
static wchar_t decode_utf8(const unsigned char **at)
{
  const unsigned char *p = *at;
  const int length = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : 0;
  *at = p + 1;
  if (length == 1) return p[0] >= ' ' && p[0] < 0x7f ? (wchar_t)p[0] : L'?';
  if (length == 0) {
    while ((**at & 0xc0) == 0x80) (*at)++;
    return L'?';
  }
  wchar_t c = p[0] & (length == 2 ? 0x1f : 0x0f);
  for (int i = 1; i < length; i++, (*at)++) {
    if ((p[i] & 0xc0) != 0x80) return L'?';
    c = (wchar_t)(c << 6 | (p[i] & 0x3f));
  }
  return c;
}

static wchar_t next_character(const struct canvas *canvas, const unsigned char **at)
{
  const wchar_t c = decode_utf8(at);
  return c < 0x80 || (canvas->utf8 && wcwidth(c) == 1) ? c : L'?';
}

int area_put(const struct area *a, int column, int row, enum style style, const char *text)
{
  const unsigned char *at = (const unsigned char *)text;
  while (*at) area_cell(a, column++, row, style, next_character(a->canvas, &at));
  return column;
}

int area_print(const struct area *a, int column, int row, enum style style, const char *format, ...)
{
  char text[TEXT_MAX];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return area_put(a, column, row, style, text);
}

/* The width in characters, not bytes. */
static int text_width(const struct canvas *canvas, const char *text, size_t size)
{
  const unsigned char *at = (const unsigned char *)text, *end = at + size;
  int n = 0;
  for (; *at && at < end; n++) next_character(canvas, &at);
  return n;
}

int area_wrap(const struct area *a, int column, int row, int indent, enum style style, const char *text)
{
  int x = column, rows = 1;
  while (*text) {
    const size_t size = strcspn(text, " ");
    const int n = text_width(a->canvas, text, size);
    const int left = column + (rows > 1 ? indent : 0);
    if (x > left && x + n > a->columns) {
      x = column + indent;
      rows++;
    }
    char word[TEXT_MAX];
    snprintf(word, sizeof word, "%.*s", (int)(size < TEXT_MAX ? size : TEXT_MAX - 1), text);
    x = area_put(a, x, row + rows - 1, style, word) + 1;
    text += size;
    text += strspn(text, " ");
  }
  return rows;
}
