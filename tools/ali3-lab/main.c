/* SPDX-License-Identifier: MIT
 * ali3-lab: commands and options. */
#include "base/build_info.h"
#include "lab_tool.h"
#include "output.h"
#include "shards.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool lab_usage(const char *option, const char *expected, const char *found)
{
  fprintf(stderr, "ali3-lab: %s: expected %s, found %s\nTry ali3-lab --help\n", option, expected, found);
  return false;
}

/* zero: 0 is allowed. */
static bool read_lab_number(const char *option, const char *text, bool zero, double *out)
{
  char *end;
  const double v = strtod(text, &end);
  if (end == text || *end || !isfinite(v) || v < 0 || (v == 0 && !zero))
    return lab_usage(option, zero ? "a number, 0 or above" : "a number above 0", text);
  *out = v;
  return true;
}

static bool read_lab_count(const char *option, const char *text, long max, long *out)
{
  char *end;
  errno = 0;
  *out = strtol(text, &end, 10);
  if (end != text && !*end && !errno && *out >= 1 && *out <= max) return true;
  return lab_usage(option, "a whole number, 1 or above", text);
}

static bool read_method(const char *text, struct run_options *o)
{
  o->run.formulation = lab_find_formulation(text);
  return o->run.formulation || lab_usage("--method", "a formulation of ali3-lab --list", text);
}

static bool read_integrator(const char *text, struct run_options *o)
{
  o->run.integrator = lab_find_integrator(text);
  return o->run.integrator || lab_usage("--integrator", "an integrator of ali3-lab --list", text);
}

static bool read_coordinates(const char *text, struct run_options *o)
{
  o->kind = lab_find_description(text);
  return o->kind || lab_usage("--coordinates", "natural, absolute or joint", text);
}

static bool read_norm(const char *text, struct lab_run *r)
{
  r->norm_qp = strcmp(text, "qp") == 0;
  return r->norm_qp || strcmp(text, "q") == 0 || lab_usage("--norm", "q or qp", text);
}

enum {
  METHOD = 1,
  INTEGRATOR,
  COORDINATES,
  DURATION,
  DT,
  ALPHA,
  OMEGA,
  XI,
  RESET_EVERY,
  TOLERANCE,
  NORM,
  ITERATIONS,
  SUBSTEPS,
  RTOL,
  ATOL,
  OUTPUT,
  SIGNALS,
  EVERY,
  SUMMARY,
  SET,
  RUNS,
  ALL_RUNS,
  MODELS,
  REFERENCES,
  JSON,
  GRID,
  CSV,
  SHARD,
  RESUME,
  PNG,
  LIMIT,
  METHODS,
  REFERENCE,
  BUDGET,
  QUIET,
  JOINT,
  COMPONENT,
  LIST,
  HELP,
  VERSION
};

static const struct option lab_options[] = {
    {"method", required_argument, NULL, METHOD},
    {"integrator", required_argument, NULL, INTEGRATOR},
    {"coordinates", required_argument, NULL, COORDINATES},
    {"duration", required_argument, NULL, DURATION},
    {"dt", required_argument, NULL, DT},
    {"alpha", required_argument, NULL, ALPHA},
    {"omega", required_argument, NULL, OMEGA},
    {"xi", required_argument, NULL, XI},
    {"reset", required_argument, NULL, RESET_EVERY},
    {"tolerance", required_argument, NULL, TOLERANCE},
    {"norm", required_argument, NULL, NORM},
    {"iterations", required_argument, NULL, ITERATIONS},
    {"substeps", required_argument, NULL, SUBSTEPS},
    {"rtol", required_argument, NULL, RTOL},
    {"atol", required_argument, NULL, ATOL},
    {"output", required_argument, NULL, OUTPUT},
    {"signals", required_argument, NULL, SIGNALS},
    {"every", required_argument, NULL, EVERY},
    {"summary", required_argument, NULL, SUMMARY},
    {"set", required_argument, NULL, SET},
    {"runs", required_argument, NULL, RUNS},
    {"all-runs", no_argument, NULL, ALL_RUNS},
    {"models", required_argument, NULL, MODELS},
    {"references", required_argument, NULL, REFERENCES},
    {"json", required_argument, NULL, JSON},
    {"grid", required_argument, NULL, GRID},
    {"csv", required_argument, NULL, CSV},
    {"shard", required_argument, NULL, SHARD},
    {"resume", no_argument, NULL, RESUME},
    {"png", required_argument, NULL, PNG},
    {"limit", required_argument, NULL, LIMIT},
    {"methods", required_argument, NULL, METHODS},
    {"reference", required_argument, NULL, REFERENCE},
    {"budget", required_argument, NULL, BUDGET},
    {"quiet", no_argument, NULL, QUIET},
    {"joint", required_argument, NULL, JOINT},
    {"component", required_argument, NULL, COMPONENT},
    {"list", no_argument, NULL, LIST},
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {0},
};

