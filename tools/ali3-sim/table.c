/* SPDX-License-Identifier: MIT
 * ali3-sim: signals as CSV with 17 significant digits, so that every number reads back to equal bits. */
#include "sim.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_table(const char *file, const char *text)
{
  fprintf(stderr, "ali3-sim: %s: %s\n", file, text);
  return false;
}

/* Marks the signals that a glob matches. Returns their number. */
static int mark_signals(const struct signals *s, const char *glob, bool *marked)
{
  int found = 0;
  for (int i = 0; i < s->count; i++)
    if (fnmatch(glob, s->signal[i].name, 0) == 0) {
      marked[i] = true;
      found++;
    }
  return found;
}

int *signals_choose(const struct signals *s, const char *globs, const char *option, int *count)
{
  bool *marked = calloc((size_t)s->count, sizeof *marked);
  int *chosen = calloc((size_t)s->count, sizeof *chosen);
  char *list = strdup(globs ? globs : "*"), *rest = NULL;
  bool good = marked && chosen && list;
  if (!good) refuse_table(option, "out of memory");
  /* Mark the signals of each glob, then list them in the order of the table. */
  for (char *g = good ? strtok_r(list, ",", &rest) : NULL; g; g = strtok_r(NULL, ",", &rest))
    if (mark_signals(s, g, marked) == 0)
      good = refuse_table(
          g, "no signal has such a name (the header of --output without --signals shows all names)");
  *count = 0;
  for (int i = 0; good && i < s->count; i++)
    if (marked[i]) chosen[(*count)++] = i;
  if (good && *count == 0) good = refuse_table(option, "expected at least one name or pattern");
  free(list);
  free(marked);
  if (good) return chosen;
  free(chosen);
  return NULL;
}

static void release_table(struct table *t)
{
  if (t->out && t->out != stdout) fclose(t->out);
  free(t->column);
}

bool table_open(struct table *t, const char *file, const char *globs, const struct signals *signals)
{
  *t = (struct table){.file = file, .signals = signals};
  t->column = signals_choose(signals, globs, "--signals", &t->columns);
  bool good = t->column != NULL;
  if (good) {
    t->out = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    if (!t->out) good = refuse_table(file, strerror(errno));
  }
  if (!good) {
    release_table(t);
    return false;
  }
  setvbuf(t->out, NULL, _IOFBF, 1 << 20);
  for (int i = 0; i < t->columns; i++)
    fprintf(t->out, "%s%c", signals->signal[t->column[i]].name, i + 1 < t->columns ? ',' : '\n');
  return true;
}

void table_row(struct table *t, const double *values)
{
  for (int i = 0; i < t->columns; i++)
    fprintf(t->out, "%.17g%c", values[t->column[i]], i + 1 < t->columns ? ',' : '\n');
}

bool table_close(struct table *t)
{
  errno = 0;
  bool good = fflush(t->out) == 0 && !ferror(t->out);
  if (!good) refuse_table(t->file, errno ? strerror(errno) : "could not be written");
  release_table(t);
  return good;
}
