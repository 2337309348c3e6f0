/* SPDX-License-Identifier: MIT
 * Frequencies of springs, stops and contacts, compared with the step. The effective mass along a row is 1/(J M^-1 J') with the
 * joints. */
#include "assembly/assembly.h"
#include "findings/findings_parts.h"
#include "kernels/elements.h"
#include "stepper/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKED = 12, SHOWN = 3 }; /* elements whose frequency includes the joints; elements that are named */

struct swing {
  int force, row;
  double stiffness, omega; /* N/m or N m/rad; rad/s, without the joints before ask_joints() */
};

static int by_frequency(const void *a, const void *b)
{
  const double x = ((const struct swing *)a)->omega, y = ((const struct swing *)b)->omega;
  return (x < y) - (x > y);
}

/* The stiffest row of each element, with free bodies. */
static int list_swings(const struct inspection *in, struct swing *o)
{
  const ali3_model *m = in->m;
  int n = 0;
  for (int i = 0; i < m->forces; i++) {
    const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[i]];
    struct swing most = {.force = i};
    for (int k = 0; j->soft && k < j->count; k++) {
      const double stiffness = penalty_stiffness(&j->law[k], &in->d->rule, true);
      if (!(stiffness > 0.0)) continue;
      const double entry = penalty_entry(m, in->d, j, k), square = stiffness * entry / in->d->rule.h;
      if (square > most.omega * most.omega) most = (struct swing){i, k, stiffness, sqrt(square)};
    }
    if (most.omega > 0.0 && isfinite(most.omega)) o[n++] = most;
  }
  qsort(o, (size_t)n, sizeof *o, by_frequency);
  return n;
}

static void ask_joints(const struct inspection *in, struct swing *o)
{
  const struct joint_rows *j = &in->m->frozen->link[in->m->frozen->force_link[o->force]];
  for (int side = 0; side < j->sides;
       side++) /* a massless body hangs on springs, and its frequency is not defined */
    if (j->body[side] != ALI3_GROUND && body_is_carried(in->m, j->body[side])) return;
  const double free = penalty_entry(in->m, in->d, j, o->row),
               mobility = penalty_mobility(in->m, in->d, j, o->row);
  o->omega = mobility > 1e-7 * free ? sqrt(o->stiffness * mobility / in->d->rule.h) : 0.0;
}

static void report_swings(struct inspection *in, const struct swing *o, int n)
{
  const double dt = in->m->options.dt / in->m->options.substeps, TURN = 6.283185307179586;
  /* Name the fastest elements. */
  char text[300] = "";
  int used = 0;
  for (int i = 0; i < n && i < SHOWN && o[i].omega > 0.0 && used < (int)sizeof text - 1; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%s\"%.40s\" %.3g Hz, %.3g steps a period",
                     i ? "; " : "", inspection_force(in, o[i].force), o[i].omega / TURN,
                     TURN / (o[i].omega * dt));
  /* Advise if a step is too long for the fastest element. */
  const ali3_force_spec *spec = &in->m->force[o[0].force].spec;
  const bool turns = spec->type == ALI3_FORCE_BUSHING
                         ? o[0].row >= 3
                         : ali3_force_type_on_joint(spec->type) && ali3_model_force_turns(in->m, o[0].force);
  const double steps = TURN / (o[0].omega * dt),
               FINE = in->m->options.extrapolate ? 4.0 : 18.0; /* (TURN/18)^2/12: 1 % */
  char more[200] = "";
  if (steps < FINE)
    snprintf(more, sizeof more,
             ": stable, and right at rest, but with fewer than %g steps a period the frequency is off by "
             "more than "
             "1 %%: if that matters, raise solver.substeps or shorten cycle.period",
             FINE);
  struct finding *f = finding_add(in, FINDING_INFO, FINDING_SOFT, FINDING_OF_FORCE, o[0].force,
                                  "stiffest soft elements: %s%s", text, more);
  finding_add_number(f, "frequency", o[0].omega / TURN, "Hz");
  finding_add_number(f, "steps_per_period", steps, "");
  finding_add_number(f, "stiffness", o[0].stiffness, turns ? "N m/rad" : "N/m");
}

/* Forces that an extrapolated step settles, or the one that keeps it from combining its inner steps. */
static void report_extrapolation(struct inspection *in)
{
  const ali3_model *m = in->m;
  const ali3_extrapolation o = ali3_data_extrapolation(in->d);
  struct name_list names = {.text = ""};
  int first = -1;
  if (!m->options.extrapolate) return;
  /* the force that stops it, or those that are settled */
  if (o.stopped >= 0) {
    finding_add(in, FINDING_WARNING, FINDING_SOFT, FINDING_OF_FORCE, o.stopped,
                "\"%.60s\" oscillates with fewer than four steps a period, so extrapolated steps are not "
                "combined: a step is "
                "three plain inner steps, of order two; raise solver.substeps, or give it a damper",
                inspection_force(in, o.stopped));
    return;
  }
  for (int i = 0; i < m->forces; i++) {
    if (!ali3_force_settled(m, in->d, i) || m->force[i].spec.type == ALI3_FORCE_STOP) continue;
    if (first < 0) first = i;
    name_list_add(&names, inspection_force(in, i));
  }
  if (first < 0) return;
  finding_add(in, FINDING_INFO, FINDING_SOFT, FINDING_OF_FORCE, first,
              "extrapolated steps settle %s, whose motion decays faster than a step: it follows the others "
              "without an oscillation "
              "of its own; all other elements are combined, of order four",
              name_list_text(&names));
}

void inspect_soft(struct inspection *in)
{
  const ali3_model *m = in->m;
  if (m->frozen->links == m->frozen->rigid_links) return;
  report_extrapolation(in);
  struct swing *o = calloc((size_t)m->forces, sizeof *o);
  if (!o) {
    in->memory = false;
    return;
  }
  penalty_set(m, in->d, 0.0);
  const int n = list_swings(in, o), asked = n < ASKED ? n : ASKED;
  if (stage_condense(m, in->d))
    for (int i = 0; i < asked; i++) ask_joints(in, &o[i]);
  qsort(o, (size_t)asked, sizeof *o, by_frequency);
  if (n > 0 && o[0].omega > 0.0) report_swings(in, o, asked);
  free(o);
  ali3_reset(m, in->d);
}
