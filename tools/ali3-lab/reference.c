/* SPDX-License-Identifier: MIT
 * ali3-lab: a motion from a CSV file, with the time in its first column and signals by the names of ali3-sim, as what
 * a run is compared with. */
#include "lab_tool.h"

#include <ali3/model.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSE = 7 }; /* numbers of a body: position, and Euler parameters */

struct reference {
  char *header; /* cut into names */
  const char **name;
  int columns, bodies;
  int *column; /* (bodies, POSE) columns of a model's bodies; -1: none */
  double *value;
  long rows, room; /* (rows, columns) */
};

void reference_close(struct reference *r)
{
  if (!r) return;
  free(r->header);
  free(r->name);
  free(r->column);
  free(r->value);
  free(r);
}

static bool read_names(struct reference *r)
{
  r->name = calloc(strlen(r->header) + 1, sizeof *r->name);
  char *rest = NULL;
  for (char *word = strtok_r(r->header, ",\r\n", &rest); r->name && word;
       word = strtok_r(NULL, ",\r\n", &rest))
    r->name[r->columns++] = word;
  return r->columns > 1;
}

/* Appends the numbers of a line. False where there are not as many as the header has names. */
static bool read_reference_row(struct reference *r, const char *line)
{
  if (r->rows == r->room) {
    r->room = r->room ? 2 * r->room : 256;
    double *more = realloc(r->value, sizeof *more * (size_t)(r->room * r->columns));
    if (!more) return false;
    r->value = more;
  }
  double *at = r->value + r->rows++ * r->columns;
  for (int i = 0; i < r->columns; i++) {
    char *end;
    at[i] = strtod(line, &end);
    const char after = i + 1 < r->columns ? ',' : '\n';
    if (end == line || (*end != after && !(after == '\n' && (*end == '\r' || *end == '\0')))) return false;
    line = end + 1;
  }
  return true;
}

int reference_column(const struct reference *r, const char *name)
{
  for (int i = 0; i < r->columns; i++)
    if (strcmp(r->name[i], name) == 0) return i;
  return -1;
}

static bool find_bodies(struct reference *r, const ali3_model *m)
{
  static const char *const part[POSE] = {"position.x",     "position.y",     "position.z",
                                         "orientation.e0", "orientation.e1", "orientation.e2",
                                         "orientation.e3"};
  bool any = false;
  r->bodies = ali3_model_bodies(m);
  r->column = calloc((size_t)(POSE * r->bodies), sizeof *r->column);
  for (int b = 0; r->column && b < r->bodies; b++)
    for (int k = 0; k < POSE; k++) {
      char name[300];
      snprintf(name, sizeof name, "body.%s.%s", ali3_model_body_name(m, b), part[k]);
      r->column[POSE * b + k] = reference_column(r, name);
      any |= r->column[POSE * b + k] >= 0;
    }
  return any;
}

static struct reference *read_reference(FILE *in, const char *file, const ali3_model *m)
{
  struct reference *r = calloc(1, sizeof *r);
  char *line = NULL;
  size_t size = 0;
  long number = 1;
  /* The header, then the numbers. */
  bool good = r && getline(&line, &size, in) > 0;
  if (good) {
    r->header = line;
    line = NULL;
    size = 0;
    good = read_names(r);
  }
  while (good && getline(&line, &size, in) > 0) {
    number++;
    good = read_reference_row(r, line);
  }
  free(line);
  /* Report the mistake. */
  if (!good)
    fprintf(stderr, "ali3-lab: %s:%ld: expected %s\n", file, number,
            number == 1 ? "a header of signal names, time first" : "a number for each name of the header");
  else if (m && !find_bodies(r, m)) {
    fprintf(stderr,
            "ali3-lab: %s:1: expected body.NAME.position.x of a body of the model, found no such column\n",
            file);
    good = false;
  }
  if (good) return r;
  reference_close(r);
  return NULL;
}

struct reference *reference_open(const char *file, const ali3_model *m)
{
  FILE *in = fopen(file, "r");
  if (!in) {
    fprintf(stderr, "ali3-lab: %s: %s\n", file, strerror(errno));
    return NULL;
  }
  struct reference *r = read_reference(in, file, m);
  fclose(in);
  return r;
}

long reference_row(const struct reference *r, double time)
{
  long low = 0, high = r->rows;
  const double near = 1e-9 * (1 + fabs(time));
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (r->value[middle * r->columns] < time - near)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->rows && fabs(r->value[low * r->columns] - time) <= near ? low : -1;
}

double reference_value(const struct reference *r, long row, int column)
{
  return r->value[row * r->columns + column];
}

double reference_error(const struct reference *r, long row, const struct lab_state *s)
{
  double worst = 0;
  for (int b = 0; b < r->bodies; b++) {
    struct lab_body body;
    double exact[POSE], found[POSE], sign = 0;
    lab_body_get(s, b, &body);
    memcpy(found, body.position, sizeof body.position);
    memcpy(found + 3, body.orientation, sizeof body.orientation);
    for (int k = 0; k < POSE; k++) {
      const int column = r->column[POSE * b + k];
      exact[k] = column < 0 ? NAN : reference_value(r, row, column);
      if (k >= 3) sign += exact[k] * found[k];
    }
    /* p and -p are one orientation; fmax() passes over what the file does not have. */
    for (int k = 0; k < POSE; k++)
      worst = fmax(worst, fabs((k >= 3 && sign < 0 ? -found[k] : found[k]) - exact[k]));
    if (isnan(found[0])) return NAN;
  }
  return worst;
}
