/* SPDX-License-Identifier: MIT
 * The list of the single figures that a daemon reports. The members of the block in shared memory, the JSON, the metrics of
 * Prometheus and the figures of ali3-top all come from it. A new figure needs a row here and a line in the place that counts or
 * writes it. Lists and structures stand elsewhere: histograms, misses, inputs, devices, the platform, counters. */
#ifndef TELEMETRY_FIELDS_H
#define TELEMETRY_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TELEMETRY_NAME = 64, TELEMETRY_REASON = 256 };

/* The kinds of fields, and how each is stored. */
#define FIELD_KIND_LIST(X)                                                                                   \
  X(COUNT, uint64_t, )                /* of events */                                                        \
  X(CYCLE, uint64_t, )                /* number of a cycle; 0: none */                                       \
  X(NUMBER, uint32_t, )               /* any */                                                              \
  X(CHOICE, int32_t, )                /* -1: none */                                                         \
  X(FLAG, uint32_t, )                 /* 0 or 1 */                                                           \
  X(REAL, double, )                   /* in the unit of its row */                                           \
  X(TIME, uint64_t, )                 /* stored in ns, shown in the unit of its row, "s" or "ms" */          \
  X(AGE, uint64_t, )                  /* as TIME; UINT64_MAX: none */                                        \
  X(SHIFT, int64_t, )                 /* as TIME, with a sign */                                             \
  X(NAME, char, [TELEMETRY_NAME])     /* "": none */                                                         \
  X(REASON, char, [TELEMETRY_REASON]) /* as it is */                                                         \
  X(STATE, uint32_t, )                /* enum run_state; shown by its name */                                \
  X(FAULT, uint32_t, )                /* enum fault_code; shown as number and text */                        \
  X(CLOCKING, uint32_t, )             /* enum clocking; shown by its name */                                 \
  X(OVERRUN, uint32_t, )              /* enum overrun; shown by its name */

/* Written once, before the loop runs, or a word at a time: member, kind, key of JSON, unit there, metric of Prometheus behind
 * "ali3_" (in SI units; "": none; "_total" at its end: a counter, else a gauge), what it is. */
#define TELEMETRY_FIXED_LIST(X)                                                                              \
  X(model, NAME, "model", "", "", "name of the model")                                                       \
  X(isa, NAME, "isa", "", "", "instruction set of the steps")                                                \
  X(reason, REASON, "realtime_reason", "", "", "why not real time")                                          \
  X(period_ns, TIME, "period_s", "s", "period_seconds", "nominal period of the cycle")                       \
  X(realtime, FLAG, "realtime", "", "realtime", "1 if SCHED_FIFO and locked memory were granted")            \
  X(bodies, NUMBER, "bodies", "", "bodies", "bodies of the model")                                           \
  X(rows, NUMBER, "rows", "", "rows", "rows of the model")                                                   \
  X(workers, NUMBER, "workers", "", "workers", "threads beside the loop")                                    \
  X(priority, CHOICE, "priority", "", "priority", "SCHED_FIFO priority of the loop, where granted")          \
  X(cpu, CHOICE, "cpu", "", "cpu", "the one CPU of the loop, where pinned")                                  \
  X(clocking, CLOCKING, "clocking", "", "", "what starts a cycle")                                           \
  X(overrun, OVERRUN, "overrun", "", "", "what follows a miss")

