/* SPDX-License-Identifier: MIT
 * ali3-sim: the command line. */
#include "base/build_info.h"
#include "option_number.h"
#include "shards.h"
#include "sim.h"

#include "base/isa.h"
#include "rt/choose.h"
#include "rt/pool.h"

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
    "  --header WHICH    first line of the CSV: names (default); units: time [s]; none\n"
    "  --view FILE       write a page with the animation of the run, which needs no server; --signals "
    "chooses\n"
    "                    its plots, 16 at most\n"
    "  --state-in FILE   continue from a state that --state-out wrote; --duration counts from there\n"
    "  --state-out FILE  write the state of the model at the end of the run\n"
    "  --settle          begin at rest in the static equilibrium under all loads\n"
    "  --linearise FILE  write the linear system at the start as JSON (A, B, C, D, poles), and end; - for\n"
    "                    standard output; --settle puts the start into the equilibrium\n"
    "  --from INPUT,..   its inputs: channels of inputs, motors or drives; a drive takes the acceleration\n"
    "                    of its target\n"
    "  --to GLOB,..      its outputs: signals of bodies, joints, forces and sensors\n"
    "  --mode N          beside --view: the page shows mode N of ali3d --modes, about the equilibrium\n"
    "  --bode FILE       draw its Bode diagram as SVG\n"
    "  --summary FILE    write the figures of the run as JSON; - for standard output\n"
    "  --quantities GLOB[@FROM:TO],..  max, min, rms, final value, peak to peak and settling time of the "
    "signals that match,\n"
    "                    in the summary; FROM:TO: of these seconds only\n"
    "  --batch SWEEP     one run for each set of parameters of the file SWEEP; --output has a row for each\n"
    "                    run, with its parameters, outcome and quantities; FILE.h5 becomes HDF5\n"
    "  --shard K/N       only the runs K, K + N, .. (K from 0); a row is the same for any N\n"
    "  --jobs N          threads of a batch, 1 to 256 (default: 1)\n"
    "  --resume          keep the rows that the output file of the batch has already\n"
    "  --png FILE        draw the quantities of the batch over its first parameter, by gnuplot\n"
    "  --help, --version\n"
    "\n"
    "merge: puts the files of all shards together, in the order of the runs; FILE.h5 becomes HDF5.\n"
    "\n"
    "Exit status: 0 the run is complete, also with degraded steps; 1 the run failed or was interrupted (the\n"
    "steps so far are written); 2 wrong usage, or a mistake in a file; 3 joints, drives or gears were open "
    "by\n"
    "more than the tolerance, or contradict each other.\n";

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
  HEADER,
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
  PNG,
  SETTLE,
  LINEARISE,
  BODE,
  MODE,
  FROM,
  TO,
  HELP,
  VERSION
};

bool options_name_hdf5(const char *file)
{
  const size_t length = strlen(file);
  return length >= 4 && strcmp(file + length - 3, ".h5") == 0;
}

/* A batch writes one file of rows and nothing else. */
static bool check_batch(const struct options *o)
{
  if (!o->batch && (o->shards || o->jobs || o->resume || o->png))
    return usage("--shard, --jobs, --resume, --png", "--batch as well", "none");
  if (!o->batch) return true;
  /* The rows need a file, and their columns. */
  if (!o->output || strcmp(o->output, "-") == 0) return usage("--batch", "--output FILE as well", "none");
  if (!o->quantities) return usage("--batch", "--quantities as well", "none");
  if (o->png && o->shards > 1) return usage("--png", "all runs in one batch", "--shard");
  if (options_name_hdf5(o->output) && o->shards > 1)
    return usage("--output FILE.h5", "no --shard beside it; ali3-sim merge makes FILE.h5 of all shards",
                 "one");
  if (o->settle || o->linearise)
    return usage("--batch", "no --settle and --linearise beside it", "one of them");
  if (o->signals || o->header || o->summary || o->view || o->state_in || o->state_out || o->every != 1 ||
      o->workers_given)
    return usage(
        "--batch",
        "no --signals, --header, --summary, --view, --every, --workers, --state-in and --state-out beside it",
        "one of them");
  return true;
}

/* A linear system takes the place of a run. */
static bool check_linearise(const struct options *o)
{
  if (!o->linearise && (o->bode || o->from || o->to))
    return usage("--bode, --from, --to", "--linearise as well", "none");
  if (o->mode && (!o->view || o->linearise))
    return usage("--mode", "--view as well, and no --linearise", "another line");
  if (!o->linearise) return true;
  if (!o->from || !o->to) return usage("--linearise", "--from and --to as well", "none");
  if (o->output || o->view || o->summary || o->quantities || o->state_out || o->inputs)
    return usage("--linearise",
                 "no --output, --view, --summary, --quantities, --state-out and --inputs beside it",
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
  if (!options_name_hdf5(o->output))
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

int options_take(int argc, char **argv, struct options *o)
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
      {"header", required_argument, NULL, HEADER},
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
      {"png", required_argument, NULL, PNG},
      {"settle", no_argument, NULL, SETTLE},
      {"linearise", required_argument, NULL, LINEARISE},
      {"bode", required_argument, NULL, BODE},
      {"mode", required_argument, NULL, MODE},
      {"from", required_argument, NULL, FROM},
      {"to", required_argument, NULL, TO},
      {"help", no_argument, NULL, HELP},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  *o = (struct options){.every = 1, .set = calloc((size_t)argc, sizeof *o->set)};
  if (!o->set) {
    fputs("ali3-sim: out of memory\n", stderr);
    return EXIT_RUN;
  }
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
    case HEADER:
      good = csv_header_from(optarg, &o->header) || usage("--header", CSV_HEADER_WORDS, optarg);
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
    case PNG:
      o->png = optarg;
      break;
    /* Read the options of equilibrium and linear systems. */
    case SETTLE:
      o->settle = true;
      break;
    case LINEARISE:
      o->linearise = optarg;
      break;
    case BODE:
      o->bode = optarg;
      break;
    case MODE:
      good = take_count("--mode", optarg, 1, 10000, &o->mode);
      break;
    case FROM:
      o->from = optarg;
      break;
    case TO:
      o->to = optarg;
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
  if (good && o->header && !o->output) good = usage("--header", "--output as well", "none");
  good = good && check_linearise(o);
  if (!good) {
    fputs("Try ali3-sim --help\n", stderr);
    return EXIT_USAGE;
  }
  if (!o->shards) o->shards = 1;
  if (!o->jobs) o->jobs = 1;
  o->file = argv[optind];
  return -1;
}
