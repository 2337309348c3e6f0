/* SPDX-License-Identifier: MIT
 * ali3-lab compare, reactions: which methods take a model, in which coordinates and with which parameters. */
#include "compare.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* Parameters with which the papers run a method, or with which its order shows. */
static const struct method_parameters {
  const char *formulation, *integrator; /* integrator NULL: all others */
  double alpha, omega, xi;
  bool scaled;  /* alpha is that of a step of 10 ms, and grows as 1/h^2: the matrix has h^2 alpha */
  bool norm_qp; /* increments are measured in momenta, too */
} method_parameters[] = {
    {"penalty", "fe", 1e8, 25, 1, false, false},
    {"penalty", "si", 1e8, 250, 1, false, false},
    {"penalty", "tr", 1e7, 200, 1, false, false},
    {"penalty", NULL, 1e7, 10, 1, false, false},
    {"al1", "fe", 1e7, 10, 1, false, false},
    {"al1", "si", 1e8, 250, 1, false, false},
    {"al1", "tr", 1e7, 200, 1, false, false},
    {"al1", NULL, 1e7, 500, 0.7, false, false},
    {"hamiltonian", "nr", 1e8, 1, 1e5, false, false},
    {"hamiltonian", "tr", 1e9, 0.1, 1000, false, true},
    {"hamiltonian", NULL, 1e9, 0.1, 1000, false, false},
    {"ali3", NULL, 1e9, 0, 0, true, false},
    {"em", NULL, 1e9, 0, 0, true, false},
    {"al1-dca", NULL, 1e6, 1, 1, false, false},
    {"al1-dca-projected", NULL, 1e6, 1, 1, false, false},
};
enum { METHOD_PARAMETERS = sizeof method_parameters / sizeof *method_parameters };

struct lab_run compare_method_run(const struct formulation *f, const struct integrator *i, double duration,
                                  double length)
{
  struct lab_run r = lab_run_default();
  r.formulation = f;
  r.integrator = i;
  r.duration = duration;
  r.dt = r.rtol = r.atol = length;
  /* Far below the errors that matter: an increment of q is one of q'' times h^2. Extrapolated steps have smaller ones. */
  r.tolerance = fmax(1e-15, (i->needs == NEEDS_SETTLING ? 1e-9 : 1e-5) * fmin(1e-4, length * length));
  for (int k = 0; k < METHOD_PARAMETERS; k++) {
    const struct method_parameters *p = &method_parameters[k];
    if (strcmp(p->formulation, f->name) != 0 || (p->integrator && strcmp(p->integrator, i->name) != 0))
      continue;
    r.alpha = p->alpha * (p->scaled ? 1e-4 / (length * length) : 1);
    r.omega = p->omega;
    r.xi = p->xi;
    r.norm_qp = p->norm_qp;
    break;
  }
  return r;
}

/* The integrator does with this formulation nothing that another one does not. */
static bool is_repetition(const struct formulation *f, const struct integrator *i)
{
  return f->momenta && strcmp(i->name, "si") == 0; /* p' does not depend on q', so si is fe */
}

bool compare_method_fits(const struct problem *p, const struct formulation *f, const struct integrator *i)
{
  char text[200];
  const struct lab_run r = compare_method_run(f, i, 1, 1e-3);
  return p && !is_repetition(f, i) && !lab_unsuitable(p, &r, text, sizeof text);
}

bool compare_method_asked(const char *methods, const struct formulation *f, const struct integrator *i)
{
  char name[80], list[400], *rest = NULL;
  if (!methods) return !f->oracle;
  snprintf(name, sizeof name, "%s/%s", f->name, i->name);
  snprintf(list, sizeof list, "%s", methods);
  for (char *g = strtok_r(list, ",", &rest); g; g = strtok_r(NULL, ",", &rest))
    if (fnmatch(g, name, 0) == 0 || fnmatch(g, f->name, 0) == 0) return true;
  return false;
}

bool compare_check_globs(const char *methods)
{
  for (int k = 0; lab_formulations[k]; k++)
    for (int j = 0; lab_integrators[j]; j++)
      if (compare_method_asked(methods, lab_formulations[k], lab_integrators[j])) return true;
  fprintf(stderr,
          "ali3-lab: --methods: expected globs of NAME or NAME/INTEGRATOR of ali3-lab --list, found %s\n",
          methods);
  return false;
}

void compare_make_problems(const struct model_file *f, struct compare_problems *o, FILE *lines)
{
  for (int k = 0; lab_descriptions[k] && k < COMPARE_DESCRIPTIONS; k++) {
    struct lab_refusal why;
    char text[400];
    o->made[k] = model_file_make(f, lab_descriptions[k], &o->problem[k], &why);
    if (o->made[k]) continue;
    model_file_refusal(f, &why, text, sizeof text);
    fprintf(lines, "not in %s coordinates: %s\n", lab_descriptions[k]->name, text);
  }
}

const struct problem *compare_problem_of(const struct compare_problems *o, const struct formulation *f)
{
  for (int k = 0; lab_descriptions[k] && k < COMPARE_DESCRIPTIONS; k++) {
    if (!o->made[k] || (f->only && f->only != lab_descriptions[k])) continue;
    if (f->needs_rows && !lab_descriptions[k]->row_rates) continue;
    return &o->problem[k];
  }
  return NULL;
}

void compare_free_problems(struct compare_problems *o)
{
  for (int k = 0; k < COMPARE_DESCRIPTIONS; k++)
    if (o->made[k]) problem_free(&o->problem[k]);
}
