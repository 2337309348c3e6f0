/* SPDX-License-Identifier: MIT
 * ali3-lab table p1: the mechanisms of paper 1 by the product's own stepper, three iterations a step.
 *
 * The energy of the chain ends at -25 J in the paper: its modified Newton has not converged after three iterations. An
 * independent program that renews the tangent in each iteration comes to -7.7 J. Where the paper has no number, the bounds
 * are those of the product. */
#include "lab_tool.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P1_ROWS = 40 };

struct p1_row {
  const char *what, *unit, *paper; /* paper: its figure, in its words */
  double low, high, found;
  bool holds;
};

struct p1_table {
  const struct table_options *options;
  struct p1_row row[P1_ROWS];
  int rows, held;
  json_t *list;
  struct progress progress;
};

static void demand_figure(struct p1_table *t, const char *what, const char *unit, const char *paper,
                          double low, double high, double found)
{
  FILE *out = table_lines(t->options);
  struct p1_row *r = &t->row[t->rows++];
  *r = (struct p1_row){what, unit, paper, low, high, found, found >= low && found <= high};
  t->held += r->holds;
  progress_end(&t->progress);
  fprintf(out, "%-52s %-4s | %-18s | %10.4g .. %-10.4g | %11.5g | %s\n", what, unit, paper, low, high, found,
          r->holds ? "reproduced" : "not reproduced");
  fflush(out);
  json_array_append_new(t->list,
                        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:b}", "figure", what, "unit", unit,
                                  "paper", paper, "low", json_number(low), "high", json_number(high), "found",
                                  json_number(found), "holds", r->holds));
}

/* Figures of a run. */
struct p1_view {
  const struct reference *reference;
  double error;                 /* largest difference from the reference, m */
  double kinetic, kinetic_time; /* peak, J, s */
  double lowest, last;          /* total energy relative to the start, J */
  double begin;                 /* total energy at the start, J */
  bool began;
};

static bool view_sample(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct p1_view *v = user;
  const double kinetic = sample->energy.kinetic, total = kinetic + sample->energy.potential;
  if (!v->began) v->begin = total;
  v->began = true;
  if (kinetic > v->kinetic) {
    v->kinetic = kinetic;
    v->kinetic_time = sample->time;
  }
  v->last = total - v->begin;
  if (v->last < v->lowest) v->lowest = v->last;
  const long row = v->reference ? reference_row(v->reference, sample->time) : -1;
  if (row >= 0) {
    const double error = reference_error(v->reference, row, s);
    if (!(error <= v->error)) v->error = error;
  }
  return !interrupted();
}

static void run_product(const struct problem *p, double dt, double duration,
                        const struct reference *reference, struct p1_view *view, struct lab_result *result)
{
  const struct lab_watch watch = {.user = view, .step = view_sample};
  struct lab_run r = lab_run_default();
  *view = (struct p1_view){.reference = reference};
  r.formulation = lab_find_formulation("product");
  r.integrator = lab_find_integrator("step");
  r.duration = duration;
  r.dt = dt;
  r.violations = true;
  lab_run(p, &r, &watch, result);
}

/* A model of the references, with its problem and its motion. */
struct p1_case {
  struct model_file *file;
  struct reference *reference;
  struct problem problem;
};

static bool open_p1_case_with(const struct table_options *o, const char *name,
                              const struct command_texts *sets, struct p1_case *c)
{
  *c = (struct p1_case){.file = reference_model_open_with(o, name, sets)};
  if (c->file) c->reference = reference_motion_open(o, name, model_file_model(c->file));
  if (c->reference && model_file_problem(c->file, &description_absolute, &c->problem)) return true;
  reference_close(c->reference);
  model_file_close(c->file);
  return false;
}

static bool open_p1_case(const struct table_options *o, const char *name, struct p1_case *c)
{
  return open_p1_case_with(o, name, NULL, c);
}

static void close_p1_case(struct p1_case *c)
{
  problem_free(&c->problem);
  reference_close(c->reference);
  model_file_close(c->file);
}

/* The force of joint J1 in the rows of the reference. */
struct p1_force {
  double largest, at_peak; /* N: largest length, and y at the first peak */
  double wanted_largest, wanted_at_peak;
  double error; /* N, largest difference */
};
static const double FIRST_PEAK = 0.75; /* s */

static void view_force(const struct p1_case *c, const ali3_joint_state *j, long row, bool peak,
                       struct p1_force *o)
{
  static const char *const name[3] = {"joint.J1.force.x", "joint.J1.force.y", "joint.J1.force.z"};
  double wanted[3], off = 0.0, square = 0.0, wanted_square = 0.0;
  for (int k = 0; k < 3; k++) {
    wanted[k] = reference_value(c->reference, row, reference_column(c->reference, name[k]));
    off += (j->force[k] - wanted[k]) * (j->force[k] - wanted[k]);
    square += j->force[k] * j->force[k];
    wanted_square += wanted[k] * wanted[k];
  }
  o->error = fmax(o->error, sqrt(off));
  o->largest = fmax(o->largest, sqrt(square));
  o->wanted_largest = fmax(o->wanted_largest, sqrt(wanted_square));
  if (!peak) return;
  o->at_peak = j->force[1];
  o->wanted_at_peak = wanted[1];
}

