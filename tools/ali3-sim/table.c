/* SPDX-License-Identifier: MIT
 * ali3-sim: signals as CSV with 17 significant digits, so that every number reads back to equal bits. */
#include "globs.h"
#include "sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_table(const char *file, const char *text)
{
  fprintf(stderr, "ali3-sim: %s: %s\n", file, text);
  return false;
}

static const char *signal_name_at(const void *of, int i)
{
  return ((const struct signals *)of)->signal[i].name;
}

int *signals_choose(const struct signals *s, const char *globs, const char *option, int *count)
{
  const struct globs_names names = {signal_name_at, s, s->count};
  return globs_choose(&names, globs, "ali3-sim", option, count);
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
