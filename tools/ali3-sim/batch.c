/* SPDX-License-Identifier: MIT
 * ali3-sim --batch: many runs in one process, each on data of its own. Threads take the runs in turn; the rows are written in the
 * order of the runs. A row holds no times, so that it has equal bits in any shard and with any number of threads. */
#include "batch_report.h"
#include "common/shards.h"
#include "sim.h"
#include "sweep.h"

#include "base/isa.h"
#include "config/setup.h"
#include "rt/realtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows of runs that are computed side by side. */
struct lanes_of_batch {
  int most;      /* 1: one run at a time */
  long runs;     /* computed in lanes */
  char why[200]; /* the last reason against lanes */
};

struct batch {
  const struct options *o;
  struct sweep sweep;
  struct yaml file; /* the mechanism: each run has a tree of its own over these nodes */
  FILE *out;
  pthread_mutex_t lock;
  pthread_mutex_t inputs_lock; /* HDF5 reads in one thread at a time */
  long mine, next, written;    /* runs of the shard; the next one to compute; rows in the file */
  char **row;                  /* (mine) finished rows that wait for an earlier one */
  bool failed;                 /* no memory, or the file cannot be written */
  struct lanes_of_batch lanes;
};

/* A run with the memory that it needs. */
struct one_run {
  struct settings *settings;
  ali3_data *data;
  struct signals *signals;
  struct ride *ride;
  struct quantities quantities;
};

/* The settings of a run; NULL after a mistake, which is reported. */
static struct settings *load_run(const struct batch *b, long run, FILE *errors)
{
  const struct sweep *s = &b->sweep;
  struct settings_overrides over = b->o->over;
  const int given = over.sets, all = given + s->parameters;
  const char **set = calloc((size_t)all + 1, sizeof *set);
  bool good = set != NULL;
  /* The parameters of the run follow the options of the command line. */
  for (int i = 0; good && i < given; i++) set[i] = over.set[i];
  for (int i = 0; good && i < s->parameters; i++) {
    char value[SWEEP_VALUE];
    const size_t size = strlen(s->parameter[i].key) + SWEEP_VALUE + 2;
    char *text = malloc(size);
    sweep_value(s, run, i, value);
    if (text) snprintf(text, size, "%s=%s", s->parameter[i].key, value);
    set[given + i] = text;
    good = text != NULL;
  }
  over.set = set;
  over.sets = all;
  over.parsed = &b->file;
  struct settings *settings = good ? setup_load(b->o->file, &over, errors) : NULL;
  for (int i = given; set && i < all; i++) free((void *)set[i]);
  free(set);
  return settings;
}

static void free_run(struct one_run *r)
{
  quantities_close(&r->quantities);
  ride_free(r->ride);
  signals_free(r->signals);
  ali3_data_free(r->data);
  settings_free(r->settings);
}

/* False after printing the reason. */
static bool prepare_run(struct batch *b, struct one_run *r)
{
  const struct settings *s = r->settings;
  const struct signals_more more = {.platform = s->platform.enabled ? &s->platform.spec.geometry : NULL};
  r->data = ali3_data_new(s->model);
  r->signals = signals_new_with(s->model, s->input, s->inputs, &more);
  if (!r->data || !r->signals) {
    fputs("ali3-sim: out of memory\n", stderr);
    return false;
  }
  r->ride = ride_new(s, r->signals);
  if (!r->ride) return false;
  pthread_mutex_lock(&b->inputs_lock);
  const bool scripted = script_open(&r->ride->script, b->o->inputs, s, r->signals);
  pthread_mutex_unlock(&b->inputs_lock);
  return scripted && quantities_open(&r->quantities, b->o->quantities, r->signals) &&
         ride_want(r->ride, &r->quantities);
}

static void print_parameters(FILE *row, const struct sweep *s, long run)
{
  char value[SWEEP_VALUE];
  fprintf(row, "%ld,%ld", run, s->runs);
  for (int i = 0; i < s->parameters; i++) {
    sweep_value(s, run, i, value);
    fprintf(row, ",%s", value);
  }
}

