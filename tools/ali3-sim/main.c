/* SPDX-License-Identifier: MIT
 * ali3-sim: options and wiring. */
#include "base/build_info.h"
#include "film.h"
#include "option_number.h"
#include "output.h"
#include "shards.h"
#include "sim.h"

#include "base/isa.h"
#include "rt/choose.h"
#include "rt/pool.h"
#include "rt/realtime.h"
#include "setup/setup.h"

#include <ali3/ali3.h>
#include <float.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: ali3-sim FILE [OPTION]...\n"
    "       ali3-sim FILE --batch SWEEP --quantities GLOB,.. --output FILE [OPTION]...\n"
    "       ali3-sim merge --output FILE PART...\n"
    "Runs the mechanism of a model or configuration file step by step, as fast as possible.\n"
    "A motion platform of the file moves with it; the first row shows the platform engaged and at neutral.\n"
    "\n"
    "  --duration S      simulated seconds (default: simulation.duration of the file, else 10)\n"
    "  --dt S            step in seconds (default: cycle.period of the file, else 0.01)\n"
    "  --method NAME     method of a step: " METHOD_WORDS " (default: as in the file, else ali3)\n"
    "  --iterations N    Newton iterations per step, 1 to 100 (default: as in the file, else 3)\n"
    "  --substeps N      inner steps of each step (default: as in the file, else 1)\n"
    "  --extrapolate     combine each inner step from one, two and three shorter ones: 5.7 times the work,\n"
    "                    order four instead of two\n"
    "  --alpha A         penalty of every rigid row, > 0 (default: relative compliance)\n"
    "  --set KEY=VALUE   put VALUE into the file at the path KEY, e.g. solver.iterations=5 or\n"
    "                    model.bodies.A.mass=3; may be given several times\n"
    "  --workers N|auto  threads that share a step, beside the first; auto: the fastest number\n"
    "                    (default: the number in the file, else 0)\n"
    "  --isa NAME        instruction set of the steps: " ISA_WORDS "\n"
    "                    (default: as in the file, else auto, the best of the processor)\n"
    "  --inputs FILE     values of the inputs: a CSV file with the columns time and input.NAME..., or a "
    "recording\n"
    "                    FILE.h5 of ali3-record with the period of this run\n"
    "  --inputs-time WHICH  the time that the tables of inputs have, beside --state-in: run (default) counts "
    "from\n"
    "                    the start of this run, simulated goes on with the time of the state\n"
    "  --output FILE     write signals as CSV; - for standard output\n"
    "  --signals GLOB,.. write only the signals that match, e.g. 'time,body.*.position.*' (default: all)\n"
    "  --every N         write every N-th step (default: 1); the first row is t = 0\n"
    "  --view FILE       write a page with the animation of the run, which needs no server; --signals "
    "chooses\n"
    "                    its plots, 16 at most\n"
    "  --state-in FILE   continue from a state that --state-out wrote; --duration counts from there\n"
    "  --state-out FILE  write the state of the model at the end of the run\n"
    "  --summary FILE    write the figures of the run as JSON; - for standard output\n"
    "  --quantities GLOB,..  max, min, rms and final value of the signals that match, in the summary\n"
    "  --batch SWEEP     one run for each set of parameters of the file SWEEP; --output has a row for each\n"
    "                    run, with its parameters, outcome and quantities; FILE.h5 becomes HDF5\n"
    "  --shard K/N       only the runs K, K + N, .. (K from 0); a row is the same for any N\n"
    "  --jobs N          threads of a batch, 1 to 256 (default: 1)\n"
    "  --resume          keep the rows that the output file of the batch has already\n"
    "  --help, --version\n"
    "\n"
    "merge: puts the files of all shards together, in the order of the runs; FILE.h5 becomes HDF5.\n"
    "\n"
    "Exit status: 0 the run is complete, also with degraded steps; 1 the run failed or was interrupted (the\n"
    "steps so far are written); 2 wrong usage, or a mistake in a file; 3 joints, drives or gears were open "
    "by\n"
    "more than the tolerance, or contradict each other.\n";

static int fail_run(int status, const char *text)
{
  fprintf(stderr, "ali3-sim: %s\n", text);
  return status;
}

static bool usage(const char *option, const char *expected, const char *found)
{
  fprintf(stderr, "ali3-sim: %s: expected %s, found %s\n", option, expected, found);
  return false;
}

static bool take_positive(const char *option, const char *text, double *out)
{
  return (option_number(text, 0.0, DBL_MAX, out) && *out > 0.0) || usage(option, "a number above 0", text);
}

