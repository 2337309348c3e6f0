/* SPDX-License-Identifier: MIT
 * What a report says, in words. Not for the loop. */
#include "math/vec3.h"
#include "stepper/stepper.h"

#include <stdio.h>

/* What nothing holds, as "along (0, 1, 0)"; the larger of both parts. */
static void free_direction(const ali3_report *r, char *text, size_t size)
{
  const double *o = r->free_direction;
  double along = v3_dot(o, o), about = v3_dot(o + 3, o + 3);
  const double *part = about > along ? o + 3 : o;
  if (along + about > 0.0)
    snprintf(text, size, "; nothing holds it %s (%.3g, %.3g, %.3g), where it has no %s",
             about > along ? "about" : "along", part[0], part[1], part[2],
             about > along ? "inertia" : "mass");
}

int ali3_report_text(const ali3_model *m, const ali3_data *d, char *text, size_t size)
{
  const ali3_report *r = &d->report;
  const ali3_initial *i = &d->initial;
  char where[200] = "", direction[120] = "", cause[400] = "";
  if (r->status == ALI3_OK) return snprintf(text, size, "%s", "");
  if (r->status == ALI3_MOVED)
    return snprintf(
        text, size, "initial state moved by %.2g m%s%s%s, %.2g rad, %.2g m/s, %.2g rad/s", i->moved_position,
        i->body_position >= 0 ? " (body " : "", i->body_position >= 0 ? m->body[i->body_position].name : "",
        i->body_position >= 0 ? ")" : "", i->moved_orientation, i->moved_velocity, i->moved_angular_velocity);
  ali3_violation_text(m, &d->violation, cause, sizeof cause);
  if (r->status == ALI3_VIOLATED || r->status == ALI3_E_VIOLATED)
    return snprintf(text, size, "%s: %s", ali3_status_text(r->status), cause);
  if (r->status == ALI3_E_ASSEMBLE && (r->worst_joint >= 0 || r->worst_force >= 0))
    snprintf(where, sizeof where, ": %s \"%s\" stays open by %.3g", r->worst_joint >= 0 ? "joint" : "force",
             r->worst_joint >= 0 ? m->joint[r->worst_joint].name : m->force[r->worst_force].name,
             r->position);
  else if (r->worst_body >= 0)
    snprintf(where, sizeof where, ": body \"%s\"", m->body[r->worst_body].name);
  else if (r->status == ALI3_E_SINGULAR && (r->worst_joint >= 0 || r->worst_force >= 0))
    snprintf(where, sizeof where, ": %s \"%s\"", r->worst_joint >= 0 ? "joint" : "force",
             r->worst_joint >= 0 ? m->joint[r->worst_joint].name : m->force[r->worst_force].name);
  free_direction(r, direction, sizeof direction);
  return snprintf(text, size, "%s%s%s%s%s", ali3_status_text(r->status), where, direction,
                  cause[0] ? "; " : "", cause);
}
