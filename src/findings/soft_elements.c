/* SPDX-License-Identifier: MIT
 * How fast springs, stops and contacts swing, beside the step: the effective mass along a row is 1/(J M^-1 J'), with the
 * joints at work. */
#include "findings/look.h"
#include "start/start.h"
#include "stepper/elements.h"
#include "stepper/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKED = 12, SHOWN = 3 }; /* elements whose joints are asked, and that are named */

struct swing {
  int force, row;
  double stiffness, omega; /* N/m or N m/rad; rad/s, of the softest guess until the joints are asked */
};

static int faster(const void *a, const void *b)
{
  const double x = ((const struct swing *)a)->omega, y = ((const struct swing *)b)->omega;
  return (x < y) - (x > y);
}

/* The stiffest row of each element, by its bodies alone. */
static int list(const struct look *l, struct swing *o)
{
  const ali3_model *m = l->m;
  int n = 0;
  for (int i = 0; i < m->forces; i++) {
    const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[i]];
    struct swing most = {.force = i};
    for (int k = 0; j->soft && k < j->count; k++) {
      const double stiffness = penalty_stiffness(&j->law[k], &l->d->rule, true);
      if (!(stiffness > 0.0)) continue;
      const double entry = penalty_entry(m, l->d, j, k), square = stiffness * entry / l->d->rule.h;
      if (square > most.omega * most.omega) most = (struct swing){i, k, stiffness, sqrt(square)};
    }
    if (most.omega > 0.0 && isfinite(most.omega)) o[n++] = most;
  }
  qsort(o, (size_t)n, sizeof *o, faster);
  return n;
}

static void ask_joints(const struct look *l, struct swing *o)
{
  const struct joint_rows *j = &l->m->frozen->link[l->m->frozen->force_link[o->force]];
  for (int side = 0; side < j->sides;
       side++) /* what has no mass is held by springs: not to be told apart here */
    if (j->body[side] != ALI3_GROUND && body_is_carried(l->m, j->body[side])) return;
  const double free = penalty_entry(l->m, l->d, j, o->row),
               mobility = penalty_mobility(l->m, l->d, j, o->row);
  o->omega = mobility > 1e-7 * free ? sqrt(o->stiffness * mobility / l->d->rule.h) : 0.0;
}

static void found(struct look *l, const struct swing *o, int n)
{
  const double dt = l->m->options.dt / l->m->options.substeps, TURN = 6.283185307179586;
  char text[300] = "";
  int used = 0;
  for (int i = 0; i < n && i < SHOWN && o[i].omega > 0.0 && used < (int)sizeof text - 1; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%s\"%.40s\" %.3g Hz, %.3g steps a period",
                     i ? "; " : "", look_force(l, o[i].force), o[i].omega / TURN, TURN / (o[i].omega * dt));
  const ali3_force_spec *spec = &l->m->force[o[0].force].spec;
  const bool turns = spec->type == ALI3_FORCE_BUSHING
                         ? o[0].row >= 3
                         : ali3_force_type_on_joint(spec->type) && ali3_model_force_turns(l->m, o[0].force);
  const double steps = TURN / (o[0].omega * dt),
               FINE = l->m->options.extrapolate ? 4.0 : 18.0; /* (TURN/18)^2/12: 1 % */
  char more[200] = "";
  if (steps < FINE)
    snprintf(more, sizeof more,
             ": stable, and right at rest, but below %g the frequency is off by more than 1 %%; where that "
             "matters raise "
             "solver.substeps or shorten cycle.period",
             FINE);
  struct finding *f = look_found(l, FINDING_INFO, FINDING_SOFT, FINDING_OF_FORCE, o[0].force,
                                 "stiffest soft elements: %s%s", text, more);
  look_number(f, "frequency", o[0].omega / TURN, "Hz");
  look_number(f, "steps_per_period", steps, "");
  look_number(f, "stiffness", o[0].stiffness, turns ? "N m/rad" : "N/m");
}

void look_at_soft(struct look *l)
{
  const ali3_model *m = l->m;
  if (m->frozen->links == m->frozen->rigid_links) return;
  struct swing *o = calloc((size_t)m->forces, sizeof *o);
  if (!o) {
    l->memory = false;
    return;
  }
  penalty_set(m, l->d, 0.0);
  const int n = list(l, o), asked = n < ASKED ? n : ASKED;
  if (stage_condense(m, l->d))
    for (int i = 0; i < asked; i++) ask_joints(l, &o[i]);
  qsort(o, (size_t)asked, sizeof *o, faster);
  if (n > 0 && o[0].omega > 0.0) found(l, o, asked);
  free(o);
  ali3_reset(m, l->d);
}
