/* SPDX-License-Identifier: MIT
 * ali3-lab table p3-1, p3-2, p3-3: the tables of paper 3, cell by cell. A cell is a formulation, an integrator and
 * parameters by which the paper keeps the energy of a 10 s run within a limit.
 *
 * A cell that is smooth in its parameters must have a drift within 2 % of that of an independent program, and under
 * the paper's limit. The motion before the first singular position must be off by what this program found, within 5 %: a
 * mechanism with other masses or lengths may keep its energy as well. A chaotic cell, whose drift is decided at passes
 * of singular positions, must have 60 of 100 runs with perturbed initial velocities under the limit. Two cells of
 * explicit Euler do not reproduce, and are printed as such. */
#include "lab_tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum cell_class { CELL_SMOOTH, CELL_CHAOTIC, CELL_NOT_REPRODUCED };

struct p3_cell {
  int table;
  const char *formulation, *integrator;
  double dt_ms, alpha, omega, xi, tolerance;
  double drift; /* J, of the independent program */
  double error; /* m, of the motion at early_time, of this program */
  enum cell_class class;
  double paper_us; /* of a step, on a Core i7-4790K */
  bool norm_qp; /* iterations stop by the norm of (q, p): by that of q, as printed, the cell does not hold */
  const char *note; /* where it is not run as printed */
};

static const double drift_limit[] = {0, 0.1, 1e-3, 0.1}; /* J, of each table */
static const double early_time[] = {0, 0.3, 0.3, 0.6};   /* s, before the first singular position */
static const char *const case_model[] = {"", "slider_crank", "slider_crank", "double_four_bar"};

