/* SPDX-License-Identifier: MIT
 * Set-up: openings of joints and drives in the poses of the model, as numbers and texts. Angles are angles between axes or
 * orientations, and not residuals of rows. */
#include "assembly/assembly.h"
#include "dynamics/compile.h"

#include <ali3/model.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double HALF_TURN = 3.14159265358979323846;
static const double CLOSED = 1e-9; /* rad, and relative to frozen.rounding */

static double angle_between(const double a[3], const double b[3])
{
  double n[3];
  v3_cross(n, a, b);
  return atan2(sqrt(v3_dot(n, n)), v3_dot(a, b));
}

/* Angle between the orientation of b in a and the orientation that the joint holds; 0 if the joint holds the one at the
 * start. */
static double orientation_off(const struct joint *joint, const struct rows_start *at)
{
  const double *want = joint->spec.relative_orientation, *a = at->x[0].p;
  const double unwant[4] = {want[0], -want[1], -want[2], -want[3]}, turn_a[4] = {a[0], -a[1], -a[2], -a[3]};
  double q[4], off[4];
  if (p_dot(want, want) == 0.0) return 0.0;
  p_mul(q, turn_a, at->x[1].p);
  p_mul(off, unwant, q);
  return 2.0 * atan2(sqrt(v3_dot(off + 1, off + 1)), fabs(off[0]));
}

static double joint_angle(const struct joint *joint, const struct rows_start *at)
{
  double U[3], V[3];
  m3_mul(U, at->f[0].R, joint->axis[0]);
  m3_mul(V, at->f[1].R, joint->axis[1]);
  double between = angle_between(U, V);
  switch (joint->spec.type) {
  case ALI3_JOINT_FIXED:
  case ALI3_JOINT_PRISMATIC:
    return orientation_off(joint, at);
  case ALI3_JOINT_REVOLUTE:
  case ALI3_JOINT_CYLINDRICAL:
  case ALI3_JOINT_PLANAR: /* parallel in either direction */
    return fmin(between, HALF_TURN - between);
  case ALI3_JOINT_UNIVERSAL:
    return fabs(between - 0.5 * HALF_TURN);
  default:
    return 0.0;
  }
}

/* Norm of the rows that are lengths. */
static double joint_distance(const struct joint_rows *j, const struct rows_start *at)
{
  double square = 0.0, separation = sqrt(v3_dot(at->d, at->d));
  for (int k = 0; k < j->primitives; k++) {
    const struct primitive *p = &j->primitive[k];
    double U[3];
    if (p->kind == ROW_COINCIDE) square += separation * separation;
    if (p->kind == ROW_DISTANCE) square += (separation - j->length) * (separation - j->length);
    if (p->kind != ROW_IN_PLANE) continue;
    m3_mul(U, at->f[0].R, p->u);
    square += v3_dot(U, at->d) * v3_dot(U, at->d);
  }
  return sqrt(square);
}

static ali3_opening joint_opening(const ali3_model *m, int joint, double length)
{
  const struct joint_rows *j = &m->frozen->link[joint];
  struct rows_start at;
  rows_start_at(m, m->joint[joint].body, m->joint[joint].point, &at);
  ali3_opening o = {.distance = joint_distance(j, &at), .angle = joint_angle(&m->joint[joint], &at)};
  o.open = o.distance > CLOSED * length || o.angle > CLOSED;
  return o;
}

/* Coordinate at which a drive begins. */
static double drive_begins(const struct drive *drive)
{
  return drive->motion.external ? drive->at_start : motion_at(&drive->motion, 0.0).position;
}

static ali3_opening force_opening(const ali3_model *m, int force, double length)
{
  const struct joint_rows *j = &m->frozen->link[m->frozen->force_link[force]];
  ali3_opening o = {0};
  if (j->drive < 0) return o;
  const struct drive *drive = &m->frozen->drive[j->drive];
  double off = drive_begins(drive) - drive->at_start;
  if (j->coordinate[0].kind == COORDINATE_ANGLE)
    o.angle = fabs(remainder(off, 2.0 * HALF_TURN));
  else
    o.distance = fabs(off);
  o.open = o.distance > CLOSED * length || o.angle > CLOSED;
  return o;
}

ali3_status ali3_joint_opening(const ali3_model *m, int joint, ali3_opening *out)
{
  if (!m || !m->frozen || joint < 0 || joint >= m->joints) return ALI3_E_ARGUMENT;
  *out = joint_opening(m, joint, m->frozen->rounding);
  return ALI3_OK;
}

ali3_status ali3_force_opening(const ali3_model *m, int force, ali3_opening *out)
{
  if (!m || !m->frozen || force < 0 || force >= m->forces) return ALI3_E_ARGUMENT;
  *out = force_opening(m, force, m->frozen->rounding);
  return ALI3_OK;
}

/* i: joints, then forces. */
static ali3_opening opening_at(const ali3_model *m, int i, double length)
{
  return i < m->joints ? joint_opening(m, i, length) : force_opening(m, i - m->joints, length);
}

