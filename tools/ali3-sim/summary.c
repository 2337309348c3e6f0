/* SPDX-License-Identifier: MIT
 * ali3-sim: the figures of a run, as JSON or as a few lines of text. */
#include "common/ranks.h"
#include "sim.h"

#include "outfile/outfile.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* JSON has no NaN. */
static json_t *real_json(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}

const char *outcome_word(const struct result *r)
{
  if (r->interrupted) return "interrupted";
  if (r->status >= 0 && r->violated > 0) return "violated";
  if (r->status >= 0 && r->degraded > 0) return "degraded";
  return ali3_status_text(r->status);
}

static json_t *to_json(const ali3_model *m, int workers, const struct result *r)
{
  const ali3_options *o = ali3_model_options(m);
  bool begun = isfinite(r->min);
  /* Pack model, run and figures into one object. */
  return json_pack(
      "{s:s, s:i, s:i, s:i, s:s, s:f, s:i, s:i, s:b, s:i, s:s, s:s, s:I, s:f, s:I, s:I,"
      " s:I, s:{s:o, s:o, s:o, s:o}, s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o, s:o, s:o, s:o}, s:{s:o}, s:{s:f, "
      "s:f, s:f, s:f}}",
      "model", ali3_model_name(m), "bodies", ali3_model_bodies(m), "joints", ali3_model_joints(m), "rows",
      ali3_model_rows(m), "method", ali3_method_name(o->method), "dt", o->dt, "iterations", o->iterations,
      "substeps", o->substeps, "extrapolate", r->extrapolation.combined, "workers", workers, "isa",
      ali3_model_isa(m), "outcome", outcome_word(r), "steps", (json_int_t)r->steps, "wall_s", r->wall_s,
      "degraded_steps", (json_int_t)r->degraded, "violated_steps", (json_int_t)r->violated, "retried_steps",
      (json_int_t)r->retried, "step_us", "min", real_json(percentile_us(r->step_ns, r->steps, 0)), "median",
      real_json(percentile_us(r->step_ns, r->steps, 0.5)), "p99",
      real_json(percentile_us(r->step_ns, r->steps, 0.99)), "max",
      real_json(percentile_us(r->step_ns, r->steps, 1)), "constraint", "position", real_json(r->position),
      "velocity", real_json(r->velocity), "acceleration", real_json(r->acceleration), "energy", "initial",
      real_json(begun ? r->initial : NAN), "min", real_json(r->min), "max", real_json(r->max), "final",
      real_json(begun ? r->final : NAN), "supplied", real_json(r->supplied), "lost", real_json(r->lost),
      "newton", "last_increment_max", real_json(r->increment), "initial", "moved_position",
      r->moved.moved_position, "moved_orientation", r->moved.moved_orientation, "moved_velocity",
      r->moved.moved_velocity, "moved_angular_velocity", r->moved.moved_angular_velocity);
}

/* {"body.A.position.x": {"max": .., ..}, ..}. NULL when out of memory. */
static json_t *quantities_json(const struct quantities *q)
{
  json_t *all = json_object();
  for (int i = 0; i < q->columns; i++) {
    const struct quantity *c = &q->column[i];
    json_t *one = json_object();
    for (int k = 0; k < QUANTITIES; k++)
      json_object_set_new(one, quantity_word[k], c->samples ? real_json(c->value[k]) : json_null());
    if (json_object_set_new(all, c->name, one) == 0) continue;
    json_decref(all);
    return NULL;
  }
  return all;
}

static bool write_summary_json(const char *file, json_t *json)
{
  FILE *out = outfile_open_or_standard("--summary", file);
  if (!out) return false;
  json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  fputc('\n', out);
  return outfile_close(out, "--summary", file);
}

static void print_quantities(const struct quantities *q)
{
  for (int i = 0; i < q->columns; i++) {
    const struct quantity *c = &q->column[i];
    printf("%s ", c->name);
    for (int k = 0; k < QUANTITIES && c->samples > 0; k++) printf(" %s %.10g", quantity_word[k], c->value[k]);
    puts(c->samples > 0 ? "" : " no sample in its window");
  }
}

