/* SPDX-License-Identifier: MIT
 * Keeps a latched stop across processes: the record of the last run is read before the loop starts, and the record of
 * this run is on disk at any time. Ordinary threads only.
 *
 *   restart_take   after the instance name is ours: decides, logs and saves the decision, so that a failed start
 *                  does not forget it
 *   restart_begin  before the loop runs: from now on an end without restart_end() is unordered
 *   restart_tick   saves changes in a thread of its own, which a slow disk may delay
 *   restart_end    after the loop has ended as ordered */
#ifndef RESTART_RESTART_H
#define RESTART_RESTART_H

#include "restart/state_record.h"
#include "telemetry/shm.h"

struct restart_writer;

struct restart_ports {
  struct port *const *port; /* (count) they know the names of clients */
  int count;
  bool commanded; /* at least one port takes commands */
};

struct restart {
  struct last_run start; /* result of restart_take() */

  /* private */
  char path[1024]; /* state file; "": none */
  char error[320]; /* why there is none, or what is wrong with it; "" */
  const char *instance;
  struct restart_ports ports;
  struct state_record shown;  /* record of the last tick */
  struct state_record posted; /* record that was posted last */
  uint64_t posted_ns;
  uint32_t latch_client; /* client whose stop the last tick saw */
  char latched_by[TELEMETRY_LATCHER];
  struct restart_writer *writer; /* NULL: not begun, or no file */
  int failed;                    /* errno of the last write that was reported */
};

/* left: the telemetry block of the last run. state_dir: --state-dir, or NULL. `instance` and `ports` must outlive
 * restart_end(). */
void restart_take(struct restart *r, const char *instance, const struct telemetry_left *left,
                  const char *state_dir, const struct restart_ports *ports);
/* Returns false if the file cannot be written and `required` is set. The log has the reason in any case. */
bool restart_begin(struct restart *r, bool required);
/* stuck: the loop does not advance, and the ports report SAFE. */
void restart_tick(struct restart *r, const struct telemetry_live *live, bool stuck, uint64_t now_ns);
/* live: the last figures of the loop; state: the last state before EXIT. */
void restart_end(struct restart *r, const struct telemetry_live *live, uint32_t state);
/* Always call it. Without restart_end() the file stays unchanged. */
void restart_close(struct restart *r);

#endif
