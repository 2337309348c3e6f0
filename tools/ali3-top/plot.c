/* SPDX-License-Identifier: MIT
 * Starts gnuplot without a shell, with commands and data on its standard input; the picture goes to the file opened
 * here. So no name or text from outside can become a command. */
#include "plot.h"

#include "bins.h"
#include "words.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static const double least_us = 0.5; /* the logarithm needs a start above 0 */

static const struct panel {
  enum book_row row;
  const char *title;
} panels[] = {{BOOK_ROW_wakeup, "wake-up: nominal start to the loop running"},
              {BOOK_ROW_step, "step: prepare and feedback"},
              {BOOK_ROW_cycle, "cycle: nominal start to all work done"}};
enum { PANELS = sizeof panels / sizeof *panels, LINE = 120 };

/* A text in single quotes, with the special characters escaped, cut to a line. */
static void put_escaped(const char *text, FILE *out)
{
  for (int i = 0; text[i] && i < LINE; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c == '\'') fputc('\'', out);
    fputc(c < ' ' || c == 0x7f ? '?' : c, out);
  }
}

static double edge_us(int bin)
{
  return fmax(histogram_edge(bin) * 1e-3, least_us);
}

/* Non-empty bins: from, to, count. The overflow bin ends at the maximum. */
static void put_data(const struct histogram *h, const char *name, FILE *out)
{
  fprintf(out, "$%s << END\n", name);
  for (int i = 0; i < BOOK_BINS; i++) {
    const uint64_t count = counter_get(&h->bin[i]);
    const double to =
        i < BOOK_BINS - 1 ? edge_us(i + 1) : fmax((double)counter_get(&h->max_ns) * 1e-3, 1.1 * edge_us(i));
    if (count) fprintf(out, "%.9g %.9g %" PRIu64 "\n", edge_us(i), to, count);
  }
  fputs("END\n", out);
}

static void put_line(double us, const char *style, FILE *out)
{
  fprintf(out, "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead %s\n", us, us, style);
}

/* Marks beyond `end` are left out, because gnuplot would draw them beside the picture. */
static void put_panel(const struct telemetry *t, const struct panel *panel, double end, FILE *out)
{
  static const char *const line_style[] = {"lw 1.5 lc rgb '#2ca02c'", "lw 1.5 lc rgb '#ff7f0e'",
                                           "lw 1.5 lc rgb '#d62728'", "lw 2 dt 2 lc rgb 'black'"};
  const struct histogram *h = book_row(&t->histograms, (int)panel->row);
  fprintf(out, "unset arrow\nunset label\nset title '%s'\n", panel->title);
  if (counter_get(&h->count) == 0) {
    fputs("set label 'none yet' at graph 0.5, graph 0.5 center\nplot [][0.5:10] NaN notitle\n", out);
    return;
  }
  /* Lines at median, 99.9 %, maximum and period. */
  const uint64_t over = counter_get(&h->bin[BOOK_BINS - 1]);
  const double us[] = {histogram_percentile_us(h, 0.5), histogram_percentile_us(h, 0.999),
                       (double)counter_get(&h->max_ns) * 1e-3, (double)t->period_ns * 1e-3};
  for (int i = 0; i < 4; i++)
    if (us[i] <= end) put_line(us[i], line_style[i], out);
  if (over)
    fprintf(out, "set label '%" PRIu64 " beyond the last bin, %.0f s' at graph 0.99, graph 0.5 right\n", over,
            edge_us(BOOK_BINS - 1) * 1e-6);
  fprintf(out,
          "plot $%s using (sqrt($1*$2)):3:1:2:(0.5):3 with boxxyerror lc rgb '#1f77b4' fill solid 1 border "
          "notitle, NaN %s title 'median %s µs', NaN %s title '99.9 %% %s µs', "
          "NaN %s title 'max %s µs, cycle %" PRIu64 "', NaN %s title 'period'\n",
          book_row_name((int)panel->row), line_style[0], words_us_of(us[0]).text, line_style[1],
          words_us_of(us[1]).text, line_style[2], words_us_of(us[2]).text, counter_get(&h->max_cycle),
          line_style[3]);
}

/* One range for all panels, so that they can be compared. Returns its end. */
static double put_time_axis(const struct histograms *b, FILE *out)
{
  double low = 1e12, high = least_us;
  for (int i = 0; i < PANELS; i++) {
    const struct histogram *h = book_row(b, (int)panels[i].row);
    if (counter_get(&h->count) == 0) continue;
    low = fmin(low, (double)counter_get(&h->min_ns) * 1e-3);
    high = fmax(high, (double)counter_get(&h->max_ns) * 1e-3);
  }
  low = bins_tick_below(fmax(fmin(low, high), least_us));
  high = bins_tick_above(fmax(1.1 * high, 2.0 * low));
  fprintf(out, "set xrange [%.9g:%.9g]\nset xtics (", 0.999 * low,
          1.001 * high); /* without this gnuplot leaves out the first tick */
  double tick[TICKS_MAX];
  const int ticks = bins_ticks(low, high, tick);
  for (int i = 0; i < ticks; i++) fprintf(out, "%s%.9g", i ? ", " : "", tick[i]);
  fputs(")\n", out);
  return high;
}

