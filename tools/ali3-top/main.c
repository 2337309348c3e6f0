/* SPDX-License-Identifier: MIT
 * ali3-top: shows the activity of a running ali3d from a copy of its shared memory. It cannot disturb the daemon. It
 * sends one thing only, on a key: the signal that clears maxima and distributions. */
#include "collect.h"
#include "common/output.h"
#include "options.h"
#include "plot.h"
#include "rt/clock.h"
#include "screen.h"
#include "show.h"
#include "telemetry/read.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LISTED_MAX = 64 };

static volatile sig_atomic_t interrupted;
static void on_signal(int number)
{
  (void)number;
  interrupted = 1;
}

static int list_instances(void)
{
  static char name[LISTED_MAX][64];
  const int n = telemetry_list(name, LISTED_MAX);
  int listed = 0;
  for (int i = 0; i < n; i++) {
    char error[256];
    struct telemetry_reader r;
    if (!telemetry_open(&r, name[i], error, sizeof error)) continue; /* it ended meanwhile */
    listed++;
    printf("%s\t%" PRId64 "\t%s\n", name[i], r.pid, telemetry_alive(&r) ? "running" : "gone");
    telemetry_close(&r);
  }
  if (listed > 0) return EXIT_SUCCESS;
  char none[256];
  telemetry_none_text(none, sizeof none);
  fprintf(stderr, "ali3-top: %s\n", none);
  return VERDICT_GONE;
}

static int terminal_columns(void)
{
  struct winsize size = {0};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* Overwrites the line on the terminal, cut to its width. */
static void show_line_in_place(const struct picture *p)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return;
  show_line(p, out);
  fclose(out);
  printf("\r%.*s\033[K", terminal_columns() - 1, text);
  free(text);
}

static void show_sample(const struct picture *p, const struct options *o, bool terminal)
{
  if (o->mode == MODE_JSON) {
    show_json(p, !o->once, stdout);
  } else if (o->mode == MODE_BLOCK) {
    show_block(p, stdout);
  } else if (terminal && !o->once) {
    show_line_in_place(p);
  } else {
    show_line(p, stdout);
    fputc('\n', stdout);
  }
  fflush(stdout);
}

/* Sleeps until t_ns or a signal. */
static void wait_until(uint64_t t_ns)
{
  const struct timespec t = clock_timespec(t_ns);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int run_shows(const struct options *o)
{
  const bool terminal = isatty(STDOUT_FILENO);
  static struct picture picture;
  struct watch watch = {.wanted = o->instance};
  struct values values = {0};
  values_choose(&values, o->globs);
  if (o->globs) picture.values = &values;
  uint64_t next = clock_now_ns();
  const uint64_t end = o->seconds > 0.0 ? next + (uint64_t)(o->seconds * 1e9) : UINT64_MAX;
  const uint64_t interval = (uint64_t)(o->interval * 1e9);

  for (;;) {
    picture_take(&picture, &watch);
    show_sample(&picture, o, terminal);
    if (o->once || interrupted || ferror(stdout) || next >= end) break;
    next = next + interval < end ? next + interval : end;
    wait_until(next);
    if (interrupted) break;
    const uint64_t now = clock_now_ns();
    if (now > next + interval && now < end)
      next = now; /* after a stop of the process, do not refresh in a burst */
  }
  if (o->mode == MODE_LINE && terminal && !o->once) fputc('\n', stdout);
  watch_close(&watch);
  values_choose(&values, NULL);
  return (int)picture.sample.verdict;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct options o;
  const int usage = options_read(argc, argv, &o);
  if (usage >= 0) return usage;
  if (o.mode == MODE_LIST) return list_instances();
  const struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  if (o.mode == MODE_PLOT) return plot(&o);
  return o.mode == MODE_SCREEN ? screen_run(&o, &interrupted) : run_shows(&o);
}
