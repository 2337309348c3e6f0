/* SPDX-License-Identifier: MIT
 * The keys of a file, and of the sections that say how it is run: simulation, solver, cycle, realtime, telemetry. Data
 * only. */
#include "config/keys.h"
#include "config/values.h"

const char *const schema_isas[] = {"auto", "baseline", "avx2", "avx512", NULL};
#define WORD(id, text) text,
static const char *const clockings[] = {CLOCKING_LIST(WORD) NULL};
static const char *const overruns[] = {OVERRUN_LIST(WORD) NULL};
#undef WORD
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
};
static const struct section simulation = SECTION("simulation", simulation_keys);

static const struct key solver_keys[] = {
  INTEGER("iterations", "", BETWEEN(1, 100), "3", BY_OPTION, SETTING(options.iterations),
          "Newton iterations of every step. A step always does all of them.", .option = "--iterations of ali3-sim"),
  NUMBER("alpha", "", NOT_NEGATIVE, "0", BY_OPTION, SETTING(options.alpha),
         "Penalty of every rigid constraint, in absolute terms. With 0 the key compliance applies, which suits light and "
         "heavy mechanisms alike.", .option = "--alpha of ali3-sim"),
  NUMBER("compliance", "", INSIDE(0, 1), "4e-9", AT_START, SETTING(options.compliance),
         "Compliance of a rigid constraint, relative to the compliance of the bodies that it joins."),
  INTEGER("substeps", "", BETWEEN(1, 1000), "1", BY_OPTION, SETTING(options.substeps),
          "Number of equal inner steps in one period.", .option = "--substeps of ali3-sim"),
  FLAG("interpolate", "false", AT_START, SETTING(options.interpolate),
       "true: inputs move in a straight line over the substeps, from their values of the last period. false: inputs are "
       "constant over the period."),
  NUMBER("gamma", "", BETWEEN(0.5, 1.5), "0.5", AT_START, SETTING(options.gamma),
         "Parameter gamma of the Newmark formulas. 0.5 is the trapezoidal rule: it is of second order and damps nothing. "
         "Above 0.5 stiff modes decay by (1.5 - gamma)/(0.5 + gamma) in every step, and the order is one. Try 0.55 for a "
         "stiff mechanism that rings."),
  NUMBER("beta", "", BETWEEN(0, 2), "0", AT_START, SETTING(options.beta),
         "Parameter beta of the Newmark formulas. 0 stands for (gamma + 1/2)^2 / 4."),
  FLAG("extrapolate", "false", BY_OPTION, SETTING(options.extrapolate),
       "true: each inner step combines one, two and three shorter steps from the same start. The order is four in place of "
       "two, and a step takes six times the work.", .option = "--extrapolate"),
  NUMBER("violation", "", BETWEEN(0, 1e6), "0.1", AT_START, SETTING(options.violation),
         "Largest opening of a joint, drive or gear before the loop goes to FAULT. The unit is rad for angles. For lengths "
         "it is the size of the mechanism, which is the longest lever arm of a joint or force. 0: no limit. A step that "
         "leaves a joint open by more than 1e-5 is counted and shown as violated."),
};
static const struct section solver = SECTION("solver", solver_keys);

static const struct key cycle_keys[] = {
  NUMBER("period", "s", BETWEEN(1e-5, 10), "0.01", BY_OPTION, SETTING(options.dt),
         "Time between two cycles, and step of the simulation.", .option = "--dt of ali3-sim"),
  CHOICE("autostart", autostarts, "true", AT_START, SETTING(cycle.autostart),
         "true: the mechanism moves as soon as the daemon is ready. false: it waits for the command run. With a section "
         "platform the default is false, and true is an error: even_with_platform lets the platform move by itself. After a "
         "latched stop, or after a run that ended without an order, the mechanism always waits for a person; see STOPPING "
         "AND STARTING in ali3d(8)."),
  INTEGER("warmup", "cycles", BETWEEN(0, 1e6), "100", AT_START, SETTING(cycle.warmup),
          "Cycles that run before the report counts."),
  CHOICE("clock", clockings, "timer", AT_START, SETTING(cycle.clock),
         "Start of a cycle. timer: the clock, every period. input: each numbered input frame of the protocol that beat "
         "names; after two periods without a frame the daemon goes to the state SAFE. lockstep: the command step, and no "
         "clock; the loop sleeps 1 ms after each 4 ms of steps without a pause, so that an e-stop is received."),
  CHOICE("overrun", overruns, "skip", WHILE_RUNNING, SETTING(cycle.live.overrun),
         "Reaction to starts that a late cycle overlaps. skip: these starts are skipped, the grid stays, and simulated time "
         "falls behind. catch_up: up to catch_up of these cycles run at once. slip: the grid moves to the end of the late "
         "cycle, and no cycle is skipped. stop: as skip, and the daemon goes to the state SAFE after max_misses."),
  INTEGER("catch_up", "cycles", BETWEEN(1, 1000), "3", WHILE_RUNNING, SETTING(cycle.live.catch_up),
          "Largest number of cycles that run at once with overrun: catch_up. More of them are skipped."),
  INTEGER("max_misses", "cycles", BETWEEN(0, 1e6), "0", WHILE_RUNNING, SETTING(cycle.live.max_misses),
          "Number of missed deadlines in a row that leads to the state SAFE, with every overrun policy. 0: misses are only "
          "counted, but with overrun: stop the first miss leads to SAFE."),
  INTEGER("grace", "cycles", BETWEEN(0, 1e6), "0", WHILE_RUNNING, SETTING(cycle.live.grace),
          "Cycles after each start of the motion in which misses are counted apart and do not lead to SAFE."),
  CHOICE("publish", publishes, "at_once", AT_START, SETTING(cycle.publish),
         "Time at which the state of a cycle is sent. at_once: when it is computed. next_cycle: at the start of the next "
         "cycle, which is more regular."),
  NUMBER("spin", "s", BETWEEN(0, 1), "0", AT_START, SETTING(cycle.spin),
         "Time before each start of a timer at which the loop wakes. It busy-waits for the rest, so that caches are warm. "
         "Starts are then exact to a microsecond and steps are shorter, at the cost of processor time. At most half the "
         "period."),
  CHOICE("beat", beats, "none", AT_START, SETTING(cycle.beat),
         "Protocol whose numbered input frames (OSC /ali3/in/frame, Modbus register 164) are the beats for clock and pull."),
  NUMBER("pull", "s", BETWEEN(0, 1), "0", AT_START, SETTING(cycle.pull),
         "Largest shift per cycle of a timer's starts towards the beats. At most a tenth of the period. 0: beats do not "
         "shift the starts."),
  NUMBER("beat_offset", "s", BETWEEN(0, 10), "0", AT_START, SETTING(cycle.beat_offset),
         "Time from a beat to the start of a cycle that pull aims at."),
};
static const struct section cycle = SECTION("cycle", cycle_keys, .by_itself = true);

