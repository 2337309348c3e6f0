/* SPDX-License-Identifier: MIT
 * The record that one run of the daemon leaves behind, and how the next run starts because of it. Pure. Two
 * copies hold it:
 *
 *   telemetry block   the loop writes it in every cycle; a killed daemon leaves it in /dev/shm; a reboot deletes
 *                     it, and so does systemd's RemoveIPC at the end of the unit
 *   state file        an ordinary thread writes it some 20 ms after a change (restart/restart.h); it survives a
 *                     power cut
 *
 * One copy is enough. Where the copies differ, the safer value counts. */
#ifndef RESTART_STATE_RECORD_H
#define RESTART_STATE_RECORD_H

#include "loop/cycle.h"

struct state_record {
  bool ended;                  /* the daemon ended because it was told to, or after --duration */
  bool disarmed;               /* motion needed an arm */
  uint32_t state;              /* enum run_state, the last one; before EXIT */
  uint32_t fault;              /* enum fault_code of the stop that was latched; FAULT_NONE */
  char who[TELEMETRY_LATCHER]; /* latched it: "osc client 127.0.0.1:4711"; "": the loop did */
};

enum copy_status {
  COPY_MISSING,
  COPY_READ,
  COPY_BROKEN, /* something that cannot be understood: an end that nobody ordered */
};
struct state_copy {
  enum copy_status found;
  struct state_record record; /* COPY_READ */
};

/* The record in `live`. ended: the daemon ended on purpose. who: latched the stop; NULL: as far as live
 * itself says. */
struct state_record state_record_of(const struct telemetry_live *live, bool ended, const char *who);

/* What the last run left, from both copies: COPY_MISSING where there was none. *start: how the loop has to
 * start. */
struct state_copy state_record_decide(const struct state_copy *file, const struct state_copy *block,
                                      struct last_run *start);

/* For the log, in one line: what was found, and what to do. "" where nothing is to be said. commanded: some
 * port takes commands; else file is what has to be deleted. */
void state_record_text(const struct state_copy *last, const struct last_run *start, bool commanded,
                       const char *file, char *text, size_t size);

#endif
