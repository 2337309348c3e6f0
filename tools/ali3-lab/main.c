/* SPDX-License-Identifier: MIT
 * ali3-lab: commands and options. */
#include "command/command_line.h"
#include "common/output.h"
#include "common/shards.h"
#include "lab_tool.h"

#include "outfile/outfile.h"

#include <float.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct lab_arguments {
  struct run_options run;
  int momenta; /* --norm qp */
  struct table_options table;
  struct map_options map;
  struct compare_options compare;
  struct reactions_options reactions;
  uint64_t given; /* bit i: option i */
};

static bool take_formulation(char *word, void *options);
static bool take_integrator(char *word, void *options);
static bool take_lab_coordinates(char *word, void *options);
static bool take_axis(char *word, void *options);
static bool take_map_shard(char *word, void *options);

static int end_with_list(char *word)
{
  (void)word;
  print_methods();
  return EXIT_GOOD;
}

/* A map takes these options of a run, too. The other commands have their own. */
#define PARAMETER_NAMES                                                                                      \
  "method integrator coordinates duration dt alpha omega xi reset tolerance norm iterations substeps rtol "  \
  "atol set signals every "
#define RUN_NAMES       PARAMETER_NAMES "output summary"
#define TABLE_NAMES     "runs all-runs models references json"
#define MAP_NAMES       "grid csv shard resume png limit"
#define NAMED_MAP_NAMES TABLE_NAMES " csv shard resume png limit"
#define COMPARE_NAMES   "duration set json csv png methods reference budget quiet"
#define REACTIONS_NAMES "duration dt set csv png methods reference joint component"

#define COMMAND_REAL(FIELD, NAME, VALUE, LEAST, TEXT)                                                        \
  COMMAND_NUMBER(struct lab_arguments, FIELD, NAME, VALUE, LEAST, DBL_MAX, TEXT)

