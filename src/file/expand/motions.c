/* SPDX-License-Identifier: MIT
 * Moves the elements of a part: reflects them, gives them a prefix, and turns and shifts them. Numbers in the frame of a body of
 * the part turn with it. Numbers in the frame of a body outside the part stay. */
#include "expand/expand_parts.h"
#include "model/names.h"

#include <stdio.h>
#include <string.h>

/* --- mirror --- */

/* A reflection changes three numbers in one of two ways. POLAR: a point or direction. AXIAL: an axis of rotation, which
 * keeps the sense of the turn seen in the mirror. */
enum reflection { POLAR, AXIAL };

static bool mirror_vector(struct expander *e, struct node *map, const char *key, int axis,
                          enum reflection how)
{
  double v[3];
  if (!node_numbers(node_find(map, key), v, 3)) return true;
  for (int i = 0; i < 3; i++)
    if ((i == axis) == (how == POLAR)) v[i] = -v[i];
  return node_put_numbers(e, map, key, v, 3);
}

static bool mirror_orientation(struct expander *e, struct node *map, const char *key, int axis)
{
  double p[4];
  if (!node_numbers(node_find(map, key), p, 4)) return true;
  for (int i = 0; i < 3; i++)
    if (i != axis) p[1 + i] = -p[1 + i];
  return node_put_numbers(e, map, key, p, 4);
}

/* Three rows of three numbers; a diagonal stays. */
static bool mirror_inertia(struct expander *e, struct node *body, int axis)
{
  struct node *list = node_child(body, "inertia");
  if (!list || list->kind != NODE_LIST || list->count != 3 || list->first->kind != NODE_LIST) return true;
  int i = 0;
  for (struct node *row = list->first; row; row = row->next, i++) {
    double v[3];
    if (!node_numbers(row, v, 3)) return true;
    for (int j = 0; j < 3; j++)
      if ((i == axis) != (j == axis)) v[j] = -v[j];
    struct node holder = {.kind = NODE_MAP, .at = row->at};
    if (!node_put_numbers(e, &holder, "row", v, 3)) return false;
    row->first = holder.first->first;
  }
  return true;
}

static bool mirror_element(struct expander *e, struct node *n, enum element_list list, int axis)
{
  static const char *const polar[] = {"position", "velocity", "point", "point_a",   "point_b",
                                      "at",       "normal",   "force", "safe_force"};
  static const char *const axes[] = {"axis", "axis_a", "axis_b"};
  bool good = true;
  for (size_t i = 0; good && i < sizeof polar / sizeof *polar; i++)
    good = mirror_vector(e, n, polar[i], axis, POLAR);
  good = good && mirror_vector(e, n, BODY_CENTRE, axis, POLAR);
  good = good && mirror_vector(e, n, "angular_velocity", axis, AXIAL) &&
         mirror_vector(e, n, "axle", axis, AXIAL) && mirror_vector(e, n, "torque", axis, AXIAL) &&
         mirror_vector(e, n, "safe_torque", axis, AXIAL);
  /* The mirrored joint moves as in the mirror for the same coordinate, and a mirrored sensor of angles shows the same value. */
  const bool turns = node_text_is(n, "type", "revolute") || node_text_is(n, "type", "angle");
  const enum reflection turn = turns ? AXIAL : POLAR;
  for (int i = 0; good && i < 3; i++) good = mirror_vector(e, n, axes[i], axis, turn);
  good = good && mirror_orientation(e, n, "orientation", axis) &&
         mirror_orientation(e, n, "relative_orientation", axis);
  if (list == VISUAL) return good && picture_mirror(e, n, axis);
  return good && (list != BODIES || mirror_inertia(e, n, axis));
}

/* --- prefix --- */

static bool prefix_text(struct expander *e, struct node *map, const char *key, const char *prefix)
{
  char text[256];
  const char *old = node_text(map, key);
  if (!old) return true;
  if (snprintf(text, sizeof text, "%s%s", prefix, old) >= (int)sizeof text)
    return fail_expansion(e, map->at,
                          "prefix and name together are longer than 255 characters; shorten them");
  return node_put_text(e, map, key, text);
}

/* Gives a prefix to names of elements of the part, and to its references to them. */
static bool prefix_element(struct expander *e, struct node *n, const struct names known[ELEMENT_LISTS],
                           const char *prefix)
{
  static const struct {
    const char *key;
    enum element_list list;
  } reference[] = {{"body", BODIES},       {"body_a", BODIES}, {"body_b", BODIES},  {"relative_to", BODIES},
                   {ELEMENT_HOST, BODIES}, {"joint", JOINTS},  {"joint_b", JOINTS}, {"force", FORCES}};
  for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
    const char *old = node_text(n, reference[i].key);
    if (old && names_find(&known[reference[i].list], old) >= 0 &&
        !prefix_text(e, n, reference[i].key, prefix))
      return false;
  }
  return prefix_text(e, n, "name", prefix);
}

