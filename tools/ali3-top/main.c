/* SPDX-License-Identifier: MIT
 * ali3-top: shows what a running ali3d is doing, from its shared memory alone. It cannot disturb the daemon:
 * it maps the block read-only and sends nothing. */
#include "io/telemetry_shm.h"
#include "io/watch.h"
#include "rt/clock.h"
#include "show.h"

#include <ali3/ali3.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, LISTED_MAX = 64 };

enum mode { MODE_SCREEN, MODE_LINE, MODE_BLOCK, MODE_JSON };

struct options {
  enum mode mode;
  bool once, list;
  double interval; /* s; 0: not given */
  double seconds;  /* 0: until interrupted */
  const char *instance;
};

static const char usage[] =
    "usage: ali3-top [--once | --watch S] [--line | --json] [--seconds N] [--instance NAME]\n"
    "       ali3-top --list\n"
    "\n"
    "Shows the state of a running ali3d. Without options: a page, refreshed in place.\n"
    "\n"
    "  --once           one block of text, then exit\n"
    "  --json           one JSON object, then exit; with --watch one object per line and refresh\n"
    "  --line           one status line, refreshed in place on a terminal\n"
    "  --watch S        refresh every S seconds, 0.02 to 3600 (default 0.5)\n"
    "  --seconds N      stop after N seconds\n"
    "  --instance NAME  which daemon (default: the one started last)\n"
    "  --list           names and process numbers of the daemons present, running ones and newest first\n"
    "  --help, --version\n"
    "\n"
    "If no daemon runs, or it goes away, the refreshing views wait for one.\n"
    "\n"
    "Exit status: of the last look\n"
    "  0  healthy\n"
    "  1  degraded: deadlines missed, inputs stale, state FAULT or SAFE, or a loop that does not advance\n"
    "  2  wrong usage\n"
    "  3  no daemon, or it is gone\n";

static volatile sig_atomic_t interrupted;
static void on_signal(int number)
{
  (void)number;
  interrupted = 1;
}

static double seconds_from(const char *option, const char *argument, double least, double most)
{
  char *end;
  const double v = strtod(argument, &end);
  if (end == argument || *end || !(v >= least && v <= most)) {
    fprintf(stderr, "ali3-top: %s: expected seconds from %g to %g, found \"%s\"\n", option, least, most,
            argument);
    exit(EXIT_USAGE);
  }
  return v;
}

static struct options read_options(int argc, char **argv)
{
  static const struct option known[] = {
      {"once", no_argument, NULL, 'o'},          {"json", no_argument, NULL, 'j'},
      {"line", no_argument, NULL, 'l'},          {"watch", required_argument, NULL, 'w'},
      {"seconds", required_argument, NULL, 's'}, {"instance", required_argument, NULL, 'i'},
      {"list", no_argument, NULL, 'L'},          {"help", no_argument, NULL, 'h'},
      {"version", no_argument, NULL, 'v'},       {0}};
  struct options o = {.mode = MODE_SCREEN};
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
    case 'w':
      o.interval = seconds_from("--watch", optarg, 0.02, 3600.0);
      break;
    case 's':
      o.seconds = seconds_from("--seconds", optarg, 0.0, 1e9);
      break;
    case 'i':
      o.instance = optarg;
      break;
    case 'L':
      o.list = true;
      break;
    case 'h':
      fputs(usage, stdout);
      exit(EXIT_SUCCESS);
    case 'v':
      puts("ali3-top " ALI3_VERSION);
      exit(EXIT_SUCCESS);
    default:
      fputs(usage, stderr);
      exit(EXIT_USAGE);
    }
  }
  if (optind < argc || (o.once && (o.interval > 0.0 || o.seconds > 0.0))) {
    if (optind < argc)
      fprintf(stderr, "ali3-top: unexpected argument \"%s\"\n", argv[optind]);
    else
      fprintf(stderr, "ali3-top: --once looks once: it goes with neither --watch nor --seconds\n");
    fputs(usage, stderr);
    exit(EXIT_USAGE);
  }
  if (o.mode == MODE_JSON && o.interval == 0.0 && o.seconds == 0.0) o.once = true;
  if (o.mode == MODE_SCREEN && (o.once || !isatty(STDOUT_FILENO))) o.mode = MODE_BLOCK;
  if (o.interval == 0.0) o.interval = 0.5;
  return o;
}

