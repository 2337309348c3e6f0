/* SPDX-License-Identifier: MIT
 * The reason for which a mechanism cannot be put into its initial state. */
#include "findings/findings_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVES_TRIED = 50 };

/* The mechanism can be assembled if the drives in `motor` prescribe nothing. position: coordinate of the joint of drive `of`
 * then. */
static bool assembles_without(struct inspection *in, const bool *motor, int of, double *position)
{
  struct model_copy t;
  ali3_force_state s = {0};
  if (!model_copy_make(&t, in->m, &in->m->options, motor)) return false;
  const bool good = ali3_reset(&t.model, t.data) >= 0;
  if (good) ali3_force_get(&t.model, t.data, of, &s);
  *position = s.position;
  model_copy_free(&t);
  return good;
}

/* The drive without which the mechanism can be assembled, or the first drive if it can be assembled only without all drives.
 * -1: drives are not the reason. */
static int find_drive(struct inspection *in, double *position)
{
  const ali3_model *m = in->m;
  bool *motor = calloc((size_t)m->forces + 1, sizeof *motor);
  int drives = 0, found = -1, first = -1;
  if (!motor) {
    in->memory = false;
    return -1;
  }
  /* Try without any drive. If that fails, drives are not the reason. */
  for (int i = 0; i < m->forces; i++) {
    motor[i] = m->force[i].spec.type == ALI3_FORCE_DRIVE;
    if (motor[i] && drives++ == 0) first = i;
  }
  if (drives > 0 && assembles_without(in, motor, first, position)) found = first;
  /* Omit one drive at a time. */
  for (int i = 0; found >= 0 && drives > 1 && drives <= DRIVES_TRIED && i < m->forces; i++) {
    double at;
    if (m->force[i].spec.type != ALI3_FORCE_DRIVE) continue;
    memset(motor, 0, (size_t)m->forces * sizeof *motor);
    motor[i] = true;
    if (!assembles_without(in, motor, i, &at)) continue;
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

static void report_rivals(struct inspection *in, int drive, int other)
{
  finding_add(in, FINDING_ERROR, FINDING_DRIVES_FIGHT, FINDING_OF_FORCE, drive,
              "drive \"%s\" and drive \"%s\" prescribe different coordinates of joint \"%s\" at the start: "
              "remove one of them",
              inspection_force(in, drive), inspection_force(in, other),
              in->m->joint[in->m->force[drive].spec.joint].name);
}

static void report_drive(struct inspection *in, int drive, double position)
{
  const ali3_force_spec *spec = &in->m->force[drive].spec;
  const bool turns = ali3_model_force_turns(in->m, drive);
  ali3_force_state s;
  ali3_force_get(in->m, in->d, drive, &s);
  struct finding *f = finding_add(
      in, FINDING_ERROR, FINDING_DRIVE_REACH, FINDING_OF_FORCE, drive,
      "drive \"%s\" is out of reach: the mechanism cannot be assembled with joint \"%s\" at %s, "
      "where the drive begins; without the drive the joint is at %s: correct the offset of the drive",
      inspection_force(in, drive), in->m->joint[spec->joint].name, quantity_coordinate(s.target, turns).text,
      quantity_coordinate(position, turns).text);
  finding_add_number(f, "target", s.target, turns ? "rad" : "m");
  finding_add_number(f, "position", position, turns ? "rad" : "m");
}

void inspect_failure(struct inspection *in)
{
  const ali3_report *r = ali3_data_report(in->d);
  double position = 0.0;
  char text[FINDING_TEXT];
  /* Report a drive if the mechanism can be assembled without it. */
  const bool too_far = ali3_data_initial(in->d)->too_far; /* it can be assembled, too far away */
  const int drive = too_far || r->status == ALI3_E_STIFF ? -1 : find_drive(in, &position);
  if (drive >= 0) {
    const int rival = rival_of(in->m, drive);
    if (rival >= 0)
      report_rivals(in, drive < rival ? drive : rival, drive < rival ? rival : drive);
    else
      report_drive(in, drive, position);
    return;
  }
  /* Otherwise report the element with the largest opening. */
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
  ali3_report_text(in->m, in->d, text, sizeof text);
  finding_add(in, FINDING_ERROR, FINDING_START, kind, index, "%s", text);
}
