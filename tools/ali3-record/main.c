/* SPDX-License-Identifier: MIT
 * ali3-record: options and wiring. */
#include "base/build_info.h"
#include "option_number.h"
#include "record.h"
#include "recording/recording.h"

#include <ali3/ali3.h>
#include <getopt.h>
#include <libgen.h>
#include <string.h>

static const char help[] =
    "Usage: ali3-record [OPTION]... [INSTANCE]\n"
    "       ali3-record --recover FILE --once COPY\n"
    "Records every cycle of a running daemon into HDF5 files, with all signals under their names.\n"
    "Without INSTANCE: the one daemon that runs.\n"
    "\n"
    "  --once FILE      record one run into this file, and end\n"
    "  --to FOLDER      write files INSTANCE-UTC.h5 there, one after the other (default: .)\n"
    "  --when WORD      always or running: record while the state is RUNNING (default: always with --once, "
    "else running)\n"
    "  --signals WORDS  all, state, inputs, or names with * and commas (default: all)\n"
    "  --type WORD      f64 or f32 (default: f64)\n"
    "  --divisor N      every N-th cycle (default: 1)\n"
    "  --before S       seconds from the ring, ahead of the start (default: 5)\n"
    "  --after S        seconds behind the end of RUNNING (default: 2)\n"
    "  --split S        seconds of one file; 0: any (default: 600)\n"
    "  --keep GB        size of all finished files of the instance; the oldest go first; 0: any (default: "
    "50)\n"
    "  --min-free GB    free space below which recording stops (default: 2)\n"
    "  --compress N     0 to 9 (default: 0)\n"
    "  --duration S     end after this time\n"
    "  --label TEXT     a note in the file\n"
    "  --anyway         also write to NFS, SMB or FUSE, where a crash may cost the file\n"
    "  --recover FILE   copy what is whole of a file that was not closed\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 recorded; 1 a file could not be written, or there is no daemon; 2 wrong usage.\n";

enum {
  OPTION_ONCE = 1,
  OPTION_TO,
  OPTION_WHEN,
  OPTION_SIGNALS,
  OPTION_TYPE,
  OPTION_DIVISOR,
  OPTION_BEFORE,
  OPTION_AFTER,
  OPTION_SPLIT,
  OPTION_KEEP,
  OPTION_FREE,
  OPTION_COMPRESS,
  OPTION_DURATION,
  OPTION_LABEL,
  OPTION_ANYWAY,
  OPTION_RECOVER,
  OPTION_HELP,
  OPTION_VERSION
};

struct command_line {
  struct record_options options;
  const char *recover; /* file; NULL: record */
  bool when_given;
};

static bool refuse_choice(const char *option, const char *expected, const char *found)
{
  fprintf(stderr, "ali3-record: %s: expected %s, found %s\n", option, expected, found);
  return false;
}

static bool take_seconds(const char *option, const char *text, double *out)
{
  return option_number(text, 0.0, 1e9, out) || refuse_choice(option, "seconds from 0 to 1e9", text);
}

static bool take_gigabytes(const char *option, const char *text, double *out)
{
  if (!option_number(text, 0.0, 1e9, out)) return refuse_choice(option, "GB from 0 to 1e9", text);
  *out *= 1e9;
  return true;
}

static bool take_whole(const char *option, const char *text, long least, long most, long *out)
{
  char expected[64];
  snprintf(expected, sizeof expected, "a whole number from %ld to %ld", least, most);
  return option_count(text, least, most, out) || refuse_choice(option, expected, text);
}

/* The first word gives false, the second true. */
static bool take_word(const char *option, const char *text, const char *first, const char *second, bool *out)
{
  char expected[64];
  snprintf(expected, sizeof expected, "%s or %s", first, second);
  *out = strcmp(text, second) == 0;
  return *out || strcmp(text, first) == 0 || refuse_choice(option, expected, text);
}

static bool take_choice(struct command_line *l, int c)
{
  struct record_options *o = &l->options;
  bool running = false;
  long n = 0;
  /* Words first, then whole numbers, seconds and sizes. */
  switch (c) {
  case OPTION_WHEN:
    l->when_given = true;
    if (!take_word("--when", optarg, "always", "running", &running)) return false;
    o->when = running ? RECORD_RUNNING : RECORD_ALWAYS;
    return true;
  case OPTION_TYPE:
    return take_word("--type", optarg, "f64", "f32", &o->single);
  case OPTION_DIVISOR:
    return take_whole("--divisor", optarg, 1, 1000000, &o->divisor);
  case OPTION_COMPRESS:
    if (!take_whole("--compress", optarg, 0, 9, &n)) return false;
    o->compress = (int)n;
    return true;
  case OPTION_BEFORE:
    return take_seconds("--before", optarg, &o->before);
  case OPTION_AFTER:
    return take_seconds("--after", optarg, &o->after);
  case OPTION_SPLIT:
    return take_seconds("--split", optarg, &o->split);
  case OPTION_DURATION:
    return take_seconds("--duration", optarg, &o->duration);
  case OPTION_KEEP:
    return take_gigabytes("--keep", optarg, &o->keep);
  case OPTION_FREE:
    return take_gigabytes("--min-free", optarg, &o->min_free);
  default:
    return false;
  }
}

