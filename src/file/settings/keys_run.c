/* SPDX-License-Identifier: MIT
 * The keys of a file, and of the sections that say how it is run: simulation, solver, cycle, realtime, telemetry. Data
 * only. */
#include "settings/keys.h"
#include "settings/values.h"

const char *const schema_isas[] = {"auto", "baseline", "avx2", "avx512", NULL};
#define WORD(id, text) text,
static const char *const clockings[] = {CLOCKING_LIST(WORD) NULL};
static const char *const overruns[] = {OVERRUN_LIST(WORD) NULL};
static const char *const methods[] = {ALI3_METHOD_LIST(WORD) NULL};
static const char *const coordinates[] = {ALI3_COORDINATES_LIST(WORD) NULL};
static const char *const record_whens[] = {RECORD_WHEN_LIST(WORD) NULL};
#undef WORD
static const char *const starts[] = {"given", "rest", NULL};            /* enum start */
static const char *const redundants[] = {"keep", "drop", "auto", NULL}; /* REDUNDANT_LIST */
static const char *const autostarts[] = {"false", "true", "even_with_platform", NULL};
static const char *const publishes[] = {"at_once", "next_cycle", NULL};
static const char *const beats[] = {"none", "osc", "modbus", NULL};

/* clang-format off */
#define FILE_VALUE(field) offsetof(struct file_values, field)
#define SETTING(field)    offsetof(struct file_values, settings.field)
static const struct key simulation_keys[] = {
  NUMBER("duration", "s", POSITIVE, NONE, BY_SIMULATOR, SETTING(duration),
         "Simulated time after which ali3-sim ends. Without this key and without the option it is 10 s.",
         .option = "--duration of ali3-sim"),
  CHOICE("isa", schema_isas, "auto", BY_OPTION, FILE_VALUE(isa),
         "Instruction set of the solver. auto: the best one that this machine has. Results are equal to the last bit within "
         "one instruction set, and differ by rounding between two.", .option = "--isa"),
  CHOICE("start", starts, "given", AT_START, SETTING(start),
         "Initial state. given: the poses and velocities of the file. rest: the static equilibrium under all loads, to which the "
         "mechanism moves from the poses of the file, at rest. The daemon does not start where there is none, and names the body "
         "that nothing holds. Drives hold their first targets; friction holds nothing."),
};
static const struct section simulation = SECTION("simulation", simulation_keys);

