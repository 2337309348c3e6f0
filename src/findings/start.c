/* SPDX-License-Identifier: MIT
 * The mechanism at rest in its first instant: how far it was moved to close its joints, stops and contacts that are violated
 * already, and the largest loads. */
#include "findings/look.h"
#include "stepper/elements.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

/* Open by less is rounding of the numbers in the file. */
static const double VISIBLE = 1e-3; /* times the size of the mechanism, and rad */

static void look_at_opening(struct look *l, enum finding_kind kind, int index, const ali3_opening *o,
                            const char *text)
{
  const bool visible = o->distance > VISIBLE * l->length || o->angle > VISIBLE;
  struct finding *f = look_found(
      l, visible ? FINDING_WARNING : FINDING_INFO, FINDING_OPEN, kind, index,
      "%s at the start, and bodies were moved to close it: correct positions, orientations, points or axes",
      text);
  look_number(f, "distance", o->distance, "m");
  look_number(f, "angle", o->angle, "rad");
}

/* Joints and drives that were open before the reset closed them. */
static void look_at_openings(struct look *l)
{
  ali3_opening o;
  char text[300];
  for (int i = 0; i < l->m->joints; i++) {
    if (ali3_joint_opening(l->m, i, &o) != ALI3_OK || !o.open) continue;
    ali3_joint_opening_text(l->m, i, text, sizeof text);
    look_at_opening(l, FINDING_OF_JOINT, i, &o, text);
  }
  for (int i = 0; i < l->m->forces; i++) {
    if (ali3_force_opening(l->m, i, &o) != ALI3_OK || !o.open) continue;
    ali3_force_opening_text(l->m, i, text, sizeof text);
    look_at_opening(l, FINDING_OF_FORCE, i, &o, text);
  }
}

static bool on_angle(const ali3_model *m, int force)
{
  return ali3_force_type_on_joint(m->force[force].spec.type) && ali3_model_force_turns(m, force);
}

/* A stop that carries the mechanism is pressed in by less than its weight. */
static void look_at_stop(struct look *l, int force)
{
  const ali3_model *m = l->m;
  const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[force]];
  const struct law *law = &j->law[0];
  const ali3_force_type type = m->force[force].spec.type;
  const bool contact = ali3_force_type_is_contact(type), turns = on_angle(m, force);
  ali3_force_state state;
  double slope, rate[ROWS_MAX];
  if (law->kind != LAW_LIMITS || type == ALI3_FORCE_CABLE) return;
  ali3_force_get(m, l->d, force, &state);
  link_rate(m, l->d, j, rate);
  const double x = l->d->solve.Phi[j->first],
               out = x > law->upper ? x - law->upper : fmin(0.0, x - law->lower);
  const double load = fabs(law_force(law, x, rate[0], 0.0, &slope));
  const bool much = load > l->weight * (turns ? l->length : 1.0);
  if (out == 0.0 || load == 0.0 || (contact && !much)) return; /* a tyre on the road */
  const char *what = !much     ? "less than the weight of the mechanism, so it may be meant"
                     : contact ? "move the bodies apart, or correct radii and points"
                               : "correct the limits, or start within them";
  char line[300];
  snprintf(line, sizeof line,
           contact ? "the bodies overlap by %s at the start, which makes a force of %s"
                   : "the stop is violated by %s at the start, which makes a load of %s",
           look_coordinate(fabs(out), turns).text, look_load(load, turns).text);
  struct finding *f =
      look_found(l, much ? FINDING_WARNING : FINDING_INFO, contact ? FINDING_CONTACT : FINDING_STOP,
                 FINDING_OF_FORCE, force, "force \"%s\": %s: %s", look_force(l, force), line, what);
  look_number(f, "violation", fabs(out), turns ? "rad" : "m");
  look_number(f, "load", load, turns ? "N m" : "N");
}

struct largest {
  int index;
  double value;
};

static void keep_larger(struct largest *o, int index, double value)
{
  if (o->index < 0 || value > o->value) *o = (struct largest){index, value};
}

/* Loads that only a mechanism next to a singular position, or a locked one, has; unless a warning explains them. */
static bool is_absurd(const struct look *l, double force)
{
  return l->weight > 0.0 && force > 1e5 * l->weight && findings_of(l->to, FINDING_WARNING) == 0;
}

static void look_at_reactions(struct look *l)
{
  struct largest force = {-1, 0.0}, torque = {-1, 0.0};
  for (int i = 0; i < l->m->joints; i++) {
    ali3_joint_state s;
    ali3_joint_get(l->m, l->d, i, &s);
    keep_larger(&force, i, sqrt(v3_dot(s.force, s.force)));
    keep_larger(&torque, i, sqrt(v3_dot(s.torque, s.torque)));
  }
  if (force.index < 0 || (force.value < 1e-9 && torque.value < 1e-9)) return;
  const bool absurd = is_absurd(l, force.value);
  struct finding *f = look_found(
      l, absurd ? FINDING_WARNING : FINDING_INFO, FINDING_REACTION, FINDING_OF_JOINT, force.index,
      "largest reaction at the start: %s in joint \"%s\"; largest torque: %s in joint \"%s\"%s",
      look_load(force.value, false).text, l->m->joint[force.index].name, look_load(torque.value, true).text,
      l->m->joint[torque.index].name,
      absurd ? "; 1e5 times the weight: look for drives, stops or joints that work against each other" : "");
  look_number(f, "force", force.value, "N");
  look_number(f, "torque", torque.value, "N m");
}

static void look_at_drives(struct look *l)
{
  struct largest most[2] = {{-1, 0.0}, {-1, 0.0}}; /* N, N m */
  for (int i = 0; i < l->m->forces; i++) {
    ali3_force_state s;
    if (l->m->force[i].spec.type != ALI3_FORCE_DRIVE) continue;
    ali3_force_get(l->m, l->d, i, &s);
    keep_larger(&most[on_angle(l->m, i)], i, fabs(s.value));
  }
  for (int turns = 0; turns < 2; turns++) {
    if (most[turns].index < 0) continue;
    struct finding *f =
        look_found(l, FINDING_INFO, FINDING_DRIVE_LOAD, FINDING_OF_FORCE, most[turns].index,
                   "largest drive %s at the start: %s in drive \"%s\"", turns ? "torque" : "force",
                   look_load(most[turns].value, turns).text, look_force(l, most[turns].index));
    look_number(f, turns ? "torque" : "force", most[turns].value, turns ? "N m" : "N");
  }
}

void look_at_start(struct look *l)
{
  look_at_openings(l);
  for (int i = 0; i < l->m->forces; i++) look_at_stop(l, i);
  look_at_reactions(l);
  look_at_drives(l);
}
