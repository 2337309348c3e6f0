/* SPDX-License-Identifier: MIT
 * Set-up. Runs the mechanism side by side with one to four iterations, with many, and with many and twice the substeps. The
 * fewest iterations suffice if their error is small beside the error of the step itself. */
#include "findings/choose.h"
#include "findings/findings_parts.h"

#include <ali3/model.h>
#include <math.h>
#include <stdio.h>

enum {
  MOST = 4,  /* iterations that may be chosen */
  MANY = 8,  /* iterations of a run without error of iterations */
  USUAL = 3, /* choice where the trial shows nothing */
  STEPS_MOST = 1000,
  STEPS_LEAST = 20
};
enum { RUN_MANY = MOST, RUN_HALVED, RUNS }; /* the runs before them have 1, 2, .. iterations */
static const double OPERATIONS = 1.5e9,     /* of all runs: about half a second */
    SMALL = 0.25,                           /* largest error of iterations relative to that of the step */
    MOVES =
        1e-9; /* smallest error of the step, relative to the size of the mechanism, from which a choice follows */

static double distance_of_runs(const struct distance_scale *scale, const struct model_copy *a,
                               const struct model_copy *b)
{
  int body;
  return distance_of_states(scale, &a->model, a->data, &b->model, b->data, &body);
}

static void free_runs(struct model_copy t[RUNS])
{
  for (int i = 0; i < RUNS; i++) model_copy_free(&t[i]);
}

/* False: the model is refused, or there is no memory; t is empty then. */
static bool make_runs(const ali3_model *m, const ali3_options *options, struct model_copy t[RUNS])
{
  for (int i = 0; i < RUNS; i++) {
    ali3_options o = *options;
    o.iterations = i < MOST ? i + 1 : MANY;
    if (i == RUN_HALVED) o.substeps *= 2;
    if (model_copy_make(&t[i], m, &o, NULL) && ali3_reset(&t[i].model, t[i].data) >= 0) continue;
    free_runs(t);
    return false;
  }
  return true;
}

/* Steps all runs side by side. converges: runs whose steps all converged, among those of 1, 2, .. iterations. */
static void compare_run_steps(const struct distance_scale *scale, struct model_copy t[RUNS], int steps,
                              double iterating[MOST], bool converges[MOST], struct iterations_choice *o)
{
  for (o->steps = 0; o->steps < steps; o->steps++) {
    int status[RUNS];
    for (int i = 0; i < RUNS; i++) status[i] = ali3_step(&t[i].model, t[i].data);
    if (status[RUN_MANY] < 0 || status[RUN_HALVED] < 0) break;
    o->step = fmax(o->step, distance_of_runs(scale, &t[RUN_MANY], &t[RUN_HALVED]));
    for (int i = 0; i < MOST; i++) {
      iterating[i] = fmax(iterating[i], distance_of_runs(scale, &t[i], &t[RUN_MANY]));
      converges[i] &= status[i] == ALI3_OK || status[i] == status[RUN_MANY];
    }
  }
}

void choose_iterations(const ali3_model *m, const ali3_options *options, struct iterations_choice *o)
{
  struct model_copy t[RUNS] = {{.force = NULL}};
  struct distance_scale scale;
  *o = (struct iterations_choice){.iterations = USUAL};
  if (ali3_method_is_explicit(options->method) || 2 * options->substeps > 1000 || !make_runs(m, options, t))
    return;
  /* step as long as the trial may take */
  double operations = 0.0, iterating[MOST] = {0.0};
  bool converges[MOST] = {true, true, true, true};
  for (int i = 0; i < RUNS; i++) operations += inspection_cost(&t[i].model);
  const int steps = (int)fmin(STEPS_MOST, OPERATIONS / operations);
  if (steps >= STEPS_LEAST && distance_scale_make(&scale, &t[RUN_MANY].model)) {
    compare_run_steps(&scale, t, steps, iterating, converges, o);
    distance_scale_free(&scale);
  }
  /* take the fewest that suffice */
  const bool moves = o->step > MOVES * t[RUN_MANY].model.frozen->length && o->steps >= STEPS_LEAST;
  int k = 0;
  while (k < MOST && !(converges[k] && iterating[k] <= SMALL * o->step)) k++;
  if (!moves) o->steps = 0;
  if (moves && k < MOST) o->iterations = k + 1;
  o->iterating = iterating[o->iterations - 1];
  free_runs(t);
}

void choose_iterations_text(const struct iterations_choice *o, double dt, char *text, size_t size)
{
  if (o->steps == 0)
    snprintf(
        text, size,
        "solver.iterations: auto takes %d, because the first steps of this mechanism and method show nothing",
        o->iterations);
  else
    snprintf(text, size,
             "solver.iterations: auto takes %d: in the first %.3g s they move a body by %.2g m from the "
             "motion with "
             "%d, and halving the step moves it by %.2g m",
             o->iterations, o->steps * dt, o->iterating, MANY, o->step);
}