static const struct command_option lab_list[] = {
    /* run */
    COMMAND_HEADING("run: one run of one formulation."),
    COMMAND_OTHER(take_formulation, "method", "NAME", "formulation; --list shows all"),
    COMMAND_OTHER(take_integrator, "integrator", "NAME",
                  "fe, si, tr, nr, nrx, nrx3, ode45, ode23, ode113, step, substeps, stepx; --list says which "
                  "go with which formulation"),
    COMMAND_OTHER(take_lab_coordinates, "coordinates", "NAME",
                  "natural, absolute or joint (default: the formulation's own, else natural)"),
    COMMAND_REAL(
        run.run.duration, "duration", "S", DBL_MIN,
        "simulated seconds; of compare: when errors are measured (default: simulation.duration of the "
        "file, else 10)"),
    COMMAND_REAL(run.run.dt, "dt", "S", DBL_MIN, "step in seconds (default: 0.001)"),
    COMMAND_REAL(run.run.alpha, "alpha", "A", DBL_MIN, "penalty (default: 1e7)"),
    COMMAND_REAL(run.run.omega, "omega", "W", 0, "natural frequency of the stabilisation, 1/s (default: 10)"),
    COMMAND_REAL(run.run.xi, "xi", "X", 0, "its damping ratio (default: 1)"),
    COMMAND_REAL(run.run.reset, "reset", "S", DBL_MIN,
                 "impulses of hdca and hamiltonian start at 0 again after each S seconds"),
    COMMAND_REAL(run.run.tolerance, "tolerance", "E", DBL_MIN,
                 "iterations end when an increment is smaller (default: 1e-7)"),
    COMMAND_WORD(struct lab_arguments, momenta, "norm", "q|qp", "q or qp",
                 "increments are measured in q, or in q and momenta (default: q)"),
    COMMAND_COUNT(struct lab_arguments, run.run.iterations, "iterations", "N", 1, 10000,
                  "iterations of a step at most (default: 50)"),
    COMMAND_COUNT(struct lab_arguments, run.run.substeps, "substeps", "N", 1, 1000,
                  "inner steps of a step of product with substeps (default: 2)"),
    COMMAND_REAL(run.run.rtol, "rtol", "R", DBL_MIN,
                 "relative tolerance of ode45, ode23 and ode113 (default: 1e-6)"),
    COMMAND_REAL(run.run.atol, "atol", "A", DBL_MIN, "their absolute tolerance (default: 1e-6)"),
    COMMAND_TEXTS(struct lab_arguments, run.sets, "set", "KEY=VALUE",
                  "put VALUE into the file at the path KEY, e.g. model.bodies.A.mass=3; may be given several "
                  "times; map, compare and reactions take it, too"),
    COMMAND_TEXT(struct lab_arguments, run.output, "output", "FILE",
                 "write signals as CSV; - for standard output"),
    COMMAND_TEXT(struct lab_arguments, run.signals, "signals", "GLOB,..",
                 "only the signals that match (default: all)"),
    COMMAND_LONG(struct lab_arguments, run.every, "every", "N", 1, DBL_MAX,
                 "write every N-th step (default: 1); the first row is t = 0"),
    COMMAND_TEXT(struct lab_arguments, run.summary, "summary", "FILE",
                 "write the figures of the run as JSON; - for standard output"),
    /* table */
    COMMAND_HEADING("table: computes a table of a paper anew, and compares: em, p1, p2-calls, p2-accuracy, "
                    "p2-time, p3-1, p3-2, p3-3, p4-oscillator, p5."),
    COMMAND_COUNT(struct lab_arguments, table.runs, "runs", "N", 1, 100000,
                  "runs with perturbed velocities of a cell that is chaotic (default: 100)"),
    COMMAND_SWITCH(struct lab_arguments, table.ensembles, "all-runs",
                   "perturbed runs of every cell, for the record: minutes"),
    COMMAND_TEXT(struct lab_arguments, table.models, "models", "FOLDER",
                 "where the models of the cases are (default: as installed)"),
    COMMAND_TEXT(struct lab_arguments, table.references, "references", "FOLDER",
                 "where the reference solutions are (default: as installed)"),
    COMMAND_TEXT(struct lab_arguments, table.json, "json", "FILE",
                 "write the table, or the runs of compare, as JSON; - for standard output"),
    /* map, and the files that the last commands write, too */
    COMMAND_HEADING(
        "map: the energy drift over a grid of parameters; takes the options of run beside its own.\n"
        "     p3-fig9, p3-fig10, p3-fig11, p3-fig12, p3-fig12-qp or p3-fig13 in place of FILE is a map of "
        "paper "
        "3.\n"
        "merge: puts the files of all shards together, in the order of the points; takes --grid for --png."),
    COMMAND_OTHER(take_axis, "grid", "AXIS",
                  "NAME=FROM:TO:COUNT or NAME=FROM:TO:COUNT:log; NAME is alpha, omega, xi or dt; one or two"),
    COMMAND_TEXT(struct lab_arguments, map.csv, "csv", "FILE",
                 "a line for each point; of compare for each run, of reactions for each step"),
    COMMAND_OTHER(take_map_shard, "shard", "K/N",
                  "only points K, K + N, .. (K from 0); the lines are the same for any N"),
    COMMAND_SWITCH(struct lab_arguments, map.resume, "resume", "go on with FILE where it ends"),
    COMMAND_TEXT(struct lab_arguments, map.png, "png", "FILE",
                 "a picture of the map, or of the runs, by gnuplot"),
    COMMAND_REAL(map.limit, "limit", "J", DBL_MIN,
                 "white dots in the picture: drift above it (default: 0.1)"),
    /* compare and reactions */
    COMMAND_HEADING("compare: error over calls and over time, of all methods that take the model; with "
                    "--duration, --set, --csv, --json and --png."),
    COMMAND_TEXT(struct lab_arguments, compare.reference, "reference", "FILE",
                 "CSV with the exact motion, or reaction (default: a fine solution of its own)"),
    COMMAND_TEXT(struct lab_arguments, compare.methods, "methods", "GLOB,..",
                 "NAME or NAME/INTEGRATOR (default: all but oracles)"),
    COMMAND_REAL(compare.budget, "budget", "S", DBL_MIN, "of one run (default: 1)"),
    COMMAND_SWITCH(struct lab_arguments, compare.quiet, "quiet", "no line for each run"),
    COMMAND_HEADING("reactions: the reaction of a joint over time by all formulations, beside the exact one; "
                    "with --dt, --duration, --set, --methods, --reference, --csv and --png."),
    COMMAND_TEXT(struct lab_arguments, reactions.joint, "joint", "NAME", "joint of the model"),
    COMMAND_TEXT(struct lab_arguments, reactions.component, "component", "NAME",
                 "force.x, force.y, force.z, torque.x, torque.y or torque.z (default: force.y)"),
    COMMAND_HEADING("All:"),
    COMMAND_END(end_with_list, "list", NULL,
                "print formulations and integrators, and which go with which; so does the command list"),
    {0},
};
static const struct command_line lab_command = {
    .name = "ali3-lab",
    .head =
        "Usage: ali3-lab run FILE --method NAME --integrator NAME [OPTION]...\n"
        "       ali3-lab table NAME [OPTION]...\n"
        "       ali3-lab map FILE --method NAME --integrator NAME --grid AXIS [--grid AXIS] --csv FILE\n"
        "                [OPTION]...\n"
        "       ali3-lab merge PART... --csv FILE\n"
        "       ali3-lab compare FILE [OPTION]...\n"
        "       ali3-lab reactions FILE --joint NAME [OPTION]...\n"
        "       ali3-lab --list\n"
        "Runs the formulations of multibody dynamics that the papers compare, each on the same model file.\n",
    .tail =
        "Exit status: 0 the run went to its end, every cell of the table that is demanded holds; 1 the run "
        "failed or was interrupted (finished parts are written), a demanded cell does not hold; 2 wrong "
        "usage, a mistake in a file, or a model that the formulation has no coordinates for.\n",
    .option = lab_list,
    .wrong = EXIT_USAGE,
    .given = offsetof(struct lab_arguments, given)};

