/* SPDX-License-Identifier: MIT
 * The mechanism at the start: openings of joints that the assembly closed, violated stops and contacts, and the largest
 * loads. */
#include "findings/findings_parts.h"
#include "kernels/elements.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

/* A smaller opening is rounding of the numbers in the file. */
static const double VISIBLE_OPENING = 1e-3; /* times the size of the mechanism, and rad */

static void report_opening(struct inspection *in, enum finding_kind kind, int index, const ali3_opening *o,
                           const char *text)
{
  const bool visible = o->distance > VISIBLE_OPENING * in->length || o->angle > VISIBLE_OPENING;
  struct finding *f = finding_add(
      in, visible ? FINDING_WARNING : FINDING_INFO, FINDING_OPEN, kind, index,
      "%s at the start, and bodies were moved to close it: correct positions, orientations, points or axes",
      text);
  finding_add_number(f, "distance", o->distance, "m");
  finding_add_number(f, "angle", o->angle, "rad");
}

/* Joints and drives that were open before the reset closed them. */
static void inspect_openings(struct inspection *in)
{
  ali3_opening o;
  char text[300];
  for (int i = 0; i < in->m->joints; i++) {
    if (ali3_joint_opening(in->m, i, &o) != ALI3_OK || !o.open) continue;
    ali3_joint_opening_text(in->m, i, text, sizeof text);
    report_opening(in, FINDING_OF_JOINT, i, &o, text);
  }
  for (int i = 0; i < in->m->forces; i++) {
    if (ali3_force_opening(in->m, i, &o) != ALI3_OK || !o.open) continue;
    ali3_force_opening_text(in->m, i, text, sizeof text);
    report_opening(in, FINDING_OF_FORCE, i, &o, text);
  }
}

/* A given velocity that the joints do not allow. */
static void inspect_rates(struct inspection *in)
{
  const ali3_initial *i = ali3_data_initial(in->d);
  const char *unit = i->rate_turns ? "rad/s" : "m/s";
  if (i->body_rate < 0) return;
  struct finding *f =
      finding_add(in, FINDING_WARNING, FINDING_RATES, FINDING_OF_BODY, i->body_rate,
                  "body \"%s\" starts with %s of %.4g %s, and the file gives %.4g %s: the joints and the "
                  "other rates allow no more; correct "
                  "the rates, or give the velocity of one joint",
                  in->m->body[i->body_rate].name, i->rate_turns ? "an angular velocity" : "a velocity",
                  i->rate_possible, unit, i->rate_given, unit);
  finding_add_number(f, "given", i->rate_given, unit);
  finding_add_number(f, "possible", i->rate_possible, unit);
}

static bool on_angle(const ali3_model *m, int force)
{
  return ali3_force_type_on_joint(m->force[force].spec.type) && ali3_model_force_turns(m, force);
}

/* A stop that carries the mechanism has a load below the weight. */
static void inspect_stop(struct inspection *in, int force)
{
  const ali3_model *m = in->m;
  const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[force]];
  const struct law *law = &j->law[0];
  const ali3_force_type type = m->force[force].spec.type;
  const bool contact = ali3_force_type_is_contact(type), turns = on_angle(m, force);
  ali3_force_state state;
  double slope;
  if (law->kind != LAW_LIMITS || type == ALI3_FORCE_CABLE) return;
  /* Compute the violation and the load that follows from it. */
  ali3_force_get(m, in->d, force, &state);
  const double x = in->d->solve.Phi[j->first],
               out = x > law->upper ? x - law->upper : fmin(0.0, x - law->lower);
  const double load = fabs(law_force(law, NULL, x, state.rate, 0.0, &slope));
  const bool much = load > in->weight * (turns ? in->length : 1.0);
  if (out == 0.0 || load == 0.0 || (contact && !much)) return; /* a tyre that stands on the road */
  /* Word the finding: a load below the weight may be intended. */
  const char *what = !much     ? "this is less than the weight of the mechanism and may be intended"
                     : contact ? "move the bodies apart, or correct radii and points"
                               : "correct the limits, or start within the limits";
  char line[300];
  snprintf(line, sizeof line,
           contact ? "the bodies overlap by %s at the start, with a force of %s"
                   : "the stop is violated by %s at the start, with a load of %s",
           quantity_coordinate(fabs(out), turns).text, quantity_load(load, turns).text);
  struct finding *f =
      finding_add(in, much ? FINDING_WARNING : FINDING_INFO, contact ? FINDING_CONTACT : FINDING_STOP,
                  FINDING_OF_FORCE, force, "force \"%s\": %s: %s", inspection_force(in, force), line, what);
  finding_add_number(f, "violation", fabs(out), turns ? "rad" : "m");
  finding_add_number(f, "load", load, turns ? "N m" : "N");
}

