/* SPDX-License-Identifier: MIT
 * The configuration read again while the loop runs: what may change does, the rest is named. */
#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

#include "config/settings.h"
#include "loop/cycle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct reload {
  /* set by the owner */
  const char *file;
  struct settings_overrides over; /* as at the start */
  const struct settings *started; /* with */

  /* private */
  bool wanted;
  struct reading *reading; /* NULL: none is on */
  pthread_t thread;        /* that reads, or frees what was read: a large model takes longer than a tick */
  bool freeing;            /* applied; its memory goes back */
  uint64_t since_ns;       /* when it began */
  bool slow;               /* the log was told */
  bool copied;             /* force is there */
  struct settings
      force; /* the live keys in use; it owns its inputs and prints, and borrows all other lists from `started` */
  bool platform_set; /* parameters were set over OSC since; the owner tells */
};

/* The file is to be read, with the next tick at the earliest. */
void reload_ask(struct reload *r);
/* Once a tick: begins to read where that is asked for, and applies what has been read. Tells log and service manager. */
void reload_tick(struct reload *r, struct cycle *c, uint64_t now_ns);
/* Waits for nothing: a thread that still reads is left behind, since a file server that is away may hold it for ever. */
void reload_close(struct reload *r);

#endif
