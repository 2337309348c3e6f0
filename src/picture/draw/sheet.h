/* SPDX-License-Identifier: MIT
 * A sheet of SVG: shapes that lie one behind the other, and labels that keep clear of each other. */
#ifndef DRAW_SHEET_H
#define DRAW_SHEET_H

#include <stdbool.h>
#include <stdio.h>

enum { SHAPE_POINTS_MOST = 6 };
struct sheet_shape {
  double depth; /* nearer to the eye is larger */
  int order;    /* number of the shape */
  int points;   /* 1: a mark; 2: a line; more: a polygon */
  double point[SHAPE_POINTS_MOST][2];
  const char *style; /* class of the style sheet */
  int colour;        /* number of the class of a colour; -1: none */
  const char *fill;  /* colour in place of that of the class; NULL: none */
  double (*outline)
      [2];      /* (points) a polygon with more points than `point` holds; NULL: none. The sheet frees it. */
  double width; /* line: width on the page, 0: as the style says; mark: radius */
};

struct sheet_label {
  double anchor[2], left, top, width, height;
  bool away; /* a line leads to its anchor */
  const char *text, *style;
};

struct sheet {
  struct sheet_shape *shape; /* (shapes) */
  struct sheet_label *label; /* (labels) */
  int shapes, shape_room, labels, label_room;
  double width, height; /* of the page: labels stay inside */
  bool failed;          /* out of memory */
};

/* Appends a shape. */
void sheet_add(struct sheet *s, struct sheet_shape shape);
/* Appends a label at a free place near its anchor, with a line to the anchor if it is not beside it. The text lives as long as
 * the sheet. */
void sheet_label(struct sheet *s, const double anchor[2], const char *text, const char *style);
/* Writes all shapes, those farther from the eye first, and then the labels. */
void sheet_write(struct sheet *s, FILE *out);
void sheet_free(struct sheet *s);

/* Writes a text with the escapes of XML. */
void sheet_write_text(FILE *out, const char *text);

#endif