struct lab_arguments {
  struct run_options run;
  struct table_options table;
  struct map_options map;
  struct compare_options compare;
  struct reactions_options reactions;
  uint64_t given; /* bit c: option c of the enum above */
  bool map_only;
  bool run_only, table_only; /* an option of this command alone was given */
};

static bool take_run_option(int c, struct run_options *o)
{
  struct lab_run *r = &o->run;
  long n = 0;
  switch (c) {
  case METHOD:
    /* The run: method, rule, coordinates, duration. */
    return read_method(optarg, o);
  case INTEGRATOR:
    return read_integrator(optarg, o);
  case COORDINATES:
    return read_coordinates(optarg, o);
  case DURATION:
    o->duration_given = true;
    return read_lab_number("--duration", optarg, false, &r->duration);
  case DT:
    return read_lab_number("--dt", optarg, false, &r->dt);
  case ALPHA:
    /* Parameters of the methods. */
    return read_lab_number("--alpha", optarg, false, &r->alpha);
  case OMEGA:
    return read_lab_number("--omega", optarg, true, &r->omega);
  case XI:
    return read_lab_number("--xi", optarg, true, &r->xi);
  case RESET_EVERY:
    return read_lab_number("--reset", optarg, false, &r->reset);
  case TOLERANCE:
    /* When iterations end, and the errors of adaptive steps. */
    return read_lab_number("--tolerance", optarg, false, &r->tolerance);
  case NORM:
    return read_norm(optarg, r);
  case ITERATIONS:
    if (!read_lab_count("--iterations", optarg, 10000, &n)) return false;
    r->iterations = (int)n;
    return true;
  case SUBSTEPS:
    if (!read_lab_count("--substeps", optarg, 1000, &n)) return false;
    r->substeps = (int)n;
    return true;
  case RTOL:
    return read_lab_number("--rtol", optarg, false, &r->rtol);
  case ATOL:
    return read_lab_number("--atol", optarg, false, &r->atol);
  case OUTPUT:
    /* The output. */
    o->output = optarg;
    return true;
  case SIGNALS:
    o->signals = optarg;
    return true;
  case SET:
    o->sets.text[o->sets.count++] = optarg;
    return true;
  case EVERY:
    return read_lab_count("--every", optarg, LONG_MAX, &o->every);
  default:
    o->summary = optarg;
    return true;
  }
}

static bool take_table_option(int c, struct table_options *o)
{
  long n = 0;
  switch (c) {
  case RUNS:
    /* How many runs. */
    if (!read_lab_count("--runs", optarg, 100000, &n)) return false;
    o->runs = (int)n;
    return true;
  case ALL_RUNS:
    o->ensembles = true;
    return true;
  case MODELS:
    /* Where files are, and where the table goes. */
    o->models = optarg;
    return true;
  case REFERENCES:
    o->references = optarg;
    return true;
  default:
    o->json = optarg;
    return true;
  }
}

static bool take_map_option(int c, struct map_options *o)
{
  switch (c) {
  case GRID:
    /* The grid: one or two axes. */
    if (o->axes < 2 && map_read_axis(optarg, &o->axis[o->axes])) {
      o->axes++;
      return true;
    }
    return lab_usage("--grid", "alpha, omega, xi or dt as NAME=FROM:TO:COUNT[:log], twice at most", optarg);
  case CSV:
    /* The part of this process, and its output. */
    o->csv = optarg;
    return true;
  case SHARD:
    if (shard_read(optarg, &o->shard, &o->shards)) return true;
    return lab_usage("--shard", "K/N with K from 0 to N - 1", optarg);
  case RESUME:
    o->resume = true;
    return true;
  case PNG:
    o->png = optarg;
    return true;
  default:
    return read_lab_number("--limit", optarg, false, &o->limit);
  }
}

