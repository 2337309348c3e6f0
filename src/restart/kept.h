/* SPDX-License-Identifier: MIT
 * What one run of the daemon leaves behind, and where the next one starts because of it. Pure. Two homes hold it:
 *
 *   telemetry block   written by the loop in every cycle; a killed daemon leaves it in /dev/shm; lost with a reboot, and with the
 *                     unit, whose RemoveIPC clears it
 *   state file        written by an ordinary thread some 20 ms after a change (restart/restart.h); survives a power cut
 *
 * Either is enough. Where they differ the safer one counts. */
#ifndef RESTART_KEPT_H
#define RESTART_KEPT_H

#include "loop/cycle.h"

struct kept_record {
  bool ended;                  /* the daemon ended because it was told to, or after --duration */
  bool disarmed;               /* motion needed an arm */
  uint32_t state;              /* enum run_state, the last one; before EXIT */
  uint32_t fault;              /* enum fault_code of the stop that was latched; FAULT_NONE */
  char who[TELEMETRY_LATCHER]; /* latched it: "osc client 127.0.0.1:4711"; "": the loop did */
};

enum kept_found {
  KEPT_NOTHING,
  KEPT_RECORD,
  KEPT_BROKEN, /* something that cannot be understood: an end that nobody ordered */
};
struct kept_home {
  enum kept_found found;
  struct kept_record record; /* KEPT_RECORD */
};

/* The record in `live`. ended: the daemon ended on purpose. who: latched the stop; NULL: as far as live itself says. */
struct kept_record kept_record_of(const struct telemetry_live *live, bool ended, const char *who);

/* What the last run left, from both homes: KEPT_NOTHING where there was none. *start: how the loop has to start. */
struct kept_home kept_decide(const struct kept_home *file, const struct kept_home *block, struct kept *start);

/* For the log, in one line: what was found, and what to do. "" where nothing is to be said. commanded: some port takes commands;
 * else file is what has to be deleted. */
void kept_text(const struct kept_home *last, const struct kept *start, bool commanded, const char *file,
               char *text, size_t size);

#endif
