/* SPDX-License-Identifier: MIT
 * Why a mechanism cannot be put into its initial state. */
#include "findings/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVES_TRIED = 50 };

/* Whether it can be assembled when drives prescribe nothing; position: where the joint of drive `of` then stands. */
static bool assembles(struct look *l, const bool *motor, int of, double *position)
{
  struct look_twin t;
  ali3_force_state s = {0};
  if (!look_twin(&t, l->m, &l->m->options, motor)) return false;
  const bool good = ali3_reset(&t.model, t.data) >= 0;
  if (good) ali3_force_get(&t.model, t.data, of, &s);
  *position = s.position;
  look_twin_free(&t);
  return good;
}

/* The drive without which the mechanism can be assembled; if only all together are too many, the first. -1: drives are
 * not the reason. */
static int find_drive(struct look *l, double *position)
{
  const ali3_model *m = l->m;
  bool *motor = calloc((size_t)m->forces + 1, sizeof *motor);
  int drives = 0, found = -1, first = -1;
  if (!motor) {
    l->memory = false;
    return -1;
  }
  for (int i = 0; i < m->forces; i++) {
    motor[i] = m->force[i].spec.type == ALI3_FORCE_DRIVE;
    if (motor[i] && drives++ == 0) first = i;
  }
  if (drives > 0 && assembles(l, motor, first, position)) found = first;
  for (int i = 0; found >= 0 && drives > 1 && drives <= DRIVES_TRIED && i < m->forces; i++) {
    double at;
    if (m->force[i].spec.type != ALI3_FORCE_DRIVE) continue;
    memset(motor, 0, (size_t)m->forces * sizeof *motor);
    motor[i] = true;
    if (!assembles(l, motor, i, &at)) continue;
    found = i;
    *position = at;
    break;
  }
  free(motor);
  return found;
}

/* Another drive on the same joint; -1: none. */
static int rival_of(const ali3_model *m, int drive)
{
  for (int i = 0; i < m->forces; i++)
    if (i != drive && m->force[i].spec.type == ALI3_FORCE_DRIVE &&
        m->force[i].spec.joint == m->force[drive].spec.joint)
      return i;
  return -1;
}

static void found_rivals(struct look *l, int drive, int other)
{
  look_found(
      l, FINDING_ERROR, FINDING_DRIVES_FIGHT, FINDING_OF_FORCE, drive,
      "drive \"%s\" and drive \"%s\" want joint \"%s\" in different places at the start: remove one of them",
      look_force(l, drive), look_force(l, other), l->m->joint[l->m->force[drive].spec.joint].name);
}

static void found_drive(struct look *l, int drive, double position)
{
  const ali3_force_spec *spec = &l->m->force[drive].spec;
  const bool turns = ali3_model_force_turns(l->m, drive);
  ali3_force_state s;
  ali3_force_get(l->m, l->d, drive, &s);
  struct finding *f =
      look_found(l, FINDING_ERROR, FINDING_DRIVE_REACH, FINDING_OF_FORCE, drive,
                 "drive \"%s\" is out of reach: the mechanism cannot be assembled with joint \"%s\" at %s, "
                 "where the drive begins; "
                 "without the drive the joint is at %s: correct the offset of the drive",
                 look_force(l, drive), l->m->joint[spec->joint].name, look_coordinate(s.target, turns).text,
                 look_coordinate(position, turns).text);
  look_number(f, "target", s.target, turns ? "rad" : "m");
  look_number(f, "position", position, turns ? "rad" : "m");
}

void look_at_failure(struct look *l)
{
  const ali3_report *r = ali3_report_get(l->d);
  double position = 0.0;
  char text[FINDING_TEXT];
  const bool too_far = ali3_initial_get(l->d)->too_far; /* it can be assembled, elsewhere */
  const int drive = too_far ? -1 : find_drive(l, &position);
  if (drive >= 0) {
    const int rival = rival_of(l->m, drive);
    if (rival >= 0)
      found_rivals(l, drive < rival ? drive : rival, drive < rival ? rival : drive);
    else
      found_drive(l, drive, position);
    return;
  }
  enum finding_kind kind = FINDING_OF_MODEL;
  int index = -1;
  if (r->worst_joint >= 0) {
    kind = FINDING_OF_JOINT;
    index = r->worst_joint;
  } else if (r->worst_force >= 0) {
    kind = FINDING_OF_FORCE;
    index = r->worst_force;
  } else if (r->worst_body >= 0) {
    kind = FINDING_OF_BODY;
    index = r->worst_body;
  }
  ali3_report_text(l->m, l->d, text, sizeof text);
  look_found(l, FINDING_ERROR, FINDING_START, kind, index, "%s", text);
}
