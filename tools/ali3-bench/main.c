/* SPDX-License-Identifier: MIT
 * ali3-bench: options and wiring. */
#include "accuracy.h"
#include "bench.h"
#include "command/command_line.h"
#include "command/option_number.h"

#include "base/isa.h"
#include "common/output.h"
#include "rt/realtime.h"
#include "settings/settings.h"
#include "workers/workers_choose.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  WORKER_COUNTS = 16,
  STEPS = 200,
  PLATFORM_CYCLES = 20000
}; /* STEPS, PLATFORM_CYCLES: if none are given */

struct options {
  struct plan plan;
  const struct bench_case *only; /* NULL: all, or none where there are files */
  char **file;
  int files;
  int workers[WORKER_COUNTS], counts;
  const char *platform; /* file; NULL: mechanisms */
  bool json, calibrate, list, accuracy, predict;
};

static bool take_case(char *name, void *options);
static bool take_worker_counts(char *list, void *options);
static bool take_bench_isa(char *word, void *options);
static bool take_predicted(char *list, void *options);
static bool take_method(char *word, void *options);

static const struct command_option bench_options[] = {
    COMMAND_OTHER(take_case, "case", "NAME",
                  "only this built-in mechanism (default: all, or none where there is a FILE)"),
    COMMAND_COUNT(struct options, plan.bodies, "bodies", "N", 1, 1000000,
                  "number of bodies, approximately, of mechanisms that scale (default: see --list)"),
    COMMAND_OTHER(
        take_worker_counts, "workers", "N,..",
        "threads that share a step, besides the first; one run for each number (default: 0); auto: as many "
        "as make the step of this mechanism faster. They have the policy of the first thread: chrt -f 20 "
        "ali3-bench gives SCHED_FIFO to all of them"),
    COMMAND_COUNT(struct options, plan.steps, "steps", "N", 1, 1000000, "steps in each run (default: 200)"),
    COMMAND_OTHER(take_bench_isa, "isa", "NAME",
                  "instruction set of the steps: " ISA_WORDS
                  " (default: auto, the best one of this machine)"),
    COMMAND_SWITCH(struct options, plan.report, "report",
                   "also print the times of the tree, level by level, and of the shares of its work"),
    COMMAND_OTHER(
        take_predicted, "predict-workers", "N,..",
        "instead, predict the time of a step with these numbers of workers, from the time of each share, "
        "and measure it where there are processors for them"),
    COMMAND_OTHER(take_method, "method", "NAME",
                  "method of a step: " METHOD_WORDS " (default: ali3, or as in the file)"),
    COMMAND_SWITCH(struct options, plan.extrapolate, "extrapolate",
                   "combine each step from one, two and three shorter ones"),
    COMMAND_TEXT(
        struct options, platform, "platform", "FILE",
        "instead of mechanisms, time a cycle of the motion platform of a configuration: at rest, driven, at "
        "its limits, and while parameters change (--steps: cycles, default 20000)"),
    COMMAND_SWITCH(
        struct options, accuracy, "accuracy",
        "error and time of every method for the mechanism of each FILE, at 10 ms to 5 s, against the table "
        "FILE.csv beside it, or else a run with finer steps"),
    COMMAND_SWITCH(struct options, json, "json", "print the figures as a list of JSON objects"),
    COMMAND_SWITCH(struct options, calibrate, "calibrate",
                   "time only the piece of work with which all times should be compared"),
    COMMAND_SWITCH(struct options, list, "list", "print the names of the mechanisms"),
    {0},
};
static const struct command_line bench_command = {
    .name = "ali3-bench",
    .head =
        "Usage: ali3-bench [OPTION]... [FILE]...\n"
        "Times the step of built-in mechanisms, or of the mechanisms of configuration files, as a whole and\n"
        "phase by phase.\n",
    .tail = "Exit status: 0 success; 1 a run failed (finished runs are printed); 2 wrong usage.\n",
    .option = bench_options,
    .wrong = EXIT_USAGE};

/* may_choose: the word auto is allowed. */
static bool take_worker_list(const char *option, char *text, bool may_choose, struct options *o)
{
  o->counts = 0;
  for (char *rest = text, *word; (word = strsep(&rest, ","));) {
    if (o->counts == WORKER_COUNTS)
      return command_wrong(&bench_command, option, "at most 16 numbers", "more");
    int *n = &o->workers[o->counts++];
    *n = BENCH_AUTO;
    if (may_choose && strcmp(word, "auto") == 0) continue;
    long count;
    if (!option_count(word, 0, CHOOSE_MOST, &count))
      return command_wrong(&bench_command, option,
                           may_choose ? "auto or a whole number from 0 to 63" : "a whole number from 0 to 63",
                           word);
    *n = (int)count;
  }
  return true;
}

static bool take_worker_counts(char *list, void *options)
{
  return take_worker_list("--workers", list, true, options);
}

static bool take_predicted(char *list, void *options)
{
  struct options *o = options;
  return o->predict = take_worker_list("--predict-workers", list, false, o);
}

static bool take_case(char *name, void *options)
{
  struct options *o = options;
  o->only = NULL;
  if (strcmp(name, "all") == 0) return true;
  for (int i = 0; i < bench_cases; i++)
    if (strcmp(name, bench_case[i].name) == 0) o->only = &bench_case[i];
  return o->only || command_wrong(&bench_command, "--case", "all or a name that --list shows", name);
}

