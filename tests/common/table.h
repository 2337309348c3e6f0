/* SPDX-License-Identifier: MIT
 * Reads a CSV file of numbers with one line of column names. */
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stddef.h>

struct table {
  char *text; /* the header; the names point into it */
  char **name;
  int columns, rows;
  double *value; /* (rows, columns) */
};

/* Returns 0, or -1 after it printed the error. */
int table_read(struct table *t, const char *file);
void table_free(struct table *t);
/* Column of a name, or -1. */
int table_find(const struct table *t, const char *name);

static inline const double *table_row(const struct table *t, int row)
{
  return t->value + (size_t)row * (size_t)t->columns;
}

#endif
