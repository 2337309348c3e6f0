/* SPDX-License-Identifier: MIT
 * ali3-sim: signals as CSV. Every number reads back to equal bits. */
#include "common/csv.h"
#include "common/globs.h"
#include "sim.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <stdlib.h>

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

bool table_open(struct table *t, const struct options *o, const struct signals *signals)
{
  *t = (struct table){.file = o->output, .signals = signals};
  t->column = signals_choose(signals, o->signals, "--signals", &t->columns);
  bool good = t->column != NULL;
  if (good) {
    t->out = outfile_open_or_standard("--output", o->output);
    good = t->out != NULL;
  }
  if (!good) {
    release_table(t);
    return false;
  }
  setvbuf(t->out, NULL, _IOFBF, 1 << 20);
  for (int i = 0; o->header != CSV_NO_HEADER && i < t->columns; i++) {
    const struct signal *s = &signals->signal[t->column[i]];
    csv_column(t->out, o->header, s->name, s->unit);
    fputc(i + 1 < t->columns ? ',' : '\n', t->out);
  }
  return true;
}

void table_row(struct table *t, const double *values)
{
  for (int i = 0; i < t->columns; i++) {
    csv_number(t->out, values[t->column[i]]);
    fputc(i + 1 < t->columns ? ',' : '\n', t->out);
  }
}

bool table_close(struct table *t)
{
  errno = 0;
  bool good = fflush(t->out) == 0 && !ferror(t->out);
  if (!good) outfile_refuse("--output", t->file, errno);
  release_table(t);
  return good;
}
