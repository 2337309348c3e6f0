/* SPDX-License-Identifier: MIT
 * ali3-lab table p4-oscillator: Arnold's recursion for bodies without mass (paper 4). The paper's plot of steps over
 * mass has no parameters, so it cannot be reproduced as such; here are the same oscillator with stated parameters, both
 * problems of section 4, and the recursion beside a dense solution.
 *
 * Demanded: recursion and dense solution agree to 1e-10; the point masses follow the exact solution within 1e-10 m at
 * tolerance 1e-10; so does the oscillator with d = 2 within 1e-5 m at 1e-6; with d = 0.002 the run with m1 = 0 needs at
 * most a twentieth of the steps of the worst. */
#include "lab_tool.h"
#include "recursive/oracle.h"
#include "recursive/small_mass.h"

#include <math.h>
#include <string.h>

enum { P4_TREES = 20, P4_MASSES = 8, P4_DAMPINGS = 3, P4_POINT_MASSES = 4, P4_END = 5 };

static const double p4_mass[P4_MASSES] = {1, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 0}; /* kg */
static const char *const p4_mass_name[P4_MASSES] = {"1", "1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "0"};
static const double p4_damping[P4_DAMPINGS] = {2, 0.02, 0.002}; /* N s/m */
/* Steps of another Radau code. */
static const long p4_expected[P4_DAMPINGS][P4_MASSES] = {{156, 168, 164, 162, 161, 160, 158, 149},
                                                         {311, 888, 1188, 531, 306, 229, 212, 189},
                                                         {319, 974, 2816, 3613, 1330, 566, 310, 189}};

struct p4_table {
  const struct table_options *options;
  FILE *out;
  json_t *rows;
  int demanded, held;
};

static void add_p4_row(struct p4_table *t, json_t *row, bool holds)
{
  json_object_set_new(row, "holds", json_boolean(holds));
  json_array_append_new(t->rows, row);
  t->demanded++;
  t->held += holds;
}

static const char *p4_verdict(bool holds)
{
  return holds ? "reproduced" : "not reproduced";
}

/* ---- recursion against dense ---- */

static void compare_recursion(struct p4_table *t)
{
  double worst = 0;
  int skipped = 0;
  for (unsigned seed = 1; seed <= P4_TREES; seed++) {
    struct tree tree;
    struct tree_body body[ORACLE_BODIES];
    int one;
    oracle_random_tree(seed, &tree, body);
    const double difference = oracle_difference(&tree, &one);
    if (!(difference <= worst)) worst = difference;
    skipped += one;
  }
  const bool holds = worst < 1e-10;
  fprintf(t->out,
          "%d random trees of %d bodies, %d without mass or of rank 3: recursion and dense solution differ "
          "by %.1e: %s\n\n",
          P4_TREES, ORACLE_BODIES, skipped, worst, p4_verdict(holds));
  add_p4_row(t, json_pack("{s:s, s:o}", "part", "recursion", "difference", json_number(worst)), holds);
}

/* ---- the problems ---- */

/* Largest difference of positions from the columns of the reference, at every second. False after a message. */
static bool follow_small_mass(const struct small_mass_problem *problem, double tolerance,
                              const struct reference *reference, const char *const *column, double *error,
                              struct radau_result *sum)
{
  struct small_mass_run run;
  const char *why = small_mass_start(&run, problem);
  *error = 0;
  *sum = (struct radau_result){0};
  if (why) {
    fprintf(stderr, "ali3-lab: %s: %s\n", problem->name, why);
    return false;
  }
  /* Second by second, each with the row of the reference. */
  for (int second = 0; second < P4_END; second++) {
    struct radau_result one;
    double at[SMALL_MASS_BODIES * SMALL_MASS_PLANE];
    if (!small_mass_run_to(&run, second, second + 1, tolerance, &one)) *error = NAN;
    small_mass_positions(&run, at);
    sum->steps += one.steps;
    const long row = reference_row(reference, second + 1);
    for (int i = 0; i < problem->bodies * problem->d; i++) {
      const int k = reference_column(reference, column[i]);
      const double difference = row < 0 || k < 0 ? NAN : fabs(at[i] - reference_value(reference, row, k));
      if (!(difference <= *error)) *error = difference;
    }
  }
  return true;
}

static bool compare_small_mass(struct p4_table *t, const struct small_mass_problem *problem, const char *file,
                               const char *mass, double tolerance, double limit, const char *const *column)
{
  struct reference *reference = reference_motion_open(t->options, file, NULL);
  double error;
  struct radau_result steps;
  if (!reference) return false;
  const bool good = follow_small_mass(problem, tolerance, reference, column, &error, &steps);
  reference_close(reference);
  if (!good) return false;
  const bool holds = error <= limit;
  fprintf(t->out, "%-15s %5s | %7.0e | %8.1e %8.0e | %s\n", problem->name, mass, tolerance, error, limit,
          p4_verdict(holds));
  add_p4_row(t,
             json_pack("{s:s, s:s, s:s, s:f, s:o}", "part", "positions", "problem", problem->name, "mass",
                       mass, "tolerance", tolerance, "error", json_number(error)),
             holds);
  return true;
}

static bool compare_all_problems(struct p4_table *t)
{
  static const char *const points[] = {"pix", "piy", "pjx", "pjy"}, *const line[] = {"p1", "p2"};
  static const int mass[P4_POINT_MASSES] = {1, 3, 6, 7}; /* in p4_mass */
  char file[80];
  bool good = true;
  fprintf(t->out, "%-15s %5s | %7s | %8s %8s |\n", "problem", "mass", "toler.", "error, m", "limit");
  for (int number = 1; number <= 2; number++)
    for (int k = 0; k < P4_POINT_MASSES && good; k++) {
      const struct small_mass_problem problem = small_mass_points(number, p4_mass[mass[k]]);
      snprintf(file, sizeof file, "point_masses_%d_mi_%s", number, p4_mass_name[mass[k]]);
      good = compare_small_mass(t, &problem, file, p4_mass_name[mass[k]], 1e-10, 1e-10, points);
    }
  for (int k = 0; k < P4_POINT_MASSES && good; k++) {
    const struct small_mass_problem problem = small_mass_oscillator(p4_mass[mass[k]], p4_damping[0]);
    snprintf(file, sizeof file, "small_mass_oscillator_m1_%s", p4_mass_name[mass[k]]);
    good = compare_small_mass(t, &problem, file, p4_mass_name[mass[k]], 1e-6, 1e-5, line);
  }
  return good;
}

/* ---- steps over mass ---- */

static void count_steps(struct p4_table *t)
{
  enum { LIGHT = P4_DAMPINGS - 1, LEAST_RATIO = 20 };
  long worst = 0, massless = 0;
  fprintf(t->out, "\nsteps of the oscillator in %d s at tolerance 1e-6 (another Radau code)\n%-7s", P4_END,
          "d1 = d2");
  for (int k = 0; k < P4_MASSES; k++) fprintf(t->out, " %13s", p4_mass_name[k]);
  fprintf(t->out, "\n");
  for (int d = 0; d < P4_DAMPINGS; d++) {
    fprintf(t->out, "%-7g", p4_damping[d]);
    for (int k = 0; k < P4_MASSES; k++) {
      const struct small_mass_problem problem = small_mass_oscillator(p4_mass[k], p4_damping[d]);
      struct small_mass_run run;
      struct radau_result o = {0};
      const bool good = !small_mass_start(&run, &problem) && small_mass_run_to(&run, 0, P4_END, 1e-6, &o);
      char cell[40];
      snprintf(cell, sizeof cell, "%ld (%ld)", good ? o.steps : -1, p4_expected[d][k]);
      fprintf(t->out, " %13s", cell);
      if (d == LIGHT && o.steps > worst) worst = o.steps;
      if (d == LIGHT && k == P4_MASSES - 1) massless = good ? o.steps : 0;
      json_array_append_new(t->rows,
                            json_pack("{s:s, s:f, s:f, s:I, s:I}", "part", "steps", "damping", p4_damping[d],
                                      "mass", p4_mass[k], "steps", (json_int_t)o.steps, "steps_expected",
                                      (json_int_t)p4_expected[d][k]));
    }
    fprintf(t->out, "\n");
    fflush(t->out);
  }
  /* The gain with light damping. */
  const double ratio = massless > 0 ? (double)worst / (double)massless : NAN;
  const bool holds = ratio >= LEAST_RATIO;
  fprintf(t->out, "d = %g: %.1f times fewer steps without the mass than at worst with it: %s\n",
          p4_damping[LIGHT], ratio, p4_verdict(holds));
  add_p4_row(t, json_pack("{s:s, s:o}", "part", "ratio", "ratio", json_number(ratio)), holds);
}

int table_p4(const struct table_options *options)
{
  struct p4_table t = {.options = options, .out = table_lines(options), .rows = json_array()};
  fprintf(t.out,
          "paper 4: a recursion for bodies without mass; its problems are built in, without weight\n"
          "expected: positions by exact solutions, steps by another Radau code; the paper has no numbers\n");
  compare_recursion(&t);
  const bool good = compare_all_problems(&t);
  if (good) {
    count_steps(&t);
    fprintf(t.out, "%d of %d demanded rows hold\n", t.held, t.demanded);
  }
  const bool written = !options->json || json_write("--json", options->json, json_incref(t.rows));
  json_decref(t.rows);
  if (!good) return EXIT_USAGE;
  return written && t.held == t.demanded ? EXIT_GOOD : EXIT_RUN;
}
