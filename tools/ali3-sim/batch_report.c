/* SPDX-License-Identifier: MIT */
#include "batch_report.h"
#include "common/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTCOMES_MOST = 16, LISTED_MOST = 60, PANELS_MOST = 12, PARAMETERS_SHOWN = 3 };

/* The rows of the output. Columns are those of the quantities; NaN: empty. */
struct batch_rows {
  const struct options *o;
  const struct sweep *sweep;
  char *head;
  const char **name; /* (columns), in head */
  int columns;
  long rows, room;
  long *run;     /* (rows) */
  double *value; /* (rows, columns) */
  struct {
    char word[32];
    long runs;
  } outcome[OUTCOMES_MOST];
  int outcomes;
};

static void free_batch_rows(struct batch_rows *b)
{
  free(b->head);
  free(b->name);
  free(b->run);
  free(b->value);
}

/* --- reading --- */

/* Cuts the last `count` fields off a line: fields[0] is the first of them. False: the line has fewer. */
static bool cut_fields(char *line, const char **fields, int count)
{
  for (int i = count - 1; i >= 0; i--) {
    char *comma = strrchr(line, ',');
    if (!comma) return false;
    fields[i] = comma + 1;
    *comma = '\0';
  }
  return true;
}

static void count_outcome(struct batch_rows *b, const char *word)
{
  int i = 0;
  while (i < b->outcomes && strcmp(b->outcome[i].word, word) != 0) i++;
  if (i == OUTCOMES_MOST) return;
  if (i == b->outcomes) snprintf(b->outcome[b->outcomes++].word, sizeof b->outcome[i].word, "%.31s", word);
  b->outcome[i].runs++;
}

static bool make_row_room(struct batch_rows *b)
{
  if (b->rows < b->room) return true;
  const long room = 2 * b->room + 64;
  long *run = realloc(b->run, (size_t)room * sizeof *run);
  if (run) b->run = run;
  double *value = run ? realloc(b->value, (size_t)room * (size_t)(b->columns + 1) * sizeof *value) : NULL;
  if (value) b->value = value;
  if (value) b->room = room;
  return value != NULL;
}

/* fields: room for the outcome, the numbers of steps, and the quantities. */
static bool take_row(struct batch_rows *b, char *line, const char **fields)
{
  enum { BEFORE = 4 }; /* outcome and three numbers of steps */
  line[strcspn(line, "\r\n")] = '\0';
  if (!cut_fields(line, fields, BEFORE + b->columns)) return true; /* a row that was cut */
  if (!make_row_room(b)) return false;
  count_outcome(b, fields[0]);
  b->run[b->rows] = strtol(line, NULL, 10);
  for (int i = 0; i < b->columns; i++) {
    const char *text = fields[BEFORE + i];
    b->value[b->rows * b->columns + i] = *text ? strtod(text, NULL) : NAN;
  }
  b->rows++;
  return true;
}

/* False after printing the reason. */
static bool read_rows(struct batch_rows *b)
{
  char *line = NULL;
  size_t size = 0;
  FILE *f = fopen(b->o->output, "re");
  const char **fields = calloc((size_t)b->columns + 8, sizeof *fields);
  bool good = f && fields;
  /* The first line is the head. */
  if (good) good = getline(&line, &size, f) > 0;
  while (good && getline(&line, &size, f) > 0) good = take_row(b, line, fields);
  if (!good) fprintf(stderr, "ali3-sim: %s: cannot be read again: %s\n", b->o->output, strerror(errno));
  free(line);
  free(fields);
  if (f) fclose(f);
  return good;
}

/* --- table --- */

static const char *last_word(const char *key)
{
  const char *dot = strrchr(key, '.');
  return dot ? dot + 1 : key;
}

/* The run of a value, with its first parameters. */
static void name_run(const struct batch_rows *b, long run, char *text, size_t size)
{
  char value[SWEEP_VALUE];
  size_t used = (size_t)snprintf(text, size, "run %ld", run);
  for (int i = 0; i < b->sweep->parameters && i < PARAMETERS_SHOWN && used < size; i++) {
    char *end;
    sweep_value(b->sweep, run, i, value);
    const double x = strtod(value, &end);
    const char *key = last_word(b->sweep->parameter[i].key);
    used += (size_t)(*end ? snprintf(text + used, size - used, ", %s %s", key, value)
                          : snprintf(text + used, size - used, ", %s %.5g", key, x));
  }
}

/* Rows of the least and of the greatest value. False: no run has one. */
static bool find_extremes(const struct batch_rows *b, int column, long row[2])
{
  row[0] = row[1] = -1;
  for (long r = 0; r < b->rows; r++) {
    const double x = b->value[r * b->columns + column];
    if (isnan(x)) continue;
    if (row[0] < 0 || x < b->value[row[0] * b->columns + column]) row[0] = r;
    if (row[1] < 0 || x > b->value[row[1] * b->columns + column]) row[1] = r;
  }
  return row[0] >= 0;
}

static void print_outcomes(const struct batch_rows *b)
{
  printf("%ld %s:", b->rows, b->rows == 1 ? "run" : "runs");
  for (int i = 0; i < b->outcomes; i++)
    printf("%s %ld %s", i ? "," : "", b->outcome[i].runs, b->outcome[i].word);
  /* The rows of an HDF5 file stand beside it until now. */
  const char *file = b->o->output, *rows = ".h5.rows";
  size_t size = strlen(file);
  if (size > strlen(rows) && strcmp(file + size - strlen(rows), rows) == 0) size -= strlen(".rows");
  printf("; every run is a row of %.*s\n", (int)size, file);
}

