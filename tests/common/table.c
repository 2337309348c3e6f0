/* SPDX-License-Identifier: MIT */
#include "common/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_header(struct table *t, FILE *f)
{
  size_t room = 0;
  if (getline(&t->text, &room, f) <= 0) return -1;
  t->text[strcspn(t->text, "\n")] = 0;
  t->columns = 1;
  for (const char *c = t->text; *c; c++) t->columns += *c == ',';
  t->name = calloc((size_t)t->columns, sizeof *t->name);
  if (!t->name) return -1;
  char *rest = t->text;
  for (int i = 0; i < t->columns; i++) t->name[i] = strsep(&rest, ",");
  return 0;
}

static int read_row(struct table *t, const char *line)
{
  size_t columns = (size_t)t->columns, used = (size_t)t->rows * columns;
  double *grown = realloc(t->value, (used + columns) * sizeof *grown);
  if (!grown) return -1;
  t->value = grown;
  for (int i = 0; i < t->columns; i++) {
    char *end;
    t->value[used + (size_t)i] = strtod(line, &end);
    if (end == line || *end != (i + 1 < t->columns ? ',' : '\n')) return -1;
    line = end + 1;
  }
  t->rows++;
  return 0;
}

int table_read(struct table *t, const char *file)
{
  char *line = NULL;
  size_t room = 0;
  int status = 0;
  *t = (struct table){0};
  FILE *f = fopen(file, "r");
  if (!f || read_header(t, f) < 0) status = -1;
  while (status == 0 && getline(&line, &room, f) > 0) status = read_row(t, line);
  if (status < 0) fprintf(stderr, "%s: expected a table of numbers, stopped after row %d\n", file, t->rows);
  free(line);
  if (f) fclose(f);
  return status;
}

void table_free(struct table *t)
{
  free(t->text);
  free(t->name);
  free(t->value);
  *t = (struct table){0};
}

int table_find(const struct table *t, const char *name)
{
  for (int i = 0; i < t->columns; i++)
    if (strcmp(t->name[i], name) == 0) return i;
  return -1;
}