static bool take_compare_option(int c, struct compare_options *o, struct reactions_options *reactions)
{
  switch (c) {
  /* Options of reactions. */
  case JOINT:
    reactions->joint = optarg;
    return true;
  case COMPONENT:
    reactions->component = optarg;
    return true;
  /* Options of compare. */
  case METHODS:
    o->methods = optarg;
    return true;
  case REFERENCE:
    o->reference = optarg;
    return true;
  case QUIET:
    o->quiet = true;
    return true;
  default:
    return read_lab_number("--budget", optarg, false, &o->budget);
  }
}

/* -1: go on; otherwise the exit status. */
static int take_arguments(int argc, char **argv, struct lab_arguments *a)
{
  const char **sets = calloc((size_t)argc, sizeof *sets);
  if (!sets) return EXIT_RUN;
  *a = (struct lab_arguments){.run = {.every = 1, .run = lab_run_default(), .sets.text = sets},
                              .table = {.runs = 100},
                              .map = {.shards = 1},
                              .compare = {.budget = 1},
                              .reactions = {.component = "force.y"}};
  for (int c; (c = getopt_long(argc, argv, "", lab_options, NULL)) != -1;) {
    /* Options that end the program. */
    if (c == LIST) {
      print_methods();
      return EXIT_GOOD;
    }
    if (c == HELP) {
      fputs(lab_help, stdout);
      return EXIT_GOOD;
    }
    if (c == VERSION) {
      printf("ali3-lab " ALI3_VERSION "\n%s\n", build_info());
      return EXIT_GOOD;
    }
    if (c == '?') {
      fputs("Try ali3-lab --help\n", stderr);
      return EXIT_USAGE;
    }
    /* All others by the command that they belong to; do_command() refuses those of another one. */
    a->given |= (uint64_t)1 << c;
    if (c < METHODS) *(c < RUNS ? &a->run_only : c < GRID ? &a->table_only : &a->map_only) = true;
    if (!(c < RUNS      ? take_run_option(c, &a->run)
          : c < GRID    ? take_table_option(c, &a->table)
          : c < METHODS ? take_map_option(c, &a->map)
                        : take_compare_option(c, &a->compare, &a->reactions)))
      return EXIT_USAGE;
  }
  return -1;
}

static bool check_run(const struct run_options *o)
{
  if (!o->run.formulation) return lab_usage("--method", "a formulation of ali3-lab --list", "none");
  if (!o->run.integrator) return lab_usage("--integrator", "an integrator of ali3-lab --list", "none");
  if (o->output && o->summary && !strcmp(o->output, "-") && !strcmp(o->summary, "-"))
    return lab_usage("--output, --summary", "one of them at most on standard output", "both");
  if (o->signals && !o->output) return lab_usage("--signals", "--output as well", "none");
  return true;
}

static bool check_map(const struct map_options *o)
{
  if (o->axes == 0) return lab_usage("--grid", "alpha, omega, xi or dt as NAME=FROM:TO:COUNT[:log]", "none");
  if (!o->csv) return lab_usage("--csv", "a file", "none");
  if (o->png && o->shards > 1)
    return lab_usage("--png", "a whole map", "a shard; draw it with ali3-lab merge");
  return true;
}

static int do_map(struct lab_arguments *a, const char *file)
{
  a->run.file = file;
  const bool grid = a->map.axes > 0;
  if (map_by_name(file, &a->map, &a->run)) {
    a->map.cases = &a->table;
    if (a->run_only || grid)
      return lab_usage(file, "no --grid and no parameters of run: this map has its own", "one"), EXIT_USAGE;
    return check_map(&a->map) ? map_command(&a->map, &a->run) : EXIT_USAGE;
  }
  if (a->table_only || a->run.output || a->run.summary)
    return lab_usage("map", "options of map and parameters of run", "others"), EXIT_USAGE;
  return check_run(&a->run) && check_map(&a->map) ? map_command(&a->map, &a->run) : EXIT_USAGE;
}

static int do_merge(struct lab_arguments *a, int files, char **file)
{
  if (a->run_only || a->table_only || files < 1 || !a->map.csv)
    return lab_usage("merge", "files of shards, and --csv FILE", "another line"), EXIT_USAGE;
  if (a->map.png && a->map.axes == 0) return lab_usage("--png", "--grid as of the map", "none"), EXIT_USAGE;
  return merge_command(&a->map, files, file);
}