struct largest {
  int index;
  double value;
};

static void keep_larger(struct largest *o, int index, double value)
{
  if (o->index < 0 || value > o->value) *o = (struct largest){index, value};
}

/* Only a locked mechanism, or one near a singular position, has such loads. A warning explains them already. */
static bool is_absurd(const struct inspection *in, double force)
{
  return in->weight > 0.0 && force > 1e5 * in->weight && findings_of(in->to, FINDING_WARNING) == 0;
}

static void inspect_reactions(struct inspection *in)
{
  /* Find the largest force and the largest torque. */
  struct largest force = {-1, 0.0}, torque = {-1, 0.0};
  for (int i = 0; i < in->m->joints; i++) {
    ali3_joint_state s;
    ali3_joint_get(in->m, in->d, i, &s);
    keep_larger(&force, i, sqrt(v3_dot(s.force, s.force)));
    keep_larger(&torque, i, sqrt(v3_dot(s.torque, s.torque)));
  }
  if (force.index < 0 || (force.value < 1e-9 && torque.value < 1e-9)) return;
  /* Report both. Absurd loads are a warning. */
  const bool absurd = is_absurd(in, force.value);
  struct finding *f = finding_add(
      in, absurd ? FINDING_WARNING : FINDING_INFO, FINDING_REACTION, FINDING_OF_JOINT, force.index,
      "largest reaction at the start: %s in joint \"%s\"; largest torque: %s in joint \"%s\"%s",
      quantity_load(force.value, false).text, in->m->joint[force.index].name,
      quantity_load(torque.value, true).text, in->m->joint[torque.index].name,
      absurd ? "; this is more than 1e5 times the weight: find drives, stops or joints that work against "
               "each other"
             : "");
  finding_add_number(f, "force", force.value, "N");
  finding_add_number(f, "torque", torque.value, "N m");
}

static void inspect_drives(struct inspection *in)
{
  struct largest most[2] = {{-1, 0.0}, {-1, 0.0}}; /* N, N m */
  for (int i = 0; i < in->m->forces; i++) {
    ali3_force_state s;
    if (in->m->force[i].spec.type != ALI3_FORCE_DRIVE) continue;
    ali3_force_get(in->m, in->d, i, &s);
    keep_larger(&most[on_angle(in->m, i)], i, fabs(s.value));
  }
  for (int turns = 0; turns < 2; turns++) {
    if (most[turns].index < 0) continue;
    struct finding *f =
        finding_add(in, FINDING_INFO, FINDING_DRIVE_LOAD, FINDING_OF_FORCE, most[turns].index,
                    "largest drive %s at the start: %s in drive \"%s\"", turns ? "torque" : "force",
                    quantity_load(most[turns].value, turns).text, inspection_force(in, most[turns].index));
    finding_add_number(f, turns ? "torque" : "force", most[turns].value, turns ? "N m" : "N");
  }
}

void inspect_start(struct inspection *in)
{
  inspect_openings(in);
  inspect_rates(in);
  for (int i = 0; i < in->m->forces; i++) inspect_stop(in, i);
  inspect_reactions(in);
  inspect_drives(in);
}
