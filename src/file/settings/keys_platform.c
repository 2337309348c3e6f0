/* SPDX-License-Identifier: MIT
 * The keys of the motion platform and of its rig. Data only. */
#include "settings/keys.h"
#include "settings/values.h"

_Static_assert(sizeof(enum platform_mode) == sizeof(int), "choices are read as int");

#define WORD(id, text, ...) text,
static const char *const platform_modes[] = {PLATFORM_MODE_LIST(WORD) NULL};
#undef WORD
static const char *const platform_headings[] = {
    [HEADING_FOLLOW] = "follow", [HEADING_WASHOUT] = "washout", NULL};
static const char *const platform_kinds[] = {[LEGS] = "legs", [CRANKS] = "cranks", NULL};

/* clang-format off */
/* Each parameter of PLATFORM_PARAM_LIST has its documentation here: DOC_ and its name. */
#define DOC_gain_lin "Gain of the specific force, in translation and in tilt coordination."
#define DOC_gain_rot "Gain of the angular velocity."
#define DOC_in_limit_lin "Limit to which the specific force without gravity is clamped."
#define DOC_in_limit_rot "Limit to which the angular velocity is clamped."
#define DOC_hp_wn "Natural frequency of the high-pass of the translation. A higher one needs less travel."
#define DOC_hp_zeta "Damping of the high-pass of the translation."
#define DOC_hp_wb \
  "Third-order frequency of the high-pass, which brings the platform back to the middle. 0: second order."
#define DOC_lp_wn "Natural frequency of the low-pass of tilt coordination: twice hp_wn of x and y, or more."
#define DOC_lp_zeta "Damping of the low-pass of tilt coordination."
#define DOC_rot_wn "Natural frequency of the high-pass of the rotation."
#define DOC_rot_zeta "Damping of the high-pass of the rotation."
#define DOC_tilt_rate "Largest rate of tilt coordination. People do not feel a slower rotation."
#define DOC_tilt_acc                                                                                         \
  "Largest angular acceleration of tilt coordination. Below 10 deg/s^2 its start and end are hardly felt."
#define DOC_tilt_jerk "Largest change of the angular acceleration of tilt coordination."
#define DOC_tilt_max "Largest angle of tilt coordination."
#define DOC_knee \
  "Fraction of pos_max and ang_max up to which the target of the washout is unchanged. The travel yields in " \
  "time, so that it seldom goes farther. Beyond it the target "                                                \
  "bends and never reaches the limit, so that the platform brakes over the rest of its travel. 1: the " \
  "target is clamped at the limit."
#define AS_CEILING "Commands may only lower it; a reload raises it while the platform is parked in STOPPED."
#define DOC_pos_max "Limit of surge, sway and heave in both directions. " AS_CEILING
#define DOC_ang_max "Limit of roll, pitch and yaw in both directions. " AS_CEILING
#define DOC_vel_max "Limit of the velocity in surge, sway and heave. " AS_CEILING
#define DOC_ang_vel_max "Limit of the rates of roll, pitch and yaw. " AS_CEILING
#define DOC_acc_max "Limit of the acceleration in surge, sway and heave. " AS_CEILING
#define DOC_ang_acc_max "Limit of the angular acceleration in roll, pitch and yaw. " AS_CEILING
#define DOC_jerk_max "Limit of the jerk in surge, sway and heave. " AS_CEILING
#define DOC_ang_jerk_max "Limit of the angular jerk in roll, pitch and yaw. " AS_CEILING
#define DOC_engage_time "Time from the park pose to neutral."
#define DOC_park_time "Time from neutral to the park pose."
#define DOC_fault_time "Time to neutral after a fault."
#define DOC_blend "Time in which a change of parameters, mode or state takes effect."
#define DOC_smooth_hz "Cut-off frequency of the low-pass of a target that comes from a pose sensor or from an input."
#define DOC_ride_ramp \
  "Time in which the motion grows from nothing to its full size at the start of a ride: the gains of the washout, or the " \
  "target of another mode. 0: full size at once. A reset of the model begins it anew."