static bool prefix_part(struct expander *e, struct elements *part, const char *prefix)
{
  struct names known[ELEMENT_LISTS] = {0};
  bool good = true;
  for (int list = 0; list < ELEMENT_LISTS; list++)
    for (struct node *n = part->first[list]; good && n; n = n->next) {
      const char *name = node_text(n, "name");
      if (name && names_find(&known[list], name) < 0) good = names_add(&known[list], name, 0);
      if (!good) fail_expansion(e, n->at, "out of memory");
    }
  for (int list = 0; list < ELEMENT_LISTS; list++)
    for (struct node *n = part->first[list]; good && n; n = n->next)
      if (n->kind == NODE_MAP) good = prefix_element(e, n, known, prefix);
  for (int list = 0; list < ELEMENT_LISTS; list++) names_free(&known[list]);
  return good;
}

/* --- turn and shift --- */

static bool turn_body(struct expander *e, struct node *n, const struct part_motion *m)
{
  double p[4] = {1, 0, 0, 0}, o[4];
  const bool position = node_find(n, "position") != NULL, orientation = node_find(n, "orientation") != NULL;
  if (!vector_turn(e, n, "velocity", m, false)) return false;
  if (node_find(n, "relative_to") && !node_text_is(n, "relative_to", "ground")) return true;
  if (!vector_turn(e, n, "position", m, true)) return false;
  if (!position && !orientation) return true; /* a joint gives both */
  if (orientation && !node_numbers(node_find(n, "orientation"), p, 4)) return true;
  p_mul(o, m->orientation, p);
  return node_put_numbers(e, n, "orientation", o, 4);
}

/* A joint keeps the orientation of b seen from a. */
static bool turn_relative_orientation(struct expander *e, struct node *n, const struct part_motion *m,
                                      bool ground_a)
{
  double p[4], o[4];
  const double back[4] = {m->orientation[0], -m->orientation[1], -m->orientation[2], -m->orientation[3]};
  if (!node_numbers(node_find(n, "relative_orientation"), p, 4)) return true;
  p_mul(o, ground_a ? m->orientation : p, ground_a ? p : back);
  return node_put_numbers(e, n, "relative_orientation", o, 4);
}

/* Points and axes of joints and forces in the world, and in the frame of the ground. */
static bool turn_link(struct expander *e, struct node *n, const struct part_motion *m)
{
  const bool ground_a = node_text_is(n, "body_a", "ground"), ground_b = node_text_is(n, "body_b", "ground");
  const bool turned = m->orientation[1] != 0 || m->orientation[2] != 0 || m->orientation[3] != 0;
  if (turned && ground_a && node_text_is(n, "type", "bushing"))
    return fail_expansion(
        e, n->at,
        "a bushing has the axes of body_a, and the ground does not turn with the part: write "
        "ground as body_b");
  bool good = vector_turn(e, n, "at", m, true) && vector_turn(e, n, "axis", m, false);
  if (ground_a)
    good = good && vector_turn(e, n, "point_a", m, true) && vector_turn(e, n, "axis_a", m, false) &&
           vector_turn(e, n, "normal", m, false);
  if (ground_b)
    good = good && vector_turn(e, n, "point_b", m, true) && vector_turn(e, n, "axis_b", m, false) &&
           vector_turn(e, n, "axle", m, false);
  if (ground_a || ground_b) good = good && turn_relative_orientation(e, n, m, ground_a);
  return good;
}

/* A part that is attached may have sensors on its ground, but only a pose and an imu have an orientation. */
static bool turn_sensor(struct expander *e, struct node *n, const struct part_motion *m)
{
  const bool oriented = node_text_is(n, "type", "pose") || node_text_is(n, "type", "imu");
  if (oriented) return ground_pose_turn(e, n, "point", m);
  if (node_text_is(n, "body", "ground") && !vector_turn(e, n, "point", m, true)) return false;
  if (!node_text_is(n, "body_b", "ground")) return true;
  return vector_turn(e, n, "point_b", m, true) && vector_turn(e, n, "axis", m, false);
}

static bool turn_element(struct expander *e, struct node *n, enum element_list list,
                         const struct part_motion *m)
{
  /* Each list has its own numbers in the world, or on the ground. */
  switch (list) {
  case BODIES:
    return turn_body(e, n, m);
  case JOINTS:
    return turn_link(e, n, m);
  case FORCES:
    return turn_link(e, n, m) && load_turn(e, n, m);
  case INPUTS:
    return load_turn(e, n, m);
  case VISUAL:
    return ground_pose_turn(e, n, "position", m);
  case SENSORS:
    return turn_sensor(e, n, m);
  case ELEMENT_LISTS:
    break;
  }
  return true;
}

bool part_move(struct expander *e, struct elements *part, const struct part_motion *m)
{
  if (m->prefix && *m->prefix && !prefix_part(e, part, m->prefix)) return false;
  for (int list = 0; list < ELEMENT_LISTS; list++)
    for (struct node *n = part->first[list]; n; n = n->next) {
      if (n->kind != NODE_MAP) continue;
      if (m->mirror >= 0 && !mirror_element(e, n, (enum element_list)list, m->mirror)) return false;
      /* An element that is attached moves with its body. */
      if (m->moved && !node_find(n, ELEMENT_HOST) && !turn_element(e, n, (enum element_list)list, m))
        return false;
      if (m->host && !element_attach(e, n, (enum element_list)list, m->host)) return false;
    }
  return true;
}
