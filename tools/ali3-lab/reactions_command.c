/* SPDX-License-Identifier: MIT
 * ali3-lab reactions: one component of the reaction of a joint over time by all formulations side by side, beside the exact one,
 * as CSV and as a picture. Each formulation has a fixed step: nr where it has a Newton form, else tr, or the plain step of the
 * product. Exact is a reference, or the product's extrapolated step of a tenth of the step. */
#include "common/gnuplot.h"
#include "compare.h"

#include "outfile/outfile.h"

#include <ali3/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENTS = 6, METHODS_MOST = 40, FINER = 10 };
static const char *const component_name[COMPONENTS] = {"force.x",  "force.y",  "force.z",
                                                       "torque.x", "torque.y", "torque.z"};

struct reaction_column {
  char name[80];
  double *value; /* (rows); NaN: the run did not come so far */
  double largest;
};

struct reaction_sheet {
  const struct reactions_options *options;
  int joint, component, joints, columns; /* the first column is the exact one */
  long rows;
  double dt;
  struct reaction_column column[METHODS_MOST];
  struct lab_reaction *reaction; /* (joints) */
};

/* A run, and the column that it fills. */
struct reaction_view {
  struct reaction_sheet *sheet;
  struct reaction_column *column;
  long steps, every;
};

static double component_of(const struct lab_reaction *r, int component)
{
  return component < 3 ? r->force[component] : r->torque[component - 3];
}

static bool take_reaction(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  struct reaction_view *v = user;
  const long row = v->steps / v->every;
  (void)sample;
  if (v->steps++ % v->every != 0 || row >= v->sheet->rows) return !interrupted();
  if (!lab_reactions_get(s, v->sheet->reaction)) return true;
  const double value = component_of(&v->sheet->reaction[v->sheet->joint], v->sheet->component);
  v->column->value[row] = value;
  v->column->largest = fmax(v->column->largest, fabs(value));
  return !interrupted();
}

/* NULL: out of memory, or there is no room for more. */
static struct reaction_column *add_reaction_column(struct reaction_sheet *t, const char *formulation,
                                                   const char *integrator)
{
  struct reaction_column *c = &t->column[t->columns];
  if (t->columns == METHODS_MOST || !(c->value = calloc((size_t)t->rows, sizeof *c->value))) return NULL;
  for (long i = 0; i < t->rows; i++) c->value[i] = NAN;
  snprintf(c->name, sizeof c->name, "%s%s%s", formulation, integrator ? "/" : "",
           integrator ? integrator : "");
  t->columns++;
  return c;
}

static bool run_column(struct reaction_sheet *t, const struct problem *p, const char *formulation,
                       const char *integrator, struct reaction_column *column, long finer)
{
  struct reaction_view view = {.sheet = t, .column = column, .every = finer};
  const struct lab_watch watch = {.user = &view, .step = take_reaction};
  struct lab_result result;
  const struct lab_run r =
      compare_method_run(lab_find_formulation(formulation), lab_find_integrator(integrator),
                         (double)(t->rows - 1) * t->dt, t->dt / (double)finer);
  return column && lab_run(p, &r, &watch, &result) != LAB_NO_MEMORY;
}

/* The first column: from the reference where it has a row for a time, or computed. False after a message. */
static bool fill_exact(struct reaction_sheet *t, const struct model_file *f)
{
  const struct reactions_options *o = t->options;
  struct reaction_column *c = add_reaction_column(t, "exact", NULL);
  struct problem p;
  char signal[300];
  if (!c) return false;
  if (!o->reference) {
    if (!model_file_problem(f, &description_absolute, &p)) return false;
    const bool good = run_column(t, &p, "product", "stepx", c, FINER);
    problem_free(&p);
    return good;
  }
  /* A column of the file. */
  struct reference *reference = reference_open(o->reference, NULL);
  snprintf(signal, sizeof signal, "joint.%s.%s", o->joint, component_name[t->component]);
  const int column = reference ? reference_column(reference, signal) : -1;
  if (reference && column < 0)
    fprintf(stderr, "ali3-lab: %s: expected a column %s, found none\n", o->reference, signal);
  for (long i = 0; column >= 0 && i < t->rows; i++) {
    const long row = reference_row(reference, (double)i * t->dt);
    if (row < 0) continue;
    c->value[i] = reference_value(reference, row, column);
    c->largest = fmax(c->largest, fabs(c->value[i]));
  }
  reference_close(reference);
  return column >= 0;
}

/* The integrator that a formulation has here; NULL: none. */
static const char *fixed_integrator(const struct problem *p, const struct formulation *f)
{
  static const char *const choice[] = {"nr", "tr", "step"};
  for (size_t k = 0; k < sizeof choice / sizeof *choice; k++)
    if (compare_method_fits(p, f, lab_find_integrator(choice[k]))) return choice[k];
  return NULL;
}

