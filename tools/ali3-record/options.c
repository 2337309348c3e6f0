/* SPDX-License-Identifier: MIT
 * ali3-record: the command line, and the section record of the daemon's configuration. */
#include "record.h"

#include <float.h>
#include <getopt.h>
#include <libgen.h>
#include <string.h>

/* The words of enum record_when. */
#define WHEN_WORDS "always, running, command or trigger"
/* The options that the section record of a configuration has, too. */
static const char *const configured_keys[] = {"when",  "trigger", "signals", "type",     "divisor",  "before",
                                              "after", "split",   "keep",    "min-free", "compress", NULL};

static const struct command_option record_list[] = {
    COMMAND_TEXT(struct record_options, file.once, "once", "FILE", "record one run into this file, and end"),
    COMMAND_TEXT(struct record_options, file.folder, "to", "FOLDER",
                 "write files INSTANCE-UTC.h5 there, one after the other (default: .)"),
    COMMAND_WORD(
        struct record_options, when, "when", "WORD", WHEN_WORDS,
        "always; running: while the state is RUNNING; command: between record/start and record/stop; "
        "trigger (default: always with --once, else running)"),
    COMMAND_TEXT(
        struct record_options, trigger, "trigger", "LIST",
        "record around these conditions: \"SIGNAL > NUMBER\", \"SIGNAL < NUMBER\", miss, fault; with "
        "commas"),
    COMMAND_TEXT(struct record_options, signals, "signals", "WORDS",
                 "all, state, inputs, or names with * and commas (default: all)"),
    COMMAND_WORD(struct record_options, single, "type", "WORD", "f64 or f32", "f64 or f32 (default: f64)"),
    COMMAND_LONG(struct record_options, file.divisor, "divisor", "N", 1, 1000000,
                 "every N-th cycle (default: 1)"),
    COMMAND_NUMBER(struct record_options, before, "before", "S", 0, 1e9,
                   "seconds ahead of the start (default: 5)"),
    COMMAND_NUMBER(struct record_options, after, "after", "S", 0, 1e9,
                   "seconds behind the end of RUNNING or of the last condition (default: 2)"),
    COMMAND_NUMBER(struct record_options, split, "split", "S", 0, 1e9,
                   "seconds of one file; 0: any (default: 600)"),
    COMMAND_NUMBER(struct record_options, keep, "keep", "GB", 0, 1e9,
                   "size of all finished files of the instance; the oldest go first; 0: any (default: 50)"),
    COMMAND_NUMBER(struct record_options, min_free, "min-free", "GB", 0, 1e9,
                   "free space below which recording stops (default: 2)"),
    COMMAND_COUNT(struct record_options, file.compress, "compress", "N", 0, 9, "0 to 9 (default: 0)"),
    COMMAND_NUMBER(struct record_options, duration, "duration", "S", 0, 1e9, "end after this time"),
    COMMAND_TEXT(struct record_options, file.label, "label", "TEXT", "a note in the file"),
    COMMAND_SWITCH(struct record_options, anyway, "anyway",
                   "also write to NFS, SMB or FUSE, where a crash may cost the file"),
    COMMAND_TEXT(struct record_options, recover, "recover", "FILE",
                 "copy what is whole of a file that was not closed"),
    {0},
};
static const struct command_line record_command = {
    .name = "ali3-record",
    .head = "Usage: ali3-record [OPTION]... [INSTANCE]\n"
            "       ali3-record --recover FILE --once COPY\n"
            "Records every cycle of a running daemon into HDF5 files, with all signals under their names. "
            "Without INSTANCE: the one daemon that runs.\n",
    .tail =
        "The section record of the daemon's configuration changes the defaults, --when only without --once.\n"
        "\n"
        "Exit status: 0 recorded; 1 a file could not be written, or there is no daemon; 2 wrong usage.\n",
    .option = record_list,
    .wrong = EXIT_USAGE,
    .given = offsetof(struct record_options, given)};

static bool refuse_choice(const char *option, const char *expected, const char *found)
{
  return command_wrong(&record_command, option, expected, found);
}

static bool judge_trigger(const struct record_options *o, const char *label)
{
  struct trigger one[TRIGGERS];
  char error[200];
  if (!o->trigger || trigger_parse(o->trigger, one, error, sizeof error) >= 0) return true;
  fprintf(stderr, "ali3-record: %s: %s\n", label, error);
  return false;
}

static bool was_given(const struct record_options *o, const char *key)
{
  return command_given(&record_command, o, key);
}

bool options_configure(struct record_options *o, char *lines)
{
  char *rest = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char label[60], *value = strchr(line, ' ');
    const char *const *key = configured_keys;
    if (!value) continue;
    *value++ = '\0';
    while (*key && strcmp(line, *key) != 0) key++;
    const bool when = strcmp(line, "when") == 0, trigger = strcmp(line, "trigger") == 0;
    /* A recording into one file of its own has its own beginning and end. */
    const bool fixed = o->file.once && (when || trigger || strcmp(line, "split") == 0);
    if (!*key || was_given(o, *key) || fixed || (when && was_given(o, "trigger"))) continue;
    snprintf(label, sizeof label, "record.%s in the configuration", line);
    if (!command_take(&record_command, *key, label, value, o) || (trigger && !judge_trigger(o, label)))
      return false;
  }
  o->file.single = o->single;
  return true;
}

static const char *folder_of(const char *file)
{
  static char folder[RECORD_PATH];
  snprintf(folder, sizeof folder, "%s", file);
  return dirname(folder);
}

/* The rules between options. */
static bool settle_options(struct record_options *o, int names)
{
  const bool when_given = was_given(o, "when");
  if (names > 1) return refuse_choice("INSTANCE", "one name at most", "several");
  if (o->recover && !o->file.once) return refuse_choice("--recover", "--once COPY as well", "none");
  if (!judge_trigger(o, "--trigger")) return false;
  if (o->trigger && !when_given) o->when = RECORD_TRIGGER;
  if (o->when == RECORD_TRIGGER && !o->trigger) return refuse_choice("--when trigger", "--trigger", "none");
  o->file.single = o->single;
  /* One file has no parts. */
  if (!o->file.once) return true;
  o->split = 0;
  o->file.folder = folder_of(o->file.once);
  if (!when_given && !o->trigger) o->when = RECORD_ALWAYS;
  return true;
}

int options_take(int argc, char **argv, struct record_options *o)
{
  *o = (struct record_options){.file = {.program = "ali3-record", .folder = ".", .label = "", .divisor = 1},
                               .signals = "all",
                               .when = RECORD_RUNNING,
                               .before = 5,
                               .after = 2,
                               .split = 600,
                               .keep = 50,
                               .min_free = 2};
  const int status = command_read(&record_command, argc, argv, o);
  if (status >= 0) return status;
  if (!settle_options(o, argc - optind)) return command_refuse(&record_command);
  if (optind < argc) o->instance = argv[optind];
  return -1;
}
