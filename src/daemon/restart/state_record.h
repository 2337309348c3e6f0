/* SPDX-License-Identifier: MIT
 * The record that a run of the daemon leaves, and the start of the next run that follows from it. Pure. Two copies hold
 * it:
 *
 *   telemetry block   the loop writes it in every cycle; a killed daemon leaves it in /dev/shm; a reboot deletes
 *                     it, and so does systemd's RemoveIPC at the end of the unit
 *   state file        an ordinary thread writes it about 20 ms after a change (restart/restart.h); it survives a
 *                     power cut
 *
 * One copy suffices. If the copies differ, the safer value counts. */
#ifndef RESTART_STATE_RECORD_H
#define RESTART_STATE_RECORD_H

#include "loop/cycle.h"

struct state_record {
  bool ended;                  /* ended by an order, or after --duration */
  bool disarmed;               /* motion needed an arm */
  uint32_t state;              /* enum run_state, the last one; before EXIT */
  uint32_t fault;              /* enum fault_code of the latched stop; FAULT_NONE */
  char who[TELEMETRY_LATCHER]; /* client that latched it: "osc client 127.0.0.1:4711"; "": the loop */
};

enum copy_status {
  COPY_MISSING,
  COPY_READ,
  COPY_BROKEN, /* not readable: counts as an unordered end */
};
struct state_copy {
  enum copy_status found;
  struct state_record record; /* COPY_READ */
};

/* The record of `live`. ended: the daemon ended by an order. who: client that latched the stop; NULL: take it from
 * live. */
struct state_record state_record_of(const struct telemetry_live *live, bool ended, const char *who);

/* Merges both copies into the record of the last run; COPY_MISSING if there is none. *start: how the loop must start. */
struct state_copy state_record_decide(const struct state_copy *file, const struct state_copy *block,
                                      struct last_run *start);

/* One line for the log: what was found and what to do; "" if there is nothing to say. commanded: a port takes commands;
 * if not, the line says which file to delete. */
void state_record_text(const struct state_copy *last, const struct last_run *start, bool commanded,
                       const char *file, char *text, size_t size);

#endif
