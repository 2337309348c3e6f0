/* SPDX-License-Identifier: MIT
 * A grid of characters with styles, and areas of it to draw in. What is drawn beyond an area is cut off, so that whoever
 * draws need not know how much room there is. */
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
  bool utf8; /* what is no ASCII may be drawn */
  struct cell *cell;
};

/* Blank, of a new size. False when out of memory: it is then of size 0. */
bool canvas_resize(struct canvas *c, int columns, int rows);
void canvas_free(struct canvas *c);
/* A row in UTF-8, without the blanks at its end. */
void canvas_text(const struct canvas *c, int row, char *text, size_t size);

struct area {
  struct canvas *canvas;
  int column, row, columns, rows;
};

struct area area_of(struct canvas *c);
/* A part of an area, as much of it as lies within. */
struct area area_part(const struct area *a, int column, int row, int columns, int rows);
void area_clear(const struct area *a);
void area_cell(const struct area *a, int column, int row, enum style style, wchar_t c);
/* UTF-8, of which each character that is no printable one of a single column becomes a question mark. Returns the column
 * after it, cut off or not. */
int area_put(const struct area *a, int column, int row, enum style style, const char *text);
__attribute__((format(printf, 5, 6))) int area_print(const struct area *a, int column, int row,
                                                     enum style style, const char *format, ...);
/* In as many rows as it takes, broken at blanks, from the second on `indent` further right. Returns how many. */
int area_wrap(const struct area *a, int column, int row, int indent, enum style style, const char *text);

#endif
