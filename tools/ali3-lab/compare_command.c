/* SPDX-License-Identifier: MIT
 * ali3-lab compare: work and precision of all methods that take a model. Each method runs with a ladder of steps or
 * tolerances, until a run would take longer than the budget, or its error is that of the solution itself. */
#include "compare.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

struct compare_view {
  const struct target *target;
  const struct compare_options *options;
  double end, stop; /* s: of the run, and by the clock */
  double error, force;
};

static bool watch_cost(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct compare_view *v = user;
  if (sample->time >= v->end * (1 - 1e-12)) {
    v->error = target_error(v->target, s);
    v->force = target_force_error(v->target, s);
  }
  return !interrupted() && progress_clock() < v->stop;
}

/* `length`: of the step in s, or rtol. */
static struct lab_run method_run(const struct formulation *f, const struct integrator *i, double duration,
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

static struct compare_point *add_compare_point(struct comparison *c)
{
  if (c->points == c->room) {
    c->room = c->room ? 2 * c->room : 64;
    struct compare_point *more = realloc(c->point, sizeof *more * (size_t)c->room);
    if (!more) return NULL;
    c->point = more;
  }
  return &c->point[c->points++];
}

/* The k-th rung: 20, 10, 5, 2 ms and so on; or rtol from 1e-2 down. 0: there is none. */
static double ladder_rung(const struct integrator *i, int k, double duration)
{
  static const double part[3] = {2, 1, 0.5};
  enum { RUNGS_FIXED = 14, RUNGS_ADAPTIVE = 11 };
  if (i->adaptive) return k < RUNGS_ADAPTIVE ? pow(10, -2 - k) : 0;
  const double dt = part[k % 3] * pow(10, -2 - k / 3);
  return k < RUNGS_FIXED ? duration / ceil(duration / dt * (1 - 1e-12)) : 0;
}

/* s of processor time, which other programs on the machine do not lengthen by waiting. */
static double processor_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One run. Short ones are repeated, and the shortest time counts. False: the ladder of this method ends here. */
static bool run_rung(struct comparison *c, const struct problem *p, const struct lab_run *r,
                     const struct target *target, double length)
{
  enum { REPEATS = 3 };
  const struct compare_options *o = c->options;
  struct compare_view view = {.target = target, .options = o, .end = c->duration, .error = NAN, .force = NAN};
  const struct lab_watch watch = {.user = &view, .step = watch_cost};
  struct compare_point point = {
      .formulation = r->formulation, .integrator = r->integrator, .kind = p->kind, .length = length};
  double least = INFINITY;
  for (int k = 0; k < REPEATS && (k == 0 || REPEATS * least < o->budget); k++) {
    view.stop = progress_clock() + 2 * o->budget;
    const double start = processor_clock();
    lab_run(p, r, &watch, &point.run);
    least = fmin(least, processor_clock() - start);
  }
  if (point.run.status == LAB_STOPPED) return false;
  point.run.seconds = least;
  point.error = point.run.status == LAB_OK ? view.error : NAN;
  point.force = point.run.status == LAB_OK ? view.force : NAN;
  struct compare_point *at = add_compare_point(c);
  if (!at) return false;
  *at = point;
  if (!o->quiet) compare_print_point(o->lines, at);
  /* The next rung takes two or three times as long. */
  const double next = (r->integrator->adaptive ? 1.6 : 2.5) * least;
  return next < o->budget && !(point.error < 2 * c->floor);
}

/* The integrator does with this formulation nothing that another one does not. */
static bool is_repetition(const struct formulation *f, const struct integrator *i)
{
  return f->momenta && strcmp(i->name, "si") == 0; /* p' does not depend on q', so si is fe */
}

static bool method_fits(const struct problem *p, const struct formulation *f, const struct integrator *i)
{
  char text[200];
  const struct lab_run r = method_run(f, i, 1, 1e-3);
  return p && !is_repetition(f, i) && !lab_unsuitable(p, &r, text, sizeof text);
}

static void run_ladder(struct comparison *c, const struct problem *p, const struct formulation *f,
                       const struct integrator *i, const struct target *target)
{
  for (int k = 0; !interrupted(); k++) {
    const double length = ladder_rung(i, k, c->duration);
    const struct lab_run r = method_run(f, i, c->duration, length);
    if (length == 0 || !run_rung(c, p, &r, target, length)) break;
  }
}

/* NAME or NAME/INTEGRATOR is among the globs; without globs all but oracles are. */
static bool method_asked(const struct compare_options *o, const struct formulation *f,
                         const struct integrator *i)
{
  char name[80], list[400], *rest = NULL;
  if (!o->methods) return !f->oracle;
  snprintf(name, sizeof name, "%s/%s", f->name, i->name);
  snprintf(list, sizeof list, "%s", o->methods);
  for (char *g = strtok_r(list, ",", &rest); g; g = strtok_r(NULL, ",", &rest))
    if (fnmatch(g, name, 0) == 0 || fnmatch(g, f->name, 0) == 0) return true;
  return false;
}

/* False after a message where no method has such a name. */
static bool check_globs(const struct compare_options *o)
{
  for (int k = 0; lab_formulations[k]; k++)
    for (int j = 0; lab_integrators[j]; j++)
      if (method_asked(o, lab_formulations[k], lab_integrators[j])) return true;
  fprintf(stderr,
          "ali3-lab: --methods: expected globs of NAME or NAME/INTEGRATOR of ali3-lab --list, found %s\n",
          o->methods);
  return false;
}

enum { DESCRIPTIONS = 8 };

/* The model in all coordinates that take it. */
struct compare_problems {
  struct problem problem[DESCRIPTIONS];
  bool made[DESCRIPTIONS];
};

static void make_problems(const struct model_file *f, struct compare_problems *o, FILE *lines)
{
  for (int k = 0; lab_descriptions[k] && k < DESCRIPTIONS; k++) {
    struct lab_refusal why;
    char text[400];
    o->made[k] = model_file_make(f, lab_descriptions[k], &o->problem[k], &why);
    if (o->made[k]) continue;
    model_file_refusal(f, &why, text, sizeof text);
    fprintf(lines, "not in %s coordinates: %s\n", lab_descriptions[k]->name, text);
  }
}

/* The formulation's own coordinates, else the first that take the model. NULL: none. */
static const struct problem *problem_of_method(const struct compare_problems *o, const struct formulation *f)
{
  for (int k = 0; lab_descriptions[k] && k < DESCRIPTIONS; k++) {
    if (!o->made[k] || (f->only && f->only != lab_descriptions[k])) continue;
    if (f->needs_rows && !lab_descriptions[k]->row_rates) continue;
    return &o->problem[k];
  }
  return NULL;
}

/* How many methods ran; 0 after a message. */
static int run_all_ladders(struct comparison *c, const struct compare_problems *problems,
                           const struct target *target)
{
  struct progress progress = progress_start();
  int methods = 0, done = 0;
  for (int pass = 0; pass < 2; pass++) /* first how many there are, for the progress */
    for (int k = 0; lab_formulations[k]; k++)
      for (int j = 0; lab_integrators[j] && !interrupted(); j++) {
        const struct formulation *f = lab_formulations[k];
        const struct integrator *i = lab_integrators[j];
        const struct problem *p = problem_of_method(problems, f);
        char text[80];
        if (!method_asked(c->options, f, i)) continue;
        if (!method_fits(p, f, i)) continue;
        methods += pass == 0;
        if (pass == 0) continue;
        snprintf(text, sizeof text, "%s %s", f->name, i->name);
        progress_show(&progress, (double)done++ / methods, text);
        run_ladder(c, p, f, i, target);
        progress_end(&progress);
      }
  if (methods == 0)
    fprintf(stderr, "ali3-lab: compare: no method of --methods takes this model; ali3-lab run says why\n");
  return methods;
}

static int compare_model(struct comparison *c, const struct model_file *f)
{
  struct compare_problems problems = {0};
  struct target *target = target_new(c->options, f, c->duration, &c->floor, &c->force_floor);
  int status = EXIT_USAGE;
  /* Make the reference of the errors, then run all methods. */
  if (target) {
    FILE *lines = c->options->lines;
    make_problems(f, &problems, lines);
    if (c->options->reference)
      fprintf(lines, "errors at %g s against %s\n", c->duration, c->options->reference);
    else
      fprintf(lines,
              "errors at %g s against a fine solution, known to %.1e, its reactions to %.1e N or N m\n",
              c->duration, c->floor, c->force_floor);
    if (run_all_ladders(c, &problems, target) > 0) {
      compare_print_summary(lines, c);
      if (interrupted()) fprintf(lines, "interrupted: methods are missing\n");
      status = compare_write(c) && !interrupted() ? EXIT_GOOD : EXIT_RUN;
    }
    for (int k = 0; k < DESCRIPTIONS; k++)
      if (problems.made[k]) problem_free(&problems.problem[k]);
  }
  target_free(target);
  return interrupted() ? EXIT_RUN : status;
}

int compare_command(const struct compare_options *o)
{
  struct model_file *f = check_globs(o) ? model_file_open(o->file, o->sets) : NULL;
  if (!f) return EXIT_USAGE;
  struct comparison c = {.options = o, .duration = o->duration > 0 ? o->duration : model_file_duration(f)};
  catch_signals();
  const int status = compare_model(&c, f);
  free(c.point);
  model_file_close(f);
  return status;
}
