/* SPDX-License-Identifier: MIT
 * Texts of reports and violations. Not for the loop. */
#include "assembly/assembly.h"
#include "math/euler.h"
#include "stepper/violation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* --- violations --- */

static __attribute__((format(printf, 3, 4))) void append_text(char *text, size_t size, const char *format,
                                                              ...)
{
  size_t used = 0;
  while (text[used]) used++;
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, size - used, format, list);
  va_end(list);
}

/* "12 mm and 0.3 degrees", without a part that is 0. */
static void append_amount(char *text, size_t size, double length, double angle, bool rates)
{
  const double degrees = angle * 180.0 / 3.14159265358979323846;
  const char *s = rates ? "/s" : "";
  if (length >= 1.0) append_text(text, size, "%.3g m%s", length, s);
  if (length > 0.0 && length < 1.0) append_text(text, size, "%.3g mm%s", length * 1e3, s);
  if (length > 0.0 && angle > 0.0) append_text(text, size, " and ");
  if (angle > 0.0) append_text(text, size, "%.3g degrees%s", degrees, s);
}

static void append_open(const ali3_model *m, const ali3_violation *v, char *text, size_t size)
{
  const bool joint = v->joint >= 0;
  if (!joint && v->force < 0) return;
  append_text(text, size, "%s \"%s\" %s ",
              joint ? "joint" : ali3_force_type_name(m->force[v->force].spec.type),
              joint ? m->joint[v->joint].name : m->force[v->force].name,
              !joint     ? "is off by"
              : v->rates ? "opens at"
                         : "is open by");
  append_amount(text, size, v->length, v->angle, v->rates);
  if (v->limit == 0.0) return;
  append_text(text, size, ", the limit is ");
  append_amount(text, size, v->length > 0.0 ? v->limit * m->frozen->length : 0.0,
                v->angle > 0.0 ? v->limit : 0.0, v->rates);
}

/* 'drive "a" of joint "J"' */
static void append_force(const ali3_model *m, int force, char *text, size_t size)
{
  const ali3_force_spec *s = &m->force[force].spec;
  append_text(text, size, "%s \"%s\" of joint%s \"%s\"", ali3_force_type_name(s->type), m->force[force].name,
              s->type == ALI3_FORCE_GEAR ? "s" : "", m->joint[s->joint].name);
  if (s->type == ALI3_FORCE_GEAR) append_text(text, size, " and \"%s\"", m->joint[s->joint_b].name);
}

static void append_cause(const ali3_model *m, const ali3_violation *v, char *text, size_t size)
{
  if (v->drive < 0) return;
  const bool aims = m->force[v->drive].spec.type == ALI3_FORCE_DRIVE;
  const char *unit = ali3_model_force_turns(m, v->drive) ? "rad" : "m", *s = v->rates ? "/s" : "";
  if (text[0]) append_text(text, size, "; ");
  if (aims) {
    append_text(text, size, "drive \"%s\" asks %.6g %s%s of joint \"%s\"", m->force[v->drive].name, v->aim,
                unit, s, m->joint[m->force[v->drive].spec.joint].name);
    if (!v->rates) append_text(text, size, ", which is at %.6g %s", v->at, unit);
  } else {
    append_force(m, v->drive, text, size);
  }
  /* Add the drive or gear that acts against it. */
  if (v->other >= 0) {
    append_text(text, size, "%s ", aims && !v->rates ? "," : "");
    append_text(text, size, "and ");
    append_force(m, v->other, text, size);
    append_text(text, size, " acts against it: the joints do not allow both");
  } else {
    append_text(text, size, aims ? ": the joints do not let it go there" : ": the joints do not allow it");
  }
}

int ali3_violation_text(const ali3_model *m, const ali3_violation *v, char *text, size_t size)
{
  char room[600] = "";
  append_open(m, v, room, sizeof room);
  append_cause(m, v, room, sizeof room);
  return snprintf(text, size, "%s", room);
}

/* --- reports --- */

/* The body has mass along a direction (world axes), or turn: inertia about it. */
static bool has_own(const struct body *b, bool turn, const double direction[3])
{
  static const double ROUNDING = 1e-12;
  double R[9], axis[3], moment[3], all = b->spec.inertia[0] + b->spec.inertia[4] + b->spec.inertia[8];
  p_rotation(R, b->spec.orientation);
  m3_tmul(axis, R, direction);
  m3_mul(moment, b->spec.inertia, axis);
  return turn ? v3_dot(axis, moment) > ROUNDING * all * v3_dot(axis, axis) : b->spec.mass > 0.0;
}

/* Writes the larger part of the free direction, "along (0, 1, 0)". If the body has mass there it is not free, and its mass is
 * lost in rounding. */