#define FILE_VALUE(field) offsetof(struct file_values, field)
#define SETTING(field)    offsetof(struct file_values, settings.field)
#define PLATFORM(field)  SETTING(platform.spec.field)
#define GEOMETRY(field)  PLATFORM(geometry.field)
#define FOR_PLATFORM(field) FILE_VALUE(platform.field)
#define PARAMETER(name, count, unit, least, greatest, text) \
  {#name, (count) == 3 ? KEY_VECTOR : KEY_NUMBER, unit, BETWEEN(least, greatest), text, WHILE_RUNNING, PLATFORM(params.name), \
   .doc = DOC_##name},
static const struct key jog_keys[] = {
  NUMBER("speed", "m/s", BETWEEN(1e-4, 0.05), "0.005", AT_START, SETTING(platform.jog.speed),
         "Speed of surge, sway and heave."),
  NUMBER("turn_speed", "deg/s", BETWEEN(0.01, 5), "0.5", AT_START, FOR_PLATFORM(jog_turn),
         "Speed of roll, pitch and yaw."),
  NUMBER("leg_speed", "m/s or deg/s", POSITIVE, NONE, AT_START, FOR_PLATFORM(jog_leg),
         "Speed of a leg, at most 0.05 m/s, or of a crank, at most 5 deg/s. Without this key it is speed for a leg and turn_speed "
         "for a crank."),
  NUMBER("ramp", "s", BETWEEN(0.05, 2), "0.3", AT_START, SETTING(platform.jog.ramp),
         "Time from rest to full speed and back, at most 400 periods. The acceleration follows from it."),
  NUMBER("timeout", "s", BETWEEN(0.05, 1), "0.3", AT_START, SETTING(platform.jog.timeout),
         "Time for which a command holds. Without the next one the motion then stops."),
};
static const struct section schema_jog = SECTION("platform.jog", jog_keys);

static const struct key platform_keys[] = {
  FLAG("enabled", "true", AT_START, SETTING(platform.enabled), "false: the section is ignored.", .example = "false"),
  CHOICE("mode", platform_modes, "washout", WHILE_RUNNING, PLATFORM(mode),
         "Source of the motion. pose: a pose sensor, unchanged. washout: an imu, through the classical washout. "
         "external: an input. The section names the sensor or input that the mode needs."),
  TEXT("imu", NONE, AT_START, FOR_PLATFORM(imu),
       "Name of an imu among the sensors, at the driver's head, with z up. The mode washout needs it."),
  TEXT("pose", NONE, AT_START, FOR_PLATFORM(pose), "Name of a pose among the sensors. The mode pose needs it."),
  TEXT("input", NONE, AT_START, FOR_PLATFORM(input),
       "Name of an input with platform: pose. The mode external needs it."),
  CHOICE("heading", platform_headings, "follow", AT_START, FOR_PLATFORM(heading),
         "Yaw of the modes pose and external. follow: the platform turns with the vehicle, and stays at its limit while the vehicle "
         "turns on. washout: a high-pass with the corner rot_wn brings the yaw back to 0, for vehicles that turn without bounds."),
  VECTOR("head_point", "m", ANY, "0 0 0.9", AT_START, PLATFORM(head), "The driver's head in the frame of the platform."),
  CHOICE("kind", platform_kinds, "legs", AT_START, FOR_PLATFORM(kind),
         "legs: six legs change their length. cranks: six cranks turn, each with a rod of constant length."),
  SIX_POINTS("base", "m", NONE, AT_START, GEOMETRY(base),
             "Joints of legs 1 to 6 in the frame of the base, or centres of the axes of cranks 1 to 6. An enabled platform "
             "needs it, or base_radius."),
  SIX_POINTS("top", "m", NONE, AT_START, GEOMETRY(top),
             "Joints in the frame of the platform, in the order of base. An enabled platform needs it, or base_radius."),
  NUMBER("height", "m", POSITIVE, NONE, AT_START, GEOMETRY(height),
         "Height of the platform's frame above the frame of the base at neutral. An enabled platform needs it, except with "
         "base_radius: without the key its legs are then in the middle of their range at neutral."),
  NUMBER("base_radius", "m", POSITIVE, NONE, AT_START, FOR_PLATFORM(radius[0]),
         "Radius of the circle through the joints of the base of a symmetric platform with legs, in place of base and top. The "
         "pairs of the base are at 0, 120 and 240 degrees from x, those of the top at 60, 180 and 300. Leg 1 is at the front "
         "left, and the legs count to the left. With it base_angle, top_radius and top_angle are needed."),
  NUMBER("base_angle", "deg", INSIDE(0, 120), NONE, AT_START, FOR_PLATFORM(angle[0]),
         "Angle between the two joints of a pair of the base, seen from the centre of the circle. Only with base_radius."),
  NUMBER("top_radius", "m", POSITIVE, NONE, AT_START, FOR_PLATFORM(radius[1]),
         "Radius of the circle through the joints of the platform. Only with base_radius."),
  NUMBER("top_angle", "deg", INSIDE(0, 120), NONE, AT_START, FOR_PLATFORM(angle[1]),
         "Angle between the two joints of a pair of the platform. Only with base_radius."),
  NUMBER("leg_min", "m or deg", ANY, NONE, AT_START, GEOMETRY(leg_min),
         "Shortest leg, or lowest angle of a crank. An enabled platform needs it."),
  NUMBER("leg_max", "m or deg", ANY, NONE, AT_START, GEOMETRY(leg_max),
         "Longest leg, or highest angle of a crank. An enabled platform needs it."),
  NUMBER("leg_rate", "m/s or deg/s", POSITIVE, NONE, AT_START, GEOMETRY(leg_rate),
         "Largest rate of a leg or crank. An enabled platform needs it."),
  NUMBER("joint_max", "deg", BETWEEN(1, 90), "45", AT_START, FOR_PLATFORM(joint_max),
         "Largest angle of a joint from its direction at neutral."),
  NUMBER("margin", "", BETWEEN(0, 1), "0.2", AT_START, GEOMETRY(margin),
         "Smallest determinant of the Jacobian, as a fraction of the determinant at neutral. It keeps the platform away from "
         "singular poses."),
  NUMBER("crank_length", "m", POSITIVE, NONE, AT_START, GEOMETRY(crank_length),
         "Length of a crank. The kind cranks needs it, the kind legs does not take it."),
  NUMBER("rod_length", "m", POSITIVE, NONE, AT_START, GEOMETRY(rod_length),
         "Length of a rod. The kind cranks needs it, the kind legs does not take it."),
  SIX("crank_heading", "deg", NONE, AT_START, FOR_PLATFORM(crank_heading),
      "Direction of each crank at the angle 0, about z of the base. The kind cranks needs it, the kind legs does not take "
      "it."),
  VECTOR("park_position", "m", ANY, NONE, AT_START, FOR_PLATFORM(park_position),
         "Surge, sway and heave of the park pose. Without this key the park pose is as low as the legs allow."),
  VECTOR("park_angles", "deg", ANY, "0 0 0", AT_START, FOR_PLATFORM(park_angles),
         "Roll, pitch and yaw of the park pose. Only with park_position."),
  SUBSECTION("jog", &schema_jog,
             "Motion of one coordinate or leg at crawl speed, while a client with access: jog repeats its command. Nobody has "
             "this access unless a list of peers or modbus.serial_access gives it."),
  PLATFORM_PARAM_LIST(PARAMETER)
};
const struct section schema_platform = SECTION("platform", platform_keys);
/* clang-format on */

/* --- the section rig --- */

_Static_assert(sizeof(enum rig_reaction) == sizeof(int) && sizeof(enum rig_reset) == sizeof(int),
               "choices are read as int");

#define WORD(id, text, ...) text,
static const char *const felt_reactions[] = {RIG_REACTION_LIST(WORD) NULL};
static const char *const resets[] = {RIG_RESET_LIST(WORD) NULL};
static const char *const needs[] = {RIG_NEED_LIST(WORD) NULL};
#undef WORD
static const char *const rig_reactions[] = {[RIG_PARK] = "park", [RIG_HOLD] = "hold", NULL};
static const char *const judged_from[] = {[RIG_FOR_MOTION] = "motion", [RIG_FOR_RIDE] = "ride", NULL};

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
         "motion: arm, run and every motion need it. ride: the platform needs it from neutral on, but not on the way from the park "
         "pose and back, such as the state of a base that raises itself. reset: only the command reset needs it, such as a key "
         "that must be released.", .example = "motion"),
};
const struct section schema_permissive = SECTION("a permissive", permissive_keys);

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
  CHOICE("judged", judged_from, "motion", AT_START, RIG(judged),
         "When the feedback counts. motion: for arm, run and every motion. ride: from neutral on, but not on the way from the park "
         "pose and back, for a base that raises and parks itself."),
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