/* Quantities of a run that is not complete have no value. */
static void print_run_row(FILE *row, const struct quantities *q, const struct result *r)
{
  const bool complete = r->status >= 0;
  fprintf(row, ",%s,%ld,%ld,%ld", outcome_word(r), r->steps, r->degraded, r->violated);
  for (int i = 0; i < q->columns; i++)
    for (int k = 0; k < QUANTITIES; k++) {
      fputc(',', row);
      if (complete && q->column[i].samples > 0) csv_number(row, q->column[i].value[k]);
    }
  fputc('\n', row);
}

/* A run of a bundle, with its row. */
struct row_of_run {
  long number;
  char *text, *said; /* the row, and mistakes of the settings */
  size_t size, said_size;
  FILE *row, *errors;
  struct one_run one;
  int at; /* its place among the runs that have steps; -1: it has none */
};

/* The values make no model, or a model that does not come to rest. why: ends with a line end. */
static void refuse_run(const struct batch *b, const struct row_of_run *r, const char *why)
{
  fprintf(stderr, "ali3-sim: run %ld is refused:\n%s", r->number, why);
  fputs(",refused,0,0,0", r->row);
  for (int i = 0; i < b->o->quantity_columns; i++) fputc(',', r->row);
  fputc('\n', r->row);
}

/* With --lanes: how many runs were computed side by side, and why not all of them. */
static void say_lanes(const struct batch *b, long computed)
{
  if (b->o->lanes < 2) return;
  fprintf(stderr, "ali3-sim: %ld of %ld runs in lanes, side by side%s%s\n", b->lanes.runs, computed,
          *b->lanes.why ? "; the others one at a time: " : "", b->lanes.why);
}

/* Reads the settings and prepares the run, which `run` describes then. *steps: it has steps. False: it has no result. */
static bool begin_row(struct batch *b, struct row_of_run *r, struct run_of_batch *run, bool *steps)
{
  r->row = open_memstream(&r->text, &r->size);
  r->errors = open_memstream(&r->said, &r->said_size);
  *steps = false;
  if (!r->row || !r->errors) return false;
  print_parameters(r->row, &b->sweep, r->number);
  /* A mistake of one run costs its row only. */
  r->one.settings = load_run(b, r->number, r->errors);
  fflush(r->errors);
  if (!r->one.settings) {
    refuse_run(b, r, r->said);
    return true;
  }
  const struct settings *s = r->one.settings;
  const long planned = planned_steps(b->o, s);
  if (planned == 0 || !prepare_run(b, &r->one)) return false;
  /* Each run has its own rest. */
  const bool rest = s->start == START_REST;
  char why[400], line[sizeof why + 1];
  const int status = rest ? setup_start(s, s->model, r->one.data, why, sizeof why) : ALI3_OK;
  if (status < 0) {
    snprintf(line, sizeof line, "%s\n", why);
    refuse_run(b, r, line);
    return true;
  }
  *steps = true;
  *run = (struct run_of_batch){.model = s->model,
                               .data = r->one.data,
                               .loaded = rest,
                               .ride = r->one.ride,
                               .takers = {.every = 1, .quantities = &r->one.quantities, .of_batch = true},
                               .result = {.planned = planned}};
  return true;
}

/* Closes the row; *text: to be freed, NULL without a result. */
static void end_row(struct row_of_run *r, bool good, char **text)
{
  free_run(&r->one);
  if (r->errors) fclose(r->errors);
  if (r->row && fclose(r->row) != 0) good = false;
  free(r->said);
  *text = good ? r->text : NULL;
  if (!good) free(r->text);
}

/* The rides read more of a mechanism than the states of its bodies. */
static bool reads_more_than_bodies(const struct ride *ride)
{
  const struct signals *s = ride->signals;
  bool more = !ride->wanted;
  for (int i = 0; i < s->count && !more; i++)
    more = ride->wanted[i] && strncmp(s->signal[i].name, "body.", strlen("body.")) != 0;
  return more;
}

