/* SPDX-License-Identifier: MIT
 * Measures the accuracy of the steps: compares the first steps of the mechanism with two half steps each, and with more
 * iterations. It also follows drives that are functions of time, to find positions that the mechanism cannot reach. */
#include "findings/findings_parts.h"
#include "kernels/elements.h"
#include "stepper/explicit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, FEWEST = 2 };
/* Error in a second, relative to the size of the mechanism. Above the first limit the finding has a remedy, above the second
 * limit it is a warning. */
static const double VISIBLE_ERROR = 0.01, LARGE = 0.05;

/* The runs that are compared: with the options of the model, with two half steps, with more iterations. */
enum { GIVEN, HALVED, ITERATED, COPIES };

static bool make_model_copies(const struct inspection *in, struct model_copy t[COPIES])
{
  /* Choose the options of each copy, within their ranges. */
  ali3_options o[COPIES] = {in->m->options, in->m->options, in->m->options};
  o[HALVED].substeps *= 2;
  o[ITERATED].iterations = 2 * o[ITERATED].iterations + 4;
  if (o[HALVED].substeps > 1000) { /* the largest number of substeps */
    o[HALVED].substeps /= 2;
    o[HALVED].iterations = o[ITERATED].iterations;
  }
  if (o[ITERATED].iterations > 100) o[ITERATED].iterations = 100;
  /* Make all copies, or none. */
  int made = 0;
  while (made < COPIES && model_copy_make(&t[made], in->m, &o[made], NULL) &&
         ali3_reset(&t[made].model, t[made].data) >= 0)
    made++;
  return made == COPIES;
}

/* status: of each copy in the step that failed. */
static void report_copy_failure(struct inspection *in, const struct model_copy *t, const int status[COPIES])
{
  const ali3_report *r = ali3_data_report(t->data);
  /* Find the likeliest remedy: a warning that explains the failure, or the options of a copy that did not fail. */
  const struct finding *why = inspection_likely_cause(in);
  char text[400], remedy[420] = "correct the model, or shorten cycle.period";
  ali3_report_text(&t->model, t->data, text, sizeof text);
  if (why)
    snprintf(remedy, sizeof remedy, "the likely cause is this: %.380s", why->text);
  else if (r->turn > 0.0)
    snprintf(remedy, sizeof remedy, "the likely cause is this rotation");
  else if (status[ITERATED] >= 0)
    snprintf(remedy, sizeof remedy, "raise solver.iterations to %d", 2 * in->m->options.iterations + 4);
  else if (status[HALVED] >= 0)
    snprintf(remedy, sizeof remedy, "raise solver.substeps to %d", 2 * in->m->options.substeps);
  /* Name the worst element of the report. */
  const enum finding_kind kind = r->worst_joint >= 0   ? FINDING_OF_JOINT
                                 : r->worst_force >= 0 ? FINDING_OF_FORCE
                                 : r->worst_body >= 0  ? FINDING_OF_BODY
                                                       : FINDING_OF_MODEL;
  const int index = r->worst_joint >= 0   ? r->worst_joint
                    : r->worst_force >= 0 ? r->worst_force
                                          : r->worst_body;
  struct finding *f = finding_add(in, FINDING_ERROR, FINDING_STEP, kind, index,
                                  "the step at t = %.4g s fails (%s): %s", r->time, text, remedy);
  finding_add_number(f, "time", r->time, "s");
}

struct errors {
  double step, iterations; /* m, largest difference so far */
  int body;                /* with the largest difference */
  int degraded;            /* steps that did not converge */
  struct worst_turn {
    double turn; /* rad in an inner step, the largest of steps that did not resolve it */
    int joint, body, force, steps;
    bool at_start; /* one of the first steps did not */
    char text[300];
  } turned;
  int steps;
  double moved[STEPS]; /* m, rad: how far the projection moved a body in each step */
};