static void compare_force(const struct p1_case *c, double duration, struct p1_force *o)
{
  const ali3_model *m = model_file_model(c->file);
  ali3_data *d = ali3_data_new(m);
  *o = (struct p1_force){.error = d && ali3_reset(m, d) >= 0 ? 0.0 : (double)NAN};
  for (double time = 0.0; d && time < duration - 1e-9 && ali3_step(m, d) >= 0;) {
    ali3_joint_state j;
    time = ali3_data_report(d)->time;
    const long row = reference_row(c->reference, time);
    ali3_joint_get(m, d, 0, &j);
    if (row >= 0) view_force(c, &j, row, fabs(time - FIRST_PEAK) < 1e-9, o);
  }
  ali3_data_free(d);
}

/* Figure 4 shows the components of the force for 10 s, without numbers. The expected values are those of the reference, which
 * no method of this program computed. The error has the order of the step. */
static bool check_force(struct p1_table *t)
{
  static const char *const period[2] = {"cycle.period=0.01", "cycle.period=0.005"};
  const double NEAR = 2e-3; /* of the force: 10 ms */
  struct p1_force f[2];
  for (int i = 0; i < 2; i++) {
    const char *set[] = {period[i]};
    const struct command_texts sets = {set, 1};
    struct p1_case c;
    if (!open_p1_case_with(t->options, "spatial_double_pendulum", &sets, &c)) return false;
    compare_force(&c, 5.0, &f[i]);
    close_p1_case(&c);
  }
  const double peak = f[0].wanted_at_peak, most = f[0].wanted_largest;
  demand_figure(t, "  force of joint 1 along y at 0.75 s, the first peak", "N", "fig. 4", (1 - NEAR) * peak,
                (1 + NEAR) * peak, f[0].at_peak);
  demand_figure(t, "  its largest length up to 5 s", "N", "fig. 4", (1 - NEAR) * most, (1 + NEAR) * most,
                f[0].largest);
  demand_figure(t, "  order of its largest error, 10 to 5 ms", "", "2", 1.9, 2.1,
                log2(f[0].error / f[1].error));
  return true;
}

static bool check_double_pendulum(struct p1_table *t)
{
  static const double dt[3] = {0.01, 0.005, 0.0025};
  double error[3];
  struct p1_case c;
  struct p1_view view;
  struct lab_result first = {0}, result;
  if (!open_p1_case(t->options, "spatial_double_pendulum", &c)) return false;
  /* The runs, then their figures. */
  for (int i = 0; i < 3; i++) {
    run_product(&c.problem, dt[i], 5.0, c.reference, &view, i == 0 ? &first : &result);
    error[i] = view.error;
  }
  close_p1_case(&c);
  demand_figure(t, "double pendulum: error of 5 s at 10 ms", "m", "-", 1e-4, 3e-3, error[0]);
  demand_figure(t, "  order, 10 to 5 ms", "", "2", 1.9, 2.1, log2(error[0] / error[1]));
  demand_figure(t, "  order, 5 to 2.5 ms", "", "2", 1.9, 2.1, log2(error[1] / error[2]));
  demand_figure(t, "  largest violation of positions", "m", "-", 0.0, 1e-10, first.position);
  demand_figure(t, "  of velocities", "m/s", "-", 0.0, 1e-10, first.velocity);
  demand_figure(t, "  largest change of the energy", "J", "-", 0.0, 1.3e-2, first.drift);
  return check_force(t);
}

static bool check_four_bar(struct p1_table *t)
{
  struct p1_case c;
  struct p1_view view;
  struct lab_result result;
  if (!open_p1_case(t->options, "four_bar", &c)) return false;
  run_product(&c.problem, 0.01, 30.0, c.reference, &view, &result);
  close_p1_case(&c);
  demand_figure(t, "four-bar, 30 s, singular passes: reached", "s", "30", 29.99, 30.01, result.time);
  demand_figure(t, "  error from the closed equation at 10 ms", "m", "-", 0.0, 8e-3, view.error);
  demand_figure(t, "  largest change of the energy", "J", "-", 0.0, 3e-2, result.drift);
  return true;
}

