/* SPDX-License-Identifier: MIT
 * ali3-lab table p5: the mechanisms of paper 5, which has plots only. Their ode45 runs are compared with an
 * independent program, step by step in number, and with reference positions.
 *
 * Demanded: steps within 5 % of the independent program's; with projections all violations below 1e-13, without
 * below 5e-6; centres of mass within 5e-6 m of the reference at 5 s and 10 s; energy drift below 1e-4 J. */
#include "lab_tool.h"

#include <math.h>

enum { P5_BODIES = 8, P5_TIMES = 2 };

struct p5_case {
  const char *model;
  int bodies;
  double centre[P5_TIMES][P5_BODIES][2]; /* m, x and y at 5 s and 10 s, of the reference */
};

static const struct p5_case p5_cases[] = {
    {"five_bar",
     4,
     {{{-0.123947323372328, -0.0970902966485382},
       {-0.0739473233723281, -0.261499189287102},
       {0.0739473233723281, -0.261499189287102},
       {0.123947323372328, -0.0970902966485382}},
      {{-0.102168779849568, -0.0999764792036812},
       {-0.0521687798495666, -0.285266605668555},
       {0.0521687798495717, -0.285266605668555},
       {0.10216877984957, -0.0999764792036812}}}},
    {"five_bar_asym",
     4,
     {{{-0.0895950257088183, -0.0994572094420502},
       {-0.00619746961827215, -0.26726705601145},
       {0.128603616363468, -0.257008569175729},
       {0.145206060272922, -0.0891987226063295}},
      {{-0.134395653094508, -0.0938985572210898},
       {-0.102988809641019, -0.263096725650012},
       {0.0349451201066311, -0.269135551816351},
       {0.103538276653142, -0.0999373833874283}}}},
    {"double_loop",
     8,
     {{{-0.0529522246648164, -0.0882411855995266},
       {-0.00867322992210444, -0.276444033120165},
       {0.0348304145838935, -0.287755468445366},
       {0.0905514198411815, -0.0995526209247269},
       {-0.0183293732306789, -0.47616823427729},
       {0.0712654096293406, -0.549640174717764},
       {0.0935257064323805, -0.456333778048101},
       {0.0502033486708305, -0.294211611011715}},
      {{-0.0710482234992188, -0.0957172640512087},
       {-0.0182968890144675, -0.288561151845692},
       {0.0408105476748345, -0.29212841634934},
       {0.0880592131900833, -0.0992845285548565},
       {-0.0249321263141788, -0.480943868496667},
       {0.0445718816001396, -0.579697905850966},
       {0.106260796088922, -0.49080025509015},
       {0.0720646668799358, -0.298486858496224}}}},
};
enum { P5_CASES = sizeof p5_cases / sizeof *p5_cases };

static const struct p5_row {
  int model; /* in p5_cases */
  const char *method;
  long steps, calls; /* of the independent program */
  bool projected;
} p5_rows[] = {
    {0, "al1-dca", 111, 673, false},  {0, "al1-dca-projected", 101, 708, true},
    {1, "al1-dca", 156, 961, false},  {1, "al1-dca-projected", 147, 1054, true},
    {2, "al1-dca", 234, 1453, false}, {2, "al1-dca-projected", 223, 1574, true},
};
enum { P5_ROWS = sizeof p5_rows / sizeof *p5_rows };

static const double p5_duration[P5_TIMES] = {5, 10}; /* s */

struct p5_outcome {
  struct lab_result run; /* of 10 s */
  double error[P5_TIMES];
  bool holds;
};

struct p5_view {
  const struct p5_case *model;
  double at[P5_BODIES][2]; /* where the bodies are now */
};

static bool follow_centres(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct p5_view *v = user;
  (void)sample;
  for (int i = 0; i < v->model->bodies; i++) {
    struct lab_body body;
    lab_body_get(s, i, &body);
    v->at[i][0] = body.position[0];
    v->at[i][1] = body.position[1];
  }
  return !interrupted();
}

static void run_p5_row(const struct p5_row *row, const struct problem *p, struct p5_outcome *o)
{
  const struct p5_case *model = &p5_cases[row->model];
  struct p5_view view = {.model = model};
  const struct lab_watch watch = {.user = &view, .step = follow_centres};
  struct lab_run r = lab_run_default();
  r.formulation = lab_find_formulation(row->method);
  r.integrator = lab_find_integrator("ode45");
  r.alpha = 1e6;
  r.omega = r.xi = 1; /* Omega and mu; with projections they do not enter */
  r.violations = true;
  for (int k = 0; k < P5_TIMES; k++) {
    r.duration = p5_duration[k];
    o->error[k] = 0;
    lab_run(p, &r, &watch, &o->run);
    for (int i = 0; i < model->bodies; i++)
      o->error[k] = fmax(
          o->error[k], hypot(view.at[i][0] - model->centre[k][i][0], view.at[i][1] - model->centre[k][i][1]));
  }
  const double open = row->projected ? 1e-13 : 5e-6;
  o->holds = o->run.status == LAB_OK && fabs((double)o->run.steps / (double)row->steps - 1) <= 0.05 &&
             o->run.position < open && o->run.velocity < open && o->run.acceleration < open &&
             o->error[0] < 5e-6 && o->error[1] < 5e-6 && o->run.drift < 1e-4;
}