static const struct key realtime_keys[] = {
  INTEGER("priority", "", BETWEEN(1, 99), "80", AT_START, SETTING(realtime.priority),
          "Priority of the loop under SCHED_FIFO."),
  INTEGER_OR_NONE("cpu", "", BETWEEN(0, 1023), "none", AT_START, SETTING(realtime.cpu),
                  "Processor to which the loop is pinned."),
  INTEGER_OR_AUTO("workers", "", BETWEEN(0, 63), "auto", BY_OPTION, SETTING(realtime.workers),
                  "Number of threads that share each step with the loop, with the same real-time priority. If the loop is "
                  "pinned, they are pinned to the processors that follow. auto: before the loop starts, steps are timed "
                  "with several numbers of workers for some half a second, and the smallest number within a few percent of "
                  "the best is taken. A mechanism too small to gain gets no workers.", .option = "--workers of ali3-sim"),
  FLAG("lock_memory", "true", AT_START, SETTING(realtime.lock_memory),
       "true: all memory of the daemon is locked against paging."),
  INTEGER_OR_NONE("wake_limit", "us", BETWEEN(0, 1e6), "0", AT_START, SETTING(realtime.wake_limit),
                  "Longest time in which a processor may wake from idle. The daemon asks the kernel for it through "
                  "/dev/cpu_dma_latency, which costs power. none: the daemon does not ask."),
};
static const struct section realtime = SECTION("realtime", realtime_keys);

static const struct key telemetry_keys[] = {
  TEXT("name", NONE, AT_START, FILE_VALUE(instance),
       "Name of A-Z a-z 0-9 _ - by which ali3-top finds this daemon. Without this key it is the name of the model.", .example = "model"),
};
static const struct section telemetry = SECTION("telemetry", telemetry_keys);

static const struct key file_keys[] = {
  ELEMENT("model", &schema_model, REQUIRED, "The mechanism."),
  SUBSECTION("simulation", &simulation, "How the model is run."),
  SUBSECTION("solver", &solver, "How a step is solved."),
  SUBSECTION("cycle", &cycle, "The clock."),
  SUBSECTION("realtime", &realtime, "What the daemon asks of the operating system."),
  LIST("inputs", &schema_input, NONE,
       "Values that the bench applies from outside: a force and a torque on a body, the value of a motor or drive, or a "
       "target of the motion platform. Inputs on the same body add up."),
  LIST("injections", &schema_injection, NONE,
       "Faults that a person may inject into the inputs for tests. With an empty list nobody can. While a fault acts, "
       "frames, tools and the log show it."),
  SUBSECTION("platform", &schema_platform,
       "A motion platform with six legs or six cranks that follows the motion of the model within its limits. The signals "
       "platform.* hold its targets in every cycle and state. Before the first command arm or run the position of the rig is "
       "unknown, and every output that could move it is withheld; the rig must stand in its park pose then. It is parked "
       "while nothing moves and in SAFE, goes to neutral in READY, holds in PAUSED, and is parked before the daemon ends. A "
       "loop that was stuck for ten periods, and 0.1 s at least, goes on in SAFE. A platform needs clock: timer and does not "
       "allow overrun: catch_up. Frames: x points forward, y left, z up; pitch is positive nose down."),
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
  SUBSECTION("telemetry", &telemetry, "What ali3-top shows."),
};
const struct section schema_file = SECTION("the file", file_keys);
/* clang-format on */
