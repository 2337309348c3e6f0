/* SPDX-License-Identifier: MIT
 * The command line of ali3d: parsing and help text. */
#include "daemon/options.h"
#include "base/build_info.h"

#include "base/isa.h"
#include "daemon/examples.h"
#include "manual/manual.h"

#include <ali3/ali3.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE_TEXT[] =
    "usage: ali3d FILE [options]\n"
    "\n"
    "Simulates the mechanism in FILE in hard real time, one step per period, and talks\n"
    "to a test bench over OSC and Modbus while it does.\n"
    "\n"
    "  --check[=json]      read FILE, assemble the mechanism, report what is wrong with it and how\n"
    "                      it is built; start nothing\n"
    "  --strict            with --check: warnings are errors\n"
    "  --accuracy M        with --check: try methods and substeps, and recommend those with the least\n"
    "                      work that err by at most M metres in the first second\n"
    "  --expand            print FILE without parameters, parts and other short forms; start nothing\n"
    "  --draw OUT.svg      draw the mechanism of FILE at its start; start nothing\n"
    "  --modes             print frequencies, damping ratios and the bodies that move most in each mode,\n"
    "                      about the static equilibrium; start nothing\n"
    "  --flat OUT          write the frozen mechanism of FILE as bytes for libali3; start nothing\n"
    "  --flat-inputs OUT   write the inputs of FILE with their limits as JSON, beside --flat; start nothing\n"
    "  --new KIND          print a FILE to begin with: hexapod, delta, four_bar, car or arm\n"
    "  --print-map[=json|csv|st|st-located|plcopen]\n"
    "                      print every OSC address, Modbus register and packet of FILE; start nothing;\n"
    "                      st, plcopen: the registers as variables of a PLC\n"
    "  --platform[=json|svg|model]\n"
    "                      print the figures of the motion platform, a drawing of its legs, or a model\n"
    "                      of the rig itself; start nothing\n"
    "  --duration S        end S seconds after the warm-up (default: run until SIGTERM or SIGINT)\n"
    "  --report FILE|-     at the end write figures of the run as JSON\n"
    "  --miss-log FILE     append a line of JSON for every deadline missed: its figures and cause\n"
    "  --miss-log-size MB  when the miss log reaches this size, rename it to FILE.1 and begin a\n"
    "                      new one (default: 64)\n"
    "  --state-dir DIR     keep the state file in DIR: a stop that is latched outlives the process\n"
    "                      (default: $STATE_DIRECTORY, /var/lib/ali3 for root, else\n"
    "                      $XDG_STATE_HOME/ali3 or ~/.local/state/ali3)\n"
    "  --resume[=FILE]     continue from a state: the newest automatic one, or FILE; the daemon waits\n"
    "                      in STOPPED for the command run\n"
    "  --set KEY=VALUE     put VALUE into the file at the path KEY, e.g. solver.iterations=5 or\n"
    "                      model.bodies.A.mass=3; may be given several times\n"
    "  --require-realtime  exit with status 3 where the host refuses real time, instead of\n"
    "                      running on labelled NOT REAL-TIME\n"
    "  --isa NAME          instruction set of the steps: " ISA_WORDS "\n"
    "                      (default: simulation.isa of FILE)\n"
    "  --help [KEY]        print this text, or what a key of FILE means: --help solver.gamma,\n"
    "                      --help forces, --help all\n"
    "  --print-reference   print a FILE that has every key, with comments\n"
    "  --schema            print the JSON Schema of FILE, for editors\n"
    "  --version\n"
    "\n"
    "exit status:\n"
    "  0  ran and stopped as told, or FILE is right (warnings of --check included)\n"
    "  1  failed at run time: a port is in use, the model was in FAULT at the end, ...\n"
    "  2  the command line or FILE is wrong, or a warning under --strict; nothing was started\n"
    "  3  real time was refused under --require-realtime; the loop was not started\n"
    "\n"
    "SIGUSR1: maxima and distributions begin anew. SIGHUP: read FILE again, or stop where\n"
    "standard input is a terminal. Messages go to standard error. The monitor is ali3-top.\n";

static int usage(const char *text, const char *found)
{
  fprintf(stderr, "ali3d: %s%s%s\nTry 'ali3d --help'.\n", text, found ? ", found " : "", found ? found : "");
  return STATUS_USAGE;
}

