/* SPDX-License-Identifier: MIT
 * The command line of ali3d. */
#include "daemon/options.h"

#include "base/isa.h"
#include "daemon/examples.h"
#include "manual/manual.h"

#include <float.h>
#include <getopt.h>
#include <stdio.h>

static bool take_resume(char *word, void *options)
{
  struct options *o = options;
  o->resume = true;
  o->resume_file = word;
  return true;
}

static int print_reference_file(char *word)
{
  (void)word;
  manual_print_reference(stdout);
  return STATUS_OK;
}

static int print_json_schema(char *word)
{
  (void)word;
  return manual_print_schema(stdout) ? STATUS_OK : STATUS_FAILED;
}

static int print_new(char *word)
{
  return example_print(word);
}

static int explain_key(const char *key)
{
  return manual_print_key(key, stdout, stderr) ? STATUS_OK : STATUS_USAGE;
}

static const struct command_option daemon_list[] = {
    COMMAND_WORD(struct options, check, "check", "[=json]", "json",
                 "read FILE, assemble the mechanism, report what is wrong with it and how it is built; start "
                 "nothing"),
    COMMAND_SWITCH(struct options, strict, "strict", "with --check: warnings are errors"),
    COMMAND_NUMBER(struct options, accuracy, "accuracy", "M", DBL_MIN, 1e9,
                   "with --check: try methods and substeps, and recommend those with the least work that err "
                   "by at most M metres in the first second"),
    COMMAND_SWITCH(struct options, expand, "expand",
                   "print FILE without parameters, parts and other short forms; start nothing"),
    COMMAND_TEXT(struct options, draw, "draw", "OUT.svg",
                 "draw the mechanism of FILE at its start; start nothing"),
    COMMAND_SWITCH(struct options, modes, "modes",
                   "print frequencies, damping ratios and the bodies that move most in each mode, about the "
                   "static equilibrium; start nothing"),
    COMMAND_TEXT(struct options, flat, "flat", "OUT",
                 "write the frozen mechanism of FILE as bytes for libali3; start nothing"),
    COMMAND_TEXT(struct options, flat_inputs, "flat-inputs", "OUT",
                 "write the inputs of FILE with their limits as JSON, beside --flat; start nothing"),
    COMMAND_END(print_new, "new", "KIND", "print a FILE to begin with: hexapod, delta, four_bar, car or arm"),
    COMMAND_WORD(struct options, map, "print-map", "[=json|csv|st|st-located|plcopen]",
                 "json, csv, st, st-located or plcopen",
                 "print every OSC address, Modbus register and packet of FILE; start nothing; st, plcopen: "
                 "the registers as variables of a PLC"),
    COMMAND_WORD(struct options, platform, "platform", "[=json|svg|model]", "json, svg or model",
                 "print the figures of the motion platform, a drawing of its legs, or a model of the rig "
                 "itself; start nothing"),
    COMMAND_NUMBER(struct options, duration, "duration", "S", DBL_MIN, 1e9,
                   "end S seconds after the warm-up (default: run until SIGTERM or SIGINT)"),
    COMMAND_TEXT(struct options, report, "report", "FILE|-", "at the end write figures of the run as JSON"),
    COMMAND_TEXT(struct options, miss_log, "miss-log", "FILE",
                 "append a line of JSON for every deadline missed: its figures and cause"),
    COMMAND_COUNT(struct options, miss_log_mb, "miss-log-size", "MB", 1, MISS_LOG_MB_MOST,
                  "when the miss log reaches this size, rename it to FILE.1 and begin a new one (default: "
                  "64)"),
    COMMAND_TEXT(struct options, state_dir, "state-dir", "DIR",
                 "keep the state file in DIR: a stop that is latched outlives the process (default: "
                 "$STATE_DIRECTORY, /var/lib/ali3 for root, else $XDG_STATE_HOME/ali3 or "
                 "~/.local/state/ali3)"),
    COMMAND_OTHER(take_resume, "resume", "[=FILE]",
                  "continue from a state: the newest automatic one, or FILE; the daemon waits in STOPPED for "
                  "the command run"),
    COMMAND_TEXTS(struct options, set, "set", "KEY=VALUE",
                  "put VALUE into the file at the path KEY, e.g. solver.iterations=5 or "
                  "model.bodies.A.mass=3; may be given several times"),
    COMMAND_SWITCH(struct options, require_realtime, "require-realtime",
                   "exit with status 3 where the host refuses real time, instead of running on labelled NOT "
                   "REAL-TIME"),
    COMMAND_NAME(struct options, isa, "isa", "NAME", ISA_WORDS,
                 "instruction set of the steps: " ISA_WORDS " (default: simulation.isa of FILE)"),
    COMMAND_END(print_reference_file, "print-reference", NULL,
                "print a FILE that has every key, with comments"),
    COMMAND_END(print_json_schema, "schema", NULL, "print the JSON Schema of FILE, for editors"),
    {0},
};
static const struct command_line daemon_command = {
    .name = "ali3d",
    .head =
        "Usage: ali3d FILE [OPTION]...\n"
        "Simulates the mechanism in FILE in hard real time, one step per period, and talks to a test bench "
        "over OSC and Modbus while it does.\n",
    .tail =
        "Exit status: 0 ran and stopped as told, or FILE is right (warnings of --check included); 1 failed "
        "at run time: a port is in use, the model was in FAULT at the end, ...; 2 the command line or FILE "
        "is wrong, or a warning under --strict; nothing was started; 3 real time was refused under "
        "--require-realtime; the loop was not started.\n"
        "\n"
        "SIGUSR1: maxima and distributions begin anew. SIGHUP: read FILE again, or stop where standard "
        "input is a terminal. Messages go to standard error. The monitor is ali3-top.\n",
    .option = daemon_list,
    .wrong = STATUS_USAGE,
    .explain = explain_key,
    .explained =
        "print this text, or what a key of FILE means: --help solver.gamma, --help forces, --help all"};

/* The rules between options, and exactly one FILE. */
static bool judge_daemon_options(const struct options *o, int files)
{
  const struct command_line *c = &daemon_command;
  if (files != 1) return command_wrong(c, "FILE", "one configuration", files ? "several" : "none");
  if (o->strict && !o->check) return command_wrong(c, "--strict", "--check as well", "none");
  if (o->accuracy > 0.0 && !o->check) return command_wrong(c, "--accuracy", "--check as well", "none");
  return true;
}

int options_parse(struct options *o, int argc, char **argv)
{
  *o = (struct options){.miss_log_mb = MISS_LOG_MB};
  optind = 1;
  const int status = command_read(&daemon_command, argc, argv, o);
  if (status >= 0) return status;
  if (!judge_daemon_options(o, argc - optind)) return command_refuse(&daemon_command);
  o->file = argv[optind];
  return -1;
}