static const struct p3_cell p3_cells[] = {
    {1, "penalty", "fe", 0.02, 1e8, 25, 1, 0, 0.126, 5.82e-6, CELL_NOT_REPRODUCED, 3.1, false, NULL},
    {1, "al1", "fe", 0.01, 1e7, 10, 1, 0, 0.0545, 2.33e-6, CELL_SMOOTH, 3.8, false, NULL},
    {1, "penalty", "si", 2, 1e8, 250, 1, 0, 0.0923, 1.54e-3, CELL_SMOOTH, 4.0, false, NULL},
    {1, "al1", "si", 2, 1e8, 250, 1, 0, 0.0923, 1.54e-3, CELL_SMOOTH, 6.0, false, NULL},
    {1, "hamiltonian", "fe", 2, 1e9, 0.1, 1000, 0, 0.0765, 1.55e-3, CELL_SMOOTH, 4.0, false, NULL},
    {2, "penalty", "si", 0.02, 1e8, 250, 1, 0, 8.78e-4, 1.54e-5, CELL_SMOOTH, 3.1, false, NULL},
    {2, "al1", "si", 0.02, 1e7, 250, 1, 0, 8.78e-4, 1.54e-5, CELL_SMOOTH, 3.9, false, NULL},
    {2, "hamiltonian", "fe", 0.02, 1e9, 0.1, 1000, 0, 7.49e-4, 1.56e-5, CELL_SMOOTH, 4.2, false, NULL},
    {2, "penalty", "tr", 0.1, 1e7, 1000, 1, 1e-7, 1.60e-5, 6.32e-9, CELL_SMOOTH, 3.3, false, NULL},
    {2, "al1", "tr", 1, 1e7, 200, 1, 1e-7, 8.73e-4, 5.26e-7, CELL_SMOOTH, 6.0, false, NULL},
    {2, "hamiltonian", "tr", 2, 1e9, 0.1, 2000, 1e-7, 8.00e-4, 1.53e-6, CELL_CHAOTIC, 26.0, false, NULL},
    {2, "al1", "nr", 1, 1e7, 500, 0.7, 1e-7, 9.57e-4, 7.05e-7, CELL_SMOOTH, 7.0, false, NULL},
    {2, "hamiltonian", "nr", 2, 1e8, 1, 1e5, 1e-9, 8.6e-4, 1.51e-6, CELL_SMOOTH, 28.0, false,
     "tolerance 1e-9 in place of 1e-7"},
    {2, "ali3", "nr", 1, 1e9, 0, 0, 1e-5, 7.16e-4, 5.07e-7, CELL_SMOOTH, 7.0, false, NULL},
    {3, "penalty", "fe", 0.02, 1e7, 30, 1, 0, 0.260, 5.5e-5, CELL_NOT_REPRODUCED, 5, false, NULL},
    {3, "al1", "fe", 0.005, 1e7, 10, 1, 0, 0.0657, 1.65e-5, CELL_SMOOTH, 6, false, NULL},
    {3, "penalty", "si", 1, 1e8, 400, 1, 0, 0.0970, 3.77e-5, CELL_SMOOTH, 6, false, NULL},
    {3, "al1", "si", 1, 1e8, 400, 1, 0, 0.0970, 3.77e-5, CELL_SMOOTH, 8, false, NULL},
    {3, "hamiltonian", "fe", 1, 1e9, 0.1, 1000, 0, 0.0954, 4.07e-5, CELL_SMOOTH, 7, false, NULL},
    {3, "penalty", "tr", 5, 1e8, 25, 1, 1e-7, 0.112, 1.28e-5, CELL_CHAOTIC, 20, false, NULL},
    {3, "al1", "tr", 5, 1e8, 20, 1, 1e-7, 0.0768, 1.56e-5, CELL_CHAOTIC, 25, false, NULL},
    {3, "hamiltonian", "tr", 5, 1e9, 0.1, 1000, 1e-7, 0.0133, 3.62e-6, CELL_CHAOTIC, 50, true,
     "norm of (q, p) in place of q"},
    {3, "al1", "nr", 5, 1e7, 100, 1, 1e-7, 0.0404, 5.17e-6, CELL_SMOOTH, 25, false, NULL},
    {3, "hamiltonian", "nr", 5, 1e8, 1, 1e4, 1e-7, 0.0103, 2.59e-6, CELL_SMOOTH, 40, false, NULL},
    {3, "ali3", "nr", 10, 1e9, 0, 0, 1e-7, 0.0916, 2.07e-5, CELL_SMOOTH, 20, false, NULL},
};
enum { P3_CELLS = sizeof p3_cells / sizeof *p3_cells };

struct cell_outcome {
  struct lab_result run;
  double error;   /* m, at early_time */
  bool printed;   /* run as the paper prints it, and under its limit */
  int runs, good; /* perturbed ones, and those under the limit */
  bool demanded, holds;
  char verdict[48];
};

static struct lab_run cell_run(const struct p3_cell *cell)
{
  struct lab_run r = lab_run_default();
  r.formulation = lab_find_formulation(cell->formulation);
  r.integrator = lab_find_integrator(cell->integrator);
  r.dt = 1e-3 * cell->dt_ms;
  r.alpha = cell->alpha;
  r.omega = cell->omega;
  r.xi = cell->xi;
  r.tolerance = cell->tolerance;
  r.norm_qp = cell->norm_qp;
  return r;
}

static bool within_limit(const struct lab_result *r, double limit)
{
  return r->status == LAB_OK && r->drift <= limit;
}