static bool check_chain(struct p1_table *t)
{
  struct p1_case c;
  struct p1_view view;
  struct lab_result result;
  if (!open_p1_case(t->options, "chain_128", &c)) return false;
  run_product(&c.problem, 0.01, 10.0, NULL, &view, &result);
  close_p1_case(&c);
  demand_figure(t, "chain of 128, 10 s at 10 ms: peak of kinetic energy", "s", "5.22", 5.2, 5.24,
                view.kinetic_time);
  demand_figure(t, "  lowest total energy", "J", "-46.84", -47.3, -46.0, view.lowest);
  demand_figure(t, "  part of the peak", "%", "0.06", 0.055, 0.06, -100.0 * view.lowest / view.kinetic);
  demand_figure(t, "  total energy at 10 s (the paper has not converged)", "J", "-25", -9.0, -7.0, view.last);
  return true;
}

/* Time at which the chain of 128 fails with this penalty; the duration if it does not. */
static bool failure_with_alpha(struct p1_table *t, const char *alpha, double duration, double *time)
{
  const char *set[] = {alpha};
  const struct command_texts sets = {set, 1};
  struct model_file *f = reference_model_open_with(t->options, "chain_128", &sets);
  struct problem p;
  struct p1_view view;
  struct lab_result result = {0};
  const bool good = f && model_file_problem(f, &description_absolute, &p);
  if (good) {
    run_product(&p, 0.01, duration, NULL, &view, &result);
    problem_free(&p);
  }
  model_file_close(f);
  *time = result.time;
  return good;
}

static bool check_penalties(struct p1_table *t)
{
  static const struct {
    const char *set, *what, *paper;
    double low, high;
  } alpha[] = {
      {"solver.alpha=1e9", "  alpha 1e9: reaches", "converges", 6.999, 7.001},
      {"solver.alpha=1e8", "  alpha 1e8: fails at", "wrong results", 5.0, 6.5},
      {"solver.alpha=1e7", "  alpha 1e7: fails at", "no convergence", 0.01, 1.0},
      {"solver.alpha=1e6", "  alpha 1e6: fails at", "no convergence", 0.01, 1.0},
  };
  for (size_t i = 0; i < sizeof alpha / sizeof *alpha && !interrupted(); i++) {
    double time;
    if (!failure_with_alpha(t, alpha[i].set, 7.0, &time)) return false;
    demand_figure(t, alpha[i].what, "s", alpha[i].paper, alpha[i].low, alpha[i].high, time);
  }
  return true;
}

/* The largest last increment of the steps of 1 s. */
static double last_increment(int links)
{
  ali3_model *m = chain_of_links(links);
  ali3_data *d = m ? ali3_data_new(m) : NULL;
  double largest = d && ali3_reset(m, d) >= 0 ? 0.0 : (double)NAN;
  for (int i = 0; d && i < 100; i++) {
    if (ali3_step(m, d) < 0) largest = NAN;
    largest = fmax(largest, ali3_data_report(d)->increment);
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return largest;
}

static double flops_of_chain(int links)
{
  ali3_model *m = chain_of_links(links);
  const double flops = m ? ali3_model_flops(m) : (double)NAN;
  ali3_model_free(m);
  return flops;
}

static bool check_chain_lengths(struct p1_table *t)
{
  demand_figure(t, "last increment of three iterations: 2 bodies", "", "< 1e-7", 0.0, 1e-7,
                last_increment(2));
  demand_figure(t, "  1024 bodies", "", "< 1e-3", 0.0, 1e-3, last_increment(1024));
  demand_figure(t, "operations of a step, 1024 over 128 bodies", "", "8 (linear)", 7.6, 8.4,
                flops_of_chain(1024) / flops_of_chain(128));
  return true;
}

int table_p1(const struct table_options *options)
{
  static bool (*const part[])(struct p1_table * t) = {check_double_pendulum, check_four_bar, check_chain,
                                                      check_penalties, check_chain_lengths};
  enum { PARTS = sizeof part / sizeof *part };
  FILE *out = table_lines(options);
  struct p1_table t = {.options = options, .list = json_array(), .progress = progress_start()};
  bool good = true;
  catch_signals();
  fprintf(
      out,
      "paper 1 by the product's stepper, three iterations\n"
      "demanded: the paper's figure, where it has one that a converged iteration can have; forces of figure "
      "4: "
      "the reference\n"
      "solution, which no method of this program computed; figures without one (-): what this program found\n"
      "%-57s | %-18s | %-24s | %11s | %s\n",
      "figure", "paper", "demanded", "found", "verdict");
  /* The rows, then the verdict. */
  for (int i = 0; i < PARTS && good && !interrupted(); i++) {
    progress_show(&t.progress, (double)i / PARTS, "paper 1");
    good = part[i](&t);
  }
  progress_end(&t.progress);
  if (good) fprintf(out, "%d of %d rows hold%s\n", t.held, t.rows, interrupted() ? "; interrupted" : "");
  const bool written = !options->json || json_write("--json", options->json, json_incref(t.list));
  json_decref(t.list);
  if (!good) return EXIT_USAGE;
  return written && !interrupted() && t.held == t.rows ? EXIT_GOOD : EXIT_RUN;
}
