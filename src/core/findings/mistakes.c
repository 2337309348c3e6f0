/* SPDX-License-Identifier: MIT
 * Mistakes of single numbers: degrees for radians, world coordinates for those of a body, and bodies so light that they are
 * better without mass. */
#include "findings/findings_parts.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double WHOLE_TURN = 6.283185307179586, /* rad */
    LEAST_DEGREES = 30.0, MOST_DEGREES = 720.0, ROUND_DEGREES = 15.0;

/* An angle beyond two turns that is a round number of degrees. */
static bool is_in_degrees(double angle)
{
  return fabs(angle) >= LEAST_DEGREES && fabs(angle) <= MOST_DEGREES &&
         fmod(fabs(angle), ROUND_DEGREES) == 0.0;
}

static void report_degrees(struct inspection *in, enum finding_kind kind, int index, const char *name,
                           const char *key, double angle)
{
  if (!is_in_degrees(angle)) return;
  struct finding *f =
      finding_add(in, FINDING_WARNING, FINDING_DEGREES, kind, index,
                  "%s \"%s\": %s %g rad is %.3g turns: are these degrees? Write %g deg",
                  kind == FINDING_OF_JOINT ? "joint" : "force", name, key, angle, angle / WHOLE_TURN, angle);
  finding_add_number(f, "angle", angle, "rad");
}

static void inspect_angles(struct inspection *in)
{
  const ali3_model *m = in->m;
  for (int i = 0; i < m->joints; i++)
    if (m->joint[i].spec.type == ALI3_JOINT_REVOLUTE)
      report_degrees(in, FINDING_OF_JOINT, i, m->joint[i].name, "position", m->joint[i].spec.position);
  for (int i = 0; i < m->forces; i++) {
    const ali3_force_spec *s = &m->force[i].spec;
    if (!ali3_force_type_on_joint(s->type) || !ali3_model_force_turns(m, i)) continue;
    if (s->type == ALI3_FORCE_STOP) {
      report_degrees(in, FINDING_OF_FORCE, i, m->force[i].name, "lower", s->lower);
      report_degrees(in, FINDING_OF_FORCE, i, m->force[i].name, "upper", s->upper);
    }
    if (s->type == ALI3_FORCE_DRIVE)
      report_degrees(in, FINDING_OF_FORCE, i, m->force[i].name, "amplitude", s->amplitude);
  }
}

/* Distance of the farthest matter or other connection of a body from its centre of mass. */
static double size_without(const struct inspection *in, int body, int joint)
{
  static const double ENDS = 1.22; /* radii of gyration, of a rod */
  const ali3_model *m = in->m;
  const struct body *b = &m->body[body];
  double size =
      b->spec.mass > 0.0
          ? ENDS * sqrt((b->spec.inertia[0] + b->spec.inertia[4] + b->spec.inertia[8]) / b->spec.mass)
          : 0.0;
  for (int i = 0; i < m->joints; i++)
    for (int side = 0; side < 2; side++)
      if (i != joint && m->joint[i].body[side] == body)
        size = fmax(size, sqrt(v3_dot(m->joint[i].point[side], m->joint[i].point[side])));
  return size;
}

/* A point of a distance joint far off its body that lies on it if its numbers are world coordinates. */
static void inspect_distances(struct inspection *in)
{
  static const double FAR = 2.0;
  const ali3_model *m = in->m;
  for (int i = 0; i < m->joints; i++) {
    const struct joint *j = &m->joint[i];
    for (int side = 0; side < 2 && j->spec.type == ALI3_JOINT_DISTANCE; side++) {
      if (j->body[side] == ALI3_GROUND) continue;
      /* the point, from the centre of mass and as a place in the world */
      const struct body *b = &m->body[j->body[side]];
      const double size = size_without(in, j->body[side], i),
                   arm = sqrt(v3_dot(j->point[side], j->point[side]));
      double off[3];
      v3_sub(off, j->point[side], b->spec.position);
      if (!(arm > FAR * size && sqrt(v3_dot(off, off)) <= size)) continue;
      struct finding *f = finding_add(in, FINDING_WARNING, FINDING_FRAME, FINDING_OF_JOINT, i,
                                      "joint \"%s\": point_%c is %s away from body \"%s\", which reaches %s: "
                                      "are these world coordinates? Give the point in "
                                      "the axes of the body, from its centre of mass",
                                      j->name, side ? 'b' : 'a', quantity_length(arm).text, b->name,
                                      quantity_length(size).text);
      finding_add_number(f, "distance", arm, "m");
      finding_add_number(f, "size", size, "m");
    }
  }
}

/* Bodies that have next to no mass, and that only springs and dampers hold. */
static void inspect_light_bodies(struct inspection *in)
{
  const ali3_model *m = in->m;
  for (int b = 0; b < m->bodies; b++) {
    bool held = false;
    if (!m->frozen->carried[b] || m->body[b].spec.mass == 0.0) continue;
    for (int i = 0; i < m->frozen->rigid_links; i++)
      for (int side = 0; side < m->frozen->link[i].sides; side++) held |= m->frozen->link[i].body[side] == b;
    if (held) continue;
    struct finding *f = finding_add(
        in, FINDING_INFO, FINDING_LIGHT, FINDING_OF_BODY, b,
        "body \"%s\" of %.3g kg is held by springs and dampers only: write mass: 0 and inertia: [0, 0, 0], "
        "which costs nothing and is more accurate than substeps",
        m->body[b].name, m->body[b].spec.mass);
    finding_add_number(f, "mass", m->body[b].spec.mass, "kg");
  }
}

void inspect_mistakes(struct inspection *in)
{
  inspect_angles(in);
  inspect_distances(in);
  inspect_light_bodies(in);
}
