/* SPDX-License-Identifier: MIT
 * The keys of the section rig. Data only. */
#include "config/keys.h"
#include "config/rig.h"

_Static_assert(sizeof(enum rig_reaction) == sizeof(int) && sizeof(enum rig_reset) == sizeof(int),
               "choices are read as int");

#define WORD(id, text, ...) text,
static const char *const felt_reactions[] = {RIG_REACTION_LIST(WORD) NULL};
static const char *const resets[] = {RIG_RESET_LIST(WORD) NULL};
#undef WORD
static const char *const rig_reactions[] = {[RIG_PARK] = "park", [RIG_HOLD] = "hold", NULL};
static const char *const needs[] = {[NEEDED_FOR_MOTION] = "motion", [NEEDED_FOR_RESET] = "reset", NULL};

/* clang-format off */
#define PERMISSIVE(field) offsetof(struct permissive_values, field)
static const struct key permissive_keys[] = {
  TEXT("name", REQUIRED, AT_START, PERMISSIVE(name),
       "Name of A-Z a-z 0-9 _ -, for the log. It differs from the names of the other permissives.", .example = "enabled"),
  TEXT("input", REQUIRED, AT_START, PERMISSIVE(input), "Name of an input with platform: number.", .example = "status"),
  INTEGER_OR_NONE("bit", "", BETWEEN(0, 31), "none", AT_START, PERMISSIVE(bit),
          "Bit of the number that is judged, from 0. none: the number itself is judged."),
  INTEGER("is", "", BETWEEN(0, 1), "1", AT_START, PERMISSIVE(is), "Value that the bit must have. Only with bit."),
  NUMBER("lower", "", ANY, NONE, AT_START, PERMISSIVE(lower), "Least value of the number."),
  NUMBER("upper", "", ANY, NONE, AT_START, PERMISSIVE(upper), "Greatest value of the number."),
  NUMBER("alive", "s", BETWEEN(0, 3600), "0", AT_START, PERMISSIVE(alive),
         "Heartbeat: the number must change within this time. 0: it may stay."),
  CHOICE("on_loss", rig_reactions, "park", AT_START, PERMISSIVE(on_loss),
         "Reaction of a rig that is not parked. park: it brakes and parks. hold: it brakes and stays where it is until the "
         "permissive is back and a person gives reset, then park or arm."),
  CHOICE("for", needs, "motion", AT_START, PERMISSIVE(needed_for),
         "motion: arm, run and every motion need it. reset: only the command reset needs it, such as a key that must be "
         "released.", .example = "motion"),
};
const struct section schema_permissive = SECTION("a permissive", permissive_keys);

#define SETTING(field)  offsetof(struct file_values, settings.field)
#define RIG(field)      SETTING(rig.spec.field)
#define FOR_RIG(field)  offsetof(struct file_values, rig.field)
static const struct key rig_keys[] = {
  FLAG("enabled", "true", AT_START, SETTING(rig.enabled), "false: the section is ignored.", .example = "false"),
  TEXT("feedback", NONE, AT_START, FOR_RIG(feedback),
       "Name of an input with platform: actual_legs or platform: actual_pose. Without fresh values the rig does not move."),
  NUMBER("delay", "s", BETWEEN(0, 10), "0", AT_START, RIG(follow.delay),
         "Known time from a command until its effect is reported. The actual value is compared with the command of that time "
         "before. It is at most 64 periods."),
  NUMBER("filter", "s", BETWEEN(0, 10), "0.02", AT_START, RIG(follow.filter), "Time constant of the low-pass of the following error."),
  NUMBER("leg_warn", "m or deg", NOT_NEGATIVE, "0", AT_START, RIG(follow.warn.leg),
         "Following error of a leg or crank above which the daemon warns. 0: no level, in each key that ends in warn or trip."),
  NUMBER("leg_trip", "m or deg", NOT_NEGATIVE, "0", AT_START, RIG(follow.trip.leg),
         "Following error of a leg or crank above which the daemon goes to SAFE."),
  NUMBER("position_warn", "m", NOT_NEGATIVE, "0", AT_START, RIG(follow.warn.position),
         "Following error of surge, sway or heave above which the daemon warns."),
  NUMBER("position_trip", "m", NOT_NEGATIVE, "0", AT_START, RIG(follow.trip.position),
         "Following error of surge, sway or heave above which the daemon goes to SAFE."),
  NUMBER("angle_warn", "deg", NOT_NEGATIVE, "0", AT_START, FOR_RIG(angle_warn),
         "Following error of roll, pitch or yaw above which the daemon warns."),
  NUMBER("angle_trip", "deg", NOT_NEGATIVE, "0", AT_START, FOR_RIG(angle_trip),
         "Following error of roll, pitch or yaw above which the daemon goes to SAFE."),
  CHOICE("on_trip", rig_reactions, "hold", AT_START, RIG(on_trip),
         "Reaction to a following error that trips, and to missing feedback. hold: the rig brakes and stays where it is. park: "
         "it brakes and parks."),
  CHOICE("estop", rig_reactions, "park", AT_START, RIG(on_estop), "Reaction to an e-stop, with the same words as on_trip."),
  CHOICE("reset", resets, "at_rest", AT_START, RIG(reset),
         "Where the rig must be for reset in SAFE or FAULT. at_rest: parked, or held at rest. parked: in its park pose. "
         "anywhere: it may still move."),
  NUMBER("head_force", "m/s^2", NOT_NEGATIVE, "0", AT_START, RIG(force_max),
         "Limit of the specific force at the driver's head, less that of an upright rest. 0: no limit."),
  NUMBER("head_rate", "deg/s", NOT_NEGATIVE, "0", AT_START, FOR_RIG(head_rate),
         "Limit of the angular velocity of the driver's head. 0: no limit."),
  CHOICE("on_felt", felt_reactions, "count", AT_START, RIG(on_felt),
         "Reaction to a limit at the head that is exceeded. count: the daemon counts and logs it. hold, park: it goes to SAFE as "
         "well."),
  TEXT("ride_log", NONE, AT_START, FOR_RIG(ride_log),
       "File to which the daemon appends one line of JSON for each ride: start and end, clients, parameters, largest values "
       "and trips. A relative path begins in the folder in which the daemon runs.", .example = "rides.jsonl"),
  LIST("permissives", &schema_permissive, NONE,
       "Conditions on numbers of the rig's controller, at most 16: [{name: enabled, input: status, bit: 0}, {name: belt, input: "
       "status, bit: 4, on_loss: park}]. While one is missing, arm and run are refused. A rig that is not parked reacts with "
       "on_loss."),
};
const struct section schema_rig = SECTION("rig", rig_keys);
/* clang-format on */