static bool fill_methods(struct reaction_sheet *t, const struct model_file *f)
{
  struct compare_problems problems = {0};
  bool good = true;
  compare_make_problems(f, &problems, stderr);
  for (int k = 0; lab_formulations[k] && good && !interrupted(); k++) {
    const struct formulation *formulation = lab_formulations[k];
    const struct problem *p = compare_problem_of(&problems, formulation);
    const char *integrator = p ? fixed_integrator(p, formulation) : NULL;
    if (!integrator ||
        !compare_method_asked(t->options->methods, formulation, lab_find_integrator(integrator)))
      continue;
    struct reaction_column *c = add_reaction_column(t, formulation->name, integrator);
    good = run_column(t, p, formulation->name, integrator, c, 1);
  }
  compare_free_problems(&problems);
  return good;
}

static bool write_reactions(const struct reaction_sheet *t)
{
  const char *file = t->options->csv;
  FILE *out = outfile_open_or_standard("--csv", file);
  if (!out) return false;
  /* The head, then a line for each step. */
  fputs("time", out);
  for (int k = 0; k < t->columns; k++) fprintf(out, ",%s", t->column[k].name);
  for (long i = 0; i < t->rows; i++) {
    fprintf(out, "\n%.9g", (double)i * t->dt);
    for (int k = 0; k < t->columns; k++) fprintf(out, ",%.9g", t->column[k].value[i]);
  }
  fputc('\n', out);
  return outfile_close(out, "--csv", file);
}

/* Lines of all formulations over a black one. The picture ends at twice the exact reaction, the legend has the largest. */
static bool draw_reactions(const struct reaction_sheet *t)
{
  const struct reactions_options *o = t->options;
  FILE *out = gnuplot_start("--png", o->png, "1500,800");
  char title[400];
  if (!out) return false;
  fprintf(out, "$d << EOD\n");
  for (long i = 0; i < t->rows; i++) {
    fprintf(out, "%.9g", (double)i * t->dt);
    for (int k = 0; k < t->columns; k++) fprintf(out, " %.9g", t->column[k].value[i]);
    fprintf(out, "\n");
  }
  /* The axes and the lines. */
  const double most = 2 * fmax(t->column[0].largest, 1e-12);
  snprintf(title, sizeof title, "%s: joint %s, %s, steps of %g s", o->file, o->joint,
           component_name[t->component], t->dt);
  fprintf(out,
          "EOD\nset grid\nset xlabel 'time, s'\nset ylabel '%s'\nset yrange [%.9g:%.9g]\nset key outside "
          "right noenhanced\n"
          "set datafile missing 'nan'\nset title ",
          t->component < 3 ? "N" : "N m", -most, most);
  gnuplot_quote(out, title);
  fprintf(out, " noenhanced\nplot ");
  for (int k = 0; k < t->columns; k++)
    fprintf(out, "%s$d using 1:%d with %s title '%s: at most %.3g'", k ? ", " : "", k + 2,
            k              ? "lines lw 1.2"
            : o->reference ? "points pt 7 ps 0.7 lc black"
                           : "lines lw 3 lc black",
            t->column[k].name, t->column[k].largest);
  fprintf(out, "\n");
  return gnuplot_end(out, "--png", o->png);
}

/* False after a message. */
static bool choose_reaction(struct reaction_sheet *t, const ali3_model *m)
{
  const struct reactions_options *o = t->options;
  t->joint = ali3_model_find_joint(m, o->joint);
  t->component = -1;
  for (int i = 0; i < COMPONENTS; i++)
    if (strcmp(o->component, component_name[i]) == 0) t->component = i;
  if (t->joint < 0)
    fprintf(stderr, "ali3-lab: --joint: expected a joint of the model, found %s\n", o->joint);
  else if (t->component < 0)
    fprintf(stderr, "ali3-lab: --component: expected force.x, .., torque.z, found %s\n", o->component);
  return t->joint >= 0 && t->component >= 0;
}

int reactions_command(const struct reactions_options *o)
{
  enum { ROWS_MOST = 1000000 };
  struct model_file *f = compare_check_globs(o->methods) ? model_file_open(o->file, o->sets) : NULL;
  struct reaction_sheet t = {.options = o, .dt = o->dt};
  if (!f) return EXIT_USAGE;
  const double duration = o->duration > 0 ? o->duration : model_file_duration(f);
  t.rows = lround(fmin(duration / o->dt, 2 * ROWS_MOST)) + 1;
  bool good = choose_reaction(&t, model_file_model(f));
  if (good && (t.rows < 2 || t.rows > ROWS_MOST)) {
    fprintf(stderr, "ali3-lab: expected a duration of 1 to %d steps, found %g s at %g s a step\n", ROWS_MOST,
            duration, o->dt);
    good = false;
  }
  /* The exact reaction, then all formulations. */
  catch_signals();
  t.joints = ali3_model_joints(model_file_model(f));
  t.reaction = calloc((size_t)t.joints + 1, sizeof *t.reaction);
  good = good && t.reaction && fill_exact(&t, f) && fill_methods(&t, f);
  int status = good ? EXIT_GOOD : EXIT_USAGE;
  if (good && o->csv && !write_reactions(&t)) status = EXIT_RUN;
  if (good && o->png && !draw_reactions(&t)) status = EXIT_RUN;
  for (int k = 0; k < t.columns; k++) free(t.column[k].value);
  free(t.reaction);
  model_file_close(f);
  return interrupted() ? EXIT_RUN : status;
}