static bool take_bench_isa(char *word, void *options)
{
  ((struct options *)options)->plan.isa = word;
  return isa_is_word(word) || command_wrong(&bench_command, "--isa", ISA_WORDS, word);
}

static bool take_method(char *word, void *options)
{
  ((struct options *)options)->plan.method = word;
  return ali3_method_named(word) != ALI3_METHODS ||
         command_wrong(&bench_command, "--method", METHOD_WORDS, word);
}

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  *o = (struct options){.plan = {.isa = "auto"}, .counts = 1};
  const int status = command_read(&bench_command, argc, argv, o);
  if (status >= 0) return status;
  if (!o->plan.steps) o->plan.steps = o->platform ? PLATFORM_CYCLES : STEPS;
  /* All other arguments are files. */
  o->file = argv + optind;
  o->files = argc - optind;
  if (o->files > 0 && (o->platform || o->calibrate || o->list))
    command_wrong(&bench_command, "arguments", "options only", argv[optind]);
  else if (o->accuracy && o->files == 0)
    command_wrong(&bench_command, "--accuracy", "at least one FILE", "none");
  else
    return -1;
  return command_refuse(&bench_command);
}

static void list_cases(void)
{
  for (int i = 0; i < bench_cases; i++)
    printf("%-14s %6d bodies%s  %s\n", bench_case[i].name, bench_case[i].bodies,
           bench_case[i].scales ? "  " : " *", bench_case[i].text);
  puts("* does not scale with --bodies");
}

static bool run_calibration(bool json)
{
  uint32_t ns[101];
  enum { COUNT = sizeof ns / sizeof *ns };
  const double product = calibrate_product();
  bool right = calibrate(ns, COUNT) && !isnan(product);
  if (!right)
    fputs("ali3-bench: calibration: wrong result; the processor or the build computes wrongly\n", stderr);
  return report_calibration(ns, COUNT, product, json) && right;
}

/* Built-in cases first .. end-1, then the files. */
static struct bench_case case_at(const struct options *o, int end, int i)
{
  return i < end ? bench_case[i]
                 : (struct bench_case){.name = o->file[i - end], .text = "configuration file"};
}

static bool predict_cases(const struct options *o)
{
  /* Select one case or all, and the files. */
  int first = o->only ? (int)(o->only - bench_case) : 0, end = o->only ? first + 1 : bench_cases;
  if (o->files > 0 && !o->only) first = end = 0;
  bool good = true;
  json_t *list = o->json ? json_array() : NULL;
  struct predicted p[WORKER_COUNTS];
  /* Print each case as soon as it is known, or all of them as JSON. */
  for (int i = first; i < end + o->files; i++) {
    const struct bench_case c = case_at(o, end, i);
    const bool done = predict(&c, &o->plan, o->workers, o->counts, p);
    good &= done;
    if (!done) continue;
    json_t *rows = list ? predictions_json(p, o->counts) : NULL;
    if (rows) json_array_extend(list, rows);
    json_decref(rows);
    if (!o->json) report_predictions(p, o->counts);
  }
  return (!o->json || print_figures_json(list)) && good;
}

static bool run_cases(const struct options *o)
{
  /* Select one case or all, and the files. */
  int first = o->only ? (int)(o->only - bench_case) : 0, end = o->only ? first + 1 : bench_cases, done = 0;
  if (o->files > 0 && !o->only) end = 0;
  bool good = true, terminal = isatty(STDERR_FILENO);
  struct figures *f = calloc((size_t)(end - first + o->files) * (size_t)o->counts, sizeof *f);
  if (!f) {
    fputs("ali3-bench: out of memory\n", stderr);
    return false;
  }
  if (!o->json) report_head(&o->plan);
  /* Run each with each number of workers; a terminal shows the present one. */
  for (int i = first; i < end + o->files; i++)
    for (int k = 0; k < o->counts; k++) {
      char number[16] = "auto";
      if (o->workers[k] != BENCH_AUTO) snprintf(number, sizeof number, "%d", o->workers[k]);
      const struct bench_case c = case_at(o, end, i);
      if (terminal) fprintf(stderr, "%s, %s workers ...\r", c.name, number);
      bool measured = measure(&c, &o->plan, o->workers[k], &f[done]);
      if (terminal) fputs("\033[K", stderr);
      if (measured && !o->json) report_line(&f[done]);
      done += measured;
      good &= measured;
    }
  /* Print the finished runs, also after a failure. */
  if (o->json) good &= report_json(f, done);
  for (int i = 0; i < done; i++) levels_free(f[i].levels);
  free(f);
  return good;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct options o;
  int status = take_options(argc, argv, &o);
  if (status >= 0) return status;
  bool good = true;
  /* Flush denormals as the loop of the daemon and its workers do, so that equal inputs give equal bits in all of them. */
  realtime_flush_denormals();
  if (o.list)
    list_cases();
  else if (o.calibrate)
    good = run_calibration(o.json);
  else if (o.accuracy)
    good = accuracy_bench(o.file, o.files, o.json);
  else if (o.platform)
    good = platform_bench(o.platform, o.plan.steps, o.json);
  else if (o.predict)
    good = predict_cases(&o);
  else
    good = run_cases(&o);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "ali3-bench: standard output: %s\n", strerror(errno));
    good = false;
  }
  return good ? EXIT_GOOD : EXIT_RUN;
}
