/* SPDX-License-Identifier: MIT
 * Open joints, and drives that contradict each other, in words. Not for the loop. */
#include "stepper/stepper.h"

#include <stdarg.h>
#include <stdio.h>

static __attribute__((format(printf, 3, 4))) void append(char *text, size_t size, const char *format, ...)
{
  size_t used = 0;
  while (text[used]) used++;
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, size - used, format, list);
  va_end(list);
}

/* "12 mm and 0.3 degrees"; a part that is 0 is left out. */
static void append_amount(char *text, size_t size, double length, double angle, bool rates)
{
  const double degrees = angle * 180.0 / 3.14159265358979323846;
  const char *s = rates ? "/s" : "";
  if (length >= 1.0) append(text, size, "%.3g m%s", length, s);
  if (length > 0.0 && length < 1.0) append(text, size, "%.3g mm%s", length * 1e3, s);
  if (length > 0.0 && angle > 0.0) append(text, size, " and ");
  if (angle > 0.0) append(text, size, "%.3g degrees%s", degrees, s);
}

static void append_open(const ali3_model *m, const ali3_violation *v, char *text, size_t size)
{
  const bool joint = v->joint >= 0;
  if (!joint && v->force < 0) return;
  append(text, size, "%s \"%s\" %s ", joint ? "joint" : ali3_force_type_name(m->force[v->force].spec.type),
         joint ? m->joint[v->joint].name : m->force[v->force].name,
         !joint     ? "is off by"
         : v->rates ? "opens at"
                    : "is open by");
  append_amount(text, size, v->length, v->angle, v->rates);
  if (v->limit == 0.0) return;
  append(text, size, ", the limit is ");
  append_amount(text, size, v->length > 0.0 ? v->limit * m->frozen->length : 0.0,
                v->angle > 0.0 ? v->limit : 0.0, v->rates);
}

/* 'drive "a" of joint "J"' */
static void append_force(const ali3_model *m, int force, char *text, size_t size)
{
  const ali3_force_spec *s = &m->force[force].spec;
  append(text, size, "%s \"%s\" of joint%s \"%s\"", ali3_force_type_name(s->type), m->force[force].name,
         s->type == ALI3_FORCE_GEAR ? "s" : "", m->joint[s->joint].name);
  if (s->type == ALI3_FORCE_GEAR) append(text, size, " and \"%s\"", m->joint[s->joint_b].name);
}

static void append_cause(const ali3_model *m, const ali3_violation *v, char *text, size_t size)
{
  if (v->drive < 0) return;
  const bool aims = m->force[v->drive].spec.type == ALI3_FORCE_DRIVE;
  const char *unit = ali3_model_force_turns(m, v->drive) ? "rad" : "m", *s = v->rates ? "/s" : "";
  if (text[0]) append(text, size, "; ");
  if (aims) {
    append(text, size, "drive \"%s\" asks %.6g %s%s of joint \"%s\"", m->force[v->drive].name, v->aim, unit,
           s, m->joint[m->force[v->drive].spec.joint].name);
    if (!v->rates) append(text, size, ", which is at %.6g %s", v->at, unit);
  } else {
    append_force(m, v->drive, text, size);
  }
  if (v->other >= 0) {
    append(text, size, "%s ", aims && !v->rates ? "," : "");
    append(text, size, "and ");
    append_force(m, v->other, text, size);
    append(text, size, " acts against it: the joints do not allow both");
  } else {
    append(text, size, aims ? ": the joints do not let it go there" : ": the joints do not allow it");
  }
}

int ali3_violation_text(const ali3_model *m, const ali3_violation *v, char *text, size_t size)
{
  char room[600] = "";
  append_open(m, v, room, sizeof room);
  append_cause(m, v, room, sizeof room);
  return snprintf(text, size, "%s", room);
}
