/* SPDX-License-Identifier: MIT
 * The configuration read again while the loop runs: what may change does, the rest is named. */
#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

#include "config/settings.h"
#include "rt/cycle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct reload {
  /* set by the owner */
  const char *file;
  struct settings_overrides over; /* as at the start */
  const struct settings *started; /* with */

  /* private */
  bool wanted, reading;
  pthread_t thread; /* that reads: a large model takes longer than a tick */
  atomic_bool done;
  FILE *said; /* what it said of the file, into text */
  char *text;
  size_t size;
  struct settings *read;    /* NULL: there were mistakes */
  struct settings *applied; /* the last that were; NULL: those of the start */
  struct settings *tuned;   /* the last whose inputs were; likewise */
  bool platform_set;        /* parameters were set over OSC since; the owner tells */
  bool platform_tuned;      /* likewise the platform: this one */
  struct platform_setup platform;
};

/* The file is to be read, with the next tick at the earliest. */
void reload_ask(struct reload *r);
/* Once a tick: begins to read where that is asked for, and applies what has been read. Tells log and service manager. */
void reload_tick(struct reload *r, struct cycle *c);
/* Waits for a reading that is on. */
void reload_close(struct reload *r);

#endif
