/* SPDX-License-Identifier: MIT
 * ali3-lab map: one run at each point of a grid of one or two parameters, one line of CSV each. A shard k/n
 * computes the points k, k + n, .. of the grid; the lines hold no times, so that a map comes out the same by any
 * number of shards, and shards of an interrupted map go on where they ended. ali3-lab merge puts the files of
 * shards together. */
#include "common/shards.h"
#include "lab_tool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char map_head[] = "index,points,dt,alpha,omega,xi,status,drift,final,steps,calls,interrupted";

static double *map_parameter(struct lab_run *r, const char *name)
{
  if (strcmp(name, "alpha") == 0) return &r->alpha;
  if (strcmp(name, "omega") == 0) return &r->omega;
  if (strcmp(name, "xi") == 0) return &r->xi;
  return strcmp(name, "dt") == 0 ? &r->dt : NULL;
}

/* FROM or TO, and the colon behind it. */
static bool take_axis_end(const char **text, double *x)
{
  char *end;
  *x = strtod(*text, &end);
  if (end == *text || *end != ':' || !isfinite(*x)) return false;
  *text = end + 1;
  return true;
}

/* NAME=FROM:TO:COUNT[:log] */
bool map_read_axis(const char *text, struct map_axis *axis)
{
  struct lab_run unused = {0};
  const size_t length = strcspn(text, "=");
  *axis = (struct map_axis){0};
  if (length >= sizeof axis->name || !text[length]) return false;
  memcpy(axis->name, text, length);
  text += length + 1;
  if (!take_axis_end(&text, &axis->from) || !take_axis_end(&text, &axis->to)) return false;
  char *end;
  const long count = strtol(text, &end, 10);
  axis->count = count >= 1 && count <= 1000000 ? (int)count : 0;
  axis->log = strcmp(end, ":log") == 0;
  return axis->count > 0 && (axis->log || !*end) && map_parameter(&unused, axis->name) && axis->from >= 0 &&
         axis->to >= axis->from && (!axis->log || axis->from > 0);
}

static double axis_value(const struct map_axis *axis, int i)
{
  const double part = axis->count > 1 ? (double)i / (axis->count - 1) : 0;
  return axis->log ? axis->from * pow(axis->to / axis->from, part)
                   : axis->from + part * (axis->to - axis->from);
}

static long map_points(const struct map_options *o)
{
  return (long)o->axis[0].count * (o->axes > 1 ? o->axis[1].count : 1);
}

/* The first parameter changes fastest. */
static struct lab_run run_at_point(const struct map_options *o, const struct lab_run *base, long index)
{
  struct lab_run r = *base;
  *map_parameter(&r, o->axis[0].name) = axis_value(&o->axis[0], (int)(index % o->axis[0].count));
  if (o->axes > 1)
    *map_parameter(&r, o->axis[1].name) = axis_value(&o->axis[1], (int)(index / o->axis[0].count));
  return r;
}

static bool map_complain(const char *file, const char *text)
{
  fprintf(stderr, "ali3-lab: %s: %s\n", file, text);
  return false;
}

static void write_point(FILE *f, long index, long points, const struct lab_run *r, const struct lab_result *o)
{
  static const char *const word[] = {"ok", "diverged", "singular", "step_too_small", "stopped", "no_memory"};
  fprintf(f, "%ld,%ld,%.17g,%.17g,%.17g,%.17g,%s,%.17g,%.17g,%ld,%ld,%ld\n", index, points, r->dt, r->alpha,
          r->omega, r->xi, word[o->status], o->drift, o->final, o->steps, o->calls, o->interrupted);
  fflush(f);
}

static bool keep_mapping(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  (void)user, (void)s, (void)sample;
  return !interrupted();
}

static int map_problem(const struct map_options *o, const struct problem *p, const struct lab_run *base)
{
  const struct lab_watch watch = {.step = keep_mapping};
  const long points = map_points(o), mine = shard_runs(o->shard, o->shards, points);
  const struct shard_file file = {.program = "ali3-lab",
                                  .option = "--csv",
                                  .file = o->csv,
                                  .head = map_head,
                                  .shard = o->shard,
                                  .shards = o->shards,
                                  .resume = o->resume};
  long done;
  FILE *f = shard_open(&file, &done);
  if (!f) return EXIT_USAGE;
  /* Points of this share, from the first that is missing; an interrupted point is not written. */
  struct progress progress = progress_start();
  const double start = progress_clock();
  const long before = done;
  catch_signals();
  while (done < mine && !interrupted()) {
    const long index = o->shard + done * o->shards;
    struct lab_run r = run_at_point(o, base, index);
    struct lab_result result;
    lab_run(p, &r, &watch, &result);
    if (result.status == LAB_STOPPED) break;
    write_point(f, index, points, &r, &result);
    done++;
    char text[80];
    snprintf(text, sizeof text, "%ld of %ld points, %.0f s to go", done, mine,
             (progress_clock() - start) / (double)(done - before) * (double)(mine - done));
    progress_show(&progress, (double)done / (double)mine, text);
  }
  /* A share that is not whole is a failure: merge needs every point. */
  progress_end(&progress);
  const bool written = fclose(f) == 0 || map_complain(o->csv, strerror(errno));
  if (done < mine)
    fprintf(stderr, "ali3-lab: interrupted after %ld of %ld points; go on by --resume\n", done, mine);
  return written && done == mine ? EXIT_GOOD : EXIT_RUN;
}

int map_command(const struct map_options *o, const struct run_options *run)
{
  struct model_file *f = o->model ? case_open(o->cases, o->model) : model_file_open(run->file, &run->sets);
  struct problem p;
  char text[200];
  int status = EXIT_USAGE;
  struct lab_run r = run->run;
  if (!f) return EXIT_USAGE;
  /* The duration of the file and the coordinates of the method, unless options say otherwise. */
  if (!run->duration_given) r.duration = model_file_duration(f);
  const struct description *kind = run->kind             ? run->kind
                                   : r.formulation->only ? r.formulation->only
                                                         : &description_natural;
  /* The map, then its picture. */
  if (model_file_problem(f, kind, &p)) {
    const char *why = lab_unsuitable(&p, &r, text, sizeof text);
    if (why)
      map_complain(run->file, why);
    else
      status = map_problem(o, &p, &r);
    problem_free(&p);
  }
  model_file_close(f);
  if (status == EXIT_GOOD && o->png && !map_picture(o)) status = EXIT_RUN;
  return status;
}

/* ---- merge ---- */

int merge_command(const struct map_options *o, int files, char **file)
{
  if (!shard_merge("ali3-lab", map_head, "--csv", o->csv, files, file)) return EXIT_RUN;
  return !o->png || map_picture(o) ? EXIT_GOOD : EXIT_RUN;
}
