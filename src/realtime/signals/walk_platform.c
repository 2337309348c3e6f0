/* SPDX-License-Identifier: MIT
 * The signals of the motion platform and of its rig in the table. Set-up only. */
#include "platform/platform.h"
#include "rig/rig.h"
#include "signals/signals_parts.h"

enum platform_quantity {
#define QUANTITY(name, count) OF_##name,
  PLATFORM_SIGNAL_LIST(QUANTITY)
#undef QUANTITY
};

static const struct {
  const char *unit, *beyond, *turning; /* beyond: see walk_group_of_two(); turning: for cranks */
  const char *const *component;
} of_platform[] = {
    [OF_pose] = {"m", "rad", NULL, platform_coordinate_name},
    [OF_velocity] = {"m/s", "rad/s", NULL, platform_coordinate_name},
    [OF_acceleration] = {"m/s^2", "rad/s^2", NULL, platform_coordinate_name},
    [OF_target] = {"m", "rad", NULL, platform_coordinate_name},
    [OF_legs] = {"m", "m", "rad", walk_one_to_six},
    [OF_leg_rates] = {"m/s", "m/s", "rad/s", walk_one_to_six},
    [OF_legs_normalised] = {"", "", NULL, walk_one_to_six},
    [OF_pose_normalised] = {"", "", NULL, platform_coordinate_name},
    [OF_specific_force] = {"m/s^2", "", NULL, walk_xyz},
    [OF_angular_velocity] = {"rad/s", "", NULL, walk_xyz},
    [OF_margin] = {"", "", NULL, NULL},
    [OF_state] = {"", "", NULL, NULL},
    [OF_mode] = {"", "", NULL, NULL},
    [OF_flags] = {"", "", NULL, NULL},
    [OF_false_force] = {"m/s^2", "", NULL, walk_xyz},
    [OF_false_rate] = {"rad/s", "", NULL, walk_xyz},
    [OF_false_force_jump] = {"m/s^2", "", NULL, NULL},
    [OF_false_rate_jump] = {"rad/s", "", NULL, NULL},
    [OF_false_force_most] = {"m/s^2", "", NULL, NULL},
    [OF_false_rate_most] = {"rad/s", "", NULL, NULL},
};

struct listed_quantity {
  const char *name;
  int count;
};

void walk_platform(struct walk *w, bool cranks)
{
  static const struct listed_quantity list[] = {
#define QUANTITY(name, count) {#name, count},
      PLATFORM_SIGNAL_LIST(QUANTITY)
#undef QUANTITY
  };
#define QUANTITY(name, count) +(count) /* terms of one sum */
  _Static_assert(PLATFORM_SIGNALS == PLATFORM_SIGNAL_LIST(QUANTITY), "the platform's signals are its output");
#undef QUANTITY
  _Static_assert(sizeof list / sizeof *list == sizeof of_platform / sizeof *of_platform, "of each its units");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const char *turning = cranks ? of_platform[i].turning : NULL;
    walk_group_of_two(w, "platform.", list[i].name, turning ? turning : of_platform[i].unit,
                      turning ? turning : of_platform[i].beyond, of_platform[i].component, list[i].count);
  }
}

enum rig_quantity {
#define QUANTITY(name, count) RIG_##name,
  RIG_SIGNAL_LIST(QUANTITY)
#undef QUANTITY
};

static const struct {
  const char *unit, *beyond, *turning; /* as in of_platform */
  const char *const *component;
} of_rig[] = {
    [RIG_pose] = {"m", "rad", NULL, platform_coordinate_name},
    [RIG_legs] = {"m", "m", "rad", walk_one_to_six},
    [RIG_leg_error] = {"m", "m", "rad", walk_one_to_six},
    [RIG_pose_error] = {"m", "rad", NULL, platform_coordinate_name},
    [RIG_felt_force] = {"m/s^2", "", NULL, NULL},
    [RIG_felt_rate] = {"rad/s", "", NULL, NULL},
    [RIG_felt_beyond] = {"", "", NULL, NULL},
    [RIG_permissives] = {"", "", NULL, NULL},
    [RIG_heartbeat] = {"", "", NULL, NULL},
    [RIG_flags] = {"", "", NULL, NULL},
};

void walk_rig(struct walk *w, bool cranks)
{
  static const struct listed_quantity list[] = {
#define QUANTITY(name, count) {#name, count},
      RIG_SIGNAL_LIST(QUANTITY)
#undef QUANTITY
  };
#define QUANTITY(name, count) +(count) /* terms of one sum */
  _Static_assert(RIG_SIGNALS == RIG_SIGNAL_LIST(QUANTITY), "the signals of the rig are its output");
#undef QUANTITY
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const char *turning = cranks ? of_rig[i].turning : NULL;
    walk_group_of_two(w, "rig.", list[i].name, turning ? turning : of_rig[i].unit,
                      turning ? turning : of_rig[i].beyond, of_rig[i].component, list[i].count);
  }
}
