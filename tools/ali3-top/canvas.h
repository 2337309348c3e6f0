/* SPDX-License-Identifier: MIT
 * A grid of characters with styles, and areas of it. Text outside an area is cut off, so callers need not know the
 * room. */
#ifndef ALI3_TOP_CANVAS_H
#define ALI3_TOP_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

enum style {
  STYLE_PLAIN,
  STYLE_FAINT,
  STYLE_TITLE,
  STYLE_GOOD,
  STYLE_WARN,
  STYLE_BAD,
  STYLE_BAR,
  STYLE_MARK,
  STYLE_INVERSE,
  STYLES
};

struct cell {
  wchar_t c;
  enum style style;
};

struct canvas {
  int columns, rows;
  bool utf8; /* characters outside ASCII may be drawn */
  struct cell *cell;
};

/* Makes it blank with a new size. Returns false when out of memory; its size is then 0. */
bool canvas_resize(struct canvas *c, int columns, int rows);
void canvas_free(struct canvas *c);

struct area {
  struct canvas *canvas;
  int column, row, columns, rows;
};

struct area area_of(struct canvas *c);
/* A part of an area, limited to the area. */
struct area area_part(const struct area *a, int column, int row, int columns, int rows);
void area_clear(const struct area *a);
void area_cell(const struct area *a, int column, int row, enum style style, wchar_t c);
/* Puts UTF-8 text. A character that is not printable or not one column wide becomes a question mark. Returns the column
 * after the text, also if it was cut off. */
int area_put(const struct area *a, int column, int row, enum style style, const char *text);
__attribute__((format(printf, 5, 6))) int area_print(const struct area *a, int column, int row,
                                                     enum style style, const char *format, ...);
/* Puts text in as many rows as it needs, broken at blanks; rows after the first are indented by `indent`. Returns the
 * number of rows. */
int area_wrap(const struct area *a, int column, int row, int indent, enum style style, const char *text);

#endif
