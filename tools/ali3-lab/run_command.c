/* SPDX-License-Identifier: MIT
 * ali3-lab run: one run, its signals and its figures. */
#include "lab_tool.h"

#include "outfile/outfile.h"

#include <ali3/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run_view {
  const struct run_options *options;
  struct sheet *sheet;
  struct progress progress;
  long steps;
};

static bool look_at_step(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct run_view *v = user;
  if (v->sheet && v->steps % v->options->every == 0) sheet_row(v->sheet, s, sample);
  if (v->steps++ % 256 == 0) progress_show(&v->progress, sample->time / v->options->run.duration, "");
  return !interrupted();
}

json_t *json_number(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}

bool json_write(const char *option, const char *file, json_t *json)
{
  if (!json) {
    fprintf(stderr, "ali3-lab: out of memory\n");
    return false;
  }
  FILE *out = outfile_open_or_standard(option, file);
  if (out) json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  if (out) fputc('\n', out);
  json_decref(json);
  return out && outfile_close(out, option, file);
}

static double ratio_or_nan(double a, long b)
{
  return b > 0 ? a / (double)b : NAN;
}

static json_t *run_to_json(const struct problem *p, const struct lab_run *r, const struct lab_result *o)
{
  /* The format names every key; arguments follow in its order. */
  return json_pack(
      "{s:s, s:s, s:s, s:s, s:i, s:i, s:{s:f, s:f, s:f, s:f, s:f, s:i, s:s, s:f, s:f, s:f}, s:s, "
      "s:f, s:I, s:I, s:I, s:f, s:o,"
      " s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}, s:{s:o, s:i, s:I, s:I}, s:{s:o}}",
      "model", ali3_model_name(p->model), "method", r->formulation->name, "integrator", r->integrator->name,
      "coordinates", p->kind->name, "unknowns", p->n, "rows", p->m, "parameters", "dt", r->dt, "alpha",
      r->alpha, "omega", r->omega, "xi", r->xi, "tolerance", r->tolerance, "iterations", r->iterations,
      "norm", r->norm_qp ? "qp" : "q", "rtol", r->rtol, "atol", r->atol, "reset", r->reset, "outcome",
      lab_status_text(o->status), "time", o->time, "steps", (json_int_t)o->steps, "rejected_steps",
      (json_int_t)o->rejected, "calls", (json_int_t)o->calls, "wall_s", o->seconds, "step_us",
      json_number(1e6 * ratio_or_nan(o->seconds, o->steps)), "energy", "initial", json_number(o->initial),
      "final", json_number(o->final), "drift", json_number(o->drift), "constraint", "position",
      json_number(o->position), "velocity", json_number(o->velocity), "acceleration",
      json_number(o->acceleration), "iterations", "mean",
      json_number(ratio_or_nan((double)o->iterations, o->steps)), "max", o->most, "interrupted_steps",
      (json_int_t)o->interrupted, "unsolved_steps", (json_int_t)o->unsolved, "multipliers", "updates_mean",
      json_number(ratio_or_nan((double)o->inner, o->solves)));
}

static void run_in_words(const struct problem *p, const struct lab_run *r, const struct lab_result *o)
{
  printf("%s: %s with %s in %s coordinates, %d unknowns, %d rows\n", ali3_model_name(p->model),
         r->formulation->name, r->integrator->name, p->kind->name, p->n, p->m);
  printf("%ld steps to %g s in %.3g s: %s; %ld rejected\n", o->steps, o->time, o->seconds,
         lab_status_text(o->status), o->rejected);
  printf("calls       %ld, %.3g a step\n", o->calls, ratio_or_nan((double)o->calls, o->steps));
  if (o->iterations > 0)
    printf("iterations  mean %.3g  max %d; %ld steps interrupted, %ld not converged\n",
           ratio_or_nan((double)o->iterations, o->steps), o->most, o->interrupted, o->unsolved);
  if (o->solves > 0)
    printf("multipliers %.3g updates in a call\n", ratio_or_nan((double)o->inner, o->solves));
  printf("energy      initial %.10g  final %.10g  drift %.4g J\n", o->initial, o->final, o->drift);
  printf("constraint  position %.3g  velocity %.3g  acceleration %.3g (largest)\n", o->position, o->velocity,
         o->acceleration);
}

static bool run_report(const struct run_options *o, const struct problem *p, const struct lab_run *r,
                       const struct lab_result *result)
{
  if (result->status != LAB_OK)
    fprintf(stderr, "ali3-lab: at %g s, after %ld steps: %s\n", result->time, result->steps,
            lab_status_text(result->status));
  if (o->summary) return json_write("--summary", o->summary, run_to_json(p, r, result));
  if (!o->output || strcmp(o->output, "-") != 0) run_in_words(p, r, result);
  return fflush(stdout) == 0;
}

static int run_problem(const struct run_options *o, const struct problem *p, const struct lab_run *r)
{
  char text[200];
  /* Options that do not go together. */
  const char *why = lab_unsuitable(p, r, text, sizeof text);
  if (why) {
    fprintf(stderr, "ali3-lab: %s: %s\n", o->file, why);
    return EXIT_USAGE;
  }
  if (!r->integrator->adaptive && !(r->duration / r->dt >= 0.5 && r->duration / r->dt < 1e12)) {
    fprintf(stderr, "ali3-lab: expected a duration of 1 to 1e12 steps, found %g s at %g s a step\n",
            r->duration, r->dt);
    return EXIT_USAGE;
  }
  /* The run. */
  struct run_view view = {.options = o, .progress = progress_start()};
  if (o->output && !(view.sheet = sheet_open(o->output, o->signals, p->model))) return EXIT_USAGE;
  const struct lab_watch watch = {.user = &view, .step = look_at_step};
  struct lab_result result;
  catch_signals();
  lab_run(p, r, &watch, &result);
  progress_end(&view.progress);
  /* Sheet and summary, also after a run that failed. */
  bool good = !view.sheet || sheet_close(view.sheet);
  good &= run_report(o, p, r, &result);
  return good && result.status == LAB_OK ? EXIT_GOOD : EXIT_RUN;
}

int run_command(const struct run_options *o)
{
  struct lab_run r = o->run;
  struct model_file *f = model_file_open(o->file, &o->sets);
  struct problem p;
  if (!f) return EXIT_USAGE;
  /* The duration of the file and the coordinates of the method, unless options say otherwise. */
  if (!o->duration_given) r.duration = model_file_duration(f);
  r.violations = true;
  int status = EXIT_USAGE;
  const struct description *kind = o->kind               ? o->kind
                                   : r.formulation->only ? r.formulation->only
                                                         : &description_natural;
  if (model_file_problem(f, kind, &p)) {
    struct run_options with_duration = *o;
    with_duration.run = r;
    status = run_problem(&with_duration, &p, &r);
    problem_free(&p);
  }
  model_file_close(f);
  return status;
}