static void keep_turn(const struct model_copy *t, struct worst_turn *o)
{
  enum { FIRST = 3 };
  const ali3_report *r = ali3_data_report(t->data);
  o->steps++;
  o->at_start |= r->step <= FIRST;
  if (!(r->turn > o->turn)) return;
  o->turn = r->turn;
  o->joint = r->worst_joint;
  o->body = r->worst_body;
  o->force = r->worst_force;
  ali3_turn_text(&t->model, r, o->text, sizeof o->text);
}

/* It is a mistake of the model if it lasts, if the file gives the rate, or if it is that of a bushing: a chain also whips for
 * some steps. */
static void report_turn(struct inspection *in, const struct worst_turn *o, int steps)
{
  if (!(o->turn > 0.0)) return;
  const bool lasts = o->at_start || o->force >= 0 || 2 * o->steps > steps;
  const enum finding_kind kind = o->force >= 0   ? FINDING_OF_FORCE
                                 : o->joint >= 0 ? FINDING_OF_JOINT
                                                 : FINDING_OF_BODY;
  const int index = o->force >= 0 ? o->force : o->joint >= 0 ? o->joint : o->body;
  struct finding *f =
      finding_add(in, lasts ? FINDING_WARNING : FINDING_INFO, FINDING_TURNS, kind, index, "%s", o->text);
  finding_add_number(f, "turn", o->turn, "rad");
}

/* False: a step failed, which is reported. */
static bool compare_model_copies(struct inspection *in, struct model_copy t[COPIES], int steps,
                                 struct errors *o)
{
  for (o->steps = 0; o->steps < steps; o->steps++) {
    /* Step each copy once. */
    int status[COPIES], body;
    for (int i = 0; i < COPIES; i++) status[i] = ali3_step(&t[i].model, t[i].data);
    if (status[GIVEN] < 0) {
      report_copy_failure(in, &t[GIVEN], status);
      return false;
    }
    if (status[HALVED] < 0 || status[ITERATED] < 0) break;
    /* Keep the largest differences. */
    if (ali3_data_report(t[GIVEN].data)->turn > 0.0)
      keep_turn(&t[GIVEN], &o->turned);
    else
      o->degraded += status[GIVEN] > 0;
    o->moved[o->steps] = ali3_data_report(t[GIVEN].data)->increment;
    o->iterations = fmax(o->iterations, model_copy_distance(in, &t[GIVEN], &t[ITERATED], &body));
    const double now = model_copy_distance(in, &t[GIVEN], &t[HALVED], &body);
    if (now > o->step) o->body = body;
    o->step = fmax(o->step, now);
  }
  return o->steps > 0;
}

/* Error of a step over its difference to two half steps: 1/(1 - 2^-order). */
static double order_factor(const ali3_options *o)
{
  const int order = o->extrapolate                                          ? 4
                    : ali3_method_is_explicit(o->method) || o->gamma == 0.5 ? ali3_method_order(o->method)
                                                                            : 1;
  return 1.0 / (1.0 - ldexp(1.0, -order));
}

static void report_errors(struct inspection *in, const struct errors *e)
{
  /* Scale the errors to one second. */
  const double time = e->steps * in->m->options.dt, step = order_factor(&in->m->options) * e->step / time,
               iterations = e->iterations / time;
  const double percent = 100.0 * step / in->length, LEAST = 1e-6;
  const bool much = step > VISIBLE_ERROR * in->length, by_iterations = iterations > 0.5 * step;
  /* Choose the remedy that changes the result most. */
  char degraded[80] = "", remedy[200] = "", freedoms[80] = "";
  if (e->degraded)
    snprintf(degraded, sizeof degraded, "; %d of %d steps did not converge", e->degraded, e->steps);
  if ((much || e->degraded) && by_iterations)
    snprintf(remedy, sizeof remedy, ": raise solver.iterations from %d to %d", in->m->options.iterations,
             in->m->options.iterations + 2);
  else if (much)
    snprintf(remedy, sizeof remedy, ": raise solver.substeps from %d to %d%s", in->m->options.substeps,
             4 * in->m->options.substeps,
             in->m->options.extrapolate || ali3_method_is_explicit(in->m->options.method)
                 ? ""
                 : ", or set solver.extrapolate: true");
  /* Put the figures into one finding. */
  struct finding *f = finding_add(
      in, step > LARGE * in->length ? FINDING_WARNING : FINDING_INFO, FINDING_ACCURACY,
      e->body >= 0 ? FINDING_OF_BODY : FINDING_OF_MODEL, e->body,
      "expected error: %s in a second (%s%.2g %% of the size of the mechanism)%s%s%s, by halving "
      "the first %d steps; more iterations change %s%s%s%s",
      quantity_length(step).text, percent < LEAST ? "below " : "", fmax(percent, LEAST),
      e->body >= 0 ? ", body \"" : "", e->body >= 0 ? in->m->body[e->body].name : "",
      e->body >= 0 ? "\"" : "", e->steps, quantity_length(iterations).text, degraded, remedy, freedoms);
  finding_add_number(f, "error_per_second", step, "m/s");
  finding_add_number(f, "error_of_iterations", iterations, "m/s");
  finding_add_number(f, "size", in->length, "m");
}

