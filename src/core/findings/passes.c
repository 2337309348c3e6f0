/* SPDX-License-Identifier: MIT
 * Runs the first seconds of the mechanism: steps that fail after those that accuracy.c compares, and singular positions that
 * leave reactions undetermined. */
#include "findings/findings_parts.h"

#include <math.h>
#include <stdio.h>

static const double SECONDS = 10.0, FEW = 0.02;

static void report_late_failure(struct inspection *in, const struct model_copy *t)
{
  const ali3_report *r = ali3_data_report(t->data);
  const struct finding *why = inspection_likely_cause(in);
  const enum finding_kind kind = r->worst_joint >= 0  ? FINDING_OF_JOINT
                                 : r->worst_body >= 0 ? FINDING_OF_BODY
                                                      : FINDING_OF_MODEL;
  char text[400], remedy[420] = "set solver.retry, raise solver.substeps, or shorten cycle.period";
  ali3_report_text(&t->model, t->data, text, sizeof text);
  if (why)
    snprintf(remedy, sizeof remedy, "the likely cause is this: %.380s", why->text);
  else if (r->turn > 0.0)
    snprintf(remedy, sizeof remedy, "the likely cause is this rotation");
  struct finding *f = finding_add(
      in, FINDING_WARNING, FINDING_STEP, kind, kind == FINDING_OF_JOINT ? r->worst_joint : r->worst_body,
      "without inputs the step at t = %.4g s fails (%s): %s", r->time, text, remedy);
  finding_add_number(f, "time", r->time, "s");
}

/* A bushing that passes half a turn, or a line whose points pass each other, later than in the steps that accuracy.c compares. */
static void report_range(struct inspection *in, const struct model_copy *t)
{
  const ali3_report *r = ali3_data_report(t->data);
  char text[400];
  if (r->status != ALI3_UNRESOLVED || r->worst_force < 0 || in->found[FINDING_TURNS] > 0) return;
  ali3_report_text(&t->model, t->data, text, sizeof text);
  struct finding *f = finding_add(in, FINDING_WARNING, FINDING_TURNS, FINDING_OF_FORCE, r->worst_force,
                                  "without inputs, at t = %.3g s: %s", r->time, text);
  finding_add_number(f, "time", r->time, "s");
}

static void report_pass(struct inspection *in, double time, int count)
{
  struct finding *f = finding_add(in, FINDING_WARNING, FINDING_PASS, FINDING_OF_MODEL, -1,
                                  "at t = %.3g s the mechanism passes a singular position so closely that "
                                  "the step does not determine reactions: forces of "
                                  "joints stay as they were, and joint.NAME.quality is 0, in %d steps of the "
                                  "first %.3g s; the motion is right. "
                                  "solver.method: rk4, dp5 or dp8 determines the reactions",
                                  time, count, SECONDS);
  finding_add_number(f, "time", time, "s");
  finding_add_number(f, "steps", count, "");
}

void inspect_passes(struct inspection *in)
{
  struct model_copy t;
  const double steps = fmin(ceil(SECONDS / in->m->options.dt), INSPECTION_FLOPS / inspection_cost(in->m));
  double first = 0.0;
  int held = 0, status = ALI3_OK;
  if (!model_copy_make(&t, in->m, &in->m->options, NULL)) return;
  if (ali3_reset(&t.model, t.data) < 0) status = ALI3_E_DIVERGED;
  for (int k = 0; k < (int)steps && status >= 0; k++) {
    status = ali3_step(&t.model, t.data);
    const ali3_report *r = ali3_data_report(t.data);
    if (status < 0) report_late_failure(in, &t);
    report_range(in, &t);
    if (status >= 0 && r->held > 0 && held++ == 0) first = r->time;
  }
  /* many such steps are those of a motion that is too fast, which other findings name */
  if (held > 0 && held <= FEW * steps) report_pass(in, first, held);
  model_copy_free(&t);
}