static void print_p5_row(FILE *out, const struct p5_row *row, const struct p5_outcome *o)
{
  fprintf(out,
          "%-14s %-18s | %5ld %5ld %6.3f | %5ld %5ld %6.3f | %5.2f | %8.2g %8.2g %8.2g | %8.2g | %8.2g %8.2g "
          "| %s\n",
          p5_cases[row->model].model, row->method, row->steps, o->run.steps,
          (double)o->run.steps / (double)row->steps, row->calls, o->run.calls,
          (double)o->run.calls / (double)row->calls, (double)o->run.inner / (double)o->run.solves,
          o->run.position, o->run.velocity, o->run.acceleration, o->run.drift, o->error[0], o->error[1],
          o->holds ? "reproduced" : "not reproduced");
  fflush(out);
}

static json_t *p5_to_json(const struct p5_row *row, const struct p5_outcome *o)
{
  return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "model",
                   p5_cases[row->model].model, "method", row->method, "steps_expected",
                   (json_int_t)row->steps, "steps", (json_int_t)o->run.steps, "calls_expected",
                   (json_int_t)row->calls, "calls", (json_int_t)o->run.calls, "updates_mean",
                   (double)o->run.inner / (double)o->run.solves, "position", json_number(o->run.position),
                   "velocity", json_number(o->run.velocity), "acceleration", json_number(o->run.acceleration),
                   "drift", json_number(o->run.drift), "error_5s", json_number(o->error[0]), "error_10s",
                   json_number(o->error[1]), "holds", o->holds);
}

static bool do_p5_row(const struct table_options *options, const struct p5_row *row, json_t *list, int *held)
{
  /* The model must be the one of the paper. */
  struct model_file *f = case_open(options, p5_cases[row->model].model);
  struct problem p;
  struct p5_outcome o;
  bool good = f && model_file_problem(f, &description_absolute, &p);
  if (good && p.bodies != p5_cases[row->model].bodies) {
    fprintf(stderr, "ali3-lab: %s: expected %d bodies, found %d\n", p5_cases[row->model].model,
            p5_cases[row->model].bodies, p.bodies);
    problem_free(&p);
    good = false;
  }
  /* Run and compare. */
  if (good) {
    run_p5_row(row, &p, &o);
    problem_free(&p);
    if (!interrupted()) print_p5_row(table_lines(options), row, &o);
    json_array_append_new(list, p5_to_json(row, &o));
    *held += o.holds;
  }
  model_file_close(f);
  return good;
}

int table_p5(const struct table_options *options)
{
  FILE *out = table_lines(options);
  json_t *list = json_array();
  int held = 0;
  bool good = true;
  catch_signals();
  /* The head. */
  fprintf(out, "paper 5: index-1 augmented Lagrangian DCA, ode45 at 1e-6, alpha 1e6, 10 s\n"
               "expected: steps and calls of an independent program; errors are from references; the paper "
               "has plots only\n");
  fprintf(out, "%-14s %-18s | %-18s | %-18s | %-5s | %-26s | %-8s | %-17s |\n", "", "", "steps", "calls",
          "multi", "largest violation", "energy", "error, m");
  fprintf(out, "%-14s %-18s | %5s %5s %6s | %5s %5s %6s | %5s | %8s %8s %8s | %8s | %8s %8s | %s\n", "model",
          "method", "exp.", "ours", "ratio", "exp.", "ours", "ratio", "plier", "Phi", "Phi'", "Phi''",
          "drift, J", "5 s", "10 s", "verdict");
  /* The rows and the verdict, as text and as JSON. */
  for (int i = 0; i < P5_ROWS && good && !interrupted(); i++)
    good = do_p5_row(options, &p5_rows[i], list, &held);
  if (good)
    fprintf(out, "%d of %d demanded rows hold%s\n", held, (int)P5_ROWS, interrupted() ? "; interrupted" : "");
  const bool written = !options->json || json_write("--json", options->json, json_incref(list));
  json_decref(list);
  if (!good) return EXIT_USAGE;
  return written && held == P5_ROWS ? EXIT_GOOD : EXIT_RUN;
}