/* Time of one period, one turn or the table of a drive, s. 0: the drive is no function of time. */
static double way_of(const ali3_model *m, int force)
{
  const ali3_force_spec *s = &m->force[force].spec;
  const double TURN = 6.283185307179586;
  if (s->type != ALI3_FORCE_DRIVE || s->external) return 0.0;
  if (s->motion.n > 0) return s->motion.point[s->motion.n - 1][0];
  double way = s->amplitude != 0.0 && s->frequency > 0.0 ? 1.0 / s->frequency : 0.0;
  if (s->speed != 0.0 && ali3_model_force_turns(m, force)) way = fmax(way, TURN / fabs(s->speed));
  return way;
}

/* The drive with the largest load, which is the likely reason if the mechanism does not follow; -1: none. */
static int hardest_drive(const struct model_copy *t)
{
  int found = -1;
  double most = -1.0;
  for (int i = 0; i < t->model.forces; i++) {
    ali3_force_state s;
    if (t->model.force[i].spec.type != ALI3_FORCE_DRIVE) continue;
    ali3_force_get(&t->model, t->data, i, &s);
    if (!(fabs(s.value) > most)) continue;
    most = fabs(s.value);
    found = i;
  }
  return found;
}

static void report_end(struct inspection *in, const struct model_copy *t)
{
  const int drive = hardest_drive(t);
  const double time = ali3_data_report(t->data)->time;
  ali3_force_state s;
  if (drive < 0) return;
  ali3_force_get(&t->model, t->data, drive, &s);
  const bool turns = ali3_model_force_turns(in->m, drive);
  struct finding *f =
      finding_add(in, FINDING_WARNING, FINDING_DRIVE_REACH, FINDING_OF_FORCE, drive,
                  "drive \"%s\" leads out of reach: at t = %.3g s, %s, the mechanism cannot "
                  "follow; limit its motion, or correct the geometry",
                  inspection_force(in, drive), time, quantity_coordinate(s.target, turns).text);
  finding_add_number(f, "time", time, "s");
  finding_add_number(f, "target", s.target, turns ? "rad" : "m");
}

/* Opening of a row above which rows contradict each other: rad, or a fraction of the size of the mechanism. */
static const double OPEN_ROWS = 1e-4;

static bool has_open_rows(const struct inspection *in, const struct model_copy *t)
{
  return ali3_data_report(t->data)->position > OPEN_ROWS * fmin(1.0, fmax(in->length, 0.01));
}

