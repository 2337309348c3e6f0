/* SPDX-License-Identifier: MIT
 * ali3-lab table em: the energy-momentum step beside the product's stepper, on mechanisms with reference solutions.
 *
 * Three iterations a step. Expected are the figures of an independent program, with one or two digits. Demanded is
 * that position error and energy drift of em are at most 1.4 times as large, and that the drift without projection
 * of velocities stays below 1e-7 J. The figure for bricard is what em has after 8 s, in all its forms here; after 10
 * s it is 9.1e-6 J.
 */
#include "lab_tool.h"

#include <math.h>

struct em_row {
  const char *model, *em, *product; /* integrators */
  double duration, dt;              /* s */
  double error, drift;              /* figures of em: m, J; NAN: no figure, so no demand */
  double free_drift;                /* J without projection of velocities; NAN: breaks down, or not known */
};

static const struct em_row em_rows[] = {
    {"spatial_double_pendulum", "nr", "step", 10, 0.01, 2.5e-3, 1.6e-4, 1e-7},
    {"chain_2", "nr", "step", 5, 0.01, 1.6e-3, 5e-5, 1e-7},
    {"chain_4", "nr", "step", 5, 0.01, 6.1e-3, 9e-4, 1e-7},
    {"chain_8", "nr", "step", 5, 0.01, 9.1e-3, 3e-3, 1e-7},
    {"bricard", "nr", "step", 10, 0.01, 4.8e-4, 7e-6, 1e-7},
    {"five_bar_asym", "nr", "step", 10, 0.01, 6.8e-4, 1.5e-5, 1e-7},
    {"double_loop", "nr", "step", 10, 0.01, 1.5e-3, 2.4e-4, 1e-7},
    {"four_bar", "nr", "step", 30, 0.01, 6.1e-3, 7e-4, NAN},
    {"slider_crank", "nr", "step", 10, 0.01, 2.4e-2, 7e-3, NAN},
    {"double_four_bar", "nr", "step", 10, 0.01, 1.4e-2, 3.4e-3, NAN},
    {"chain_128", "nr", "step", 10, 0.01, NAN, 1.1, NAN},
    {"chain_4", "nrx", "stepx", 5, 0.01, NAN, 1.6e-4, NAN},
    {"chain_16", "nrx", "stepx", 5, 0.01, NAN, 6e-4, NAN},
    {"chain_128", "nrx", "stepx", 10, 0.01, NAN, 0.25, NAN},
    {"spatial_double_pendulum", "nrx3", "stepx", 10, 0.01, NAN, NAN, NAN},
    {"bricard", "nrx3", "stepx", 10, 0.01, NAN, NAN, NAN},
    {"chain_4", "nrx3", "stepx", 5, 0.01, NAN, NAN, NAN},
    {"chain_16", "nrx3", "stepx", 5, 0.01, NAN, NAN, NAN},
};
enum { EM_ROWS = sizeof em_rows / sizeof *em_rows, EM_ITERATIONS = 3, FREE_ITERATIONS = 12 };

struct em_figure {
  struct lab_result run;
  double error; /* largest of a position or Euler parameter over the samples of the reference */
};

struct em_outcome {
  struct em_figure em, unprojected, product;
  bool has_unprojected, demanded, holds;
};

struct em_count {
  int demanded, held; /* rows */
};

struct em_view {
  const struct reference *reference;
  double error;
};

static bool compare_sample(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct em_view *v = user;
  const long row = reference_row(v->reference, sample->time);
  if (row >= 0) {
    const double error = reference_error(v->reference, row, s);
    if (!(error <= v->error)) v->error = error;
  }
  return !interrupted();
}

static void run_em_figure(const struct em_row *row, const struct problem *p,
                          const struct reference *reference, const char *method, const char *integrator,
                          int iterations, struct em_figure *o)
{
  struct em_view view = {.reference = reference};
  const struct lab_watch watch = {.user = &view, .step = compare_sample};
  struct lab_run r = lab_run_default();
  r.formulation = lab_find_formulation(method);
  r.integrator = lab_find_integrator(integrator);
  r.duration = row->duration;
  r.dt = row->dt;
  r.alpha = 1e9;
  r.tolerance = 0;
  r.iterations = iterations;
  lab_run(p, &r, &watch, &o->run);
  o->error = view.error;
}