static const struct key solver_keys[] = {
  CHOICE("method", methods, "ali3", BY_OPTION, SETTING(options.method),
         "Method of a step. ali3: the index-3 augmented Lagrangian with Newmark's formulas. energy: an energy-momentum step, "
         "which takes about as long. It keeps the momentum of a free mechanism to rounding, and the energy of a mechanism "
         "without dampers and friction 10 to 100 times better. It has no gamma and beta. rk4, dp5, dp8, ab4, abm8: explicit methods of "
         "order four, five, eight, four and eight, for mechanisms that are not stiff. Each inner step takes four, six, thirteen, one and one "
         "factorisations. Springs, stops and friction that the method would let grow at "
         "this step are refused at the start, or fail the step in which they become so stiff. ab4 looks back over three steps and "
         "abm8 over seven, so they suit inputs that are smooth: after an input jumps, three steps are those of rk4, or seven "
         "steps those of dp5. abm8 takes about 1.3 times as long as ab4, and is the most accurate method where its steps resolve "
         "the motion. Where they do not, its predictions are poor, and seven steps are again those of dp5. "
         "Near a singular position the accelerations that follow from a small error of the rows grow without limit. The error of "
         "an explicit method then depends on how close a step comes to that position, and more substeps may make it larger: "
         "--check warns of such steps. A step of an explicit method counts as degraded if the projection at its end moves a body by more "
         "than 1e-3 (m, rad): the step was too long for the motion. abm8 "
         "follows oscillations up to 0.16 rad in an inner step, ab4 up to 0.43, dp8 up to 0.74, dp5 up to 1 and rk4 up to 2.8; with a damping "
         "ratio of 0.01 dp8 follows 4.5 and dp5 1.9. dp8 is the most accurate method that does not look back. An inner step in which "
         "a body turns by more than 10 rad takes the stages of dp5.", .option = "--method"),
  CHOICE("coordinates", coordinates, "auto", AT_START, SETTING(options.coordinates),
         "Unknowns of the methods rk4, dp5, dp8, ab4 and abm8; all other methods ignore this key. body: the poses of all bodies, and a row "
         "for each direction that a joint holds. joint: the freedoms of joints that form a tree, by an articulated-body recursion; "
         "the rows of the other joints, of drives and of gears close its loops. Joints of the tree do not open. auto: joint for "
         "trees without drives and gears whose step then takes less than 0.7 of the time by an estimate; body for all others, such as "
         "loops and long chains of spherical joints. The estimate is made before the model is frozen. "
         "The results differ within the accuracy of the method. "
         "The log and --check say the choice."),
  INTEGER_OR_AUTO("iterations", "", BETWEEN(1, 100), "3", WHILE_RUNNING, SETTING(options.iterations),
                  "Number of Newton iterations of every step. A step always does all of them. The first of three or more runs before "
                  "the inputs of the cycle arrive, so a change of an input has one iteration less. auto: before the model is frozen, "
                  "the first steps are tried, up to 1000 or half a second of work, with the values that the inputs have at the start. "
                  "The fewest of one to four iterations are taken whose error is at most a quarter of the error of the step itself, "
                  "and three where the mechanism does not move. The number then stays; the log and --check say it. Set a number "
                  "if inputs, stops or friction later change the motion much.",
                  .option = "--iterations of ali3-sim"),
  CHOICE("redundant", redundants, "keep", AT_START, SETTING(redundant),
         "Rows of joints that other joints hold in every position, as in planar loops of revolutes and in doors with two hinges. "
         "keep: the solve has all of them, and reactions are shared by the compliance of the joints. drop: the solve leaves them "
         "out. The motion is equal within the accuracy of the method, the reactions of these rows are 0, and the reactions of all "
         "other rows are those of the mechanism without these rows. auto: drop if a step then takes less time, which an "
         "estimate decides before the model is frozen: in rows of many equal loops it does, in a single loop it mostly does not. "
         "Rows count if they depend on others in up to 80 positions along a way through the motion that the joints allow. "
         "A mechanism that is redundant only in singular positions, or that cannot move, keeps all rows. The log and --check name "
         "the number of rows."),
  NUMBER("alpha", "", NOT_NEGATIVE, "0", BY_OPTION, SETTING(options.alpha),
         "Penalty of every rigid constraint, as an absolute value. With 0 the key compliance applies, which suits light and "
         "heavy mechanisms alike.", .option = "--alpha of ali3-sim"),
  NUMBER("compliance", "", INSIDE(0, 1), "4e-9", AT_START, SETTING(options.compliance),
         "Compliance of a rigid constraint, relative to the compliance of the bodies that it joins."),
  INTEGER("substeps", "", BETWEEN(1, 1000), "1", BY_OPTION, SETTING(options.substeps),
          "Number of equal inner steps in one period.", .option = "--substeps of ali3-sim"),
  INTEGER("retry", "", BETWEEN(0, 64), "0", AT_START, SETTING(options.retry),
          "A step that fails, did not converge or is violated is computed once more from its start, with this number of inner steps "
          "in place of each one: 2, 4, 8, 16, 32 or 64. 0: every step has one attempt. It helps near singular positions, where a "
          "period is too long for few steps only. The second attempt takes its full time, and no clock decides about it: "
          "--check says how long such a cycle takes, and the period must have room for it. The report and the telemetry count these "
          "steps."),
  FLAG("interpolate", "false", AT_START, SETTING(options.interpolate),
       "true: inputs move in a straight line over the substeps, from their values of the last period. false: inputs are "
       "constant over the period."),
  NUMBER("gamma", "", BETWEEN(0.5, 1.5), "0.5", WHILE_RUNNING, SETTING(options.gamma),
         "Parameter gamma of the Newmark formulas. 0.5 is the trapezoidal rule: it is of second order and damps nothing. "
         "Above 0.5 stiff modes decay by (1.5 - gamma)/(0.5 + gamma) in every step, and the order is one. Try 0.55 for a "
         "stiff mechanism that rings."),
  NUMBER("beta", "", BETWEEN(0, 2), "0", AT_START, SETTING(options.beta),
         "Parameter beta of the Newmark formulas. 0 means (gamma + 1/2)^2 / 4."),
  FLAG("extrapolate", "false", BY_OPTION, SETTING(options.extrapolate),
       "true: each inner step combines one, two and three shorter steps from the same start. The order is four in place of "
       "two, and a step takes 5.7 times the work. A spring without enough damping that oscillates with fewer than four steps a period "
       "keeps the step from it: the step is three shorter ones then, of order two. Shorter steps that each keep such an oscillation "
       "leave its phase open, so no sum of them is stable: give the spring a damper, or raise substeps. A spring that is damped so "
       "strongly that its motion decays faster than a step is settled alone. --check and the summary of ali3-sim name these springs.",
       .option = "--extrapolate"),
  NUMBER("violation", "", BETWEEN(0, 1e6), "0.1", AT_START, SETTING(options.violation),
         "Opening of a joint, drive or gear above which the loop goes to FAULT. An angle is in rad. A length is a fraction of "
         "the size of the mechanism, which is the longest lever arm of a joint or force. 0: no limit. A step that leaves a "
         "joint open by more than 1e-5 is counted and shown as violated."),
};
static const struct section solver = SECTION("solver", solver_keys, .by_itself = true);

