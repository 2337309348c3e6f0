/* SPDX-License-Identifier: MIT
 * ali3-bench: options and wiring. */
#include "accuracy.h"
#include "base/build_info.h"
#include "bench.h"
#include "option_number.h"

#include "base/isa.h"
#include "config/settings.h"
#include "output.h"
#include "rt/choose.h"
#include "rt/realtime.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: ali3-bench [OPTION]... [FILE]...\n"
    "Times the step of built-in mechanisms, or of the mechanisms of configuration files, as a whole and "
    "phase by\n"
    "phase.\n"
    "\n"
    "  --case NAME      only this built-in mechanism (default: all, or none where there is a FILE)\n"
    "  --bodies N       number of bodies, approximately, of mechanisms that scale (default: see --list)\n"
    "  --workers N,..   threads that share a step, besides the first; one run for each number (default: 0);\n"
    "                   auto: as many as make the step of this mechanism faster. They have the policy of\n"
    "                   the first thread: chrt -f 20 ali3-bench gives SCHED_FIFO to all of them\n"
    "  --steps N        steps in each run (default: 200)\n"
    "  --isa NAME       instruction set of the steps: " ISA_WORDS "\n"
    "                   (default: auto, the best one of this machine)\n"
    "  --report         also print the times of the tree, level by level, and of the shares of its work\n"
    "  --predict-workers N,..  instead, predict the time of a step with these numbers of workers, from the "
    "time\n"
    "                   of each share, and measure it where there are processors for them\n"
    "  --method NAME    method of a step: " METHOD_WORDS " (default: ali3, or as in the file)\n"
    "  --extrapolate    combine each step from one, two and three shorter ones\n"
    "  --platform FILE  instead of mechanisms, time a cycle of the motion platform of a configuration:\n"
    "                   at rest, driven, at its limits, and while parameters change (--steps: cycles, "
    "default 20000)\n"
    "  --accuracy       error and time of every method for the mechanism of each FILE, at 10 ms to 5 s,\n"
    "                   against the table FILE.csv beside it, or else a run with finer steps\n"
    "  --json           print the figures as a list of JSON objects\n"
    "  --calibrate      time only the piece of work with which all times should be compared\n"
    "  --list           print the names of the mechanisms\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 success; 1 a run failed (finished runs are printed); 2 wrong usage.\n";

enum { WORKER_COUNTS = 16, BODIES_MAX = 1000000, STEPS_MAX = 1000000, PLATFORM_CYCLES = 20000 };

struct options {
  struct plan plan;
  const struct bench_case *only; /* NULL: all, or none where there are files */
  char **file;
  int files;
  int workers[WORKER_COUNTS], counts;
  const char *platform; /* file; NULL: mechanisms */
  bool steps_given, json, calibrate, list, accuracy, predict;
};

static bool usage(const char *option, const char *expected, const char *found)
{
  fprintf(stderr, "ali3-bench: %s: expected %s, found %s\n", option, expected, found);
  return false;
}

static bool take_int(const char *option, const char *text, int min, int max, int *out)
{
  char expected[64];
  long n;
  snprintf(expected, sizeof expected, "a whole number from %d to %d", min, max);
  if (!option_count(text, min, max, &n)) return usage(option, expected, text);
  *out = (int)n;
  return true;
}

/* may_choose: the word auto is allowed. */
static bool take_worker_list(const char *option, char *text, bool may_choose, struct options *o)
{
  o->counts = 0;
  for (char *rest = text, *word; (word = strsep(&rest, ","));) {
    if (o->counts == WORKER_COUNTS) return usage(option, "at most 16 numbers", "more");
    int *n = &o->workers[o->counts++];
    *n = BENCH_AUTO;
    if (may_choose && strcmp(word, "auto") == 0) continue;
    long count;
    if (!option_count(word, 0, CHOOSE_MOST, &count))
      return usage(option, may_choose ? "auto or a whole number from 0 to 63" : "a whole number from 0 to 63",
                   word);
    *n = (int)count;
  }
  return true;
}