static int list_instances(void)
{
  static char name[LISTED_MAX][64];
  const int n = telemetry_list(name, LISTED_MAX);
  for (int i = 0; i < n; i++) {
    char error[256];
    const struct telemetry *t = telemetry_open(name[i], error, sizeof error);
    if (!t) continue; /* gone since */
    printf("%s\t%" PRId64 "\t%s\n", name[i], t->pid, telemetry_alive(t) ? "running" : "gone");
    telemetry_close(t);
  }
  return n ? EXIT_SUCCESS : VERDICT_GONE;
}

static void terminal_size(int *columns, int *rows)
{
  struct winsize size = {0};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  *columns = known && size.ws_col ? size.ws_col : 80;
  *rows = known && size.ws_row ? size.ws_row : 24;
}

/* Writes text over what stands on the terminal, cut to its size: `rows` lines from where the cursor is. */
static void overwrite(const char *text, int columns, int rows)
{
  for (int row = 0; row < rows && *text; row++) {
    const int n = (int)strcspn(text, "\n");
    printf("%.*s\033[K", n < columns ? n : columns - 1, text);
    text += n;
    if (*text) text++;
    if (*text && row + 1 < rows) fputc('\n', stdout);
  }
}

static void show_in_place(const struct sample *s, enum mode mode)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return;
  if (mode == MODE_LINE)
    show_line(s, out);
  else
    show_block(s, out);
  fclose(out);
  int columns, rows;
  terminal_size(&columns, &rows);
  fputs(mode == MODE_LINE ? "\r" : "\033[H", stdout);
  overwrite(text, columns, mode == MODE_LINE ? 1 : rows);
  if (mode == MODE_SCREEN) fputs("\033[J", stdout);
  free(text);
}

static void show(const struct sample *s, const struct options *o, bool terminal)
{
  switch (o->mode) {
  case MODE_JSON:
    show_json(s, !o->once, stdout);
    break;
  case MODE_BLOCK:
    show_block(s, stdout);
    break;
  case MODE_SCREEN:
    show_in_place(s, o->mode);
    break;
  case MODE_LINE:
    if (terminal && !o->once) {
      show_in_place(s, o->mode);
    } else {
      show_line(s, stdout);
      fputc('\n', stdout);
    }
    break;
  }
  fflush(stdout);
}

/* Sleeps until t_ns or a signal. */
static void wait_until(uint64_t t_ns)
{
  const struct timespec t = clock_timespec(t_ns);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static enum verdict run(const struct options *o)
{
  const bool terminal = isatty(STDOUT_FILENO);
  struct watch watch = {.wanted = o->instance};
  struct sample sample;
  uint64_t next = clock_now_ns();
  const uint64_t end = o->seconds > 0.0 ? next + (uint64_t)(o->seconds * 1e9) : UINT64_MAX;
  const uint64_t interval = (uint64_t)(o->interval * 1e9);

  if (o->mode == MODE_SCREEN) fputs("\033[?25l\033[2J", stdout);
  for (;;) {
    watch_look(&watch, &sample);
    show(&sample, o, terminal);
    if (o->once || interrupted || ferror(stdout) || next >= end) break;
    next = next + interval < end ? next + interval : end;
    wait_until(next);
    if (interrupted) break;
    const uint64_t now = clock_now_ns();
    if (now > next + interval && now < end) next = now; /* after a stop, no burst of refreshes */
  }
  if (o->mode == MODE_SCREEN) fputs("\033[?25h\n", stdout);
  if (o->mode == MODE_LINE && terminal && !o->once) fputc('\n', stdout);
  watch_close(&watch);
  return sample.verdict;
}

int main(int argc, char **argv)
{
  const struct options o = read_options(argc, argv);
  if (o.list) return list_instances();
  const struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return (int)run(&o);
}
