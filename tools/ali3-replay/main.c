/* SPDX-License-Identifier: MIT
 * ali3-replay: options and wiring. */
#include "command/command_line.h"
#include "common/output.h"
#include "replay.h"

#include "outfile/outfile.h"

#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static bool take_csv(char *file, void *options);
static bool take_mdf(char *file, void *options);
static bool take_header(char *word, void *options);

static const struct command_option replay_list[] = {
    COMMAND_TEXT(
        struct replay_options, with, "with", "CONFIG",
        "give the recorded inputs to the model of another configuration, and print the largest differences"),
    COMMAND_TEXT(struct replay_options, write, "write", "OUT",
                 "record all signals of what is computed in a new file"),
    COMMAND_NUMBER(struct replay_options, from, "from", "S", 0, DBL_MAX,
                   "only the rows from this time since the first row on"),
    COMMAND_NUMBER(struct replay_options, to, "to", "S", 0, DBL_MAX,
                   "only the rows up to this time since the first row"),
    COMMAND_NUMBER(struct replay_options, tolerance, "tolerance", "X", 0, DBL_MAX,
                   "compare with this relative tolerance, also recordings of other builds"),
    COMMAND_COUNT(struct replay_options, workers, "workers", "N", 0, 63,
                  "threads that share a step, beside the first, 0 to 63 (default: 0)"),
    COMMAND_TEXT(struct replay_options, feed, "feed", "URL",
                 "send the recorded inputs to a running daemon, osc.udp://HOST:PORT/PREFIX"),
    COMMAND_NUMBER(struct replay_options, speed, "speed", "X", DBL_MIN, 1e6,
                   "with --feed: X times as fast as recorded (default: 1)"),
    COMMAND_SWITCH(struct replay_options, lockstep, "lockstep",
                   "with --feed: ask the daemon for each step, and wait for it"),
    COMMAND_HEADING("export: writes signals as CSV, or as an MDF 4.1 file."),
    COMMAND_OTHER(take_csv, "csv", "OUT", "write CSV; - for standard output"),
    COMMAND_OTHER(take_header, "header", "WHICH",
                  "first line of the CSV: names (default); units: time [s]; none"),
    COMMAND_OTHER(take_mdf, "mf4", "OUT", "write MDF 4.1"),
    COMMAND_TEXT(struct replay_options, signals, "signals", "GLOB,..",
                 "only the signals that match, e.g. 'time,body.*.position.*' (default: all)"),
    {0},
};
static const struct command_line replay_command = {
    .name = "ali3-replay",
    .head =
        "Usage: ali3-replay FILE.h5 [OPTION]...\n"
        "       ali3-replay export FILE.h5 --csv OUT | --mf4 OUT [--signals GLOB,..] [--from S] [--to S]\n"
        "       ali3-replay info FILE.h5\n"
        "       ali3-replay recover FILE.h5 COPY.h5\n"
        "Computes a run that ali3-record recorded again, and compares every recorded number bit by bit.\n",
    .tail = "info: prints what the file holds. recover: copies what is whole of a file that was not closed.\n"
            "\n"
            "Exit status: 0 the same bits; 1 the first difference is printed; 2 wrong usage, or a file that\n"
            "cannot be read; 3 another build, instruction set or model; 4 some cycles were not compared, "
            "because\n"
            "cycles were lost or no state leads to them.\n",
    .option = replay_list,
    .wrong = EXIT_USAGE};

static bool refuse_argument(const char *option, const char *expected, const char *found)
{
  return command_wrong(&replay_command, option, expected, found);
}

static bool take_output(struct replay_options *o, const char *file, bool mdf)
{
  if (o->out) return refuse_argument("--csv, --mf4", "one of them", "several");
  o->out = file;
  o->mdf = mdf;
  return true;
}

static bool take_csv(char *file, void *options)
{
  return take_output(options, file, false);
}

static bool take_mdf(char *file, void *options)
{
  return take_output(options, file, true);
}

static bool take_header(char *word, void *options)
{
  struct replay_options *o = options;
  return csv_header_from(word, &o->header) || refuse_argument("--header", CSV_HEADER_WORDS, word);
}

/* Refuses options that belong to another word. */
static bool check_words(bool export, bool info, int words, const struct replay_options *o)
{
  if (!export && !info && words != 1)
    return refuse_argument("FILE", "one recording", words == 0 ? "none" : "several");
  if (export && !o->out) return refuse_argument("export", "--csv OUT or --mf4 OUT as well", "none");
  if (o->header && (!o->out || o->mdf)) return refuse_argument("--header", "--csv OUT as well", "none");
  if (!export && (o->out || o->signals))
    return refuse_argument("--csv, --mf4, --signals", "the word export in front of FILE", "none");
  if (o->write && (export || info || o->feed))
    return refuse_argument("--write", "a replay", export ? "export" : info ? "info" : "--feed");
  if (!o->feed && (o->lockstep || o->speed != 1.0))
    return refuse_argument("--speed, --lockstep", "--feed as well", "none");
  return true;
}

/* The words in front of and behind the options. */
static int run_words(int words, char **word, struct replay_options *o)
{
  struct recording r;
  char error[400];
  /* The word says what to do; without one the file is replayed. */
  const bool recover = words == 3 && strcmp(word[0], "recover") == 0;
  const bool info = words == 2 && strcmp(word[0], "info") == 0;
  const bool export = words == 2 && strcmp(word[0], "export") == 0;
  if (recover && !outfile_check("recover", word[2])) return EXIT_USAGE;
  if (recover) return recording_recover("ali3-replay", word[1], word[2]) == 0 ? EXIT_SAME : EXIT_USAGE;
  if (!check_words(export, info, words, o)) return command_refuse(&replay_command);
  o->file = word[words - 1];
  if (!recording_open(&r, o->file, error, sizeof error)) {
    fprintf(stderr, "ali3-replay: %s\n", error);
    return EXIT_USAGE;
  }
  const int status = info      ? info_run(&r)
                     : export  ? export_run(&r, o)
                     : o->feed ? feed_run(&r, o)
                               : again_run(&r, o);
  recording_close(&r);
  return status;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct replay_options o = {.to = -1.0, .tolerance = -1.0, .speed = 1.0};
  const int status = command_read(&replay_command, argc, argv, &o);
  if (status >= 0) return status;
  if (!outfile_check("--write", o.write) || !outfile_check(o.mdf ? "--mf4" : "--csv", o.out))
    return EXIT_USAGE;
  recording_quiet();
  return run_words(argc - optind, argv + optind, &o);
}
