/* SPDX-License-Identifier: MIT
 * Rereads the configuration while the loop runs: applies the live keys and logs every other change. */
#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

#include "loop/cycle.h"
#include "settings/settings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct param_server;
struct service;

struct reload {
  /* Set by the owner. */
  const char *file;
  struct settings_overrides over;    /* as at the start */
  const struct settings *started;    /* settings of the start */
  struct param_server *param_server; /* takes parameters of the model */
  struct service *service;           /* is told that the file is being reread */

  /* private */
  bool wanted;
  struct reading *reading;     /* NULL: no reading is under way */
  pthread_t thread;            /* reads, or frees a reading: a large model takes longer than a tick */
  bool freeing;                /* the reading was applied and its memory is being freed */
  uint64_t since_ns;           /* start of the reading */
  bool slow;                   /* the log has a line about a slow reading */
  bool copied;                 /* `force` and `tuning` are valid */
  struct cycle_tuning *tuning; /* message to the loop, with room for the inputs of `started` */
  /* Live keys in use; it owns its inputs and prints, and borrows all other lists from `started`. */
  struct settings force;
  bool platform_set; /* parameters were set over OSC since; set by the owner */
};

/* Asks for a reading, at the next tick at the earliest. */
void reload_ask(struct reload *r);
/* Call once a tick: starts a reading if one was asked for, and applies a finished one. Reports to the log and the
 * service manager. */
void reload_tick(struct reload *r, struct cycle *c, uint64_t now_ns);
/* Does not wait: a thread that still reads is abandoned, because a file server that does not answer may block it for
 * ever. */
void reload_close(struct reload *r);

#endif
