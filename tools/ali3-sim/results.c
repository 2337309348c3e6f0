/* SPDX-License-Identifier: MIT
 * ali3-sim merge: the rows of a sweep as HDF5. Each column is a dataset with its name: numbers as doubles, words as text. */
#include "sim.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

/* Cells of a CSV file, row by row; the first row has the names. The texts point into `bytes`. */
struct csv_cells {
  char *bytes;
  char **cell; /* (rows, columns) */
  long rows, columns;
};

/* Ends the cell at *at with a 0, without its quotes. Returns the cell; *at: after it; *end: the character behind it. */
static char *next_cell(char **at, char *end)
{
  char *from = *at, *to = *at, *cell = *at;
  bool quoted = *from == '"';
  if (quoted) from++;
  while (*from && (quoted || (*from != ',' && *from != '\n'))) {
    if (quoted && *from == '"' && from[1] != '"') {
      quoted = false;
      from++;
      continue;
    }
    if (quoted && *from == '"') from++;
    *to++ = *from++;
  }
  *end = *from;
  *at = *from ? from + 1 : from;
  *to = '\0';
  return cell;
}

static bool add_cell(struct csv_cells *c, long count, char *cell)
{
  if ((count & (count - 1)) == 0) {
    char **grown = realloc(c->cell, (size_t)(count ? 2 * count : 1) * sizeof *grown);
    if (!grown) return false;
    c->cell = grown;
  }
  c->cell[count] = cell;
  return true;
}

static bool read_cells(struct csv_cells *c, const char *file)
{
  /* The whole file, with a 0 at its end. */
  FILE *in = fopen(file, "rb");
  size_t used = 0, size = 0;
  FILE *out = in ? open_memstream(&c->bytes, &size) : NULL;
  char block[4096];
  while (out && (used = fread(block, 1, sizeof block, in)) > 0) fwrite(block, 1, used, out);
  bool good = out && fputc('\0', out) == 0 && fclose(out) == 0;
  if (in) fclose(in);
  /* Its cells: each line has as many as the first one. */
  long count = 0;
  char *at = c->bytes, end = '\n';
  while (good && *at) {
    good = add_cell(c, count, next_cell(&at, &end));
    count++;
    if (end == '\n' && c->columns == 0) c->columns = count;
  }
  c->rows = c->columns ? count / c->columns : 0;
  return good && c->rows > 0 && c->rows * c->columns == count;
}

static const char *cell_of(const struct csv_cells *c, long row, long column)
{
  return c->cell[row * c->columns + column];
}

/* False if a cell is no number. */
static bool read_csv_column(const struct csv_cells *c, long column, double *number)
{
  for (long i = 1; i < c->rows; i++) {
    char *end;
    const char *text = cell_of(c, i, column);
    number[i - 1] = strtod(text, &end);
    if (end == text || *end) return false;
  }
  return true;
}

static bool write_dataset(hid_t file, const char *name, hid_t type, hsize_t rows, const void *values)
{
  const hid_t space = H5Screate_simple(1, &rows, NULL);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  return good;
}

static bool write_texts(hid_t file, const struct csv_cells *c, long column)
{
  size_t longest = 1;
  for (long i = 1; i < c->rows; i++)
    if (strlen(cell_of(c, i, column)) > longest) longest = strlen(cell_of(c, i, column));
  char *texts = calloc((size_t)c->rows, longest);
  if (!texts) return false;
  for (long i = 1; i < c->rows; i++)
    memcpy(texts + (size_t)(i - 1) * longest, cell_of(c, i, column), strlen(cell_of(c, i, column)));
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, longest);
  const bool good = write_dataset(file, cell_of(c, 0, column), type, (hsize_t)(c->rows - 1), texts);
  H5Tclose(type);
  free(texts);
  return good;
}

bool results_write_hdf5(const char *csv, const char *file)
{
  struct csv_cells c = {0};
  char fresh[4200];
  bool good = read_cells(&c, csv);
  double *number = good ? calloc((size_t)c.rows, sizeof *number) : NULL;
  snprintf(fresh, sizeof fresh, "%s.new", file);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* the message below is enough */
  const hid_t out = number ? H5Fcreate(fresh, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : -1;
  /* One dataset for each column; the file is complete or absent. */
  good = out >= 0;
  for (long k = 0; good && k < c.columns; k++)
    good = read_csv_column(&c, k, number)
               ? write_dataset(out, cell_of(&c, 0, k), H5T_NATIVE_DOUBLE, (hsize_t)(c.rows - 1), number)
               : write_texts(out, &c, k);
  if (out >= 0) good = H5Fclose(out) >= 0 && good;
  if (good) good = rename(fresh, file) == 0;
  if (!good) {
    fprintf(stderr, "ali3-sim: merge: %s: cannot be written as HDF5\n", file);
    remove(fresh);
  }
  free(number);
  free(c.cell);
  free(c.bytes);
  return good;
}