static void run_em_row(const struct em_row *row, const struct problem *p, const struct reference *reference,
                       struct em_outcome *o)
{
  enum { LARGEST_FREE = 32 }; /* bodies: without projection the runs are for exactness, not for time */
  *o = (struct em_outcome){.has_unprojected = !isnan(row->free_drift) && p->bodies <= LARGEST_FREE,
                           .demanded = !isnan(row->drift)};
  run_em_figure(row, p, reference, "em", row->em, EM_ITERATIONS, &o->em);
  run_em_figure(row, p, reference, "product", row->product, EM_ITERATIONS, &o->product);
  if (o->has_unprojected)
    run_em_figure(row, p, reference, "em-unprojected", row->em, FREE_ITERATIONS, &o->unprojected);
  o->holds = o->em.run.status == LAB_OK && (isnan(row->drift) || o->em.run.drift <= 1.4 * row->drift) &&
             (isnan(row->error) || o->em.error <= 1.4 * row->error) &&
             (!o->has_unprojected || o->unprojected.run.drift <= row->free_drift);
}

static void print_em_row(FILE *out, const struct em_row *row, const struct em_outcome *o)
{
  char error[16] = "-", drift[16] = "-", unprojected[16] = "-";
  if (!isnan(row->error)) snprintf(error, sizeof error, "%.2g", row->error);
  if (!isnan(row->drift)) snprintf(drift, sizeof drift, "%.2g", row->drift);
  if (o->has_unprojected) snprintf(unprojected, sizeof unprojected, "%.2g", o->unprojected.run.drift);
  fprintf(out, "%-23s %-4s %2g | %9s %9.3g %9.3g %6.3f | %9s %9.3g %9.3g %6.3f | %9s | %s\n", row->model,
          row->em, row->duration, error, o->em.error, o->product.error, o->em.error / o->product.error, drift,
          o->em.run.drift, o->product.run.drift, o->em.run.drift / o->product.run.drift, unprojected,
          !o->holds     ? "not reproduced"
          : o->demanded ? "reproduced"
                        : "no figure");
  fflush(out);
}

static json_t *em_to_json(const struct em_row *row, const struct em_outcome *o)
{
  return json_pack("{s:s, s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "model", row->model,
                   "integrator", row->em, "dt", row->dt, "duration", row->duration, "error_expected",
                   json_number(row->error), "error", json_number(o->em.error), "product_error",
                   json_number(o->product.error), "drift_expected", json_number(row->drift), "drift",
                   json_number(o->em.run.drift), "product_drift", json_number(o->product.run.drift),
                   "unprojected_drift", json_number(o->has_unprojected ? o->unprojected.run.drift : NAN),
                   "holds", o->holds);
}

static bool do_em_row(const struct table_options *options, const struct em_row *row, json_t *list,
                      struct em_count *count)
{
  struct model_file *f = reference_model_open(options, row->model);
  struct reference *reference = f ? reference_motion_open(options, row->model, model_file_model(f)) : NULL;
  struct problem p;
  const bool good = reference && model_file_problem(f, &description_absolute, &p);
  /* Run and compare. */
  if (good) {
    struct em_outcome o;
    run_em_row(row, &p, reference, &o);
    problem_free(&p);
    if (!interrupted()) {
      print_em_row(table_lines(options), row, &o);
      json_array_append_new(list, em_to_json(row, &o));
      count->demanded += o.demanded;
      count->held += o.demanded && o.holds;
    }
  }
  reference_close(reference);
  model_file_close(f);
  return good;
}

int table_em(const struct table_options *options)
{
  FILE *out = table_lines(options);
  json_t *list = json_array();
  struct progress progress = progress_start();
  struct em_count count = {0};
  bool good = true;
  catch_signals();
  fprintf(out, "energy-momentum step (em) beside the product's stepper: 10 ms, %d iterations\n",
          EM_ITERATIONS);
  fprintf(out, "expected: an independent program, but bricard: this program after 8 s; at most 1.4 times as "
               "much holds\n");
  fprintf(out, "%-31s | %-36s | %-36s | %-9s |\n", "", "largest position error, m", "energy drift, J",
          "drift em");
  fprintf(out, "%-23s %-4s %2s | %9s %9s %9s %6s | %9s %9s %9s %6s | %9s | %s\n", "model", "int", "s",
          "expected", "em", "product", "ratio", "expected", "em", "product", "ratio", "unproj.", "verdict");
  /* The rows and the verdict, as text and as JSON. */
  for (int i = 0; i < EM_ROWS && good && !interrupted(); i++) {
    progress_show(&progress, (double)i / EM_ROWS, em_rows[i].model);
    good = do_em_row(options, &em_rows[i], list, &count);
    progress_end(&progress);
  }
  if (good)
    fprintf(out, "%d of %d demanded rows hold%s\n", count.held, count.demanded,
            interrupted() ? "; interrupted" : "");
  const bool written = !options->json || json_write("--json", options->json, json_incref(list));
  json_decref(list);
  if (!good) return EXIT_USAGE;
  return written && !interrupted() && count.held == count.demanded ? EXIT_GOOD : EXIT_RUN;
}