/* Returns the number of steps in which the mechanism follows the drives. */
static int follow_drives(struct inspection *in, struct model_copy *t, double cost)
{
  const double LONGEST = 60.0; /* s */
  /* Follow each drive through its motion, within the time that a check may take. */
  double way = 0.0;
  for (int i = 0; i < in->m->forces; i++) way = fmax(way, way_of(in->m, i));
  if (way == 0.0 || ali3_reset(&t->model, t->data) < 0) return STEPS;
  const double wanted = ceil(fmin(way, LONGEST) / in->m->options.dt),
               steps = fmin(wanted, INSPECTION_FLOPS / cost);
  if (steps < wanted)
    finding_add(in, FINDING_INFO, FINDING_SKIPPED, FINDING_OF_MODEL, -1,
                "the drives were followed for %.3g s only, because the mechanism is large: run ali3-sim to "
                "follow them longer",
                floor(steps) * in->m->options.dt);
  /* Step until a joint opens. */
  for (int k = 0; k < (int)steps; k++) {
    const int status = ali3_step(&t->model, t->data);
    if (status >= 0 && !has_open_rows(in, t)) continue;
    report_end(in, t);
    return k;
  }
  return STEPS;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Stages of explicit methods are off the constraints by an error of the method. Near a singular position the accelerations that
 * follow from it grow without limit, and the projection at the end of such a step moves bodies much further than in other
 * steps. */
static void report_outlier(struct inspection *in, const struct errors *e)
{
  enum { BEGIN = 10 }; /* steps that begin with another method, or with the first shock */
  static const double OFTEN = 0.8, OUTLIER = 15.0, ROUNDING = 1e-11;
  double sorted[STEPS];
  const int steps = e->steps - BEGIN;
  if (!ali3_method_is_explicit(in->m->options.method) || in->m->frozen->switches || steps < 2 * BEGIN) return;
  /* compare the largest motion with that in most steps */
  memcpy(sorted, e->moved + BEGIN, (size_t)steps * sizeof *sorted);
  qsort(sorted, (size_t)steps, sizeof *sorted, by_size);
  const double often = fmax(sorted[(int)(OFTEN * steps)], ROUNDING * in->length), most = sorted[steps - 1];
  if (!(most > OUTLIER * often)) return;
  int step = BEGIN;
  while (e->moved[step] != most) step++;
  /* name the time and the remedy */
  const double time = (step + 1) * in->m->options.dt;
  struct finding *f = finding_add(in, FINDING_WARNING, FINDING_PASS, FINDING_OF_MODEL, -1,
                                  "at t = %.3g s the projection moves a body %.2g times as far as in most "
                                  "steps: near a singular position "
                                  "the error of %s depends on how close a step comes to it, so compare runs "
                                  "with 1, 2 and 3 substeps; it matters "
                                  "least for solver.method: energy with extrapolate",
                                  time, most / often, ali3_method_name(in->m->options.method));
  finding_add_number(f, "time", time, "s");
  finding_add_number(f, "ratio", most / often, "");
}

double inspection_cost(const ali3_model *m)
{
  const ali3_options *o = &m->options;
  const double inner = (o->extrapolate ? 6.0 : 1.0) * o->substeps,
               solves = ali3_method_is_explicit(o->method) ? 2.0 + explicit_evaluations(o->method)
                                                           : o->iterations + 3.0;
  return ali3_model_flops(m) + inner * solves * (200.0 * m->frozen->true_rows + 400.0 * m->bodies);
}

void inspect_accuracy(struct inspection *in)
{
  struct model_copy t[COPIES] = {{.force = NULL}};
  struct errors e = {.body = -1};
  const ali3_options *o = &in->m->options;
  /* Compute the number of steps that the comparison can afford. */
  const double cost = inspection_cost(in->m);
  const double all = cost * (3.0 + (2.0 * o->iterations + 4.0) / o->iterations);
  const int steps = (int)fmin(STEPS, INSPECTION_FLOPS / all);
  if (steps < FEWEST)
    finding_add(in, FINDING_INFO, FINDING_SKIPPED, FINDING_OF_MODEL, -1,
                "the accuracy of the steps was not measured, because the mechanism is large: compare two "
                "runs of ali3-sim "
                "with different substeps");
  /* Compare only the steps in which the drives can be followed. */
  else if (make_model_copies(in, t)) {
    const int followed = follow_drives(in, &t[GIVEN], cost);
    ali3_reset(&t[GIVEN].model, t[GIVEN].data);
    if (compare_model_copies(in, t, followed < steps ? followed - 1 : steps, &e)) {
      report_turn(in, &e.turned, e.steps);
      report_errors(in, &e);
      report_outlier(in, &e);
    }
  }
  for (int i = 0; i < COPIES; i++) model_copy_free(&t[i]);
}
