/* SPDX-License-Identifier: MIT
 * ali3-link: the command line. */
#include "command/command_line.h"
#include "common/output.h"
#include "link.h"

#include "outfile/outfile.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct options {
  const char *file;
  double duration; /* s; 0: not given */
  long steps;      /* 0: not given */
  bool check, paced;
  struct run_options run;
};

static volatile int stop_came;

static void ask_to_stop(int number)
{
  (void)number;
  stop_came = 1;
}

static bool take_pace(char *word, void *options);

static const struct command_option link_options[] = {
    COMMAND_NUMBER(struct options, duration, "duration", "S", 1e-9, 1e9,
                   "simulated seconds of the run (default: until SIGINT)"),
    COMMAND_LONG(struct options, steps, "steps", "N", 1, 1e12, "communication steps of the run"),
    COMMAND_OTHER(
        take_pace, "pace", "WORD",
        "lockstep: without a clock (default); frames: FMUs step with the frames of one ali3d that has a "
        "clock, and their outputs go to its inputs in real time"),
    COMMAND_SWITCH(struct options, check, "check", "read the file, print its wires, and end"),
    COMMAND_TEXT(struct options, run.record, "record", "FILE",
                 "write the values on the wires after each communication step as CSV"),
    COMMAND_SWITCH(struct options, run.json, "json", "print the report as JSON in place of text"),
    COMMAND_SWITCH(struct options, run.quiet, "quiet", "no line of progress on a terminal"),
    {0},
};
static const struct command_line link_command = {
    .name = "ali3-link",
    .head = "Usage: ali3-link LINK.yaml [OPTION]...\n"
            "Couples mechanisms and FMUs in lockstep: each ali3d and each FMU that LINK.yaml names makes a "
            "step, then\n"
            "the values of its wires go to the inputs of the others, and so on. Lost, doubled and late "
            "datagrams\n"
            "change no bit. An FMU runs in a process of its own.\n",
    .tail =
        "Exit status: 0 done; 1 a participant refused or failed; 2 wrong usage, or a mistake in a file; 3 a\n"
        "participant was silent.\n",
    .option = link_options,
    .wrong = LINK_USAGE};

static bool take_pace(char *word, void *options)
{
  struct options *o = options;
  o->paced = strcmp(word, "frames") == 0;
  return o->paced || strcmp(word, "lockstep") == 0 ||
         command_wrong(&link_command, "--pace", "lockstep or frames", word);
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  *o = (struct options){.run = {.steps = UINT64_MAX, .stop = &stop_came}};
  const int status = command_read(&link_command, argc, argv, o);
  if (status >= 0) return status;
  bool good = true;
  if (o->steps && o->duration > 0.0)
    good = command_wrong(&link_command, "--duration, --steps", "one of them", "both");
  if (good && optind + 1 != argc)
    good = command_wrong(&link_command, "LINK.yaml", "one file", optind < argc ? "several" : "none");
  if (!good) return command_refuse(&link_command);
  o->file = argv[optind];
  return -1;
}

/* A duration that is no whole number of steps ends with the step that reaches it. */
static uint64_t steps_of(const struct options *o, double step)
{
  if (o->steps) return (uint64_t)o->steps;
  if (!(o->duration > 0.0)) return UINT64_MAX;
  return (uint64_t)ceil(o->duration / step * (1.0 - 1e-12));
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct options o;
  int status = take_options(argc, argv, &o);
  if (status >= 0) return status;
  if (!outfile_check("--record", o.run.record)) return LINK_USAGE;
  struct link l;
  const struct sigaction action = {.sa_handler = ask_to_stop};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  status = link_read(&l, o.file, o.paced) ? LINK_GOOD : LINK_USAGE;
  if (status == LINK_GOOD && o.check) {
    link_print(&l, stdout, o.run.json);
  } else if (status == LINK_GOOD) {
    o.run.steps = steps_of(&o, l.step);
    status = o.paced ? link_run_frames(&l, &o.run) : link_run(&l, &o.run);
  }
  link_close(&l); /* ends the processes of FMUs */
  return status;
}
