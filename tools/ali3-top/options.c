/* SPDX-License-Identifier: MIT */
#include "options.h"
#include "base/build_info.h"
#include "option_number.h"

#include <ali3/ali3.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: ali3-top [--once | --watch S] [--line | --json] [--watch GLOB,..] [--seconds N]\n"
    "                [--instance NAME]\n"
    "       ali3-top --histogram FILE.png [--instance NAME]\n"
    "       ali3-top --list\n"
    "\n"
    "Shows the state of a running ali3d. Without options it fills the screen; the key ? lists the keys.\n"
    "\n"
    "  --once            print one block of text, then exit\n"
    "  --json            print one JSON object, then exit; with --watch S one object per line and refresh\n"
    "  --line            show one status line, refreshed in place on a terminal\n"
    "  --watch S         refresh every S seconds, 0.02 to 3600 (default 0.5)\n"
    "  --watch GLOB,..   show the values of these signals, such as body.A.position or 'input.*';\n"
    "                    --watch S may stand beside it\n"
    "  --seconds N       stop after N seconds\n"
    "  --instance NAME   show this daemon (default: the one started last)\n"
    "  --histogram FILE  draw the distributions of wake-up, step and cycle as PNG, by gnuplot, then exit\n"
    "  --list            print names and process numbers of the daemons, running ones first, then newest\n"
    "  --help, --version\n"
    "\n"
    "A dash stands for a distribution without a sample, and for a figure that the daemon does not have.\n"
    "If no daemon runs, or the daemon ends, the refreshing views wait for one.\n"
    "\n"
    "Exit status, from the last refresh:\n"
    "  0  healthy (--histogram: the picture is drawn; --list: there is a daemon)\n"
    "  1  degraded: in the last minute a deadline was missed or a step did not converge or was violated;\n"
    "     or an input is stale, a device is not up, the state is FAULT or SAFE, the loop does not advance\n"
    "  2  wrong usage, a terminal that cannot show the screen, or --histogram could not draw\n"
    "  3  no daemon, or it is gone\n";

static double seconds_from(const char *option, const char *argument, double least, double most)
{
  double v;
  if (!option_number(argument, least, most, &v)) {
    fprintf(stderr, "ali3-top: %s: expected seconds from %g to %g, found \"%s\"\n", option, least, most,
            argument);
    exit(EXIT_USAGE);
  }
  return v;
}

static __attribute__((noreturn)) void refuse_usage(const char *what, const char *detail)
{
  fprintf(stderr, "ali3-top: %s%s%s%s\n", what, *detail ? " \"" : "", detail, *detail ? "\"" : "");
  fputs(usage, stderr);
  exit(EXIT_USAGE);
}

/* --watch has two meanings: no signal has a number as its name. */
static bool is_seconds(const char *argument)
{
  char *end;
  (void)strtod(argument, &end);
  return end != argument || !*argument || strchr("+-.", *argument);
}

/* One way to show at a time; the last of --json and --line counts. */
static void settle_mode(struct options *o, bool list, bool interval_given)
{
  if (o->once && (interval_given || o->seconds > 0.0))
    refuse_usage("--once excludes --watch S and --seconds", "");
  if (o->picture &&
      (o->once || list || interval_given || o->globs || o->seconds > 0.0 || o->mode != MODE_SCREEN))
    refuse_usage("--histogram allows no other option except --instance", "");
  if (o->mode == MODE_JSON && !interval_given && o->seconds == 0.0) o->once = true;
  if (o->mode == MODE_SCREEN && (o->once || !isatty(STDOUT_FILENO))) o->mode = MODE_BLOCK;
  if (o->picture) o->mode = MODE_PLOT;
  if (list) o->mode = MODE_LIST;
}

struct options options_read(int argc, char **argv)
{
  static const struct option known[] = {{"once", no_argument, NULL, 'o'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"line", no_argument, NULL, 'l'},
                                        {"watch", required_argument, NULL, 'w'},
                                        {"seconds", required_argument, NULL, 's'},
                                        {"instance", required_argument, NULL, 'i'},
                                        {"list", no_argument, NULL, 'L'},
                                        {"histogram", required_argument, NULL, 'H'},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, 'v'},
                                        {0}};
  struct options o = {.mode = MODE_SCREEN, .interval = 0.5};
  bool list = false, interval_given = false;
  /* The way to show the figures. */
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (c) {
    case 'o':
      o.once = true;
      break;
    case 'j':
      o.mode = MODE_JSON;
      break;
    case 'l':
      o.mode = MODE_LINE;
      break;
    /* Interval, duration and instance. */
    case 'w':
      if (!is_seconds(optarg)) {
        o.globs = optarg;
        break;
      }
      o.interval = seconds_from("--watch", optarg, 0.02, 3600.0);
      interval_given = true;
      break;
    case 's':
      o.seconds = seconds_from("--seconds", optarg, 0.0, 1e9);
      break;
    case 'i':
      o.instance = optarg;
      break;
    case 'L':
      list = true;
      break;
    case 'H':
      o.picture = optarg;
      break;
    /* Options that end the program. */
    case 'h':
      fputs(usage, stdout);
      exit(EXIT_SUCCESS);
    case 'v':
      printf("ali3-top " ALI3_VERSION "\n%s\n", build_info());
      exit(EXIT_SUCCESS);
    default:
      fputs(usage, stderr);
      exit(EXIT_USAGE);
    }
  }
  if (optind < argc) refuse_usage("unexpected argument", argv[optind]);
  settle_mode(&o, list, interval_given);
  return o;
}
