/* SPDX-License-Identifier: MIT
 * ali3-sim --batch: many runs in one process, each on data of its own. Threads take the runs in turn; the rows are written in the
 * order of the runs. A row holds no times, so that it has equal bits in any shard and with any number of threads. */
#include "batch_report.h"
#include "common/shards.h"
#include "sim.h"
#include "sweep.h"

#include "config/setup.h"
#include "rt/realtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct batch {
  const struct options *o;
  struct sweep sweep;
  FILE *out;
  pthread_mutex_t lock;
  pthread_mutex_t inputs_lock; /* HDF5 reads in one thread at a time */
  long mine, next, written;    /* runs of the shard; the next one to compute; rows in the file */
  char **row;                  /* (mine) finished rows that wait for an earlier one */
  bool failed;                 /* no memory, or the file cannot be written */
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

/* The values make no model, or a model that does not come to rest. why: ends with a line end. */
static void refuse_run(const struct batch *b, long number, const char *why, FILE *row)
{
  fprintf(stderr, "ali3-sim: run %ld is refused:\n%s", number, why);
  fputs(",refused,0,0,0", row);
  for (int i = 0; i < b->o->quantity_columns; i++) fputc(',', row);
  fputc('\n', row);
}

/* Computes one run of the model. False: it was interrupted, or there is no memory. */
static bool simulate_run(struct batch *b, struct one_run *one, long number, FILE *row)
{
  struct result r;
  const struct takers takers = {.every = 1, .quantities = &one->quantities, .of_batch = true};
  const long planned = planned_steps(b->o, one->settings);
  if (planned == 0 || !prepare_run(b, one)) return false;
  const struct settings *s = one->settings;
  const bool rest = s->start == START_REST;
  /* Each run has its own rest. */
  char why[400], line[sizeof why + 1];
  const int status = rest ? setup_start(s, s->model, one->data, why, sizeof why) : ALI3_OK;
  if (status < 0) {
    snprintf(line, sizeof line, "%s\n", why);
    refuse_run(b, number, line, row);
    return true;
  }
  const bool done = run(s->model, one->data, rest, one->ride, planned, &takers, &r);
  if (done && !r.interrupted) print_run_row(row, &one->quantities, &r);
  free(r.step_ns);
  return done && !r.interrupted;
}

/* The row of a run, to be freed; NULL if the run has none. columns: of the quantities. */
static char *make_row(struct batch *b, long run)
{
  char *text = NULL, *said = NULL;
  size_t size = 0, said_size = 0;
  FILE *row = open_memstream(&text, &size), *errors = open_memstream(&said, &said_size);
  struct one_run one = {0};
  bool good = row && errors;
  if (good) {
    print_parameters(row, &b->sweep, run);
    /* A mistake of one run costs its row only. */
    one.settings = load_run(b, run, errors);
    fflush(errors);
    if (one.settings)
      good = simulate_run(b, &one, run, row);
    else
      refuse_run(b, run, said, row);
  }
  free_run(&one);
  if (errors) fclose(errors);
  if (row && fclose(row) != 0) good = false;
  free(said);
  if (good) return text;
  free(text);
  return NULL;
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
    const long mine = b->next++;
    pthread_mutex_unlock(&b->lock);
    char *row = make_row(b, b->o->shard + mine * b->o->shards);
    pthread_mutex_lock(&b->lock);
    b->row[mine] = row;
    if (!row && !run_stopped()) {
      fprintf(stderr, "ali3-sim: run %ld has no result, and the batch ends\n",
              b->o->shard + mine * b->o->shards);
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
  struct one_run first = {.settings = load_run(b, o->shard < b->sweep.runs ? o->shard : 0, stderr)};
  bool good = first.settings && planned_steps(o, first.settings) > 0 && prepare_run(b, &first);
  o->quantity_columns = QUANTITIES * first.quantities.columns;
  if (good) *head = make_head(b, &first.quantities);
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

int batch(struct options *o)
{
  struct batch b = {.o = o, .lock = PTHREAD_MUTEX_INITIALIZER, .inputs_lock = PTHREAD_MUTEX_INITIALIZER};
  char *head = NULL;
  int status = EXIT_USAGE;
  if (sweep_open(&b.sweep, o->batch) && try_first_run(&b, o, &head)) status = run_batch(&b, head);
  free(head);
  sweep_free(&b.sweep);
  return status;
}
