/* SPDX-License-Identifier: MIT
 * Set-up: the parts of an input, and its loads in a model. */
#include "signals/signals_parts.h"

#include "platform/platform.h"

#include <ali3/model.h>
#include <string.h>

const char *input_policy_name(uint64_t policy)
{
#define NAME(id, text) [id] = (text),
  static const char *const names[] = {INPUT_POLICY_LIST(NAME)};
  return policy < sizeof names / sizeof *names ? names[policy] : "?";
}

const char *input_state_name(uint64_t state)
{
  static const char *const names[] = {INPUT_STATE_LIST(NAME)};
#undef NAME
  return state < sizeof names / sizeof *names ? names[state] : "?";
}

const struct input_part *input_parts(enum input_kind kind)
{
  static const struct input_part end = {NULL, NULL, 0, 0, NULL};
  static const struct input_part of[][3] = {
      [INPUT_WRENCH] = {{"force", "N", 0, 3, walk_xyz}, {"torque", "N m", 3, 3, walk_xyz}},
      [INPUT_VALUE] = {{"value", "", 0, 1, NULL}},
      [INPUT_POSE] = {{"position", "m", 0, 3, platform_coordinate_name},
                      {"angle", "rad", 3, 3, platform_coordinate_name + 3}},
      [INPUT_RIG_POSE] = {{"position", "m", 0, 3, platform_coordinate_name},
                          {"angle", "rad", 3, 3, platform_coordinate_name + 3}},
      [INPUT_RIG_LEGS] = {{"leg", "m", 0, PLATFORM_LEGS, walk_one_to_six}},
      [INPUT_RIG_NUMBER] = {{"value", "", 0, 1, NULL}},
  };
  return (size_t)kind < sizeof of / sizeof *of ? of[kind] : &end;
}

int input_add_loads(ali3_model *m, struct input_spec *spec, const double point[3], bool body_axes)
{
  ali3_load_spec load = {.type = ALI3_LOAD_FORCE, .body = spec->body, .body_axes = body_axes};
  memcpy(load.point, point, sizeof load.point);
  int force = ali3_model_add_load(m, &load);
  if (force < 0) return force;
  load.type = ALI3_LOAD_TORQUE;
  int torque = ali3_model_add_load(m, &load);
  if (torque < 0) return torque;
  spec->load = force;
  return ALI3_OK;
}
