/* SPDX-License-Identifier: MIT
 * Numbers of the model file, and places of links in bodies. */
#include "import.h"

#include <stdlib.h>

void number_write(FILE *out, double x)
{
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x + 0.0);
    if (strtod(text, NULL) == x) break;
  }
  fputs(text, out);
}

static void write_list(FILE *out, const double *x, int count)
{
  for (int i = 0; i < count; i++) {
    fputs(i ? ", " : "[", out);
    number_write(out, x[i]);
  }
  fputc(']', out);
}

void vector_write(FILE *out, const double v[3])
{
  write_list(out, v, 3);
}

void euler_write(FILE *out, const double R[9])
{
  double e[4];
  frame_euler(e, R);
  write_list(out, e, 4);
}

struct frame link_in_body(const struct robot *r, int link)
{
  const struct link *l = &r->link[link];
  const struct group *g = &r->group[l->group];
  struct frame f = l->in_group;
  if (g->ground) return frame_chain(&r->pose[g->root], &f);
  for (int i = 0; i < 3; i++) f.p[i] -= g->inertia.centre[i];
  return f;
}
