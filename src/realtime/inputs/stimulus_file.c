/* SPDX-License-Identifier: MIT
 * Reads the table of a stimulus from a CSV file. Set-up only. */
#include "inputs/stimulus.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_READ = -2, TIME_COLUMN = -1, FILE_MB = 64 };
static const size_t FILE_MOST = (size_t)FILE_MB << 20;

/* A file on its way into a table. */
struct csv {
  FILE *in;
  const char *file;
  int line;
  size_t bytes; /* read so far */
  char *text;   /* the present line */
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

/* The next line without its end. False: there is none. A file may grow while it is read, so its bytes count. */
static bool next_row_text(struct csv *c)
{
  const ssize_t n = c->bytes > FILE_MOST ? -1 : getline(&c->text, &c->room, c->in);
  if (n < 0) return false;
  c->bytes += (size_t)n;
  c->line++;
  c->text[strcspn(c->text, "\r\n")] = '\0';
  return true;
}

/* Takes the quotes of RFC 4180 off a field, in which "" is one quote. Returns the end of the field. */
static char *unquote_field(char *field)
{
  char *to = field, *from = field + 1;
  for (; *from && !(*from == '"' && from[1] != '"'); from++) {
    from += *from == '"';
    *to++ = *from;
  }
  from += *from == '"';
  *to = '\0';
  return from;
}

/* The next field of a line, without blanks around it. NULL: no more fields. */
static char *next_field(char **rest)
{
  char *field = *rest;
  if (!field) return NULL;
  field += strspn(field, " \t");
  char *end = *field == '"' ? unquote_field(field) : field, *comma = strchr(end, ',');
  if (comma) *comma = '\0';
  *rest = comma ? comma + 1 : NULL;
  for (size_t n = strlen(field); n > 0 && strchr(" \t", field[n - 1]); n--) field[n - 1] = '\0';
  return field;
}

/* Takes the unit off a name such as "time [s]". Returns the unit; NULL: the name has none. */
static const char *split_unit(char *name)
{
  char *open = strrchr(name, '['), *close = open ? strchr(open, ']') : NULL;
  if (!close || close[1] || open == name) return NULL;
  *open = *close = '\0';
  for (char *end = open; end > name && end[-1] == ' '; end--) end[-1] = '\0';
  return open + 1;
}

static bool unit_is(struct csv *c, const char *name, const char *unit, const char *expected)
{
  char text[160];
  if (!unit || strcmp(unit, expected) == 0) return true;
  snprintf(text, sizeof text, "%.80s [%s]", name, expected);
  return refuse_line(c, text, unit);
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
  static const char BOM[] = "\xef\xbb\xbf";
  bool timed = false;
  char *rest = c->text + (strncmp(c->text, BOM, 3) == 0 ? 3 : 0), first[64] = "";
  if (strchr(rest, ';'))
    return refuse_line(
        c, "commas between the columns and points in the numbers; save the table as CSV in English",
        "semicolons");
  for (char *name; (name = next_field(&rest));) {
    const char *unit = split_unit(name);
    if (c->fields == 0) snprintf(first, sizeof first, "%s", name);
    int *more = realloc(c->column, ((size_t)c->fields + 1) * sizeof *more);
    if (!more) return refuse_line(c, "memory", "none");
    c->column = more;
    c->column[c->fields] = NOT_READ;
    const int signal = signals_find(signals, name), channel = signal - signals->input_first;
    const bool input = signal >= 0 && channel >= 0 && channel < signals->channels;
    if (strcmp(name, "time") == 0) {
      if (!unit_is(c, name, unit, "s")) return false;
      c->column[c->fields] = TIME_COLUMN;
      timed = true;
    } else if (input && is_of_rig(signals, channel)) {
      return refuse_line(
          c, "no column of an input that brings a sign of the rig, because only the rig may send one", name);
    } else if (input) {
      if (!unit_is(c, name, unit, signals->signal[signal].unit)) return false;
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
  if (!timed) return refuse_line(c, "a column \"time\" in the first line", first);
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
    if (end == text || end[strspn(end, " ")] || !isfinite(x))
      return refuse_line(c, strchr(text, ',') ? "a number with a decimal point" : "a number", text);
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
  if (c->bytes > FILE_MOST) return refuse_line(c, "a file of at most 64 MB", "a larger one");
  return s->rows > 0 || refuse_line(c, "rows of numbers", "none");
}

/* Only a regular file is opened, because a FIFO or a device would stop the daemon that reads it. NULL: the reason in
 * error[size]. */
static FILE *open_table(const char *file, char *error, size_t size)
{
  struct stat st;
  const int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 || fstat(fd, &st) != 0)
    snprintf(error, size, "%s: %s", file, strerror(errno));
  else if (!S_ISREG(st.st_mode))
    snprintf(error, size, "%s: expected a regular file, found a FIFO, a folder or a device", file);
  else if ((uint64_t)st.st_size > FILE_MOST)
    snprintf(error, size, "%s: expected at most %d MB, found %.1f MB", file, FILE_MB,
             (double)st.st_size / (1 << 20));
  else
    return fdopen(fd, "r");
  if (fd >= 0) close(fd);
  return NULL;
}

bool stimulus_read(struct stimulus *s, const char *file, const struct signals *signals, char *error,
                   size_t size)
{
  struct csv c = {.file = file, .error = error, .error_size = size};
  c.in = open_table(file, error, size);
  if (!c.in) return false;
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
