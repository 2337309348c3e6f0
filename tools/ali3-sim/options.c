/* SPDX-License-Identifier: MIT
 * ali3-sim: the command line. */
#include "command/command_line.h"
#include "command/option_number.h"
#include "common/shards.h"
#include "sim.h"

#include "base/isa.h"
#include "outfile/outfile.h"
#include "rt/pool.h"
#include "workers/workers_choose.h"

#include <float.h>
#include <getopt.h>
#include <string.h>

static bool take_workers(char *word, void *options);
static bool take_shard(char *word, void *options);

static const struct command_option sim_list[] = {
    COMMAND_NUMBER(struct options, duration, "duration", "S", DBL_MIN, DBL_MAX,
                   "simulated seconds (default: simulation.duration of the file, else 10)"),
    COMMAND_NUMBER(struct options, over.dt, "dt", "S", DBL_MIN, DBL_MAX,
                   "step in seconds (default: cycle.period of the file, else 0.01)"),
    COMMAND_NAME(struct options, over.method, "method", "NAME", METHOD_WORDS,
                 "method of a step: " METHOD_WORDS " (default: as in the file, else ali3)"),
    COMMAND_COUNT(struct options, over.iterations, "iterations", "N", 1, 100,
                  "Newton iterations per step, 1 to 100 (default: as in the file, else 3)"),
    COMMAND_COUNT(struct options, over.substeps, "substeps", "N", 1, 1000,
                  "inner steps of each step (default: as in the file, else 1)"),
    COMMAND_SWITCH(struct options, over.extrapolate, "extrapolate",
                   "combine each inner step from one, two and three shorter ones: 5.7 times the work, order "
                   "four instead of two"),
    COMMAND_NUMBER(struct options, over.alpha, "alpha", "A", DBL_MIN, DBL_MAX,
                   "penalty of every rigid row, > 0 (default: relative compliance)"),
    COMMAND_TEXTS(struct options, set, "set", "KEY=VALUE",
                  "put VALUE into the file at the path KEY, e.g. solver.iterations=5 or "
                  "model.bodies.A.mass=3; may be given several times"),
    COMMAND_OTHER(take_workers, "workers", "N|auto",
                  "threads that share a step, beside the first; auto: the fastest number (default: the "
                  "number in the file, else 0)"),
    COMMAND_NAME(struct options, over.isa, "isa", "NAME", ISA_WORDS,
                 "instruction set of the steps: " ISA_WORDS
                 " (default: as in the file, else auto, the best of the processor)"),
    COMMAND_TEXT(struct options, inputs, "inputs", "FILE",
                 "values of the inputs: a CSV file with the columns time and input.NAME..., or a recording "
                 "FILE.h5 of ali3-record with the period of this run"),
    COMMAND_WORD(struct options, inputs_time, "inputs-time", "WHICH", "run or simulated",
                 "the time that the tables of inputs have, beside --state-in: run (default) counts from the "
                 "start of this run, simulated goes on with the time of the state"),
    COMMAND_TEXT(struct options, output, "output", "FILE", "write signals as CSV; - for standard output"),
    COMMAND_TEXT(struct options, signals, "signals", "GLOB,..",
                 "write only the signals that match, e.g. 'time,body.*.position.*' (default: all)"),
    COMMAND_LONG(struct options, every, "every", "N", 1, DBL_MAX,
                 "write every N-th step (default: 1); the first row is t = 0"),
    COMMAND_WORD(struct options, header, "header", "WHICH", CSV_HEADER_WORDS,
                 "first line of the CSV: names (default); units: time [s]; none"),
    COMMAND_TEXT(struct options, view, "view", "FILE",
                 "write a page with the animation of the run, which needs no server; --signals chooses its "
                 "plots, 16 at most"),
    COMMAND_TEXT(struct options, state_in, "state-in", "FILE",
                 "continue from a state that --state-out wrote; --duration counts from there"),
    COMMAND_TEXT(struct options, state_out, "state-out", "FILE",
                 "write the state of the model at the end of the run"),
    COMMAND_SWITCH(struct options, settle, "settle",
                   "begin at rest in the static equilibrium under all loads"),
    COMMAND_TEXT(struct options, linearise, "linearise", "FILE",
                 "write the linear system at the start as JSON (A, B, C, D, poles), and end; - for standard "
                 "output; --settle puts the start into the equilibrium"),
    COMMAND_TEXT(struct options, from, "from", "INPUT,..",
                 "its inputs: channels of inputs, motors or drives; a drive takes the acceleration of its "
                 "target"),
    COMMAND_TEXT(struct options, to, "to", "GLOB,..",
                 "its outputs: signals of bodies, joints, forces and sensors"),
    COMMAND_LONG(struct options, mode, "mode", "N", 1, 10000,
                 "beside --view: the page shows mode N of ali3d --modes, about the equilibrium"),
    COMMAND_TEXT(struct options, bode, "bode", "FILE", "draw its Bode diagram as SVG"),
    COMMAND_TEXT(struct options, summary, "summary", "FILE",
                 "write the figures of the run as JSON; - for standard output"),
    COMMAND_TEXT(struct options, quantities, "quantities", "GLOB[@FROM:TO],..",
                 "max, min, rms, final value, peak to peak and settling time of the signals that match, in "
                 "the summary; FROM:TO: of these seconds only"),
    COMMAND_TEXT(struct options, batch, "batch", "SWEEP",
                 "one run for each set of parameters of the file SWEEP; --output has a row for each run, "
                 "with its parameters, outcome and quantities; FILE.h5 becomes HDF5"),
    COMMAND_OTHER(take_shard, "shard", "K/N",
                  "only the runs K, K + N, .. (K from 0); a row is the same for any N"),
    COMMAND_LONG(struct options, jobs, "jobs", "N", 1, 256, "threads of a batch, 1 to 256 (default: 1)"),
    COMMAND_LONG(
        struct options, lanes, "lanes", "N", 1, 8,
        "runs of a batch that one thread computes side by side in the lanes of the processor, 1 to 8 "
        "(default: as many as there are lanes, or 1 below 100 steps); the rows are the same for any N"),
    COMMAND_SWITCH(struct options, resume, "resume",
                   "keep the rows that the output file of the batch has already"),
    COMMAND_TEXT(struct options, png, "png", "FILE",
                 "draw the quantities of the batch over its first parameter, by gnuplot"),
    {0},
};
static const struct command_line sim_command = {
    .name = "ali3-sim",
    .head = "Usage: ali3-sim FILE [OPTION]...\n"
            "       ali3-sim FILE --batch SWEEP --quantities GLOB,.. --output FILE [OPTION]...\n"
            "       ali3-sim merge --output FILE PART...\n"
            "Runs the mechanism of a model or configuration file step by step, as fast as possible. A motion "
            "platform of the file moves with it; the first row shows the platform engaged and at neutral.\n",
    .tail = "merge: puts the files of all shards together, in the order of the runs; FILE.h5 becomes HDF5.\n"
            "\n"
            "Exit status: 0 the run is complete, also with degraded steps; 1 the run failed or was "
            "interrupted (the steps so far are written); 2 wrong usage, or a mistake in a file; 3 joints, "
            "drives or gears were open by more than the tolerance, or contradict each other.\n",
    .option = sim_list,
    .wrong = EXIT_USAGE};