/* A number in -1 .. 1 that depends on the index alone (splitmix64). */
static double perturbation_of(int index)
{
  uint64_t x = ((uint64_t)index + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-52 - 1;
}

static bool early_motion_holds(const struct p3_cell *cell, const struct cell_outcome *o)
{
  return fabs(o->error - cell->error) <= 0.05 * cell->error + 2e-8;
}

static void judge_cell(const struct p3_cell *cell, struct cell_outcome *o)
{
  const double limit = drift_limit[cell->table];
  const bool near = fabs(o->run.drift / cell->drift - 1) <= 0.02;
  const bool motion = early_motion_holds(cell, o);
  o->demanded = cell->class != CELL_NOT_REPRODUCED;
  /* The cell as the paper prints it, then by its class. */
  o->printed = !cell->note && within_limit(&o->run, limit) && motion;
  if (cell->class == CELL_CHAOTIC) {
    o->holds = 10 * o->good >= 6 * o->runs && motion;
    snprintf(o->verdict, sizeof o->verdict, "%s, chaotic %d/%d", o->holds ? "reproduced" : "not reproduced",
             o->good, o->runs);
  } else {
    const bool under = within_limit(&o->run, limit);
    o->holds = under && near && motion;
    const char *word = !under   ? "not reproduced"
                       : !near  ? "another drift"
                       : motion ? "reproduced"
                                : "another motion";
    if (o->runs > 0)
      snprintf(o->verdict, sizeof o->verdict, "%s, %d/%d", word, o->good, o->runs);
    else
      snprintf(o->verdict, sizeof o->verdict, "%s", word);
  }
}

static bool keep_running(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  (void)user, (void)s, (void)sample;
  return !interrupted();
}

static const struct lab_watch until_interrupted = {.step = keep_running};

struct early_view {
  const struct reference *reference;
  double error;
};

static bool find_early_error(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct early_view *v = user;
  if (sample->time >= s->run->duration * (1 - 1e-12))
    v->error = reference_error(v->reference, reference_row(v->reference, s->run->duration), s);
  return !interrupted();
}

static double early_error(const struct p3_cell *cell, const struct problem *p,
                          const struct reference *reference)
{
  struct early_view view = {.reference = reference, .error = NAN};
  const struct lab_watch watch = {.user = &view, .step = find_early_error};
  struct lab_run r = cell_run(cell);
  struct lab_result result;
  r.duration = early_time[cell->table];
  lab_run(p, &r, &watch, &result);
  return view.error;
}

static bool run_cell(const struct table_options *options, const struct p3_cell *cell, const struct problem *p,
                     const struct reference *reference, struct progress *progress, struct cell_outcome *o)
{
  /* The run of the cell. */
  struct lab_run r = cell_run(cell);
  char what[80];
  *o = (struct cell_outcome){0};
  snprintf(what, sizeof what, "p3-%d %s %s %g ms", cell->table, cell->formulation, cell->integrator,
           cell->dt_ms);
  progress_show(progress, 0, what);
  lab_run(p, &r, &until_interrupted, &o->run);
  o->error = early_error(cell, p, reference);
  /* A chaotic cell is judged by many runs, each a little perturbed at the start. */
  const int runs = cell->class == CELL_CHAOTIC || options->ensembles ? options->runs : 0;
  for (; o->runs < runs && !interrupted(); o->runs++) {
    struct lab_result one;
    r.speed = 1 + 1e-3 * perturbation_of(o->runs);
    lab_run(p, &r, &until_interrupted, &one);
    o->good += within_limit(&one, drift_limit[cell->table]);
    progress_show(progress, (double)o->runs / runs, what);
  }
  judge_cell(cell, o);
  return !interrupted();
}

static void print_p3_head(FILE *out, int number)
{
  fprintf(out, "paper 3, table %d: %s, 10 s, energy drift at most %g J\n", number, case_model[number],
          drift_limit[number]);
  fprintf(
      out,
      "the limit is the paper's; expected: the drift by an independent program, the error at %g s by this "
      "program\n",
      early_time[number]);
  fprintf(out, "%-11s %-3s %6s %7s %6s %6s | %9s %9s %6s %6s | %9s %9s | %-26s | %6s %8s %8s %6s\n", "method",
          "int", "h ms", "alpha", "omega", "xi", "expected", "drift", "ratio", "limit", "exp., m", "error",
          "verdict", "calls", "paper us", "ours us", "ratio");
}

static void print_p3_cell(FILE *out, const struct p3_cell *cell, const struct cell_outcome *o)
{
  const double steps = (double)o->run.steps, us = 1e6 * o->run.seconds / steps;
  fprintf(out,
          "%-11s %-3s %6g %7g %6g %6g | %9.3g %9.3g %6.3f %6.2f | %9.3g %9.3g | %-26s | %6.2f %8g %8.3g "
          "%6.3f%s%s\n",
          cell->formulation, cell->integrator, cell->dt_ms, cell->alpha, cell->omega, cell->xi, cell->drift,
          o->run.drift, o->run.drift / cell->drift, o->run.drift / drift_limit[cell->table], cell->error,
          o->error, o->verdict, (double)o->run.calls / steps, cell->paper_us, us, us / cell->paper_us,
          cell->note ? "  " : "", cell->note ? cell->note : "");
  fflush(out);
}

static json_t *p3_to_json(const struct p3_cell *cell, const struct cell_outcome *o)
{
  const double steps = (double)o->run.steps;
  return json_pack(
      "{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:s, s:f, s:f, s:o, s:o, s:i, s:i, s:s, s:b, s:b, s:o, s:f, s:o, "
      "s:s, s:f, s:o}",
      "method", cell->formulation, "integrator", cell->integrator, "dt", 1e-3 * cell->dt_ms, "alpha",
      cell->alpha, "omega", cell->omega, "xi", cell->xi, "tolerance", cell->tolerance, "norm",
      cell->norm_qp ? "qp" : "q", "limit", drift_limit[cell->table], "drift_expected", cell->drift, "drift",
      json_number(o->run.drift), "final", json_number(o->run.final - o->run.initial), "perturbed_runs",
      o->runs, "perturbed_good", o->good, "verdict", o->verdict, "demanded", o->demanded, "holds", o->holds,
      "calls_per_step", json_number((double)o->run.calls / steps), "paper_step_us", cell->paper_us, "step_us",
      json_number(1e6 * o->run.seconds / steps), "note", cell->note ? cell->note : "", "error_expected",
      cell->error, "error", json_number(o->error));
}

int table_p3(const struct table_options *options, int number)
{
  struct model_file *f = case_open(options, case_model[number]);
  struct reference *reference =
      f ? reference_motion_open(options, case_model[number], model_file_model(f)) : NULL;
  struct problem p;
  if (!reference || !model_file_problem(f, &description_natural, &p)) {
    reference_close(reference);
    model_file_close(f);
    return EXIT_USAGE;
  }
  /* All cells of this table. */
  json_t *list = json_array();
  struct progress progress = progress_start();
  int demanded = 0, held = 0, printed = 0, cells = 0;
  bool whole = true;
  catch_signals();
  print_p3_head(table_lines(options), number);
  for (int i = 0; i < P3_CELLS && whole; i++) {
    struct cell_outcome o;
    if (p3_cells[i].table != number) continue;
    whole = run_cell(options, &p3_cells[i], &p, reference, &progress, &o);
    progress_end(&progress);
    if (!whole) break;
    print_p3_cell(table_lines(options), &p3_cells[i], &o);
    json_array_append_new(list, p3_to_json(&p3_cells[i], &o));
    cells++;
    printed += o.printed;
    demanded += o.demanded;
    held += o.demanded && o.holds;
  }
  /* The verdict, as text and as JSON. */
  fprintf(table_lines(options), "%d of %d demanded cells hold; times are never demanded%s\n", held, demanded,
          whole ? "" : "; interrupted");
  fprintf(table_lines(options),
          "%d of the paper's %d cells are within its limit as printed; %d with the other stop rules of the "
          "last column, and "
          "perturbed runs for chaotic cells\n",
          printed, cells, held);
  problem_free(&p);
  reference_close(reference);
  model_file_close(f);
  const bool written = !options->json || json_write("--json", options->json, json_incref(list));
  json_decref(list);
  return whole && written && held == demanded ? EXIT_GOOD : EXIT_RUN;
}