static bool take_count(const char *option, const char *text, long min, long max, long *out)
{
  char expected[64];
  snprintf(expected, sizeof expected, "a whole number from %ld to %ld", min, max);
  return option_count(text, min, max, out) || usage(option, expected, text);
}

static bool take_workers(const char *text, struct options *o)
{
  long n;
  o->workers_given = true;
  if (strcmp(text, "auto") == 0)
    o->workers = WORKERS_AUTO;
  else if (option_count(text, 0, CHOOSE_MOST, &n))
    o->workers = (int)n;
  else
    return usage("--workers", "auto or a whole number from 0 to 63", text);
  return true;
}

static bool take_inputs_time(const char *text, struct options *o)
{
  o->inputs_time_given = true;
  o->inputs_simulated = strcmp(text, "simulated") == 0;
  return o->inputs_simulated || strcmp(text, "run") == 0 || usage("--inputs-time", "run or simulated", text);
}

/* With workers: auto in the file the daemon decides; here the default is no workers. */
static int workers_of(const struct options *o, const struct settings *s)
{
  if (!o->workers_given) return s->realtime.workers == WORKERS_AUTO ? 0 : s->realtime.workers;
  if (o->workers != WORKERS_AUTO) return o->workers;
  const struct choose_plan plan = {.pool.first_cpu = -1, .most = choose_most(-1)};
  struct choice choice;
  choose_workers(s->model, &plan, &choice);
  return choice.workers;
}

enum {
  DURATION = 1,
  DT,
  ITERATIONS,
  ALPHA,
  SUBSTEPS,
  EXTRAPOLATE,
  METHOD,
  SET,
  WORKERS,
  ISA,
  EVERY,
  SIGNALS,
  OUTPUT,
  VIEW,
  STATE_IN,
  INPUTS,
  INPUTS_TIME,
  STATE_OUT,
  SUMMARY,
  END_QUANTITIES,
  BATCH,
  SHARD,
  JOBS,
  RESUME,
  HELP,
  VERSION
};

static bool is_hdf5_name(const char *file)
{
  const size_t length = strlen(file);
  return length >= 4 && strcmp(file + length - 3, ".h5") == 0;
}

/* A batch writes one file of rows and nothing else. */
static bool check_batch(const struct options *o)
{
  if (!o->batch && (o->shards || o->jobs || o->resume))
    return usage("--shard, --jobs, --resume", "--batch as well", "none");
  if (!o->batch) return true;
  if (!o->output || strcmp(o->output, "-") == 0) return usage("--batch", "--output FILE as well", "none");
  if (!o->quantities) return usage("--batch", "--quantities as well", "none");
  if (is_hdf5_name(o->output) && o->shards > 1)
    return usage("--output FILE.h5", "no --shard beside it; ali3-sim merge makes FILE.h5 of all shards",
                 "one");
  if (o->signals || o->summary || o->view || o->state_in || o->state_out || o->every != 1 || o->workers_given)
    return usage("--batch",
                 "no --signals, --summary, --view, --every, --workers, --state-in and --state-out beside it",
                 "one of them");
  return true;
}

static int merge_files(int argc, char **argv, const struct options *o)
{
  const int files = argc - optind - 1;
  if (!o->output || files < 1 || o->batch) {
    usage("merge", "--output FILE and files of shards", "another line");
    return EXIT_USAGE;
  }
  if (!is_hdf5_name(o->output))
    return shard_merge("ali3-sim", BATCH_HEAD ",", o->output, files, argv + optind + 1) ? EXIT_GOOD
                                                                                        : EXIT_RUN;
  /* By way of CSV, which checks that the shards are complete. */
  char csv[4200];
  snprintf(csv, sizeof csv, "%s.csv", o->output);
  const bool good = shard_merge("ali3-sim", BATCH_HEAD ",", csv, files, argv + optind + 1) &&
                    results_write_hdf5(csv, o->output);
  remove(csv);
  return good ? EXIT_GOOD : EXIT_RUN;
}

