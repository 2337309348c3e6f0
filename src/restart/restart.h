/* SPDX-License-Identifier: MIT
 * A stop outlives the process: what the last run left is read before the loop starts, and what this run would
 * leave is on disk at any time. Ordinary threads only.
 *
 *   restart_take   once the instance is ours: decides, says so, and writes the decision down, so that a start
 *                  that fails does not forget it
 *   restart_begin  the loop is about to run: an end without restart_end() is now one that nobody ordered
 *   restart_tick   writes changes down, in a thread of its own, which a slow disk may hold up
 *   restart_end    the loop has ended as it was told to */
#ifndef RESTART_RESTART_H
#define RESTART_RESTART_H

#include "restart/state_record.h"
#include "telemetry/shm.h"

struct restart_writer;

struct restart_ports {
  struct port *const *port; /* (count) they know the names of clients */
  int count;
  bool commanded; /* one of them takes commands */
};

struct restart {
  struct last_run start; /* filled by restart_take() */

  /* private */
  char path[1024]; /* the state file; "": none */
  char error[320]; /* why not, or what is wrong with it; "" */
  const char *instance;
  struct restart_ports ports;
  struct state_record shown;  /* what the last tick saw */
  struct state_record posted; /* to be written, last */
  uint64_t posted_ns;
  uint32_t latch_client; /* the client whose stop the last tick saw */
  char latched_by[TELEMETRY_LATCHER];
  struct restart_writer *writer; /* NULL: not begun, or there is no file */
  int failed;                    /* errno of the last write that was told of */
};

/* left: the telemetry block of the last run. state_dir: --state-dir, or NULL. instance and ports must live
 * until restart_end(). */
void restart_take(struct restart *r, const char *instance, const struct telemetry_left *left,
                  const char *state_dir, const struct restart_ports *ports);
/* False if the file cannot be written, which is said. required: then that is an error. */
bool restart_begin(struct restart *r, bool required);
/* stuck: the loop stands still, and is SAFE to the outside. */
void restart_tick(struct restart *r, const struct telemetry_live *live, bool stuck, uint64_t now_ns);
/* live: as the loop left it; state: the last one before EXIT. */
void restart_end(struct restart *r, const struct telemetry_live *live, uint32_t state);
/* Always due. Without restart_end() the file stays as it is. */
void restart_close(struct restart *r);

#endif