static void free_direction(const ali3_model *m, const ali3_report *r, char *text, size_t size)
{
  const double *o = r->free_direction;
  const double along = v3_dot(o, o), about = v3_dot(o + 3, o + 3);
  const bool turn = about > along;
  const double *part = turn ? o + 3 : o;
  if (!(along + about > 0.0)) return;
  const char *way = turn ? "about" : "along", *quality = turn ? "inertia" : "mass";
  if (has_own(&m->body[r->worst_body], turn, part))
    snprintf(text, size,
             "; its %s %s (%.3g, %.3g, %.3g) is too small beside the masses it is connected to: make it "
             "larger, or make it 0 and hold the body there",
             quality, way, part[0], part[1], part[2]);
  else
    snprintf(text, size, "; nothing holds it %s (%.3g, %.3g, %.3g), where it has no %s", way, part[0],
             part[1], part[2], quality);
}

/* The worst joint, and the reason for which the reset failed. */
static int cannot_assemble_text(const ali3_model *m, const ali3_data *d, char *text, size_t size)
{
  const ali3_report *r = &d->report;
  const ali3_initial *i = &d->initial;
  char worst[300] = "", open[2000] = "", move[150] = "", turn[150] = "", distance[2][24], angle[2][24];
  const char *many = openings_list(m, open, sizeof open) > 1 ? "; open in all: " : "";
  if (r->worst_joint >= 0) ali3_joint_opening_text(m, r->worst_joint, worst, sizeof worst);
  if (r->worst_force >= 0) ali3_force_opening_text(m, r->worst_force, worst, sizeof worst);
  if (!worst[0]) /* closed in the poses of the model, and open afterwards */
    snprintf(worst, sizeof worst, "%s \"%s\"", r->worst_joint >= 0 ? "joint" : "force",
             r->worst_joint >= 0   ? m->joint[r->worst_joint].name
             : r->worst_force >= 0 ? m->force[r->worst_force].name
                                   : "");
  if (!*many) open[0] = '\0';
  if (!i->too_far)
    return snprintf(text, size, "%s: %s at the start%s%s", ali3_status_text(r->status), worst, many, open);
  openings_length_text(i->moved_position, distance[0]);
  openings_length_text(m->options.assembly_position, distance[1]);
  openings_angle_text(i->moved_orientation, angle[0]);
  openings_angle_text(m->options.assembly_angle, angle[1]);
  const bool same = i->body_position == i->body_orientation;
  if (i->body_position >= 0)
    snprintf(move, sizeof move, "body \"%s\" would move by %s%s", m->body[i->body_position].name, distance[0],
             i->body_orientation >= 0 ? " and " : "");
  if (i->body_orientation >= 0 && same)
    snprintf(turn, sizeof turn, "turn by %s", angle[0]);
  else if (i->body_orientation >= 0)
    snprintf(turn, sizeof turn, "body \"%s\" would turn by %s", m->body[i->body_orientation].name, angle[0]);
  return snprintf(text, size,
                  "%s at the start; to close it, %s%s, and assembly allows %s and %s: correct the model, or "
                  "raise assembly.position or assembly.angle%s%s",
                  worst, move, turn, distance[1], angle[1], many, open);
}

/* "; body "b" has 0.5 rad/s of the 1 rad/s given" */
static void rate_text(const ali3_model *m, const ali3_initial *i, char *text, size_t size)
{
  const char *unit = i->rate_turns ? "rad/s" : "m/s";
  if (i->body_rate < 0) return;
  snprintf(text, size, "the joints do not allow the %s of body \"%s\": %.4g %s given, %.4g %s possible",
           i->rate_turns ? "angular velocity" : "velocity", m->body[i->body_rate].name, i->rate_given, unit,
           i->rate_possible, unit);
}

static int moved_text(const ali3_model *m, const ali3_data *d, char *text, size_t size)
{
  const ali3_initial *i = &d->initial;
  char open[2000], distance[24], angle[24], rate[300] = "";
  rate_text(m, i, rate, sizeof rate);
  openings_length_text(i->moved_position, distance);
  openings_angle_text(i->moved_orientation, angle);
  int count = openings_list(m, open, sizeof open);
  return snprintf(text, size, "initial state moved by %s%s%s%s, %s, %.2g m/s, %.2g rad/s%s%s%s%s", distance,
                  i->body_position >= 0 ? " (body " : "",
                  i->body_position >= 0 ? m->body[i->body_position].name : "",
                  i->body_position >= 0 ? ")" : "", angle, i->moved_velocity, i->moved_angular_velocity,
                  rate[0] ? "; " : "", rate, count ? "; " : "", open);
}