static bool usage(const char *option, const char *expected, const char *found)
{
  return command_wrong(&sim_command, option, expected, found);
}

/* With workers: auto in the file the daemon decides; here the default is no workers. */
static bool take_workers(char *word, void *options)
{
  struct options *o = options;
  long n;
  o->workers_given = true;
  if (strcmp(word, "auto") == 0)
    o->workers = WORKERS_AUTO;
  else if (option_count(word, 0, CHOOSE_MOST, &n))
    o->workers = (int)n;
  else
    return usage("--workers", "auto or a whole number from 0 to 63", word);
  return true;
}

static bool take_shard(char *word, void *options)
{
  struct options *o = options;
  return shard_read(word, &o->shard, &o->shards) || usage("--shard", "K/N with K from 0 to N - 1", word);
}

bool options_name_hdf5(const char *file)
{
  const size_t length = strlen(file);
  return length >= 4 && strcmp(file + length - 3, ".h5") == 0;
}

/* A batch writes one file of rows and nothing else. */
static bool check_batch(const struct options *o)
{
  if (!o->batch && (o->shards || o->jobs || o->lanes || o->resume || o->png))
    return usage("--shard, --jobs, --lanes, --resume, --png", "--batch as well", "none");
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
    return command_refuse(&sim_command);
  }
  if (!outfile_check("--output", o->output)) return EXIT_USAGE;
  if (!options_name_hdf5(o->output))
    return shard_merge("ali3-sim", BATCH_HEAD ",", "--output", o->output, files, argv + optind + 1)
               ? EXIT_GOOD
               : EXIT_RUN;
  /* By way of CSV, which checks that the shards are complete. */
  char csv[4200];
  snprintf(csv, sizeof csv, "%s.csv", o->output);
  const bool good = shard_merge("ali3-sim", BATCH_HEAD ",", "--output", csv, files, argv + optind + 1) &&
                    results_write_hdf5(csv, o->output);
  remove(csv);
  return good ? EXIT_GOOD : EXIT_RUN;
}

/* The rules between options. */
static bool judge_options(const struct options *o, int files)
{
  if (!check_batch(o)) return false;
  if (files != 1) return usage("FILE", "one file", files ? "several" : "none");
  if (o->output && o->summary && !strcmp(o->output, "-") && !strcmp(o->summary, "-"))
    return usage("--output, --summary", "one of them at most on standard output", "both");
  if (o->inputs_time != INPUTS_TIME_OPEN && !o->state_in)
    return usage("--inputs-time", "--state-in as well, because both times are equal without it", "none");
  if (o->signals && !o->output && !o->view) return usage("--signals", "--output or --view as well", "none");
  if (o->header && !o->output) return usage("--header", "--output as well", "none");
  return check_linearise(o);
}

int options_take(int argc, char **argv, struct options *o)
{
  *o = (struct options){.every = 1, .inputs_time = INPUTS_TIME_OPEN};
  const int status = command_read(&sim_command, argc, argv, o);
  if (status >= 0) return status;
  if (optind < argc && strcmp(argv[optind], "merge") == 0) return merge_files(argc, argv, o);
  if (!judge_options(o, argc - optind)) return command_refuse(&sim_command);
  /* Defaults that 0 stands for. */
  o->over.set = o->set.text;
  o->over.sets = o->set.count;
  if (!o->shards) o->shards = 1;
  if (!o->jobs) o->jobs = 1;
  o->file = argv[optind];
  return -1;
}