static bool take_case(const char *name, struct options *o)
{
  o->only = NULL;
  if (strcmp(name, "all") == 0) return true;
  for (int i = 0; i < bench_cases; i++)
    if (strcmp(name, bench_case[i].name) == 0) o->only = &bench_case[i];
  return o->only || usage("--case", "all or a name that --list shows", name);
}

enum {
  CASE = 1,
  BODIES,
  WORKERS,
  STEPS,
  ISA,
  REPORT,
  PREDICT,
  EXTRAPOLATE,
  METHOD,
  PLATFORM,
  ACCURACY,
  JSON,
  CALIBRATE,
  LIST,
  HELP,
  VERSION
};

/* -1: go on; otherwise the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  /* List the options. */
  static const struct option table[] = {
      {"case", required_argument, NULL, CASE},
      {"bodies", required_argument, NULL, BODIES},
      {"workers", required_argument, NULL, WORKERS},
      {"steps", required_argument, NULL, STEPS},
      {"isa", required_argument, NULL, ISA},
      {"report", no_argument, NULL, REPORT},
      {"predict-workers", required_argument, NULL, PREDICT},
      {"method", required_argument, NULL, METHOD},
      {"extrapolate", no_argument, NULL, EXTRAPOLATE},
      {"platform", required_argument, NULL, PLATFORM},
      {"accuracy", no_argument, NULL, ACCURACY},
      {"json", no_argument, NULL, JSON},
      {"calibrate", no_argument, NULL, CALIBRATE},
      {"list", no_argument, NULL, LIST},
      {"help", no_argument, NULL, HELP},
      {"version", no_argument, NULL, VERSION},
      {0},
  };
  *o = (struct options){.plan = {.steps = 200, .isa = "auto"}, .counts = 1};
  bool good = true;
  for (int c; good && (c = getopt_long(argc, argv, "", table, NULL)) != -1;) switch (c) {
    /* Read the choice of cases and their sizes. */
    case CASE:
      good = take_case(optarg, o);
      break;
    case BODIES:
      good = take_int("--bodies", optarg, 1, BODIES_MAX, &o->plan.bodies);
      break;
    case WORKERS:
      good = take_worker_list("--workers", optarg, true, o);
      break;
    case STEPS:
      good = o->steps_given = take_int("--steps", optarg, 1, STEPS_MAX, &o->plan.steps);
      break;
    case ISA:
      good = isa_is_word(optarg) || usage("--isa", ISA_WORDS, optarg);
      o->plan.isa = optarg;
      break;
    /* Read switches. */
    case REPORT:
      o->plan.report = true;
      break;
    case PREDICT:
      good = o->predict = take_worker_list("--predict-workers", optarg, false, o);
      break;
    case METHOD:
      good = ali3_method_named(optarg) != ALI3_METHODS || usage("--method", METHOD_WORDS, optarg);
      o->plan.method = optarg;
      break;
    case EXTRAPOLATE:
      o->plan.extrapolate = true;
      break;
    case PLATFORM:
      o->platform = optarg;
      break;
    case ACCURACY:
      o->accuracy = true;
      break;
    case JSON:
      o->json = true;
      break;
    case CALIBRATE:
      o->calibrate = true;
      break;
    case LIST:
      o->list = true;
      break;
    /* Print a text and end. */
    case HELP:
      fputs(help, stdout);
      return EXIT_GOOD;
    case VERSION:
      printf("ali3-bench " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    default:
      good = false;
    }
  /* All other arguments are files. */
  o->file = argv + optind;
  o->files = argc - optind;
  if (good && o->files > 0 && (o->platform || o->calibrate || o->list))
    good = usage("arguments", "options only", argv[optind]);
  if (good && o->accuracy && o->files == 0) good = usage("--accuracy", "at least one FILE", "none");
  if (good) return -1;
  fputs("Try ali3-bench --help\n", stderr);
  return EXIT_USAGE;
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
    good = platform_bench(o.platform, o.steps_given ? o.plan.steps : PLATFORM_CYCLES, o.json);
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