static int do_compare(struct lab_arguments *a, const char *file)
{
  static const int own[] = {DURATION, SET, JSON, CSV, PNG, METHODS, REFERENCE, BUDGET, QUIET};
  struct compare_options *o = &a->compare;
  uint64_t known = 0;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) known |= (uint64_t)1 << own[i];
  if (a->given & ~known)
    return lab_usage("compare", "options of compare", "those of another command"), EXIT_USAGE;
  /* Options that other commands have, too. */
  o->file = file;
  o->sets = &a->run.sets;
  o->duration = a->run.duration_given ? a->run.run.duration : 0;
  o->csv = a->map.csv;
  o->png = a->map.png;
  o->json = a->table.json;
  const bool standard[2] = {o->csv && strcmp(o->csv, "-") == 0, o->json && strcmp(o->json, "-") == 0};
  if (standard[0] && standard[1])
    return lab_usage("--csv, --json", "one of them at most on standard output", "both"), EXIT_USAGE;
  o->lines = standard[0] || standard[1] ? stderr : stdout;
  return compare_command(o);
}

static int do_reactions(struct lab_arguments *a, const char *file)
{
  static const int own[] = {DURATION, DT, SET, CSV, PNG, METHODS, REFERENCE, JOINT, COMPONENT};
  struct reactions_options *o = &a->reactions;
  uint64_t known = 0;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) known |= (uint64_t)1 << own[i];
  if (a->given & ~known)
    return lab_usage("reactions", "options of reactions", "those of another command"), EXIT_USAGE;
  if (!o->joint) return lab_usage("--joint", "a joint of the model", "none"), EXIT_USAGE;
  /* Options that other commands have, too. */
  o->file = file;
  o->sets = &a->run.sets;
  o->duration = a->run.duration_given ? a->run.run.duration : 0;
  o->dt = a->run.run.dt;
  o->methods = a->compare.methods;
  o->reference = a->compare.reference;
  o->csv = a->map.csv;
  o->png = a->map.png;
  if (!o->csv && !o->png) return lab_usage("reactions", "--csv or --png", "none"), EXIT_USAGE;
  return reactions_command(o);
}

static int do_command(struct lab_arguments *a, int words, char **word)
{
  if (words == 1 && strcmp(word[0], "list") == 0) {
    print_methods();
    return EXIT_GOOD;
  }
  /* Each command refuses the options of the others. */
  if (words == 2 && strcmp(word[0], "compare") == 0) return do_compare(a, word[1]);
  if (words == 2 && strcmp(word[0], "reactions") == 0) return do_reactions(a, word[1]);
  if (a->given >> METHODS)
    return lab_usage(words > 0 ? word[0] : "command", "no option of compare", "one"), EXIT_USAGE;
  if (words == 2 && strcmp(word[0], "run") == 0) {
    a->run.file = word[1];
    if (a->table_only || a->map_only)
      return lab_usage("run", "options of run", "those of another command"), EXIT_USAGE;
    return check_run(&a->run) ? run_command(&a->run) : EXIT_USAGE;
  }
  if (words == 2 && strcmp(word[0], "table") == 0) {
    a->table.name = word[1];
    if (a->run_only || a->map_only)
      return lab_usage("table", "options of table", "those of another command"), EXIT_USAGE;
    return table_command(&a->table);
  }
  if (words == 2 && strcmp(word[0], "map") == 0) return do_map(a, word[1]);
  if (words >= 1 && strcmp(word[0], "merge") == 0) return do_merge(a, words - 1, word + 1);
  lab_usage("command", "run FILE, table NAME, map FILE, merge PART.., compare FILE, reactions FILE or --list",
            words > 0 ? word[0] : "none");
  return EXIT_USAGE;
}

/* Work that cannot be written does not begin. */
static bool check_lab_outputs(const struct lab_arguments *a)
{
  return outfile_check("--output", a->run.output) && outfile_check("--summary", a->run.summary) &&
         outfile_check("--json", a->table.json) && outfile_check("--csv", a->map.csv) &&
         outfile_check("--png", a->map.png);
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct lab_arguments a = {0};
  int status = take_arguments(argc, argv, &a);
  if (status < 0 && !check_lab_outputs(&a)) status = EXIT_USAGE;
  if (status < 0) status = do_command(&a, argc - optind, argv + optind);
  free(a.run.sets.text);
  return status;
}
