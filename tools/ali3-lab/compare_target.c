/* SPDX-License-Identifier: MIT
 * ali3-lab compare: the solution that errors are measured against. It is a row of a reference, or it is computed: by
 * ode45 with projections at tolerance 1e-11, and by the product's extrapolated step of 0.5 ms. These two share neither
 * equations nor integrator, so their difference tells how well the solution is known. */
#include "compare.h"

#include <ali3/model.h>
#include <math.h>
#include <stdlib.h>

static const double fine_step = 5e-4, fine_tolerance = 1e-11, fine_alpha = 1e6, fine_limit = 1e-5;

struct target {
  struct reference *reference; /* NULL: computed */
  long row;
  int bodies;
  struct lab_body *body; /* (bodies), computed */
  int joints;
  struct lab_reaction *reaction; /* (joints), computed */
};

void target_free(struct target *t)
{
  if (!t) return;
  reference_close(t->reference);
  free(t->body);
  free(t->reaction);
  free(t);
}

static double body_difference(const struct lab_body *a, const struct lab_body *b)
{
  double dot = 0, worst = 0;
  for (int k = 0; k < 4; k++) dot += a->orientation[k] * b->orientation[k];
  const double sign = dot < 0 ? -1 : 1; /* p and -p are one orientation */
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(a->position[k] - b->position[k]));
  for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(a->orientation[k] - sign * b->orientation[k]));
  return isnan(a->position[0]) || isnan(b->position[0]) ? NAN : worst;
}

double target_error(const struct target *t, const struct lab_state *s)
{
  double worst = 0;
  if (t->reference) return reference_error(t->reference, t->row, s);
  for (int b = 0; b < t->bodies; b++) {
    struct lab_body body;
    lab_body_get(s, b, &body);
    const double difference = body_difference(&t->body[b], &body);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

static double reaction_difference(const struct lab_reaction *a, const struct lab_reaction *b)
{
  double worst = 0;
  for (int k = 0; k < 3; k++) {
    const double force = fabs(a->force[k] - b->force[k]), torque = fabs(a->torque[k] - b->torque[k]);
    if (!(force <= worst)) worst = force;
    if (!(torque <= worst)) worst = torque;
  }
  return worst;
}

static double largest_reaction_difference(const struct lab_reaction *a, const struct lab_reaction *b,
                                          int joints)
{
  double worst = 0;
  for (int j = 0; j < joints; j++) {
    const double difference = reaction_difference(&a[j], &b[j]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

double target_force_error(const struct target *t, const struct lab_state *s)
{
  if (!t->reaction) return NAN;
  struct lab_reaction *found = calloc((size_t)t->joints + 1, sizeof *found);
  const double worst =
      found && lab_reactions_get(s, found) ? largest_reaction_difference(t->reaction, found, t->joints) : NAN;
  free(found);
  return worst;
}

struct fine_view {
  struct lab_body *body;
  struct lab_reaction *reaction;
  bool reacts; /* the reactions were found */
  int bodies;
  double part, share, duration; /* progress at the start of this run, and its share */
  struct progress *progress;
};

static bool keep_bodies(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct fine_view *v = user;
  for (int b = 0; b < v->bodies; b++) lab_body_get(s, b, &v->body[b]);
  if (sample->time >= v->duration * (1 - 1e-12)) v->reacts = lab_reactions_get(s, v->reaction);
  progress_show(v->progress, v->part + v->share * sample->time / v->duration, "fine solution");
  return !interrupted();
}

/* Runs a method to the end; its bodies into v->body. */
static bool run_fine_solution(const struct problem *p, const char *method, const char *integrator,
                              struct fine_view *v)
{
  const struct lab_watch watch = {.user = v, .step = keep_bodies};
  struct lab_run r = lab_run_default();
  struct lab_result o;
  r.formulation = lab_find_formulation(method);
  r.integrator = lab_find_integrator(integrator);
  r.duration = v->duration;
  r.dt = v->duration / ceil(v->duration / fine_step);
  r.rtol = r.atol = fine_tolerance;
  r.alpha = fine_alpha;
  return lab_run(p, &r, &watch, &o) == LAB_OK;
}

static bool compute_target(struct target *t, const struct problem *p, double duration, double *floor,
                           double *force_floor)
{
  struct progress progress = progress_start();
  struct lab_body *other = calloc((size_t)p->bodies, sizeof *other);
  t->bodies = p->bodies;
  t->body = calloc((size_t)p->bodies, sizeof *t->body);
  t->joints = ali3_model_joints(p->model);
  t->reaction = calloc((size_t)t->joints + 1, sizeof *t->reaction);
  struct lab_reaction *other_reaction = calloc((size_t)t->joints + 1, sizeof *other_reaction);
  struct fine_view first = {t->body, t->reaction, false, p->bodies, 0, 0.5, duration, &progress},
                   second = {other, other_reaction, false, p->bodies, 0.5, 0.5, duration, &progress};
  /* Two solutions, and their difference. */
  bool good = other && t->body && t->reaction && other_reaction &&
              run_fine_solution(p, "al1-dca-projected", "ode45", &first) &&
              run_fine_solution(p, "product", "stepx", &second);
  *floor = 0;
  for (int b = 0; b < p->bodies && good; b++) {
    const double difference = body_difference(&t->body[b], &other[b]);
    if (!(difference <= *floor)) *floor = difference;
  }
  if (good)
    *force_floor = first.reacts && second.reacts
                       ? largest_reaction_difference(t->reaction, other_reaction, t->joints)
                       : NAN;
  free(other);
  free(other_reaction);
  progress_end(&progress);
  if (interrupted()) return false;
  if (good && *floor < fine_limit) return true;
  fprintf(stderr,
          "ali3-lab: compare: two fine solutions differ by %.1e at %g s, so there is nothing to compare "
          "with; give a "
          "--reference, or a shorter --duration\n",
          good ? *floor : NAN, duration);
  return false;
}

struct target *target_new(const struct compare_options *o, const struct model_file *f, double duration,
                          double *floor, double *force_floor)
{
  struct target *t = calloc(1, sizeof *t);
  struct problem p;
  bool good = t;
  *floor = 0;
  *force_floor = NAN;
  /* A row of the file, or a solution of its own. */
  if (good && o->reference) {
    t->reference = reference_open(o->reference, model_file_model(f));
    t->row = t->reference ? reference_row(t->reference, duration) : -1;
    good = t->row >= 0;
    if (t->reference && !good)
      fprintf(stderr, "ali3-lab: %s: expected a row for %g s, the end of the runs; set --duration\n",
              o->reference, duration);
  } else if (good) {
    good = model_file_problem(f, &description_absolute, &p);
    if (good) {
      good = compute_target(t, &p, duration, floor, force_floor);
      problem_free(&p);
    }
  }
  if (good) return t;
  target_free(t);
  return NULL;
}