static void put_plot_title(const struct picture *p, FILE *out)
{
  const struct telemetry *t = &p->block;
  const uint64_t cycles = counter_get(&t->histograms.cycle.count);
  struct utsname host;
  if (uname(&host) != 0) memset(&host, 0, sizeof host);
  fputs("set multiplot layout 3,1 title '", out);
  put_escaped(t->instance, out);
  fputs(": model ", out);
  put_escaped(t->model, out);
  fprintf(out, ", %g ms; %" PRIu64 " cycles from cycle %" PRIu64 " on, %" PRIu64 " deadline%s missed'",
          (double)t->period_ns * 1e-6, cycles, counter_get(&t->histograms.cleared), t->live.misses,
          t->live.misses == 1 ? "" : "s");
  /* The machine of the measurement. */
  fputs(" . \"\\n\" . '", out);
  put_escaped(host.sysname, out);
  fputc(' ', out);
  put_escaped(host.release, out);
  fputc(' ', out);
  put_escaped(host.version, out);
  fputs(", ", out);
  put_escaped(host.machine, out);
  fputs("'", out);
  if (!t->realtime) {
    fputs(" . \"\\n\" . 'NOT REAL-TIME, figures unrepresentative' . \"\\n\" . '", out);
    put_escaped(t->reason, out);
    fputs("'", out);
  }
  fprintf(out, " noenhanced font ',13'%s\n", t->realtime ? "" : " textcolor rgb '#d62728'");
}

void plot_script(const struct picture *p, FILE *out)
{
  fputs("set terminal pngcairo size 1200,1100 noenhanced font ',11'\n"
        "set encoding utf8\n",
        out);
  for (int i = 0; i < PANELS; i++)
    put_data(book_row(&p->block.histograms, (int)panels[i].row), book_row_name((int)panels[i].row), out);
  put_plot_title(p, out);
  fputs("set logscale xy\n"
        "set yrange [0.5:*]\n"
        "set format y '%g'\n"
        "set grid\n"
        "set lmargin 9\n"
        "set rmargin 38\n"
        "set key outside right top Left reverse samplen 2\n"
        "set xlabel 'µs'\n"
        "set ylabel 'cycles'\n",
        out);
  const double end = put_time_axis(&p->block.histograms, out);
  for (int i = 0; i < PANELS; i++) put_panel(&p->block, &panels[i], end, out);
  fputs("unset multiplot\n", out);
}

/* Starts gnuplot; *to is the end of a pipe to it. Returns 0 or an errno. */
static int start_gnuplot(int picture, pid_t *child, int *to)
{
  static char *const arguments[] = {"gnuplot", "-", NULL};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
  const int status = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  *to = ends[1];
  if (status != 0) close(ends[1]);
  return status;
}

/* Returns true if there is a picture. */
static bool draw_picture(const struct picture *p, int picture)
{
  pid_t child = 0;
  int to = -1;
  const int status = start_gnuplot(picture, &child, &to);
  if (status != 0) {
    fprintf(stderr, "ali3-top: gnuplot: %s%s\n", strerror(status),
            status == ENOENT ? "; install it: apt-get install gnuplot-nox" : "");
    return false;
  }
  /* Write the script; the end of the pipe ends gnuplot. */
  FILE *out = fdopen(to, "w");
  if (out) {
    plot_script(p, out);
    fclose(out);
  } else {
    close(to);
  }
  int ended = -1;
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) return true;
  fprintf(stderr, "ali3-top: gnuplot failed; expected version 5.4 or later with the terminal pngcairo\n");
  return false;
}

int plot(const struct options *o)
{
  static struct picture picture;
  struct watch watch = {.wanted = o->instance};
  if (!outfile_check("--histogram", o->picture)) return EXIT_USAGE;
  picture_take(&picture, &watch);
  watch_close(&watch);
  if (!picture.sample.t) {
    fprintf(stderr, "ali3-top: %s\n", picture.sample.reason[0]);
    return VERDICT_GONE;
  }
  const int file = open(o->picture, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return outfile_refuse("--histogram", o->picture, errno), EXIT_USAGE;
  signal(SIGPIPE, SIG_IGN); /* gnuplot may end before it has read everything */
  const bool drawn = draw_picture(&picture, file);
  struct stat st;
  if (!drawn && fstat(file, &st) == 0 && S_ISREG(st.st_mode)) unlink(o->picture);
  close(file);
  return drawn ? EXIT_SUCCESS : EXIT_USAGE;
}
