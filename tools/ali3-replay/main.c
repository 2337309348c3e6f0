/* SPDX-License-Identifier: MIT
 * ali3-replay: options and wiring. */
#include "base/build_info.h"
#include "option_number.h"
#include "output.h"
#include "replay.h"

#include <ali3/ali3.h>
#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: ali3-replay FILE.h5 [OPTION]...\n"
    "       ali3-replay export FILE.h5 --csv OUT | --mf4 OUT [--signals GLOB,..] [--from S] [--to S]\n"
    "       ali3-replay info FILE.h5\n"
    "       ali3-replay recover FILE.h5 COPY.h5\n"
    "Computes a run that ali3-record recorded again, and compares every recorded number bit by bit.\n"
    "\n"
    "  --with CONFIG     give the recorded inputs to the model of another configuration, and print the "
    "largest\n"
    "                    differences\n"
    "  --write OUT       record all signals of what is computed in a new file\n"
    "  --from S, --to S  only the rows between these times since the first row\n"
    "  --tolerance X     compare with this relative tolerance, also recordings of other builds\n"
    "  --workers N       threads that share a step, beside the first, 0 to 63 (default: 0)\n"
    "  --feed URL        send the recorded inputs to a running daemon, osc.udp://HOST:PORT/PREFIX\n"
    "  --speed X         of a feed: X times as fast as recorded (default: 1)\n"
    "  --lockstep        of a feed: ask the daemon for each step, and wait for it\n"
    "  --help, --version\n"
    "\n"
    "export: writes signals as CSV, or as an MDF 4.1 file.\n"
    "  --csv OUT         write CSV; - for standard output\n"
    "  --header WHICH    first line of the CSV: names (default); units: time [s]; none\n"
    "  --mf4 OUT         write MDF 4.1\n"
    "  --signals GLOB,.. only the signals that match, e.g. 'time,body.*.position.*' (default: all)\n"
    "info: prints what the file holds. recover: copies what is whole of a file that was not closed.\n"
    "\n"
    "Exit status: 0 the same bits; 1 the first difference is printed; 2 wrong usage, or a file that cannot "
    "be\n"
    "read; 3 another build, instruction set or model; 4 some cycles were not compared, because cycles were\n"
    "lost or no state leads to them.\n";

enum {
  WITH = 1,
  WRITE,
  FROM,
  TO,
  TOLERANCE,
  WORKERS,
  FEED,
  SPEED,
  LOCKSTEP,
  CSV,
  MF4,
  SIGNALS,
  HEADER,
  HELP,
  VERSION
};

static bool refuse_argument(const char *option, const char *expected, const char *found)
{
  fprintf(stderr, "ali3-replay: %s: expected %s, found %s\n", option, expected, found);
  return false;
}

static bool read_number_option(const char *option, const char *text, double *out)
{
  return option_number(text, 0.0, DBL_MAX, out) || refuse_argument(option, "a number of at least 0", text);
}

static bool read_option(int c, struct replay_options *o)
{
  long n;
  /* Names first, then numbers. */
  switch (c) {
  case WITH:
    o->with = optarg;
    return true;
  case WRITE:
    o->write = optarg;
    return true;
  case FEED:
    o->feed = optarg;
    return true;
  case LOCKSTEP:
    o->lockstep = true;
    return true;
  case CSV:
  case MF4:
    if (o->out) return refuse_argument("--csv, --mf4", "one of them", "several");
    o->out = optarg;
    o->mdf = c == MF4;
    return true;
  case SIGNALS:
    o->signals = optarg;
    return true;
  case HEADER:
    return csv_header_from(optarg, &o->header) || refuse_argument("--header", CSV_HEADER_WORDS, optarg);
  case SPEED:
    return (option_number(optarg, 0.0, 1e6, &o->speed) && o->speed > 0.0) ||
           refuse_argument("--speed", "a number above 0", optarg);
  /* Numbers. */
  case FROM:
    return read_number_option("--from", optarg, &o->from);
  case TO:
    return read_number_option("--to", optarg, &o->to);
  case TOLERANCE:
    return read_number_option("--tolerance", optarg, &o->tolerance);
  case WORKERS:
    if (!option_count(optarg, 0, 63, &n))
      return refuse_argument("--workers", "a whole number from 0 to 63", optarg);
    o->workers = (int)n;
    return true;
  default:
    return false;
  }
}

static int ask_for_help(void)
{
  fputs("Try ali3-replay --help\n", stderr);
  return EXIT_USAGE;
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
  if (recover) return recording_recover("ali3-replay", word[1], word[2]) == 0 ? EXIT_SAME : EXIT_USAGE;
  if (!check_words(export, info, words, o)) return ask_for_help();
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
  static const struct option table[] = {
      {"with", required_argument, NULL, WITH},
      {"write", required_argument, NULL, WRITE},
      {"from", required_argument, NULL, FROM},
      {"to", required_argument, NULL, TO},
      {"tolerance", required_argument, NULL, TOLERANCE},
      {"workers", required_argument, NULL, WORKERS},
      {"feed", required_argument, NULL, FEED},
      {"speed", required_argument, NULL, SPEED},
      {"lockstep", no_argument, NULL, LOCKSTEP},
      {"csv", required_argument, NULL, CSV},
      {"mf4", required_argument, NULL, MF4},
      {"signals", required_argument, NULL, SIGNALS},
      {"header", required_argument, NULL, HEADER},
      {"help", no_argument, NULL, HELP},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  /* Read the options, then the words. */
  struct replay_options o = {.to = -1.0, .tolerance = -1.0, .speed = 1.0};
  for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (c == HELP) return fputs(help, stdout) < 0 ? EXIT_USAGE : EXIT_SAME;
    if (c == VERSION)
      return printf("ali3-replay " ALI3_VERSION "\n%s\n", build_info()) < 0 ? EXIT_USAGE : EXIT_SAME;
    if (!read_option(c, &o)) return ask_for_help();
  }
  recording_quiet();
  return run_words(argc - optind, argv + optind, &o);
}
