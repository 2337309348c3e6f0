/* SPDX-License-Identifier: MIT
 * Signals of a recording as CSV, whose numbers read back to equal bits, or as MDF 4.1. */
#include "common/globs.h"
#include "replay.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_OF_EXPORT = 256 };

struct exporter {
  const struct recording *r;
  FILE *out;
  int *column; /* (columns) */
  int columns;
  bool mdf;
  hsize_t first, end;
  uint64_t *t_ns; /* (r->rows) */
};

static const char *recorded_name(const void *of, int i)
{
  return ((const struct recording *)of)->name[i];
}

/* Times of the wake-ups since the first exported row, in s. */
static double time_of(const struct exporter *e, hsize_t row)
{
  return (double)(e->t_ns[row] - e->t_ns[e->first]) * 1e-9;
}

static void write_csv_row(const struct exporter *e, hsize_t row, const double *values)
{
  fprintf(e->out, "%llu", (unsigned long long)e->r->cycle[row]);
  for (int i = 0; i < e->columns; i++) {
    fputc(',', e->out);
    csv_number(e->out, values[e->column[i]]);
  }
  fputc('\n', e->out);
}

/* The host is little endian, as the file. */
static void write_mdf_row(const struct exporter *e, hsize_t row, const double *values)
{
  const double t = time_of(e, row);
  fwrite(&t, sizeof t, 1, e->out);
  fwrite(&e->r->cycle[row], sizeof e->r->cycle[row], 1, e->out);
  for (int i = 0; i < e->columns; i++) {
    const double value = values[e->column[i]];
    const float single = (float)value;
    if (e->r->single)
      fwrite(&single, sizeof single, 1, e->out);
    else
      fwrite(&value, sizeof value, 1, e->out);
  }
}

static void write_csv_head(const struct exporter *e, enum csv_header header)
{
  if (header == CSV_NO_HEADER) return;
  fputs("cycle", e->out);
  for (int i = 0; i < e->columns; i++) {
    fputc(',', e->out);
    csv_column(e->out, header, e->r->name[e->column[i]], e->r->unit[e->column[i]]);
  }
  fputc('\n', e->out);
}

static bool write_mdf_head(const struct exporter *e)
{
  const struct recording *r = e->r;
  struct mdf_channel *channel = calloc((size_t)e->columns + 2, sizeof *channel);
  char comment[400];
  if (!channel) return false;
  /* The time comes first, as the standard asks. */
  channel[0] = (struct mdf_channel){"t", "s", false, sizeof(double)};
  channel[1] = (struct mdf_channel){"cycle", "", true, sizeof(uint64_t)};
  for (int i = 0; i < e->columns; i++)
    channel[2 + i] = (struct mdf_channel){r->name[e->column[i]], r->unit[e->column[i]], false,
                                          r->single ? sizeof(float) : sizeof(double)};
  snprintf(comment, sizeof comment, "instance %s, model %s, label %s", r->instance, r->model, r->label);
  const struct mdf_plan plan = {.start_utc = r->start_utc + (e->t_ns[e->first] - r->start_ns),
                                .comment = comment,
                                .channel = channel,
                                .channels = e->columns + 2,
                                .rows = e->end - e->first};
  const bool good = mdf_begin(e->out, &plan);
  free(channel);
  return good;
}

/* False: a row cannot be read. */
static bool write_rows_of(const struct exporter *e)
{
  double *values = malloc(((size_t)e->r->signals * BLOCK_OF_EXPORT + 1) * sizeof *values);
  bool good = values != NULL;
  for (hsize_t at = e->first; good && at < e->end; at += BLOCK_OF_EXPORT) {
    const hsize_t n = e->end - at < BLOCK_OF_EXPORT ? e->end - at : BLOCK_OF_EXPORT;
    good = recording_rows(e->r, at, n, values);
    for (hsize_t i = 0; good && i < n; i++)
      (e->mdf ? write_mdf_row : write_csv_row)(e, at + i, values + i * e->r->signals);
  }
  free(values);
  return good;
}

static int write_export(struct exporter *e, const struct replay_options *o)
{
  if (!recording_times(e->r, e->t_ns))
    return replay_fail(EXIT_USAGE, e->r->path, "it has no times of its cycles");
  const char *option = e->mdf ? "--mf4" : "--csv";
  e->out = outfile_open_or_standard(option, o->out);
  if (!e->out) return EXIT_USAGE;
  /* The head, the rows, and what the disk said. */
  if (e->mdf)
    write_mdf_head(e);
  else
    write_csv_head(e, o->header);
  const bool read = write_rows_of(e);
  const bool written = outfile_close(e->out, option, o->out);
  if (!read)
    return replay_fail(EXIT_USAGE, e->r->path,
                       "a row cannot be read; ali3-replay recover copies the whole ones");
  if (!written) return EXIT_USAGE;
  fprintf(stderr, "ali3-replay: %s: %llu rows, %d signals\n", o->out, (unsigned long long)(e->end - e->first),
          e->columns);
  return EXIT_SAME;
}

int export_run(const struct recording *r, const struct replay_options *o)
{
  struct exporter e = {.r = r, .mdf = o->mdf};
  const struct globs_names names = {recorded_name, r, (int)r->signals};
  rows_between(r, o->from, o->to, &e.first, &e.end);
  if (e.first >= e.end) return replay_fail(EXIT_USAGE, r->path, "it has no cycle between --from and --to");
  e.column = globs_choose(&names, o->signals, "ali3-replay", "--signals", &e.columns);
  e.t_ns = calloc((size_t)r->rows + 1, sizeof *e.t_ns);
  const int status = e.column && e.t_ns ? write_export(&e, o) : EXIT_USAGE;
  free(e.column);
  free(e.t_ns);
  return status;
}