static bool lab_usage(const char *option, const char *expected, const char *found)
{
  return command_wrong(&lab_command, option, expected, found);
}

static bool take_formulation(char *word, void *options)
{
  struct lab_run *r = &((struct lab_arguments *)options)->run.run;
  r->formulation = lab_find_formulation(word);
  return r->formulation || lab_usage("--method", "a formulation of ali3-lab --list", word);
}

static bool take_integrator(char *word, void *options)
{
  struct lab_run *r = &((struct lab_arguments *)options)->run.run;
  r->integrator = lab_find_integrator(word);
  return r->integrator || lab_usage("--integrator", "an integrator of ali3-lab --list", word);
}

static bool take_lab_coordinates(char *word, void *options)
{
  struct run_options *o = &((struct lab_arguments *)options)->run;
  o->kind = lab_find_description(word);
  return o->kind || lab_usage("--coordinates", "natural, absolute or joint", word);
}

/* The grid: one or two axes. */
static bool take_axis(char *word, void *options)
{
  struct map_options *o = &((struct lab_arguments *)options)->map;
  if (o->axes < 2 && map_read_axis(word, &o->axis[o->axes])) {
    o->axes++;
    return true;
  }
  return lab_usage("--grid", "alpha, omega, xi or dt as NAME=FROM:TO:COUNT[:log], twice at most", word);
}

static bool take_map_shard(char *word, void *options)
{
  struct map_options *o = &((struct lab_arguments *)options)->map;
  return shard_read(word, &o->shard, &o->shards) || lab_usage("--shard", "K/N with K from 0 to N - 1", word);
}

