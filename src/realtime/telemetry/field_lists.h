/* SPDX-License-Identifier: MIT
 * The list of the single figures that a daemon reports. The members of the block in shared memory, the JSON, the
 * Prometheus metrics and the figures of ali3-top come from it. A new figure needs a row here and a line in the code
 * that counts or writes it. Lists and structures are elsewhere: histograms, misses, inputs, devices, the platform,
 * counters. */
#ifndef TELEMETRY_FIELD_LISTS_H
#define TELEMETRY_FIELD_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TELEMETRY_NAME = 64, TELEMETRY_REASON = 256 };

/* The kinds of fields, and how each is stored. */
#define FIELD_KIND_LIST(X)                                                                                   \
  X(COUNT, uint64_t, )                /* events */                                                           \
  X(CYCLE, uint64_t, )                /* number of a cycle; 0: none */                                       \
  X(NUMBER, uint32_t, )               /* any number */                                                       \
  X(CHOICE, int32_t, )                /* -1: none */                                                         \
  X(FLAG, uint32_t, )                 /* 0 or 1 */                                                           \
  X(REAL, double, )                   /* in the unit of its row */                                           \
  X(TIME, uint64_t, )                 /* stored in ns, shown in the unit of its row, "s" or "ms" */          \
  X(AGE, uint64_t, )                  /* like TIME; UINT64_MAX: none */                                      \
  X(SHIFT, int64_t, )                 /* like TIME, with a sign */                                           \
  X(NAME, char, [TELEMETRY_NAME])     /* "": none */                                                         \
  X(REASON, char, [TELEMETRY_REASON]) /* text without a name for "none" */                                   \
  X(STATE, uint32_t, )                /* enum run_state; shown by its name */                                \
  X(FAULT, uint32_t, )                /* enum fault_code; shown as number and text */                        \
  X(CLOCKING, uint32_t, )             /* enum clocking; shown by its name */                                 \
  X(OVERRUN, uint32_t, )              /* enum overrun; shown by its name */                                  \
  X(RECORDER, uint32_t, )             /* enum recorder_state; shown by its name */

/* Fields that are written once before the loop runs, or one word at a time. Columns: member, kind, JSON key, JSON unit,
 * Prometheus metric without "ali3_" (in SI units; "": none; the ending "_total" makes a counter, any other a gauge),
 * meaning. */
#define TELEMETRY_FIXED_LIST(X)                                                                              \
  X(model, NAME, "model", "", "", "name of the model")                                                       \
  X(isa, NAME, "isa", "", "", "instruction set of the steps")                                                \
  X(reason, REASON, "realtime_reason", "", "", "why the daemon is not real-time")                            \
  X(traces, FLAG, "traces", "", "traces", "1 if the kernel's trace names who causes a miss")                 \
  X(untraced, REASON, "untraced_reason", "", "", "why the kernel's trace does not")                          \
  X(period_ns, TIME, "period_s", "s", "period_seconds", "nominal period of the cycle")                       \
  X(realtime, FLAG, "realtime", "", "realtime", "1 if the host granted SCHED_FIFO and locked memory")        \
  X(bodies, NUMBER, "bodies", "", "bodies", "bodies of the model")                                           \
  X(rows, NUMBER, "rows", "", "rows", "rows of the model")                                                   \
  X(workers, NUMBER, "workers", "", "workers", "worker threads beside the loop")                             \
  X(priority, CHOICE, "priority", "", "priority", "SCHED_FIFO priority of the loop, if granted")             \
  X(cpu, CHOICE, "cpu", "", "cpu", "CPU of the loop, if it is pinned to one")                                \
  X(clocking, CLOCKING, "clocking", "", "", "clocking that starts a cycle")                                  \
  X(overrun, OVERRUN, "overrun", "", "", "overrun policy after a miss")                                      \
  X(recorder, RECORDER, "recorder", "", "recorder_state_code",                                               \
    "state of the recorder: 0 off, 1 waiting, 2 recording, 3 lost cycles, 4 disk full")                      \
  X(recorder_file, REASON, "recorder_file", "", "", "file that the recorder writes")                         \
  X(recorder_cycles, COUNT, "recorder_cycles", "", "record_cycles_total", "cycles that the recorder took")   \
  X(recorder_lost, COUNT, "recorder_lost", "", "record_lost_total", "cycles that the recorder lost")         \
  X(recorder_bytes, COUNT, "recorder_bytes", "", "record_bytes", "size of the file of the recorder")         \
  X(recorder_flush_ns, TIME, "recorder_flush_s", "s", "record_flush_seconds",                                \
    "longest time in which the disk took the rows of that file")

