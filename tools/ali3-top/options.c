/* SPDX-License-Identifier: MIT */
#include "options.h"
#include "command/command_line.h"
#include "command/option_number.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool choose_json(char *word, void *options);
static bool choose_line(char *word, void *options);
static bool take_watch(char *word, void *options);

static const struct command_option top_options[] = {
    COMMAND_SWITCH(struct options, once, "once", "print one block of text, then exit"),
    COMMAND_OTHER(choose_json, "json", NULL,
                  "print one JSON object, then exit; with --watch S one object per line and refresh"),
    COMMAND_OTHER(choose_line, "line", NULL, "show one status line, refreshed in place on a terminal"),
    COMMAND_OTHER(
        take_watch, "watch", "S | GLOB,..",
        "refresh every S seconds, 0.02 to 3600 (default 0.5); or show the values of these signals, such as "
        "body.A.position or 'input.*'; may stand once for each"),
    COMMAND_NUMBER(struct options, seconds, "seconds", "N", 0, 1e9, "stop after N seconds"),
    COMMAND_TEXT(struct options, instance, "instance", "NAME",
                 "show this daemon (default: the one started last)"),
    COMMAND_TEXT(struct options, picture, "histogram", "FILE",
                 "draw the distributions of wake-up, step and cycle as PNG, by gnuplot, then exit"),
    COMMAND_SWITCH(struct options, list, "list",
                   "print names and process numbers of the daemons, running ones first, then newest"),
    {0},
};
static const struct command_line top_command = {
    .name = "ali3-top",
    .head = "Usage: ali3-top [--once | --watch S] [--line | --json] [--watch GLOB,..] [--seconds N]\n"
            "                [--instance NAME]\n"
            "       ali3-top --histogram FILE.png [--instance NAME]\n"
            "       ali3-top --list\n"
            "\n"
            "Shows the state of a running ali3d. Without options it fills the screen; the key ? lists the "
            "keys.\n",
    .tail =
        "A dash stands for a distribution without a sample, and for a figure that the daemon does not have.\n"
        "If no daemon runs, or the daemon ends, the refreshing views wait for one.\n"
        "\n"
        "Exit status, from the last refresh:\n"
        "  0  healthy (--histogram: the picture is drawn; --list: there is a daemon)\n"
        "  1  degraded: in the last minute a deadline was missed or a step did not converge or was "
        "violated;\n"
        "     or an input is stale, a device is not up, the state is FAULT or SAFE, the loop does not "
        "advance\n"
        "  2  wrong usage, a terminal that cannot show the screen, or --histogram could not draw\n"
        "  3  no daemon, or it is gone\n",
    .option = top_options,
    .wrong = EXIT_USAGE};

/* The last of --json and --line counts. */
static bool choose_json(char *word, void *options)
{
  (void)word;
  ((struct options *)options)->mode = MODE_JSON;
  return true;
}

static bool choose_line(char *word, void *options)
{
  (void)word;
  ((struct options *)options)->mode = MODE_LINE;
  return true;
}

/* --watch has two meanings: no signal has a number as its name. */
static bool take_watch(char *word, void *options)
{
  struct options *o = options;
  char *end;
  (void)strtod(word, &end);
  if (end == word && *word && !strchr("+-.", *word)) {
    o->globs = word;
    return true;
  }
  o->interval_given = true;
  return option_number(word, 0.02, 3600.0, &o->interval) ||
         command_wrong(&top_command, "--watch", "seconds from 0.02 to 3600, or names of signals", word);
}

/* One way to show at a time. */
static bool settle_mode(struct options *o)
{
  if (o->once && (o->interval_given || o->seconds > 0.0))
    return command_wrong(&top_command, "--once", "neither --watch S nor --seconds", "one of them");
  if (o->picture &&
      (o->once || o->list || o->interval_given || o->globs || o->seconds > 0.0 || o->mode != MODE_SCREEN))
    return command_wrong(&top_command, "--histogram", "no other option except --instance", "another one");
  if (o->mode == MODE_JSON && !o->interval_given && o->seconds == 0.0) o->once = true;
  if (o->mode == MODE_SCREEN && (o->once || !isatty(STDOUT_FILENO))) o->mode = MODE_BLOCK;
  if (o->picture) o->mode = MODE_PLOT;
  if (o->list) o->mode = MODE_LIST;
  return true;
}

int options_read(int argc, char **argv, struct options *o)
{
  *o = (struct options){.mode = MODE_SCREEN, .interval = 0.5};
  const int status = command_read(&top_command, argc, argv, o);
  if (status >= 0) return status;
  const bool good = optind == argc ? settle_mode(o)
                                   : command_wrong(&top_command, "arguments", "options only", argv[optind]);
  return good ? -1 : command_refuse(&top_command);
}