static const char *folder_of(const char *file)
{
  static char folder[RECORD_PATH];
  snprintf(folder, sizeof folder, "%s", file);
  return dirname(folder);
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct command_line *l)
{
  /* List the options. */
  static const struct option table[] = {
      {"once", required_argument, NULL, OPTION_ONCE},
      {"to", required_argument, NULL, OPTION_TO},
      {"when", required_argument, NULL, OPTION_WHEN},
      {"signals", required_argument, NULL, OPTION_SIGNALS},
      {"type", required_argument, NULL, OPTION_TYPE},
      {"divisor", required_argument, NULL, OPTION_DIVISOR},
      {"before", required_argument, NULL, OPTION_BEFORE},
      {"after", required_argument, NULL, OPTION_AFTER},
      {"split", required_argument, NULL, OPTION_SPLIT},
      {"keep", required_argument, NULL, OPTION_KEEP},
      {"min-free", required_argument, NULL, OPTION_FREE},
      {"compress", required_argument, NULL, OPTION_COMPRESS},
      {"duration", required_argument, NULL, OPTION_DURATION},
      {"label", required_argument, NULL, OPTION_LABEL},
      {"anyway", no_argument, NULL, OPTION_ANYWAY},
      {"recover", required_argument, NULL, OPTION_RECOVER},
      {"help", no_argument, NULL, OPTION_HELP},
      {"version", no_argument, NULL, OPTION_VERSION},
      {0},
  };
  struct record_options *o = &l->options;
  *l = (struct command_line){.options = {.folder = ".",
                                         .signals = "all",
                                         .label = "",
                                         .when = RECORD_RUNNING,
                                         .divisor = 1,
                                         .before = 5,
                                         .after = 2,
                                         .split = 600,
                                         .keep = 50e9,
                                         .min_free = 2e9}};
  bool good = true;
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) switch (c) {
    /* Read names and switches. */
    case OPTION_ONCE:
      o->once = optarg;
      break;
    case OPTION_TO:
      o->folder = optarg;
      break;
    case OPTION_SIGNALS:
      o->signals = optarg;
      break;
    case OPTION_LABEL:
      o->label = optarg;
      break;
    case OPTION_ANYWAY:
      o->anyway = true;
      break;
    case OPTION_RECOVER:
      l->recover = optarg;
      break;
    /* Print a text and end. */
    case OPTION_HELP:
      fputs(help, stdout);
      return EXIT_GOOD;
    case OPTION_VERSION:
      printf("ali3-record " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    default:
      good = take_choice(l, c);
    }
  /* At most one instance; one file has no parts. */
  if (good && argc - optind > 1) good = refuse_choice("INSTANCE", "one name at most", "several");
  if (good && l->recover && !o->once) good = refuse_choice("--recover", "--once COPY as well", "none");
  if (!good) {
    fputs("Try ali3-record --help\n", stderr);
    return EXIT_USAGE;
  }
  if (o->once) {
    o->split = 0;
    o->folder = folder_of(o->once);
  }
  if (o->once && !l->when_given) o->when = RECORD_ALWAYS;
  if (optind < argc) o->instance = argv[optind];
  return -1;
}

/* The one daemon that runs, if there is no choice. */
static bool choose_instance(struct record_options *o)
{
  static char name[2][64];
  if (o->instance) return true;
  const int found = telemetry_list(name, 2);
  if (found == 1) {
    o->instance = name[0];
    return true;
  }
  fprintf(stderr, "ali3-record: expected the name of an instance: %s\n",
          found == 0 ? "no daemon runs" : "several daemons run; ali3-top --list names them");
  return false;
}

int main(int argc, char **argv)
{
  struct command_line l;
  char kind[16];
  int status = take_options(argc, argv, &l);
  if (status >= 0) return status;
  if (l.recover) return recording_recover("ali3-record", l.recover, l.options.once);
  if (!choose_instance(&l.options)) return EXIT_RUN;
  if (!l.options.anyway && !space_is_local(l.options.folder, kind, sizeof kind)) {
    fprintf(stderr,
            "ali3-record: %s: %s does not keep the order of writes, so a crash may cost the file; choose a "
            "local folder, "
            "or --anyway\n",
            l.options.folder, kind);
    return EXIT_USAGE;
  }
  record_catch_signals();
  run_file_quiet();
  return record_follow(&l.options);
}