/* Returns -1 to go on, else the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  /* List the options. */
  static const struct option table[] = {
      {"duration", required_argument, NULL, DURATION},
      {"dt", required_argument, NULL, DT},
      {"method", required_argument, NULL, METHOD},
      {"iterations", required_argument, NULL, ITERATIONS},
      {"alpha", required_argument, NULL, ALPHA},
      {"substeps", required_argument, NULL, SUBSTEPS},
      {"extrapolate", no_argument, NULL, EXTRAPOLATE},
      {"set", required_argument, NULL, SET},
      {"workers", required_argument, NULL, WORKERS},
      {"isa", required_argument, NULL, ISA},
      {"every", required_argument, NULL, EVERY},
      {"signals", required_argument, NULL, SIGNALS},
      {"output", required_argument, NULL, OUTPUT},
      {"view", required_argument, NULL, VIEW},
      {"inputs", required_argument, NULL, INPUTS},
      {"inputs-time", required_argument, NULL, INPUTS_TIME},
      {"state-in", required_argument, NULL, STATE_IN},
      {"state-out", required_argument, NULL, STATE_OUT},
      {"summary", required_argument, NULL, SUMMARY},
      {"quantities", required_argument, NULL, END_QUANTITIES},
      {"batch", required_argument, NULL, BATCH},
      {"shard", required_argument, NULL, SHARD},
      {"jobs", required_argument, NULL, JOBS},
      {"resume", no_argument, NULL, RESUME},
      {"help", no_argument, NULL, HELP},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  *o = (struct options){.every = 1, .set = calloc((size_t)argc, sizeof *o->set)};
  if (!o->set) return fail_run(EXIT_RUN, "out of memory");
  o->over.set = o->set;
  long n = 0;
  bool good = true;
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) switch (c) {
    /* Read duration and steps. */
    case DURATION:
      good = take_positive("--duration", optarg, &o->duration);
      break;
    case DT:
      good = take_positive("--dt", optarg, &o->over.dt);
      break;
    case METHOD:
      good = ali3_method_named(optarg) != ALI3_METHODS || usage("--method", METHOD_WORDS, optarg);
      o->over.method = optarg;
      break;
    case ITERATIONS:
      good = take_count("--iterations", optarg, 1, 100, &n);
      o->over.iterations = (int)n;
      break;
    case ALPHA:
      good = take_positive("--alpha", optarg, &o->over.alpha);
      break;
    case SUBSTEPS:
      good = take_count("--substeps", optarg, 1, 1000, &n);
      o->over.substeps = (int)n;
      break;
    case EXTRAPOLATE:
      o->over.extrapolate = true;
      break;
    case SET:
      o->set[o->over.sets++] = optarg;
      break;
    /* Read threads and instruction set. */
    case WORKERS:
      good = take_workers(optarg, o);
      break;
    case ISA:
      good = isa_is_word(optarg) || usage("--isa", ISA_WORDS, optarg);
      o->over.isa = optarg;
      break;
    /* Read the outputs. */
    case EVERY:
      good = take_count("--every", optarg, 1, LONG_MAX, &o->every);
      break;
    case SIGNALS:
      o->signals = optarg;
      break;
    case OUTPUT:
      o->output = optarg;
      break;
    case VIEW:
      o->view = optarg;
      break;
    case STATE_IN:
      o->state_in = optarg;
      break;
    case INPUTS:
      o->inputs = optarg;
      break;
    case INPUTS_TIME:
      good = take_inputs_time(optarg, o);
      break;
    case STATE_OUT:
      o->state_out = optarg;
      break;
    case SUMMARY:
      o->summary = optarg;
      break;
    case END_QUANTITIES:
      o->quantities = optarg;
      break;
    /* Read the options of a batch. */
    case BATCH:
      o->batch = optarg;
      break;
    case SHARD:
      good =
          shard_read(optarg, &o->shard, &o->shards) || usage("--shard", "K/N with K from 0 to N - 1", optarg);
      break;
    case JOBS:
      good = take_count("--jobs", optarg, 1, 256, &o->jobs);
      break;
    case RESUME:
      o->resume = true;
      break;
    /* Print a text and end. */
    case HELP:
      fputs(help, stdout);
      return EXIT_GOOD;
    case VERSION:
      printf("ali3-sim " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    default:
      good = false;
    }
  if (good && optind < argc && strcmp(argv[optind], "merge") == 0) return merge_files(argc, argv, o);
  /* Refuse options that contradict each other. */
  good = good && check_batch(o);
  if (good && optind + 1 != argc) good = usage("FILE", "one file", optind < argc ? "several" : "none");
  if (good && o->output && o->summary && !strcmp(o->output, "-") && !strcmp(o->summary, "-"))
    good = usage("--output, --summary", "one of them at most on standard output", "both");
  if (good && o->inputs_time_given && !o->state_in)
    good = usage("--inputs-time", "--state-in as well, because both times are equal without it", "none");
  if (good && o->signals && !o->output && !o->view)
    good = usage("--signals", "--output or --view as well", "none");
  if (!good) {
    fputs("Try ali3-sim --help\n", stderr);
    return EXIT_USAGE;
  }
  if (!o->shards) o->shards = 1;
  if (!o->jobs) o->jobs = 1;
  o->file = argv[optind];
  return -1;
}