static void note_reason(struct batch *b, const char *why)
{
  pthread_mutex_lock(&b->lock);
  snprintf(b->lanes.why, sizeof b->lanes.why, "%s", why);
  pthread_mutex_unlock(&b->lock);
}

/* Computes the rows of `count` runs of the shard from `first` on, each to be freed; NULL: it has none. Returns the number of runs
 * that were in lanes. */
static int compute_bundle(struct batch *b, long first, int count, char **row)
{
  struct row_of_run r[ISA_LANES_MAX] = {{0}};
  struct run_of_batch run[ISA_LANES_MAX] = {{0}};
  bool good[ISA_LANES_MAX], steps, whole = false;
  char why[200] = "";
  int runs = 0;
  /* Prepare the runs, move them, and write their rows. */
  for (int i = 0; i < count; i++) {
    r[i] = (struct row_of_run){.number = b->o->shard + (first + i) * b->o->shards, .at = -1};
    good[i] = begin_row(b, &r[i], &run[runs], &steps);
    if (!good[i] || !steps) continue;
    whole |= reads_more_than_bodies(r[i].one.ride);
    r[i].at = runs++;
  }
  const bool done = runs == 0 || run_together(run, runs, whole, why, sizeof why);
  int in_lanes = 0;
  for (int i = 0; i < runs; i++) in_lanes += run[i].in_lanes;
  if (*why) note_reason(b, why);
  for (int i = 0; i < count; i++) {
    const struct result *result = r[i].at < 0 ? NULL : &run[r[i].at].result;
    if (result) good[i] &= done && !result->interrupted;
    if (result && good[i]) print_run_row(r[i].row, &r[i].one.quantities, result);
    end_row(&r[i], good[i], &row[i]);
  }
  return in_lanes;
}

/* With the lock: writes the rows that no earlier row is missing for. */
static void write_rows(struct batch *b)
{
  while (b->written < b->mine && b->row[b->written]) {
    char **row = &b->row[b->written++];
    fputs(*row, b->out);
    free(*row);
    *row = NULL;
  }
  if (fflush(b->out) == 0 && !ferror(b->out)) return;
  if (!b->failed) fprintf(stderr, "ali3-sim: %s: %s\n", b->o->output, strerror(errno));
  b->failed = true;
}

static void *compute_runs(void *user)
{
  struct batch *b = user;
  realtime_flush_denormals(); /* of this thread */
  pthread_mutex_lock(&b->lock);
  while (b->next < b->mine && !b->failed && !run_stopped()) {
    const long first = b->next, left = b->mine - first;
    const int count = left < b->lanes.most ? (int)left : b->lanes.most;
    b->next += count;
    pthread_mutex_unlock(&b->lock);
    char *row[ISA_LANES_MAX] = {NULL};
    const int in_lanes = compute_bundle(b, first, count, row);
    pthread_mutex_lock(&b->lock);
    b->lanes.runs += in_lanes;
    for (int i = 0; i < count; i++) {
      b->row[first + i] = row[i];
      if (row[i] || run_stopped() || b->failed) continue;
      fprintf(stderr, "ali3-sim: run %ld has no result, and the batch ends\n",
              b->o->shard + (first + i) * b->o->shards);
      b->failed = true;
    }
    write_rows(b);
  }
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

static void compute_shard(struct batch *b)
{
  enum { JOBS_MAX = 256 };
  pthread_t thread[JOBS_MAX];
  int threads = 0;
  /* This thread is one of the jobs. */
  while (threads + 1 < b->o->jobs && threads < JOBS_MAX &&
         pthread_create(&thread[threads], NULL, compute_runs, b) == 0)
    threads++;
  compute_runs(b);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
}

static bool matches_run(void *user, long run, const char *line)
{
  const struct sweep *s = user;
  char *wanted = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&wanted, &size);
  if (!out) return false;
  print_parameters(out, s, run);
  fclose(out);
  const bool same = strncmp(line, wanted, size) == 0 && line[size] == ',';
  free(wanted);
  return same;
}

