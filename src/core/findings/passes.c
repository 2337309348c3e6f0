/* SPDX-License-Identifier: MIT
 * Runs the first seconds of the mechanism: steps that fail after those that accuracy.c compares, and steps that do not determine
 * reactions. */
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

/* Steps that do not determine reactions, see ali3_report.held. */
struct undetermined {
  double first;    /* s, the end of the first of them */
  int steps, open; /* open: part of `steps`, in which a joint is open by more than the tolerance */
};

/* Runs the mechanism for up to `steps` steps, and returns false if one fails. in: where failures are reported; NULL: nowhere. */
static bool count_undetermined(struct inspection *in, struct model_copy *t, int steps, struct undetermined *u)
{
  *u = (struct undetermined){0};
  int status = ali3_reset(&t->model, t->data) < 0 ? ALI3_E_DIVERGED : ALI3_OK;
  for (int k = 0; k < steps && status >= 0; k++) {
    status = ali3_step(&t->model, t->data);
    const ali3_report *r = ali3_data_report(t->data);
    if (in && status < 0) report_late_failure(in, t);
    if (in) report_range(in, t);
    if (status < 0 || r->held == 0) continue;
    if (u->steps++ == 0) u->first = r->time;
    u->open += r->status == ALI3_VIOLATED;
  }
  return status >= 0;
}

/* The number of iterations, doubled once or twice, with which every step determines reactions; 0: there is none. Near a singular
 * position iterations do not help. */
static int enough_iterations(struct inspection *in, int steps)
{
  enum { DOUBLED = 2 };
  ali3_options o = in->m->options;
  if (ali3_method_is_explicit(o.method)) return 0;
  for (int k = 0; k < DOUBLED; k++) {
    struct model_copy t;
    struct undetermined u;
    o.iterations *= 2;
    if (!model_copy_make(&t, in->m, &o, NULL)) return 0;
    const bool ran = count_undetermined(NULL, &t, steps, &u);
    model_copy_free(&t);
    if (ran && u.steps == 0) return o.iterations;
  }
  return 0;
}

static void report_undetermined(struct inspection *in, const struct undetermined *u, int steps, int enough)
{
  char open[100] = "the motion is right", remedy[160];
  /* say what else is wrong, and what helps */
  if (u->open > 0)
    snprintf(open, sizeof open, "in %d of them joints, drives or gears are open by more than the tolerance",
             u->open);
  if (enough > 0)
    snprintf(remedy, sizeof remedy, "solver.iterations: %d determines them", enough);
  else
    snprintf(remedy, sizeof remedy,
             "the mechanism passes a singular position closely, and solver.method: rk4, dp5 or dp8 "
             "determines them");
  struct finding *f =
      finding_add(in, FINDING_WARNING, enough > 0 ? FINDING_UNDETERMINED : FINDING_PASS, FINDING_OF_MODEL, -1,
                  "in %d of the first %d steps, first at t = %.3g s, reactions are not determined: "
                  "joint.NAME.quality is 0, and forces of "
                  "joints can be those of an earlier step; %s; %s",
                  u->steps, steps, u->first, open, remedy);
  finding_add_number(f, "time", u->first, "s");
  finding_add_number(f, "steps", u->steps, "");
  finding_add_number(f, "open", u->open, "");
}

void inspect_passes(struct inspection *in)
{
  struct model_copy t;
  struct undetermined u;
  const int steps = (int)fmin(ceil(SECONDS / in->m->options.dt), INSPECTION_FLOPS / inspection_cost(in->m));
  if (!model_copy_make(&t, in->m, &in->m->options, NULL)) return;
  count_undetermined(in, &t, steps, &u);
  /* many such steps are those of a motion that is too fast, which other findings name */
  if (u.steps > 0 && u.steps <= FEW * steps) report_undetermined(in, &u, steps, enough_iterations(in, steps));
  model_copy_free(&t);
}
