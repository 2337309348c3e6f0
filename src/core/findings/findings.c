/* SPDX-License-Identifier: MIT
 * The list of findings, and the order in which the parts of the inspection run. */
#include "findings/findings_parts.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *finding_severity_name(enum finding_severity s)
{
  return s == FINDING_ERROR ? "error" : s == FINDING_WARNING ? "warning" : "info";
}

const char *finding_kind_name(enum finding_kind kind)
{
  static const char *const name[] = {"model", "body", "joint", "force"};
  return name[kind];
}

/* Fills in the measures of the mechanism. */
static void measure_mechanism(struct inspection *in)
{
  const ali3_model *m = in->m;
  /* Add up the masses and find the largest arm. */
  for (int b = 0; b < m->bodies; b++) {
    in->mass += m->body[b].spec.mass;
    in->arm = fmax(in->arm, in->scale.reach[b]);
  }
  const double g = sqrt(v3_dot(m->gravity, m->gravity));
  in->weight = in->mass * (g > 0.0 ? g : 9.81);
  in->length = m->frozen->length;
}

static bool has_errors(const struct inspection *in)
{
  return findings_of(in->to, FINDING_ERROR) > 0;
}

static void report_skipped(struct inspection *in)
{
  for (int id = 0; id < FINDING_SKIPPED; id++)
    if (in->found[id] > FINDINGS_LISTED)
      finding_add(in, FINDING_INFO, FINDING_SKIPPED, FINDING_OF_MODEL, -1,
                  "%d more findings [%s] are not listed", in->found[id] - FINDINGS_LISTED,
                  finding_name((enum finding_id)id));
}

/* A step that is computed once more takes both attempts, and the first one again if the second one fails. */
static void report_retry(struct inspection *in)
{
  const ali3_options *o = &in->m->options;
  const double cycle = (2.0 + o->retry) * in->given->step;
  if (o->retry == 0) return;
  struct finding *f = finding_add(
      in, cycle > 0.8 * o->dt ? FINDING_WARNING : FINDING_INFO, FINDING_RETRY, FINDING_OF_MODEL, -1,
      "a step that fails or is degraded is computed once more with %d times the inner steps: such a cycle "
      "needs up to %.3g us of "
      "the period of %.6g us for its step, and others %.3g us%s",
      o->retry, 1e6 * cycle, 1e6 * o->dt, 1e6 * in->given->step,
      cycle > 0.8 * o->dt ? ": lower solver.retry, or lengthen cycle.period" : "");
  finding_add_number(f, "step", in->given->step, "s");
  finding_add_number(f, "retried_step", cycle, "s");
}

/* The unknowns of an explicit method. */
static void report_coordinates(struct inspection *in)
{
  const struct frozen *f = in->m->frozen;
  const ali3_coordinates given = in->m->options.coordinates;
  const char *word = given == ALI3_COORDINATES_AUTO   ? "auto"
                     : given == ALI3_COORDINATES_BODY ? "body"
                                                      : "joint";
  const char *method = ali3_method_name(in->m->options.method);
  /* the freedoms, or why there are none */
  if (f->limbs)
    finding_add(
        in, FINDING_INFO, FINDING_SETTINGS, FINDING_OF_MODEL, -1,
        "solver.coordinates: %s: the unknowns of %s are %d freedoms of joints that form a tree, and %d row%s "
        "close%s its loops",
        word, method, f->limbs->columns, f->limbs->rows, f->limbs->rows == 1 ? "" : "s",
        f->limbs->rows == 1 ? "s" : "");
  else
    finding_add(in, FINDING_INFO, FINDING_SETTINGS, FINDING_OF_MODEL, -1,
                "solver.coordinates: %s: the unknowns of %s are the poses of the bodies%s", word, method,
                given == ALI3_COORDINATES_AUTO
                    ? "; those of joints suit trees whose step they make faster, by an estimate"
                    : "");
}

static void inspect_all(struct inspection *in)
{
  inspect_proportions(in);
  inspect_gravity(in);
  inspect_mistakes(in);
  in->to->status = ali3_reset(in->m, in->d);
  ali3_report_text(in->m, in->d, in->to->start, sizeof in->to->start);
  if (in->to->status < 0) {
    const bool assembled = in->to->status != ALI3_E_ASSEMBLE && in->to->status != ALI3_E_SINGULAR;
    if (assembled) inspect_structure(in); /* finds rates that contradict each other */
    if (!has_errors(in)) inspect_failure(in);
    return;
  }
  inspect_structure(in);
  inspect_loose_ends(in);
  inspect_start(in);
  inspect_soft(in);
  if (in->given->rows)
    finding_add(in, FINDING_INFO, FINDING_SETTINGS, FINDING_OF_MODEL, -1, "%s", in->given->rows);
  if (ali3_method_is_explicit(in->m->options.method)) report_coordinates(in);
  if (in->given->iterations)
    finding_add(in, FINDING_INFO, FINDING_SETTINGS, FINDING_OF_MODEL, -1, "%s", in->given->iterations);
  if (in->given->step > 0.0) report_retry(in);
  if (has_errors(in)) return; /* drives that fight cannot be stepped */
  inspect_accuracy(in);
  if (!has_errors(in)) inspect_passes(in);
  if (in->given->accuracy > 0.0 && !has_errors(in)) inspect_settings(in);
}

/* A stable order: qsort() with the position as the last key. */
struct order {
  struct finding item;
  int position;
};

static int by_severity(const void *a, const void *b)
{
  const struct order *x = a, *y = b;
  if (x->item.severity != y->item.severity) return (int)y->item.severity - (int)x->item.severity;
  if (x->item.id != y->item.id) return (int)x->item.id - (int)y->item.id;
  return x->position - y->position;
}

static bool sort_findings(struct findings *f)
{
  struct order *o = malloc(((size_t)f->count + 1) * sizeof *o);
  if (!o) return false;
  for (int i = 0; i < f->count; i++) o[i] = (struct order){f->item[i], i};
  qsort(o, (size_t)f->count, sizeof *o, by_severity);
  for (int i = 0; i < f->count; i++) f->item[i] = o[i].item;
  free(o);
  return true;
}

struct findings *findings_make(const ali3_model *m, const struct findings_given *given)
{
  struct inspection in = {.m = m, .given = given, .memory = true};
  in.to = calloc(1, sizeof *in.to);
  in.d = ali3_data_new(m);
  in.memory = in.to && in.d && distance_scale_make(&in.scale, m);
  /* Inspect the mechanism, then sort the findings by severity. */
  if (in.memory) {
    in.to->freedoms = in.to->redundant = -1;
    measure_mechanism(&in);
    inspect_all(&in);
    report_skipped(&in);
  }
  if (in.memory) in.memory = sort_findings(in.to);
  ali3_data_free(in.d);
  distance_scale_free(&in.scale);
  if (in.memory) return in.to;
  findings_free(in.to);
  return NULL;
}

void findings_free(struct findings *f)
{
  if (!f) return;
  free(f->item);
  free(f);
}
