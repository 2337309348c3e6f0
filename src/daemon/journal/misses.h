/* SPDX-License-Identifier: MIT
 * The way of a missed deadline from the loop to people: judged with facts about the host, counted by cause, kept in the
 * telemetry, logged, written to a file. */
#ifndef JOURNAL_MISSES_H
#define JOURNAL_MISSES_H

#include "frames/writer.h"
#include "journal/host_history.h"
#include "journal/miss_file.h"
#include "loop/cycle_events.h"
#include "telemetry/telemetry.h"
#include "trace/tracer.h"

enum { MISSES_LOGGED = 5 }; /* single lines in a second */

struct misses {
  struct outbox *outbox; /* outbox of the loop */
  struct telemetry *telemetry;
  struct frames_writer *frames; /* the caller may set it after misses_open(); NULL: no frame ring */
  const struct host_history *host;
  struct tracer *tracer; /* the caller may set it and the next two after misses_open(); NULL: no trace */
  int32_t loop;          /* thread of the loop */
  int loop_cpu;          /* to which it is pinned; -1: any */
  struct miss_file file;

  struct rate_limit journal, losses;
  uint64_t taken, lost; /* records, and misses without a record, so far */
  int held;             /* misses that are not logged before the next tick */
  struct miss hold[CYCLE_MISSES];
};

/* Returns false if the file cannot be written; the log then has the reason. path NULL: no file. mb: see
 * miss_file_open(). */
bool misses_open(struct misses *s, struct outbox *outbox, struct telemetry *telemetry,
                 const struct host_history *host, const char *path, int mb);
/* Call once a tick, after host_history_add(). A record is judged one tick after it came, because the facts that explain
 * it may appear later than the record of the loop, which ran first. */
void misses_tick(struct misses *s, uint64_t now_ns);
/* Call after the loop has ended: handles all remaining records. */
void misses_end(struct misses *s, uint64_t now_ns);
void misses_close(struct misses *s);

/* The counter of a cause: how often it was found. */
static inline _Atomic uint64_t *misses_of_cause(struct counters *c, unsigned cause)
{
  return &c->miss_unknown + cause;
}
_Static_assert(offsetof(struct counters, miss_early_frame) - offsetof(struct counters, miss_unknown) ==
                   (MISS_CAUSES - 1) * sizeof(uint64_t),
               "a counter for every cause, in their order");

#endif
