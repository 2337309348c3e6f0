/* SPDX-License-Identifier: MIT
 * States and parameters of a running model: an ordinary thread takes the requests of the protocols, builds models with changed
 * parameters outside the loop, and keeps states in files. The loop only exchanges pointers and copies (signals/handover.h). */
#ifndef KEEPER_LIVE_H
#define KEEPER_LIVE_H

#include "config/settings.h"
#include "loop/cycle.h"

#include <stdbool.h>
#include <stddef.h>

enum { KEEPER_DESKS = 2 };

struct keeper_config {
  struct cycle *cycle; /* after cycle_setup() */
  const struct settings *settings;
  const char *state_dir;             /* --state-dir; NULL */
  struct port *port;                 /* own port of the loop: through it the thread sends commands */
  struct port *served[KEEPER_DESKS]; /* ports of the protocols whose requests it takes; NULL: none */
};

struct keeper;

/* Set-up, before the threads of the protocols start. NULL with the reason in error. */
struct keeper *keeper_open(const struct keeper_config *config, char *error, size_t size);
/* Set-up, after keeper_open(): the loop will start from a state and wait in STOPPED. file: its path; NULL: the newest automatic
 * state. Returns false with the reason in error; *found is false if there is no state. */
bool keeper_resume(struct keeper *l, const char *file, bool *found, char *error, size_t size);
/* Set-up, before the loop runs. Returns 0 or an errno. */
int keeper_start(struct keeper *l);

/* The supervisor: one thing to log or to tell the frame ring. */
struct keeper_note {
  int level;                 /* enum log_level; -1: not for the log */
  struct frames_event event; /* kind 0: none */
  char text[DESK_TEXT];
};
bool keeper_next_note(struct keeper *l, struct keeper_note *note);
/* The parameters of a model that was read again. `file` is for the log, and lives as long as the keeper. NULL when out of
 * memory. */
struct offer;
struct offer *offer_new(const char *file);
/* Any thread. False when out of memory. */
bool offer_read(struct offer *o, const ali3_model *m);
/* o NULL: nothing. */
void offer_free(struct offer *o);
/* The supervisor: the parameters in use become those of the offer, where it has them. The keeper notes every parameter that it
 * does not apply, and frees the offer. tell_none: if none differs, a note says that nothing changed. */
void keeper_offer_values(struct keeper *l, struct offer *o, bool tell_none);

/* Stops the thread. l NULL, or not started: nothing. */
void keeper_stop(struct keeper *l);
/* After the loop has ended: stops the thread, and saves the last state. */
void keeper_end(struct keeper *l);
/* After cycle_free(). l NULL: nothing. */
void keeper_free(struct keeper *l);

#endif
