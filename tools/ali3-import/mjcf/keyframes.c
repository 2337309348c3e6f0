/* SPDX-License-Identifier: MIT
 * MJCF: a keyframe as the start. */
#include "convert.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* A rotation vector from a quaternion, which need not have length 1. */
static void find_turn(double angle[3], const mjtNum *q)
{
  const double size = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), turn = 2.0 * atan2(size, q[0]);
  for (int i = 0; i < 3; i++) angle[i] = size > 0.0 ? turn / size * q[1 + i] : 0.0;
}

static void take_key_positions(struct convert *c, const mjtNum *qpos)
{
  const mjModel *m = c->m;
  for (int i = 0; i < m->njnt; i++) {
    struct joint *j = &c->robot->joint[c->joint[i]];
    const mjtNum *q = qpos + m->jnt_qposadr[i];
    double turn[3];
    /* Ball joints turn, free ones are placed, all others have one number. */
    switch (m->jnt_type[i]) {
    case mjJNT_BALL:
      find_turn(j->angle, q);
      break;
    case mjJNT_FREE:
      find_turn(turn, q + 3);
      memcpy(j->origin.p, q, sizeof j->origin.p);
      frame_about_vector(j->origin.R, turn);
      break;
    default:
      j->position = q[0];
    }
  }
}

bool convert_keyframe(struct convert *c)
{
  const mjModel *m = c->m;
  const char *pose = c->options->pose;
  char names[200] = "";
  for (int i = 0; pose && i < m->nkey; i++) {
    const char *name = model_name(c, m->name_keyadr, i);
    const size_t length = strlen(names);
    if (strcmp(name, pose) == 0) {
      take_key_positions(c, m->key_qpos + (ptrdiff_t)m->nq * i);
      c->robot->posed = true;
      return true;
    }
    if (*name) snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name);
  }
  if (!pose || access(pose, R_OK) == 0) return true;
  return note_error(c->notes, 0, "--pose %s: expected a file or a keyframe of the robot (%s)", pose,
                    *names ? names : "it has none");
}