/* A measure for comparing openings: a distance of the size of the mechanism counts as 1 rad. */
static double opening_extent(const ali3_model *m, const ali3_opening *o)
{
  return o->open ? fmax(o->distance / m->frozen->length, o->angle) : 0.0;
}

struct opening_worst openings_worst(const ali3_model *m)
{
  struct opening_worst worst = {-1, -1, 0.0};
  double largest = 0.0, length = m->frozen->rounding;
  for (int i = 0; i < m->joints + m->forces; i++) {
    const ali3_opening o = opening_at(m, i, length);
    if (!(opening_extent(m, &o) > largest)) continue;
    largest = opening_extent(m, &o);
    worst.joint = i < m->joints ? i : -1;
    worst.force = i < m->joints ? -1 : i - m->joints;
    worst.size = o.angle >= largest ? o.angle : o.distance;
  }
  return worst;
}

void openings_length_text(double x, char text[24])
{
  if (x < 10.0)
    snprintf(text, 24, "%.4g mm", 1e3 * x);
  else
    snprintf(text, 24, "%.4g m", x);
}

void openings_angle_text(double x, char text[24])
{
  double degrees = x * 180.0 / HALF_TURN;
  snprintf(text, 24, degrees < 0.1 && degrees > 0.0 ? "%.2g degrees" : "%.1f degrees", degrees);
}

/* The subject of the sentence "axes are 90.0 degrees apart". */
static const char *angle_of(ali3_joint_type type)
{
  bool oriented = type == ALI3_JOINT_FIXED || type == ALI3_JOINT_PRISMATIC;
  return oriented ? "orientations" : "axes";
}

static int joint_words(const ali3_model *m, int joint, const ali3_opening *o, char *text, size_t size)
{
  const struct joint *j = &m->joint[joint];
  const char *what = angle_of(j->spec.type),
             *from = j->spec.type == ALI3_JOINT_UNIVERSAL ? "from a right angle" : "apart";
  char distance[24], angle[24];
  openings_length_text(o->distance, distance);
  openings_angle_text(o->angle, angle);
  if (!o->open) return snprintf(text, size, "%s", "");
  if (o->angle <= CLOSED) return snprintf(text, size, "joint \"%s\" is open by %s", j->name, distance);
  if (o->distance <= CLOSED * m->frozen->rounding)
    return snprintf(text, size, "joint \"%s\": %s are %s %s", j->name, what, angle, from);
  return snprintf(text, size, "joint \"%s\" is open by %s, and its %s are %s %s", j->name, distance, what,
                  angle, from);
}

static int force_words(const ali3_model *m, int force, const ali3_opening *o, char *text, size_t size)
{
  const struct force *f = &m->force[force];
  char off[24];
  if (!o->open) return snprintf(text, size, "%s", "");
  if (o->angle > 0.0)
    openings_angle_text(o->angle, off);
  else
    openings_length_text(o->distance, off);
  return snprintf(text, size, "drive \"%s\" begins %s away from joint \"%s\"", f->name, off,
                  m->joint[f->spec.joint].name);
}

int ali3_joint_opening_text(const ali3_model *m, int joint, char *text, size_t size)
{
  ali3_opening o;
  if (ali3_joint_opening(m, joint, &o) < 0) return snprintf(text, size, "%s", "");
  return joint_words(m, joint, &o, text, size);
}

int ali3_force_opening_text(const ali3_model *m, int force, char *text, size_t size)
{
  ali3_opening o;
  if (ali3_force_opening(m, force, &o) < 0) return snprintf(text, size, "%s", "");
  return force_words(m, force, &o, text, size);
}

enum { LISTED = 8 };

/* Inserts x into the list of the largest values, in descending order. */
static void keep_largest(double largest[LISTED], double x)
{
  for (int i = 0; i < LISTED; i++)
    if (x > largest[i]) {
      double smaller = largest[i];
      largest[i] = x;
      x = smaller;
    }
}

__attribute__((format(printf, 4, 5))) static void append_opening(char *text, size_t size, size_t *used,
                                                                 const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (*used < size) *used += (size_t)vsnprintf(text + *used, size - *used, format, arguments);
  va_end(arguments);
}

int openings_list(const ali3_model *m, char *text, size_t size)
{
  double largest[LISTED] = {0.0}, length = m->frozen->rounding;
  int open = 0, shown = 0;
  size_t used = 0;
  for (int i = 0; i < m->joints + m->forces; i++) {
    const ali3_opening o = opening_at(m, i, length);
    keep_largest(largest, opening_extent(m, &o));
    open += o.open;
  }
  /* List the largest openings in the order of the model. */
  append_opening(text, size, &used, "%s", "");
  for (int i = 0; i < m->joints + m->forces && shown < LISTED; i++) {
    const ali3_opening o = opening_at(m, i, length);
    char words[300];
    if (!o.open || opening_extent(m, &o) < largest[LISTED - 1]) continue;
    if (i < m->joints)
      joint_words(m, i, &o, words, sizeof words);
    else
      force_words(m, i - m->joints, &o, words, sizeof words);
    append_opening(text, size, &used, "%s%s", shown++ ? "; " : "", words);
  }
  if (open > shown) append_opening(text, size, &used, "; and %d more", open - shown);
  return open;
}