/* Written by the loop in every cycle, under the sequence lock. Columns as above. */
#define TELEMETRY_LIVE_LIST(X)                                                                               \
  X(cycle, COUNT, "cycle", "", "cycles_total", "cycles since the start")                                     \
  X(time, REAL, "time_s", "s", "simulated_seconds", "simulated time")                                        \
  X(state, STATE, "state", "", "state_code", "state of the daemon, as over Modbus")                          \
  X(flags, NUMBER, "flags", "", "", "flags of the daemon, as over Modbus")                                   \
  X(fault, FAULT, "fault", "", "fault_code", "cause of FAULT or SAFE, as over Modbus; 0 none")               \
  X(stale_mask, NUMBER, "stale_mask", "", "input_stale_mask",                                                \
    "bit i: input i, of the first 32, is past its hold time")                                                \
  X(slipped_ns, TIME, "slipped_s", "s", "slipped_seconds_total", "by which late cycles moved the grid on")   \
  X(pulled_ns, SHIFT, "pulled_s", "s", "", "by which beats shifted the grid")                                \
  X(beat_error_ns, SHIFT, "beat_error_s", "s", "",                                                           \
    "start that the last beat asked for, less the start taken")                                              \
  X(beats, COUNT, "beats", "", "", "beats taken")                                                            \
  X(input_age_ns, AGE, "input_age_ms", "ms", "input_age_seconds",                                            \
    "age of the oldest input, where any was received")                                                       \
  X(clamped, COUNT, "clamped", "", "input_clamped_total", "input values clamped to their limits")            \
  X(violated_at, NAME, "violated_at", "", "", "what was open most after the last violated step")             \
  X(increment, REAL, "increment", "", "increment", "last Newton increment of the step")                      \
  X(constraint, REAL, "constraint", "", "constraint_violation",                                              \
    "largest violation of a position constraint")                                                            \
  X(waiting, FLAG, "waiting", "", "", "1 while no clock wakes the loop, only what comes")

/* Counts of the loop itself, written with the others. struct figures of the loop has the same members, and the loop copies all
 * of them. Columns as above. */
#define TELEMETRY_COUNTED_LIST(X)                                                                            \
  X(misses, COUNT, "misses", "", "deadline_misses_total", "cycles that ended after the next nominal start")  \
  X(skipped, COUNT, "skipped", "", "starts_skipped_total", "nominal starts left out after misses")           \
  X(grace_misses, COUNT, "grace_misses", "", "grace_misses_total",                                           \
    "misses within the grace after a start, not among the others")                                           \
  X(late_starts, COUNT, "late_starts", "", "late_starts_total", "cycles begun late on purpose, to catch up") \
  X(beats_lost, COUNT, "beats_lost", "", "", "times that no beat came within two periods")                   \
  X(degraded, COUNT, "degraded_steps", "", "degraded_steps_total",                                           \
    "steps that did not converge, or were violated")                                                         \
  X(degraded_cycle, CYCLE, "degraded_cycle", "", "", "cycle of the last step that did not converge")         \
  X(violated, COUNT, "violated_steps", "", "violated_steps_total",                                           \
    "steps after which a joint, drive or gear was open")                                                     \
  X(violated_first, CYCLE, "violated_first_cycle", "", "", "cycle of the first violated step")               \
  X(violated_cycle, CYCLE, "violated_cycle", "", "", "cycle of the last violated step")

/* Single flags of `flags` that have a place of their own: flag, key of JSON ("": none), metric ("": none), what it is. */
#define TELEMETRY_FLAG_LIST(X)                                                                               \
  X(FLAG_INPUT_STALE, "", "input_stale", "1 if an input is past its hold time")                              \
  X(FLAG_INJECTED, "fault_injection", "", "1 while fault injection acts on the inputs")                      \
  X(FLAG_WITHHELD, "platform_withheld", "", "1 while the motion of the platform is withheld")

/* The members of a list. */
#define FIELD_STORED(kind, type, array) typedef type field_##kind array;
FIELD_KIND_LIST(FIELD_STORED)
#undef FIELD_STORED
#define FIELD_MEMBER(member, kind, key, unit, metric, text) field_##kind member;

enum field_kind {
#define FIELD_ENUM(kind, type, array) FIELD_##kind,
  FIELD_KIND_LIST(FIELD_ENUM)
#undef FIELD_ENUM
      FIELD_BIT /* of the flags */
};

struct telemetry;
struct telemetry_field {
  enum field_kind kind;
  size_t offset, size; /* in struct telemetry */
  uint32_t bit;        /* FIELD_BIT: which */
  bool live;           /* under the sequence lock */
  const char *key, *unit, *metric, *text;
};
extern const struct telemetry_field telemetry_field[];
extern const int telemetry_fields;

/* What a field says. */
struct field_value {
  enum { VALUE_NONE, VALUE_FLAG, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT } type;
  int64_t integer;  /* of a flag, 0 or 1; of a state, its code */
  double number;    /* of VALUE_REAL, in the unit of the field */
  double si;        /* of all but texts, in SI units */
  const char *text; /* of VALUE_TEXT, and of a fault; else NULL */
};
struct field_value telemetry_value(const struct telemetry *t, const struct telemetry_field *f);

#endif
