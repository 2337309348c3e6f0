/* SPDX-License-Identifier: MIT
 * ali3-lab compare: work and precision of all methods that take a model. Each method runs with a ladder of steps or
 * tolerances, until a run would take longer than the budget, or its error is that of the solution itself. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct compare_view {
  const struct target *target;
  const struct compare_options *options;
  double end;     /* s of the run */
  double most;    /* s of processor time */
  double from;    /* the processor's time at the start, s */
  double compare; /* when to compare the processor's time, s by the clock; to read it takes a system call */
  double error, force;
};

/* s of processor time, which other programs on the machine do not lengthen by waiting. */
static double processor_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool watch_cost(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct compare_view *v = user;
  if (sample->time >= v->end * (1 - 1e-12)) {
    v->error = target_error(v->target, s);
    v->force = target_force_error(v->target, s);
  }
  if (progress_clock() >= v->compare) {
    const double left = v->most - (processor_clock() - v->from);
    if (left <= 0) return false;
    v->compare = progress_clock() + left;
  }
  return !interrupted();
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
  const int decade = -2 - k / 3;
  const double dt = part[k % 3] * pow(10, decade);
  return k < RUNGS_FIXED ? duration / ceil(duration / dt * (1 - 1e-12)) : 0;
}

/* One run. Short ones are repeated, and the shortest time counts. A run that takes more than twice the budget is stopped,
 * and is shown only as the first of its method, so that no method is missing. False: the ladder of this method ends here. */
static bool run_rung(struct comparison *c, const struct problem *p, const struct lab_run *r,
                     const struct target *target, double length, bool first)
{
  enum { REPEATS = 3 };
  const struct compare_options *o = c->options;
  struct compare_view view = {.target = target, .options = o, .end = c->duration, .error = NAN, .force = NAN};
  const struct lab_watch watch = {.user = &view, .step = watch_cost};
  struct compare_point point = {
      .formulation = r->formulation, .integrator = r->integrator, .kind = p->kind, .length = length};
  double least = INFINITY;
  for (int k = 0; k < REPEATS && (k == 0 || REPEATS * least < o->budget); k++) {
    view.most = 2 * o->budget;
    view.from = processor_clock();
    view.compare = progress_clock() + view.most;
    lab_run(p, r, &watch, &point.run);
    least = fmin(least, processor_clock() - view.from);
  }
  const bool stopped = point.run.status == LAB_STOPPED;
  if (stopped && (!first || interrupted())) return false;
  point.run.seconds = least;
  point.error = point.run.status == LAB_OK ? view.error : NAN;
  point.force = point.run.status == LAB_OK ? view.force : NAN;
  struct compare_point *at = add_compare_point(c);
  if (!at) return false;
  *at = point;
  if (!o->quiet) compare_print_point(o->lines, at);
  /* The next rung takes two or three times as long. */
  const double next = (r->integrator->adaptive ? 1.6 : 2.5) * least;
  return !stopped && next < o->budget && !(point.error < 2 * c->floor);
}

static void run_ladder(struct comparison *c, const struct problem *p, const struct formulation *f,
                       const struct integrator *i, const struct target *target)
{
  for (int k = 0; !interrupted(); k++) {
    const double length = ladder_rung(i, k, c->duration);
    const struct lab_run r = compare_method_run(f, i, c->duration, length);
    if (length == 0 || !run_rung(c, p, &r, target, length, k == 0)) break;
  }
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
        const struct problem *p = compare_problem_of(problems, f);
        char text[80];
        if (!compare_method_asked(c->options->methods, f, i)) continue;
        if (!compare_method_fits(p, f, i)) continue;
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
    compare_make_problems(f, &problems, lines);
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
    compare_free_problems(&problems);
  }
  target_free(target);
  return interrupted() ? EXIT_RUN : status;
}

int compare_command(const struct compare_options *o)
{
  struct model_file *f = compare_check_globs(o->methods) ? model_file_open(o->file, o->sets) : NULL;
  if (!f) return EXIT_USAGE;
  struct comparison c = {.options = o, .duration = o->duration > 0 ? o->duration : model_file_duration(f)};
  catch_signals();
  const int status = compare_model(&c, f);
  free(c.point);
  model_file_close(f);
  return status;
}
