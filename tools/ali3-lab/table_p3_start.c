/* SPDX-License-Identifier: MIT
 * ali3-lab table p3-start: the slider-crank of paper 3 that starts in its singular position with a velocity of both branches
 * (figure 4),
 *
 *   (x2', y2', x3') = eta1 (1, 0, 2) + eta2 (1, 0, 0),
 *
 * the first a crank with its slider, the second a pendulum with the slider at rest. When the mechanism leaves the position, one
 * of them has to go: formulations with penalties take it out by an impact. The table has the branch and the drift of the energy
 * after 0.5 s, and the largest vertical force at the crank's bearing in the first ten steps.
 *
 * Demanded is what this program found: the outcome, and the force within a factor of 1.5. The paper has curves without numbers,
 * and one pair of numbers for ALi3, which is printed but not demanded. */
#include "lab_tool.h"

#include <math.h>
#include <string.h>

enum start_outcome { START_CRANK, START_PENDULUM, START_FAILS };
static const char *const outcome_name[] = {"crank", "pendulum", "fails"};

struct start_method {
  const char *formulation, *integrator;
  const struct description *kind;
  double alpha, omega, xi;
};

enum { START_METHODS = 6, START_CASES = 5, IMPACT_STEPS = 10 };
static const struct start_method start_method[START_METHODS] = {
    {"penalty", "tr", &description_natural, 1e7, 10, 1},
    {"al1", "tr", &description_natural, 1e7, 200, 1},
    {"al1", "nr", &description_natural, 1e7, 500, 0.7},
    {"hamiltonian", "nr", &description_natural, 1e8, 1, 1e5},
    {"ali3", "nr", &description_natural, 1e9, 0, 0},
    {"product", "step", &description_absolute, 1e7, 0, 0},
};

/* m/s; what each method does, and its force in N. */
static const struct start_case {
  double eta1, eta2;
  bool demanded;
  enum start_outcome outcome[START_METHODS];
  double force[START_METHODS];
} start_cases[START_CASES] = {
    {-2,
     0,
     true,
     {START_CRANK, START_CRANK, START_CRANK, START_CRANK, START_CRANK, START_CRANK},
     {9.15, 9.15, 9.15, 9.15, 10.9, 9.15}},
    {-2,
     -0.01,
     true,
     {START_CRANK, START_CRANK, START_CRANK, START_CRANK, START_FAILS, START_CRANK},
     {1.6e6, 1.6e6, 5.22e3, 1.28e7, 1, 9.13}},
    {-2,
     -0.1,
     true,
     {START_CRANK, START_CRANK, START_CRANK, START_CRANK, START_FAILS, START_FAILS},
     {1.6e7, 1.6e7, 5.16e4, 1.28e8, 1, 1}},
    {-2,
     -1,
     true,
     {START_CRANK, START_CRANK, START_CRANK, START_CRANK, START_FAILS, START_FAILS},
     {1.6e8, 1.6e8, 4.5e5, 1.28e9, 1, 1}},
    {-1,
     -5e-5,
     false,
     {START_CRANK, START_CRANK, START_CRANK, START_CRANK, START_PENDULUM, START_CRANK},
     {3.99e3, 3.99e3, 45.7, 3.2e4, 2e6, 11}},
};

/* Two rods of 1 m and 1 kg, both upright between (0, 0) and (0, 1). NULL: out of memory. */
static ali3_model *singular_slider_crank(const struct start_case *c)
{
  static const double half = 0.7071067811865476, long_axis = 0.08416666666666667, thin = 0.001666666666666667;
  const ali3_options options = ali3_options_default();
  const double tip = c->eta1 + c->eta2, slider = 2 * c->eta1;
  ali3_model *m = ali3_model_new();
  ali3_body_spec body[2] = {{.name = "A",
                             .orientation = {half, 0, 0, half},
                             .velocity = {0.5 * tip},
                             .angular_velocity = {0, 0, -tip}},
                            {.name = "B",
                             .orientation = {half, 0, 0, -half},
                             .velocity = {0.5 * (tip + slider)},
                             .angular_velocity = {0, 0, slider - tip}}};
  ali3_joint_spec joint[3] = {{.name = "J1",
                               .type = ALI3_JOINT_REVOLUTE,
                               .body_a = ALI3_GROUND,
                               .body_b = 0,
                               .point_b = {-0.5, 0, 0}},
                              {.name = "J2",
                               .type = ALI3_JOINT_REVOLUTE,
                               .body_a = 0,
                               .body_b = 1,
                               .point_a = {0.5, 0, 0},
                               .point_b = {-0.5, 0, 0}},
                              {.name = "J3",
                               .type = ALI3_JOINT_POINT_ON_LINE,
                               .body_a = ALI3_GROUND,
                               .body_b = 1,
                               .point_b = {0.5, 0, 0}}};
  /* Weight. */
  bool good = m && ali3_model_set_gravity(m, (const double[]){0, -9.81, 0}) == ALI3_OK;
  /* Rods of a square section of 0.1 m, then the joints. */
  for (int i = 0; i < 2 && good; i++) {
    body[i].mass = 1;
    body[i].position[1] = 0.5;
    memcpy(body[i].inertia, (const double[9]){thin, 0, 0, 0, long_axis, 0, 0, 0, long_axis},
           sizeof body[i].inertia);
    good = ali3_model_add_body(m, &body[i]) >= 0;
  }
  for (int i = 0; i < 3 && good; i++) {
    memcpy(joint[i].axis_a, (const double[3]){i == 2, 0, i < 2}, sizeof joint[i].axis_a);
    memcpy(joint[i].axis_b, joint[i].axis_a, sizeof joint[i].axis_b);
    good = ali3_model_add_joint(m, &joint[i]) >= 0;
  }
  if (good && ali3_model_freeze(m, &options) == ALI3_OK) return m;
  ali3_model_free(m);
  return NULL;
}

