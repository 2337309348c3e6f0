/* SPDX-License-Identifier: MIT */
#include "options.h"
#include "base/build_info.h"
#include "option_number.h"

#include <ali3/ali3.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char usage[] =
    "usage: ali3-top [--once | --watch S] [--line | --json] [--seconds N] [--instance NAME]\n"
    "       ali3-top --histogram FILE.png [--instance NAME]\n"
    "       ali3-top --list\n"
    "\n"
    "Shows the state of a running ali3d. Without options: the full screen; its key ? lists the others.\n"
    "\n"
    "  --once            one block of text, then exit\n"
    "  --json            one JSON object, then exit; with --watch one object per line and refresh\n"
    "  --line            one status line, refreshed in place on a terminal\n"
    "  --watch S         refresh every S seconds, 0.02 to 3600 (default 0.5)\n"
    "  --seconds N       stop after N seconds\n"
    "  --instance NAME   which daemon (default: the one started last)\n"
    "  --histogram FILE  draw the distributions of wake-up, step and cycle as PNG, by gnuplot, then exit\n"
    "  --list            names and process numbers of the daemons present, running ones and newest first\n"
    "  --help, --version\n"
    "\n"
    "If no daemon runs, or it goes away, the refreshing views wait for one.\n"
    "\n"
    "Exit status: of the last look\n"
    "  0  healthy (--histogram: drawn; --list: there are some)\n"
    "  1  degraded: a deadline missed, a step that did not converge or was violated, within the last\n"
    "     minute, inputs stale,\n"
    "     a device that is not up, state FAULT or SAFE, or a loop that does not advance\n"
    "  2  wrong usage, a terminal that cannot show a full screen, or --histogram could not draw\n"
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

/* One way to show at a time; the last of --json and --line counts. */
static void settle_mode(struct options *o, bool list, bool interval_given)
{
  if (o->once && (interval_given || o->seconds > 0.0))
    refuse_usage("--once looks once: it goes with neither --watch nor --seconds", "");
  if (o->picture && (o->once || list || interval_given || o->seconds > 0.0 || o->mode != MODE_SCREEN))
    refuse_usage("--histogram draws one picture: it goes with --instance alone", "");
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
