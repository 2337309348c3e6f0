/* SPDX-License-Identifier: MIT */
#include "common/shards.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool refuse_shard(const char *program, const char *file, const char *text)
{
  fprintf(stderr, "%s: %s: %s\n", program, file, text);
  return false;
}

bool shard_read(const char *text, long *shard, long *shards)
{
  int used = 0;
  /* NOLINTNEXTLINE(cert-err34-c): a number too large for a long is read as the largest */
  return sscanf(text, "%ld/%ld%n", shard, shards, &used) == 2 && !text[used] && *shard >= 0 &&
         *shard < *shards;
}

long shard_runs(long shard, long shards, long count)
{
  return shard < count ? (count - shard + shards - 1) / shards : 0;
}

static bool is_line_of_shard(const struct shard_file *f, const char *line, long lines)
{
  const long index = f->shard + (lines - 1) * f->shards;
  if (lines == 0) return strcmp(line, f->head) == 0;
  return strtol(line, NULL, 10) == index && (!f->matches || f->matches(f->user, index, line));
}

/* The whole lines of an old file. False if a line belongs to other work. */
static bool skip_whole_lines(const struct shard_file *f, FILE *in, long *whole, long *done)
{
  char *line = NULL;
  size_t room = 0;
  bool good = true;
  for (long lines = 0; good && getline(&line, &room, in) > 0; lines++) {
    char *end = strchr(line, '\n');
    if (!end) break;
    *end = '\0';
    good = is_line_of_shard(f, line, lines);
    *whole = ftell(in);
    *done = lines;
  }
  free(line);
  return good;
}

FILE *shard_open(const struct shard_file *f, long *done)
{
  long whole = 0;
  *done = 0;
  /* Start a new file. */
  FILE *file = f->resume ? fopen(f->file, "r+") : NULL;
  if (!file) {
    file = outfile_open(f->option, f->file);
    if (file) fprintf(file, "%s\n", f->head);
    return file;
  }
  /* Go on after the last whole line of an old file. */
  const char *why = NULL;
  if (!skip_whole_lines(f, file, &whole, done))
    why = "does not hold the beginning of this shard; remove it, or leave out --resume";
  else if (ftruncate(fileno(file), whole) != 0 || fseek(file, whole, SEEK_SET) != 0)
    why = strerror(errno);
  if (why) {
    refuse_shard(f->program, f->file, why);
    fclose(file);
    return NULL;
  }
  if (whole == 0) fprintf(file, "%s\n", f->head);
  return file;
}

/* A line says how many runs there are. The memory follows the lines that are there, whatever they claim. */
struct merged_run {
  long index;
  char *line;
};

struct merged_runs {
  const char *program, *required; /* beginning of every head */
  char *head;                     /* of the first file */
  struct merged_run *run;         /* (found) as they come; sorted once all are read */
  long runs, found, room;         /* runs: as the lines say; 0: none came yet */
};

static bool take_shard_head(struct merged_runs *m, const char *line)
{
  if (strncmp(line, m->required, strlen(m->required)) != 0 || !strchr(line, '\n')) return false;
  if (!m->head) m->head = strdup(line);
  return m->head && strcmp(m->head, line) == 0;
}

static bool take_run(struct merged_runs *m, const char *line)
{
  long index = -1, runs = 0;
  int used = 0;
  /* NOLINTNEXTLINE(cert-err34-c): a number too large is read as the largest, and `runs` must agree */
  if (sscanf(line, "%ld,%ld,%n", &index, &runs, &used) != 2 || used == 0 || index < 0 || index >= runs ||
      !strchr(line, '\n') || (m->runs > 0 && runs != m->runs))
    return false;
  m->runs = runs;
  /* Room for one more. */
  if (m->found == m->room) {
    const long room = 2 * m->room + 64;
    struct merged_run *more = realloc(m->run, (size_t)room * sizeof *more);
    if (!more) return false;
    m->run = more;
    m->room = room;
  }
  struct merged_run *r = &m->run[m->found];
  *r = (struct merged_run){index, strdup(line)};
  if (r->line) m->found++;
  return r->line != NULL;
}

static bool take_shard_file(struct merged_runs *m, const char *file)
{
  char *line = NULL;
  size_t room = 0;
  FILE *f = fopen(file, "r");
  if (!f) return refuse_shard(m->program, file, strerror(errno));
  bool good = getline(&line, &room, f) > 0 && take_shard_head(m, line);
  while (good && getline(&line, &room, f) > 0) good = take_run(m, line);
  free(line);
  fclose(f);
  return good ||
         refuse_shard(m->program, file,
                      "expected a file of a shard of the same work with whole lines, found another file");
}

static int by_index(const void *a, const void *b)
{
  const struct merged_run *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* Sorts the runs, and drops a line that came twice. False after printing the reason: a run came with two different lines. */
static bool order_runs(struct merged_runs *m)
{
  long used = 0;
  bool good = true;
  if (m->found > 0) qsort(m->run, (size_t)m->found, sizeof *m->run, by_index);
  for (long i = 0; i < m->found; i++) {
    const struct merged_run r = m->run[i], *last = used > 0 ? &m->run[used - 1] : NULL;
    if (!last || last->index != r.index) {
      m->run[used++] = r;
      continue;
    }
    const bool same = strcmp(last->line, r.line) == 0;
    if (!same && good) fprintf(stderr, "%s: merge: run %ld has two different lines\n", m->program, r.index);
    good = good && same;
    free(r.line);
  }
  m->found = used;
  return good;
}

static bool write_merged(const struct merged_runs *m, const char *option, const char *out)
{
  FILE *f = outfile_open(option, out);
  if (!f) return false;
  fputs(m->head, f);
  for (long i = 0; i < m->runs; i++) fputs(m->run[i].line, f);
  return outfile_close(f, option, out);
}

bool shard_merge(const char *program, const char *head, const char *option, const char *out, int files,
                 char **file)
{
  struct merged_runs m = {.program = program, .required = head};
  bool good = true;
  for (int i = 0; good && i < files; i++) good = take_shard_file(&m, file[i]);
  good = good && order_runs(&m);
  /* Every run must be there. */
  if (good && (m.found < m.runs || m.runs == 0)) {
    fprintf(stderr, "%s: merge: %ld of %ld runs are missing\n", program, m.runs - m.found, m.runs);
    good = false;
  }
  good = good && write_merged(&m, option, out);
  for (long i = 0; i < m.found; i++) free(m.run[i].line);
  free(m.run);
  free(m.head);
  return good;
}