struct start_view {
  long steps;
  double force, slider; /* N; m, of the slider now */
};

static bool watch_start(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct start_view *v = user;
  struct lab_reaction reaction[3];
  struct lab_body a, b;
  (void)sample;
  lab_body_get(s, 0, &a);
  lab_body_get(s, 1, &b);
  v->slider = 2 * (b.position[0] - a.position[0]);
  if (v->steps++ <= IMPACT_STEPS && lab_reactions_get(s, reaction))
    v->force = fmax(v->force, fabs(reaction[0].force[1]));
  return !interrupted();
}

struct start_table {
  const struct table_options *options;
  json_t *list;
  int demanded, held;
};

static void do_start_row(struct start_table *t, const struct problem *p, const struct start_case *c,
                         int method)
{
  const struct start_method *of = &start_method[method];
  struct start_view view = {0};
  const struct lab_watch watch = {.user = &view, .step = watch_start};
  struct lab_run r = lab_run_default();
  struct lab_result o;
  r.formulation = lab_find_formulation(of->formulation);
  r.integrator = lab_find_integrator(of->integrator);
  r.duration = 0.5;
  r.alpha = of->alpha;
  r.omega = of->omega;
  r.xi = of->xi;
  lab_run(p, &r, &watch, &o);
  /* The slider of the pendulum stays. */
  const enum start_outcome outcome = o.status != LAB_OK        ? START_FAILS
                                     : fabs(view.slider) > 0.1 ? START_CRANK
                                                               : START_PENDULUM;
  const bool failed = outcome == START_FAILS;
  const bool holds = outcome == c->outcome[method] &&
                     (failed || (view.force < 1.5 * c->force[method] && view.force > c->force[method] / 1.5));
  t->demanded += c->demanded;
  t->held += c->demanded && holds;
  fprintf(table_lines(t->options), "%5g %7g | %-11s %-4s | %-8s %-8s | %8.3g %8.3g | %8.2g | %s\n", c->eta1,
          c->eta2, of->formulation, of->integrator, outcome_name[c->outcome[method]], outcome_name[outcome],
          failed ? NAN : c->force[method], failed ? NAN : view.force, failed ? NAN : o.drift,
          !c->demanded ? (holds ? "as expected, not demanded" : "not reproduced, not demanded")
          : holds      ? "reproduced"
                       : "not reproduced");
  json_array_append_new(
      t->list, json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:f, s:o, s:o, s:b, s:b}", "eta1", c->eta1, "eta2",
                         c->eta2, "method", of->formulation, "integrator", of->integrator, "outcome_expected",
                         outcome_name[c->outcome[method]], "outcome", outcome_name[outcome], "force_expected",
                         c->force[method], "force", json_number(failed ? NAN : view.force), "drift",
                         json_number(failed ? NAN : o.drift), "demanded", c->demanded, "holds", holds));
}

/* False: out of memory. */
static bool do_start_case(struct start_table *t, const struct start_case *c)
{
  ali3_model *m = singular_slider_crank(c);
  ali3_data *d = m ? ali3_data_new(m) : NULL;
  bool good = d && ali3_reset(m, d) >= 0;
  for (int method = 0; method < START_METHODS && good && !interrupted(); method++) {
    struct problem p;
    struct lab_refusal why;
    good = problem_make(&p, start_method[method].kind, m, d, &why);
    if (!good) break;
    do_start_row(t, &p, c, method);
    problem_free(&p);
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return good;
}

int table_p3_start(const struct table_options *options)
{
  FILE *out = table_lines(options);
  struct start_table t = {.options = options, .list = json_array()};
  bool good = true;
  catch_signals();
  /* The head, then all starts with all methods. */
  fprintf(out, "paper 3, figure 4: slider-crank from its singular position with velocities of both branches, "
               "0.5 s at 1 ms\n");
  fprintf(out, "expected: this program, but the last start: the paper\n");
  fprintf(out,
          "%5s %7s | %-16s | %-17s | %-17s | %8s |\n%5s %7s | %-11s %-4s | %-8s %-8s | %8s %8s | %8s | %s\n",
          "", "m/s", "", "branch", "force, N", "energy", "eta1", "eta2", "method", "int", "exp.", "found",
          "exp.", "found", "drift, J", "verdict");
  for (int i = 0; i < START_CASES && good && !interrupted(); i++) good = do_start_case(&t, &start_cases[i]);
  if (good)
    fprintf(out, "%d of %d demanded rows hold%s\n", t.held, t.demanded, interrupted() ? "; interrupted" : "");
  else
    fprintf(stderr, "ali3-lab: out of memory\n");
  const bool written = !options->json || json_write(options->json, json_incref(t.list));
  json_decref(t.list);
  return good && written && !interrupted() && t.held == t.demanded ? EXIT_GOOD : EXIT_RUN;
}