static bool has_only(const struct lab_arguments *a, const char *word, const char *names)
{
  return command_only(&lab_command, a, word, names);
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

static bool do_map(struct lab_arguments *a, const char *file, int *status)
{
  a->run.file = file;
  const bool named = map_by_name(file, &a->map, &a->run);
  if (named ? !has_only(a, file, NAMED_MAP_NAMES) : !has_only(a, "map", PARAMETER_NAMES MAP_NAMES))
    return false;
  if (named) a->map.cases = &a->table;
  if ((!named && !check_run(&a->run)) || !check_map(&a->map)) return false;
  *status = map_command(&a->map, &a->run);
  return true;
}

static bool do_merge(struct lab_arguments *a, int files, char **file, int *status)
{
  if (!has_only(a, "merge", MAP_NAMES)) return false;
  if (files < 1) return lab_usage("merge", "files of shards", "none");
  if (!a->map.csv) return lab_usage("--csv", "a file", "none");
  if (a->map.png && a->map.axes == 0) return lab_usage("--png", "--grid as of the map", "none");
  *status = merge_command(&a->map, files, file);
  return true;
}

/* 0 where the file says it. */
static double given_duration(const struct lab_arguments *a)
{
  return command_given(&lab_command, a, "duration") ? a->run.run.duration : 0;
}

static bool do_compare(struct lab_arguments *a, const char *file, int *status)
{
  struct compare_options *o = &a->compare;
  if (!has_only(a, "compare", COMPARE_NAMES)) return false;
  /* Options that other commands have, too. */
  o->file = file;
  o->sets = &a->run.sets;
  o->duration = given_duration(a);
  o->csv = a->map.csv;
  o->png = a->map.png;
  o->json = a->table.json;
  const bool standard[2] = {o->csv && strcmp(o->csv, "-") == 0, o->json && strcmp(o->json, "-") == 0};
  if (standard[0] && standard[1])
    return lab_usage("--csv, --json", "one of them at most on standard output", "both");
  o->lines = standard[0] || standard[1] ? stderr : stdout;
  *status = compare_command(o);
  return true;
}

static bool do_reactions(struct lab_arguments *a, const char *file, int *status)
{
  struct reactions_options *o = &a->reactions;
  if (!has_only(a, "reactions", REACTIONS_NAMES)) return false;
  if (!o->joint) return lab_usage("--joint", "a joint of the model", "none");
  /* Options that other commands have, too. */
  o->file = file;
  o->sets = &a->run.sets;
  o->duration = given_duration(a);
  o->dt = a->run.run.dt;
  o->methods = a->compare.methods;
  o->reference = a->compare.reference;
  o->csv = a->map.csv;
  o->png = a->map.png;
  if (!o->csv && !o->png) return lab_usage("reactions", "--csv or --png", "none");
  *status = reactions_command(o);
  return true;
}

/* Each command refuses the options of the others. False after saying what is wrong. */
static bool do_command(struct lab_arguments *a, int words, char **word, int *status)
{
  const char *command = words > 0 ? word[0] : "none";
  if (words >= 1 && strcmp(command, "merge") == 0) return do_merge(a, words - 1, word + 1, status);
  if (words == 2 && strcmp(command, "compare") == 0) return do_compare(a, word[1], status);
  if (words == 2 && strcmp(command, "reactions") == 0) return do_reactions(a, word[1], status);
  if (words == 2 && strcmp(command, "map") == 0) return do_map(a, word[1], status);
  /* One run, and a table. */
  if (words == 2 && strcmp(command, "run") == 0) {
    a->run.file = word[1];
    if (!has_only(a, command, RUN_NAMES) || !check_run(&a->run)) return false;
    *status = run_command(&a->run);
  } else if (words == 2 && strcmp(command, "table") == 0) {
    a->table.name = word[1];
    if (!has_only(a, command, TABLE_NAMES)) return false;
    *status = table_command(&a->table);
  } else if (words == 1 && strcmp(command, "list") == 0) {
    *status = end_with_list(NULL);
  } else {
    return lab_usage("command",
                     "run FILE, table NAME, map FILE, merge PART.., compare FILE, reactions FILE or --list",
                     command);
  }
  return true;
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
  struct lab_arguments a = {.run = {.every = 1, .run = lab_run_default()},
                            .table = {.runs = 100},
                            .map = {.shards = 1},
                            .compare = {.budget = 1},
                            .reactions = {.component = "force.y"}};
  int status = command_read(&lab_command, argc, argv, &a);
  if (status < 0) {
    a.run.duration_given = command_given(&lab_command, &a, "duration");
    a.run.run.norm_qp = a.momenta;
    /* Nothing begins that cannot be written. */
    if (!check_lab_outputs(&a))
      status = EXIT_USAGE;
    else if (!do_command(&a, argc - optind, argv + optind, &status))
      status = command_refuse(&lab_command);
  }
  free(a.run.sets.text);
  return status;
}