/* The rows of loop/cycle_settings.h. */
#define CYCLE_CHOICE(type, field, words, fallback, text) \
  {#field, KEY_CHOICE, "", ANY, fallback, AT_START, SETTING(cycle.field), .choices = (words), .doc = text},
#define CYCLE_INTEGER(field, unit, range, fallback, text) \
  {#field, KEY_INTEGER, unit, range, fallback, AT_START, SETTING(cycle.field), .doc = text},
#define CYCLE_NUMBER(field, unit, range, fallback, text) \
  {#field, KEY_NUMBER, unit, range, fallback, AT_START, SETTING(cycle.field), .doc = text},
#define CYCLE_FLAG(field, fallback, text) \
  {#field, KEY_BOOL, "", ANY, fallback, AT_START, SETTING(cycle.field), .doc = text},
#define CYCLE_LIVE_CHOICE(type, field, words, fallback, text) \
  {#field, KEY_CHOICE, "", ANY, fallback, WHILE_RUNNING, SETTING(cycle.live.field), .choices = (words), .doc = text},
#define CYCLE_LIVE_INTEGER(field, unit, range, fallback, text) \
  {#field, KEY_INTEGER, unit, range, fallback, WHILE_RUNNING, SETTING(cycle.live.field), .doc = text},
static const struct key cycle_keys[] = {
  NUMBER("period", "s", BETWEEN(1e-5, 10), "0.01", BY_OPTION, SETTING(options.dt),
         "Time between two cycles, and step of the simulation.", .option = "--dt of ali3-sim"),
  CYCLE_SETTINGS_LIST(CYCLE_CHOICE, CYCLE_INTEGER, CYCLE_NUMBER, CYCLE_FLAG, CYCLE_LIVE_CHOICE, CYCLE_LIVE_INTEGER)
};
static const struct section cycle = SECTION("cycle", cycle_keys, .by_itself = true);

static const struct key realtime_keys[] = {
  INTEGER("priority", "", BETWEEN(1, 99), "80", AT_START, SETTING(realtime.priority),
          "Priority of the loop under SCHED_FIFO."),
  INTEGER_OR_NONE("cpu", "", BETWEEN(0, 1023), "none", AT_START, SETTING(realtime.cpu),
                  "Processor to which the loop is pinned."),
  INTEGER_OR_AUTO("workers", "", BETWEEN(0, 63), "auto", BY_OPTION, SETTING(realtime.workers),
                  "Number of threads that share each step with the loop, with the priority of the loop. If the loop is pinned, "
                  "they are pinned to the processors that follow. auto: before the loop starts, the daemon times steps with "
                  "several numbers of workers for about half a second, and takes the smallest number within a few percent "
                  "of the best. A small mechanism gets no workers.", .option = "--workers of ali3-sim"),
  FLAG("lock_memory", "true", AT_START, SETTING(realtime.lock_memory),
       "true: all memory of the daemon is locked against paging."),
  INTEGER_OR_NONE("wake_limit", "us", BETWEEN(0, 1e6), "0", AT_START, SETTING(realtime.wake_limit),
                  "Longest time that a processor may take to wake from idle. The daemon asks the kernel for it through "
                  "/dev/cpu_dma_latency, which costs power. none: the daemon does not ask."),
  FLAG("trace", "false", AT_START, SETTING(realtime.trace),
       "true: the kernel records who has the processors of the loop, and the record of a miss names the thread or interrupt "
       "that kept the loop from its processor. Takes root's right to write below /sys/kernel/tracing. The start and the end of "
       "the record interrupt every processor for some microseconds, also those of other loops. NAMES OF CULPRITS in ali3d(8) "
       "has the cost."),
};
static const struct section realtime = SECTION("realtime", realtime_keys);

static const struct key telemetry_keys[] = {
  TEXT("name", NONE, AT_START, FILE_VALUE(instance),
       "Name of A-Z a-z 0-9 _ - by which ali3-top finds this daemon. Without this key it is the name of the model.",
       .example = "model"),
  NUMBER("frames", "s", BETWEEN(0, 3600), "10", AT_START, SETTING(frames.seconds),
         "Length of the frame ring: every cycle of these last seconds, with all signals, in shared memory. Recorders and "
         "pictures read it. 0: no ring."),
  NUMBER("frames_limit", "MB", BETWEEN(1, 100000), "64", AT_START, SETTING(frames.limit_mb),
         "Largest size of the frame ring. A larger ring is shortened, but never below 1 s. The memory is locked."),
};
static const struct section telemetry = SECTION("telemetry", telemetry_keys);

static const char *const resumes[] = {"never", "offer", "if_clean", NULL};
static const struct key state_keys[] = {
  FLAG("enabled", "true", AT_START, SETTING(state.enabled), "false: states are off, as without the section."),
  TEXT("folder", NONE, AT_START, FILE_VALUE(state_folder),
       "Folder of the states. Without this key it is a folder with the name of the daemon in the folder of --state-dir.",
       .example = "/var/lib/ali3/model"),
  NUMBER("every", "s", BETWEEN(0, 1e6), "60", AT_START, SETTING(state.every),
         "Time between two automatic saves. 0: the daemon saves when it ends, and on command."),
  INTEGER("keep", "", BETWEEN(1, 100), "3", AT_START, SETTING(state.keep),
          "Number of automatic states that are kept: auto is the newest, auto_1 the one before."),
  CHOICE("resume", resumes, "never", AT_START, SETTING(state.resume),
         "Use of the newest automatic state at a start. never: none. offer: the log says that there is one. if_clean: after a "
         "run that ended by an order the daemon loads it and waits in STOPPED; the command run then continues the motion. "
         "Nothing moves by itself after a start with a loaded state. --resume loads a state in any case."),
};
static const struct section state_section = SECTION("state", state_keys);

static const char *const record_types[] = {"f64", "f32", NULL};
static const struct key record_keys[] = {
  CHOICE("when", record_whens, "running", AT_START, SETTING(record.when),
         "Time of the recordings. always: every cycle. running: while the state is RUNNING. command: between the orders start and "
         "stop. trigger: around the conditions of the key trigger. The orders start and stop act with every word."),
  TEXT("trigger", NONE, AT_START, FILE_VALUE(record_trigger),
       "Conditions that start a recording, separated by commas: miss, a missed deadline; fault, a new cause of FAULT or SAFE; "
       "SIGNAL > NUMBER; SIGNAL < NUMBER, in the unit of the signal. A recording lasts until no condition has held for the "
       "time of the key after. Without the key when, this key means when: trigger. With another word of when, the conditions "
       "only leave marks in the recordings.", .example = "body.A.position.z < 0.1, miss"),
  TEXT("signals", "all", AT_START, FILE_VALUE(record_signals),
       "Recorded signals: all; state, which has the time, body positions and velocities, inputs and the platform; inputs; or names "
       "with * and ?, separated by commas."),
  CHOICE("type", record_types, "f64", AT_START, SETTING(record.single), "Type of the recorded signals."),
  INTEGER("divisor", "", BETWEEN(1, 1000000), "1", AT_START, SETTING(record.divisor),
          "Signals are recorded in the cycles whose number is a multiple of this one."),
  NUMBER("before", "s", BETWEEN(0, 3600), "5", AT_START, SETTING(record.before),
         "Time ahead of the start of a recording that its file has, too."),
  NUMBER("after", "s", BETWEEN(0, 1e6), "2", AT_START, SETTING(record.after),
         "Time behind the end of RUNNING, or behind the last condition."),
  NUMBER("split", "s", BETWEEN(0, 1e9), "600", AT_START, SETTING(record.split),
         "Longest time of one file; the next file begins with the next cycle. 0: no limit."),
  NUMBER("keep", "GB", BETWEEN(0, 1e9), "50", AT_START, SETTING(record.keep),
         "Size of all finished files of this daemon in the folder of the recorder. The oldest files go first. 0: no limit."),
  NUMBER("min_free", "GB", BETWEEN(0, 1e9), "2", AT_START, SETTING(record.min_free),
         "Free space below which the recorder closes its file."),
  INTEGER("compress", "", BETWEEN(0, 9), "0", AT_START, SETTING(record.compress), "Level of deflate."),
};
static const struct section record_section = SECTION("record", record_keys);

static const struct key file_keys[] = {
  VARIABLES("parameters",
            "Names for values: {L: 0.35, side: left, arm: [0.2, 0, 0], angle: 30 deg}. Every number of the file may be an "
            "expression of them, such as 2*L + 5 mm, and every text may contain ${L}. A parameter may use the parameters above it."),
  ELEMENT("model", &schema_model, REQUIRED, "The mechanism."),
  SUBSECTION("simulation", &simulation, "Length of a run, initial state, and instruction set."),
  SUBSECTION("solver", &solver, "Integration of one step: iterations, inner steps, penalty and damping."),
  SUBSECTION("cycle", &cycle, "Period, clock, overrun and start of the cycles."),
  SUBSECTION("realtime", &realtime, "Real-time settings that the daemon asks of the operating system."),
  LIST("inputs", &schema_input, NONE,
       "Values that the bench applies from outside: a force and a torque on a body, the value of a motor or drive, or a "
       "target of the motion platform. Inputs on the same body add up."),
  LIST("injections", &schema_injection, NONE,
       "Faults that a person may inject into the inputs for tests. With an empty list nobody can inject a fault. While a fault acts, "
       "frames, tools and the log show it."),
  LIST("stimulus", &schema_stimulus, NONE,
       "Tables of measured values that drive inputs. A stimulus sends its values like a client, so the first sender of an input "
       "owns it. Its time advances with the steps, and the value for the end of a step acts in that step."),
  SUBSECTION("platform", &schema_platform,
       "A motion platform with six legs or six cranks that follows the motion of the model within its limits. The signals "
       "platform.* hold its targets in every cycle and state. Before the first command arm or run the position of the rig is "
       "unknown, and every output that could move it is withheld; the rig must stand in its park pose then. It is parked "
       "while nothing moves and in SAFE, goes to neutral in READY, holds in PAUSED, and is parked before the daemon ends. After "
       "it was stuck for ten periods, and at least 0.1 s, the loop goes on in SAFE. A platform needs clock: timer and does not "
       "allow overrun: catch_up. Frames: x points forward, y left, z up; pitch is positive nose down."),
  SUBSECTION("rig", &schema_rig,
       "Signs that come back from the motion platform, and their consequences: the following error, permissives, the reaction to "
       "an e-stop, limits of what the driver feels, a log of rides. Inputs with platform: actual_legs, actual_pose and number "
       "bring the signs in, over packets, Modbus or OSC. The signals rig.* show them."),
  SUBSECTION("osc", &schema_osc, "Open Sound Control over UDP. Without this section it is off."),
  SUBSECTION("modbus", &schema_modbus,
       "Modbus server, over TCP, on a serial line, or both. Without this section it is off."),
  LIST("devices", &schema_device, NONE,
       "Modbus devices that the daemon polls. It reads inputs from them and writes signals to them."),
  LIST_OR_FILE("packets", &schema_packet, NONE,
       "Binary packets of your own layout, for motion controllers that speak neither OSC nor Modbus. The daemon sends one for "
       "each cycle in every state. It sends none while the loop is stuck, so that the controller's watchdog notices. In place "
       "of the list, {file: PATH} names a file that has nothing but such a list; config/platform has files for motion "
       "platforms. The keys host, port, serial, baud, parity and stop_bits beside file replace what the file says: packets: "
       "{file: platform/moog-udp.yaml, host: 10.0.0.7, port: 991}.", .file = &schema_packet_file),
  SUBSECTION("state", &state_section,
             "States of the model in files: the daemon saves them every so often, on command and when it ends, and continues from "
             "them. Without this section it is off."),
  SUBSECTION("record", &record_section,
             "Defaults of ali3-record for this daemon. Its options come first. The daemon itself writes no recordings."),
  SUBSECTION("telemetry", &telemetry, "Name of this daemon in ali3-top."),
};
const struct section schema_file = SECTION("the file", file_keys);
/* clang-format on */
