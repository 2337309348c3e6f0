/* SPDX-License-Identifier: MIT
 * MJCF: connect is a spherical joint, weld a fixed one, and a linear relation of two joints a gear. */
#include "convert.h"

#include <math.h>
#include <string.h>

/* Both ends as frames of the bodies. */
static bool add_loop(struct convert *c, int index, const char *type, const struct frame end[2], int line)
{
  const mjModel *m = c->m;
  struct robot *r = c->robot;
  const char *name = given_name(c, m->name_eqadr, index, "loop");
  const int body[2] = {m->eq_obj1id[index], m->eq_obj2id[index]};
  int link[2];
  for (int i = 0; i < 2; i++) {
    char frame[120];
    snprintf(frame, sizeof frame, "%.100s_%c", name ? name : "", i ? 'b' : 'a');
    link[i] = add_frame_link(c, robot_text(r, frame), body[i], &end[i], line);
    if (link[i] == NONE) return false;
  }
  if (!name || !robot_grow(r, (void **)&r->loop, r->loops, &r->loop_room, sizeof *r->loop))
    return convert_no_memory(c);
  r->loop[r->loops++] =
      (struct loop){.name = name, .line = line, .type = type, .link = {link[0], link[1]}, .axis = {0, 0, 1}};
  return true;
}

static bool take_connect(struct convert *c, int index, int line)
{
  const mjtNum *data = c->m->eq_data + mjNEQDATA * (ptrdiff_t)index;
  const struct frame end[2] = {frame_in_link(c, c->m->eq_obj1id[index], data, NULL),
                               frame_in_link(c, c->m->eq_obj2id[index], data + 3, NULL)};
  return add_loop(c, index, "spherical", end, line);
}

/* The first body holds the second one in a relative pose. A factor of 0 on the torque leaves a point. */
static bool take_weld(struct convert *c, int index, int line)
{
  const mjtNum *data = c->m->eq_data + mjNEQDATA * (ptrdiff_t)index;
  const bool point = data[10] == 0.0;
  const struct frame end[2] = {frame_in_link(c, c->m->eq_obj1id[index], data + 3, point ? NULL : data + 6),
                               frame_in_link(c, c->m->eq_obj2id[index], data, NULL)};
  return add_loop(c, index, point ? "spherical" : "fixed", end, line);
}

/* y - y0 = a0 + a1 (x - x0) + a2 (x - x0)^2 + .. */
static void take_joint_relation(struct convert *c, int index, int line)
{
  const mjModel *m = c->m;
  const mjtNum *a = m->eq_data + mjNEQDATA * (ptrdiff_t)index;
  const int other = m->eq_obj2id[index];
  struct joint *y = &c->robot->joint[c->joint[m->eq_obj1id[index]]],
               *x = other >= 0 ? &c->robot->joint[c->joint[other]] : NULL;
  /* Relations that a gear cannot have. */
  if (!joint_has_coordinate(y) || (x && !joint_has_coordinate(x)) || y->leader_name) {
    note(c->notes, line, "joint '%.100s': a second relation, or one without a coordinate, is not imported",
         y->name);
    return;
  }
  if (x && (a[2] != 0.0 || a[3] != 0.0 || a[4] != 0.0)) {
    note(c->notes, line, "joints '%.100s' and '%.100s': a relation that is not linear is not imported",
         y->name, x->name);
    return;
  }
  y->mimic_line = line;
  y->offset = y->zero + a[0];
  if (x) {
    y->leader_name = x->name;
    y->multiplier = a[1];
    y->offset -= a[1] * x->zero;
    return;
  }
  y->held = true;
  y->position = y->offset;
  note(c->notes, line, "joint '%.100s' is held at %g", y->name, y->position);
}

bool convert_equalities(struct convert *c)
{
  const mjModel *m = c->m;
  for (int i = 0; i < m->neq; i++) {
    const int line = mjcf_line(&c->lines, MJCF_EQUALITY, i, m->neq, model_name(c, m->name_eqadr, i));
    /* Skip the constraints that hold nothing. */
    const int a = m->eq_obj1id[i], b = m->eq_obj2id[i], type = m->eq_type[i];
    const bool bodies = type == mjEQ_CONNECT || type == mjEQ_WELD;
    if (!m->eq_active[i] || (m->opt.disableflags & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT))) {
      note_often(c->notes, line, "an equality constraint that is not active is not imported");
    } else if (bodies && m->body_weldid[a] == m->body_weldid[b]) {
      note_often(c->notes, line, "an equality constraint within one body is not imported");
    } else if (type == mjEQ_CONNECT ? !take_connect(c, i, line)
                                    : type == mjEQ_WELD && !take_weld(c, i, line)) {
      return false;
    } else if (type == mjEQ_JOINT) {
      take_joint_relation(c, i, line);
    } else if (!bodies) {
      note_often(c->notes, line, "equality constraints of tendons are not imported");
    }
  }
  return true;
}