/* s, or another quantity above 0 */
static bool parse_positive(const char *text, double *s)
{
  char *end;
  errno = 0;
  *s = strtod(text, &end); /* NOLINT(clang-analyzer-core.NonNullParamChecker): getopt_long() sets optarg */
  return end != text && *end == '\0' && errno == 0 && isfinite(*s) && *s > 0.0 && *s <= 1e9;
}

static bool parse_size(const char *text, int *mb)
{
  char *end;
  errno = 0;
  const long n = strtol(text, &end, 10); /* NOLINT(clang-analyzer-core.NonNullParamChecker): as above */
  *mb = (int)n;
  return end != text && *end == '\0' && errno == 0 && n >= 1 && n <= MISS_LOG_MB_MOST;
}

static bool parse_platform(const char *text, enum platform_format *format)
{
  *format = !text                        ? PLATFORM_FORMAT_TEXT
            : strcmp(text, "json") == 0  ? PLATFORM_FORMAT_JSON
            : strcmp(text, "svg") == 0   ? PLATFORM_FORMAT_SVG
            : strcmp(text, "model") == 0 ? PLATFORM_FORMAT_MODEL
                                         : PLATFORM_FORMAT_NONE;
  return *format != PLATFORM_FORMAT_NONE;
}

/* key: the key that the user asks for; NULL: none. */
/* MAP_FORMAT_NONE: there is no such format. */
static enum map_format map_format_of(const char *word)
{
  static const char *const words[] = {[MAP_FORMAT_JSON] = "json",
                                      [MAP_FORMAT_CSV] = "csv",
                                      [MAP_FORMAT_ST] = "st",
                                      [MAP_FORMAT_ST_LOCATED] = "st-located",
                                      [MAP_FORMAT_PLCOPEN] = "plcopen"};
  if (!word) return MAP_FORMAT_TEXT;
  for (int i = MAP_FORMAT_JSON; i <= MAP_FORMAT_PLCOPEN; i++)
    if (strcmp(word, words[i]) == 0) return (enum map_format)i;
  return MAP_FORMAT_NONE;
}

static int print_help(const char *key)
{
  if (!key) fputs(USAGE_TEXT, stdout);
  return !key || manual_print_key(key, stdout, stderr) ? STATUS_OK : STATUS_USAGE;
}

