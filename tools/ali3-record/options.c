/* SPDX-License-Identifier: MIT
 * ali3-record: the command line, and the section record of the daemon's configuration. */
#include "base/build_info.h"
#include "option_number.h"
#include "record.h"

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
    "  --when WORD      always; running: while the state is RUNNING; command: between record/start and "
    "record/stop;\n"
    "                   trigger (default: always with --once, else running)\n"
    "  --trigger LIST   record around these conditions: \"SIGNAL > NUMBER\", \"SIGNAL < NUMBER\", miss, "
    "fault; "
    "with commas\n"
    "  --signals WORDS  all, state, inputs, or names with * and commas (default: all)\n"
    "  --type WORD      f64 or f32 (default: f64)\n"
    "  --divisor N      every N-th cycle (default: 1)\n"
    "  --before S       seconds ahead of the start (default: 5)\n"
    "  --after S        seconds behind the end of RUNNING or of the last condition (default: 2)\n"
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
    "The section record of the daemon's configuration changes the defaults, --when only without --once.\n"
    "\n"
    "Exit status: 0 recorded; 1 a file could not be written, or there is no daemon; 2 wrong usage.\n";

enum {
  OPTION_KEYS = 1, /* then those of enum record_key */
  OPTION_ONCE = OPTION_KEYS + RECORD_KEYS,
  OPTION_TO,
  OPTION_DURATION,
  OPTION_LABEL,
  OPTION_ANYWAY,
  OPTION_RECOVER,
  OPTION_HELP,
  OPTION_VERSION
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

/* The place of a word in a list that NULL ends; the list is also the text of a refusal. */
static bool take_word(const char *option, const char *text, const char *const *words, int *out)
{
  char expected[120] = "";
  for (*out = 0; words[*out]; ++*out) {
    if (strcmp(text, words[*out]) == 0) return true;
    const size_t used = strlen(expected);
    snprintf(expected + used, sizeof expected - used, "%s%s", used ? " or " : "", words[*out]);
  }
  return refuse_choice(option, expected, text);
}

static bool take_triggers(const char *option, const char *text, struct record_options *o)
{
  struct trigger one[TRIGGERS];
  char error[200];
  if (trigger_parse(text, one, error, sizeof error) < 0) {
    fprintf(stderr, "ali3-record: %s: %s\n", option, error);
    return false;
  }
  o->trigger = text;
  return true;
}

/* option: as the user wrote it, for messages. */
static bool take_key(struct record_options *o, enum record_key key, const char *option, const char *text)
{
#define WHEN_TEXT(id, word) word,
  static const char *const whens[] = {RECORD_WHEN_LIST(WHEN_TEXT) NULL};
#undef WHEN_TEXT
  static const char *const types[] = {"f64", "f32", NULL};
  long n = 0;
  int word = 0;
  /* Words first, then whole numbers, seconds and sizes. */
  switch (key) {
  case KEY_WHEN:
    if (!take_word(option, text, whens, &word)) return false;
    o->when = (enum record_when)word;
    return true;
  case KEY_TYPE:
    if (!take_word(option, text, types, &word)) return false;
    o->file.single = word == 1;
    return true;
  case KEY_TRIGGER:
    return take_triggers(option, text, o);
  case KEY_SIGNALS:
    o->signals = text;
    return true;
  /* Numbers. */
  case KEY_DIVISOR:
    return take_whole(option, text, 1, 1000000, &o->file.divisor);
  case KEY_COMPRESS:
    if (!take_whole(option, text, 0, 9, &n)) return false;
    o->file.compress = (int)n;
    return true;
  case KEY_BEFORE:
    return take_seconds(option, text, &o->before);
  case KEY_AFTER:
    return take_seconds(option, text, &o->after);
  case KEY_SPLIT:
    return take_seconds(option, text, &o->split);
  case KEY_KEEP:
    return take_gigabytes(option, text, &o->keep);
  case KEY_MIN_FREE:
    return take_gigabytes(option, text, &o->min_free);
  case RECORD_KEYS:
    break;
  }
  return false;
}

#define KEY_NAME(id, name) name,
static const char *const key_names[] = {RECORD_KEY_LIST(KEY_NAME)};
#undef KEY_NAME

bool options_configure(struct record_options *o, char *lines)
{
  char *rest = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char option[40], *value = strchr(line, ' ');
    int key = 0;
    if (!value) continue;
    *value++ = '\0';
    while (key < RECORD_KEYS && strcmp(line, key_names[key]) != 0) key++;
    /* A recording into one file of its own has its own beginning and end. */
    const bool fixed = o->file.once && (key == KEY_WHEN || key == KEY_TRIGGER || key == KEY_SPLIT);
    const bool trigger_given = (o->given & 1u << KEY_TRIGGER) && key == KEY_WHEN;
    if (key == RECORD_KEYS || (o->given & 1u << key) || fixed || trigger_given) continue;
    snprintf(option, sizeof option, "record.%s in the configuration", line);
    if (!take_key(o, (enum record_key)key, option, value)) return false;
  }
  return true;
}

