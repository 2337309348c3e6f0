/* SPDX-License-Identifier: MIT
 * States and parameters of a running model: an ordinary thread takes the requests of the protocols, builds models with changed
 * parameters outside the loop, and keeps states in files. The loop only exchanges pointers and copies (signals/handover.h). */
#ifndef PARAMETERS_PARAM_SERVER_H
#define PARAMETERS_PARAM_SERVER_H

#include "loop/cycle.h"
#include "settings/settings.h"

#include <stdbool.h>
#include <stddef.h>

enum { PARAM_SERVER_DESKS = 2 };

struct param_server_config {
  struct cycle *cycle; /* after cycle_setup() */
  const struct settings *settings;
  const char *state_dir;                   /* --state-dir; NULL */
  struct port *port;                       /* own port of the loop: through it the thread sends commands */
  struct port *served[PARAM_SERVER_DESKS]; /* ports of the protocols whose requests it takes; NULL: none */
};

struct param_server;

/* Set-up, before the threads of the protocols start. NULL with the reason in error. */
struct param_server *param_server_open(const struct param_server_config *config, char *error, size_t size);
/* Set-up, after param_server_open(): the loop will start from a state and wait in STOPPED. file: its path; NULL: the newest
 * automatic state. Returns false with the reason in error; *found is false if there is no state. */
bool param_server_resume(struct param_server *l, const char *file, bool *found, char *error, size_t size);
/* Set-up, before the loop runs. Returns 0 or an errno. */
int param_server_start(struct param_server *l);

/* The supervisor: one thing to log or to tell the frame ring. */
struct param_server_note {
  int level;                 /* enum log_level; -1: not for the log */
  struct frames_event event; /* kind 0: none */
  char text[DESK_TEXT];
};
bool param_server_next_note(struct param_server *l, struct param_server_note *note);
/* Notes for which there was no room since the start. */
uint64_t param_server_lost_notes(struct param_server *l);
/* The parameters of a model that was read again. `file` is for the log, and lives as long as the param_server. NULL when out of
 * memory. */
struct offer;
struct offer *offer_new(const char *file);
/* Any thread. False when out of memory. */
bool offer_read(struct offer *o, const ali3_model *m);
/* o NULL: nothing. */
void offer_free(struct offer *o);
/* For the supervisor: sets each parameter of the offer to its value there. The server notes every parameter that it does not
 * set, and frees the offer. tell_none: if no value differs, a note says that nothing changed. */
void param_server_offer_values(struct param_server *l, struct offer *o, bool tell_none);

/* Stops the thread. l NULL, or not started: nothing. */
void param_server_stop(struct param_server *l);
/* After the loop has ended: stops the thread, and saves the last state. */
void param_server_end(struct param_server *l);
/* After cycle_free(). l NULL: nothing. */
void param_server_free(struct param_server *l);

#endif