/* options_parse(), but o->set stays allocated where the status is not -1. */
static int read_daemon_options(struct options *o, int argc, char **argv)
{
  enum {
    CHECK = 256,
    STRICT,
    ACCURACY,
    EXPAND,
    DRAW,
    MODES,
    FLAT,
    FLAT_INPUTS,
    NEW,
    PRINT_MAP,
    PLATFORM_TABLE,
    DURATION,
    REPORT,
    MISS_LOG_FILE,
    MISS_LOG_SIZE,
    STATE_DIR,
    RESUME,
    SET,
    REQUIRE_REALTIME,
    ISA,
    HELP_TEXT,
    REFERENCE,
    SCHEMA,
    VERSION
  };
  static const struct option LONG[] = {
      {"check", optional_argument, NULL, CHECK},
      {"strict", no_argument, NULL, STRICT},
      {"accuracy", required_argument, NULL, ACCURACY},
      {"expand", no_argument, NULL, EXPAND},
      {"draw", required_argument, NULL, DRAW},
      {"modes", no_argument, NULL, MODES},
      {"flat", required_argument, NULL, FLAT},
      {"flat-inputs", required_argument, NULL, FLAT_INPUTS},
      {"new", required_argument, NULL, NEW},
      {"print-map", optional_argument, NULL, PRINT_MAP},
      {"platform", optional_argument, NULL, PLATFORM_TABLE},
      {"duration", required_argument, NULL, DURATION},
      {"report", required_argument, NULL, REPORT},
      {"miss-log", required_argument, NULL, MISS_LOG_FILE},
      {"miss-log-size", required_argument, NULL, MISS_LOG_SIZE},
      {"state-dir", required_argument, NULL, STATE_DIR},
      {"resume", optional_argument, NULL, RESUME},
      {"set", required_argument, NULL, SET},
      {"require-realtime", no_argument, NULL, REQUIRE_REALTIME},
      {"isa", required_argument, NULL, ISA},
      {"help", optional_argument, NULL, HELP_TEXT},
      {"print-reference", no_argument, NULL, REFERENCE},
      {"schema", no_argument, NULL, SCHEMA},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  /* Read the options; the first mistake ends it. */
  *o = (struct options){.miss_log_mb = MISS_LOG_MB, .set = calloc((size_t)argc, sizeof *o->set)};
  if (!o->set) return STATUS_FAILED;
  optind = 1;
  int option;
  while ((option = getopt_long(argc, argv, "", LONG, NULL)) != -1) {
    switch (option) {
    case CHECK:
      if (optarg && strcmp(optarg, "json") != 0) return usage("--check: expected json, or nothing", optarg);
      o->check = optarg ? CHECK_JSON : CHECK_TEXT;
      break;
    /* Ways to print FILE. */
    case STRICT:
      o->strict = true;
      break;
    /* A check and a map. */
    case ACCURACY:
      if (!parse_positive(optarg, &o->accuracy))
        return usage("--accuracy: expected metres, more than 0 and at most 1e9", optarg);
      break;
    case EXPAND:
      o->expand = true;
      break;
    case DRAW:
      o->draw = optarg;
      break;
    case MODES:
      o->modes = true;
      break;
    case FLAT:
      o->flat = optarg;
      break;
    case FLAT_INPUTS:
      o->flat_inputs = optarg;
      break;
    case PRINT_MAP:
      o->map = map_format_of(optarg);
      if (o->map == MAP_FORMAT_NONE)
        return usage("--print-map: expected json, csv, st, st-located, plcopen, or nothing", optarg);
      break;
    /* Figures of the platform in place of a run. */
    case PLATFORM_TABLE:
      if (!parse_platform(optarg, &o->platform))
        return usage("--platform: expected json, svg, model, or nothing", optarg);
      break;
    /* Files that the run writes. */
    case REPORT:
      o->report = optarg;
      break;
    case MISS_LOG_FILE:
      o->miss_log = optarg;
      break;
    case MISS_LOG_SIZE:
      if (!parse_size(optarg, &o->miss_log_mb))
        return usage("--miss-log-size: expected whole megabytes, from 1 to 1000000", optarg);
      break;
    case STATE_DIR:
      o->state_dir = optarg;
      break;
    /* The state and the file of the start. */
    case RESUME:
      o->resume = true;
      o->resume_file = optarg;
      break;
    case SET:
      o->set[o->sets++] = optarg;
      break;
    case REQUIRE_REALTIME:
      o->require_realtime = true;
      break;
    case DURATION:
      if (!parse_positive(optarg, &o->duration))
        return usage("--duration: expected seconds, more than 0 and at most 1e9", optarg);
      break;
    case ISA:
      if (!isa_is_word(optarg)) return usage("--isa: expected " ISA_WORDS, optarg);
      o->isa = optarg;
      break;
    /* Options that print a text and exit. */
    case HELP_TEXT:
      return print_help(optarg || !argv[optind] || argv[optind][0] == '-' ? optarg : argv[optind]);
    case NEW:
      return example_print(optarg);
    case REFERENCE:
      manual_print_reference(stdout);
      return STATUS_OK;
    case SCHEMA:
      return manual_print_schema(stdout) ? STATUS_OK : STATUS_FAILED;
    case VERSION:
      printf("ali3d " ALI3_VERSION "\n%s\n", build_info());
      return STATUS_OK;
    default:
      fputs("Try 'ali3d --help'.\n", stderr);
      return STATUS_USAGE;
    }
  }
  /* Exactly one FILE remains. */
  if (optind == argc) return usage("expected a configuration FILE", NULL);
  if (optind + 1 < argc) return usage("expected one configuration FILE only", argv[optind + 1]);
  if (o->strict && !o->check) return usage("--strict: expected with --check only", NULL);
  if (o->accuracy > 0.0 && !o->check) return usage("--accuracy: expected with --check only", NULL);
  o->file = argv[optind];
  return -1;
}

int options_parse(struct options *o, int argc, char **argv)
{
  const int status = read_daemon_options(o, argc, argv);
  if (status == -1) return status;
  free(o->set);
  o->set = NULL;
  return status;
}