static int stiff_text(const ali3_model *m, const ali3_report *r, char *text, size_t size)
{
  enum { SUBSTEPS_MOST = 1000 };
  const ali3_options *o = &m->options;
  const double substeps = ceil(o->dt / r->longest_step);
  char more[60] = "";
  if (substeps <= SUBSTEPS_MOST) snprintf(more, sizeof more, "raise solver.substeps to %.0f, or ", substeps);
  return snprintf(
      text, size,
      "%s \"%s\" is too stiff for the method %s: it needs steps of at most %.3g ms and has %.3g ms; "
      "%schoose solver.method ali3",
      ali3_force_type_name(m->force[r->worst_force].spec.type), m->force[r->worst_force].name,
      ali3_method_name(o->method), 1e3 * r->longest_step, 1e3 * o->dt / o->substeps, more);
}

/* The substeps are those with which the body or joint turns by half a radian, or by what the method allows. */
int ali3_turn_text(const ali3_model *m, const ali3_report *r, char *text, size_t size)
{
  static const double RESOLVED = 0.5; /* rad */
  const bool joint = r->worst_joint >= 0;
  const struct force *force = r->worst_force >= 0 ? &m->force[r->worst_force] : NULL;
  if (r->turn > 0.0 && force && force->spec.type != ALI3_FORCE_BUSHING)
    return snprintf(
        text, size,
        "%s \"%s\": its points pass each other, where its force changes its direction at once: keep "
        "them apart by an end_stop with a lower limit, or guide them by a joint",
        ali3_force_type_name(force->spec.type), force->name);
  if (r->turn > 0.0 && force)
    return snprintf(
        text, size,
        "bushing \"%s\" passes half a turn, where its torque changes its sign: limit the rotation by "
        "a stop, or use a joint_spring, which counts turns",
        force->name);
  if (!(r->turn > 0.0) || (!joint && r->worst_body < 0)) return snprintf(text, size, "%s", "");
  return snprintf(text, size,
                  "%s \"%s\" turns by %.3g rad in an inner step, which resolves only steady rotations about "
                  "an axis through the centre of mass: raise solver.substeps to %.0f",
                  joint ? "joint" : "body",
                  joint ? m->joint[r->worst_joint].name : m->body[r->worst_body].name, r->turn,
                  ceil(m->options.substeps * r->turn / fmin(RESOLVED, 0.9 * rotation_most(m))));
}

int ali3_report_text(const ali3_model *m, const ali3_data *d, char *text, size_t size)
{
  const ali3_report *r = &d->report;
  char where[200] = "", direction[300] = "", cause[400] = "";
  if (r->status == ALI3_OK) return snprintf(text, size, "%s", "");
  if (r->status == ALI3_E_ARGUMENT && !d->started)
    return snprintf(text, size, "there is no initial state: call ali3_reset() before the first step");
  if (r->status == ALI3_MOVED) return moved_text(m, d, text, size);
  if (r->status == ALI3_E_STIFF && r->worst_force >= 0) return stiff_text(m, r, text, size);
  if (r->status == ALI3_UNRESOLVED) return ali3_turn_text(m, r, text, size);
  ali3_violation_text(m, &d->violation, cause, sizeof cause);
  if (r->turn > 0.0) {
    char turn[400];
    ali3_turn_text(m, r, turn, sizeof turn);
    return snprintf(text, size, "%s%s%s; %s", ali3_status_text(r->status), cause[0] ? ": " : "", cause, turn);
  }
  if (r->status == ALI3_VIOLATED || r->status == ALI3_E_VIOLATED)
    return snprintf(text, size, "%s: %s", ali3_status_text(r->status), cause);
  if (r->status == ALI3_E_ASSEMBLE && d->initial.body_rate >= 0) {
    const double limit = m->options.assembly_velocity;
    rate_text(m, &d->initial, cause, sizeof cause);
    return snprintf(
        text, size,
        "%s, a change of %.4g, and assembly allows %.4g: correct the rates, or %s assembly.velocity", cause,
        d->initial.rate_changed, limit > 0.0 ? limit : RATE_PART * d->initial.rate_given,
        limit > 0.0 ? "raise" : "set");
  }
  if (r->status == ALI3_E_ASSEMBLE && (r->worst_joint >= 0 || r->worst_force >= 0))
    return cannot_assemble_text(m, d, text, size);
  /* Add the element and the cause. */
  if (r->worst_body >= 0)
    snprintf(where, sizeof where, ": body \"%s\"", m->body[r->worst_body].name);
  else if (r->status == ALI3_E_SINGULAR && (r->worst_joint >= 0 || r->worst_force >= 0))
    snprintf(where, sizeof where, ": %s \"%s\"", r->worst_joint >= 0 ? "joint" : "force",
             r->worst_joint >= 0 ? m->joint[r->worst_joint].name : m->force[r->worst_force].name);
  free_direction(m, r, direction, sizeof direction);
  return snprintf(text, size, "%s%s%s%s%s", ali3_status_text(r->status), where, direction,
                  cause[0] ? "; " : "", cause);
}
