/* SPDX-License-Identifier: MIT
 * Missed deadlines on their way from the loop to people: judged with what the surroundings tell, counted by
 * cause, kept in the telemetry, said in the log, written to a file. */
#ifndef JOURNAL_MISSES_H
#define JOURNAL_MISSES_H

#include "journal/host_history.h"
#include "journal/miss_file.h"
#include "loop/cycle_events.h"
#include "telemetry/telemetry.h"

enum { MISSES_LOGGED = 5 }; /* one by one in a second */

struct misses {
  struct outbox *outbox; /* of the loop */
  struct telemetry *telemetry;
  const struct host_history *host;
  struct miss_file file;

  struct rate_limit journal, losses;
  uint64_t taken, lost; /* so far: records, and misses without one */
  int held;             /* back until the next tick */
  struct miss hold[CYCLE_MISSES];
};

/* False if the file cannot be written, which is said in the log. path NULL: none.
 * mb: as for miss_file_open(). */
bool misses_open(struct misses *s, struct outbox *outbox, struct telemetry *telemetry,
                 const struct host_history *host, const char *path, int mb);
/* Once a tick, after host_history_add(). A record is judged a tick after it has come: what explains it may be seen later than
 * the loop, which was the first to run, wrote it. */
void misses_tick(struct misses *s, uint64_t now_ns);
/* When the loop has ended: nothing is left behind. */
void misses_end(struct misses *s, uint64_t now_ns);
void misses_close(struct misses *s);

/* How often each cause was found: the counter of enum miss_cause. */
static inline _Atomic uint64_t *misses_of_cause(struct counters *c, unsigned cause)
{
  return &c->miss_unknown + cause;
}
_Static_assert(offsetof(struct counters, miss_early_frame) - offsetof(struct counters, miss_unknown) ==
                   (MISS_CAUSES - 1) * sizeof(uint64_t),
               "a counter for every cause, in their order");

#endif