static void print_extremes(const struct batch_rows *b)
{
  int wide = (int)strlen("quantity");
  const int listed = b->columns < LISTED_MOST ? b->columns : LISTED_MOST;
  for (int i = 0; i < listed; i++) wide = (int)fmax(wide, (double)strlen(b->name[i]));
  printf("%-*s  %12s  %12s  %s\n", wide, "quantity", "least", "greatest", "of");
  for (int i = 0; i < listed; i++) {
    long row[2];
    char at[2][160];
    if (!find_extremes(b, i, row)) {
      printf("%-*s  %12s  %12s\n", wide, b->name[i], "-", "-");
      continue;
    }
    for (int k = 0; k < 2; k++) name_run(b, b->run[row[k]], at[k], sizeof at[k]);
    printf("%-*s  %12.6g  %12.6g  %s%s%s\n", wide, b->name[i], b->value[row[0] * b->columns + i],
           b->value[row[1] * b->columns + i], at[0], row[0] == row[1] ? "" : "; ",
           row[0] == row[1] ? "" : at[1]);
  }
  if (listed < b->columns) printf("and %d more quantities\n", b->columns - listed);
}

/* --- picture --- */

/* The first parameter whose values are numbers that differ; -1: none. */
static int choose_abscissa(const struct batch_rows *b)
{
  for (int i = 0; i < b->sweep->parameters; i++) {
    double first = NAN;
    bool numbers = true, differ = false;
    for (long r = 0; r < b->rows && numbers; r++) {
      char value[SWEEP_VALUE], *end;
      sweep_value(b->sweep, b->run[r], i, value);
      const double x = strtod(value, &end);
      numbers = end != value;
      if (isnan(first)) first = x;
      differ |= x != first;
    }
    if (numbers && differ) return i;
  }
  return -1;
}

static double abscissa_of(const struct batch_rows *b, int parameter, long row)
{
  char value[SWEEP_VALUE];
  if (parameter < 0) return (double)b->run[row];
  sweep_value(b->sweep, b->run[row], parameter, value);
  return strtod(value, NULL);
}

/* A row with x and all quantities for each run. */
static void put_runs(FILE *out, const struct batch_rows *b, int abscissa)
{
  fprintf(out, "$runs << END\n");
  for (long r = 0; r < b->rows; r++) {
    fprintf(out, "%.9g", abscissa_of(b, abscissa, r));
    for (int i = 0; i < b->columns; i++) fprintf(out, " %.9g", b->value[r * b->columns + i]);
    fputc('\n', out);
  }
  fprintf(out, "END\n");
}

/* A panel for each signal, with its largest, smallest and last value. */
static void put_panels(FILE *out, const struct batch_rows *b)
{
  static const int shown[] = {0, 1, 3}; /* in quantity_word */
  for (int p = 0; p < b->columns / QUANTITIES && p < PANELS_MOST; p++) {
    const char *name = b->name[p * QUANTITIES];
    char signal[256];
    snprintf(signal, sizeof signal, "%.*s", (int)(strlen(name) - strlen(quantity_word[0]) - 1), name);
    fprintf(out, "set title ");
    gnuplot_quote(out, signal);
    fprintf(out, "\nplot");
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
      fprintf(out, "%s $runs using 1:%d with points pointtype 7 pointsize 0.5 linecolor rgb '%s' title '%s'",
              k ? "," : "", 2 + p * QUANTITIES + shown[k],
              (const char *const[]){"#d55e00", "#0072b2", "#444444"}[k], quantity_word[shown[k]]);
    fputc('\n', out);
  }
}

static bool draw_batch(const struct batch_rows *b)
{
  const int abscissa = choose_abscissa(b), signals = b->columns / QUANTITIES;
  const int panels = signals < PANELS_MOST ? signals : PANELS_MOST, wide = panels > 1 ? 2 : 1;
  char terminal[80];
  snprintf(terminal, sizeof terminal, "%d,%d noenhanced", 600 * wide, 320 * ((panels + wide - 1) / wide));
  FILE *out = gnuplot_start("--png", b->o->png, terminal);
  if (!out) return false;
  /* The data, then the panels. */
  put_runs(out, b, abscissa);
  fprintf(out,
          "set multiplot layout %d,%d\nset grid\nset key above\nset offsets graph 0.02, graph 0.02, "
          "graph 0.05, graph 0.05\n",
          (panels + wide - 1) / wide, wide);
  if (abscissa >= 0 && b->sweep->parameter[abscissa].kind == SWEEP_RANGE && b->sweep->parameter[abscissa].log)
    fprintf(out, "set logscale x\n");
  fprintf(out, "set xlabel ");
  gnuplot_quote(out, abscissa < 0 ? "run" : b->sweep->parameter[abscissa].key);
  fputc('\n', out);
  put_panels(out, b);
  return gnuplot_end(out, "--png", b->o->png);
}

bool batch_report(const struct options *o, const struct sweep *s, const char *head)
{
  struct batch_rows b = {.o = o, .sweep = s, .columns = o->quantity_columns, .head = strdup(head)};
  b.name = calloc((size_t)b.columns + 1, sizeof *b.name);
  bool good = b.head && b.name && cut_fields(b.head, b.name, b.columns);
  if (!good) fputs("ali3-sim: out of memory\n", stderr);
  good = good && read_rows(&b);
  /* The table, then the picture. */
  if (good) {
    print_outcomes(&b);
    print_extremes(&b);
    good = fflush(stdout) == 0;
  }
  if (good && o->png && b.rows) good = draw_batch(&b);
  free_batch_rows(&b);
  return good;
}