/* The first line of the file, to be freed. NULL when out of memory. */
static char *make_head(const struct batch *b, const struct quantities *q)
{
  char *head = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&head, &size);
  if (!out) return NULL;
  fputs(BATCH_HEAD, out);
  for (int i = 0; i < b->sweep.parameters; i++) fprintf(out, ",%s", b->sweep.parameter[i].key);
  fputs(",outcome,steps,degraded_steps,violated_steps", out);
  for (int i = 0; i < q->columns; i++)
    for (int k = 0; k < QUANTITIES; k++) fprintf(out, ",%s.%s", q->column[i].name, quantity_word[k]);
  return fclose(out) == 0 ? head : NULL;
}

/* The first run of the shard shows mistakes that all runs have, and the columns. */
static bool try_first_run(struct batch *b, struct options *o, char **head)
{
  enum { LANES_PAY = 100 }; /* steps; shorter runs are over before the set-up of lanes pays */
  struct one_run first = {.settings = load_run(b, o->shard < b->sweep.runs ? o->shard : 0, stderr)};
  bool good = first.settings && planned_steps(o, first.settings) > 0 && prepare_run(b, &first);
  o->quantity_columns = QUANTITIES * first.quantities.columns;
  if (good) {
    enum isa isa = isa_best();
    isa_from_name(ali3_model_isa(first.settings->model), &isa);
    const long most = o->lanes ? o->lanes : planned_steps(o, first.settings) < LANES_PAY ? 1 : ISA_LANES_MAX;
    b->lanes.most = most < isa_lanes(isa) ? (int)most : isa_lanes(isa);
    *head = make_head(b, &first.quantities);
  }
  free_run(&first);
  return good && *head;
}

static int run_batch(struct batch *b, const char *head)
{
  const struct options *o = b->o;
  const struct shard_file file = {.program = "ali3-sim",
                                  .option = "--output",
                                  .file = o->output,
                                  .head = head,
                                  .shard = o->shard,
                                  .shards = o->shards,
                                  .resume = o->resume,
                                  .matches = matches_run,
                                  .user = &b->sweep};
  long done;
  run_catch_signals();
  b->out = shard_open(&file, &done);
  if (!b->out) return EXIT_USAGE;
  /* Compute the runs that the file does not have. */
  b->mine = shard_runs(o->shard, o->shards, b->sweep.runs);
  b->next = b->written = done < b->mine ? done : b->mine;
  b->row = calloc((size_t)b->mine + 1, sizeof *b->row);
  if (b->row) compute_shard(b);
  say_lanes(b, b->written - done);
  const bool whole = b->row && b->written == b->mine && !b->failed;
  /* Rows behind a missing row are computed again. */
  for (long i = 0; b->row && i < b->mine; i++) free(b->row[i]);
  free(b->row);
  if (fclose(b->out) != 0 && !b->failed) {
    fprintf(stderr, "ali3-sim: %s: %s\n", o->output, strerror(errno));
    return EXIT_RUN;
  }
  if (!whole)
    fprintf(stderr, "ali3-sim: the file has %ld of %ld runs of the shard; go on by --resume\n", b->written,
            b->mine);
  /* A shard has a part of the runs, which shows nothing by itself. */
  return whole && (o->shards > 1 || batch_report(o, &b->sweep, head)) ? EXIT_GOOD : EXIT_RUN;
}

/* False after printing the reason. */
static bool read_file_once(struct batch *b)
{
  struct report r = {.out = stderr};
  const bool good = yaml_read_main(&b->file, b->o->file, &r);
  report_end(&r);
  return good;
}

int batch(struct options *o)
{
  struct batch b = {.o = o, .lock = PTHREAD_MUTEX_INITIALIZER, .inputs_lock = PTHREAD_MUTEX_INITIALIZER};
  char *head = NULL;
  int status = EXIT_USAGE;
  if (sweep_open(&b.sweep, o->batch) && read_file_once(&b) && try_first_run(&b, o, &head))
    status = run_batch(&b, head);
  free(head);
  yaml_free(&b.file);
  sweep_free(&b.sweep);
  return status;
}
