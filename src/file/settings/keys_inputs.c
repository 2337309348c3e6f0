/* SPDX-License-Identifier: MIT
 * The keys of inputs, and of faults that may be injected into them. Data only. */
#include "settings/input_values.h"
#include "settings/keys.h"
#include "settings/model_values.h"

_Static_assert(sizeof(enum input_policy) == sizeof(int), "choices are read as int");

static const char *const sources[] = {"any", "osc", "modbus", NULL};
#define WORD(id, text, ...) text,
static const char *const policies[] = {INPUT_POLICY_LIST(WORD) NULL};
static const char *const reactions[] = {INPUT_REACTION_LIST(WORD) NULL};
static const char *const inject_kinds[] = {INJECT_KIND_LIST(WORD) NULL};
#undef WORD
static const char *const platform_inputs[] = {"pose", "actual_pose", "actual_legs", "number",
                                              NULL}; /* from INPUT_POSE on */

/* clang-format off */
#define INPUT(field) offsetof(struct input_values, field)
#define VALUE_UNITS  "N m, N, rad or m"
static const struct key input_keys[] = {
  TEXT("name", REQUIRED, AT_START, INPUT(name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other inputs.", .example = "push"),
  TEXT("body", NONE, AT_START, INPUT(body),
       "Name of the body on which a force and a torque act. An input has one of the keys body, force and platform. With body "
       "its signals are input.NAME.force.x .y .z (N) and input.NAME.torque.x .y .z (N m).", .example = "A"),
  VECTOR("point", "m", ANY, "0 0 0", AT_START, INPUT(point),
         "Point at which the force acts, in the frame of the body. Only with body."),
  CHOICE("axes", schema_axes, "world", AT_START, INPUT(axes),
         "Axes of force and torque. Axes of the body turn with the body. Only with body."),
  TEXT("force", NONE, AT_START, INPUT(force),
       "Name of the motor, external drive, hydraulic_cylinder, electric_motor or brake that takes the value of this input. A force element "
       "takes at most one input. The signal is input.NAME.value, in N m or N for a motor, in rad or m for a drive, from -1 to 1 for the "
       "valve of a cylinder, and in V for an electric motor."),
  CHOICE("platform", platform_inputs, NONE, AT_START, INPUT(platform),
         "pose: the input is a target of the motion platform in the mode external. It needs the section platform. The "
         "signals are input.NAME.position.surge .sway .heave (m, up to 10) and input.NAME.angle.roll .pitch .yaw (rad, up "
         "to pi). The others bring in signs of the rig, for the section rig: actual_pose with the signals of pose, actual_legs "
         "with input.NAME.leg.1 to .6 (m, or rad of cranks), number with input.NAME.value, such as a status word. They act on no "
         "body, survive reset, and are used as the rig sent them: they keep their last value, and nothing blends or ramps them."),
  CHOICE("policy", policies, "ramp", WHILE_RUNNING, INPUT(policy),
         "Reaction to a value that is older than hold. hold: the value stays. ramp: it goes to its safe value within ramp. "
         "safe: it goes to its safe value at once, and the daemon goes to the state SAFE. extrapolate: like ramp. In addition, "
         "a cycle without a new value continues the line through the last two values, for at most two periods."),
  NUMBER("hold", "s", BETWEEN(0, 3600), "0.15", WHILE_RUNNING, INPUT(spec.hold),
         "Age up to which a value is used unchanged. An older input is stale. The default suits a client with a timer of 20 Hz, "
         "which jitters and may lose a message. For a sign of the rig the default is 0.05. The default is at most fault."),
  NUMBER("ramp", "s", BETWEEN(0, 3600), "0.5", WHILE_RUNNING, INPUT(spec.ramp),
         "Time from the held value to the safe value."),
  NUMBER("fault", "s", POSITIVE, NONE, WHILE_RUNNING, INPUT(spec.fault),
         "Age of the last accepted sample above which the daemon goes from RUNNING to the state SAFE. It is hold or more. "
         "Without this key it is hold with the policy safe, 1 s if the input is required, and otherwise age causes no fault."),
  NUMBER("watchdog", "s", POSITIVE, NONE, WHILE_RUNNING, INPUT(spec.watchdog),
         "Silence of the client, device or sender that owns the input, after which on_timeout acts. Each sample and each "
         "heartbeat ends the silence: a write of Modbus holding register 3, or an OSC heartbeat with a new count. So a client "
         "that writes on changes only needs a heartbeat and the policy hold. Without this key there is no watchdog."),
  CHOICE("on_timeout", reactions, "ramp", WHILE_RUNNING, INPUT(on_timeout),
         "Reaction to a watchdog that expires. It replaces the policy until the input has recovered. hold: the value in use "
         "stays. ramp: it goes to its safe value within ramp. safe: it goes to its safe value at once, and the daemon goes from "
         "RUNNING to the state SAFE. Only with watchdog."),
  FLAG("required", "false", AT_START, INPUT(spec.required),
       "true: while the input is not fresh, the daemon refuses the commands arm and run, except run from PAUSED. If it is "
       "not fresh when the warm-up ends, there is no autostart."),
  INTEGER("recover", "samples", BETWEEN(1, 1e6), "10", WHILE_RUNNING, INPUT(spec.recover),
          "Number of samples in a row after which a stale input is used again, with every policy except hold, and after a timeout of "
          "its watchdog. At most one "
          "sample counts per cycle, and each sample arrives within hold (or two cycles) of the previous sample. Write 1 for values "
          "that a person sends by hand."),
  NUMBER("blend", "s", BETWEEN(0, 3600), "0.5", WHILE_RUNNING, INPUT(spec.blend),
         "Time from the value in use to the new values when a stale input is used again. For an input of the rig it is 0."),
  CHOICE("from", sources, "any", AT_START, INPUT(from),
         "Protocol that may set the input. With any, the first client that sets it owns it until that client is silent for "
         "1 s, or for hold if hold is longer. An input that a device sets does not have this key."),
  NUMBER("limit_force", "N", POSITIVE, "1e4", WHILE_RUNNING, INPUT(f.limit),
         "Limit to which each component of the force is clamped. Only with body."),
  NUMBER("limit_torque", "N m", POSITIVE, "1e4", WHILE_RUNNING, INPUT(t.limit),
         "Limit to which each component of the torque is clamped. Only with body."),
  NUMBER("rate_force", "N/s", POSITIVE, NONE, WHILE_RUNNING, INPUT(f.rate),
         "Largest rate of each component of the force in use. Without this key there is no limit. Only with body."),
  NUMBER("rate_torque", "N m/s", POSITIVE, NONE, WHILE_RUNNING, INPUT(t.rate),
         "Largest rate of each component of the torque in use. Without this key there is no limit. Only with body."),
  VECTOR("safe_force", "N", ANY, "0 0 0", WHILE_RUNNING, INPUT(f.safe),
         "Safe value of the force, within limit_force. Only with body."),
  VECTOR("safe_torque", "N m", ANY, "0 0 0", WHILE_RUNNING, INPUT(t.safe),
         "Safe value of the torque, within limit_torque. Only with body."),
  NUMBER("limit", VALUE_UNITS, POSITIVE, "1e4", WHILE_RUNNING, INPUT(limit),
         "Limit to which the magnitude of the value is clamped. The value of a motor is a torque or force, the value of an "
         "external drive is a coordinate. Only with force."),
  NUMBER("lower", VALUE_UNITS, ANY, NONE, WHILE_RUNNING, INPUT(lower),
         "Lower limit of the value. Without this key it is -limit. Only with force."),
  NUMBER("upper", VALUE_UNITS, ANY, NONE, WHILE_RUNNING, INPUT(upper),
         "Upper limit of the value. Without this key it is limit. Only with force."),
  NUMBER("rate", "N m/s, N/s, rad/s or m/s", POSITIVE, NONE, WHILE_RUNNING, INPUT(rate),
         "Largest change of the value in use per second. Without this key there is no limit. Only with force."),
  NUMBER("safe", VALUE_UNITS, ANY, "0", WHILE_RUNNING, INPUT(safe), "Safe value, within the limits. Only with force."),
};
const struct section schema_input = SECTION("an input", input_keys);

#define INJECTION(field) offsetof(struct injection_values, field)
static const struct key injection_keys[] = {
  TEXT("name", REQUIRED, AT_START, INJECTION(name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other injections.", .example = "lost"),
  TEXT("input", REQUIRED, AT_START, INJECTION(input), "Name of the input.", .example = "push"),
  CHOICE("kind", inject_kinds, REQUIRED, AT_START, INJECTION(kind),
         "Kind of the fault. freeze: the last values arrive again with new times. drop: samples are lost. delay: samples "
         "arrive some cycles later, with their own times. stick: all samples have the same value. bias: a constant is added "
         "to each sample. noise: a random number is added to each sample. nan: samples are not numbers. replay: the last "
         "samples arrive again and again with their old numbers, and new samples do not. reorder: neighbouring samples "
         "change places. An input that brings a sign of the rig takes drop and delay only.", .example = "drop"),
  FLAG("active", "false", AT_START, INJECTION(spec.active),
       "true: the fault is on from the start. The command inject switches it on and off."),
  NUMBER("from", "s", NOT_NEGATIVE, NONE, AT_START, INJECTION(spec.from),
         "Simulated time at which the fault begins. With from or for the fault acts in the state RUNNING only."),
  NUMBER("for", "s", POSITIVE, NONE, AT_START, INJECTION(spec.length),
         "Simulated time for which the fault lasts. Without this key it does not end."),
  NUMBER("probability", "", BETWEEN(0, 1), "1", AT_START, INJECTION(spec.probability),
         "Probability with which a sample is lost.", .only = KIND(INJECT_DROP)),
  INTEGER("cycles", "cycles or samples", BETWEEN(1, INJECT_CYCLES_MAX), NONE, AT_START, INJECTION(spec.cycles),
          "Delay in cycles, or number of samples that are replayed.",
          .only = KIND(INJECT_DELAY) | KIND(INJECT_REPLAY), .needed = KIND(INJECT_DELAY) | KIND(INJECT_REPLAY)),
  NUMBER("value", "the unit of the channel", ANY, NONE, AT_START, INJECTION(spec.value),
         "Value of every sample, or constant that is added to it. It applies to every channel of the input.",
         .only = KIND(INJECT_STICK) | KIND(INJECT_BIAS), .needed = KIND(INJECT_STICK) | KIND(INJECT_BIAS)),
  NUMBER("amplitude", "the unit of the channel", NOT_NEGATIVE, NONE, AT_START, INJECTION(spec.amplitude),
         "Largest magnitude of the random number.", .only = KIND(INJECT_NOISE), .needed = KIND(INJECT_NOISE)),
};
const struct section schema_injection = SECTION("an injection", injection_keys, .by = "kind");

static const char *const stimulus_interpolations[] = {"linear", "hold", NULL}, *const stimulus_starts[] = {"command", "motion", NULL};
#define STIMULUS(field) offsetof(struct stimulus_values, field)
static const struct key stimulus_keys[] = {
  TEXT("name", REQUIRED, AT_START, STIMULUS(name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other stimuli.", .example = "road"),
  TEXT("file", REQUIRED, AT_START, STIMULUS(file),
       "Path of a CSV file, relative to this file. Its first line names the columns: time in s, and channels of inputs by their "
       "signals, such as input.push.force.x. Other columns are left out. The times ascend. A column of an input that brings a "
       "sign of the rig is an error.", .example = "road.csv"),
  CHOICE("interpolate", stimulus_interpolations, "linear", AT_START, STIMULUS(interpolate),
         "Value between two rows. linear: on the straight line between them. hold: that of the earlier row."),
  FLAG("loop", "false", AT_START, STIMULUS(loop),
       "true: the last row is the first one of the next round. false: the stimulus ends with the last row, and its inputs go stale."),
  CHOICE("start", stimulus_starts, "command", AT_START, STIMULUS(start),
         "Start of the stimulus. command: the command stimulus starts and stops it. motion: it begins with each motion from "
         "the initial state."),
};
const struct section schema_stimulus = SECTION("a stimulus", stimulus_keys);
/* clang-format on */