/* Fields that the loop writes in every cycle, under the sequence lock. Columns as above. */
#define TELEMETRY_LIVE_LIST(X)                                                                               \
  X(cycle, COUNT, "cycle", "", "cycles_total", "cycles since the start")                                     \
  X(time, REAL, "time_s", "s", "simulated_seconds", "simulated time")                                        \
  X(state, STATE, "state", "", "state_code", "state of the daemon, the code of Modbus")                      \
  X(flags, NUMBER, "flags", "", "", "flags of the daemon, the bits of Modbus")                               \
  X(fault, FAULT, "fault", "", "fault_code", "cause of FAULT or SAFE, the code of Modbus; 0: none")          \
  X(stale_mask, NUMBER, "stale_mask", "", "input_stale_mask",                                                \
    "bit i: input i, of the first 32, is past its hold time")                                                \
  X(slipped_ns, TIME, "slipped_s", "s", "slipped_seconds_total", "time by which late cycles moved the grid") \
  X(pulled_ns, SHIFT, "pulled_s", "s", "", "time by which beats shifted the grid")                           \
  X(beat_error_ns, SHIFT, "beat_error_s", "s", "",                                                           \
    "start that the last beat asked for minus the real start")                                               \
  X(beats, COUNT, "beats", "", "", "beats taken")                                                            \
  X(input_age_ns, AGE, "input_age_ms", "ms", "input_age_seconds",                                            \
    "age of the oldest input, if any was received")                                                          \
  X(clamped, COUNT, "clamped", "", "input_clamped_total", "input values clamped to their limits")            \
  X(violated_at, NAME, "violated_at", "", "", "widest opening after the last violated step")                 \
  X(increment, REAL, "increment", "", "increment", "last Newton increment of the step")                      \
  X(constraint, REAL, "constraint", "", "constraint_violation",                                              \
    "largest violation of a position constraint")                                                            \
  X(waiting, FLAG, "waiting", "", "", "1 while only inputs or commands wake the loop")

/* Counters of the loop, written with the others. The struct figures of the loop has these members, and the loop copies
 * all of them. Columns as above. */
#define TELEMETRY_COUNTED_LIST(X)                                                                            \
  X(misses, COUNT, "misses", "", "deadline_misses_total", "cycles that ended after the next nominal start")  \
  X(skipped, COUNT, "skipped", "", "starts_skipped_total", "nominal starts skipped after misses")            \
  X(grace_misses, COUNT, "grace_misses", "", "grace_misses_total",                                           \
    "misses within the grace after a start, not counted as misses")                                          \
  X(late_starts, COUNT, "late_starts", "", "late_starts_total",                                              \
    "cycles started late on purpose, to catch up")                                                           \
  X(beats_lost, COUNT, "beats_lost", "", "", "times that no beat came within two periods")                   \
  X(degraded, COUNT, "degraded_steps", "", "degraded_steps_total",                                           \
    "steps that did not converge or were violated")                                                          \
  X(retried, COUNT, "retried_steps", "", "retried_steps_total",                                              \
    "steps that failed or were degraded, and were computed once more")                                       \
  X(degraded_cycle, CYCLE, "degraded_cycle", "", "", "cycle of the last step that did not converge")         \
  X(violated, COUNT, "violated_steps", "", "violated_steps_total",                                           \
    "steps that left a joint, drive or gear open")                                                           \
  X(violated_first, CYCLE, "violated_first_cycle", "", "", "cycle of the first violated step")               \
  X(violated_cycle, CYCLE, "violated_cycle", "", "", "cycle of the last violated step")

/* Flags in `flags` with a row of their own: flag, JSON key ("": none), metric ("": none), meaning. */
#define TELEMETRY_FLAG_LIST(X)                                                                               \
  X(FLAG_INPUT_STALE, "", "input_stale", "1 if an input is past its hold time")                              \
  X(FLAG_INJECTED, "fault_injection", "", "1 while fault injection acts on the inputs")                      \
  X(FLAG_WITHHELD, "platform_withheld", "", "1 while the motion of the platform is withheld")

/* Declares the stored type of each kind, and the members of a list. */
#define FIELD_STORED(kind, type, array) typedef type field_##kind array;
FIELD_KIND_LIST(FIELD_STORED)
#undef FIELD_STORED
#define FIELD_MEMBER(member, kind, key, unit, metric, text) field_##kind member;

#endif