static bool write_summary_text(const ali3_model *m, int workers, const struct quantities *q,
                               const struct result *r)
{
  /* Print the model and the outcome. */
  const ali3_options *o = ali3_model_options(m);
  printf("%s: %d bodies, %d joints, %d rows; dt %g s, %d iterations, %d workers, %s\n", ali3_model_name(m),
         ali3_model_bodies(m), ali3_model_joints(m), ali3_model_rows(m), o->dt, o->iterations, workers,
         ali3_model_isa(m));
  printf("%ld steps (%g s) in %.3g s: %s; %ld steps degraded, %ld of them violated\n", r->steps,
         (double)r->steps * o->dt, r->wall_s, outcome_word(r), r->degraded, r->violated);
  if (o->extrapolate && r->extrapolation.stopped >= 0)
    printf("steps are not extrapolated, because %s oscillates with fewer than four steps a period\n",
           ali3_model_force_name(m, r->extrapolation.stopped));
  if (r->retried > 0) printf("%ld steps failed or were degraded, and were computed once more\n", r->retried);
  if (r->moved.body_position >= 0)
    printf("initial state moved onto the constraints by up to %.3g m, body %s furthest\n",
           r->moved.moved_position, ali3_model_body_name(m, r->moved.body_position));
  /* Print the figures of the steps, if there are any. */
  if (r->steps > 0)
    printf("step        min %.1f  median %.1f  p99 %.1f  max %.1f us\n",
           percentile_us(r->step_ns, r->steps, 0), percentile_us(r->step_ns, r->steps, 0.5),
           percentile_us(r->step_ns, r->steps, 0.99), percentile_us(r->step_ns, r->steps, 1));
  if (isfinite(r->min)) {
    printf("constraint  position %.3g  velocity %.3g  acceleration %.3g (largest)\n", r->position,
           r->velocity, r->acceleration);
    printf("energy      initial %.10g  min %.10g  max %.10g  final %.10g J\n", r->initial, r->min, r->max,
           r->final);
    if (r->actuated)
      printf("actuators   supplied %.10g  lost %.10g J; energy less supplied plus lost changed by %.3g J\n",
             r->supplied, r->lost, r->final - r->initial - r->supplied + r->lost);
    printf("newton      last increment %.3g (largest)\n", r->increment);
  }
  if (q) print_quantities(q);
  return fflush(stdout) == 0;
}

void summary_failure(const struct settings *s, const ali3_data *d, const struct result *r)
{
  const ali3_model *m = s->model;
  const double time = ali3_data_report(d)->time;
  if (r->interrupted) {
    fprintf(stderr, "ali3-sim: interrupted at %g s, after %ld of %ld steps\n", time, r->steps, r->planned);
    return;
  }
  char text[2400], lines[60]; /* a list of joints may be long */
  ali3_report_text(m, d, text, sizeof text);
  settings_drive_lines(s, ali3_data_violation(d), lines, sizeof lines);
  fprintf(stderr, "ali3-sim: at %g s, after %ld steps: %s%s\n", time, r->steps, text, lines);
}

void summary_start(const ali3_model *m, const ali3_data *d)
{
  const ali3_initial *i = ali3_data_initial(d);
  const char *unit = i->rate_turns ? "rad/s" : "m/s";
  if (i->body_rate < 0) return;
  fprintf(stderr,
          "ali3-sim: body \"%s\" starts with %.4g %s, and the file gives %.4g %s: the joints and the other "
          "rates allow no "
          "more\n",
          ali3_model_body_name(m, i->body_rate), i->rate_possible, unit, i->rate_given, unit);
}

static void summary_unresolved(const struct result *r)
{
  if (r->unresolved == 0) return;
  fprintf(stderr, "ali3-sim: %ld of %ld steps do not resolve a rotation, the first at %g s: %s\n",
          r->unresolved, r->steps, r->unresolved_time, r->unresolved_text);
}

static void summary_violated(const ali3_model *m, const struct result *r)
{
  char text[600];
  if (r->violated == 0) return;
  ali3_violation_text(m, &r->violation, text, sizeof text);
  fprintf(stderr, "ali3-sim: %ld of %ld steps are violated, the first at %g s: %s\n", r->violated, r->steps,
          r->violated_time, text);
}

void summary_degraded(const ali3_model *m, const struct result *r)
{
  const long slow = r->degraded - r->violated - r->unresolved;
  summary_violated(m, r);
  summary_unresolved(r);
  if (slow > 0)
    fprintf(
        stderr,
        "ali3-sim: %ld of %ld steps are degraded: their iterations did not converge; use more --iterations, "
        "a smaller --dt or more --substeps\n",
        slow, r->steps);
}

bool summary_write(const char *file, const ali3_model *m, int workers, const struct quantities *q,
                   struct result *r)
{
  qsort(r->step_ns, (size_t)r->steps, sizeof *r->step_ns, compare_times_ns);
  if (!file) return write_summary_text(m, workers, q, r);
  json_t *json = to_json(m, workers, r);
  if (json && q && json_object_set_new(json, "quantities", quantities_json(q)) != 0) {
    json_decref(json);
    json = NULL;
  }
  if (!json) fprintf(stderr, "ali3-sim: out of memory\n");
  bool good = json && write_summary_json(file, json);
  json_decref(json);
  return good;
}