/* The rows stand in a CSV file beside the result until all runs are done, so that --resume finds them. */
static int batch_into_hdf5(struct options *o)
{
  const char *file = o->output;
  char rows[4200];
  snprintf(rows, sizeof rows, "%s.rows", file);
  o->output = rows;
  int status = batch(o);
  if (status != EXIT_GOOD) return status;
  if (!results_write_hdf5(rows, file)) return EXIT_RUN;
  return remove(rows) == 0 ? EXIT_GOOD : EXIT_RUN;
}

static int simulate_model(const struct options *o, const struct settings *s, ali3_data *d, struct ride *ride,
                          const struct signals *signals, int workers)
{
  /* Open the table first: a run that cannot write does not begin. */
  long planned = planned_steps(o, s);
  if (planned == 0 || (o->state_in && !state_load_file(o->state_in, s->model, d))) return EXIT_USAGE;
  if (o->state_in && !script_time(ride->script, o, ali3_data_report(d)->time)) return EXIT_USAGE;
  struct table table;
  struct quantities quantities = {0};
  if (o->quantities && !quantities_open(&quantities, o->quantities, signals)) return EXIT_USAGE;
  if (o->output && !table_open(&table, o->output, o->signals, signals)) {
    quantities_close(&quantities);
    return EXIT_USAGE;
  }
  struct film *film = o->view ? film_open(o->view, o->signals, s, signals) : NULL;
  if (o->view && !film) {
    if (o->output) table_close(&table);
    quantities_close(&quantities);
    return EXIT_USAGE;
  }

  /* Run the model. */
  struct result r;
  struct quantities *q = o->quantities ? &quantities : NULL;
  const struct takers takers = {
      .table = o->output ? &table : NULL, .every = o->every, .quantities = q, .film = film};
  if (!run(s->model, d, o->state_in != NULL, ride, planned, &takers, &r)) {
    if (o->output) table_close(&table);
    if (film) film_close(film);
    quantities_close(&quantities);
    free(r.step_ns);
    return EXIT_RUN;
  }
  /* Report the failure, and write the steps so far. */
  bool good = r.status >= 0 && !r.interrupted;
  if (!good) summary_failure(s, d, &r);
  summary_degraded(s->model, &r);
  if (o->output) good &= table_close(&table);
  if (film) good &= film_close(film);
  if (o->state_out) good &= state_save_file(o->state_out, s->model, d);
  if (o->summary || !o->output || strcmp(o->output, "-") != 0)
    good &= summary_write(o->summary, s->model, workers, q, &r);
  quantities_close(&quantities);
  free(r.step_ns);
  if (r.status == ALI3_E_VIOLATED || (good && r.violated > 0)) return EXIT_VIOLATED;
  return good ? EXIT_GOOD : EXIT_RUN;
}

static int simulate_file(const struct options *o)
{
  int status = EXIT_RUN;
  struct settings *s = setup_load(o->file, &o->over, stderr);
  if (!s) return EXIT_USAGE;

  /* Like the daemon's loop, so that equal inputs give equal bits. */
  realtime_flush_denormals();
  /* Start workers, and allocate data and signals. */
  char error[256] = "out of memory";
  int workers = workers_of(o, s);
  struct pool_config config = {.workers = workers, .priority = 0, .first_cpu = -1};
  struct pool *pool = pool_new(&config, error, sizeof error);
  ali3_data *d = ali3_data_new(s->model);
  const struct signals_more more = {.platform = s->platform.enabled ? &s->platform.spec.geometry : NULL};
  struct signals *signals = signals_new_with(s->model, s->input, s->inputs, &more);
  struct ride *ride = signals ? ride_new(s, signals) : NULL;
  const bool scripted = ride && script_open(&ride->script, o->inputs, s, signals);
  if (!pool) {
    status = fail_run(EXIT_RUN, error);
  } else if (!d || !signals) {
    status = fail_run(EXIT_RUN, "out of memory");
  } else if (!ride) {
    status = EXIT_RUN;
  } else if (!scripted) {
    status = EXIT_USAGE;
  } else {
    if (workers > 0) ali3_data_set_exec(d, pool_exec(pool));
    status = simulate_model(o, s, d, ride, signals, workers);
  }
  ride_free(ride);
  signals_free(signals);
  ali3_data_free(d);
  if (pool) pool_free(pool);
  settings_free(s);
  return status;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct options o;
  int status = take_options(argc, argv, &o);
  if (status < 0 && o.batch && is_hdf5_name(o.output)) status = batch_into_hdf5(&o);
  if (status < 0) status = o.batch ? batch(&o) : simulate_file(&o);
  free(o.set);
  return status;
}
