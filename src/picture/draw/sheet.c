/* SPDX-License-Identifier: MIT */
#include "draw/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of labels on the page. */
static const double LABEL_HEIGHT = 13, LETTER_WIDTH = 7, LABEL_GAP = 7, LABEL_EDGE = 4;
enum { LABEL_RINGS = 24, LABEL_BESIDE = 2 /* rings in which a label needs no line */ };

static void *grow_sheet(struct sheet *s, void *list, int count, int *room, size_t size)
{
  if (count < *room) return list;
  const int more = 2 * *room + 64;
  void *grown = realloc(list, (size_t)more * size);
  if (!grown) {
    s->failed = true;
    return NULL;
  }
  *room = more;
  return grown;
}

void sheet_add(struct sheet *s, struct sheet_shape shape)
{
  struct sheet_shape *list = grow_sheet(s, s->shape, s->shapes, &s->shape_room, sizeof *list);
  if (!list) {
    free(shape.outline);
    return;
  }
  s->shape = list;
  shape.order = s->shapes;
  s->shape[s->shapes++] = shape;
}

static double shared_length(double a, double a_size, double b, double b_size)
{
  return fmax(0, fmin(a + a_size, b + b_size) - fmax(a, b));
}

/* The area that a label shares with labels that have their place, and that lies off the page. */
static double covered_area(const struct sheet *s, const struct sheet_label *l)
{
  const double inside = shared_length(l->left, l->width, LABEL_EDGE, s->width - 2 * LABEL_EDGE) *
                        shared_length(l->top, l->height, LABEL_EDGE, s->height - 2 * LABEL_EDGE);
  double area = fmax(0, l->width * l->height - inside);
  if (area < 1e-6 * l->width * l->height) area = 0; /* rounding */
  for (int i = 0; i < s->labels; i++) {
    const struct sheet_label *o = &s->label[i];
    area += shared_length(l->left, l->width, o->left, o->width) *
            shared_length(l->top, l->height, o->top, o->height);
  }
  return area;
}

void sheet_label(struct sheet *s, const double anchor[2], const char *text, const char *style)
{
  struct sheet_label *list = grow_sheet(s, s->label, s->labels, &s->label_room, sizeof *list);
  if (!list) return;
  s->label = list;
  struct sheet_label best = {.anchor = {anchor[0], anchor[1]},
                             .width = LETTER_WIDTH * (double)strlen(text),
                             .height = LABEL_HEIGHT,
                             .text = text,
                             .style = style};
  /* Try places around the anchor, the near ones first, and take the freest. */
  double least = INFINITY;
  struct sheet_label l = best;
  for (int ring = 0; ring < LABEL_RINGS && least > 0; ring++)
    for (int k = 0; k < 8 && least > 0; k++) {
      static const double side[8][2] = {{1, -1}, {1, 0}, {1, 1}, {-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}};
      const double gap = LABEL_GAP + ring * LABEL_HEIGHT;
      l.left = anchor[0] + side[k][0] * gap - 0.5 * (1 - side[k][0]) * l.width;
      l.top = anchor[1] + side[k][1] * gap - 0.5 * l.height;
      const double area = covered_area(s, &l);
      if (area >= least) continue;
      least = area;
      l.away = ring >= LABEL_BESIDE;
      best = l;
    }
  s->label[s->labels++] = best;
}

static int compare_depths(const void *a, const void *b)
{
  const struct sheet_shape *x = a, *y = b;
  if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
  return x->order - y->order;
}

static void write_class(FILE *out, const struct sheet_shape *p)
{
  fprintf(out, " class=\"%s", p->style);
  if (p->colour >= 0) fprintf(out, " c%d", p->colour);
  fputc('"', out);
}

static void write_shape(FILE *out, const struct sheet_shape *p)
{
  const double(*point)[2] = p->outline ? (const double(*)[2])p->outline : p->point;
  if (p->points == 1) {
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", p->point[0][0], p->point[0][1], p->width);
  } else if (p->points == 2) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", p->point[0][0], p->point[0][1],
            p->point[1][0], p->point[1][1]);
    if (p->width > 0) fprintf(out, " stroke-width=\"%.1f\"", p->width);
  } else {
    fputs("<polygon points=\"", out);
    for (int i = 0; i < p->points; i++) fprintf(out, "%s%.1f,%.1f", i ? " " : "", point[i][0], point[i][1]);
    fputc('"', out);
    if (p->fill) fprintf(out, " fill=\"%s\"", p->fill);
  }
  write_class(out, p);
  fputs("/>\n", out);
}

void sheet_write_text(FILE *out, const char *text)
{
  for (; *text; text++) switch (*text) {
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '&':
      fputs("&amp;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
}

void sheet_write(struct sheet *s, FILE *out)
{
  if (s->shapes) qsort(s->shape, (size_t)s->shapes, sizeof *s->shape, compare_depths);
  for (int i = 0; i < s->shapes; i++) write_shape(out, &s->shape[i]);
  for (int i = 0; i < s->labels; i++) {
    const struct sheet_label *l = &s->label[i];
    if (l->away)
      fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"lead\"/>\n", l->anchor[0],
              l->anchor[1], fmin(fmax(l->anchor[0], l->left), l->left + l->width),
              fmin(fmax(l->anchor[1], l->top), l->top + l->height));
  }
  for (int i = 0; i < s->labels; i++) {
    const struct sheet_label *l = &s->label[i];
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", l->left, l->top + 0.8 * l->height, l->style);
    sheet_write_text(out, l->text);
    fputs("</text>\n", out);
  }
}

void sheet_free(struct sheet *s)
{
  for (int i = 0; i < s->shapes; i++) free(s->shape[i].outline);
  free(s->shape);
  free(s->label);
  *s = (struct sheet){0};
}
