/* SPDX-License-Identifier: MIT */
#include "shards.h"

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
    file = fopen(f->file, "w");
    if (file) fprintf(file, "%s\n", f->head);
    if (!file) refuse_shard(f->program, f->file, strerror(errno));
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

struct merged_runs {
  const char *program, *required; /* beginning of every head */
  char *head;                     /* of the first file */
  char **line;                    /* (runs) */
  long runs, found;
};

static bool take_shard_head(struct merged_runs *m, const char *line)
{
  if (strncmp(line, m->required, strlen(m->required)) != 0) return false;
  if (!m->head) m->head = strdup(line);
  return m->head && strcmp(m->head, line) == 0;
}

/* A run may come twice if both lines are equal. */
static bool take_run(struct merged_runs *m, const char *line)
{
  enum { RUNS_MAX = 1000000000 };
  long index = -1, runs = 0;
  if (sscanf(line, "%ld,%ld,", &index, &runs) != 2 || index < 0 || index >= runs || runs > RUNS_MAX ||
      !strchr(line, '\n'))
    return false;
  /* The first line of all says how many runs there are. */
  if (!m->line) {
    m->runs = runs;
    m->line = calloc((size_t)runs, sizeof *m->line);
  }
  if (!m->line || runs != m->runs) return false;
  if (m->line[index]) return strcmp(m->line[index], line) == 0;
  m->line[index] = strdup(line);
  m->found++;
  return m->line[index] != NULL;
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

static bool write_merged(const struct merged_runs *m, const char *out)
{
  FILE *f = fopen(out, "w");
  if (!f) return refuse_shard(m->program, out, strerror(errno));
  fputs(m->head, f);
  for (long i = 0; i < m->runs; i++) fputs(m->line[i], f);
  const bool good = fflush(f) == 0 && !ferror(f);
  const int reason = errno;
  fclose(f);
  return good || refuse_shard(m->program, out, strerror(reason));
}

bool shard_merge(const char *program, const char *head, const char *out, int files, char **file)
{
  struct merged_runs m = {.program = program, .required = head};
  bool good = true;
  for (int i = 0; good && i < files; i++) good = take_shard_file(&m, file[i]);
  /* Every run must be there. */
  if (good && (m.found < m.runs || m.runs == 0)) {
    fprintf(stderr, "%s: merge: %ld of %ld runs are missing\n", program, m.runs - m.found, m.runs);
    good = false;
  }
  good = good && write_merged(&m, out);
  for (long i = 0; m.line && i < m.runs; i++) free(m.line[i]);
  free(m.line);
  free(m.head);
  return good;
}
