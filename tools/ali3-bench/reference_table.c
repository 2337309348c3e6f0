/* SPDX-License-Identifier: MIT
 * Reads and compares motions over time. */
#include "reference_table.h"

#include <ali3/model.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_positions(struct reference_table *t, int rows, int bodies)
{
  t->rows = rows;
  t->bodies = bodies;
  t->time = calloc((size_t)rows + 1, sizeof *t->time);
  t->r = calloc((size_t)rows * (size_t)bodies + 1, sizeof *t->r);
  return t->time && t->r;
}

bool reference_make(struct reference_table *t, int rows, const ali3_model *m)
{
  t->joints = ali3_model_joints(m);
  if (!make_positions(t, rows, ali3_model_bodies(m))) return false;
  t->p = calloc((size_t)rows * (size_t)t->bodies + 1, sizeof *t->p);
  t->angle = calloc((size_t)rows * (size_t)t->joints + 1, sizeof *t->angle);
  return t->p && t->angle && distance_scale_make(&t->scale, m);
}

void reference_free(struct reference_table *t)
{
  free(t->time);
  free(t->r);
  free(t->p);
  free(t->angle);
  distance_scale_free(&t->scale);
  *t = (struct reference_table){0};
}

/* column: (columns) 3 body + axis, -1: time, -2: another column. Returns the number of columns that were found. */
static int find_columns(const ali3_model *m, char *head, int *column, int most, int *columns)
{
  int found = 0;
  for (char *rest = head, *name; *columns < most && (name = strsep(&rest, ",\n"));) {
    char body[200];
    char axis = 0;
    int *o = &column[(*columns)++];
    *o = -2;
    if (strcmp(name, "time") == 0) *o = -1;
    if (sscanf(name, "body.%199[^.].position.%c", body, &axis) == 2 && axis >= 'x' && axis <= 'z') {
      const int b = ali3_model_find_body(m, body);
      if (b >= 0) *o = 3 * b + (axis - 'x');
    }
    found += *o > -2;
  }
  return found;
}

/* The numbers of one line. False: a column has no number. */
static bool read_table_row(struct reference_table *t, char *line, const int *column, int columns)
{
  char *rest = line;
  double *r = t->r[(size_t)t->rows * (size_t)t->bodies];
  for (int i = 0; i < 3 * t->bodies; i++) r[i] = NAN;
  for (int i = 0; i < columns; i++) {
    char *word = strsep(&rest, ",\n"), *end = NULL;
    if (!word) return false;
    if (column[i] == -2) continue;
    const double x = strtod(word, &end);
    if (end == word || *end) return false;
    *(column[i] == -1 ? &t->time[t->rows] : &r[column[i]]) = x;
  }
  return true;
}

static int count_lines(FILE *f)
{
  int lines = 0;
  for (int c; (c = getc(f)) != EOF;) lines += c == '\n';
  rewind(f);
  return lines;
}

/* The rows of an open file. False: a column or a number is missing, or no memory is left. */
static bool read_positions(struct reference_table *t, const ali3_model *m, FILE *f, double until)
{
  const int bodies = ali3_model_bodies(m), most = 64 * (bodies + 64);
  int *column = calloc((size_t)most, sizeof *column), columns = 0;
  char *line = NULL;
  size_t room = 0;
  bool good = column && make_positions(t, count_lines(f), bodies) && getline(&line, &room, f) > 0 &&
              find_columns(m, line, column, most, &columns) > 3;
  t->rows = 0;
  while (good && getline(&line, &room, f) > 0) {
    good = read_table_row(t, line, column, columns);
    if (!good || t->time[t->rows] > until) break;
    t->rows++;
  }
  free(line);
  free(column);
  return good && t->rows > 1;
}

bool reference_read(struct reference_table *t, const ali3_model *m, const char *file, double until,
                    bool *missing)
{
  FILE *f = fopen(file, "r");
  *missing = !f && errno == ENOENT;
  if (!f) return false;
  const bool good = read_positions(t, m, f, until);
  fclose(f);
  if (!good) reference_free(t);
  return good;
}

void reference_set(struct reference_table *t, int row, const ali3_model *m, const ali3_data *d, double time)
{
  t->time[row] = time;
  for (int b = 0; b < t->bodies; b++) {
    ali3_body_state x;
    ali3_body_get(m, d, b, &x);
    memcpy(t->r[row * t->bodies + b], x.position, sizeof x.position);
    memcpy(t->p[row * t->bodies + b], x.orientation, sizeof x.orientation);
  }
  for (int j = 0; j < t->joints; j++) {
    ali3_joint_state x;
    ali3_joint_get(m, d, j, &x);
    t->angle[row * t->joints + j] = x.position;
  }
}

/* The larger one; NaN stays. */
static double larger_distance(double a, double b)
{
  return b <= a ? a : b;
}

double reference_distance(const struct reference_table *t, int row, const ali3_model *m, const ali3_data *d)
{
  double largest = 0.0;
  for (int b = 0; b < t->bodies; b++) {
    ali3_body_state x;
    const int at = row * t->bodies + b;
    if (isnan(t->r[at][0])) continue; /* the file lacks this body */
    ali3_body_get(m, d, b, &x);
    largest = larger_distance(
        largest, t->p ? distance_of_poses(t->scale.size[b], x.position, x.orientation, t->r[at], t->p[at])
                      : distance_of_poses(0.0, x.position, x.orientation, t->r[at], x.orientation));
  }
  for (int j = 0; t->angle && j < t->joints; j++) {
    ali3_joint_state x;
    int body;
    ali3_joint_get(m, d, j, &x);
    largest = larger_distance(
        largest, distance_of_angles(m, &t->scale, j, x.position, t->angle[row * t->joints + j], &body));
  }
  return largest;
}