static const char *folder_of(const char *file)
{
  static char folder[RECORD_PATH];
  snprintf(folder, sizeof folder, "%s", file);
  return dirname(folder);
}

/* A name or a switch. False: it is none. */
static bool take_plain(struct record_options *o, const char **recover, int c)
{
  switch (c) {
  /* Names of files, and a text. */
  case OPTION_ONCE:
    o->file.once = optarg;
    return true;
  case OPTION_TO:
    o->file.folder = optarg;
    return true;
  case OPTION_LABEL:
    o->file.label = optarg;
    return true;
  case OPTION_ANYWAY:
    return o->anyway = true;
  case OPTION_RECOVER:
    *recover = optarg;
    return true;
  case OPTION_DURATION:
    return take_seconds("--duration", optarg, &o->duration);
  default:
    return false;
  }
}

static bool take_given_key(struct record_options *o, int key)
{
  char option[40];
  snprintf(option, sizeof option, "--%s", key_names[key]);
  o->given |= 1u << key;
  return take_key(o, (enum record_key)key, option, optarg);
}

/* The rules between options. */
static bool settle_options(struct record_options *o, int names, const char *recover)
{
  const bool when_given = o->given & 1u << KEY_WHEN;
  if (names > 1) return refuse_choice("INSTANCE", "one name at most", "several");
  if (recover && !o->file.once) return refuse_choice("--recover", "--once COPY as well", "none");
  if (o->trigger && !when_given) o->when = RECORD_TRIGGER;
  if (o->when == RECORD_TRIGGER && !o->trigger) return refuse_choice("--when trigger", "--trigger", "none");
  /* One file has no parts. */
  if (!o->file.once) return true;
  o->split = 0;
  o->file.folder = folder_of(o->file.once);
  if (!when_given && !o->trigger) o->when = RECORD_ALWAYS;
  return true;
}

int options_take(int argc, char **argv, struct record_options *o, const char **recover)
{
  /* List the options: the keys of the configuration, then the others. */
  static const struct option table[] = {
      {"when", required_argument, NULL, OPTION_KEYS + KEY_WHEN},
      {"trigger", required_argument, NULL, OPTION_KEYS + KEY_TRIGGER},
      {"signals", required_argument, NULL, OPTION_KEYS + KEY_SIGNALS},
      {"type", required_argument, NULL, OPTION_KEYS + KEY_TYPE},
      {"divisor", required_argument, NULL, OPTION_KEYS + KEY_DIVISOR},
      {"before", required_argument, NULL, OPTION_KEYS + KEY_BEFORE},
      {"after", required_argument, NULL, OPTION_KEYS + KEY_AFTER},
      {"split", required_argument, NULL, OPTION_KEYS + KEY_SPLIT},
      {"keep", required_argument, NULL, OPTION_KEYS + KEY_KEEP},
      {"min-free", required_argument, NULL, OPTION_KEYS + KEY_MIN_FREE},
      {"compress", required_argument, NULL, OPTION_KEYS + KEY_COMPRESS},
      {"once", required_argument, NULL, OPTION_ONCE},
      {"to", required_argument, NULL, OPTION_TO},
      {"duration", required_argument, NULL, OPTION_DURATION},
      {"label", required_argument, NULL, OPTION_LABEL},
      {"anyway", no_argument, NULL, OPTION_ANYWAY},
      {"recover", required_argument, NULL, OPTION_RECOVER},
      {"help", no_argument, NULL, OPTION_HELP},
      {"version", no_argument, NULL, OPTION_VERSION},
      {0},
  };
  /* Set the defaults, then read one option after the other. */
  *recover = NULL;
  *o = (struct record_options){.file = {.program = "ali3-record", .folder = ".", .label = "", .divisor = 1},
                               .signals = "all",
                               .when = RECORD_RUNNING,
                               .before = 5,
                               .after = 2,
                               .split = 600,
                               .keep = 50e9,
                               .min_free = 2e9};
  bool good = true;
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (c == OPTION_HELP) {
      fputs(help, stdout);
      return EXIT_GOOD;
    }
    if (c == OPTION_VERSION) {
      printf("ali3-record " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    }
    good =
        c >= OPTION_KEYS && c < OPTION_ONCE ? take_given_key(o, c - OPTION_KEYS) : take_plain(o, recover, c);
  }
  good = good && settle_options(o, argc - optind, *recover);
  if (!good) {
    fputs("Try ali3-record --help\n", stderr);
    return EXIT_USAGE;
  }
  if (optind < argc) o->instance = argv[optind];
  return -1;
}
