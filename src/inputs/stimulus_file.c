/* SPDX-License-Identifier: MIT
 * Reads the table of a stimulus from a CSV file. Set-up only. */
#include "inputs/stimulus.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_READ = -2, TIME_COLUMN = -1 };

/* A file on its way into a table. */
struct csv {
  FILE *in;
  const char *file;
  int line;
  char *text; /* the present line */
  size_t room;
  int fields;  /* columns of the file */
  int *column; /* (fields) column of the table, TIME_COLUMN or NOT_READ */
  int size_rows;
  char *error;
  size_t error_size;
};

static bool refuse_line(struct csv *c, const char *expected, const char *found)
{
  snprintf(c->error, c->error_size, "%s:%d: expected %s, found %.60s", c->file, c->line, expected, found);
  return false;
}

/* The next line without its end. False: there is none. */
static bool next_row_text(struct csv *c)
{
  const ssize_t n = getline(&c->text, &c->room, c->in);
  if (n < 0) return false;
  c->line++;
  c->text[strcspn(c->text, "\r\n")] = '\0';
  return true;
}

/* Splits the line at a comma. NULL: no more fields. */
static char *next_field(char **rest)
{
  char *field = *rest, *comma = field ? strchr(field, ',') : NULL;
  if (comma) *comma = '\0';
  *rest = comma ? comma + 1 : NULL;
  if (field) field += strspn(field, " ");
  return field;
}

static bool is_of_rig(const struct signals *signals, int channel)
{
  for (int i = 0; i < signals->inputs; i++) {
    const struct input_spec *spec = &signals->input[i];
    if (channel >= spec->first && channel < spec->first + spec->count) return input_is_of_rig(spec->kind);
  }
  return false;
}

/* The first line: which fields are read. */
static bool read_column_names(struct csv *c, struct stimulus *s, const struct signals *signals)
{
  /* A field is the time, a channel, or left out. */
  bool timed = false;
  char *rest = c->text;
  for (char *name; (name = next_field(&rest));) {
    int *more = realloc(c->column, ((size_t)c->fields + 1) * sizeof *more);
    if (!more) return refuse_line(c, "memory", "none");
    c->column = more;
    c->column[c->fields] = NOT_READ;
    const int signal = signals_find(signals, name), channel = signal - signals->input_first;
    const bool input = signal >= 0 && channel >= 0 && channel < signals->channels;
    if (strcmp(name, "time") == 0) {
      c->column[c->fields] = TIME_COLUMN;
      timed = true;
    } else if (input && is_of_rig(signals, channel)) {
      return refuse_line(
          c, "no column of an input that brings a sign of the rig, because only the rig may send one", name);
    } else if (input) {
      int *channels = realloc(s->channel, ((size_t)s->columns + 1) * sizeof *channels);
      if (!channels) return refuse_line(c, "memory", "none");
      s->channel = channels;
      c->column[c->fields] = s->columns;
      s->channel[s->columns++] = channel;
    } else if (strncmp(name, "input.", 6) == 0) {
      return refuse_line(c, "channels of the inputs of this file, such as input.NAME.force.x", name);
    }
    c->fields++;
  }
  if (!timed) return refuse_line(c, "a column \"time\" in the first line", "none");
  return s->columns > 0 || refuse_line(c, "a column of an input, such as input.NAME.force.x", "none");
}

static bool make_room(struct csv *c, struct stimulus *s)
{
  if (s->rows < c->size_rows) return true;
  const int rows = c->size_rows ? 2 * c->size_rows : 1024;
  double *time = realloc(s->time, (size_t)rows * sizeof *time);
  if (time) s->time = time;
  double *value = realloc(s->value, (size_t)rows * (size_t)s->columns * sizeof *value);
  if (value) s->value = value;
  if (!time || !value) return refuse_line(c, "memory", "none");
  c->size_rows = rows;
  return true;
}

static bool read_row(struct csv *c, struct stimulus *s)
{
  int field = 0;
  char *rest = c->text;
  if (!make_room(c, s)) return false;
  /* Read the fields that are columns, then check the row. */
  for (char *text; (text = next_field(&rest)); field++) {
    if (field == c->fields) return refuse_line(c, "as many fields as in the first line", "more");
    if (c->column[field] == NOT_READ) continue;
    char *end;
    const double x = strtod(text, &end);
    if (end == text || end[strspn(end, " ")] || !isfinite(x)) return refuse_line(c, "a number", text);
    if (c->column[field] == TIME_COLUMN)
      s->time[s->rows] = x;
    else
      s->value[(size_t)s->rows * (size_t)s->columns + (size_t)c->column[field]] = x;
  }
  if (field < c->fields) return refuse_line(c, "as many fields as in the first line", "fewer");
  if (s->rows > 0 && !(s->time[s->rows] > s->time[s->rows - 1]))
    return refuse_line(c, "a time after that of the row before", "an earlier or equal one");
  s->rows++;
  return true;
}

static bool read_stimulus_table(struct csv *c, struct stimulus *s, const struct signals *signals)
{
  if (!next_row_text(c)) return refuse_line(c, "the names of columns in the first line", "nothing");
  if (!read_column_names(c, s, signals)) return false;
  while (next_row_text(c))
    if (c->text[0] && !read_row(c, s)) return false;
  return s->rows > 0 || refuse_line(c, "rows of numbers", "none");
}

bool stimulus_read(struct stimulus *s, const char *file, const struct signals *signals, char *error,
                   size_t size)
{
  struct csv c = {.file = file, .error = error, .error_size = size, .in = fopen(file, "re")};
  if (!c.in) {
    snprintf(error, size, "%s: %s", file, strerror(errno));
    return false;
  }
  const bool good = read_stimulus_table(&c, s, signals);
  fclose(c.in);
  free(c.text);
  free(c.column);
  return good;
}

void stimulus_free(struct stimulus *s)
{
  free(s->name);
  free(s->time);
  free(s->value);
  free(s->channel);
  *s = (struct stimulus){0};
}
