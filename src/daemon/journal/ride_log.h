/* SPDX-License-Identifier: MIT
 * The log of rides: one line of JSON for each ride, from the first motion out of the park pose to the return. */
#ifndef JOURNAL_RIDE_LOG_H
#define JOURNAL_RIDE_LOG_H

#include "loop/cycle.h"

#include <jansson.h>

struct ride_log {
  FILE *file; /* NULL: none */

  /* private */
  const char *path;
  const struct cycle_config *config;
  char who[160];        /* client of the last arm, run or jog */
  json_t *trips, *jogs; /* texts since the last ride */
  uint64_t trips_left_out, jogs_left_out;
  bool failed; /* the log has said that a line could not be written */
};

/* Opens the file of the section rig for appending. Returns false if it cannot be written; the log then has the reason.
 * Without the key ride_log there is no file, and all functions do nothing. */
bool ride_log_open(struct ride_log *l, const struct cycle_config *config);
void ride_log_close(struct ride_log *l);

/* An event of the loop, in the order in which they came, with its text. */
void ride_log_event(struct ride_log *l, const struct cycle_event *e, const char *text);
/* Writes the rides that are over. Call after the events were taken. */
void ride_log_tick(struct ride_log *l, struct outbox *outbox);

#endif
